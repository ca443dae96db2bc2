"""A judge against people: the confusion table and every usual figure, with intervals.

Positive means "supported". Items whose human label is `unverifiable` or `cannot_tell` are no test
of a judge; they stand in the confusion table and are left out of the figures.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from workbench.calibration.estimates import (
    BY_GROUPS,
    WILSON_INTERVAL,
    ClusterBootstrap,
    IntervalEstimate,
    ProportionEstimate,
    group_indices,
    share_of,
)
from workbench.calibration.metrics import (
    KAPPA,
    WEIGHTED_KAPPA,
    Coefficient,
    auroc_figure,
    average_precision_figure,
    coefficient_values,
)
from workbench.calibration.two_classes import balanced_accuracy_figure, f1_figure, fisher_figure
from workbench.records.evaluation import EvaluationColumns, to_columns
from workbench.records.notebook_display import NotebookDisplayMixin
from workbench.records.review import EvaluationExample
from workbench.records.text import JsonDict
from workbench.records.verdict import HUMAN_LABELS, SUPPORT_SCALE, VERDICT_LABELS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Rows = NDArray[np.float64]
    Codes = NDArray[np.int64]

BINS = 10
BLOCKS = 2000
UNTESTED = ("unverifiable", "cannot_tell")
LABEL_PLACES: dict[str, int] = {label: number for number, label in enumerate(HUMAN_LABELS)}
FIGURES = (
    "accuracy", "balanced_accuracy", "precision", "recall", "f1", "auroc", "average_precision",
    "cohen_kappa", "weighted_kappa", "mcc", "ece", "ece_debiased", "brier",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class ReliabilityBin:
    """One point of the reliability curve."""

    low: float
    high: float
    mean_score: float
    share: ProportionEstimate
    """Of the items in the bin, those that are supported."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassificationReport(NotebookDisplayMixin):
    """How a judge did against people on some items."""

    n: int
    """Items that the figures rest on."""
    positives: int
    groups: int
    excluded: int
    """Items that people called unverifiable, or could not tell."""
    threshold: float | None
    """At or above it the score counts as supported; None where the judge's own label does."""
    confusion: tuple[tuple[str, str, int], ...]
    """Human label, judge's label, number of items; all pairs, in the order of the labels."""
    figures: tuple[tuple[str, IntervalEstimate], ...]
    """By the names of `FIGURES`; the kappas are of the labels, the others of supported or not.

    `weighted_kappa` has linear weights over the support scale; its n are the items that the judge
    gave a label of the scale."""
    reliability: tuple[ReliabilityBin, ...]
    errors: tuple[tuple[str, int], ...]

    def figure(self, name: str) -> IntervalEstimate:
        """One figure by name."""
        return dict(self.figures)[name]

    def to_dict(self) -> JsonDict:
        """As reports hold it."""
        return {
            "n": self.n,
            "positives": self.positives,
            "groups": self.groups,
            "left_out": self.excluded,
            "threshold": self.threshold,
            "confusion": [[human, judge, count] for human, judge, count in self.confusion],
            "figures": {name: figure.to_dict() for name, figure in self.figures},
            "reliability": [
                {
                    "low": curve_bin.low,
                    "high": curve_bin.high,
                    "mean_score": curve_bin.mean_score,
                    "share": curve_bin.share.figure.to_dict(),
                }
                for curve_bin in self.reliability
            ],
            "errors": dict(self.errors),
        }


def judge_table(
    judged: Sequence[EvaluationExample],
    threshold: float | None = None,
    *,
    rounds: int = 1000,
    seed: int = 0,
) -> ClassificationReport:
    """How a judge did on these items; figures that are not defined have no value.

    Precision, recall and accuracy: Wilson on the effective number of items (exact below 50). Brier
    score and calibration errors: bootstrap over groups. For the others see `auroc_figure`,
    `average_precision_figure`, `balanced_accuracy_figure`, `f1_figure`, `fisher_figure` (MCC and
    the kappas). Each figure names its method, and one without an interval says
    why.
    """
    rows = to_columns(judged)
    return _table(rows, _codes(rows.judges), rows.scores, threshold, rounds, seed)


def majority_baseline(
    judged: Sequence[EvaluationExample], *, rounds: int = 1000, seed: int = 0
) -> ClassificationReport:
    """The yardstick that every judge must beat: the same items, all called supported."""
    import numpy as np

    rows = replace(to_columns(judged), errors=[None] * len(judged))
    codes = np.full(len(rows), LABEL_PLACES["supported"])
    return _table(rows, codes, np.ones(len(rows)), None, rounds, seed)


