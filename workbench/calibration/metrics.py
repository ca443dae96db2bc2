"""How well scores rank and decide.

Positive means "supported". Every figure is None where it is not defined (no items, or one class
only), never NaN. Pure; numpy is imported by the functions that need it.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from math import exp, log, sqrt
from typing import TYPE_CHECKING

from workbench.calibration.estimates import (
    EXACT,
    ClusterBootstrap,
    IntervalEstimate,
    group_indices,
    normal_quantile,
    t_quantile,
    too_few_groups,
    wilson_interval,
)
from workbench.calibration.two_classes import (
    class_spread,
    effective_items,
    fisher_interval,
    shrink,
    too_few,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Column = NDArray[np.float64]
    Rows = NDArray[np.float64]
    Tables = NDArray[np.float64]


def auroc(scores: Sequence[float], positive: Sequence[bool]) -> float | None:
    """The chance that a positive scores above a negative, ties counted half (Mann-Whitney)."""
    import numpy as np

    y = np.asarray(positive, dtype=bool)
    n_pos, n_neg = int(y.sum()), int((~y).sum())
    if not n_pos or not n_neg:
        return None
    ranks = _ranks(np.asarray(scores, dtype=np.float64))
    return float((ranks[y].sum() - n_pos * (n_pos + 1) / 2) / (n_pos * n_neg))


def average_precision(
    scores: "Sequence[float] | NDArray[np.float64]", positive: "Sequence[bool] | NDArray[np.bool_]"
) -> float | None:
    """Precision averaged over the recall steps; items with equal scores are taken together."""
    import numpy as np

    y = np.asarray(positive, dtype=bool)
    if not y.any() or y.all():
        return None
    s = np.asarray(scores, dtype=np.float64)
    if (s[1:] > s[:-1]).any():
        order = np.argsort(-s, kind="stable")
        s, y = s[order], y[order]
    last = np.append(np.nonzero(np.diff(s))[0], len(s) - 1)
    hits = np.cumsum(y)[last]
    precision = hits / (last + 1)
    steps = np.diff(np.concatenate(([0], hits))) / y.sum()
    return float((precision * steps).sum())


def balanced_accuracy(decided: Sequence[bool], positive: Sequence[bool]) -> float | None:
    """The mean of the share of positives and of negatives that were decided rightly."""
    import numpy as np

    d, y = np.asarray(decided, dtype=bool), np.asarray(positive, dtype=bool)
    if not y.any() or y.all():
        return None
    return float((d[y].mean() + (~d[~y]).mean()) / 2)


def f1(decided: Sequence[bool], positive: Sequence[bool]) -> float | None:
    """The harmonic mean of precision and recall; 0 when nothing right was decided positive."""
    import numpy as np

    d, y = np.asarray(decided, dtype=bool), np.asarray(positive, dtype=bool)
    if not y.any():
        return None
    return float(2 * (d & y).sum() / (d.sum() + y.sum()))


def best_threshold(scores: Sequence[float], positive: Sequence[bool]) -> float | None:
    """The threshold with the best balanced accuracy on these items, deciding `score >= t`.

    It lies half way between two neighbouring scores; among equals the middle one is taken.
    """
    import numpy as np

    y = np.asarray(positive, dtype=bool)
    if not y.any() or y.all():
        return None
    s = np.asarray(scores, dtype=np.float64)
    order = np.argsort(s, kind="stable")
    s, y = s[order], y[order]
    # cut i: items from i on are decided positive
    sensitivity = 1 - np.concatenate(([0], np.cumsum(y))) / y.sum()
    specificity = np.concatenate(([0], np.cumsum(~y))) / (~y).sum()
    value = sensitivity + specificity
    allowed = np.concatenate(([True], np.diff(s) > 0, [True]))
    value = np.where(allowed, value, -1.0)
    best = np.nonzero(value >= value.max() - 1e-12)[0]
    cut = int(best[len(best) // 2])
    if cut == 0:
        return float(s[0])
    if cut == len(s):
        return float(np.nextafter(s[-1], np.inf))
    middle = float((s[cut - 1] + s[cut]) / 2)
    return middle if middle > s[cut - 1] else float(s[cut])


def brier(scores: Sequence[float], positive: Sequence[bool]) -> float | None:
    """The mean squared distance of the score from 1 for positives and from 0 for the rest."""
    if not scores:
        return None
    pairs = zip(scores, positive, strict=True)
    return sum((score - bool(hit)) ** 2 for score, hit in pairs) / len(scores)


def calibration_error(
    scores: Sequence[float], positive: Sequence[bool], bins: int = 10
) -> tuple[float, float] | None:
    """The expected calibration error, raw and debiased, over bins of equal size.

    Raw: the mean over items of |mean score - share of positives| of their bin. That is above zero
    for a perfectly calibrated judge too, by chance alone; the debiased error subtracts from the
    square of each bin's gap the variance it has by chance, p(1 - p) / (n - 1), and is not below 0
    (Kumar, Liang and Ma 2019, l2 form).
    """
    import numpy as np

    if len(scores) < 2 * bins:
        return None
    s, y = np.asarray(scores, dtype=np.float64), np.asarray(positive, dtype=np.float64)
    order = np.argsort(s, kind="stable")
    raw, squared = 0.0, 0.0
    for part in np.array_split(order, bins):
        gap, share, n = float(s[part].mean() - y[part].mean()), len(part) / len(s), len(part)
        rate = float(y[part].mean())
        raw += share * abs(gap)
        squared += share * (gap**2 - rate * (1 - rate) / (n - 1))
    return raw, float(np.sqrt(max(0.0, squared)))


def group_folds(groups: Sequence[Hashable], folds: int = 5) -> list[int]:
    """For each item the fold its group is in: large groups first, each into the smallest fold.

    Ties go by the order in which groups first come, so the same input gives the same folds.
    """
    sizes: dict[Hashable, int] = {}
    for group in groups:
        sizes[group] = sizes.get(group, 0) + 1
    filled = [0] * max(1, min(folds, len(sizes)))
    place: dict[Hashable, int] = {}
    for group in sorted(sizes, key=lambda g: -sizes[g]):
        place[group] = min(range(len(filled)), key=lambda i: filled[i])
        filled[place[group]] += sizes[group]
    return [place[group] for group in groups]


def _ranks(values: "NDArray[np.float64]") -> "NDArray[np.float64]":
    """Ranks from 1, equal values sharing the mean of theirs."""
    import numpy as np

    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    middle = ends - (counts - 1) / 2
    ranks: NDArray[np.float64] = middle[inverse]
    return ranks


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


CHANCE = "jackknife over groups, moderated, t on Fisher's z scale"
DISAGREEMENT_PRIOR = 5
"""Groups that the variance of the observed disagreement alone counts for; by simulation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Coefficient:
    """What makes a coefficient of agreement out of square tables; arrays are tables x k x k."""

    weights: "Callable[[Tables], Tables]"
    """How far apart two labels are, from 0 for the same to 1."""
    expected: "Callable[[Tables], Tables]"
    """The share of pairs that chance would put at each place."""


