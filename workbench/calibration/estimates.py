"""A figure with its interval, and the bootstrap for figures that are made of sums.

How many independent items a clustered sample is worth, and shares with intervals on that.

Items of one group (a page, a question, an output) tend to err together, so n of them hold less than
n independent ones. The design effect says how much less (Kish 1965); the interval of a share is
then taken on the effective number, as Korn and Graubard (1998) do.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import exp, lgamma, log, log1p, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING

from workbench.records.text import JsonDict

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Rows = NDArray[np.float64]
    """One row of sums a draw."""
    Column = NDArray[np.float64]
    Places = NDArray[np.int64]
    Groups = Sequence[Hashable] | Places


EXACT_INTERVAL = "exact binomial (Clopper–Pearson)"
WILSON_INTERVAL = "Wilson score"


def incomplete_beta(a: float, b: float, x: float) -> float:
    """The regularised incomplete beta function I_x(a, b), to about 1e-12.

    Continued fraction by Lentz's method (DLMF 8.17.22).
    """
    if x <= 0:
        return 0.0
    if x >= 1:
        return 1.0
    if x > (a + 1) / (a + b + 2):
        return 1 - incomplete_beta(b, a, 1 - x)
    front = exp(a * log(x) + b * log1p(-x) + lgamma(a + b) - lgamma(a) - lgamma(b)) / a
    tiny = 1e-300
    c, d = 1.0, 1 - (a + b) * x / (a + 1)
    d = 1 / (d if abs(d) > tiny else tiny)
    value = d
    for m in range(1, 10_000):
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 + term * d
            d = 1 / (d if abs(d) > tiny else tiny)
            c = 1 + term / c
            c = c if abs(c) > tiny else tiny
            step = c * d
            value *= step
        if abs(step - 1) < 1e-14:
            break
    return front * value


@lru_cache(maxsize=65_536)
def binomial_cdf(k: int, n: int, p: float) -> float:
    """P(X <= k) of a binomial X with n trials of chance p each."""
    if k < 0:
        return 0.0
    if k >= n:
        return 1.0
    return incomplete_beta(n - k, k + 1, 1 - p)


def exact_interval(k: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """The two-sided interval of a share, k of n (Clopper and Pearson 1934); it never undercovers.

    Raises:
        ValueError: There are no trials, or k is not among 0 … n.
    """
    _checked(k, n)
    tail = (1 - confidence) / 2
    low = 0.0 if k == 0 else _root(lambda p: 1 - binomial_cdf(k - 1, n, p) - tail)
    high = 1.0 if k == n else _root(lambda p: tail - binomial_cdf(k, n, p))
    return low, high


def lower_bound(k: float, n: float, confidence: float = 0.95) -> float:
    """The one-sided exact lower bound of a share: below it, k or more of n is too unlikely.

    Clopper and Pearson 1934 in its beta form, I_p(k, n - k + 1) = 1 - confidence. With n an
    effective number of items, which need not be whole, that is Korn and Graubard's (1998) bound.
    """
    _checked(k, n)
    return 0.0 if k == 0 else _root(lambda p: incomplete_beta(k, n - k + 1, p) - (1 - confidence))


def wilson_interval(
    k: float, n: float, confidence: float = 0.95, *, quantile: float | None = None
) -> tuple[float, float]:
    """The interval of a share, k of n (Wilson 1927); close to its confidence on average.

    Args:
        k: Hits; need not be whole.
        n: Trials; may be an effective number.
        confidence: Of the interval.
        quantile: Used in place of the normal one, such as that of a t distribution.

    Raises:
        ValueError: There are no trials, or k is not among 0 … n.
    """
    if n <= 0 or not 0 <= k <= n:
        raise ValueError(f"{k} of {n} is not a share")
    z = normal_quantile((1 + confidence) / 2) if quantile is None else quantile
    share, z2 = k / n, z * z
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = z / (1 + z2 / n) * sqrt(share * (1 - share) / n + z2 / (4 * n * n))
    # at the ends rounding would leave a trace of the other side
    return (
        0.0 if k == 0 else max(0.0, middle - half),
        1.0 if k == n else min(1.0, middle + half),
    )


def normal_quantile(p: float) -> float:
    """The value that a standard normal variable stays below with chance p."""
    return NormalDist().inv_cdf(p)


@lru_cache(maxsize=1024)
def t_quantile(p: float, freedom: float) -> float:
    """The value that a t variable with that many degrees of freedom stays below with chance p.

    P(T <= t) = 1 - I_{v / (v + t^2)}(v / 2, 1 / 2) / 2 for t >= 0; beyond 200 degrees the expansion
    in 1 / v of Abramowitz and Stegun 26.7.5, which is right to 1e-9 there.
    """
    if p < 0.5:
        return -t_quantile(1 - p, freedom)
    if freedom > 200:
        z, v = normal_quantile(p), freedom
        return (
            z
            + (z**3 + z) / (4 * v)
            + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * v**2)
            + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * v**3)
        )
    low, high = 0.0, 1.0

    def below(t: float) -> float:
        return 1 - incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t)) / 2

    while below(high) < p:
        high *= 2
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if below(middle) < p else (low, middle)
    return (low + high) / 2


def _root(increasing: Callable[[float], float]) -> float:
    """Where a function that rises with the chance crosses zero, to 1e-12."""
    low, high = 0.0, 1.0
    for _ in range(48):
        middle = (low + high) / 2
        low, high = (middle, high) if increasing(middle) < 0 else (low, middle)
    return (low + high) / 2


def _checked(k: float, n: float) -> None:
    if n <= 0 or not 0 <= k <= n:
        raise ValueError(f"{k} of {n} is not a share")


BOOTSTRAP = "bootstrap over groups, expanded percentiles"
EXACT = "exact binomial bound on the share of groups that differ"
FEWEST_GROUPS = 3
"""With fewer independent documents no interval is given.

