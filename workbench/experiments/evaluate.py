"""Run a judge over labelled pairs and say how well it does, with intervals."""

import asyncio
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter

from workbench.calibration.estimates import IntervalEstimate, group_indices
from workbench.calibration.metrics import (
    auroc_figure,
    average_precision_figure,
    best_threshold,
    group_folds,
)
from workbench.calibration.two_classes import balanced_accuracy_figure, f1_figure
from workbench.datasets.entries import CONTEXT_FIELDS, contradiction, read_context
from workbench.errors import JudgeError, UnreadableInput, UsageError
from workbench.judging.judge import Judge, ask_judge, run_sync
from workbench.judging.judge_factory import open_judge
from workbench.judging.passages import select_passages
from workbench.records.context import NO_CONTEXT, JudgeContext
from workbench.records.notebook_display import NotebookDisplayMixin
from workbench.records.text import Json, JsonDict
from workbench.records.verdict import VERDICT_LABELS, VerdictLabel

FOLDS = 5
AT_ONCE = 8
_METRICS = ("auroc", "average_precision", "balanced_accuracy", "f1")


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledPair:
    """A claim, a source, and what a person says of them."""

    id: str
    claim: str
    source: str
    label: VerdictLabel
    group: str
    """Pairs of one group stay on one side of every split; its own id where none was given."""
    context: JudgeContext = NO_CONTEXT
    """What the judge is told besides: where the claim stands, and what the source is."""
    line: int = 0
    """Of its file, counted from 1; 0 where it came out of none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatedPair:
    """A pair after the judge."""

    pair: LabelledPair
    score: float
    """P(supported); 0 where the judge gave no verdict."""
    label: VerdictLabel
    seconds: float
    cost_usd: float
    error: str | None = None
    """The reason code where the judge gave no verdict."""
    price_unknown: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation(NotebookDisplayMixin):
    """How a judge did; figures are None where they are not defined."""

    n: int
    positives: int
    auroc: float | None
    average_precision: float | None
    balanced_accuracy: float | None
    f1: float | None
    threshold: float | None
    ci95: dict[str, tuple[float, float] | None]
    ci95_missing: dict[str, str]
    """Why a figure has no interval, by its name; of those that have none."""
    seconds_per_item: float
    cost_usd: float | None
    """None where the model's price is unknown."""
    errors: dict[str, int] = field(default_factory=dict)
    skipped: tuple[tuple[int, str], ...] = ()
    """Lines that contradict the label of an earlier one, and what they say; left out."""
    scored: tuple[EvaluatedPair, ...] = ()

    def to_dict(self) -> JsonDict:
        """The published JSON of `workbench evaluate`; figures rounded to 4 decimals."""
        figures: dict[str, Json] = {name: _rounded(getattr(self, name)) for name in _METRICS}
        intervals: dict[str, Json] = {
            name: None if interval is None else [_rounded(interval[0]), _rounded(interval[1])]
            for name, interval in self.ci95.items()
        }
        return {
            "n": self.n,
            "positives": self.positives,
            **figures,
            "threshold": _rounded(self.threshold, 6),
            "ci95": intervals,
            "ci95_missing": dict(self.ci95_missing),
            "seconds_per_item": _rounded(self.seconds_per_item, 6),
            "cost_usd": _rounded(self.cost_usd, 6),
            "errors": dict(self.errors),
            "skipped": [{"line": line, "reason": reason} for line, reason in self.skipped],
        }


def read_pairs(path: str | Path) -> list[LabelledPair]:
    """The labelled pairs of a JSONL file, in its order.

    A line may hold `context`, `title` and `source_title` (and the other fields of
    `datasets.read_context`): what stands before the claim, its heading or the question that it
    answers, and the source's own title.

    Raises:
        UnreadableInput: the file cannot be read, a line is no pair, or it holds none at all.
    """
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UnreadableInput(
            f"The pairs file {str(path)!r} cannot be read ({type(error).__name__}): "
            "give a JSONL file in UTF-8."
        ) from error
    pairs = [
        _pair(line, number, path) for number, line in enumerate(text.split("\n"), 1) if line.strip()
    ]
    if not pairs:
        raise UnreadableInput(f"The pairs file {str(path)!r} is empty: it needs one pair per line.")
    return pairs


