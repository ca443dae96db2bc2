"""Judged items by the hundred thousand: kept by column, made where they are looked at."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import overload

from workbench.records.review import EvaluationExample
from workbench.records.verdict import HumanLabel, VerdictLabel

Slices = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationColumns(Sequence[EvaluationExample]):
    """A sequence of judged items whose columns are available as they are."""

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
    def __getitem__(self, at: int) -> EvaluationExample: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[EvaluationExample, ...]: ...

    def __getitem__(self, at: int | slice) -> EvaluationExample | tuple[EvaluationExample, ...]:
        if isinstance(at, slice):
            return tuple(self._example_at(number) for number in range(len(self))[at])
        return self._example_at(range(len(self))[at])

    def __iter__(self) -> Iterator[EvaluationExample]:
        return (self._example_at(number) for number in range(len(self)))

    def _example_at(self, number: int) -> EvaluationExample:
        return EvaluationExample(
            item=self.items[number],
            judge=self.judges[number],
            score=self.scores[number],
            human=self.humans[number],
            group=self.groups[number],
            error=self.errors[number],
            slices=self.slices[number] if self.slices else (),
        )


def to_columns(judged: Sequence[EvaluationExample]) -> EvaluationColumns:
    """The same items by column."""
    if isinstance(judged, EvaluationColumns):
        return judged
    return EvaluationColumns(
        items=[example.item for example in judged],
        judges=[example.judge for example in judged],
        scores=[example.score for example in judged],
        humans=[example.human for example in judged],
        groups=[example.group for example in judged],
        errors=[example.error for example in judged],
        slices=[example.slices for example in judged],
    )
