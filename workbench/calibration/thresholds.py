"""What each threshold on the score would decide, and which one meets a target.

`score >= threshold` is decided "supported". One pass over the sorted scores; a million take about a
second.
"""

import hashlib
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from workbench.calibration.estimates import ProportionEstimate, group_indices, share_from
from workbench.errors import UsageError
from workbench.records.text import Json, JsonDict

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Column = NDArray[np.float64]


GRID: tuple[float, ...] = (
    *(n / 100 for n in range(1, 100)),
    *(0.99 + n / 1000 for n in range(1, 10)),
    *(0.999 + n / 10_000 for n in range(1, 10)),
)
"""Fixed before any score is seen, which the guarantee needs; finer where judges crowd."""

Side = Literal["accept", "reject"]


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatingPoint:
    """What one threshold decides of the labelled items."""

    threshold: float
    n: int
    positives: int
    accepted: int
    right: int
    """Accepted items that are supported."""
    precision: ProportionEstimate | None
    """Of the accepted items, those that are supported."""
    recall: ProportionEstimate | None
    """Of the supported items, those that are accepted."""
    rejection: ProportionEstimate | None
    """Of the rejected items, those that are not supported (negative predictive value)."""
    cost: float
    """The mean cost of an item under the given costs."""

    @property
    def accuracy(self) -> float:
        """The share of items that are decided rightly."""
        wrong_accepted = self.accepted - self.right
        missed = self.positives - self.right
        return (self.n - wrong_accepted - missed) / self.n

    def to_dict(self) -> JsonDict:
        """The cut as tables and charts hold it."""
        row: dict[str, Json] = {
            "threshold": round(self.threshold, 6),
            "accepted": self.accepted,
            "accuracy": self.accuracy,
            "cost": self.cost,
        }
        for name in ("precision", "recall", "rejection"):
            share: ProportionEstimate | None = getattr(self, name)
            row[name] = share.hits / share.n if share else None
            row[f"{name}_low"] = share.low if share else None
            row[f"{name}_high"] = share.high if share else None
        return row


class Sweep:
    """The labelled items laid out by score, so that every threshold is one step."""

    def __init__(
        self,
        scores: "Sequence[float] | Column",
        positive: "Sequence[bool] | NDArray[np.bool_]",
        groups: "Sequence[Hashable] | NDArray[np.int64]",
        grid: Sequence[float] = GRID,
    ) -> None:
        """Lay the items out.

        Raises:
            UsageError: A score is not from 0 to 1.
        """
        import numpy as np

        s = np.asarray(scores, dtype=np.float64)
        y = np.asarray(positive, dtype=np.float64)
        if len(s) and not ((s >= 0) & (s <= 1)).all():
            raise UsageError("A threshold needs scores from 0 to 1; some are not.")
        ungrouped = not isinstance(groups, np.ndarray) and len(set(groups)) == len(s)
        at = np.arange(len(s)) if ungrouped else group_indices(groups)
        self.n, self.positives = len(s), int(y.sum())
        self.groups = int(at.max()) + 1 if len(at) else 0
        self.grid = tuple(sorted(grid))
        # cell c: the items that the first c thresholds accept and no later one
        cell = np.searchsorted(np.asarray(self.grid), s, side="right")
        order = np.argsort(cell, kind="stable")
        self._ends = np.cumsum(np.bincount(cell, minlength=len(self.grid) + 1))
        self._y, self._at = y[order], at[order]

    def cuts(self, *, wrong_accept: float = 1.0, wrong_reject: float = 1.0) -> list[OperatingPoint]:
        """What each threshold of the grid decides, strictest first.

        The costs are those of one wrong decision each way, in any unit.
        """
        if not self.n:
            return []
        ungrouped = self.groups == self.n
        accepted, supported, rejected = (
            _GroupTotals(0 if ungrouped else self.groups) for _ in range(3)
        )
        all_items = _group_items(self._at, self._y, ungrouped)
        rejected.add(all_items.flipped())
        supported.add(all_items.hits_only().unhit())
        points = []
        for number in range(len(self.grid) - 1, -1, -1):
            items = slice(int(self._ends[number]), int(self._ends[number + 1]))
            group_items = _group_items(self._at[items], self._y[items], ungrouped)
            accepted.add(group_items)
            rejected.add(group_items.flipped(), -1)
            supported.add(group_items.hits_only(), 0)
            wrong = accepted.n - accepted.hits
            missed = self.positives - accepted.hits
            points.append(
                OperatingPoint(
                    threshold=self.grid[number],
                    n=self.n,
                    positives=self.positives,
                    accepted=accepted.n,
                    right=accepted.hits,
                    precision=accepted.share(),
                    recall=supported.share(),
                    rejection=rejected.share(),
                    cost=(wrong * wrong_accept + missed * wrong_reject) / self.n,
                )
            )
        return points