def _pair(line: str, number: int, path: str | Path) -> LabelledPair:
    try:
        row = json.loads(line)
        label = next(verdict for verdict in VERDICT_LABELS if verdict == row["label"])
        if not isinstance(row["claim"], str) or not isinstance(row["source"], str):
            raise TypeError("claim and source")
        context = read_context(_texts(row, number, path))
    except (ValueError, KeyError, TypeError, StopIteration, RecursionError) as error:
        raise UnreadableInput(
            f"Line {number} of {str(path)!r} is not a labelled pair: it needs claim, source and "
            f"a label out of {', '.join(VERDICT_LABELS)}."
        ) from error
    name = str(row.get("id", number))
    group = row.get("group")
    return LabelledPair(
        id=name,
        claim=row["claim"],
        source=row["source"],
        label=label,
        group=str(group) if group not in (None, "") else f"line {number}",
        context=context,
        line=number,
    )


def _texts(row: JsonDict, number: int, path: str | Path) -> JsonDict:
    """The fields of a line's context, all texts or null."""
    texts = {name: row[name] for name in CONTEXT_FIELDS if row.get(name) is not None}
    for name, value in texts.items():
        if not isinstance(value, str):
            raise UnreadableInput(
                f"Line {number} of {str(path)!r} is not a labelled pair: its {name} is no text."
            )
    return texts


def without_conflicts(
    pairs: Sequence[LabelledPair],
) -> tuple[list[LabelledPair], tuple[tuple[int, str], ...]]:
    """The pairs, and the lines left out because they contradict an earlier one, with the reason.

    Pairs are the same item where id, claim, source and context are; of two labels the earlier one
    stays.
    """
    first: dict[tuple[str, str, str, JudgeContext], LabelledPair] = {}
    consistent, skipped = [], []
    for at, pair in enumerate(pairs, 1):
        name = "" if pair.line and pair.id == str(pair.line) else pair.id
        earlier = first.setdefault((name, pair.claim, pair.source, pair.context), pair)
        if earlier.label == pair.label:
            consistent.append(pair)
        else:
            skipped.append(
                (pair.line or at, contradiction(earlier.line, pair.label, earlier.label))
            )
    return consistent, tuple(skipped)


def evaluate(
    pairs: str | Path | Sequence[LabelledPair],
    judge: str | Judge = "local",
    threshold: float | str = "auto",
) -> Evaluation:
    """How well a judge tells supported claims from the rest, with 95 % intervals.

    Each source goes through `select_passages`, with the pair's context, which the judge is told
    too; items are ranked by `score`. With `auto` each fold
    of a 5-fold cross-validation over groups is decided by the threshold that has the best balanced
    accuracy on the others, and the threshold reported is the best on all. A judge error counts as
    score 0 and is listed under `errors`. Pairs labelled `unverifiable` are left out, and so is a
    pair that contradicts the label of an earlier one: it is listed under `skipped`. Intervals are
    those of `judge_table`, by groups; they hold the thresholds as chosen, and `ci95_missing` says
    why one is not given.

    Raises:
        UnreadableInput: the pairs cannot be read.
        UsageError: the threshold is neither `auto` nor a number from 0 to 1.
        UnknownJudge, MissingKey: as `open_judge`.
    """
    all_pairs = pairs if not isinstance(pairs, str | Path) else read_pairs(pairs)
    fixed = _threshold(threshold)
    opened = open_judge(judge) if isinstance(judge, str) else judge
    consistent, skipped = without_conflicts(all_pairs)
    usable = [pair for pair in consistent if pair.label != "unverifiable"]
    scored = run_sync(_score(usable, opened))
    return replace(summarise(scored, fixed), skipped=skipped)