With two, one degree of freedom is left and an interval says nothing (for average precision it spans
.4 to .5 of the scale on average); asking for five shows so few samples of a rare class that those
shown are no longer typical (coverage falls to .74 to .90). See `tests/bench/bench_coverage.py`.
"""
TOO_FEW = "too few independent documents"
MOSTLY_UNDEFINED = f"{TOO_FEW}: on most resamples of them it is not defined"
UNDEFINED = "not defined on these items"
CHUNK = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class IntervalEstimate:
    """One statistic, how sure it is, and what it rests on."""

    value: float | None
    """None where it is not defined: nothing to compare, or only one category in use."""
    low: float | None = None
    high: float | None = None
    """The 95 % interval, unless the function says otherwise; None without one."""
    n: int
    """Items it rests on."""
    groups: int
    """Independent groups of items: what was drawn for the interval."""
    method: str = BOOTSTRAP
    missing: str = ""
    """Why there is a value and no interval; empty where there is one."""

    @property
    def interval(self) -> tuple[float, float] | None:
        """Both ends; None without an interval."""
        return None if self.low is None or self.high is None else (self.low, self.high)

    @property
    def no_interval(self) -> str:
        """Why there is no interval; empty where there is one."""
        if self.low is not None:
            return ""
        return UNDEFINED if self.value is None else self.missing or TOO_FEW

    @property
    def text(self) -> str:
        """As pages show it: `0.71 (0.64–0.77, n = 412)`; `–` where it is not defined.

        Without an interval it says why: `0.71 (n = 4; too few independent documents)`.
        """
        if self.value is None:
            return f"– (n = {self.n:,})"
        if self.low is None or self.high is None:
            return f"{_signed(self.value)} (n = {self.n:,}; {self.no_interval.partition(':')[0]})"
        interval = f"{_signed(self.low)}–{_signed(self.high)}"
        return f"{_signed(self.value)} ({interval}, n = {self.n:,})"

    def to_dict(self) -> JsonDict:
        """The figure as reports hold it."""
        return {
            "value": self.value,
            "ci95": None if self.low is None else [self.low, self.high],
            **({"ci95_missing": self.no_interval} if self.low is None else {}),
            "n": self.n,
            "groups": self.groups,
            "method": self.method,
        }


def expanded_tail(groups: int, confidence: float = 0.95) -> float:
    """What to cut off each end of the drawn figures, so that few groups don't promise too much.

    Phi(-sqrt(G / (G - 1)) t), t the quantile with G - 1 degrees of freedom (Hesterberg 2015).
    """
    t = t_quantile((1 + confidence) / 2, groups - 1)
    return NormalDist().cdf(-sqrt(groups / (groups - 1)) * t)


def too_few_groups(groups: int) -> str:
    """Why so few independent groups of items give no interval; empty where they are enough."""
    if groups >= FEWEST_GROUPS:
        return ""
    return f"{TOO_FEW}: {groups:,} of at least {FEWEST_GROUPS}"


def _signed(value: float) -> str:
    """Two digits, with a minus sign that cannot be taken for the dash of an interval."""
    return f"{value:z.2f}".replace("-", "\u2212")


class ClusterBootstrap:
    """Amounts that add up over items, kept by group so that groups can be resampled.

    A group that is drawn twice counts twice: groups, not items, are what is independent.
    """

    def __init__(
        self,
        groups: "Sequence[Hashable] | NDArray[np.int64]",
        amounts: "Rows",
        *,
        rounds: int = 1000,
        seed: int = 0,
    ) -> None:
        """Numbers as `groups` stand for themselves, from 0 on without a gap."""
        import numpy as np

        self.n = len(groups)
        if isinstance(groups, np.ndarray):
            at = groups
            self.groups = int(at.max()) + 1 if len(at) else 0
        else:
            places = {group: number for number, group in enumerate(dict.fromkeys(groups))}
            at = np.array([places[group] for group in groups], dtype=np.int64)
            self.groups = len(places)
        self._by_group = np.zeros((self.groups, amounts.shape[1] if amounts.ndim > 1 else 0))
        for column in range(self._by_group.shape[1]):
            self._by_group[:, column] = np.bincount(
                at, weights=amounts[:, column], minlength=self.groups
            )
        self._rounds, self._seed = rounds, seed
        self._drawn: Rows | None = None

    @property
    def by_group(self) -> "Rows":
        """The sums of each group, one row a group."""
        return self._by_group

    @property
    def total(self) -> "Rows":
        """The sums over all groups, as one row."""
        total: Rows = self._by_group.sum(axis=0, keepdims=True)
        return total

    def figure(
        self,
        statistic: "Callable[[Rows], Rows]",
        *,
        n: int | None = None,
        surest: float | None = None,
        spread: float | None = None,
        difference: bool = False,
        confidence: float = 0.95,
    ) -> IntervalEstimate:
        """A statistic of the sums with its bootstrap interval, percentiles expanded for few groups.

        Where nothing differs, every draw is alike and the bootstrap would claim certainty. Then the
        interval is the exact binomial one for a share of groups of which none was seen: it reaches
        down by q / `spread`, q = 1 - ((1 - confidence) / 2) ** (1 / groups). Where all groups are
        alike otherwise, a share q of them may yet have either limit of the figure; or of a
        difference that is not 0, the opposite one, so that the interval leaves out 0 where the
        exact test over swaps of groups does.

        Args:
            statistic: From rows of sums to one value a row, NaN where it is not defined.
            n: Items that the figure rests on, when not all.
            surest: The value that means that nothing differs.
            spread: What a share of differing items is divided by to get to the figure's scale.
            difference: Whether it is one of two things on the same items, -1 to 1; else it lies
                between 0 and 1.
            confidence: Of the interval.
        """
        import numpy as np

        number = self.n if n is None else n
        value = float(statistic(self.total)[0]) if self.groups else float("nan")
        if not np.isfinite(value):
            return IntervalEstimate(value=None, n=number, groups=self.groups)
        few = too_few_groups(self.groups)
        if few:
            return IntervalEstimate(value=value, n=number, groups=self.groups, missing=few)
        tail = (1 - confidence) / 2
        if surest is not None and spread and abs(value - surest) < 1e-12:
            unseen = 1 - tail ** (1 / self.groups)
            low = surest - unseen / spread
            return IntervalEstimate(
                value=value, low=low, high=surest, n=number, groups=self.groups, method=EXACT
            )
        drawn = statistic(self._draws())
        drawn = drawn[np.isfinite(drawn)]
        if len(drawn) < self._rounds / 2:
            return IntervalEstimate(
                value=value, n=number, groups=self.groups, missing=MOSTLY_UNDEFINED
            )
        if float(np.ptp(drawn)) < 1e-12:
            unseen = 1 - tail ** (1 / self.groups)
            least, most = (-1.0, 1.0) if difference else (0.0, 1.0)
            if difference and abs(value) > 1e-12:
                least, most = (-value, most) if value > 0 else (least, -value)
            return IntervalEstimate(
                value=value,
                low=value - unseen * (value - least),
                high=value + unseen * (most - value),
                n=number,
                groups=self.groups,
                method=EXACT,
            )
        tail = expanded_tail(self.groups, confidence)
        low, high = (float(edge) for edge in np.quantile(drawn, [tail, 1 - tail]))
        return IntervalEstimate(value=value, low=low, high=high, n=number, groups=self.groups)

    def _draws(self) -> "Rows":
        """The sums of each draw of as many groups as there are, with replacement."""
        import numpy as np

        if self._drawn is None:
            generator = np.random.default_rng(self._seed)
            parts = []
            for start in range(0, self._rounds, CHUNK):
                size = min(CHUNK, self._rounds - start)
                chosen = generator.integers(0, self.groups, (size, self.groups))
                weights = np.stack([np.bincount(row, minlength=self.groups) for row in chosen])
                parts.append(weights @ self._by_group)
            self._drawn = np.concatenate(parts)
        return self._drawn


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
        hits=hits, n=n, groups=groups, effective_n=effective, low=low, high=high, method=method
    )
