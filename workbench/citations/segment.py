"""Cut a text into the sentences, list items and table rows that can be claims."""

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from workbench.citations.lexicon import (
    ENDS_BEFORE_NUMBER,
    MAY_END,
    NEVER_ENDS,
    SENTENCE_OPENERS,
)
from workbench.citations.lines import Line
from workbench.citations.marks import Mark
from workbench.citations.patterns import CJK

SentenceKind = Literal["sentence", "heading", "row"]

_TOKEN = re.compile(r"[.!?\u2026\u203c-\u2049]+|[。！？｡]+|[\"“„«「『《(（]")
_CLOSERS = re.compile(r"[\"'”’)\]»」』）】》*_~`]*")
_SPACE = re.compile(r"[ \t\u3000\xa0]*")
_WORD_BEFORE = re.compile(r"[^\s(（\[\"'“‘*_]+\Z")
_CLOSING = {
    "“": "”",
    "„": "“",
    "«": "»",
    "「": "」",
    "『": "』",
    "《": "》",
    "(": ")",
    "（": "）",
    '"': '"',
}
_SHIELD = {"(": 250, "（": 250, "《": 80}
_QUOTE_SHIELD = 600
_CJK_GO_ON = re.compile("[とって、，,的地得；;：:]|って|という|的")
_LIST_NUMBER = re.compile(r"(?:\A|[:：;；.)\]]\s{0,3}|\s{2})\(?\d{1,2}\Z")
_ENDS = frozenset('.!?。！？…:：;；」』”"')
_WRAP_LEAST = 45


class Sentence(NamedTuple):
    """A stretch that can be a claim: `text[start:end]`; marks up to `reach` belong to it."""

    start: int
    end: int
    reach: int
    kind: SentenceKind


def cut_sentences(text: str, lines: Sequence[Line], marks: Sequence[Mark]) -> list[Sentence]:
    """Sentences, list items and table rows in text order; code is never among them.

    A mark that follows a full stop belongs to the sentence before it, unless small letters follow
    it on the line (`. [3] shows that …`): then it begins the next one. No cut is made inside a
    mark, a short parenthesis or a quotation.

    Args:
        text: The text.
        lines: Its lines without those of reference lists.
        marks: Its settled marks in text order.
    """
    sentences: list[Sentence] = []
    cutter = _Cutter(text, marks)
    at, count = 0, len(lines)
    while at < count:
        line = lines[at]
        at += 1
        if line.kind in ("code", "rule") or line.body >= line.end:
            continue
        if line.kind == "table":
            _cells(text, line, marks, cutter, sentences)
        elif line.kind == "heading":
            sentences.append(Sentence(line.body, line.end, line.end, "heading"))
        else:
            end = line.end
            while at < count and _goes_on(text, line, end, lines[at]):
                end = lines[at].end
                at += 1
            cutter.cut(line.body, end, sentences)
    return sentences


def _goes_on(text: str, line: Line, end: int, after: Line) -> bool:
    """Whether a line is the wrapped rest of the one before it and not a line of its own."""
    if after.gap or after.kind != "plain":
        return False
    last = text[end - 1]
    if last in _ENDS or last in "]】)）*|>":
        first = text[after.body]
        return last in ")*>]" and first.islower() and end - line.start >= _WRAP_LEAST
    first = text[after.body]
    if first.islower() or first in ",;)":
        return True
    width = end - text.rfind("\n", 0, end) - 1
    return width >= _WRAP_LEAST and (first.isalnum() or first in '(["“「『（')


def _cells(
    text: str, line: Line, marks: Sequence[Mark], cutter: "_Cutter", out: list[Sentence]
) -> None:
    """A table row: a cell that holds a sentence is one of its own, else the row as a whole."""
    start, end = line.body, line.end
    while start < end and text[start] in "| \t":
        start += 1
    while end > start and text[end - 1] in "| \t":
        end -= 1
    long = [cell for cell in text[start:end].split("|") if len(cell.split()) >= 6 or len(cell) > 60]
    if not long:
        out.append(Sentence(start, end, line.end, "row"))
        return
    at = start
    for cell in text[start:end].split("|"):
        stop = at + len(cell)
        first = at + len(cell) - len(cell.lstrip())
        if cell.strip():
            cutter.cut(first, at + len(cell.rstrip()), out)
        at = stop + 1


