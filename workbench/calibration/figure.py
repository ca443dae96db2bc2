"""A figure with its interval, and the bootstrap for figures that are made of sums."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING

from workbench.calibration.binomial import t_quantile
from workbench.records import JsonDict

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Rows = NDArray[np.float64]
    """One row of sums a draw."""

BOOTSTRAP = "bootstrap over groups, expanded percentiles"
EXACT = "exact binomial bound on the share of groups that differ"
NO_INTERVAL = "no interval: fewer than two groups"
CHUNK = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
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

    @property
    def text(self) -> str:
        """As pages show it: `0.71 (0.64–0.77, n = 412)`; `–` where it is not defined."""
        if self.value is None:
            return f"– (n = {self.n:,})"
        if self.low is None or self.high is None:
            return f"{_signed(self.value)} (n = {self.n:,})"
        interval = f"{_signed(self.low)}–{_signed(self.high)}"
        return f"{_signed(self.value)} ({interval}, n = {self.n:,})"

    def to_dict(self) -> JsonDict:
        """The figure as reports hold it."""
        return {
            "value": self.value,
            "ci95": None if self.low is None else [self.low, self.high],
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


def _signed(value: float) -> str:
    """Two digits, with a minus sign that cannot be taken for the dash of an interval."""
    return f"{value:.2f}".replace("-", "\u2212")


class Sums:
    """Amounts that add up over items, kept by group so that groups can be drawn anew.

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
        confidence: float = 0.95,
    ) -> Figure:
        """A statistic of the sums with its bootstrap interval, percentiles expanded for few groups.

        Where nothing differs, every draw is alike and the bootstrap would claim certainty. Then the
        interval is the exact binomial one for a share of groups of which none was seen: it reaches
        down by q / `spread`, q = 1 - ((1 - confidence) / 2) ** (1 / groups).

        Args:
            statistic: From rows of sums to one value a row, NaN where it is not defined.
            n: Items that the figure rests on, when not all.
            surest: The value that means that nothing differs.
            spread: What a share of differing items is divided by to get to the figure's scale.
            confidence: Of the interval.
        """
        import numpy as np

        number = self.n if n is None else n
        value = float(statistic(self.total)[0]) if self.groups else float("nan")
        if not np.isfinite(value):
            return Figure(value=None, n=number, groups=self.groups)
        if self.groups < 2:
            return Figure(value=value, n=number, groups=self.groups, method=NO_INTERVAL)
        tail = (1 - confidence) / 2
        if surest is not None and spread and abs(value - surest) < 1e-12:
            unseen = 1 - tail ** (1 / self.groups)
            low = surest - unseen / spread
            return Figure(
                value=value, low=low, high=surest, n=number, groups=self.groups, method=EXACT
            )
        drawn = statistic(self._draws())
        drawn = drawn[np.isfinite(drawn)]
        if len(drawn) < self._rounds / 2:
            return Figure(value=value, n=number, groups=self.groups, method=NO_INTERVAL)
        tail = expanded_tail(self.groups, confidence)
        low, high = (float(edge) for edge in np.quantile(drawn, [tail, 1 - tail]))
        return Figure(value=value, low=low, high=high, n=number, groups=self.groups)

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
