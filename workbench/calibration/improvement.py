"""Is a second judge better than the first, beyond chance, when one may look several times?

Every look at the same items is a chance to be fooled. The chance `alpha` that a judge which is no
better is taken for better at any of `looks` looks is shared among them evenly (Bonferroni): each
look has a two-sided interval at 1 - alpha / looks. Since a bootstrap of few differing groups
promises too much, an exact test has to agree with the interval.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import ceil, log2
from typing import TYPE_CHECKING

from workbench.calibration.compare import Comparison, PredictionSet, compare
from workbench.calibration.effective_sample_size import group_indices
from workbench.calibration.estimates import IntervalEstimate
from workbench.calibration.two_classes import balanced_accuracy_figure
from workbench.errors import UsageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Rows = NDArray[np.float64]

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
