"""What a provider returned beside its answer: sources, and the stretches that it ties to them."""

from typing import NamedTuple

from workbench.citations.entries import Entry
from workbench.citations.entry_labels import EntryStyle
from workbench.citations.marks import Mark, Zones
from workbench.citations.references import ReferenceEntry
from workbench.records import Target

_SECTION = 1_000_000
"""The number of the provider's list: after every list of the text."""


class GivenSource(NamedTuple):
    """A source that a provider lists."""

    label: str
    title: str | None = None
    url: str | None = None
    year: int | None = None
    key: str = ""
    """What tells it from the others, where neither address nor title does."""


class GivenMark(NamedTuple):
    """A stretch `text[start:end]` that a provider ties to a source; offsets are code points."""

    start: int
    end: int
    identifier: str
    source: int | None
    covers: bool
    """Whether the stretch is the words that the source supports, and not a mark beside them."""
    problem: str | None = None
    """Why the provider's offsets could not be used as they are."""


class AnsweredQuestion(NamedTuple):
    """What the text from `start` on answers, up to the next one; `start` counts code points."""

    start: int
    question: str | None = None
    date: str | None = None
    """When the answer was written, in ISO 8601."""


class Given(NamedTuple):
    """An answer with what its provider returned beside it."""

    text: str
    sources: tuple[GivenSource, ...] = ()
    marks: tuple[GivenMark, ...] = ()
    answered: tuple[AnsweredQuestion, ...] = ()
    """In text order; several for a transcript with several turns."""

    def listed(self) -> list[ReferenceEntry]:
        """The sources as reference entries: none stands in the text, so their spans are empty."""
        place = len(self.text)
        style: EntryStyle = "square"
        return [
            ReferenceEntry(place, place, one.label or None, style, _SECTION, _entry(one))
            for one in self.sources
        ]


def with_given(marks: list[Mark], given: Given, first: int) -> list[Mark]:
    """The settled marks with those that a provider made, which go before any that they overlap.

    Args:
        marks: Settled marks of the text.
        given: What the provider returned.
        first: The number of its first source among the reference entries.
    """
    made = [_mark(one, first) for one in given.marks if not one.covers]
    if not made:
        return marks
    kept = Zones([(mark.start, mark.end) for mark in made]).outside(marks)
    return sorted([*kept, *made], key=lambda mark: (mark.start, -mark.end))


def covering_marks(given: Given, first: int) -> list[Mark]:
    """The provider's marks that cover the words they support."""
    return [_mark(one, first) for one in given.marks if one.covers]


def _mark(one: GivenMark, first: int) -> Mark:
    return Mark(
        one.start,
        one.end,
        "native",
        one.identifier,
        style=one.problem or "",
        reference=None if one.source is None else first + one.source,
    )


class Builder:
    """Puts an answer together from its parts."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._size = 0
        self.sources: list[GivenSource] = []
        self._known: dict[str, int] = {}
        self.marks: list[GivenMark] = []
        self._answered: list[AnsweredQuestion] = []

    @property
    def size(self) -> int:
        """Code points of text so far."""
        return self._size

    def add_text(self, text: str) -> int:
        """Add a part of the answer; where it begins."""
        start = self._size
        self._parts.append(text)
        self._size += len(text)
        return start

    def part(self) -> None:
        """Separate what comes next from what is there by a blank line."""
        last = self._parts[-1] if self._parts else "\n"
        if not last.endswith("\n"):
            self.add_text("\n\n")

    def add_source(self, source: GivenSource) -> int:
        """The number of a source, counted from 0; one with the same address or key is the same."""
        key = source.key or source.url or source.title or f"#{len(self.sources)}"
        if key in self._known:
            return self._known[key]
        self._known[key] = len(self.sources)
        label = source.label or str(len(self.sources) + 1)
        self.sources.append(source._replace(label=label))
        return self._known[key]

    def answer(self, question: str | None, date: str | None) -> None:
        """Begin the answer to a question, written at a date, with what is added next."""
        self._answered.append(AnsweredQuestion(self._size, question, date))

    def build(self) -> Given:
        """The answer."""
        return Given(
            "".join(self._parts), tuple(self.sources), tuple(self.marks), tuple(self._answered)
        )


def _entry(one: GivenSource) -> Entry:
    target = Target(form="url", value=one.url) if one.url else None
    return Entry(target, one.title, (), one.year, "", None, one.title or "")