@dataclass(frozen=True, slots=True)
class _GroupedItems:
    """Some items, added up by group."""

    groups: "NDArray[np.int64]"
    sizes: "Column"
    hits: "Column"
    n: int
    hit: int

    def flipped(self) -> "_GroupedItems":
        return _GroupedItems(
            self.groups, self.sizes, self.sizes - self.hits, self.n, self.n - self.hit
        )

    def unhit(self) -> "_GroupedItems":
        return _GroupedItems(self.groups, self.sizes, self.hits * 0, self.n, 0)

    def hits_only(self) -> "_GroupedItems":
        return _GroupedItems(self.groups, self.hits, self.hits, self.hit, self.hit)


def _group_items(at: "NDArray[np.int64]", y: "Column", ungrouped: bool) -> _GroupedItems:
    import numpy as np

    if ungrouped:
        return _GroupedItems(at[:0], y[:0], y[:0], len(y), int(y.sum()))
    groups, inverse = np.unique(at, return_inverse=True)
    sizes = np.bincount(inverse, minlength=len(groups)).astype(np.float64)
    hits: Column = np.bincount(inverse, weights=y, minlength=len(groups)).astype(np.float64)
    return _GroupedItems(groups, sizes, hits, len(y), int(y.sum()))


class _GroupTotals:
    """Items and hits by group, with the sums of their squares, moved a few at a time.

    Without groups every item is its own.
    """

    def __init__(self, groups: int) -> None:
        import numpy as np

        self.sizes, self.hit_sums = np.zeros(groups), np.zeros(groups)
        self.n = self.hits = self.present = 0
        self._ss = self._sh = self._hh = 0.0

    def add(self, added: _GroupedItems, items: int = 1) -> None:
        """Add items (1), take them away (-1), or add their hits to items that are there (0)."""
        import numpy as np

        sign = -1 if items < 0 else 1
        self.n += items * added.n
        self.hits += sign * added.hit
        if not len(added.groups):
            return
        s, h = self.sizes[added.groups], self.hit_sums[added.groups]
        new_s, new_h = s + items * added.sizes, h + sign * added.hits
        self._ss += float(new_s @ new_s - s @ s)
        self._sh += float(new_s @ new_h - s @ h)
        self._hh += float(new_h @ new_h - h @ h)
        self.present += int(np.count_nonzero(new_s) - np.count_nonzero(s))
        self.sizes[added.groups], self.hit_sums[added.groups] = new_s, new_h

    def share(self) -> ProportionEstimate | None:
        """The share of hits; None without items."""
        if self.n <= 0:
            return None
        if not len(self.sizes):
            return share_from(
                hits=self.hits, n=self.n, groups=self.n, squared_sizes=self.n, variance=0.0
            )
        p, variance = self.hits / self.n, float("inf")
        if self.present > 1:
            squares = self._hh - 2 * p * self._sh + p * p * self._ss
            variance = max(squares, 0.0) * self.present / (self.present - 1) / self.n**2
        return share_from(
            hits=self.hits,
            n=self.n,
            groups=self.present,
            squared_sizes=self._ss,
            variance=variance,
        )


def sweep_thresholds(
    scores: "Sequence[float] | Column",
    positive: "Sequence[bool] | NDArray[np.bool_]",
    groups: "Sequence[Hashable] | NDArray[np.int64]",
    *,
    grid: Sequence[float] = GRID,
    wrong_accept: float = 1.0,
    wrong_reject: float = 1.0,
) -> list[OperatingPoint]:
    """What each threshold decides, strictest first; empty without items.

    Raises:
        UsageError: A score is not from 0 to 1.
    """
    sweep = Sweep(scores, positive, groups, grid)
    return sweep.cuts(wrong_accept=wrong_accept, wrong_reject=wrong_reject)


