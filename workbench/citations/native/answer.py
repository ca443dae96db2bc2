"""What a provider returned beside its answer: sources, and the stretches that it ties to them."""

from typing import NamedTuple

from workbench.citations.marks import Mark
from workbench.citations.references.entries import EntryDetails
from workbench.citations.references.lists import ListedEntry
from workbench.records.citation import Target

_SECTION = 1_000_000
"""The number of the provider's list: after every list of the text."""


class ProviderSource(NamedTuple):
    """A source that a provider lists."""

    label: str
    title: str | None = None
    url: str | None = None
    year: int | None = None
    key: str = ""
    """What tells it from the others, where neither address nor title does."""


class ProviderMark(NamedTuple):
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


class ProviderAnswer(NamedTuple):
    """An answer with what its provider returned beside it."""

    text: str
    sources: tuple[ProviderSource, ...] = ()
    marks: tuple[ProviderMark, ...] = ()
    answered: tuple[AnsweredQuestion, ...] = ()
    """In text order; several for a transcript with several turns."""
    notices: tuple[str, ...] = ()
    """What beside the text was not read, in sentences."""

    def entries(self) -> list[ListedEntry]:
        """The sources as reference entries: none stands in the text, so their spans are empty."""
        place = len(self.text)
        return [
            ListedEntry(place, place, source.label or None, "square", _SECTION, _entry(source))
            for source in self.sources
        ]

    def native_marks(self, first: int, *, covers: bool) -> list[Mark]:
        """Its marks that cover the words they support, or those that stand beside them.

        Args:
            first: The number of its first source among the reference entries.
            covers: Which of the two.
        """
        return [
            Mark(
                mark.start,
                mark.end,
                "native",
                mark.identifier,
                style=mark.problem or "",
                reference=None if mark.source is None else first + mark.source,
            )
            for mark in self.marks
            if mark.covers == covers
        ]


class AnswerBuilder:
    """Puts an answer together from its parts."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._size = 0
        self.sources: list[ProviderSource] = []
        self._source_numbers: dict[str, int] = {}
        self.marks: list[ProviderMark] = []
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

    def add_source(self, source: ProviderSource) -> int:
        """The number of a source, counted from 0; one with the same address or key is the same."""
        key = source.key or source.url or source.title or f"#{len(self.sources)}"
        if key in self._source_numbers:
            return self._source_numbers[key]
        self._source_numbers[key] = len(self.sources)
        label = source.label or str(len(self.sources) + 1)
        self.sources.append(source._replace(label=label))
        return self._source_numbers[key]

    def answer(self, question: str | None, date: str | None) -> None:
        """Begin the answer to a question, written at a date, with what is added next."""
        self._answered.append(AnsweredQuestion(self._size, question, date))

    def build(self) -> ProviderAnswer:
        """The answer."""
        return ProviderAnswer(
            "".join(self._parts), tuple(self.sources), tuple(self.marks), tuple(self._answered)
        )


def _entry(source: ProviderSource) -> EntryDetails:
    target = Target(form="url", value=source.url) if source.url else None
    return EntryDetails(target, source.title, (), source.year, "", None, source.title or "")
