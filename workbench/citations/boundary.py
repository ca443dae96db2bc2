"""Where a sentence ends inside a stretch of running text."""

import re
from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

from workbench.citations.lexicon import (
    ENDS_BEFORE_NUMBER,
    MAY_END,
    NEVER_ENDS,
    SENTENCE_OPENERS,
)
from workbench.citations.marks import Mark
from workbench.citations.patterns import CJK

_TOKEN = re.compile(
    r"[.!?\u2026\u203c-\u2049。！？｡\"“„«「『《(（]"
    r"(?:(?<=[.!?\u2026\u203c-\u2049])[.!?\u2026\u203c-\u2049]*|(?<=[。！？｡])[。！？｡]*|)"
)
_CLOSERS = re.compile(r"[\"'”’)\]»」』）】》*_~`]*(?:</?[a-zA-Z]{1,10}\s?/?>)*")
_SPACE = re.compile(r"[ \t\u3000\xa0]*")
_WORD_BEFORE = re.compile(r"[^\s(（\[\"'“‘*_]+\Z")
_CLOSING = {
    "“": "”",
    "„": "“",
    "«": "»",
    '"': '"',
    "「": "」",
    "『": "』",
    "《": "》",
    "(": ")",
    "（": "）",
}
_BRACKETS = {"(": 250, "（": 250, "《": 80}
_QUOTE = 600
"""The longest quotation, in code points, inside which no cut is made; for brackets see above."""
_ENDS = ".!?。！？…"
_WIDE_ENDS = "。！？｡"
_GOES_ON = re.compile("[と、，,的地得；;：:]|って|という")
_LIST_NUMBER = re.compile(r"(?:\A|[:：;；.)\]]\s{0,3}|\s{2})\(?\d{1,2}\Z")
_DOTTED = re.compile(r"(?:[A-Za-z]\.){1,4}[A-Za-z]")
_NEXT_WORD = re.compile(r"[^\W\d_]+")
_WIDE = re.compile(f"[{CJK}「『（《【“]")
_NAME_LEADS = ("by", "and", "&", "of", "with", "author", "to")


class SentenceSpan(NamedTuple):
    """A sentence `text[start:end]`; marks up to `reach`, behind its full stop, belong to it."""

    start: int
    end: int
    reach: int


