"""Two judges compared on the same labelled items: the sentence, the figures, the flips."""

import shutil

import pytest

from tests.fakes import records as make
from tests.fakes.labelled import Given, add_run
from workbench.interfaces.web.prompts.compare import (
    difference_text,
    error_counts_text,
    excluded_text,
    figures_table,
    key_of,
    mcnemar_text,
    outcome,
    outcome_text,
    side_text,
    transposed_table,
)
from workbench.records.evaluation import JudgeKey, OfflineJudgment
from workbench.services.calibration.measurement import ensure_split
from workbench.services.comparison import pairing
from workbench.store.evaluation.offline_judgments import OfflineJudgmentRepository
from workbench.store.store import Store

LOCAL = JudgeKey(specs=("local",))
MODEL = JudgeKey(specs=("openai:m",), prompt="mine@2:0123456789ab")
PARTS = ("train", "dev")


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The runs' judge calls everything supported, which half of it is."""
    store = Store(tmp_path_factory.mktemp("built") / "w.duckdb")
    for number in range(10):
        truths = ("supported", "not_supported") * 3
        add_run(store, f"r{number}", [Given(people=(("Ada", label),)) for label in truths])
    return store.path


@pytest.fixture
def store(built, tmp_path):
    return Store(shutil.copy(built, tmp_path))


def add_opinions(store, judge, label, skip=0, **fields):
    """Opinions on all items but some: `label` of the citation's number."""
    judgments = []
    for number in range(10):
        for place in range(6):
            if number * 6 + place < skip:
                continue
            verdict = label(place)
            judgment = make.judgment(
                verdict,
                score=0.9 if verdict == "supported" else 0.1,
                rationale=f"{verdict} <b>because</b>",
                evidence=(),
                **fields,
            )
            judgments.append(
                OfflineJudgment(
                    run_id=f"r{number}", citation_id=f"c{place}", judge=judge.name,
                    prompt=judge.prompt, judgment=judgment, error=None,
                )
            )  # fmt: skip
    OfflineJudgmentRepository(store).add(judgments, ())


def compared(store, first=LOCAL, second=MODEL):
    return paired(store, first, second).contest


def right(place):
    return "not_supported" if place % 2 else "supported"


def wrong(place):
    return "supported" if place % 2 else "not_supported"


def paired(store, first=LOCAL, second=MODEL):
    return pairing(store, first, second, ensure_split(store, "Ada").id, PARTS)


@pytest.mark.parametrize(
    ("label", "expected_outcome", "expected"),
    [
        (right, "better", "openai:m with mine@2 is better than local on these labels: balanced "
         "accuracy +50.0 ("),
        (wrong, "worse", "is worse than local"),
        (lambda place: "supported", "not distinguishable",
         "openai:m with mine@2 and local are not distinguishable on these labels"),
    ],
)  # fmt: skip
def test_better_worse_or_not_distinguishable_in_one_sentence(
    store, label, expected_outcome, expected
):
    add_opinions(store, MODEL, label)
    contest = compared(store)
    assert outcome(contest) == expected_outcome
    assert expected in outcome_text(contest)
    assert f"{contest.comparison.n} examples in" in outcome_text(contest)


def test_without_items_in_common_the_sentence_says_so(store):
    contest = compared(store)
    assert outcome(contest) == "unknown"
    assert outcome_text(contest) == "No labelled example of train + dev was judged by both."


def test_few_questions_give_no_verdict(store):
    add_opinions(store, MODEL, right, skip=54)
    for name, judge in (("first", LOCAL), ("second", MODEL)):
        assert getattr(compared(store), name).judge == judge
    contest = compared(store)
    if contest.comparison.n:
        assert "cannot be said" in outcome_text(contest)


