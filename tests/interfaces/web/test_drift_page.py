"""The Drift page without a browser: empty, frozen, asked in the background, flipped."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.fakes.labelled import add_run, mixed
from workbench.errors import UsageError
from workbench.experiments.judge_items import JudgingResult
from workbench.interfaces.web import judging_tasks
from workbench.interfaces.web.judging_tasks import outcome_text
from workbench.interfaces.web.trust import page as trust_page
from workbench.interfaces.web.trust.charts import drift_chart, drift_rows
from workbench.interfaces.web.trust.drift import evaluations_table, flips_table
from workbench.judging.scripted import ScriptedJudge
from workbench.services import cached_views
from workbench.services.drift import drift_of, evaluate_reference_set
from workbench.settings import load_settings
from workbench.store.evaluation.reference_sets import ReferenceSetRepository
from workbench.store.store import Store

APP = Path(__file__).parents[3] / "app.py"


@pytest.fixture
def store():
    cached_views.clear_cached_views()
    store = Store(load_settings().database)
    for number in range(8):
        add_run(store, f"r{number}", mixed(f"r{number}", 6))
    return store


def page():
    at = AppTest.from_file(str(APP), default_timeout=120).switch_page("pages/trust.py")
    at.query_params["drift"] = "true"
    return at


def shown_text(at):
    values = [
        element.value
        for kind in (at.caption, at.markdown, at.info, at.warning, at.success)
        for element in kind
    ]
    return " ".join(values).replace("\\", "").replace("\u2060", "")


def judge(label):
    return ScriptedJudge([], default={"label": label, "confidence": 0.8, "quote": "*"})


def test_a_set_is_frozen_and_a_judge_asked_in_the_background(store):
    at = page().run()
    assert not at.exception
    assert (
        "No reference set yet. A reference set is a fixed copy of labelled examples; "
        "re-evaluating a judge on it over time shows drift."
    ) in shown_text(at)
    at.text_input(key="drift-name").set_value("Spring")
    at.button(key="drift-freeze-now").click().run()
    assert not at.exception
    (reference_set,) = ReferenceSetRepository(store).all()
    assert "created on" in shown_text(at)
    at.button(key="drift-ask").click().run()
    job = judging_tasks.find(store.path, f"drift-{reference_set.id}")
    assert job.ended.wait(60)
    at.run()
    assert not at.exception
    assert f"local on Spring: {reference_set.size} judged at no cost." in shown_text(at)
    (asking,) = ReferenceSetRepository(store).evaluations(reference_set.id)
    assert asking.answers == reference_set.size
    at.button(key=f"asked-close-drift-{reference_set.id}").click().run()
    assert "judged for" not in shown_text(at)


def test_an_asking_that_ends_while_the_page_is_drawn_is_shown(store, monkeypatch):
    at = page().run()
    at.text_input(key="drift-name").set_value("Spring")
    at.button(key="drift-freeze-now").click().run()
    (reference_set,) = ReferenceSetRepository(store).all()

    def drift_then_end(read_from, anchors):
        drift = drift_of(read_from, anchors)
        job = judging_tasks.find(store.path, f"drift-{reference_set.id}")
        # the judge finishes right after the page has read the earlier state
        assert job is None or job.ended.wait(60)
        return drift

    monkeypatch.setattr(trust_page, "drift_of", drift_then_end)
    at.button(key="drift-ask").click().run()
    assert not at.exception
    assert f"{reference_set.size} judged at no cost." in shown_text(at)
    assert at.get("vega_lite_chart") or at.get("arrow_vega_lite_chart"), "its series is shown"


def test_what_flipped_is_shown_by_kind(store):
    at = page().run()
    at.text_input(key="drift-name").set_value("Spring")
    at.button(key="drift-freeze-now").click().run()
    (reference_set,) = ReferenceSetRepository(store).all()
    for label in ("supported", "not_supported"):
        evaluate_reference_set(store, reference_set, judge(label), by="Ada")
    at = page().run()
    assert not at.exception
    assert (
        f"Of {reference_set.size} examples, {reference_set.size} have another label"
        in shown_text(at)
    )
    at.segmented_control(key="drift-kind").set_value("broken").run()
    assert not at.exception
    drift = drift_of(store, reference_set)
    table = evaluations_table(drift)
    assert [row[0].text for row in table.rows] == ["a1.2", "a1.1"]
    rows = drift_rows(drift)
    assert [row["asking"] for row in rows] == ["a1.1", "a1.2"]
    assert "datum.drift" in str(drift_chart(drift))
    # both of this minute: a clock would put them at ".200" and ".600" of a second
    across = drift_chart(drift)["encoding"]["x"]
    assert (across["field"], across["type"]) == ("asking", "nominal")
    assert flips_table([], {}).rows == ()


def test_one_asking_of_a_name_at_a_time_and_its_end_is_told(tmp_path):
    path = tmp_path / "w.duckdb"

    def wait(job):
        job.tell(1, 0.01)
        assert job.cancel.wait(30)
        return JudgingResult(judged=1, unjudged=2, unread=0, cost_usd=0.01)

    job = judging_tasks.start(path, "x", "local on Spring", 3, wait)
    with pytest.raises(UsageError, match="is still running"):
        judging_tasks.start(path, "x", "again", 3, wait)
    judging_tasks.dismiss(path, "x")
    assert judging_tasks.find(path, "x") is job
    job.cancel.set()
    assert job.ended.wait(30)
    assert outcome_text(job).endswith(
        "1 judged for $0.01; 2 left: it was cancelled. Results so far are saved; run it again to "
        "continue."
    )
    judging_tasks.dismiss(path, "x")
    assert judging_tasks.find(path, "x") is None


@pytest.mark.parametrize(
    ("error", "message"),
    [(UsageError("Said so."), "Said so."), (ValueError("secret"), "internal error")],
)
def test_an_asking_that_fails_says_so(tmp_path, error, message, caplog):
    def fail(job):
        raise error

    job = judging_tasks.start(tmp_path / "w", "x", "local", 3, fail)
    assert job.ended.wait(30)
    assert message in outcome_text(job)
    assert "secret" not in outcome_text(job)