def nominal(tables: "Tables") -> "Tables":
    """Every two different labels are as far apart as any."""
    import numpy as np

    weights: Tables = (1 - np.eye(tables.shape[1]))[None]
    return weights


def linear(tables: "Tables") -> "Tables":
    """Labels in order, each as far from the next as from the one before (Cohen 1968)."""
    import numpy as np

    place = np.arange(tables.shape[1])
    weights: Tables = (abs(place[:, None] - place) / max(1, len(place) - 1))[None]
    return weights


def ordinal(tables: "Tables") -> "Tables":
    """Krippendorff's ordinal metric (2004, ch. 11): labels are as far apart as ratings lie between.

    (sum of n_g from c to k - (n_c + n_k) / 2) squared, n_g the ratings of label g; over the
    largest, which cancels.
    """
    import numpy as np

    counts = tables.sum(axis=2)
    # the middle of each label's ratings, put in order: two middles are as far apart as asked
    middle = np.cumsum(counts, axis=1) - counts / 2
    squared = (middle[:, :, None] - middle[:, None, :]) ** 2
    largest = squared.max(axis=(1, 2), keepdims=True)
    weights: Tables = squared / np.where(largest > 0, largest, 1)
    return weights


def intervals(values: Sequence[float]) -> "Callable[[Tables], Tables]":
    """Krippendorff's interval metric (2004, ch. 11): labels are as far apart as their values.

    Squared, over the largest, which cancels.
    """

    def apart(tables: "Tables") -> "Tables":
        import numpy as np

        numbers = np.asarray(values, dtype=float)
        squared = (numbers[:, None] - numbers) ** 2
        weights: Tables = (squared / max(float(squared.max(initial=0)), 1e-12))[None]
        return weights

    return apart


def margins(tables: "Tables") -> "Tables":
    """What two people would do who label at random, each in their own mix (Cohen 1960)."""
    import numpy as np

    with np.errstate(invalid="ignore", divide="ignore"):
        number = tables.sum(axis=(1, 2))[:, None, None]
        shares: Tables = tables.sum(axis=2)[:, :, None] * tables.sum(axis=1)[:, None, :] / number**2
    return shares