def _table(
    rows: EvaluationColumns,
    judges: "Codes",
    scores: "Sequence[float] | NDArray[np.float64]",
    threshold: float | None,
    rounds: int,
    seed: int,
) -> ClassificationReport:
    import numpy as np

    humans = _codes(rows.humans)
    tests = ~np.isin(humans, [LABEL_PLACES[label] for label in UNTESTED])
    at = group_indices(group_indices(rows.groups)[tests])
    y = humans[tests] == LABEL_PLACES["supported"]
    s = np.asarray(scores, dtype=np.float64)[tests]
    d = judges[tests] == LABEL_PLACES["supported"] if threshold is None else s >= threshold
    figures = two_class_figures(d, y, s, at, rounds=rounds, seed=seed)
    figures["cohen_kappa"] = _kappa(humans[tests], judges[tests], at)
    figures["weighted_kappa"] = _weighted_kappa(humans[tests], judges[tests], at)
    return ClassificationReport(
        n=len(y),
        positives=int(y.sum()),
        groups=int(at.max()) + 1 if len(at) else 0,
        excluded=len(rows) - len(y),
        threshold=threshold,
        confusion=_confusion(humans, judges),
        figures=tuple((name, figures[name]) for name in FIGURES),
        reliability=reliability(s, y, at),
        errors=tuple(Counter(error for error in rows.errors if error).most_common()),
    )


def two_class_figures(
    decided: "Sequence[bool] | NDArray[np.bool_]",
    positive: "Sequence[bool] | NDArray[np.bool_]",
    scores: "Sequence[float] | NDArray[np.float64]",
    groups: "Sequence[str] | Codes",
    *,
    rounds: int = 1000,
    seed: int = 0,
) -> dict[str, IntervalEstimate]:
    """The figures of decisions and scores over two classes, by the names of `FIGURES`; no kappas.

    Those that are not defined have no value.
    """
    import numpy as np

    d, y = np.asarray(decided, dtype=bool), np.asarray(positive, dtype=bool)
    s, at = np.asarray(scores, dtype=np.float64), group_indices(groups)
    figures: dict[str, IntervalEstimate] = {}
    chosen = (("accuracy", d == y, y | ~y), ("precision", y, d), ("recall", d, y))
    for name, hits, among in chosen:
        share = share_of(hits[among], at[among])
        figures[name] = share.figure if share else _undefined(0)
    figures["auroc"] = auroc_figure(s, y, at) if len(y) else _undefined(0)
    figures["average_precision"] = average_precision_figure(s, y, at) if len(y) else _undefined(0)
    figures["balanced_accuracy"] = balanced_accuracy_figure(d, y, at)
    figures["f1"] = f1_figure(d, y, at)
    figures["mcc"] = _mcc(d, y, at) if len(y) else _undefined(0)
    return figures | _bootstrapped(y, s, at, rounds, seed)


def by_slice(
    judged: Sequence[EvaluationExample], threshold: float | None = None, *, smallest: int = 10
) -> dict[str, list[tuple[str, ClassificationReport]]]:
    """The tables of every slice by its name: value and table, largest first.

    Values with fewer than `smallest` items are left out: their figures say nothing.
    """
    parts: dict[str, dict[str, list[EvaluationExample]]] = {}
    for example in judged:
        for name, value in example.slices:
            parts.setdefault(name, {}).setdefault(value, []).append(example)
    return {
        name: [
            (value, judge_table(items, threshold, rounds=200))
            for value, items in sorted(values.items(), key=lambda pair: (-len(pair[1]), pair[0]))
            if len(items) >= smallest
        ]
        for name, values in sorted(parts.items())
    }


