"""A claim corrected on the Review page and judged again, without a browser."""

import json

import pytest

from tests.fakes import records as make
from tests.fakes.app_page import open_app, shown_html
from workbench.interfaces.web.review.claim_boundaries import claim_data
from workbench.interfaces.web.review.claim_wording import wording_offered
from workbench.interfaces.web.review.decision_details import DecisionItem
from workbench.interfaces.web.review.text import NOT_JUDGED, earlier_text
from workbench.interfaces.web.sources import jobs
from workbench.pipeline.options import VerifyOptions
from workbench.records.review import ClaimSpanCorrection
from workbench.records.text import Span
from workbench.services import cached_views
from workbench.services.claim_corrections import corrected_claims
from workbench.services.verification import verify_and_store
from workbench.settings import load_settings
from workbench.store.runs.claim_corrections import Corrections
from workbench.store.store import Store

ANSWER = (
    "The bridge is 120 metres long <b>🙂</b> and opened in 1931 [1].\n\n"
    "## References\n[1] The bridge. https://b.example/a\n"
)
SCRIPT = [
    {"if_claim_contains": "1931", "label": "contradicted", "quote": "It opened in 1956."},
    {"if_claim_contains": "120 metres", "label": "supported", "quote": "*"},
]
HALF = Span(0, ANSWER.index(" and opened"))


@pytest.fixture
def checked_run(tmp_path):
    cached_views.clear_cached_views()
    corrected_claims.clear()
    settings = load_settings()
    (tmp_path / "script.json").write_text(json.dumps(SCRIPT))
    store = Store(settings.database)
    run = verify_and_store(
        store,
        ANSWER,
        "Bridge",
        VerifyOptions(
            judge=f"scripted:{tmp_path / 'script.json'}",
            sources=[
                {"content": "The bridge is 120 metres long. It opened in 1956.", "label": "1"}
            ],
            snapshots=settings.snapshots,
        ),
    )
    (name,) = [result.citation.id for result in run.citations if result.citation.raw == "[1]"]
    return store, run, name


def test_a_corrected_claim_is_shown_judged_again_and_told(checked_run):
    store, run, name = checked_run
    at = open_app(run=run.id, c=name)
    assert "Claim corrected" not in shown_html(at)
    Corrections(store).correct(run.id, name, HALF, "Ada <i>")
    corrected_claims.clear()
    at.run()
    assert "Ada &lt;i&gt;" in shown_html(at)
    assert "120 metres long &lt;b&gt;🙂&lt;/b&gt;" in shown_html(at)
    assert NOT_JUDGED in shown_html(at)
    at.button(key="claim-judge").click().run()
    act = jobs.find(store.path, f"claim:{run.id}:{name}")
    assert act.ended.wait(30)
    assert act.error == ""
    at.run()
    assert earlier_text(0) in shown_html(at)
    assert "Contradicted" in shown_html(at)
    verdicts = [verdict.verdict for verdict in store.verdict_history(run.id, name)]
    assert verdicts == ["contradicted", "supported"]
    assert "claim-judge" not in {button.key for button in at.button}


def test_a_judge_that_is_gone_is_told_and_the_verdict_stands(checked_run, tmp_path):
    store, run, name = checked_run
    Corrections(store).correct(run.id, name, HALF, "Ada")
    corrected_claims.clear()
    (tmp_path / "script.json").unlink()
    at = open_app(run=run.id, c=name)
    at.button(key="claim-judge").click().run()
    act = jobs.find(store.path, f"claim:{run.id}:{name}")
    assert act.ended.wait(30)
    at.run()
    assert any("script" in box.value for box in at.error)
    assert len(store.verdict_history(run.id, name)) == 1


def test_a_claim_is_reworded_by_key_and_judged_again(checked_run):
    store, run, name = checked_run
    at = open_app(run=run.id, c=name)
    button = at.button(key="claim-reword")
    assert button.proto.shortcut == "p"
    button.click().run()
    field = at.text_area(key="wording-words")
    assert field.value == " ".join(run.citations[0].citation.claim.text.split())
    field.set_value("The <b>old</b> bridge is 120 metres long.")
    at.button(key="wording-save").click().run()
    assert not at.exception
    assert "Claim reworded" in shown_html(at)
    assert "The &lt;b&gt;old&lt;/b&gt; bridge is 120 metres long." in shown_html(at)
    at.button(key="claim-judge").click().run()
    act = jobs.find(store.path, f"claim:{run.id}:{name}")
    assert act.ended.wait(30)
    assert act.error == ""
    _, new = store.verdict_history(run.id, name)
    assert new.citation.wording == "The <b>old</b> bridge is 120 metres long."
    assert new.citation.claim == run.citations[0].citation.claim
    at.run()
    assert "claim-judge" not in {button.key for button in at.button}


def test_a_wording_is_taken_back(checked_run):
    store, run, name = checked_run
    claim = run.citations[0].citation.claim
    Corrections(store).correct(run.id, name, claim.span, "Ada", "The old bridge is long.")
    corrected_claims.clear()
    at = open_app(run=run.id, c=name)
    at.button(key="claim-reword").click().run()
    assert at.text_area(key="wording-words").value == "The old bridge is long."
    at.button(key="wording-none").click().run()
    assert Corrections(store).current(run.id)[name].wording is None
    assert "wording-words" not in {field.key for field in at.text_area}


def test_an_empty_wording_is_refused(checked_run):
    store, run, name = checked_run
    at = open_app(run=run.id, c=name)
    at.button(key="claim-reword").click().run()
    at.text_area(key="wording-words").set_value("  ")
    at.button(key="wording-save").click().run()
    assert any("1 to 1,000 characters" in box.value for box in at.error)
    assert Corrections(store).history(run.id) == []


def test_a_models_rewriting_is_offered_first(tmp_path):
    store = Store(tmp_path / "w.duckdb")
    judged = make.judgment(standalone="The Ostrau bridge is long.")
    decision_item = item(store, result=make.result(1, judgment=judged))
    assert wording_offered(decision_item, None) == "The Ostrau bridge is long."


def item(store, **fields):
    defaults = {
        "database": store,
        "run_id": "r1",
        "result": make.result(1),
        "source": None,
        "reviewer": "Ada",
    }
    return DecisionItem(**(defaults | fields))


def test_the_claim_as_it_stands_is_selected_at_the_beginning(tmp_path):
    store = Store(tmp_path / "w.duckdb")
    data = claim_data(item(store), None, make.TEXT)
    marks = {mark["id"]: (mark["s"], mark["e"]) for mark in data["marks"]}
    assert data["text"] == make.TEXT
    assert data["preset"] == list(marks["claim"]) == [0, make.TEXT.index("[1]")]
    assert make.TEXT[slice(*marks["cite"])] == "[1]"
    correction = ClaimSpanCorrection(
        id="k",
        run_id="r1",
        citation_id="c1",
        span=Span(4, 10),
        reviewer="Ada",
        created_at=make.MOMENT,
    )
    assert claim_data(item(store), correction, make.TEXT)["preset"] == [4, 10]


def test_a_citation_without_a_claim_begins_at_its_marker(tmp_path):
    store = Store(tmp_path / "w.duckdb")
    without_claim = make.result(1, citation=make.citation(1, claim=None))
    data = claim_data(item(store, result=without_claim), None, make.TEXT)
    assert (data["preset"], data["chosen"]) == (None, "cite")
    text = make.TEXT + " More words follow." * 3_000
    later_part = claim_data(item(store), None, text, part=1)
    assert (later_part["preset"], later_part["part"]) == (None, 1)
    assert text[later_part["start"] :].startswith(later_part["text"])
