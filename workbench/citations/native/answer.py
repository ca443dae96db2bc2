"""What a provider returned beside its answer: its JSON read with offsets, sources, tied stretches."""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from itertools import accumulate
from typing import Literal, NamedTuple

from workbench.citations.marks import Mark
from workbench.citations.references.entries import EntryDetails
from workbench.citations.references.lists import ListedEntry
from workbench.records.citation import Target
from workbench.records.text import Json

Object = Mapping[str, Json]
_EMPTY_OBJECT: Object = {}
LONGEST_QUESTION = 2_000
"""Code points of a question that are kept."""
_QUESTION_KEYS = ("question", "prompt", "query", "user_query", "input", "instruction")
_MESSAGE_KEYS = ("messages", "conversation", "input", "prompt", "contents", "history")
_DATE_KEYS = (
    *("created_at", "createdAt", "created", "create_time", "createTime", "timestamp", "date"),
)
_ASKERS = ("user", "human")
_TEXT_PARTS = ("text", "input_text", None)
_MILLISECONDS = 100_000_000_000
"""A larger number of seconds is one of milliseconds."""
_FIRST_YEAR, _LAST_YEAR = 1970, 2200


def as_object(value: Json) -> Object:
    """The value if it is a JSON object, else an empty one."""
    return value if isinstance(value, Mapping) else _EMPTY_OBJECT


def as_items(value: Json) -> Sequence[Json]:
    """The value if it is a JSON list, else an empty one."""
    return value if isinstance(value, Sequence) and not isinstance(value, str) else ()


def objects(value: Json) -> Iterator[Object]:
    """The objects in a JSON list."""
    for item in as_items(value):
        if isinstance(item, Mapping):
            yield item


def as_text(value: Json) -> str | None:
    """The value if it is a string that is not blank."""
    return value if isinstance(value, str) and value.strip() else None


def as_number(value: Json) -> int | None:
    """The value if it is a whole number."""
    if isinstance(value, bool):
        return None
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) else None


def first(value: Object, *names: str) -> Json:
    """The first of several keys that is there: providers write `startIndex` and `start_index`."""
    for name in names:
        if value.get(name) is not None:
            return value[name]
    return None


def address(value: Json) -> str | None:
    """The value if it is a web address."""
    text = as_text(value)
    return text if text and text[:8].lower().startswith(("http://", "https://")) else None


def role_of(message: Object) -> str:
    """Who wrote a message, in lower case; empty where it does not say."""
    role = message.get("role") or as_object(message.get("author")).get("role")
    return role.lower() if isinstance(role, str) else ""


def asks(message: Object) -> bool:
    """Whether a message is one of the person who asks."""
    return role_of(message) in _ASKERS


def question_in(message: Object) -> str | None:
    """The words of a person's message, what tools returned in it left out; None without any."""
    content = first(message, "content", "parts")
    if isinstance(content, Mapping):
        content = content.get("parts")
    if isinstance(content, str):
        return _trim_question(content)
    words = [item for item in content if isinstance(item, str)] if isinstance(content, list) else []
    for part in objects(content):
        if part.get("type") in _TEXT_PARTS:
            words.append(as_text(part.get("text")) or "")
    return _trim_question("\n".join(word for word in words if word))


def adjacent_question(value: Object) -> str | None:
    """The question that JSON holds beside an answer: by its name, or its last message that asks."""
    for name in _QUESTION_KEYS:
        words = as_text(value.get(name))
        if words:
            return _trim_question(words)
    for name in _MESSAGE_KEYS:
        questions = [item for item in objects(value.get(name)) if asks(item)]
        for message in reversed(questions):
            words = question_in(message)
            if words:
                return words
    inner = as_object(value.get("request"))
    return adjacent_question(inner) if inner and inner is not value else None


def date_in(value: Object) -> str | None:
    """When an answer was written, in ISO 8601; None where it does not say, or in another form."""
    for name in _DATE_KEYS:
        date = _iso(value.get(name))
        if date is not None:
            return date
    return None