def reliability(
    scores: "Sequence[float] | NDArray[np.float64]",
    positive: "Sequence[bool] | NDArray[np.bool_]",
    groups: "Sequence[str] | Codes",
    bins: int = BINS,
) -> tuple[ReliabilityBin, ...]:
    """The points of the reliability curve: bins of equal numbers of items, fewer below 100 items.

    Equal scores stay in one bin.
    """
    import numpy as np

    if not len(scores):
        return ()
    s, y = np.asarray(scores, dtype=np.float64), np.asarray(positive, dtype=bool)
    group_places = group_indices(groups)
    number = max(1, min(bins, len(s) // 10))
    edges = np.unique(np.quantile(s, np.linspace(0, 1, number + 1), method="lower"))
    at = np.clip(np.searchsorted(edges, s, side="right") - 1, 0, max(len(edges) - 2, 0))
    curve = []
    for bin_number in range(max(len(edges) - 1, 1)):
        members = np.nonzero(at == bin_number)[0]
        share = share_of(y[members], group_places[members])
        if share:
            curve.append(
                ReliabilityBin(
                    low=float(s[members].min()),
                    high=float(s[members].max()),
                    mean_score=float(s[members].mean()),
                    share=share,
                )
            )
    return tuple(curve)


def _bootstrapped(
    y: "NDArray[np.bool_]", s: "NDArray[np.float64]", groups: "Codes", rounds: int, seed: int
) -> dict[str, IntervalEstimate]:
    """How well the scores are calibrated, from sums resampled together."""
    import numpy as np

    if not len(y):
        return dict.fromkeys(("brier", "ece", "ece_debiased"), _undefined(0))
    number = max(1, min(BINS, len(s) // 20))
    edges = np.unique(np.quantile(s, np.linspace(0, 1, number + 1)[1:-1]))
    cells = np.eye(len(edges) + 1)[np.searchsorted(edges, s, side="right")]
    width = cells.shape[1]
    square = ((s - y) ** 2)[:, None]
    # thousands of groups are drawn in blocks of several: as sure, and the cost stays the same
    many = int(groups.max()) + 1
    blocks = groups if many <= 2 * BLOCKS else groups % BLOCKS
    amounts = np.hstack([square, cells, cells * s[:, None], cells * y[:, None]])
    sums = ClusterBootstrap(blocks, amounts, rounds=rounds, seed=seed)

    def brier(r: "Rows") -> "Rows":
        n: Rows = r[:, 1 : 1 + width].sum(axis=1)
        return r[:, 0] / n

    def ece(r: "Rows", debiased: bool = False) -> "Rows":
        n = r[:, 1 : 1 + width]
        mean, rate = r[:, 1 + width : 1 + 2 * width] / n, r[:, 1 + 2 * width :] / n
        weight = n / n.sum(axis=1, keepdims=True)
        if not debiased:
            raw: Rows = np.nansum(weight * abs(mean - rate), axis=1)
            return raw
        chance = rate * (1 - rate) / np.maximum(n - 1, 1)
        squared: Rows = np.nansum(weight * ((mean - rate) ** 2 - chance), axis=1)
        error: Rows = np.sqrt(np.maximum(0, squared))
        return error

    with np.errstate(divide="ignore", invalid="ignore"):
        figures = {
            "brier": sums.figure(brier),
            "ece": sums.figure(ece),
            "ece_debiased": sums.figure(lambda r: ece(r, debiased=True)),
        }
    return {name: replace(figure, groups=many) for name, figure in figures.items()}


def _mcc(d: "NDArray[np.bool_]", y: "NDArray[np.bool_]", at: "Codes") -> IntervalEstimate:
    """Matthews' correlation (1975) of what was decided with what is."""
    import numpy as np

    cells = np.stack([d & y, d & ~y, ~d & y, ~d & ~y], axis=1).astype(np.float64)

    def mcc(r: "Rows") -> "Rows":
        tp, fp, fn, tn = r[:, 0], r[:, 1], r[:, 2], r[:, 3]
        correlation: Rows = (tp * tn - fp * fn) / np.sqrt(
            (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
        )
        return correlation

    return fisher_figure(mcc, cells, y, at)


def _kappa(humans: "Codes", judges: "Codes", at: "Codes") -> IntervalEstimate:
    """Cohen's kappa of the labels (1960)."""
    return _kappa_of(KAPPA, humans, judges, at, HUMAN_LABELS)


def _weighted_kappa(humans: "Codes", judges: "Codes", at: "Codes") -> IntervalEstimate:
    """Cohen's with linear weights (1968), of the items that both placed on the support scale."""
    import numpy as np

    scale = np.full(len(HUMAN_LABELS), -1)
    scale[[LABEL_PLACES[label] for label in SUPPORT_SCALE]] = np.arange(len(SUPPORT_SCALE))
    first, second = scale[humans], scale[judges]
    placed = (first >= 0) & (second >= 0)
    return _kappa_of(
        WEIGHTED_KAPPA, first[placed], second[placed], group_indices(at[placed]), SUPPORT_SCALE
    )


def _kappa_of(
    coefficient: Coefficient, first: "Codes", second: "Codes", at: "Codes", labels: Sequence[str]
) -> IntervalEstimate:
    many = len(labels)
    if not len(first):
        return _undefined(0)

    def value(rows: "Rows") -> "Rows":
        return coefficient_values(rows.reshape(-1, many, many), coefficient)

    supported = first == labels.index("supported")
    return fisher_figure(value, _crossed(first, second, many), supported, at)


def _crossed(first: "Codes", second: "Codes", many: int) -> "Rows":
    """For each item its table with a 1 where both labels meet, as a row."""
    import numpy as np

    tables: Rows = np.eye(many * many)[first * many + second]
    return tables


def _codes(labels: Sequence[str]) -> "Codes":
    """The places of labels among those that people give."""
    import numpy as np

    return np.array([LABEL_PLACES[label] for label in labels], dtype=np.int64)


def _confusion(humans: "Codes", judges: "Codes") -> tuple[tuple[str, str, int], ...]:
    import numpy as np

    many = len(HUMAN_LABELS)
    counted = np.bincount(humans * many + judges, minlength=many * many)
    return tuple(
        (human, judge, int(counted[LABEL_PLACES[human] * many + LABEL_PLACES[judge]]))
        for human in HUMAN_LABELS
        for judge in VERDICT_LABELS
    )


def _undefined(n: int, groups: int = 0) -> IntervalEstimate:
    return IntervalEstimate(value=None, n=n, groups=groups, method=WILSON_INTERVAL + BY_GROUPS)
