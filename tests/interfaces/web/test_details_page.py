"""Evidence, faults and tags on the Review page, without a browser."""

from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.fakes import records as make
from tests.fakes.app_page import press, press_label, shown_html
from workbench.records.text import Span
from workbench.services import cached_views
from workbench.settings import load_settings
from workbench.store.store import Store

APP = Path(__file__).parents[3] / "app.py"
QUOTE = Span(40, 50)


@pytest.fixture
def seeded_store():
    cached_views.clear_cached_views()
    store = Store(load_settings().database)
    run = make.run("r1", [make.result(1), make.failure(2)])
    store.add_run(run, make.TEXT, "Bridges")
    store.finish_run(run)
    return store


def open_page(**params):
    at = AppTest.from_file(APP, default_timeout=60)
    at.session_state["who"] = "Ada"
    at.query_params.update(params)
    at.run()
    assert not at.exception
    assert not at.error
    return at


def test_a_wrong_quote_a_fault_and_tags_are_kept_with_the_label(seeded_store):
    at = open_page(run="r1", c="c1")
    at.button(key="quote-wrong").click().run()
    at.selectbox(key="fault-r1-c1").set_value("claim_split").run()
    at.multiselect(key="tags-r1-c1").set_value(["dates", "two  words"]).run()
    assert seeded_store.labels("r1") == []
    # another session finds the draft as it was left
    reopened = open_page(run="r1", c="c1")
    assert reopened.selectbox(key="fault-r1-c1").value == "claim_split"
    press_label(reopened, "contradicted")
    (label,) = seeded_store.labels("r1")
    assert label.wrong_evidence == (QUOTE,)
    assert (label.fault, label.tags) == ("claim_split", ("dates", "two words"))


def test_a_run_says_why_its_tables_have_more_rows_than_citations(seeded_store):
    rows = "CSV and JSONL have"
    assert rows not in " ".join(caption.value for caption in open_page(run="r1").caption)
    aside = make.result(2, citation=replace(make.citation(2), id="c3", kind="statistic"))
    run = make.run("r2", [make.result(1), make.failure(2), aside])
    seeded_store.add_run(run, make.TEXT, "More bridges")
    seeded_store.finish_run(run)
    said = " ".join(caption.value for caption in open_page(run="r2").caption)
    assert f"{rows} 3 rows: 2 citations and 1 quote or figure." in said


def test_the_end_of_a_review_is_told_with_the_totals_after_its_changes(seeded_store):
    at = open_page(run="r1", c="c1")
    assert "reviewed: Export" not in shown_html(at)
    press_label(at, "contradicted")
    assert "After your 1 change: 0 supported, 0.00 score" in shown_html(at)
    press_label(at, "unverifiable")
    assert "All 2 reviewed: Export has the report" in shown_html(at)


def test_a_change_after_the_label_is_a_new_label_of_the_same_verdict(seeded_store):
    at = open_page(run="r1", c="c1")
    press(at, "stay")
    press_label(at, "contradicted")
    at.selectbox(key="fault-r1-c1").set_value("judge").run()
    at.button(key="quote-wrong").click().run()
    at.button(key="wrong-40-50").click().run()
    (label,) = seeded_store.labels("r1")
    assert (label.label, label.fault, label.wrong_evidence) == ("contradicted", "judge", ())
    assert len(seeded_store.label_history("r1", "c1")) == 4


def test_undo_forgets_what_was_said_besides(seeded_store):
    at = open_page(run="r1", c="c1")
    at.selectbox(key="fault-r1-c1").set_value("judge").run()
    press_label(at, "contradicted")
    press(at, "undo")
    assert seeded_store.labels("r1") == []
    assert at.selectbox(key="fault-r1-c1").value is None


def test_without_a_quote_there_is_nothing_to_mark(seeded_store):
    at = open_page(run="r1", c="c2")
    assert at.button(key="quote-wrong").disabled
