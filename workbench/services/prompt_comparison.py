"""Two judges or prompts over the labelled items that both were asked about, figures of each.

What `comparing` says of the two, and beside it the table of each on the very same items.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from workbench.calibration.classification_report import UNTESTED, ClassificationReport, judge_table
from workbench.records.calibration import TestSetAccess
from workbench.records.evaluation import JudgeKey
from workbench.records.judge_outcomes import judge_outcome
from workbench.records.reference_sets import Prediction
from workbench.records.review import EvaluationExample
from workbench.records.verdict import HUMAN_LABELS, VERDICT_LABELS
from workbench.services.comparison import JudgeComparison, compare_judges
from workbench.store.evaluation.evaluation_examples import EvaluationRepository
from workbench.store.evaluation.predictions import PredictionRepository
from workbench.store.store import Store

_VERDICTS = {str(label): label for label in VERDICT_LABELS}
_LABELS = {str(label): label for label in HUMAN_LABELS}


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedEvaluation:
    """The second judge against the first, and the figures of each."""

    contest: JudgeComparison
    first: ClassificationReport
    """On the items that are compared; one without a verdict counts against the judge."""
    second: ClassificationReport


def pairing(
    store: Store,
    first: JudgeKey,
    second: JudgeKey,
    split_id: str,
    parts: Sequence[str],
    opening: TestSetAccess | None = None,
) -> PairedEvaluation:
    """Two judges on the same items; earlier results are cached until something is added.

    Raises:
        UsageError: The two are the same, no part is known, or the test part was not opened.
    """
    state = EvaluationRepository(store).state()
    return _compute(store.path, state, first, second, split_id, tuple(parts), opening)


@lru_cache(maxsize=8)
def _compute(
    path: Path,
    state: str,
    first: JudgeKey,
    second: JudgeKey,
    split_id: str,
    parts: tuple[str, ...],
    opening: TestSetAccess | None,
) -> PairedEvaluation:
    store = Store(path)
    comparison = compare_judges(store, first, second, split_id, parts, opening=opening)
    predictions = [
        {
            prediction.item: prediction
            for prediction in PredictionRepository(store).of_judge(judge, split_id, parts)
            if _was_judged(prediction)
        }
        for judge in (first, second)
    ]
    shared = [item for item in predictions[0] if item in predictions[1]]
    tables = [
        judge_table([_as_example(by_item[item]) for item in shared]) for by_item in predictions
    ]
    return PairedEvaluation(contest=comparison, first=tables[0], second=tables[1])


def _was_judged(prediction: Prediction) -> bool:
    return prediction.human not in UNTESTED and judge_outcome(prediction.error) in (
        "verdict",
        "no_verdict",
    )


def _as_example(prediction: Prediction) -> EvaluationExample:
    """The item; without a verdict as one that was decided wrongly."""
    supported = prediction.human == "supported"
    wrong = "not_supported" if supported else "supported"
    return EvaluationExample(
        item=prediction.item,
        judge=_VERDICTS[wrong if prediction.error else prediction.label],
        score=float(not supported) if prediction.error else prediction.score,
        human=_LABELS[prediction.human],
        group=prediction.group,
    )


def forget() -> None:
    """Drop what is kept at hand."""
    _compute.cache_clear()
