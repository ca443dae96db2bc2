"""Two judges or prompts on the same labelled items: is one better, and by how much?"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.calibration.binomial import at_most, normal_quantile
from workbench.calibration.effective import cluster_variance, places
from workbench.calibration.figure import Figure, Sums
from workbench.calibration.rank import auroc_parts
from workbench.errors import UsageError
from workbench.records import JsonDict

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Rows = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The second of two judges against the first; differences are second less first."""

    n: int
    groups: int
    accuracy: Figure
    balanced_accuracy: Figure
    f1: Figure
    auroc: Figure
    only_first: int
    """Items that the first decided rightly and the second wrongly."""
    only_second: int
    mcnemar_p: float
    """Two-sided exact p-value of McNemar's test; it takes items as independent."""

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
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """What one judge said of the items, in the order of the labels."""

    supported: Sequence[bool]
    scores: Sequence[float]
    """P(supported), 0 to 1."""


def compare(
    first: Decided,
    second: Decided,
    truth: Sequence[bool],
    groups: Sequence[Hashable],
    *,
    rounds: int = 1000,
    seed: int = 0,
    confidence: float = 0.95,
) -> Comparison:
    """The paired differences of two judges over the same items, with intervals at `confidence`.

    Intervals of shares: bootstrap over groups, both judges drawn together. Of AUROC:
    DeLong, DeLong and Clarke-Pearson 1988, with Obuchowski's (1997) sums over groups.

    Raises:
        UsageError: The lists are not of one length.
    """
    import numpy as np

    lists = (first.supported, first.scores, second.supported, second.scores, groups)
    if any(len(one) != len(truth) for one in lists):
        raise UsageError("Two judges can be compared on the same items only; their lists differ.")
    a = np.asarray(first.supported, dtype=bool)
    b = np.asarray(second.supported, dtype=bool)
    y = np.asarray(truth, dtype=bool)
    columns = [y, ~y, a & y, ~a & ~y, a, b & y, ~b & ~y, b]
    sums = Sums(groups, np.stack(columns, axis=1).astype(np.float64), rounds=rounds, seed=seed)

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
        accuracy=_quiet(sums, accuracy, confidence),
        balanced_accuracy=_quiet(sums, balanced, confidence),
        f1=_quiet(sums, f1, confidence),
        auroc=_auroc_difference(first.scores, second.scores, y, groups, confidence),
        only_first=only_first,
        only_second=only_second,
        mcnemar_p=mcnemar(only_first, only_second),
    )


def mcnemar(only_first: int, only_second: int) -> float:
    """The two-sided exact p-value that two judges err alike (McNemar 1947, binomial form)."""
    n = only_first + only_second
    return 1.0 if not n else min(1.0, 2 * at_most(min(only_first, only_second), n, 0.5))


def _quiet(sums: Sums, statistic: "Callable[[Rows], Rows]", confidence: float) -> Figure:
    """The figure; a draw without one of the classes has none and is left out."""
    import numpy as np

    with np.errstate(divide="ignore", invalid="ignore"):
        return sums.figure(statistic, confidence=confidence)


def _auroc_difference(
    first: Sequence[float],
    second: Sequence[float],
    y: "NDArray[np.bool_]",
    groups: Sequence[Hashable],
    confidence: float,
) -> Figure:
    from math import sqrt

    import numpy as np

    at = places(groups)
    count = int(at.max()) + 1 if len(at) else 0
    one, other = auroc_parts(first, y), auroc_parts(second, y)
    method = "DeLong by groups (Obuchowski)"
    if one is None or other is None:
        return Figure(value=None, n=len(y), groups=count, method=method)
    value = other.value - one.value
    if count < 2:
        return Figure(value=value, n=len(y), groups=count, method=method)
    influence = np.asarray(other.influence) - np.asarray(one.influence)
    half = normal_quantile((1 + confidence) / 2) * sqrt(cluster_variance(influence, at))
    return Figure(
        value=value, low=value - half, high=value + half, n=len(y), groups=count, method=method
    )
