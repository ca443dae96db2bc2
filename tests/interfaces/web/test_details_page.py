"""Evidence, faults and tags on the Review page, without a browser."""

from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.fakes import records as make
from tests.fakes.app_page import cell_texts, press, press_label, send, shown_html
from workbench.interfaces.notebook.runs import render_run
from workbench.interfaces.web.run_cache import load_review
from workbench.presentation.run_report import annotated_html
from workbench.presentation.run_totals import figures, outcome_text, run_summary_json
from workbench.records.review import active_labels
from workbench.records.text import Span
from workbench.services import cached_views
from workbench.services.runs import list_runs
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
    at.session_state["card-more"] = True
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


def test_the_end_of_a_review_is_summed_up_once_and_on_request(seeded_store):
    at = open_page(run="r1", c="c1")
    assert "1 of 2 supported<" in shown_html(at)
    assert "end" not in {button.key for button in at.button}
    press_label(at, "contradicted")
    assert "0 of 2 supported, 1 decided by people (1 changed)" in shown_html(at)
    assert "end-table-0" not in keys(at)
    press_label(at, "unverifiable")
    (said,) = [box.value for box in at.markdown if "People agree" in box.value]
    assert said == (
        "0 of 2 supported, 2 decided by people (1 changed). People agree with 1 of 2 verdicts of the "
        "judge."
    )
    assert cell_texts(at, "end-table-0") == [["Supported", "1", "0"], ["Unverifiable", "0", "1"]]
    assert cell_texts(at, "end-table-1") == [["[1]", "Supported", "Contradicted"]]
    assert "Every run is reviewed." in {box.value for box in at.caption}
    send(at, "end-table-1", "followed", 0)
    at.run()
    assert (at.query_params["c"], "end-table-0" in keys(at)) == ("c1", False)
    press_label(at, "supported")
    assert "end-table-0" not in keys(at), "a label that is changed later does not end it again"
    at.button(key="end").click().run()
    assert [box.value for box in at.markdown if "People agree with 2 of 2" in box.value]
    assert "end-table-0" not in keys(at), "no table without a change"


def keys(at):
    return {element.proto.id.split("-", 2)[-1] for element in at.get("bidi_component")}


def test_the_run_its_report_notebook_and_lists_agree_after_reviewers_disagreed(seeded_store):
    """Ada sees her own labels on the card; what counts is the same for everybody."""
    for reviewer, name, label, role in (
        ("Ada", "c1", "contradicted", "review"), ("Ben", "c1", "supported", "review"),
        ("Zoe", "c1", "partially_supported", "adjudication"), ("Ben", "c2", "supported", "review"),
    ):  # fmt: skip
        seeded_store.add_label(
            make.label(reviewer + name, label, citation_id=name, reviewer=reviewer, role=role)
        )
    expected = "1 of 2 supported, 2 decided by people (2 changed)"
    assert expected in shown_html(open_page(run="r1", c="c1"))
    for reviewer in (None, "Ada", "Ben", "Zoe"):
        review = load_review(seeded_store, "r1", reviewer)
        assert outcome_text(review) == expected
        assert f"<b>{expected}</b>" in figures(review)
    report = annotated_html(review.run, review.text, seeded_store.labels("r1"))
    assert f"<b>{expected}</b>" in report and "<b>1</b> supported by the judge" in report
    assert f"<b>{review.run.overall_score:.2f}</b> judge&#39;s score" in report
    rendered = render_run(review.run, active_labels(seeded_store.labels("r1")))
    assert expected in rendered.plain and "Judge: 1 resolved, 1 supported" in rendered.plain
    (listed,) = [run_summary_json(run) for run in list_runs(seeded_store)]
    judged = review.run.to_dict()
    names = ("total_citations_found", "total_resolved", "total_supported")
    assert [listed[name] for name in names] == [judged[name] for name in names] == [2, 1, 1]
    assert listed["labelled"] == 2


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
