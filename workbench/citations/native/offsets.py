"""Turn a provider's offsets into code points, and check them against the text."""

from bisect import bisect_left
from collections.abc import Callable
from itertools import accumulate
from typing import Literal, NamedTuple

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