def summarise(scored: Sequence[EvaluatedPair], threshold: float | None = None) -> Evaluation:
    """The figures of scored pairs; thresholds by cross-validation when none is given.

    Linear in pairs after one sort.
    """
    import numpy as np

    scores = [item.score for item in scored]
    truth = [item.pair.label == "supported" for item in scored]
    groups = [item.pair.group for item in scored]
    decided, reported = decide(scores, truth, groups, threshold)
    positive, at = np.asarray(truth, dtype=bool), group_indices(groups)
    chosen = np.asarray(decided, dtype=bool)
    undecided = IntervalEstimate(value=None, n=len(scored), groups=len(set(groups)))
    figures = {
        "auroc": auroc_figure(scores, positive, at),
        "average_precision": average_precision_figure(scores, positive, at),
        "balanced_accuracy": undecided
        if reported is None
        else balanced_accuracy_figure(chosen, positive, at),
        "f1": undecided if reported is None else f1_figure(chosen, positive, at),
    }
    return Evaluation(
        n=len(scored),
        positives=sum(truth),
        auroc=figures["auroc"].value,
        average_precision=figures["average_precision"].value,
        balanced_accuracy=figures["balanced_accuracy"].value,
        f1=figures["f1"].value,
        threshold=reported,
        ci95={name: figures[name].interval for name in _METRICS},
        ci95_missing={
            name: figures[name].no_interval for name in _METRICS if figures[name].no_interval
        },
        seconds_per_item=sum(i.seconds for i in scored) / max(len(scored), 1),
        cost_usd=None
        if any(item.price_unknown for item in scored)
        else sum(item.cost_usd for item in scored),
        errors=dict(Counter(item.error for item in scored if item.error)),
        scored=tuple(scored),
    )


def decide(
    scores: Sequence[float],
    truth: Sequence[bool],
    groups: Sequence[str],
    threshold: float | None,
) -> tuple[list[bool], float | None]:
    """What is decided supported, each item by a threshold that has not seen it, and the threshold.

    With a given threshold all items are decided by it. None for the threshold when there is only
    one class to choose by.
    """
    if threshold is not None:
        return [score >= threshold for score in scores], threshold
    overall = best_threshold(scores, truth)
    if overall is None:
        return [False] * len(scores), None
    folds = group_folds(groups, FOLDS)
    decided = [False] * len(scores)
    for fold in set(folds):
        others = [i for i, at in enumerate(folds) if at != fold]
        fold_threshold = best_threshold([scores[i] for i in others], [truth[i] for i in others])
        limit = overall if fold_threshold is None else fold_threshold
        for i, at in enumerate(folds):
            if at == fold:
                decided[i] = scores[i] >= limit
    return decided, overall


async def _score(pairs: Sequence[LabelledPair], judge: Judge) -> list[EvaluatedPair]:
    """Every pair judged, a few at once, in their order."""
    slots = asyncio.Semaphore(AT_ONCE)

    async def score_pair(pair: LabelledPair) -> EvaluatedPair:
        async with slots:
            begun = perf_counter()
            context = pair.context
            passages = select_passages(
                pair.claim, pair.source, title=context.source.title, context=context
            )
            try:
                judgment = await ask_judge(judge, pair.claim, passages, context)
            except JudgeError as error:
                return EvaluatedPair(
                    pair=pair,
                    score=0.0,
                    label="unverifiable",
                    seconds=perf_counter() - begun,
                    cost_usd=error.cost_usd,
                    error=error.kind,
                )
            return EvaluatedPair(
                pair=pair,
                score=judgment.score,
                label=judgment.label,
                seconds=perf_counter() - begun,
                cost_usd=judgment.cost_usd,
                price_unknown=judgment.price_unknown,
            )

    try:
        return list(await asyncio.gather(*(score_pair(pair) for pair in pairs)))
    finally:
        await judge.aclose()


def _threshold(threshold: float | str) -> float | None:
    """None for `auto`."""
    if threshold == "auto":
        return None
    try:
        value = float(threshold)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise UsageError(f"The threshold {threshold!r} is neither auto nor a number from 0 to 1.")
    return value


def _rounded(value: float | None, digits: int = 4) -> float | None:
    return None if value is None else round(value, digits)
