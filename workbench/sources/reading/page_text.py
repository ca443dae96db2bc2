"""The positions of an extracted page text's words on the image of the page; pure.

The text comes from one reader and the image from another: they differ in white space, in hyphens
at line ends, in ligatures, and sometimes in the order of columns. Letters are therefore matched
by text that occurs once in both; what does not match has no place, rather than a wrong one.
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import NamedTuple

from workbench.records.text import Span

SCALE = 10_000
"""Places are ten-thousandths of the page's width and height."""
MAX_LETTERS = 40_000
"""Letters of a page whose places are told; a page with more is drawn without any."""
_ANCHOR = 8
"""Letters of a piece of text that, where it occurs once in both, is taken for the same piece."""
_LEAST_BLOCK = 3
"""Fewer letters that agree beside other text may agree by chance."""
_LONGEST_GAP = 200
"""Letters between two matched pieces that are compared with one another: the cost is quadratic."""
_PLACED_SHARE = 0.9
"""Of a span's letters, to say where it stands."""
_SAME = {ord(letter): "'" for letter in "‘’‚‛′`´"}
_SAME |= {ord(letter): '"' for letter in "“”„‟″"}
_SAME |= {ord(letter): "-" for letter in "‐‑‒–—―−"}


class Box(NamedTuple):
    """A rectangle on a page: ten-thousandths of its width and height from its top left corner."""

    left: int
    top: int
    right: int
    bottom: int


class PlacedWord(NamedTuple):
    """A word of the text, or the part of it in one line, and its rectangle on the page."""

    span: Span
    """Code points of the whole text of the source."""
    box: Box


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedText:
    """The text of a page with the place of each code point on the page's image."""

    start: int
    """Where the page begins in the whole text of the source."""
    text: str
    places: tuple[Box | None, ...]
    """For each code point of `text`; None for white space, and where nothing is known."""

    def boxes(self, span: Span) -> tuple[Box, ...]:
        """The rectangles of a span, one a line; empty where a tenth of its letters has no place.

        Args:
            span: Of the whole text of the source; only its part on this page counts.
        """
        first = max(span.start - self.start, 0)
        last = min(span.end - self.start, len(self.text))
        letters = [at for at in range(first, last) if not self.text[at].isspace()]
        boxes = [box for at in letters if (box := self.places[at])]
        if not boxes or len(boxes) < _PLACED_SHARE * len(letters):
            return ()
        return tuple(line for _, line in _lines(boxes, gap=3.0))

    def words(self) -> tuple[PlacedWord, ...]:
        """The words that have a place, in the order of the text."""
        words: list[PlacedWord] = []
        at = 0
        while at < len(self.text):
            end = at
            while end < len(self.text) and self.places[end]:
                end += 1
            run = [box for box in self.places[at:end] if box]
            for count, box in _lines(run, gap=1.0):
                words.append(PlacedWord(Span(self.start + at, self.start + at + count), box))
                at += count
            at = max(at, end) + (not run)
        return tuple(words)


def place_letters(text: str, letters: str, boxes: Sequence[Box]) -> list[Box | None]:
    """A place for each code point of a page's text that is found among its drawn letters.

    Cost is linear in both texts. One beyond four times `MAX_LETTERS` is not placed at all.

    Args:
        text: The extracted text of the page.
        letters: What the page shows, without white space.
        boxes: A rectangle for each of the letters.
    """
    places: list[Box | None] = [None] * len(text)
    if len(text) <= 4 * MAX_LETTERS:
        extracted, extracted_at = _folded(text)
        shown, shown_at = _folded(letters)
        for at, there in enumerate(_matched(extracted, shown)):
            if there >= 0:
                places[extracted_at[at]] = boxes[shown_at[there]]
    return places


def _folded(text: str) -> tuple[str, list[int]]:
    """The letters in one form, without white space, and the index that each comes from."""
    letters: list[str] = []
    origins: list[int] = []
    for index, char in enumerate(text):
        for letter in unicodedata.normalize("NFKC", char).translate(_SAME):
            if not letter.isspace() and unicodedata.category(letter)[0] != "C":
                letters.append(letter)
                origins.append(index)
    return "".join(letters), origins


