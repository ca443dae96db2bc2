"""Cut a text into the sentences, list items and table rows that can be claims."""

import re
from bisect import bisect_left
from collections.abc import Sequence
from typing import Literal, NamedTuple

from workbench.citations.layout import Line
from workbench.citations.lexicon import (
    AFTER_ORDINAL,
    BEFORE_NUMBER,
    CJK,
    ENDS_BEFORE_NUMBER,
    MAY_END,
    NEVER_ENDS,
    ORDINAL_LEADS,
    SCALES,
    SENTENCE_OPENERS,
)
from workbench.citations.marks import Mark

_TOKEN = re.compile(
    r"[.!?\u2026\u203c-\u2049。！？｡\"“„«「『《(（]"
    r"(?:(?<=[.!?\u2026\u203c-\u2049])[.!?\u2026\u203c-\u2049]*|(?<=[。！？｡])[。！？｡]*|)"
)
_CLOSERS = re.compile(r"[\"'”’)\]»」』）】》*_~`]*(?:</?[a-zA-Z]{1,10}\s?/?>)*")
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
_QUOTE_CONTINUATION = re.compile("[と、，,的地得；;：:]|って|という")
_LIST_NUMBER = re.compile(r"(?:\A|[:：;；.)\]]\s{0,3}|\s{2})\(?\d{1,2}\Z")
_DOTTED = re.compile(r"(?:[A-Za-z]\.){1,4}[A-Za-z]")
_RANGE_BEFORE = re.compile(r"\d{1,2}\.?[-\u2013/]\d{1,2}")
_ADDRESSES = re.compile(r"\]\([^()\s]*\)|https?://\S+")
_CHAIN = re.compile(r"(?:Art|Abs|Nr|Kap|Ziff|Bd|Anm|S)\.\s?\d|§")
_ROMAN = re.compile(r"[IVX]{1,5}\b")
_LETTER_BEFORE = re.compile(r"(?:\A|[\s(])[A-Za-z]{1,2}\.\s?\Z")
_LETTERS_APART = re.compile(r"[A-Za-z]{1,2}\.")
"""The rest of an abbreviation that is written apart: `z. B.`, `EE. UU.`, `p. ej.`."""
_NEXT_WORD = re.compile(r"[^\W\d_]+")
_WIDE_START = re.compile(f"[{CJK}「『（《【“]")
_NAME_LEADS = ("by", "and", "&", "of", "with", "author", "to")
StretchKind = Literal["sentence", "title", "heading", "row"]
_LINE_ENDS = frozenset('.!?。！？…:：;；」』”"')
_OPEN_ENDS = frozenset("]】)）*|>")
_WRAP_LEAST = 45
"""A line shorter than this, in code points, was not wrapped for its length."""
_VERBS = frozenset(
    ["is", "are", "was", "were", "has", "have", "had", "will", "can", "does", "did", "do", "may"]
)
"""Words that a sentence has and a title seldom."""
_WIDE = re.compile(f"[{CJK}]")


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
        spans: list[SentenceSpan] = []
        self._leading = self._leads(start, end)
        begin = shield = start
        for token in _TOKEN.finditer(text, start, end):
            at = token.start()
            if at < shield:
                continue
            mark_end = self._mark_over(at)
            if mark_end is not None:
                shield = mark_end
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
            boundary = self._boundary(after, at, sign, end, begin)
            if boundary:
                self._add(begin, *boundary, spans)
                begin = max(boundary)
                shield = max(shield, begin)
        if begin < end:
            self._add(begin, end, end, spans)
        return spans

    def mark_end(self, at: int) -> int:
        """Where the last mark ends that begins before a place: some run over line ends."""
        number = bisect_left(self._starts, at) - 1
        return self.marks[number].end if number >= 0 else 0

    def _leads(self, start: int, end: int) -> bool:
        """Whether a stretch begins with a mark and does not end with one."""
        first = bisect_left(self._starts, start)
        last = bisect_left(self._starts, end) - 1
        if first > last or self._starts[first] != start:
            return False
        if self.marks[first].style in ("narrative", "markup"):
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
            if quoted and stop < end and _QUOTE_CONTINUATION.match(text, stop):
                return None
            return stop, self._attach(stop, end)
        if stop == end:
            return stop, stop
        reach = self._attach(stop, end)
        following = text[stop]
        if reach == stop and not following.isspace():
            return (stop, stop) if _WIDE_START.match(following) else None
        place = self._after_markup(_skip(text, reach, end), end)
        if place == end:
            return stop, reach
        if sign == "." and after - at <= 1 and self._abbreviates(at, begin, place, end):
            return None
        while place < end and text[place] in "\"'“‘(（[*_":
            place += 1
        if place < end and text[place].islower():
            return (stop, stop) if reach > stop else None
        return stop, reach

    def _after_markup(self, place: int, end: int) -> int:
        """Where the words begin behind the markup of a product at a place."""
        number = bisect_left(self._starts, place)
        while number < len(self.marks) and self.marks[number].start == place:
            mark = self.marks[number]
            if mark.style != "markup" or mark.end > end:
                break
            place = _skip(self.text, mark.end, end)
            number += 1
        return place

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
            elsewhere = (
                mark.style == "narrative"
                or mark.kind == "case_law"
                or mark.covers is not None
                or (mark.style == "markup" and reach == stop < place)
            )
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
        digit = place < end and text[place].isdigit()
        if bare[-1:].isdigit():
            return self._is_ordinal(bare, at, begin, place, end)
        if bare in SCALES:
            return digit or not self._opens(place, end)
        if bare in BEFORE_NUMBER and (digit or bare not in MAY_END):
            return digit
        if word[0].islower() and len(bare) <= 4 and _CHAIN.match(text, place, end):
            return True  # `gem. Art. 5`
        if bare == "s" and _ROMAN.match(text, place, end):
            return True  # a century in Spanish
        short = len(bare) <= 2 and bare.isalpha()
        if short and _LETTER_BEFORE.search(text, max(begin, at - 8), at - len(bare)):
            return not self._opens(place, end)  # the last of `u. a.`
        apart = short and (not word[0].isupper() or bare[:1] == bare[-1:] != bare)
        if apart and _LETTERS_APART.match(text, place, end):
            return True
        if digit and _DOTTED.fullmatch(word[0]) and word[0].islower():
            return True
        if word[0] in ("M", "Hr", "Fr", "Hrn") and place < end and text[place].isupper():
            return not self._opens(place, end)  # `M. Dupont`, `Hr. Schmidt`
        initial = len(bare) == 1 and word[0].isupper()
        if not (initial or bare in MAY_END or _DOTTED.fullmatch(word[0])):
            return False
        while place < end and text[place] in "\"'“‘([*_":
            place += 1
        if initial and place < end and text[place].isdigit():
            return True  # `Fed. R. Civ. P. 56`
        following = _NEXT_WORD.match(text, place, end)
        if following is None:
            return False
        if following[0].lower() in SENTENCE_OPENERS:
            return following[0][0].islower()
        if not initial:
            return True
        before = text[max(begin, at - 16) : at - 1].split()
        if not before or before[-1].lower() in _NAME_LEADS:
            return True
        return before[-1][0].isupper() or before[-1].endswith(".")

    def _is_ordinal(self, word: str, at: int, begin: int, place: int, end: int) -> bool:
        """Whether the full stop behind a number makes it an ordinal, or the number of an item."""
        text = self.text
        if not word.isdigit():
            return bool(_RANGE_BEFORE.fullmatch(word)) and self._follows_ordinal(place, end)
        if len(word) <= 2 and _LIST_NUMBER.search(text[max(begin - 3, 0, at - 8) : at]):
            return True
        if len(word) > 3:
            return False
        if self._follows_ordinal(place, end):
            return True
        before = text[max(begin, at - len(word) - 16) : at - len(word)].split()
        leads = bool(before) and before[-1].lower() in ORDINAL_LEADS
        return leads and place < end and text[place].isalpha() and not self._opens(place, end)

    def _follows_ordinal(self, place: int, end: int) -> bool:
        following = _NEXT_WORD.match(self.text, place, end)
        return following is not None and following[0].lower() in AFTER_ORDINAL

    def _opens(self, place: int, end: int) -> bool:
        """Whether the word at a place is one that begins sentences."""
        following = _NEXT_WORD.match(self.text, place, end)
        return following is not None and following[0].lower() in SENTENCE_OPENERS

    def _add(self, begin: int, stop: int, reach: int, spans: list[SentenceSpan]) -> None:
        """Add the sentence `begin:stop` without its surrounding blanks."""
        text = self.text
        last = stop
        while begin < last and text[begin].isspace():
            begin += 1
        while last > begin and text[last - 1].isspace():
            last -= 1
        if begin < last:
            spans.append(SentenceSpan(begin, last, max(reach, last)))


