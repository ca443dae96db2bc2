"""The Data page: what would be erased, the typed confirmation, what was erased; a restored backup."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.fakes import records as make
from tests.fakes.desk import fill
from workbench.interfaces.web.data.page import REASON_TEXT
from workbench.interfaces.web.examples.banner import is_confirmed
from workbench.services import cached_views, jobs
from workbench.services.data_management import back_up_all
from workbench.settings import load_settings
from workbench.store.admin.erasure import Erasures
from workbench.store.store import Store

APP = Path(__file__).parents[3] / "app.py"


@pytest.fixture
def store():
    cached_views.clear_cached_views()
    store = Store(load_settings().database)
    fill(store, 3)
    fill(store, 2, "r2")
    store.add_label(make.label(citation_id="c0", note="seen"))
    return store


def open_page(**params):
    at = AppTest.from_file(APP, default_timeout=60)
    at.run()
    at.switch_page("pages/keep.py")
    at.query_params.update(params)
    return assert_no_exception(at.run())


def assert_no_exception(at):
    assert not at.exception, [box.message for box in at.exception]
    return at


def shown_text(at):
    return " ".join(box.proto.body for box in at.get("html"))


def test_an_empty_store_has_nothing_to_erase():
    at = open_page()
    assert not at.error
    assert "No outputs yet." in [box.value for box in at.caption]


def test_an_output_is_erased_when_the_word_was_typed(store):
    at = open_page(erase="r1")
    for line in ("The text itself", "1 run", "3 verdicts", "1 label", "1 note"):
        assert f"<li>{line}</li>" in shown_text(at)
    assert at.button(key="erase").disabled
    at.text_input(key="erase-sure").set_value("delet").run()
    assert at.button(key="erase").disabled
    at.selectbox(key="erase-why").set_value("mistake").run()
    at.text_input(key="erase-sure").set_value(" Delete ").run()
    at.button(key="erase").click().run()
    assert not assert_no_exception(at).error
    assert "1 run, 3 verdicts, 1 label" in at.success[0].value
    assert [run.id for run in store.list_runs()] == ["r2"]
    (trace,) = Erasures(store).traces()
    assert (trace.reason, trace.run_ids) == ("mistake", ("r1",))
    assert list(at.dataframe[0].value["Reason"]) == [REASON_TEXT["mistake"]]
    assert "erase" not in at.query_params


def test_an_output_of_a_run_that_goes_on_stays(store, monkeypatch):
    monkeypatch.setattr(jobs, "find", lambda run: object() if run == "r1" else None)
    at = open_page(erase="r1")
    assert (
        at.warning[0].value
        == "A run on this output is in progress. Cancel it on the Review page first."
    )
    assert "erase" not in {button.key for button in at.button}


def test_a_backup_takes_the_place_of_work_only_when_asked(store, tmp_path):
    file = tmp_path / "all.zip"
    back_up_all(store, load_settings(), file)
    store.add_label(make.label("late", citation_id="c1"))
    at = open_page()
    at.file_uploader(key="restore-file").upload("all.zip", file.read_bytes()).run()
    assert "2 runs, 1 label" in at.text[0].value
    assert at.button(key="restore").disabled
    at.text_input(key="restore-sure").set_value("replace").run()
    at.button(key="restore").click().run()
    assert not assert_no_exception(at).error
    assert "Restored as of" in at.success[0].value
    assert any("before" in box.value for box in at.success[1:])
    assert [label.id for label in store.labels("r1")] == ["l1"]


@pytest.mark.parametrize("body", [b"", b"PK\x03\x04 broken", b"text"], ids=repr)
def test_what_is_no_backup_is_told_in_a_sentence(store, body):
    at = open_page()
    at.file_uploader(key="restore-file").upload("x.zip", body).run()
    assert "is not a backup of this version" in assert_no_exception(at).error[0].value
    assert len(store.list_runs()) == 2


def test_words():
    assert (
        is_confirmed(" DELETE ", "delete")
        and not is_confirmed("", "delete")
        and not is_confirmed("delete it", "delete")
    )
