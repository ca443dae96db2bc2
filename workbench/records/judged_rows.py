"""Judged items by the hundred thousand: kept by column, made where they are looked at."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import overload

from workbench.records.review import Judged
from workbench.records.verdict import HumanLabel, VerdictLabel

Slices = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedRows(Sequence[Judged]):
    """A sequence of judged items whose columns can be had as they are."""

    items: Sequence[str]
    judges: Sequence[VerdictLabel]
    scores: Sequence[float]
    humans: Sequence[HumanLabel]
    groups: Sequence[str]
    errors: Sequence[str | None]
    slices: Sequence[Slices] = ()
    """Of each item; empty where they were not asked for."""

    def __len__(self) -> int:
        return len(self.items)

    @overload
    def __getitem__(self, at: int) -> Judged: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Judged, ...]: ...

    def __getitem__(self, at: int | slice) -> Judged | tuple[Judged, ...]:
        if isinstance(at, slice):
            return tuple(self._made(number) for number in range(len(self))[at])
        return self._made(range(len(self))[at])

    def __iter__(self) -> Iterator[Judged]:
        return (self._made(number) for number in range(len(self)))

    def _made(self, number: int) -> Judged:
        return Judged(
            item=self.items[number],
            judge=self.judges[number],
            score=self.scores[number],
            human=self.humans[number],
            group=self.groups[number],
            error=self.errors[number],
            slices=self.slices[number] if self.slices else (),
        )


def judged_rows(judged: Sequence[Judged]) -> JudgedRows:
    """The same items by column."""
    if isinstance(judged, JudgedRows):
        return judged
    return JudgedRows(
        items=[one.item for one in judged],
        judges=[one.judge for one in judged],
        scores=[one.score for one in judged],
        humans=[one.human for one in judged],
        groups=[one.group for one in judged],
        errors=[one.error for one in judged],
        slices=[one.slices for one in judged],
    )