def _skip(text: str, at: int, end: int) -> int:
    while at < end and text[at] in " \t\u3000\xa0":
        at += 1
    return at


class TextSentence(NamedTuple):
    """A stretch that can be a claim: `text[start:end]`; marks up to `reach` belong to it."""

    start: int
    end: int
    reach: int
    kind: StretchKind


def cut_sentences(text: str, lines: Sequence[Line], marks: Sequence[Mark]) -> list[TextSentence]:
    """Sentences, list items and table rows in text order; code is never among them.

    A line end ends a sentence, unless the line was wrapped for its length.

    Args:
        text: The text.
        lines: Its lines without those of reference lists.
        marks: Its settled marks in text order.
    """
    sentences: list[TextSentence] = []
    cutter = SentenceSplitter(text, marks)
    at, count = 0, len(lines)
    while at < count:
        line = last = lines[at]
        at += 1
        if line.kind in ("code", "rule") or line.body >= line.end:
            continue
        if line.kind == "table":
            header = at < count and lines[at].kind == "rule" and not lines[at].gap
            sentences.extend(_row(text, line, cutter, header))
            continue
        if line.kind == "heading":
            sentences.append(TextSentence(line.body, line.end, line.end, "heading"))
            continue
        while at < count and (
            lines[at].start < cutter.mark_end(last.end) or _continues(text, last, lines[at])
        ):
            last = lines[at]
            at += 1
        spans = cutter.cut(line.body, last.end)
        is_paragraph = line.gap and (at == count or lines[at].gap) and len(spans) == 1
        kind: StretchKind = "sentence"
        if is_paragraph and line.kind == "plain" and _is_title(text, line.body, last.end):
            kind = "title"
        sentences.extend(TextSentence(*stretch, kind) for stretch in spans)
    return sentences


