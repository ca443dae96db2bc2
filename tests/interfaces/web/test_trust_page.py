"""The Trust page: one answer and one next step, which contradict nothing; old addresses lead to it."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from random import Random
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes.app_page import open_page, shown_html
from tests.fakes.desk import fill
from tests.fakes.labelled import Given, add_run, mixed
from workbench.calibration.agreement import agreement, evidence_agreement
from workbench.calibration.classification_report import judge_table, majority_baseline
from workbench.calibration.drift import InterimAnalysis
from workbench.calibration.results import Calibration, ThresholdObjective
from workbench.calibration.reviewing import automation_bias
from workbench.calibration.risk_control import abstain_band, guarantee
from workbench.interfaces.web.trust import summary
from workbench.presentation.calibration.text import band_text, basis, guarantee_text, headline
from workbench.records.evaluation import (
    DisagreementCounts,
    EvaluationSet,
    JudgeKey,
    Split,
    Threshold,
)
from workbench.records.reference_sets import ReferenceEvaluation
from workbench.records.review import EvaluationExample, LabelDecision, Rating
from workbench.services.calibration.agreement import AgreementReport
from workbench.services.calibration.measurement import choose, cuts_of
from workbench.services.calibration.thresholds import refusal
from workbench.services.drift import JudgeHistory
from workbench.store.evaluation.reference_sets import ReferenceSetRepository
from workbench.store.evaluation.splits import Thresholds
from workbench.store.labels.repository import LabelRepository
from workbench.store.queues.queues import Queues

NOW = datetime(2026, 3, 1, tzinfo=UTC)


@st.composite
def calibrations(draw):
    """A judge on up to 150 labelled items, from useless to always right, measured for real."""
    n, questions = draw(st.integers(0, 150)), draw(st.integers(1, 150))
    right, supported = draw(st.sampled_from((0.5, 0.8, 0.97, 1.0))), draw(st.floats(0, 1))
    world = Random(draw(st.integers(0, 2**32)))
    items = []
    for number in range(n):
        human = "supported" if world.random() < supported else "not_supported"
        score = world.random() / 2 + (
            0.5 if (human == "supported") == (world.random() < right) else 0
        )
        if world.random() < 0.05:
            human = "cannot_tell"
        items.append(
            EvaluationExample(
                item=f"r/c{number}", judge="supported" if score >= 0.5 else "not_supported",
                score=round(score, 2), human=human, group=f"g{number % questions}",
            )
        )  # fmt: skip
    unjudged = draw(st.integers(0, 3))
    judged = EvaluationSet(
        items=items, humans=1, from_data_sets=0, labelled=n + unjudged, no_gold_label=0,
        unjudged=unjudged, unread=0, in_no_part=0,
    )  # fmt: skip
    aim = ThresholdObjective(
        kind=draw(st.sampled_from(("guarantee", "guarantee", "cost", "manual"))),
        target=draw(st.sampled_from((0.6, 0.8, 0.95))),
    )
    cuts = tuple(cuts_of(items, aim))
    test = guarantee(cuts, aim.target, aim.confidence)
    chosen = choose(cuts, aim, test)
    return Calibration(
        judge=JudgeKey(specs=("local",)),
        split=Split(id="s", name="s", seed=0, shares={}, ties=(), created_by="Ada", created_at=NOW),
        sizes=(), parts=("train", "dev"), chosen_on=("train", "dev"), judged=judged,
        table=judge_table(items, rounds=20), at_threshold=None,
        always=majority_baseline(items, rounds=20), cuts=cuts, aim=aim, chosen=chosen,
        guarantee=test, band=abstain_band(cuts, aim.target, aim.confidence), base=judged,
    )  # fmt: skip


@st.composite
def reports(draw):
    """What up to three people say of up to eight citations, and how much of it is settled."""
    labels = st.sampled_from(("supported", "contradicted"))
    given_labels = draw(
        st.dictionaries(st.tuples(st.integers(0, 7), st.sampled_from("ABC")), labels, max_size=16)
    )
    ratings = tuple(
        Rating(item=f"r/{item}", rater=rater, label=label, group=f"g{item}")
        for (item, rater), label in sorted(given_labels.items())
    )
    differ = draw(st.integers(0, 5))
    settled = draw(st.integers(0, differ))
    return AgreementReport(
        ratings=ratings, verdicts=agreement(ratings, rounds=20), evidence=evidence_agreement(()),
        disagreements=DisagreementCounts(
            doubly=differ, differ=differ, settled=settled, between_people=differ - settled
        ),
        automation_bias=automation_bias(()), references=agreement(()), guide_counts={},
        against_gold=(), gold_disputed=(0, 0), fields=(),
    )  # fmt: skip


@st.composite
def histories(draw):
    """A judge that was asked again, once or often, or never."""
    times, n = draw(st.integers(0, 3)), draw(st.integers(1, 60))
    if not times:
        return None
    same = SimpleNamespace(n=n, hits=draw(st.integers(0, n)))
    verdict = draw(st.sampled_from(("drift", "none seen", "too few"))) if times > 1 else "baseline"
    last = InterimAnalysis(
        name="a1", number=times - 1, agreement=None, unanswered=0, since_baseline=None,
        since_last=SimpleNamespace(same=same) if times > 1 else None, verdict=verdict,
    )  # fmt: skip
    asked = ReferenceEvaluation(
        id="a1.1", anchor_id="a1", judge="local", prompt="", created_by="Ada",
        created_at=NOW - timedelta(days=draw(st.integers(0, 60))), answers=n, cost_usd=0.0,
        last_at=None,
    )  # fmt: skip
    return JudgeHistory(
        judge=JudgeKey(specs=("local",)),
        evaluations=(asked,) * times,
        interim_analyses=(last,) * times,
    )


@st.composite
def saved_thresholds(draw):
    """A threshold of the judge, with and without edges."""
    accept = draw(st.none() | st.sampled_from((0.05, 0.51, 0.9)))
    return Threshold(
        id="t1", judge="local", accept=accept, reject=0.04 if accept is None else None, target=0.8,
        confidence=0.95, holds=True, aim="precision of 80% guaranteed with 95% confidence",
        split_id="s", parts=("train",), n=40, labels_sha256="", created_by="Ada", created_at=NOW,
    )  # fmt: skip


STATES = st.builds(
    summary.Facts,
    calibration=st.none() | calibrations(),
    missing=st.integers(0, 3),
    examples=st.sampled_from((False, False, False, True)),
    unlabelled=st.integers(0, 200),
    people=reports(),
    first=st.booleans(),
    history=histories(),
    threshold=st.none() | saved_thresholds(),
    uses=st.sampled_from(([], ["2 runs", "policy strict"])),
    now=st.just(NOW),
)


@settings(max_examples=150, deadline=None)
@given(STATES)
def test_no_sentence_of_the_page_contradicts_another(facts):
    said, worth = headline(facts.calibration, examples=facts.examples), summary.worth(facts)
    step, people = summary.next_step(facts), summary.agreement_line(facts)
    calibration, settle = facts.calibration, re.search(r"(\d+) to settle", people)
    if not facts.n:
        assert (said[:13], worth) == ("Not known yet", "")
    else:
        counted = re.match(r"On (?:your )?(\d+) ", said).group(1)
        assert basis(calibration).startswith(f"{counted} item"), "the figures' own n"
        test, problem = calibration.guarantee, refusal(calibration)
        accepts = "to accept by itself from" in worth
        if accepts:
            assert test.holds and "do not show" not in guarantee_text(test)
            assert calibration.aim.kind != "guarantee" or problem == ""
            assert f"{calibration.guaranteed:.2f}" in worth
        if "none to save" in problem and calibration.aim.kind == "guarantee":
            assert not accepts and step.kind != "save"
        if test.holds:
            assert "more label" not in worth and step.kind not in ("compare", "label")
        if "more label" in worth:
            assert f"{test.labels_needed:,} more" in worth + " more" and step.kind != "compare"
            assert guarantee_text(test).endswith("more labels would, at the rates seen.")
        if "no number of labels" in worth:
            assert "no number of labels would" in guarantee_text(test) and step.kind != "label"
        shares = [float(share) for share in re.findall(r"([\d.]+) %", band_text(calibration))]
        assert not shares or sum(shares) == pytest.approx(100, abs=0.3)
    if facts.drifted:
        assert "Good enough" not in worth and summary.drift_line(facts).endswith("it has drifted")
    assert ("cannot be said" in people) == (not facts.people.verdicts.items)
    assert (int(settle.group(1)) if settle else 0) == facts.to_settle
    if step.kind == "settle":
        assert step.label.startswith(f"Settle {facts.to_settle} ")
    if step.kind == "judge":
        assert 0 < facts.lacking <= facts.missing
    if step.kind == "label":
        assert 0 < step.many <= facts.unlabelled and str(step.many) in step.label
    if step.kind == "save":
        assert f"{calibration.guaranteed:.2f}" in step.label and refusal(calibration) == ""
        assert not (facts.threshold and (facts.threshold.accept or 0) >= calibration.guaranteed)
    if step.why == "Nothing is due here.":
        assert calibration.guarantee.holds and facts.reviewers > 1 and not facts.drifted
        assert not facts.to_settle and not facts.lacking
    line = summary.threshold_line(facts)
    assert ("No threshold is saved" in line) == (facts.threshold is None)
    assert ("In force for" in line) == bool(facts.threshold and facts.uses)


def test_the_next_step_follows_what_is_lacking_first():
    state = STATES.filter(lambda facts: facts.n > 20 and not facts.examples)

    @settings(max_examples=15, deadline=None)
    @given(state)
    def follows(facts):
        judged = replace(facts.calibration.judged, unjudged=2)
        lacking = replace(facts, calibration=replace(facts.calibration, judged=judged), missing=2)
        assert summary.next_step(lacking).label == "Run the judge on 2 labelled items"
        assert summary.next_step(replace(lacking, examples=True)).kind == "check"

    follows()


# -- the page -------------------------------------------------------------------------------------


def captions(at):
    return " ".join(caption.value for caption in at.caption).replace("\\", "").replace("\u2060", "")


def next_button(at):
    return at.button(key="trust-next")


def test_folded_it_is_short_and_draws_no_figures(store):
    for number in range(12):
        add_run(store, f"r{number}", mixed(f"r{number}", 10, wrong=number % 2))
    at = open_page("trust")
    html = shown_html(at)
    assert "labels this judge is right in" in html
    assert not at.tabs and not at.get("vega_lite_chart"), "no section is computed"
    assert [panel.label.split(" · ")[0] for panel in at.expander] == [
        "**Calibration**", "**Agreement**", "**Drift**",
    ]  # fmt: skip
    labels = " ".join(panel.label for panel in at.expander).replace("\u2060", "")
    assert "Only one person has labelled: agreement cannot be said" in labels
    assert "Never asked again" in labels


def test_more_labels_are_asked_for_in_one_click(store):
    for number in range(6):
        add_run(store, f"r{number}", mixed(f"r{number}", 4))
    add_run(store, "new", [Given(people=()), Given(people=())])
    at = open_page("trust")
    assert next_button(at).label == "Label 2 more"
    next_button(at).click().run()
    assert not at.exception
    (line,) = Queues(store).list_queues()
    assert (line.items, line.queue.blind) == (2, True)
    assert at.query_params["queue"] == line.queue.id


def test_a_guaranteed_threshold_is_saved_and_then_in_force_where_runs_name_it(store):
    for number in range(60):
        add_run(store, f"r{number}", mixed(f"r{number}", 6))
    at = open_page("trust", **{"calibrate-target": "0.8"})
    assert "Good enough to accept by itself" in shown_html(at)
    assert "No threshold is saved for this judge." in captions(at)
    assert next_button(at).label.startswith("Save the threshold 0.")
    next_button(at).click().run()
    (saved,) = Thresholds(store).all()
    assert saved.holds and "No run, queue or policy uses it yet" in captions(at)
    assert next_button(at).label == "Ask the judge again"
    add_run(store, "later", [Given(people=())], config={"threshold": {"id": saved.id}})
    at.run()
    assert "In force for 1 run." in captions(at)
    next_button(at).click().run()
    assert at.text_input(key="drift-name"), "the section of drift is open"
    assert ReferenceSetRepository(store).all() == []


def test_disagreements_are_settled_first(store):
    fill(store, 3)
    for who, label in (("Ada", "supported"), ("Bob", "contradicted")):
        LabelRepository(store).give("r1", "c0", who, LabelDecision(label=label))
    at = open_page("trust")
    assert "Ada and Bob agreed at first on 0 of 1" in at.expander[1].label
    assert next_button(at).label == "Settle 1 disagreement"
    next_button(at).click().run()
    assert not at.exception
    assert "reviewers_differ" in at.query_params["q"]


@pytest.mark.parametrize(
    ("old", "section"),
    [("calibrate", "calibration"), ("agreement", "agreement"), ("drift", "drift")],
)
def test_old_addresses_lead_to_their_section(store, old, section):
    at = open_page(old, days="30", guide="0")
    assert [panel.label.split("**")[1] for panel in at.expander if panel.proto.expanded] == [
        section.capitalize()
    ]
    assert at.query_params["days"] == "30"
