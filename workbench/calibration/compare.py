"""Two judges or prompts on the same labelled items: is one better, and by how much?"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING

from workbench.calibration.auroc import auroc_parts
from workbench.calibration.binomial import binomial_cdf, t_quantile
from workbench.calibration.effective_sample_size import group_indices
from workbench.calibration.estimates import TOO_FEW, ClusterBootstrap, IntervalEstimate
from workbench.calibration.two_classes import class_spread, too_few
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
