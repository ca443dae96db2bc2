"""Figures over supported and unsupported items: what each class tells, and how sure they are.

A figure over two classes is as uncertain as the rarer one makes it: 200 items in 40 documents hold
little when 5 documents have all the unsupported ones. So variances are taken over documents, and
the degrees of freedom of their quantiles come from the documents of each class.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import atanh, sqrt, tanh
from typing import TYPE_CHECKING

from workbench.calibration.estimates import (
    EXACT,
    FEWEST_GROUPS,
    TOO_FEW,
    IntervalEstimate,
    effective_number,
    group_indices,
    normal_quantile,
    share_of,
    t_quantile,
    too_few_groups,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Column = NDArray[np.float64]
    Mask = NDArray[np.bool_]
    Places = NDArray[np.int64]
    Rows = NDArray[np.float64]

MOVER = "square-and-add of two Wilson intervals (Newcombe), effective n by groups"
JACCARD = "Wilson score of TP / (TP + FP + FN), effective n by groups"
FISHER = "jackknife over groups, Fisher's z scale, t by groups of the rarer class"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassSpread:
    """The variance of a figure over two classes, taken over groups."""

    variance: float
    positive: float
    """What the positives alone contribute to it."""
    negative: float
    freedom: float
    """Degrees of freedom of the variance, 1 at least."""


def too_few(positive: "Mask", at: "Places") -> str:
    """Why a figure over both classes gets no interval; empty where it gets one.

    Each class has to come in `FEWEST_GROUPS` documents; see there how that was found.
    """
    import numpy as np

    for mask, name in ((positive, "a supported"), (~positive, "an unsupported")):
        groups = len(np.unique(at[mask]))
        if groups < FEWEST_GROUPS:
            return f"{TOO_FEW}: {groups:,} of at least {FEWEST_GROUPS} with {name} item"
    return ""


def class_spread(influence: "Column", positive: "Mask", at: "Places") -> ClassSpread:
    """The variance of a figure from how far each item moves it (numbers whose mean is 0).

    Sums over groups (Obuchowski 1997), times G / (G - 1); degrees of freedom of the two classes by
    Satterthwaite, as Brunner and Munzel (2000) take them for P(X < Y).
    """
    import numpy as np

    groups, n = int(at.max()) + 1, len(influence)
    by_positive = np.bincount(at, weights=influence * positive, minlength=groups) / n
    by_negative = np.bincount(at, weights=influence * ~positive, minlength=groups) / n
    sums = by_positive + by_negative
    return _spread(
        float(sums @ sums) * groups / (groups - 1),
        _centered(by_positive, len(np.unique(at[positive]))),
        _centered(by_negative, len(np.unique(at[~positive]))),
        len(np.unique(at[positive])),
        len(np.unique(at[~positive])),
    )


def effective_items(influence: "Column", at: "Places") -> float:
    """How many independent items these are worth, by what they contribute to a figure."""
    import numpy as np

    places = group_indices(at)
    sizes = np.bincount(places)
    residuals = influence - influence.mean()
    sums = np.bincount(places, weights=residuals)
    n, groups = len(influence), len(sizes)
    variance = float(sums @ sums) * groups / max(groups - 1, 1) / n**2
    # `effective_number` asks for the variance of a share; the ratio of variances is all it uses
    spread = float(residuals @ residuals) / n
    if spread <= 1e-15:
        return effective_number(n, groups, float(sizes @ sizes), 0.0, 0.0)
    return effective_number(n, groups, float(sizes @ sizes), 0.5, variance / spread / 4)


def balanced_accuracy_figure(decided: "Mask", positive: "Mask", at: "Places") -> IntervalEstimate:
    """The mean of sensitivity and specificity with its 95 % interval.

    Both are Wilson intervals on effective numbers of items, and the distances of their ends from
    the shares are added in squares (MOVER: Newcombe 1998, Zou and Donner 2008).
    """
    n, groups = len(positive), _count(at)
    hit = share_of(decided[positive], at[positive])
    spared = share_of(~decided[~positive], at[~positive])
    if hit is None or spared is None:
        return IntervalEstimate(value=None, n=n, groups=groups, method=MOVER)
    first, second = hit.hits / hit.n, spared.hits / spared.n
    value, reason = (first + second) / 2, too_few(positive, at)
    if reason:
        return IntervalEstimate(value=value, n=n, groups=groups, method=MOVER, missing=reason)
    return IntervalEstimate(
        value=value,
        low=value - sqrt((first - hit.low) ** 2 + (second - spared.low) ** 2) / 2,
        high=value + sqrt((hit.high - first) ** 2 + (spared.high - second) ** 2) / 2,
        n=n,
        groups=groups,
        method=MOVER,
    )


def f1_figure(decided: "Mask", positive: "Mask", at: "Places") -> IntervalEstimate:
    """F1 with its 95 % interval; not defined where nothing is positive.

    F1 = 2 J / (1 + J) rises with J = TP / (TP + FP + FN), the share of right ones among the items
    that are positive or decided so; its Wilson interval is carried over.
    """
    import numpy as np

    n, groups = len(positive), _count(at)
    either = decided | positive
    share = share_of((decided & positive)[either], at[either]) if positive.any() else None
    if share is None:
        return IntervalEstimate(value=None, n=n, groups=groups, method=JACCARD)
    value = 2 * share.hits / (share.n + share.hits)
    reason = too_few_groups(len(np.unique(at[either])))
    if reason:
        return IntervalEstimate(value=value, n=n, groups=groups, method=JACCARD, missing=reason)
    return IntervalEstimate(
        value=value,
        low=2 * share.low / (1 + share.low),
        high=2 * share.high / (1 + share.high),
        n=n,
        groups=groups,
        method=JACCARD,
    )


def fisher_figure(
    statistic: "Callable[[Rows], Rows]", amounts: "Rows", positive: "Mask", at: "Places"
) -> IntervalEstimate:
    """A correlation of sums, -1 to 1, with its 95 % interval on the scale of Fisher's z.

    The variance is that of the jackknife, one group left out at a time; the degrees of freedom come
    from leaving out one group's items of one class. Linear in groups.

    Args:
        statistic: From rows of sums to one value a row, NaN where it is not defined.
        amounts: One row an item, added up within groups.
        positive: The class of each item.
        at: The place of each item's group, from 0 without a gap.
    """
    import numpy as np

    n, groups = len(positive), _count(at)
    by_class = [_group_sums(amounts[mask], at[mask], groups) for mask in (positive, ~positive)]
    total = by_class[0].sum(axis=0) + by_class[1].sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = float(statistic(total[None])[0])
        if not np.isfinite(value):
            return IntervalEstimate(value=None, n=n, groups=groups, method=FISHER)
        reason = too_few(positive, at)
        if reason:
            return IntervalEstimate(value=value, n=n, groups=groups, method=FISHER, missing=reason)
        spread = _spread(
            jackknife(statistic, total, by_class[0] + by_class[1]),
            jackknife(statistic, total, by_class[0]),
            jackknife(statistic, total, by_class[1]),
            len(np.unique(at[positive])),
            len(np.unique(at[~positive])),
        )
    if abs(value) > 1 - 1e-12:
        return _nothing_differs(value, positive, at)
    low, high = fisher_interval(value, spread.variance, n, spread.freedom)
    return IntervalEstimate(value=value, low=low, high=high, n=n, groups=groups, method=FISHER)


def jackknife(statistic: "Callable[[Rows], Rows]", total: "Column", by_group: "Rows") -> float:
    """The jackknife's variance of a statistic, one group left out at a time; 0 with fewer than two.

    (G - 1) / G times the sum of the squared distances from their mean.
    """
    import numpy as np

    leave_one_out = statistic(total - by_group[by_group.any(axis=1)])
    leave_one_out = leave_one_out[np.isfinite(leave_one_out)]
    if len(leave_one_out) < 2:
        return 0.0
    deviations = leave_one_out - leave_one_out.mean()
    return float(deviations @ deviations) * (len(leave_one_out) - 1) / len(leave_one_out)


def fisher_interval(value: float, variance: float, n: int, freedom: float) -> tuple[float, float]:
    """The 95 % t interval of a correlation, taken as atanh so that it stays within -1 and 1.

    At the ends, where the scale has no place, the value counts as half an item off.
    """
    inner = max(-1 + 0.5 / n, min(1 - 0.5 / n, value))
    half = t_quantile(0.975, max(1.0, freedom)) * sqrt(variance) / (1 - inner**2)
    return min(value, tanh(atanh(inner) - half)), max(value, tanh(atanh(inner) + half))


def shrink(quantile: float) -> float:
    """How many times a variance grows that is known with few degrees of freedom: (t / z) squared.

    Korn and Graubard (1998) divide effective numbers by it.
    """
    return (quantile / normal_quantile(0.975)) ** 2


def _nothing_differs(value: float, positive: "Mask", at: "Places") -> IntervalEstimate:
    """A correlation of 1 or -1, and the exact bound on the rarer class's groups that differ."""
    import numpy as np

    unseen = 1 - 0.025 ** (1 / min(len(np.unique(at[mask])) for mask in (positive, ~positive)))
    low, high = (1 - unseen, 1.0) if value > 0 else (-1.0, unseen - 1)
    return IntervalEstimate(
        value=value, low=low, high=high, n=len(at), groups=_count(at), method=EXACT
    )


def _spread(
    variance: float, positive: float, negative: float, positives: int, negatives: int
) -> ClassSpread:
    """With the degrees of freedom of the two parts (Satterthwaite)."""
    total = positive + negative
    parts = positive**2 / max(positives - 1, 1) + negative**2 / max(negatives - 1, 1)
    freedom = total**2 / parts if parts > 0 else float(min(positives, negatives) - 1)
    return ClassSpread(
        variance=variance, positive=positive, negative=negative, freedom=max(1.0, freedom)
    )


def _centered(sums: "Column", groups: int) -> float:
    """The variance of a sum over groups of which only so many hold the class."""
    around = float(sums @ sums) - float(sums.sum()) ** 2 / len(sums)
    return max(0.0, around) * groups / max(groups - 1, 1)


def _group_sums(amounts: "Rows", at: "Places", groups: int) -> "Rows":
    import numpy as np

    sums = np.zeros((groups, amounts.shape[1]))
    for column in range(amounts.shape[1]):
        sums[:, column] = np.bincount(at, weights=amounts[:, column], minlength=groups)
    return sums


def _count(at: "Places") -> int:
    return int(at.max()) + 1 if len(at) else 0