class SentenceSplitter:
    """Cuts one stretch of a text after another, in text order, going through its marks once."""

    def __init__(self, text: str, marks: Sequence[Mark]) -> None:
        self.text = text
        self.marks = marks
        self._starts = [mark.start for mark in marks]
        self._at = 0
        """The first mark that does not end before the place looked at."""
        self._leading = False
        """Whether marks stand before their sentences here: `[1] Rain fell. [2] Snow fell.`"""

    def cut(self, start: int, end: int) -> list[SentenceSpan]:
        """The sentences of `text[start:end]`.

        A mark that follows a full stop belongs to the sentence before it, unless small letters
        follow it (`. [3] shows that …`) or the stretch has its marks in front. No cut is made
        inside a mark, a short parenthesis or a quotation.
        """
        text = self.text
        out: list[SentenceSpan] = []
        self._leading = self._leads(start, end)
        begin = shield = start
        for token in _TOKEN.finditer(text, start, end):
            at = token.start()
            if at < shield:
                continue
            inside = self._mark_over(at)
            if inside is not None:
                shield = inside
                continue
            sign, after = text[at], token.end()
            if sign in _CLOSING:
                stop = self._close(sign, at, end)
                if stop < 0:
                    continue
                shield = after = stop + 1
                if sign in _BRACKETS or stop - at <= 2:
                    continue
                sign = self._sign_before(stop)
                if sign not in _ENDS:
                    continue
                at = after
            found = self._boundary(after, at, sign, end, begin)
            if found:
                self._add(begin, *found, out)
                begin = max(found)
                shield = max(shield, begin)
        if begin < end:
            self._add(begin, end, end, out)
        return out

    def _leads(self, start: int, end: int) -> bool:
        """Whether a stretch begins with a mark and does not end with one."""
        first = bisect_left(self._starts, start)
        last = bisect_left(self._starts, end) - 1
        if first > last or self._starts[first] != start or self.marks[first].style == "narrative":
            return False
        closing = self.marks[last].end
        return bool(self.text[closing:end].strip(" .。)]*_"))

    def _close(self, sign: str, at: int, end: int) -> int:
        """Where the quotation or parenthesis that opens at `at` closes; -1 if it does not."""
        text = self.text
        if sign == '"':
            before = text[at - 1] if at else " "
            opens = at + 1 < end and not text[at + 1].isspace()
            if before.isdigit() or (before.isalpha() and before.isascii()) or not opens:
                return -1
        reach = min(end, at + _BRACKETS.get(sign, _QUOTE))
        stop = text.find(_CLOSING[sign], at + 1, reach)
        if sign == "(" and stop > 0:
            for _ in range(text.count("(", at + 1, stop)):
                following = text.find(")", stop + 1, reach)
                if following < 0:
                    break
                stop = following
        return stop

    def _mark_over(self, at: int) -> int | None:
        """The end of the mark that `at` stands in."""
        marks = self.marks
        while self._at < len(marks) and marks[self._at].end <= at:
            self._at += 1
        if self._at < len(marks) and marks[self._at].start <= at:
            return marks[self._at].end
        return None

    def _sign_before(self, stop: int) -> str:
        """The last sign of a quotation that closes at `stop`, a mark behind it aside."""
        self._mark_over(stop - 1)
        if self._at < len(self.marks) and self.marks[self._at].end == stop:
            return self.text[max(self.marks[self._at].start - 1, 0)]
        return self.text[stop - 1]

    def _boundary(
        self, after: int, at: int, sign: str, end: int, begin: int
    ) -> tuple[int, int] | None:
        """Where a sentence ends that may end with the sign at `at`: its end and its marks' end."""
        text = self.text
        closers = _CLOSERS.match(text, after, end)
        stop = closers.end() if closers else after
        opens = text.find('"', after, stop)
        if opens >= 0 and text.count('"', max(begin, after - _QUOTE), after) % 2 == 0:
            stop = opens  # a straight quotation mark that opens what comes next
        if sign in _WIDE_ENDS:
            quoted = stop > after or text[after - 1] not in _WIDE_ENDS
            if quoted and stop < end and _GOES_ON.match(text, stop):
                return None
            return stop, self._attach(stop, end)
        if stop == end:
            return stop, stop
        reach = self._attach(stop, end)
        following = text[stop]
        if reach == stop and not following.isspace():
            return (stop, stop) if _WIDE.match(following) else None
        place = _skip(text, reach, end)
        if place == end:
            return stop, reach
        if sign == "." and after - at <= 1 and self._abbreviates(at, begin, place, end):
            return None
        while place < end and text[place] in "\"'“‘(（[*_":
            place += 1
        if place < end and text[place].islower():
            return (stop, stop) if reach > stop else None
        return stop, reach

    def _attach(self, stop: int, end: int) -> int:
        """The end of the marks that directly follow a full stop at `stop`."""
        if self._leading:
            return stop
        text, marks = self.text, self.marks
        number = self._at
        while number < len(marks) and marks[number].end <= stop:
            number += 1
        reach = stop
        while number < len(marks):
            mark = marks[number]
            if mark.start < reach and reach > stop:
                number += 1  # another number of the same group
                continue
            place = _skip(text, reach, end)
            if reach > stop and place < end and text[place] in ",;，、":
                place = _skip(text, place + 1, end)
            opened = place < end and text[place] in "([（" and mark.start == place + 1
            fits = (mark.start == place or opened) and mark.end <= end
            elsewhere = mark.style == "narrative" or mark.kind == "case_law" or mark.covers
            if not fits or elsewhere:
                break
            reach = mark.end
            if opened and reach < end and text[reach] in ")]）":
                reach += 1
            number += 1
        if reach > stop and reach < end and text[reach] in ".。":
            reach += 1
        return reach

    def _abbreviates(self, at: int, begin: int, place: int, end: int) -> bool:
        """Whether the full stop at `at` belongs to an abbreviation, an initial or a number.

        `place` is where the next word stands.
        """
        text = self.text
        word = _WORD_BEFORE.search(text[max(begin, at - 14) : at])
        if word is None:
            return False
        bare = word[0].lower()
        if bare in NEVER_ENDS:
            numbered = place < end and (text[place].isdigit() or text[place] in "§(IVX")
            return bare not in ENDS_BEFORE_NUMBER or numbered
        if bare.isdigit():
            lead = text[max(begin - 3, 0, at - 8) : at]
            return len(bare) <= 2 and _LIST_NUMBER.search(lead) is not None
        initial = len(bare) == 1 and word[0].isupper()
        if not (initial or bare in MAY_END or _DOTTED.fullmatch(word[0])):
            return False
        while place < end and text[place] in "\"'“‘([*_":
            place += 1
        if initial and place < end and text[place].isdigit():
            return True  # `Fed. R. Civ. P. 56`
        following = _NEXT_WORD.match(text, place, end)
        if following is None or following[0].lower() in SENTENCE_OPENERS:
            return False
        if not initial:
            return True
        before = text[max(begin, at - 16) : at - 1].split()
        if not before or before[-1].lower() in _NAME_LEADS:
            return True
        return before[-1][0].isupper() or before[-1].endswith(".")

    def _add(self, begin: int, stop: int, reach: int, out: list[SentenceSpan]) -> None:
        """Add the sentence `begin:stop` without its surrounding blanks."""
        text = self.text
        last = stop
        while begin < last and text[begin].isspace():
            begin += 1
        while last > begin and text[last - 1].isspace():
            last -= 1
        if begin < last:
            out.append(SentenceSpan(begin, last, max(reach, last)))


def _skip(text: str, at: int, end: int) -> int:
    found = _SPACE.match(text, at, end)
    return found.end() if found else at
