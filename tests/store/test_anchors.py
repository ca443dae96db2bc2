"""Anchor sets stay as frozen, whatever happens to their items; each evaluation is kept."""

import json
import shutil

import pytest

from tests.fakes import records as make
from tests.fakes.desk import Clock
from tests.fakes.labelled import Given, add_run, mixed
from workbench.calibration.drift import flips
from workbench.errors import StoreError, UsageError
from workbench.judging.scripted import ScriptedJudge
from workbench.presentation.drift_text import state_notes
from workbench.records.evaluation import JudgeKey
from workbench.services.calibration.measurement import ensure_split
from workbench.services.drift import (
    IN_RUNS,
    drift_document,
    drift_of,
    evaluate_reference_set,
    evaluation_cost,
    flips_between,
    freeze_anchors,
    rejudged_flips,
)
from workbench.store.admin.erasure import Erasures
from workbench.store.evaluation.offline_judgments import OfflineJudgmentRepository
from workbench.store.evaluation.reference_sets import ReferenceSetRepository, anchors_sha256
from workbench.store.evaluation.splits import Splits
from workbench.store.store import Store


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    store = Store(tmp_path_factory.mktemp("built") / "w.duckdb")
    for number in range(6):
        add_run(store, f"r{number}", mixed(f"r{number}", 10))
    return store.path


@pytest.fixture
def store(built, tmp_path):
    return Store(shutil.copy(built, tmp_path / "w.duckdb"))


def judge(**reply):
    return ScriptedJudge(
        [], default={"label": "supported", "confidence": 0.8, "quote": "*", **reply}
    )


def frozen(store, clock, **fields):
    return freeze_anchors(store, "watch", by="Ada", now=clock, **({"many": 20} | fields))


@pytest.mark.reopens
def test_a_set_is_drawn_evenly_from_open_parts_and_never_changes(store, clock):
    anchors = frozen(store, clock, many=16, note="for the summer")
    assert (anchors.id, anchors.size, dict(anchors.strata)) == (
        "a1", 16, {"not_supported": 8, "supported": 8},
    )  # fmt: skip
    states = ReferenceSetRepository(store).states(anchors.id, Splits(store).all()[0].id)
    assert {state.part for state in states} <= {"train", "dev"}
    assert anchors_sha256([state.anchor for state in states]) == anchors.sha256
    assert (
        ReferenceSetRepository(store).get("watch")
        == ReferenceSetRepository(store).get("a1")
        == anchors
    )
    with pytest.raises(UsageError, match="cannot be changed"):
        frozen(store, clock)
    other = freeze_anchors(store, "again", by="Ada", many=16, now=clock)
    assert (other.id, other.sha256) == ("a2", anchors.sha256)


@pytest.mark.parametrize(
    ("fields", "message"),
    [({"parts": ("test",)}, "locked"), ({"many": 0}, "at least one"), ({"parts": ()}, "locked")],
)
def test_what_cannot_be_frozen_gets_a_sentence(store, clock, fields, message):
    with pytest.raises(UsageError, match=message):
        frozen(store, clock, **fields)
    with pytest.raises(UsageError, match="needs a name"):
        freeze_anchors(store, "  ", by="Ada")
    with pytest.raises(StoreError, match="no reference set"):
        ReferenceSetRepository(store).get("watch")


def test_later_labels_corrections_and_texts_are_told_and_change_nothing(store, clock):
    anchors = frozen(store, clock)
    book = ReferenceSetRepository(store)
    first, second, *_ = (state.anchor for state in book.states(anchors.id, None))
    other = "contradicted" if first.gold == "supported" else "supported"
    store.add_label(
        make.label(
            "new", other, run_id=first.run_id, citation_id=first.citation_id,
            replaces=f"{first.run_id}-{first.citation_id[1:]}-Ada",
        )
    )  # fmt: skip
    result = store.verdict_history(second.run_id, second.citation_id)[-1]
    store.replace_verdict(
        second.run_id, make.result(1, citation=result.citation, source=make.source("Other words."))
    )
    drift = drift_of(store, anchors)
    assert [(state.anchor.item, state.label) for state in drift.relabelled] == [(first.item, other)]
    assert drift.moved == 1
    notes = " ".join(state_notes(drift))
    assert "the reference label counts" in notes
    assert "1 example had the claim corrected or the source re-read" in notes
    (question,) = book.questions([second])
    assert second.run_id in question.source.text
    evaluate_reference_set(store, anchors, judge(), by="Ada", now=clock)
    gold = {
        prediction.item: prediction.human
        for prediction in book.predictions(book.evaluations(anchors.id)[0])
    }
    assert gold[first.item] == first.gold


def test_an_erased_output_leaves_the_set_and_every_asking_and_that_is_told(store, clock):
    anchors = frozen(store, clock)
    evaluate_reference_set(store, anchors, judge(), by="Ada", now=clock)
    erased_run = ReferenceSetRepository(store).states(anchors.id, None)[0].anchor.run_id
    lost = sum(
        state.anchor.run_id == erased_run
        for state in ReferenceSetRepository(store).states(anchors.id, None)
    )
    erasures = Erasures(store)
    erasures.erase(erasures.output_of(erased_run), "Ada", "privacy")
    drift = drift_of(store, ReferenceSetRepository(store).get("watch"))
    assert drift.erased == lost > 0
    assert drift.anchors.size == 20
    assert drift.series[0].last.agreement.n == 20 - lost
    assert f"{lost} of 20 examples were deleted" in " ".join(state_notes(drift))
    with store.transaction() as connection:
        rows = connection.execute("select record from judgments").fetchall()
    assert not any(erased_run in json.loads(record).get("rationale", "") for (record,) in rows)