def without_return(tables: "Tables") -> "Tables":
    """What drawing two of all ratings without return would do (Krippendorff 2004)."""
    import numpy as np

    counts = tables.sum(axis=2)
    number = counts.sum(axis=1)[:, None, None]
    products = counts[:, :, None] * counts[:, None, :] - counts[:, :, None] * np.eye(
        tables.shape[1]
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        shares: Tables = products / (number * (number - 1))
    return shares


KAPPA = Coefficient(weights=nominal, expected=margins)
WEIGHTED_KAPPA = Coefficient(weights=linear, expected=margins)
ALPHA = Coefficient(weights=nominal, expected=without_return)
ORDINAL_ALPHA = Coefficient(weights=ordinal, expected=without_return)


def interval_alpha(values: Sequence[float]) -> Coefficient:
    """Krippendorff's alpha by the distance of the values that the labels stand for."""
    return Coefficient(weights=intervals(values), expected=without_return)


def chance_corrected(
    sums: ClusterBootstrap, coefficient: Coefficient, square: "Callable[[Rows], Tables]"
) -> IntervalEstimate:
    """Kappa or alpha of these sums with its 95 % interval; linear in groups.

    A t interval on the scale of Fisher's z with the variance of the jackknife over groups. Where
    one label is rare, hardly any group tells how often it is agreed on, and that variance is too
    small; so it is averaged (as Smyth 2004 moderates variances, by how many groups carry it) with
    the variance that the observed disagreement gives when what chance expects is taken as known
    (Fleiss, Cohen and Everitt 1969, without the terms of the margins). Where nobody differs, it is
    the exact binomial interval on groups, as `Sums.figure` gives it.

    Args:
        sums: Amounts of items, added up by groups.
        coefficient: Which one.
        square: From rows of sums to the tables of who gave which labels, k x k.
    """
    import numpy as np

    n, groups = sums.n, sums.groups
    if not groups:
        return IntervalEstimate(value=None, n=n, groups=groups, method=CHANCE)
    total = square(sums.total)
    value = float(coefficient_values(total, coefficient)[0])
    if not np.isfinite(value):
        return IntervalEstimate(value=None, n=n, groups=groups, method=CHANCE)
    reason = too_few_groups(groups)
    if reason:
        return IntervalEstimate(value=value, n=n, groups=groups, method=CHANCE, missing=reason)
    weights = coefficient.weights(total)
    expected = float((coefficient.expected(total) * weights).sum())
    if value > 1 - 1e-12:
        low = 1 - (1 - 0.025 ** (1 / groups)) / expected
        return IntervalEstimate(value=value, low=low, high=1.0, n=n, groups=groups, method=EXACT)
    tables = square(sums.by_group)
    leave_one_out = coefficient_values(total - tables, coefficient)
    leave_one_out = leave_one_out[np.isfinite(leave_one_out)]
    squares = (leave_one_out - leave_one_out.mean()) ** 2
    jackknifed = float(squares.sum()) * (groups - 1) / groups
    carrying = float(squares.sum() ** 2 / (squares @ squares)) if jackknifed > 0 else 1.0
    observed = _observed_variance(tables, weights, n, t_quantile(0.975, groups - 1)) / expected**2
    variance = (carrying * jackknifed + DISAGREEMENT_PRIOR * max(jackknifed, observed)) / (
        carrying + DISAGREEMENT_PRIOR
    )
    low, high = fisher_interval(value, variance, n, groups - 1)
    return IntervalEstimate(value=value, low=low, high=high, n=n, groups=groups, method=CHANCE)


def coefficient_values(tables: "Tables", coefficient: Coefficient) -> "Column":
    """1 - observed / expected disagreement; NaN where chance leaves no room for any."""
    import numpy as np

    weights = coefficient.weights(tables)
    with np.errstate(invalid="ignore", divide="ignore"):
        observed = (tables * weights).sum(axis=(1, 2)) / tables.sum(axis=(1, 2))
        expected = (coefficient.expected(tables) * weights).sum(axis=(1, 2))
        value: Column = np.where(expected > 1e-12, 1 - observed / expected, np.nan)
    return value


def _observed_variance(tables: "Tables", weights: "Tables", n: int, quantile: float) -> float:
    """The variance of the observed disagreement over groups, as if half an item more differed."""
    differ, number = (tables * weights).sum(axis=(1, 2)), tables.sum(axis=(1, 2))
    total, groups = float(number.sum()), len(tables)
    sizes = number * n / total
    deviations = differ - number * (float(differ.sum()) / total)
    variance = float(deviations @ deviations) * groups / (groups - 1) / total**2
    return variance * shrink(quantile) + 0.5 * float(sizes @ sizes) / n**3
