"""Before a check begins, the form says which reference each uploaded file answers."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import workbench
from tests.fakes.app_page import open_options
from workbench.interfaces.web.progress import stage_line
from workbench.pipeline.options import Progress
from workbench.services.jobs import Job

APP = Path(workbench.__file__).parents[1] / "app.py"
TEXT = (
    "The bridge is 120 m long [1]. It opened in 1931 [2].\n\nReferences\n"
    "[1] Facts about the bridge. https://bridge.example/a\n"
    "[2] The opening. https://bridge.example/b\n"
)
SAVED = b'<html><head><link rel="canonical" href="https://bridge.example/a"></head></html>'


@pytest.fixture
def page():
    app = AppTest.from_file(str(APP), default_timeout=60).run()
    app.text_area(key="paste").set_value(TEXT)
    return open_options(app)


def shown_html(page):
    return "".join(element.proto.body for element in page.get("html"))


def test_each_file_stands_beside_the_citations_that_it_is_for(page):
    page.file_uploader(key="source-files").upload("page (3).html", SAVED, "text/html").run()
    assert "page (3).html" in shown_html(page)
    assert "It gives itself the address of" in shown_html(page)
    assert "Cited without a file: [2] The opening<" in shown_html(page)
    (choice,) = [field for field in page.multiselect if field.label.startswith("Citations of")]
    assert choice.value == ["c1"]
    assert choice.options == ["[1] Facts about the bridge", "[2] The opening"]
    choice.set_value(["c1", "c2"]).run()
    assert "Cited without a file" not in shown_html(page)


def test_what_a_file_is_for_can_be_changed_before_the_run(page):
    page.file_uploader(key="source-files").upload("page (3).html", SAVED, "text/html").run()
    (choice,) = [field for field in page.multiselect if field.label.startswith("Citations of")]
    choice.set_value([]).run()
    assert "chosen by you" in shown_html(page)
    page.button(key="estimate").click().run()
    assert "is for no citation" in page.info[0].value


def test_a_file_that_answers_nothing_is_named_below_the_form_and_in_the_estimate(page):
    page.file_uploader(key="source-files").upload("<b>x</b>.txt", b"Nothing.", "text/plain").run()
    assert "0 of 1 file" in shown_html(page)
    assert "<b>x</b>" not in shown_html(page)
    page.button(key="estimate").click().run()
    assert "is for no citation" in page.info[0].value


def test_a_stage_is_done_only_when_every_source_was_had():
    job = Job(name="x", output=TEXT)
    counts = {"found": 2, "linked": 2, "read": 1, "judged": 2, "sources": 2, "cost_usd": 0.0,
            "elapsed_s": 1.0, "current": ""}  # fmt: skip
    job.tell(Progress(fetched=1, missing=1, **counts))
    line = stage_line(job)
    assert '<li class=""><b>fetched</b> 1<i>/2</i><i>, 1 missing</i>' in line
    job.tell(Progress(fetched=2, **counts))
    assert '<li class="done"><b>fetched</b> 2<i>/2</i></li>' in stage_line(job)
