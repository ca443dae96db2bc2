"""What the finders hand on: a citation mark, before it has a claim and a source."""

from typing import NamedTuple

from workbench.records import CitationKind, Target


class Mark(NamedTuple):
    """A citation found at `text[start:end]`; offsets are code points of the text as given."""

    start: int
    end: int
    kind: CitationKind
    identifier: str
    target: Target | None = None
    """Where it points by itself; None when an entry of a reference list has to say so."""
    names: tuple[str, ...] = ()
    """Author names, first author first, for marks that name an author and a year."""
    year: str = ""
    """The year with its letter, `2019a`, for marks that name an author and a year."""
    style: str = ""
    """`footnote`, `narrative`, `wrap`, `ibid`, `short`: a form that is linked in its own way."""
    reference: int | None = None
    """The entry that it names, for marks that a provider tied to one."""
    covers: tuple[int, int] | None = None
    """The words that a wrapping tag encloses, when they are the claim."""


class Zones:
    """Half-open stretches of a text that a finder must keep out of."""

    def __init__(self, spans: list[tuple[int, int]]) -> None:
        self.spans: list[tuple[int, int]] = []
        for start, end in sorted(spans):
            if self.spans and start <= self.spans[-1][1]:
                self.spans[-1] = (self.spans[-1][0], max(end, self.spans[-1][1]))
            elif end > start:
                self.spans.append((start, end))

    def outside(self, marks: list[Mark]) -> list[Mark]:
        """The marks, sorted by place, that touch none of the zones."""
        spans, count, at = self.spans, len(self.spans), 0
        kept = []
        for mark in sorted(marks, key=_place):
            while at < count and spans[at][1] <= mark.start:
                at += 1
            if at == count or mark.end <= spans[at][0]:
                kept.append(mark)
        return kept


def _place(mark: Mark) -> tuple[int, int]:
    return mark.start, -mark.end