def _continues(text: str, line: Line, after: Line) -> bool:
    """Whether a line continues the wrapped line before it."""
    if after.gap or after.kind != "plain" or after.body == after.end:
        return False
    last, first = text[line.end - 1], text[after.body]
    may_wrap = line.end - line.start >= _WRAP_LEAST
    if last in _LINE_ENDS:
        return False
    if last in _OPEN_ENDS:
        return may_wrap and first.islower()
    return (
        first.islower()
        or first in ",;)"
        or (may_wrap and (first.isalnum() or first in '(["“「『（'))
    )


def _is_title(text: str, start: int, end: int) -> bool:
    """Whether a paragraph of one line without a full stop reads as a title."""
    if text[end - 1] in _LINE_ENDS or text[end - 1] in "]】)":
        return False
    if _WIDE.search(text, start, end):
        return end - start <= 18
    words = text[start:end].split()
    if not _VERBS.isdisjoint(words):
        return False
    capital = sum(word[:1].isupper() or not word[:1].isalpha() for word in words)
    return len(words) <= 6 or (len(words) <= 14 and capital * 3 >= len(words) * 2)


def _holds_sentence(cell: str, *, label: bool) -> bool:
    """Whether a cell of a table says something by itself, so that its row is no single claim.

    The first one names what the row is about, and figures with their units say it of that.
    """
    words = _ADDRESSES.sub("", cell).strip()
    if len(words) > 80 or len(_WIDE.findall(words)) > 30:
        return True
    count = len(words.split())
    if label or not words.lstrip('*_[("“0123456789] ')[:1].isupper() or words[:1].isdigit():
        return count >= 12 or (count >= 5 and words.rstrip(" *_)]")[-1:] in tuple(_ENDS))
    return count >= 6


def _row(text: str, line: Line, cutter: SentenceSplitter, header: bool) -> list[TextSentence]:
    """A table row: cells that hold sentences one by one, else the row as a whole."""
    start, end = line.body, line.end
    while start < end and text[start] in "| \t":
        start += 1
    while end > start and text[end - 1] in "| \t":
        end -= 1
    if start == end:
        return []
    cells = text[start:end].split("|")
    if header or not any(
        _holds_sentence(cell, label=not number) for number, cell in enumerate(cells)
    ):
        return [TextSentence(start, end, line.end, "heading" if header else "row")]
    sentences: list[TextSentence] = []
    at = start
    for cell in cells:
        first = at + len(cell) - len(cell.lstrip())
        last = at + len(cell.rstrip())
        if first < last:
            kind: StretchKind = "sentence" if len(cell.split()) >= 4 or len(cell) > 20 else "row"
            sentences.extend(TextSentence(*stretch, kind) for stretch in cutter.cut(first, last))
        at += len(cell) + 1
    return sentences