def _trim_question(words: str) -> str | None:
    return words.strip()[:LONGEST_QUESTION].rstrip() or None


def _iso(value: Json) -> str | None:
    """A moment in seconds or milliseconds, or an ISO 8601 date, as ISO 8601; None for others."""
    if isinstance(value, bool):
        return None
    try:
        if isinstance(value, int | float):
            seconds = value / 1000 if abs(value) > _MILLISECONDS else value
            moment = datetime.fromtimestamp(seconds, UTC)
            return moment.isoformat(timespec="seconds") if _likely(moment.year) else None
        if not isinstance(value, str):
            return None
        words = value.strip()
        if len(words) <= len("2024-05-01"):
            day = date.fromisoformat(words)
            return day.isoformat() if _likely(day.year) else None
        moment = datetime.fromisoformat(words)
        return moment.isoformat() if _likely(moment.year) else None
    except (ValueError, OverflowError, OSError):
        return None


def _likely(year: int) -> bool:
    return _FIRST_YEAR < year < _LAST_YEAR


Unit = Literal["utf-8", "utf-16", "code points"]


class Place(NamedTuple):
    """A stretch in code points, and what was wrong with the offsets that led to it."""

    start: int
    end: int
    problem: str | None = None


class Offsets:
    """The offsets of one text, in the unit that a provider counts in."""

    def __init__(self, text: str, unit: Unit) -> None:
        self.text = text
        self.unit = unit
        self._ends: list[int] | None = None
        if unit != "code points" and not text.isascii():
            size = _bytes if unit == "utf-8" else _units
            self._ends = list(accumulate(map(size, text)))

    def code_point(self, offset: int) -> int:
        """The code point at an offset, one inside a character counting as its end."""
        offset = max(offset, 0)
        if self._ends is None:
            return min(offset, len(self.text))
        return min(bisect_left(self._ends, offset) + 1, len(self.text)) if offset else 0

    def place(self, start: int, end: int, words: str | None = None) -> Place:
        """The stretch between two offsets; where it does not hold `words`, the one that does."""
        first, last = self.code_point(start), self.code_point(end)
        fits = 0 <= start < end and first < last
        if words is None:
            if fits and end <= self._size():
                return Place(first, last)
            return Place(first, max(first, last), self._mismatch_message(start, end))
        if fits and self.text[first:last].strip() == words.strip():
            return Place(first, last)
        nearest = self._nearest(words, first)
        if nearest >= 0:
            return Place(nearest, nearest + len(words))
        return Place(first, max(first, last), self._mismatch_message(start, end))

    def _size(self) -> int:
        return self._ends[-1] if self._ends else len(self.text)

    def _nearest(self, words: str, position: int) -> int:
        after = self.text.find(words, max(0, position - len(words)))
        return after if after >= 0 else self.text.rfind(words, 0, position)

    def _mismatch_message(self, start: int, end: int) -> str:
        return f"The provider's offsets {start} to {end} ({self.unit}) do not fit its text."


def choose_unit(text: str, spans: list[tuple[int, int]], fits: Callable[[str], bool]) -> Offsets:
    """The offsets in the unit in which most of the spans hold what they should.

    Code points come first: the others are tried only where the text is not plain ASCII.
    """
    plain = Offsets(text, "code points")
    if text.isascii() or not spans:
        return plain
    best, best_count = plain, -1
    for offsets in (plain, Offsets(text, "utf-16"), Offsets(text, "utf-8")):
        count = sum(
            fits(text[offsets.code_point(start) : offsets.code_point(end)]) for start, end in spans
        )
        if count > best_count:
            best, best_count = offsets, count
    return best


def _bytes(character: str) -> int:
    code = ord(character)
    return 1 if code < 0x80 else 2 if code < 0x800 else 3 if code < 0x10000 else 4


def _units(character: str) -> int:
    return 2 if ord(character) > 0xFFFF else 1


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
