"""How many independent items a clustered sample is worth, and shares with intervals on that.

Items of one group (a page, a question, an output) tend to err together, so n of them hold less than
n independent ones. The design effect says how much less (Kish 1965); the interval of a share is
then taken on the effective number, as Korn and Graubard (1998) do.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.calibration.binomial import (
    EXACT_INTERVAL,
    WILSON_INTERVAL,
    exact_interval,
    t_quantile,
    wilson_interval,
)
from workbench.calibration.estimates import IntervalEstimate

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Column = NDArray[np.float64]
    Places = NDArray[np.int64]
    Groups = Sequence[Hashable] | Places

BY_GROUPS = ", effective n by groups"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProportionEstimate:
    """A share with its interval: `hits` of `n`."""

    hits: int
    n: int
    groups: int
    effective_n: float
    low: float
    high: float
    method: str

    @property
    def figure(self) -> IntervalEstimate:
        """The share as reports hold it."""
        return IntervalEstimate(
            value=self.hits / self.n,
            low=self.low,
            high=self.high,
            n=self.n,
            groups=self.groups,
            method=self.method,
        )


def group_indices(groups: "Groups") -> "Places":
    """The number of each item's group, counted from 0 in the order in which they first come.

    Numbers that are some of those it gave are counted again, in their order.
    """
    import numpy as np

    if isinstance(groups, np.ndarray):
        present = np.bincount(groups) > 0
        places: Places = (np.cumsum(present) - 1)[groups]
        return places
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(group, len(numbers)) for group in groups], dtype=np.int64)


def cluster_variance(residuals: "Column", at: "Places") -> float:
    """The variance of a mean whose items have these residuals, groups being independent.

    Sum over groups of (sum of residuals)^2, times G / (G - 1), over n^2 (Taylor linearisation).
    Infinite with fewer than two groups.
    """
    import numpy as np

    sums = np.bincount(at, weights=residuals)
    present = int(np.count_nonzero(np.bincount(at)))
    if present < 2:
        return float("inf")
    return float(sums @ sums) * present / (present - 1) / len(residuals) ** 2


def effective_number(
    n: float, groups: int, squared_sizes: float, share: float, variance: float
) -> float:
    """How many independent items the share of a clustered sample is worth, at least 1 and most n.

    share (1 - share) / variance, shrunk by the t quantiles because the variance itself is uncertain
    with few groups. Where the share is 0 or 1 nothing can be estimated; then items of one group are
    taken to err together entirely: n^2 / sum of squared group sizes.
    """
    if groups == n:
        return n
    if groups < 2:
        return 1.0
    worst = n * n / squared_sizes
    spread = share * (1 - share)
    if spread <= 0 or variance <= 0:
        return max(1.0, worst)
    number = spread / variance
    number *= (t_quantile(0.975, n - 1) / t_quantile(0.975, groups - 1)) ** 2
    return max(1.0, min(n, number))


def share_of(
    hits: "Sequence[bool] | Column | NDArray[np.bool_]", groups: "Groups"
) -> ProportionEstimate | None:
    """The share of items that hit, with its 95 % interval; None without items.

    Exact binomial where all items are independent and fewer than 50, Wilson otherwise; on the
    effective number of items where groups hold more than one.
    """
    import numpy as np

    y = np.asarray(hits, dtype=np.float64)
    if not len(y):
        return None
    at = group_indices(groups)
    sizes = np.bincount(at)
    return share_from(
        hits=int(y.sum()),
        n=len(y),
        groups=len(sizes),
        squared_sizes=float(sizes @ sizes),
        variance=cluster_variance(y - y.mean(), at),
    )


def share_from(
    *, hits: int, n: int, groups: int, squared_sizes: float, variance: float
) -> ProportionEstimate:
    """The same from sums, for those who have them at hand."""
    share = hits / n
    effective = effective_number(n, groups, squared_sizes, share, variance)
    independent = groups == n
    if independent and n < 50:
        low, high = exact_interval(hits, n)
        method = EXACT_INTERVAL
    else:
        low, high = wilson_interval(share * effective, effective)
        method = WILSON_INTERVAL + ("" if independent else BY_GROUPS)
    return ProportionEstimate(
        hits=hits,
        n=n,
        groups=groups,
        effective_n=effective,
        low=low,
        high=high,
        method=method,
    )
