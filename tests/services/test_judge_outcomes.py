"""One partition of the error kinds, the same in every evaluation and wherever errors are shown."""

import pytest

from tests.fakes import records as make
from tests.fakes.labelled import Given, add_run
from workbench.calibration.drift import detect_drift
from workbench.errors import ERROR_KINDS
from workbench.experiments.candidate_evaluation import compare_prompts, evaluate_prompt
from workbench.records.evaluation import JudgeKey, OfflineJudgment
from workbench.records.reference_sets import Prediction
from workbench.records.verdict import judge_outcome
from workbench.services.calibration.measurement import calibrate, ensure_split
from workbench.services.comparison import compare_judges, pairing
from workbench.services.labelled_judging import count_unjudged
from workbench.store.evaluation.offline_judgments import OfflineJudgmentRepository
from workbench.store.labels.review_context import hide_judgment
from workbench.store.store import Store

LOCAL = JudgeKey(specs=("local",))
MODEL = JudgeKey(specs=("openai:m",), prompt="mine@2:0123456789ab")
PARTS = ("train", "dev")
EXPECTED = {
    "not_asked": {"cost_cap_reached", "cancelled"},
    "no_verdict": {"malformed_judge_response", "llm_judge_error", "unverified_quote"},
}


@pytest.fixture(scope="module")
def labelled(tmp_path_factory):
    """Ten outputs of six items; the runs' judge is right about all of them."""
    store = Store(tmp_path_factory.mktemp("outcomes") / "w.duckdb")
    for number in range(10):
        citations = [
            Given(people=(("Ada", label),), verdict=label, score=score)
            for label, score in (("supported", 0.9), ("not_supported", 0.1)) * 3
        ]
        add_run(store, f"r{number}", citations)
    return store


@pytest.fixture
def opinions(labelled, tmp_path):
    """Adds what another judge says: right about all but the first item of each output."""

    def add(error):
        import shutil

        path = tmp_path / "w.duckdb"
        shutil.copy(labelled.path, path)
        judgments = []
        for number in range(10):
            for place in range(6):
                label = "not_supported" if place % 2 else "supported"
                score = 0.1 if place % 2 else 0.9
                judgments.append(
                    OfflineJudgment(
                        run_id=f"r{number}", citation_id=f"c{place}", judge=MODEL.name,
                        prompt=MODEL.prompt, error=error if not place else None,
                        judgment=make.judgment(label, score=score, evidence=()) if place else None,
                    )
                )  # fmt: skip
        store = Store(path)
        OfflineJudgmentRepository(store).add(judgments, ())
        return store

    return add


def test_every_kind_has_one_outcome():
    for kind in ERROR_KINDS:
        outcomes = [name for name, kinds in EXPECTED.items() if kind in kinds]
        assert judge_outcome(kind) == (outcomes[0] if outcomes else "no_source")
    assert judge_outcome(None) == "verdict"


@pytest.mark.parametrize(
    "error", ["llm_judge_error", "malformed_judge_response", "unverified_quote",
              "cost_cap_reached", "cancelled", "timeout"],
)  # fmt: skip
def test_every_evaluation_goes_by_the_same_partition(opinions, error):
    store, outcome = opinions(error), judge_outcome(error)
    split = ensure_split(store, "Ada")
    counts = outcome == "no_verdict"

    comparison = compare_judges(store, LOCAL, MODEL, split.id, PARTS)
    reason = {"not_asked": "not_asked_second", "no_source": "unread"}.get(outcome)
    left_out = comparison.excluded.get(reason, 0) if reason else 0
    n = comparison.comparison.n
    failed = comparison.second.errors.get(error, 0)
    assert (failed > 0, left_out > 0) == (counts, not counts)
    assert comparison.second.right == n - failed

    paired = pairing(store, LOCAL, MODEL, split.id, PARTS)
    assert (paired.first.n, paired.second.n) == (n, n)

    calibration = calibrate(store, MODEL, split, parts=PARTS)
    assert calibration.table.n == n
    assert dict(calibration.table.errors).get(error, 0) == failed
    assert calibration.judged.unjudged == (left_out if outcome == "not_asked" else 0)
    assert calibration.judged.unread == (left_out if outcome == "no_source" else 0)
    assert (count_unjudged(store, MODEL) > 0) == (outcome == "not_asked")


@pytest.mark.parametrize("error", sorted(ERROR_KINDS))
def test_prompts_and_drift_go_by_the_same_partition(error):
    def predictions(broken):
        return [
            Prediction(
                item=str(n), group=str(n), human="supported" if n % 2 else "not_supported",
                label="supported" if n % 2 else "not_supported", score=0.9 if n % 2 else 0.1,
                error=error if n in broken else None,
            )
            for n in range(40)
        ]  # fmt: skip

    outcome = judge_outcome(error)
    alone = evaluate_prompt(predictions({1, 2}))
    assert (alone.n, alone.no_verdict) == ((40, 2) if outcome == "no_verdict" else (38, 0))
    assert alone.left_out == (2 if outcome == "not_asked" else 0)
    figures, _ = compare_prompts(predictions(()), predictions({1, 2}))
    assert figures.n == alone.n
    assert figures.broken == (2 if outcome == "no_verdict" else 0)
    assert figures.failed == (2 if error == "llm_judge_error" else 0)
    (look,) = detect_drift([("a", predictions({1, 2}))])
    assert look.agreement.n == 38


@pytest.mark.parametrize("error", sorted(ERROR_KINDS))
def test_a_result_says_whose_doing_it_was_and_a_blind_reviewer_sees_the_sources_alone(error):
    result = make.failure(1, error)
    source_read = judge_outcome(error) == "no_verdict" or error == "cost_cap_reached"
    assert result.judge_failed is source_read
    assert (hide_judgment(result).error is None) is source_read