def select_operating_point(
    cuts: Sequence[OperatingPoint],
    aim: Literal["precision", "recall", "cost"],
    target: float | None = None,
) -> OperatingPoint | None:
    """The cut that serves an aim best on these items; None where none does.

    `precision`: of the cuts with at least that precision, the one with most recall. `recall`: of
    the cuts with at least that recall, the one with most precision. `cost`: the cheapest. That is
    what these items say; only a `RiskGuarantee` covers others.
    """

    def precision(cut: OperatingPoint) -> float:
        return cut.right / cut.accepted if cut.accepted else 1.0

    def recall(cut: OperatingPoint) -> float:
        return cut.right / cut.positives if cut.positives else 0.0

    if aim == "cost":
        return min(cuts, key=lambda cut: (cut.cost, -cut.threshold), default=None)
    if target is None or not 0 < target <= 1:
        raise UsageError(f"The target of {aim} is a share above 0 and up to 1, not {target}.")
    if aim == "precision":
        fit = [cut for cut in cuts if cut.accepted and precision(cut) >= target]
        return max(fit, key=lambda cut: (recall(cut), cut.threshold), default=None)
    fit = [cut for cut in cuts if recall(cut) >= target]
    return max(fit, key=lambda cut: (precision(cut), cut.threshold), default=None)


Part = Literal["train", "dev", "test"]
PARTS: tuple[Part, ...] = get_args(Part)
SHARES: Mapping[Part, float] = {"train": 0.4, "dev": 0.3, "test": 0.3}


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupKeys:
    """An item and everything that it shares with others: its question, its page, its domain."""

    item: str
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitAssignment:
    """Where an item went."""

    item: str
    group: str
    """Named by its smallest key; items that share a key, also through others, share the group."""
    part: Part | None
    """None for an item that ties groups of several parts together: it is used in no part, since it
    would leak from one into the other."""


def assign_splits(
    items: Sequence[GroupKeys],
    *,
    shares: Mapping[Part, float] = SHARES,
    seed: int = 0,
    before: Mapping[str, Part] | None = None,
) -> list[SplitAssignment]:
    """The part of each item, in the order given; the same items and seed give the same parts.

    Items that share a key stand in one group, and a group in one part. What was placed `before`
    (item to part) stays; a new item goes where its group is. New groups are dealt, largest first,
    to the part that is furthest below its share of items; ties are broken by a hash with the seed.

    Raises:
        UsageError: The shares are not positive or do not add up to 1.
    """
    if abs(sum(shares.values()) - 1) > 1e-9 or min(shares.values(), default=0) <= 0:
        raise UsageError(f"The shares of the parts must be above 0 and add up to 1: {dict(shares)}")
    groups = _groups(items)
    members: dict[str, list[str]] = {}
    for item, group in zip(items, groups, strict=True):
        members.setdefault(group, []).append(item.item)
    placed_before = before or {}
    part_of: dict[str, Part | None] = {}
    filled = dict.fromkeys(shares, 0)
    for group, names in members.items():
        parts = {placed_before[name] for name in names if name in placed_before}
        if parts:
            part_of[group] = parts.pop() if len(parts) == 1 else None
        placed = part_of.get(group)
        if placed:
            filled[placed] += len(names)
    new = sorted(
        (group for group in members if group not in part_of),
        key=lambda group: (-len(members[group]), _seeded_hash(seed, group)),
    )
    for group in new:
        part = min(
            shares,
            key=lambda candidate: (filled[candidate] / shares[candidate], PARTS.index(candidate)),
        )
        part_of[group] = part
        filled[part] += len(members[group])
    # in a group that holds items of several parts, those keep theirs and new ones get none
    return [
        SplitAssignment(
            item=item.item, group=group, part=part_of[group] or placed_before.get(item.item)
        )
        for item, group in zip(items, groups, strict=True)
    ]


def _groups(items: Sequence[GroupKeys]) -> list[str]:
    """The name of each item's group: what is connected through shared keys (union-find)."""
    parents: dict[str, str] = {}

    def root(key: str) -> str:
        while parents[key] != key:
            parents[key] = parents[parents[key]]
            key = parents[key]
        return key

    firsts = []
    for item in items:
        keys = item.keys or (f"item {item.item}",)
        for key in keys:
            parents.setdefault(key, key)
        for key in keys[1:]:
            a, b = sorted((root(keys[0]), root(key)))
            parents[b] = a
        firsts.append(keys[0])
    return [root(key) for key in firsts]


def _seeded_hash(seed: int, group: str) -> str:
    return hashlib.sha256(f"{seed}\0{group}".encode("utf-8", "surrogatepass")).hexdigest()