class _Cutter:
    """Cuts one region after another, going through the marks only once."""

    def __init__(self, text: str, marks: Sequence[Mark]) -> None:
        self.text = text
        self.marks = [mark for mark in marks if mark.style != "wrap"]
        self.at = 0
        """The first mark that does not end before the place looked at."""

    def cut(self, start: int, end: int, out: list[Sentence]) -> None:
        """Add the sentences of `text[start:end]`."""
        text = self.text
        begin = start
        shield = start
        quote_end = -1
        for token in _TOKEN.finditer(text, start, end):
            at = token.start()
            if at < shield:
                if at == quote_end:
                    quote_end = -1
                continue
            inside = self._mark_over(at)
            if inside is not None:
                shield = inside
                continue
            first = text[at]
            if first in _CLOSING:
                stop = self._close(first, at, end)
                if stop < 0:
                    continue
                if first in _SHIELD:
                    shield = stop + 1
                    continue
                shield = stop + 1
                sign = self._sign_before(stop)
                if sign in ".!?。！？…" and stop - at > 2:
                    cut = self._boundary(stop + 1, stop + 1, sign, end, begin)
                    if cut:
                        begin = self._add(begin, *cut, out)
                        shield = max(shield, begin)
                continue
            cut = self._boundary(token.end(), at, first, end, begin)
            if cut:
                begin = self._add(begin, *cut, out)
                shield = max(shield, begin)
        if begin < end:
            self._add(begin, end, end, out)

    def _sign_before(self, stop: int) -> str:
        """The last sign of a quotation that closes at `stop`, marks behind it aside."""
        self._mark_over(stop - 1)
        number = self.at
        while number < len(self.marks) and self.marks[number].end == stop:
            return self.text[self.marks[number].start - 1]
        return self.text[stop - 1]

    def _close(self, first: str, at: int, end: int) -> int:
        """Where the quotation or parenthesis that opens at `at` closes; -1 if it does not."""
        text = self.text
        if first == '"':
            before = text[at - 1] if at else " "
            if before.isdigit() or (before.isalpha() and before.isascii()):
                return -1
            if at + 1 < end and text[at + 1].isspace():
                return -1
        reach = min(end, at + _SHIELD.get(first, _QUOTE_SHIELD))
        stop = text.find(_CLOSING[first], at + 1, reach)
        if stop > 0 and first == "(":
            inner = text.count("(", at + 1, stop)
            while inner > 0 and stop > 0 and stop < reach:
                following = text.find(")", stop + 1, reach)
                if following < 0:
                    break
                stop = following
                inner -= 1
        return stop

    def _mark_over(self, at: int) -> int | None:
        """The end of the mark that `at` stands in."""
        marks = self.marks
        while self.at < len(marks) and marks[self.at].end <= at:
            self.at += 1
        if self.at < len(marks) and marks[self.at].start <= at:
            return marks[self.at].end
        return None

    def _boundary(
        self, after: int, at: int, sign: str, end: int, begin: int
    ) -> tuple[int, int] | None:
        """Where a sentence ends that may end with the sign at `at`: its end and its marks' end."""
        text = self.text
        closers = _CLOSERS.match(text, after, end)
        stop = closers.end() if closers else after
        if sign in "。！？｡":
            if stop > after and stop < end and _CJK_GO_ON.match(text, stop):
                return None
            return stop, self._attach(stop, end)
        if stop == end:
            return stop, stop
        following = text[stop]
        reach = self._attach(stop, end)
        if reach == stop and not following.isspace():
            return None if following.isascii() or not _is_cjk(following) else (stop, stop)
        place = _skip(text, reach, end)
        if place == end:
            return stop, reach
        if sign == "." and after - at <= 1 and self._abbreviates(at, begin, place, end):
            return None
        opener = place
        while opener < end and text[opener] in "\"'“‘(（[*_":
            opener += 1
        if opener < end and text[opener].islower():
            if reach == stop:
                return None
            return stop, stop
        return stop, reach

    def _attach(self, stop: int, end: int) -> int:
        """The end of the marks that directly follow a full stop at `stop`."""
        text, marks = self.text, self.marks
        number = self.at
        while number < len(marks) and marks[number].end <= stop:
            number += 1
        reach = stop
        while number < len(marks):
            mark = marks[number]
            place = _skip(text, reach, end)
            if place < end and text[place] in ",;，、" and reach > stop:
                place = _skip(text, place + 1, end)
            opened = place < end and text[place] in "([（" and mark.start == place + 1
            if mark.start < place and mark.start < reach:
                number += 1
                continue
            if mark.start != place and not opened or mark.end > end:
                break
            if not _follows(mark):
                break
            reach = mark.end
            if opened and reach < end and text[reach] in ")]）":
                reach += 1
            number += 1
        if reach > stop and reach < end and text[reach] in ".。":
            reach += 1
        return reach

    def _abbreviates(self, at: int, begin: int, place: int, end: int) -> bool:
        """Whether the full stop at `at` belongs to an abbreviation, an initial or a number."""
        text = self.text
        word = _WORD_BEFORE.search(text[max(begin, at - 14) : at])
        if word is None:
            return False
        bare = word[0].lower()
        if bare in NEVER_ENDS:
            return bare not in ENDS_BEFORE_NUMBER or (
                place < end and (text[place].isdigit() or text[place] in "§(IVX")
            )
        if bare.isdigit():
            lead = text[max(begin - 3, 0, at - 8) : at]
            return len(bare) <= 2 and bool(_LIST_NUMBER.search(lead))
        initial = len(bare) == 1 and word[0].isupper()
        if not (initial or bare in MAY_END or _DOTTED.fullmatch(word[0])):
            return False
        opener = place
        while opener < end and text[opener] in "\"'“‘([*_":
            opener += 1
        following = _NEXT_WORD.match(text, opener, end)
        if following is None:
            return False
        if following[0].lower() in SENTENCE_OPENERS:
            return False
        if initial:
            before = text[max(begin, at - 16) : at - 1].split()
            named = bool(before) and (before[-1][0].isupper() or before[-1].endswith("."))
            return named or not before or before[-1].lower() in ("by", "and", "&", "of", "with")
        return True

    def _add(self, begin: int, stop: int, reach: int, out: list[Sentence]) -> int:
        """Add the sentence `begin:stop` without its surrounding blanks; where the next begins."""
        text = self.text
        while begin < stop and text[begin].isspace():
            begin += 1
        last = stop
        while last > begin and text[last - 1].isspace():
            last -= 1
        if begin < last:
            out.append(Sentence(begin, last, max(reach, last), "sentence"))
        return max(reach, stop)


_DOTTED = re.compile(r"(?:[A-Za-z]\.){1,4}[A-Za-z]")
_NEXT_WORD = re.compile(r"[^\W\d_]+")


def _skip(text: str, at: int, end: int) -> int:
    found = _SPACE.match(text, at, end)
    return found.end() if found else at


def _is_cjk(character: str) -> bool:
    return bool(re.match(f"[{CJK}「『（《【]", character))


def _follows(mark: Mark) -> bool:
    """Whether a mark can stand behind a sentence's full stop."""
    return mark.style != "narrative" and mark.kind != "case_law"
