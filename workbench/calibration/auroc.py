"""How well a score ranks, with an interval that costs one sort instead of a thousand."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from math import exp, log, sqrt
from typing import TYPE_CHECKING

from workbench.calibration.binomial import normal_quantile, t_quantile, wilson_interval
from workbench.calibration.effective_sample_size import group_indices
from workbench.calibration.estimates import IntervalEstimate
from workbench.calibration.two_classes import class_spread, effective_items, shrink, too_few

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Column = NDArray[np.float64]

DELONG = "DeLong by groups (Obuchowski) on the logit scale, and Hanley–McNeil score (Newcombe)"
PRECISION = "Wilson score on the effective number of positives, variance by groups"
PRIOR = 10
"""Degrees of freedom that the binomial variance counts for next to the estimated one; by simulation."""


@dataclass(frozen=True, slots=True)
class RankParts:
    """A figure of a ranking and how far each item moves it."""

    value: float
    influence: "Column"
    """One number an item; their mean is 0, and the variance of their mean is the figure's."""


def auroc_parts(
    scores: "Sequence[float] | Column", positive: "Sequence[bool] | NDArray[np.bool_]"
) -> RankParts | None:
    """AUROC with the structural components of DeLong, DeLong and Clarke-Pearson (1988).

    None where there is only one class.
    """
    import numpy as np

    s, y = np.asarray(scores, dtype=np.float64), np.asarray(positive, dtype=bool)
    n_pos, n_neg = int(y.sum()), int((~y).sum())
    if not n_pos or not n_neg:
        return None
    pos, neg = np.sort(s[y]), np.sort(s[~y])
    # of each positive the share of negatives below it, ties half; of each negative the reverse
    part = np.empty(len(s))
    part[y] = _below(neg, s[y]) / n_neg
    part[~y] = 1 - _below(pos, s[~y]) / n_pos
    value = float(part[y].mean())
    weight = np.where(y, len(s) / n_pos, len(s) / n_neg)
    return RankParts(value, (part - value) * weight)


def precision_parts(
    scores: "Sequence[float] | Column", positive: "Sequence[bool] | NDArray[np.bool_]"
) -> RankParts | None:
    """Average precision and how far each item moves it: its derivative by the item's weight.

    A positive adds its own precision and keeps the precision up at all scores from its own
    downwards; a negative brings that down. One sort. None where there is only one class.
    """
    import numpy as np

    s, y = np.asarray(scores, dtype=np.float64), np.asarray(positive, dtype=bool)
    positives = int(y.sum())
    if not positives or positives == len(y):
        return None
    order = np.argsort(-s, kind="stable")
    ordered = y[order]
    # items with equal scores are taken together: blocks end where the score changes
    last = np.append(np.nonzero(np.diff(s[order]))[0], len(s) - 1)
    hits, above = np.cumsum(ordered)[last].astype(np.float64), last + 1.0
    precision, share = hits / above, np.diff(np.concatenate(([0.0], hits))) / positives
    # rounding must not lift a perfect order above 1
    value = min(1.0, float((precision * share).sum()))

    def downwards(values: "Column") -> "Column":
        """The sum over this block and all below it."""
        total: Column = np.cumsum(values[::-1])[::-1]
        return total

    raised = (precision - value) / positives + downwards(share * (above - hits) / above**2)
    lowered = -downwards(share * hits / above**2)
    block = np.searchsorted(last, np.arange(len(s)))
    influence = np.empty(len(s))
    influence[order] = np.where(ordered, raised[block], lowered[block]) * len(s)
    return RankParts(value, influence)