def test_each_asking_is_anew_and_kept_with_its_time(store, clock):
    anchors = frozen(store, clock)
    book = ReferenceSetRepository(store)
    asking = evaluate_reference_set(store, anchors, judge(), by="Ada", now=clock)
    assert (asking.judging.judged, asking.judging.unjudged, asking.evaluation.id) == (20, 0, "a1.1")
    clock.advance(days=30)
    evaluate_reference_set(store, anchors, judge(label="not_supported"), by="Ada", now=clock)
    drift = drift_of(store, anchors)
    (series,) = drift.series
    assert [look.agreement.hits for look in series.interim_analyses] == [10, 10]
    assert series.last.since_last.same.hits == 0
    first, second = series.evaluations
    assert (second.created_at - first.created_at).days == 30
    changed = flips(book.predictions(first), book.predictions(second))
    assert changed.counts == {"broken": 10, "fixed": 10, "still_wrong": 0, "still_right": 0}
    assert changed.items[0].first.label == "supported"
    # the judge's newest answer counts elsewhere; the verdicts of its run stay
    assert {run.label for run in book.predictions_in_runs(anchors.id)} == {
        "supported",
        "not_supported",
    }
    document = drift_document(drift)
    assert document["series"][0]["looks"][1]["look"] == 1
    json.dumps(document)


def test_a_stopped_asking_is_continued_for_a_day_and_pays_nothing_twice(store, clock):
    anchors = frozen(store, clock)
    expensive = judge(cost_usd=0.01)
    assert evaluation_cost(store, anchors, expensive).items == 20
    asking = evaluate_reference_set(
        store, anchors, expensive, by="Ada", max_cost_usd=0.12, now=clock
    )
    assert 0 < asking.judging.judged < 20
    assert asking.judging.unjudged == 20 - asking.judging.judged
    remaining = evaluate_reference_set(
        store, anchors, expensive, by="Ada", max_cost_usd=1, now=clock
    )
    assert remaining.continued
    assert remaining.judging.judged == asking.judging.unjudged
    assert remaining.evaluation.answers == 20
    assert round(remaining.evaluation.cost_usd, 2) == 0.2
    # a day later, or on request, it is another point in time
    second = evaluate_reference_set(store, anchors, judge(), by="Ada", max_cost_usd=0, now=clock)
    assert (second.evaluation.id, second.continued) == ("a1.2", False)
    evaluate_reference_set(store, anchors, expensive, by="Ada", max_cost_usd=0.05, now=clock)
    clock.advance(hours=25)
    later = evaluate_reference_set(store, anchors, expensive, by="Ada", max_cost_usd=1, now=clock)
    assert (later.evaluation.id, later.continued, later.judging.judged) == ("a1.4", False, 20)


def test_only_one_baseline_that_was_asked_can_be_named(store, clock):
    anchors = frozen(store, clock)
    for _ in range(3):
        evaluate_reference_set(store, anchors, judge(), by="Ada", now=clock)
    drift = drift_of(store, anchors, baseline="a1.2")
    assert [look.name for look in drift.series[0].interim_analyses] == ["a1.2", "a1.3"]
    with pytest.raises(UsageError, match="no completed evaluation"):
        drift_of(store, anchors, baseline="a1.9")
    with pytest.raises(UsageError, match="no evaluation 'x'"):
        flips_between(store, anchors, "x", "a1.1")
    against_runs = flips_between(store, anchors, IN_RUNS, "a1.1")
    assert against_runs.counts["broken"] == 10


def test_an_anchor_that_no_judge_had_seen_gets_no_verdict_by_being_watched(tmp_path, clock):
    store = Store(tmp_path / "w.duckdb")
    for number in range(4):
        add_run(store, f"r{number}", [Given(), Given()])
    ensure_split(store, "Ada")
    anchors = frozen(store, clock)
    verdicts_before = store.row_counts()["verdicts"]
    evaluate_reference_set(store, anchors, judge(), by="Ada", now=clock)
    assert store.row_counts()["verdicts"] == verdicts_before
    assert OfflineJudgmentRepository(store).unjudged("local") == []


def test_rejudging_the_labelled_items_lists_what_flips_outside_of_the_test_part(store, tmp_path):
    from workbench.services.labelled_judging import judge_missing

    script = tmp_path / "judge.json"
    script.write_text(json.dumps({"default": {"label": "not_supported", "confidence": 0.7}}))
    spec = f"scripted:{script}"
    judge_missing(store, spec)
    result = rejudged_flips(store, JudgeKey(specs=(spec,)), by="Ada")
    split = Splits(store).all()[0]
    sizes = {size.part: size.items for size in Splits(store).sizes(split.id)}
    assert len(result.items) == sizes["train"] + sizes["dev"] < 60
    assert result.counts["fixed"] == 0
    assert result.counts["broken"] == len(result.changed) > 0
    back = rejudged_flips(
        store, JudgeKey(specs=("local",)), JudgeKey(specs=(spec,)), by="Ada", parts=("dev",)
    )
    assert back.counts["fixed"] == len(back.changed)
    with pytest.raises(UsageError, match="locked"):
        rejudged_flips(store, JudgeKey(specs=(spec,)), by="Ada", parts=("test",))
    with pytest.raises(UsageError, match="verdict of both"):
        rejudged_flips(store, JudgeKey(specs=("openai:none",)), by="Ada")
