"""Agreement corrected for chance: 1 - observed / expected disagreement, with its interval."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.calibration.binomial import t_quantile
from workbench.calibration.estimates import (
    EXACT,
    ClusterBootstrap,
    IntervalEstimate,
    too_few_groups,
)
from workbench.calibration.two_classes import fisher_interval, shrink

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Rows = NDArray[np.float64]
    Tables = NDArray[np.float64]
    Column = NDArray[np.float64]

CHANCE = "jackknife over groups, moderated, t on Fisher's z scale"
PRIOR = 5
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
    variance = (carrying * jackknifed + PRIOR * max(jackknifed, observed)) / (carrying + PRIOR)
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
