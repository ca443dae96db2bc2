"""Two judges, prompts or panels on the same labelled items: what the second changes, and its price.

An item counts where both were asked about it. One to which a judge gave no verdict (a malformed
reply, an invented quote) counts against that judge, whatever people said of it; so a prompt does
not gain by breaking.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from workbench.calibration.classification_report import UNTESTED, ClassificationReport, judge_table
from workbench.calibration.compare import Comparison, PredictionSet, compare
from workbench.calibration.thresholds import PARTS
from workbench.errors import UsageError
from workbench.records.evaluation import JudgeKey, TestSetAccess
from workbench.records.reference_sets import Prediction
from workbench.records.review import EvaluationExample
from workbench.records.text import JsonDict
from workbench.records.verdict import HUMAN_LABELS, VERDICT_LABELS, judge_outcome
from workbench.store.evaluation.evaluation_examples import EvaluationRepository
from workbench.store.evaluation.predictions import PredictionRepository
from workbench.store.store import Store

__all__ = ["Comparison"]

LEFT_OUT = {
    "not_asked_first": "the first was not run",
    "not_asked_second": "the second was not run",
    "not_asked": "neither was run",
    "unread": "the source was not available",
    "untested": "people could not tell, or labelled it unverifiable",
}
"""Why an item is not compared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedJudge:
    """One of the two, on the items that are compared."""

    judge: JudgeKey
    right: int
    """Items on which it agrees with people on supported or not."""
    errors: Mapping[str, int]
    """Items without a verdict, by reason."""
    cost_usd: float | None
    """The mean of an item; None where no cost is known."""
    latency_ms: float | None
    """The median of an item; None where no time is known."""
    latency_p95_ms: float | None
    measured: int
    """Items whose cost and time are known: not those that a run took over from an earlier one."""

    def to_dict(self) -> JsonDict:
        """As reports hold it."""
        return {
            "judge": list(self.judge.specs),
            "prompt": self.judge.prompt or None,
            "panel": self.judge.rule if len(self.judge.specs) > 1 else None,
            "name": self.judge.description,
            "right": self.right,
            "errors": dict(self.errors),
            "cost_usd": self.cost_usd,
            "latency_ms": self.latency_ms,
            "latency_p95_ms": self.latency_p95_ms,
            "measured": self.measured,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedExample:
    """An item on which the two say something else."""

    first: Prediction
    second: Prediction
    claim: str
    part: str

    @property
    def kind(self) -> str:
        """`fixed`, `broken`, or `other` where both are as right or as wrong as before."""
        before, after = right(self.first), right(self.second)
        return "other" if before == after else "fixed" if after else "broken"

    def to_dict(self) -> JsonDict:
        """As reports hold it."""
        run_id, _, citation_id = self.second.item.partition("/")
        return {
            "run_id": run_id,
            "citation_id": citation_id,
            "part": self.part,
            "kind": self.kind,
            "claim": self.claim,
            "human": self.second.human,
            "first": _prediction_document(self.first),
            "second": _prediction_document(self.second),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeComparison:
    """The second of two against the first; differences are second less first."""

    first: ComparedJudge
    second: ComparedJudge
    split_id: str
    parts: tuple[str, ...]
    comparison: Comparison
    by_part: tuple[tuple[str, Comparison], ...]
    """The same for each part alone, where there are several."""
    flips: tuple[ChangedExample, ...]
    """Broken ones first, then fixed ones, then the others."""
    excluded: Mapping[str, int]
    """Items that are not compared, by the keys of `LEFT_OUT`."""

    def to_dict(self) -> JsonDict:
        """The document of `workbench compare --json`."""
        counts = Counter(flip.kind for flip in self.flips)
        return {
            "split": self.split_id,
            "parts": list(self.parts),
            "n": self.comparison.n,
            "first": self.first.to_dict(),
            "second": self.second.to_dict(),
            "comparison": {**self.comparison.to_dict(), "better": self.comparison.better},
            "by_part": {part: part_comparison.to_dict() for part, part_comparison in self.by_part},
            "fixed": counts["fixed"],
            "broken": counts["broken"],
            "flips": [flip.to_dict() for flip in self.flips],
            "left_out": {name: self.excluded.get(name, 0) for name in LEFT_OUT},
        }


def compare_judges(
    store: Store,
    first: JudgeKey,
    second: JudgeKey,
    split_id: str,
    parts: Sequence[str],
    *,
    opening: TestSetAccess | None = None,
    rounds: int = 1000,
) -> JudgeComparison:
    """The second judge against the first on the labelled items of some parts; no judge is called.

    Raises:
        UsageError: The two are the same, no part is known, or the test part was not opened.
    """
    if first == second:
        raise UsageError(f"Both are {first.description}; name two judges, prompts or panels.")
    unknown = set(parts) - set(PARTS)
    if unknown or not parts:
        raise UsageError(f"The splits are {', '.join(PARTS)}, not {', '.join(sorted(unknown))!r}.")
    if "test" in parts and (opening is None or opening.split_id != split_id):
        raise UsageError("The test set is locked; unlock it with a reason, which is logged.")
    repository = PredictionRepository(store)
    ordered = tuple(part for part in PARTS if part in parts)
    labels = repository.labels(split_id, ordered)
    predictions = [
        {
            prediction.item: prediction
            for prediction in repository.of_judge(judge, split_id, ordered)
        }
        for judge in (first, second)
    ]
    pairs: list[tuple[Prediction, Prediction]] = []
    left_out: Counter[str] = Counter()
    for item, (human, _) in labels.items():
        a, b = predictions[0].get(item), predictions[1].get(item)
        why = _left_out(human, a, b)
        if why:
            left_out[why] += 1
        elif a is not None and b is not None:
            pairs.append((a, b))
    turned = [pair for pair in pairs if _differs(*pair)]
    claims = repository.claims([prediction.item for prediction, _ in turned])
    flips = [
        ChangedExample(first=a, second=b, claim=claims.get(a.item, ""), part=labels[a.item][1])
        for a, b in turned
    ]
    flips.sort(key=lambda flip: (("broken", "fixed", "other").index(flip.kind), flip.second.item))
    return JudgeComparison(
        first=_compared_judge(first, [prediction for prediction, _ in pairs]),
        second=_compared_judge(second, [prediction for _, prediction in pairs]),
        split_id=split_id,
        parts=ordered,
        comparison=paired(pairs, rounds=rounds),
        by_part=tuple(
            (
                part,
                paired([pair for pair in pairs if labels[pair[0].item][1] == part], rounds=rounds),
            )
            for part in (ordered if len(ordered) > 1 else ())
        ),
        flips=tuple(flips),
        excluded=dict(left_out),
    )


def paired(pairs: Sequence[tuple[Prediction, Prediction]], *, rounds: int = 1000) -> Comparison:
    """The paired differences over items that both were asked about; no verdict counts as wrong."""
    return compare(
        _prediction_set([prediction for prediction, _ in pairs]),
        _prediction_set([prediction for _, prediction in pairs]),
        [prediction.human == "supported" for prediction, _ in pairs],
        [prediction.group for prediction, _ in pairs],
        rounds=rounds,
    )


def right(prediction: Prediction) -> bool:
    """Whether a judge agrees with people on supported or not; without a verdict it does not."""
    return not prediction.error and prediction.right


def _prediction_set(predictions: Sequence[Prediction]) -> PredictionSet:
    truth = [prediction.human == "supported" for prediction in predictions]
    return PredictionSet(
        supported=[(prediction.label == "supported") if not prediction.error else not t
                   for prediction, t in zip(predictions, truth, strict=True)],
        scores=[prediction.score if not prediction.error else float(not t)
                for prediction, t in zip(predictions, truth, strict=True)],
    )  # fmt: skip


def _left_out(human: str, first: Prediction | None, second: Prediction | None) -> str:
    """Why an item is not compared; empty where it is."""
    if human in UNTESTED:
        return "untested"
    outcomes = [
        judge_outcome(prediction.error) if prediction else "not_asked"
        for prediction in (first, second)
    ]
    if "not_asked" in outcomes:
        was_asked = [outcome != "not_asked" for outcome in outcomes]
        return (
            "not_asked"
            if not any(was_asked)
            else f"not_asked_{'second' if was_asked[0] else 'first'}"
        )
    return "unread" if "no_source" in outcomes else ""


def _differs(first: Prediction, second: Prediction) -> bool:
    return (first.label, bool(first.error)) != (second.label, bool(second.error))


def _compared_judge(judge: JudgeKey, predictions: Sequence[Prediction]) -> ComparedJudge:
    measured = [
        prediction
        for prediction in predictions
        if not prediction.error and (prediction.latency_ms or prediction.cost_usd)
    ]
    # a free judge may be faster than a millisecond; what a run took over costs and takes nothing
    if not judge.prompt:
        measured = [prediction for prediction in predictions if prediction.latency_ms is not None]
    spans = sorted(prediction.latency_ms or 0.0 for prediction in measured)
    return ComparedJudge(
        judge=judge,
        right=sum(right(prediction) for prediction in predictions),
        errors=dict(Counter(prediction.error for prediction in predictions if prediction.error)),
        cost_usd=sum(prediction.cost_usd for prediction in measured) / len(measured)
        if measured
        else None,
        latency_ms=_quantile(spans, 0.5),
        latency_p95_ms=_quantile(spans, 0.95),
        measured=len(measured),
    )


def _quantile(ordered: Sequence[float], share: float) -> float | None:
    """The smallest value that at least this share of the values do not exceed."""
    if not ordered:
        return None
    return ordered[max(0, -(-int(share * 1000) * len(ordered) // 1000) - 1)]


def _prediction_document(prediction: Prediction) -> JsonDict:
    return {
        "label": prediction.label,
        "score": prediction.score,
        "rationale": prediction.rationale,
        "error": prediction.error,
    }


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