def _matched(left: str, right: str) -> list[int]:
    """For each letter of the left text the index of the same one in the right text, or -1."""
    if left == right:
        return list(range(len(left)))
    places = [-1] * len(left)
    taken = bytearray(len(right))
    there_once = _unique_pieces(right)
    for piece, at in _unique_pieces(left).items():
        there = there_once.get(piece, -1)
        if at >= 0 and there >= 0:
            _take(places, taken, at, there, _ANCHOR)
    start = 0
    while start < len(left):
        if places[start] >= 0:
            start += 1
            continue
        end = start
        while end < len(left) and places[end] < 0:
            end += 1
        _fill(left, right, places, taken, start, end)
        start = end
    return places


def _unique_pieces(text: str) -> dict[str, int]:
    """Where each piece of `_ANCHOR` letters begins; -1 for one that occurs more than once."""
    places: dict[str, int] = {}
    for at in range(len(text) - _ANCHOR + 1):
        piece = text[at : at + _ANCHOR]
        places[piece] = -1 if piece in places else at
    return places


def _take(places: list[int], taken: bytearray, at: int, there: int, length: int) -> None:
    for step in range(length):
        if places[at + step] < 0 and not taken[there + step]:
            places[at + step] = there + step
            taken[there + step] = 1


def _fill(left: str, right: str, places: list[int], taken: bytearray, start: int, end: int) -> None:
    """Match the letters between two matched pieces: onward from the one, back from the other.

    A piece that ends a column is followed by other text on the right: what agrees there by chance
    is left alone.
    """
    low = places[start - 1] + 1 if start else 0
    high = places[end] if end < len(left) else len(right)
    gap = end - start
    onward = 0
    while onward < gap and low + onward < len(right) and not taken[low + onward]:
        if left[start + onward] != right[low + onward]:
            break
        onward += 1
    back = 0
    while back < gap and high - back > 0 and not taken[high - back - 1]:
        if left[end - back - 1] != right[high - back - 1]:
            break
        back += 1
    if back == gap:
        onward = 0
    elif onward < gap:
        onward = onward if onward >= _LEAST_BLOCK else 0
        back = min(back if back >= _LEAST_BLOCK else 0, gap - onward)
    else:
        back = 0
    _take(places, taken, start, low, onward)
    _take(places, taken, end - back, high - back, back)
    start, end, low, high = start + onward, end - back, low + onward, high - back
    if 0 < end - start <= _LONGEST_GAP and 0 < high - low <= _LONGEST_GAP:
        between = SequenceMatcher(None, left[start:end], right[low:high], autojunk=False)
        for block in between.get_matching_blocks():
            if block.size >= _LEAST_BLOCK:
                _take(places, taken, start + block.a, low + block.b, block.size)


def _lines(boxes: Sequence[Box], gap: float) -> list[tuple[int, Box]]:
    """How many letters stand in a line, and the rectangle round them, in the order given.

    Args:
        boxes: The letters' rectangles in the order of the text.
        gap: Between two letters of a line, as a multiple of their height.
    """
    lines: list[tuple[int, Box]] = []
    last: Box | None = None
    for box in boxes:
        if last is not None and _follows(last, box, gap):
            count, line = lines[-1]
            lines[-1] = (
                count + 1,
                Box(
                    min(line.left, box.left),
                    min(line.top, box.top),
                    max(line.right, box.right),
                    max(line.bottom, box.bottom),
                ),
            )
        else:
            lines.append((1, box))
        last = box
    return lines


def _follows(before: Box, after: Box, gap: float) -> bool:
    """Whether two letters stand in one line, of text that runs across or, where turned, down."""
    size = max(before.bottom - before.top, after.bottom - after.top)
    beside = _overlap(before.top, before.bottom, after.top, after.bottom)
    if beside:
        return _distance(before.left, before.right, after.left, after.right) <= gap * size
    above = _overlap(before.left, before.right, after.left, after.right)
    size = max(before.right - before.left, after.right - after.left)
    return above and _distance(before.top, before.bottom, after.top, after.bottom) <= gap * size / 4


def _overlap(start: int, end: int, other_start: int, other_end: int) -> bool:
    shared = min(end, other_end) - max(start, other_start)
    return shared * 2 >= min(end - start, other_end - other_start) and shared >= 0


def _distance(start: int, end: int, other_start: int, other_end: int) -> int:
    return max(start, other_start) - min(end, other_end)
