"""Labelled items split once into train, dev and a locked test part, whole groups together."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from workbench.errors import UsageError

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