def test_figures_costs_and_times_stand_side_by_side(store):
    add_opinions(store, MODEL, right, cost_usd=0.00005, latency_ms=1500.0)
    pair = paired(store)
    contest = pair.contest
    rows = {row[0].text: [cell.text for cell in row[1:]] for row in figures_table(pair).rows}
    assert rows["Accuracy"] == ["0.500", "1.000", "▲ +50.0"]
    assert rows["Precision"][2] == "–"
    assert rows["Cost per example"][1] == "$0.00005"
    assert rows["Time per example, median"][1] == "1.5 s"
    n = contest.comparison.n
    assert f"only the second on {n // 2} examples" in mcnemar_text(contest)
    assert excluded_text(contest) == ""
    assert {flip.kind for flip in contest.flips} == {"fixed"}
    assert pair.first.n == pair.second.n == n
    first, *_ = transposed_table(contest, contest.flips).rows
    assert first[0].text.startswith("Fact ")
    assert first[0].link.page == "review"
    assert first[4].more == "not_supported <b>because</b>"


def test_items_that_one_judged_alone_are_counted(store):
    add_opinions(store, MODEL, right, skip=30)
    contest = compared(store)
    lacking = contest.excluded["not_asked_second"]
    assert lacking > 0
    assert excluded_text(contest) == f"Left out: {lacking} examples: the second was not run."


def test_an_item_without_a_usable_verdict_counts_as_wrong_in_every_figure(store):
    add_opinions(store, MODEL, right, skip=6)
    failed = [
        OfflineJudgment(
            run_id="r0", citation_id=f"c{place}", judge=MODEL.name, prompt=MODEL.prompt,
            judgment=None, error="malformed_judge_response",
        )
        for place in range(6)
    ]  # fmt: skip
    OfflineJudgmentRepository(store).add(failed, ())
    pair = pairing(store, LOCAL, MODEL, ensure_split(store, "Ada").id, ("train", "dev"))
    n = pair.contest.comparison.n
    assert (pair.first.n, pair.second.n) == (n, n)
    errors = sum(pair.contest.second.errors.values())
    assert pair.second.figure("accuracy").value == pytest.approx((n - errors) / n)
    if errors:
        assert f"counts as wrong: {errors} examples by the second" in error_counts_text(
            pair.contest
        )
        assert "No usable verdict" in str(transposed_table(pair.contest, pair.contest.flips))


def test_a_new_opinion_is_seen_at_once(store):
    assert compared(store).comparison.n == 0
    add_opinions(store, MODEL, right)
    assert compared(store).comparison.n > 0


def test_the_second_is_the_same_as_the_first_with_its_signs_turned(store):
    add_opinions(store, MODEL, right)
    forward, back = compared(store), compared(store, MODEL, LOCAL)
    assert (outcome(forward), outcome(back)) == ("better", "worse")
    assert forward.comparison.only_second == back.comparison.only_first
    assert difference_text(back.comparison.accuracy).startswith("−50.0")


def test_a_panel_and_its_rule_are_told_apart_in_the_address():
    panel = JudgeKey(specs=("local", "openai:m"), prompt=MODEL.prompt, rule="unanimous")
    assert key_of(panel) == "local + openai:m (unanimous) · mine@2:0123456789ab"
    assert side_text(panel) == "local + openai:m (unanimous) with mine@2"
    assert key_of(LOCAL) == side_text(LOCAL) == "local"


def test_why_figures_have_no_interval_is_said_once_below_the_table(tmp_path):
    few = Store(tmp_path / "few.duckdb")
    opinions = []
    for run in ("few0", "few1"):
        truths = ("supported", "not_supported")
        add_run(few, run, [Given(people=(("Ada", label),)) for label in truths])
        opinions += [
            OfflineJudgment(
                run_id=run, citation_id=f"c{place}", judge=MODEL.name, prompt=MODEL.prompt,
                judgment=make.judgment(right(place), evidence=()), error=None,
            )
            for place in range(2)
        ]  # fmt: skip
    OfflineJudgmentRepository(few).add(opinions, ())
    table = figures_table(paired(few))
    rows = {row[0].text: [cell.more for cell in row[1:]] for row in table.rows}
    assert rows["Balanced accuracy"] == ["no interval"] * 3
    assert "too few" not in str(rows)
    assert table.note.startswith("No interval: ")
    assert table.note.count("too few independent documents: 2 of at least 3") == 2