def auroc_figure(
    scores: "Sequence[float] | Column",
    positive: "Sequence[bool] | NDArray[np.bool_]",
    groups: "Sequence[Hashable] | NDArray[np.int64]",
) -> IntervalEstimate:
    """AUROC with its 95 % interval; linear in items after one sort.

    From the lower of the lower ends to the higher of the upper ends of two intervals. The score
    interval with the variance of Hanley and McNeil (1982; method 5 of Newcombe 2006) stays honest
    near 1, where few reversed pairs were seen; its numbers of items are effective ones of each
    class. The interval on the logit scale with DeLong's variance over groups (Obuchowski 1997) and
    the t quantile of Brunner and Munzel (2000) stays honest where the two classes' scores are not
    spread alike.
    """
    import numpy as np

    at, y = group_indices(groups), np.asarray(positive, dtype=bool)
    count = int(at.max()) + 1 if len(at) else 0
    parts = auroc_parts(scores, y)
    if parts is None:
        return IntervalEstimate(value=None, n=len(at), groups=count, method=DELONG)
    reason = too_few(y, at)
    if reason:
        return IntervalEstimate(
            value=parts.value, n=len(at), groups=count, method=DELONG, missing=reason
        )
    spread = class_spread(parts.influence, y, at)
    quantile = t_quantile(0.975, spread.freedom)
    sizes = [effective_items(parts.influence[mask], at[mask]) for mask in (y, ~y)]
    # what makes a document's items score high makes both its classes do so: pairs within documents
    # gain by it, as far as the estimate of that can be trusted
    class_variance = spread.positive + spread.negative
    variance_ratio = (
        min(1.0, spread.variance / class_variance * shrink(quantile)) if class_variance > 0 else 1.0
    )
    low, high = _score_interval(parts.value, lambda area: variance_ratio * _hanley(area, *sizes))
    # half a pair is reversed, so that the logit has a place for a perfect order
    edge = 0.5 / (float(y.sum()) * float((~y).sum()))
    inner = min(1 - edge, max(edge, parts.value))
    half = quantile * sqrt(spread.variance) / (inner * (1 - inner))
    middle = log(inner / (1 - inner))
    return IntervalEstimate(
        value=parts.value,
        low=min(low, _logistic(middle - half)),
        high=max(high, _logistic(middle + half)),
        n=len(at),
        groups=count,
        method=DELONG,
    )


def average_precision_figure(
    scores: "Sequence[float] | Column",
    positive: "Sequence[bool] | NDArray[np.bool_]",
    groups: "Sequence[Hashable] | NDArray[np.int64]",
) -> IntervalEstimate:
    """Average precision with its 95 % interval; linear in items after one sort.

    Boyd, Eng and Page (2013) take binomial intervals over the number of positives. Here the number
    is the one that gives the variance found over groups, which few groups of a rare class make too
    small by far; so it is averaged with the binomial variance on the effective number of positives
    (as Smyth 2004 moderates variances), the latter weighing as much as `PRIOR` degrees of freedom.
    Wilson's form with the t quantile keeps it within 0 and 1.
    """
    import numpy as np

    at, y = group_indices(groups), np.asarray(positive, dtype=bool)
    count = int(at.max()) + 1 if len(at) else 0
    parts = precision_parts(scores, y)
    if parts is None:
        return IntervalEstimate(value=None, n=len(at), groups=count, method=PRECISION)
    value, reason = parts.value, too_few(y, at)
    if reason:
        return IntervalEstimate(
            value=value, n=len(at), groups=count, method=PRECISION, missing=reason
        )
    spread = class_spread(parts.influence, y, at)
    number = effective_items(parts.influence[y], at[y])
    binomial = value * (1 - value) / number
    if binomial > 1e-12:
        moderated = (spread.freedom * spread.variance + PRIOR * binomial) / (spread.freedom + PRIOR)
        number = max(1.0, value * (1 - value) / moderated)
    quantile = t_quantile(0.975, spread.freedom)
    low, high = wilson_interval(value * number, number, quantile=quantile)
    return IntervalEstimate(
        value=value, low=low, high=high, n=len(at), groups=count, method=PRECISION
    )


def _hanley(area: float, positives: float, negatives: float) -> float:
    """The variance of an AUROC of this size (Hanley and McNeil 1982, as in Newcombe's method 5)."""
    half = (positives + negatives) / 2 - 1
    pairs = 1 + half * (1 - area) / (2 - area) + half * area / (1 + area)
    return area * (1 - area) * pairs / (positives * negatives)


def _score_interval(value: float, variance: Callable[[float], float]) -> tuple[float, float]:
    """The values within 1.96 of their own standard errors from the one seen, by bisection."""
    quantile = normal_quantile(0.975)

    def edge(inner: float, outer: float) -> float:
        for _ in range(50):
            middle = (inner + outer) / 2
            if abs(value - middle) > quantile * sqrt(variance(middle)):
                outer = middle
            else:
                inner = middle
        return outer

    return edge(value, 0.0), edge(value, 1.0)


def _below(ordered: "Column", values: "Column") -> "Column":
    """How many of the ordered numbers lie below each value, equal ones counted half."""
    import numpy as np

    left = np.searchsorted(ordered, values, side="left")
    right = np.searchsorted(ordered, values, side="right")
    ranks: Column = (left + right) / 2
    return ranks


def _logistic(x: float) -> float:
    return 1 / (1 + exp(-x)) if x > -700 else 0.0
