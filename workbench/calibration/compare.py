"""Two judges or prompts on the same labelled items: is one better, and by how much?

Is a second judge better than the first, beyond chance, when one may look several times?

Every look at the same items is a chance to be fooled. The chance `alpha` that a judge which is no
better is taken for better at any of `looks` looks is shared among them evenly (Bonferroni): each
look has a two-sided interval at 1 - alpha / looks. Since a bootstrap of few differing groups
promises too much, an exact test has to agree with the interval.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from math import ceil, log2, sqrt
from typing import TYPE_CHECKING

from workbench.calibration.estimates import (
    TOO_FEW,
    ClusterBootstrap,
    IntervalEstimate,
    binomial_cdf,
    group_indices,
    t_quantile,
)
from workbench.calibration.metrics import auroc_parts
from workbench.calibration.two_classes import balanced_accuracy_figure, class_spread, too_few
from workbench.errors import UsageError
from workbench.records.text import JsonDict

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Rows = NDArray[np.float64]


DELONG = "DeLong by groups (Obuchowski), t by groups of the rarer class"
NO_VARIANCE = f"{TOO_FEW}: no document changes the difference"
GROUPED_MCNEMAR = "exact McNemar test over groups: each group's answers swapped as a whole"


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The second of two judges against the first; differences are second less first."""

    n: int
    groups: int
    accuracy: IntervalEstimate
    balanced_accuracy: IntervalEstimate
    f1: IntervalEstimate
    auroc: IntervalEstimate
    only_first: int
    """Items that the first decided rightly and the second wrongly."""
    only_second: int
    mcnemar_p: float
    """Two-sided exact p-value of McNemar's test over groups; see `grouped_mcnemar`."""

    @property
    def better(self) -> bool:
        """Whether the second is better in balanced accuracy beyond its interval."""
        return self.balanced_accuracy.low is not None and self.balanced_accuracy.low > 0

    def to_dict(self) -> JsonDict:
        """As reports hold it."""
        return {
            "n": self.n,
            "groups": self.groups,
            "accuracy": self.accuracy.to_dict(),
            "balanced_accuracy": self.balanced_accuracy.to_dict(),
            "f1": self.f1.to_dict(),
            "auroc": self.auroc.to_dict(),
            "only_first": self.only_first,
            "only_second": self.only_second,
            "mcnemar_p": self.mcnemar_p,
            "mcnemar_test": GROUPED_MCNEMAR,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictionSet:
    """What one judge said of the items, in the order of the labels."""

    supported: Sequence[bool]
    scores: Sequence[float]
    """P(supported), 0 to 1."""


def compare(
    first: PredictionSet,
    second: PredictionSet,
    truth: Sequence[bool],
    groups: Sequence[Hashable],
    *,
    rounds: int = 1000,
    seed: int = 0,
    confidence: float = 0.95,
) -> Comparison:
    """The paired differences of two judges over the same items, with intervals at `confidence`.

    Intervals of shares: bootstrap over groups, both judges drawn together. Of AUROC:
    DeLong, DeLong and Clarke-Pearson 1988, with Obuchowski's (1997) sums over groups and a t
    quantile by the groups of each class.

    Raises:
        UsageError: The lists are not of one length.
    """
    import numpy as np

    lists = (first.supported, first.scores, second.supported, second.scores, groups)
    if any(len(values) != len(truth) for values in lists):
        raise UsageError("Two judges can be compared on the same items only; their lists differ.")
    a = np.asarray(first.supported, dtype=bool)
    b = np.asarray(second.supported, dtype=bool)
    y = np.asarray(truth, dtype=bool)
    columns = [y, ~y, a & y, ~a & ~y, a, b & y, ~b & ~y, b]
    sums = ClusterBootstrap(
        groups, np.stack(columns, axis=1).astype(np.float64), rounds=rounds, seed=seed
    )

    def accuracy(r: "Rows") -> "Rows":
        return ((r[:, 5] + r[:, 6]) - (r[:, 2] + r[:, 3])) / (r[:, 0] + r[:, 1])

    def balanced(r: "Rows") -> "Rows":
        return ((r[:, 5] - r[:, 2]) / r[:, 0] + (r[:, 6] - r[:, 3]) / r[:, 1]) / 2

    def f1(r: "Rows") -> "Rows":
        return 2 * r[:, 5] / (r[:, 7] + r[:, 0]) - 2 * r[:, 2] / (r[:, 4] + r[:, 0])

    only_first = int(((a == y) & (b != y)).sum())
    only_second = int(((a != y) & (b == y)).sum())
    return Comparison(
        n=len(y),
        groups=sums.groups,
        accuracy=_quiet_figure(sums, accuracy, confidence),
        balanced_accuracy=_quiet_figure(sums, balanced, confidence),
        f1=_quiet_figure(sums, f1, confidence),
        auroc=_auroc_difference(first.scores, second.scores, y, groups, confidence),
        only_first=only_first,
        only_second=only_second,
        mcnemar_p=grouped_mcnemar((b == y).astype(int) - (a == y).astype(int), groups),
    )


def mcnemar(only_first: int, only_second: int) -> float:
    """The two-sided exact p-value that two judges err alike (McNemar 1947, binomial form)."""
    n = only_first + only_second
    return 1.0 if not n else min(1.0, 2 * binomial_cdf(min(only_first, only_second), n, 0.5))


def grouped_mcnemar(
    steps: "Sequence[int] | NDArray[np.int64]", groups: Sequence[Hashable]
) -> float:
    """The two-sided exact p-value that two judges err alike, items of a group hanging together.

    Were they alike, each group could as well have had their answers swapped as a whole: p is the
    chance, over all such swaps, of a difference at least as large. Where each item is its own group
    that is McNemar's exact test. The distribution of the difference is built up group by group, so
    it is exact with any number of them: linear in groups times items that differ.

    Args:
        steps: For each item 1 where only the second is right, -1 where only the first, else 0.
        groups: Of the items.
    """
    import numpy as np

    sums = (
        np.bincount(group_indices(groups), weights=np.asarray(steps)) if len(steps) else np.zeros(0)
    )
    net = np.abs(sums[sums != 0]).astype(np.int64)
    observed = abs(int(round(float(sums.sum()))))
    if not len(net):
        return 1.0
    if net.max() == 1:
        return mcnemar((len(net) - observed) // 2, (len(net) + observed) // 2)
    # chances of the differences from -total to total
    total = int(net.sum())
    chance = np.zeros(2 * total + 1)
    chance[total] = 1.0
    for size in net:
        chance = (np.roll(chance, size) + np.roll(chance, -size)) / 2
    difference = np.arange(-total, total + 1)
    return min(1.0, float(chance[np.abs(difference) >= observed].sum()))


def _quiet_figure(
    sums: ClusterBootstrap, statistic: "Callable[[Rows], Rows]", confidence: float
) -> IntervalEstimate:
    """The figure; a draw without one of the classes has none and is left out."""
    import numpy as np

    with np.errstate(divide="ignore", invalid="ignore"):
        return sums.figure(statistic, difference=True, confidence=confidence)


def _auroc_difference(
    first: Sequence[float],
    second: Sequence[float],
    y: "NDArray[np.bool_]",
    groups: Sequence[Hashable],
    confidence: float,
) -> IntervalEstimate:

    at = group_indices(groups)
    count = int(at.max()) + 1 if len(at) else 0
    first_parts, second_parts = auroc_parts(first, y), auroc_parts(second, y)
    if first_parts is None or second_parts is None:
        return IntervalEstimate(value=None, n=len(y), groups=count, method=DELONG)
    value = second_parts.value - first_parts.value
    spread = (
        class_spread(second_parts.influence - first_parts.influence, y, at) if count > 1 else None
    )
    # where no document changes the difference there is no variance to estimate it from
    alike = NO_VARIANCE if spread is not None and spread.variance <= 1e-15 else ""
    reason = too_few(y, at) or alike
    if reason or spread is None:
        return IntervalEstimate(value=value, n=len(y), groups=count, method=DELONG, missing=reason)
    half = t_quantile((1 + confidence) / 2, spread.freedom) * sqrt(spread.variance)
    return IntervalEstimate(
        value=value,
        low=max(-1.0, value - half),
        high=min(1.0, value + half),
        n=len(y),
        groups=count,
        method=DELONG,
    )


ALPHA = 0.05
"""The chance of a wrong gain over all looks, by default."""
BEYOND = 20
"""So many draws lie beyond the edge of an interval, so that the edge itself is steady."""
ENUMERATED = 14
"""Up to this many differing groups every swap is tried."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImprovementTest:
    """The second of two judges against the first, by balanced accuracy."""

    first: IntervalEstimate
    """With its 95 % interval, as the two that follow."""
    second: IntervalEstimate
    difference: IntervalEstimate
    corrected: IntervalEstimate
    """The difference with its interval at `confidence`."""
    confidence: float
    swap_p: float
    """See `swap_test`."""
    comparison: Comparison
    """Both in everything that can be compared, at 95 %."""

    @property
    def tail(self) -> float:
        """What each end of the corrected interval cuts off: the swap test's level."""
        return (1 - self.confidence) / 2

    @property
    def holds(self) -> bool:
        """Whether the gain lies beyond its corrected interval and the swap test agrees."""
        low = self.corrected.low
        return low is not None and low > 0 and self.swap_p <= self.tail


def better(
    first: Sequence[bool],
    second: Sequence[bool],
    truth: Sequence[bool],
    groups: Sequence[Hashable],
    *,
    looks: int = 1,
    alpha: float = ALPHA,
    seed: int = 0,
) -> ImprovementTest:
    """How the second judge does against the first on the same items, corrected for many looks.

    Args:
        first: What the first judge calls supported.
        second: What the second judge calls supported.
        truth: What people call supported.
        groups: What keeps items together.
        looks: How often one may look, this time included.
        alpha: The chance to be fooled by any of them.
        seed: Of the draws.

    Raises:
        UsageError: The lists are not of one length, or there is no look or no chance to share.
    """
    confidence = corrected_confidence(looks, alpha)
    first_set, second_set = _prediction_set(first), _prediction_set(second)
    comparison = compare(first_set, second_set, truth, groups, seed=seed)
    draws = max(1000, ceil(2 * BEYOND / (1 - confidence)))
    corrected = compare(
        first_set, second_set, truth, groups, rounds=draws, seed=seed, confidence=confidence
    )
    return ImprovementTest(
        first=balanced_figure(first, truth, groups),
        second=balanced_figure(second, truth, groups),
        difference=comparison.balanced_accuracy,
        corrected=corrected.balanced_accuracy,
        confidence=confidence,
        swap_p=swap_test(first, second, truth, groups, draws=draws, seed=seed),
        comparison=comparison,
    )


def corrected_confidence(looks: int, alpha: float = ALPHA) -> float:
    """The confidence of each look's interval: 1 - alpha / looks (Bonferroni).

    Raises:
        UsageError: There is no look, or alpha does not lie between 0 and 1.
    """
    if looks < 1 or not 0 < alpha < 1:
        raise UsageError(
            f"{looks} looks at a chance of {alpha:g} cannot be shared; take one look or more and a "
            "chance between 0 and 1."
        )
    return 1 - alpha / looks


def min_groups(looks: int, alpha: float = ALPHA) -> int:
    """So many groups have to differ, all to the better, before any gain can hold: log2 of 1 / tail.

    Raises:
        UsageError: As `corrected_confidence`.
    """
    return ceil(-log2((1 - corrected_confidence(looks, alpha)) / 2))


def balanced_figure(
    supported: Sequence[bool], truth: Sequence[bool], groups: Sequence[Hashable]
) -> IntervalEstimate:
    """The balanced accuracy of one judge with its 95 % interval by groups."""
    import numpy as np

    decided, positive = np.asarray(supported, dtype=bool), np.asarray(truth, dtype=bool)
    return balanced_accuracy_figure(decided, positive, group_indices(groups))


def swap_test(
    first: Sequence[bool],
    second: Sequence[bool],
    truth: Sequence[bool],
    groups: Sequence[Hashable],
    *,
    draws: int = 10_000,
    seed: int = 0,
) -> float:
    """The one-sided p-value that the second judge's gain in balanced accuracy is chance.

    Were the two alike, each group could as well have had their answers swapped: p is the share of
    swaps that gain as much. All of them are tried with few differing groups, else `draws` of them
    (then with one added above and below, so that it stays valid). A permutation test by clusters.
    """
    import numpy as np

    y = np.asarray(truth, dtype=bool)
    right = (np.asarray(second, dtype=bool) == y).astype(np.float64)
    right -= np.asarray(first, dtype=bool) == y
    share = np.where(y, max(1, int(y.sum())), max(1, int((~y).sum())))
    gains = np.bincount(group_indices(groups), weights=right / share / 2) if len(y) else np.zeros(0)
    gains = gains[np.abs(gains) > 1e-12]
    observed = float(gains.sum()) - 1e-12
    many = len(gains)
    if not many:
        return 1.0
    if many <= ENUMERATED:
        swaps = (np.arange(2**many)[:, None] >> np.arange(many)) & 1
        return float(np.mean((1 - 2 * swaps) @ gains >= observed))
    world = np.random.default_rng(seed)
    as_much = 0
    for start in range(0, draws, 1000):
        size = min(1000, draws - start)
        swaps = world.integers(0, 2, (size, many), dtype=np.int8)
        as_much += int(np.count_nonzero((1 - 2 * swaps) @ gains >= observed))
    return (as_much + 1) / (draws + 1)


def _prediction_set(supported: Sequence[bool]) -> PredictionSet:
    return PredictionSet(supported=supported, scores=[float(value) for value in supported])
