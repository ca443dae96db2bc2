"""A figure with its interval, and the bootstrap for figures that are made of sums."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING

from workbench.calibration.binomial import t_quantile
from workbench.records.text import JsonDict

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Rows = NDArray[np.float64]
    """One row of sums a draw."""

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
