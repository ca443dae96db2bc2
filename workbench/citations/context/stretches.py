"""What a marker may stand for: the groups of markers, the list and the paragraph around a claim."""

import re
from bisect import bisect_left, bisect_right, insort
from collections.abc import Sequence
from typing import NamedTuple

from workbench.citations.claims.assign import asserts, says_something
from workbench.citations.document import Document, covers_claim
from workbench.citations.layout.blocks import (
    BlockLists,
    ItemList,
    TextBlock,
    ends_with_colon,
    lead_of,
    read_lists,
)
from workbench.citations.lexicon import CJK_LEADS_TO_MARK, LEADS_TO_MARK
from workbench.records import UNCOUNTED_KINDS, Citation, CitationKind, Span

_BETWEEN = re.compile(
    r"[ \t\u3000,;，；、&()（）\[\]^*_]*(?:and|和|与|及)?[ \t\u3000(（\[]*", re.IGNORECASE
)
_LONGEST_BETWEEN = 12
_BLANK = " \t\u3000\xa0*_"
_OPEN = "([（【［〔"
_STOPS = ".!?。！？…｡"
_ALL_STOPS = tuple(_STOPS)
_CLOSERS = "\"'”’)）」』】]»"
_REST = re.compile(r"[\s.,;:!?。，；：！？…*_)\]）】］〕」』»”’\"'>|]*")
_LONGEST_REST = 20
_WORD_BEFORE = re.compile(r"[^\W\d_]+(?:\.[a-z])?\Z")
_LONGEST_WORD = 20
_BESIDE: frozenset[CitationKind] = frozenset({"numbered", "key", "native"})
"""Kinds that are a sign beside the words, and never words themselves."""
MOST_PARTS = 12
"""A scope of more parts than this is not offered."""
_MARKS_APART = 4
"""Sentences below a claim within which a line of markers alone stands for it."""


class MarkGroups:
    """The groups of markers of one text, in text order; quotations and figures are left out."""

    def __init__(self, text: str, citations: Sequence[Citation]) -> None:
        self._text = text
        self._first: list[Citation] = []
        self.starts: list[int] = []
        """Where each group begins, in code points of the text."""
        self.ends: list[int] = []
        """Where each group ends."""
        self._covered: list[int] = []
        for citation in citations:
            if citation.kind in UNCOUNTED_KINDS:
                continue
            if covers_claim(citation):
                self._covered.append(citation.start)
            elif self.starts and self._joins(citation.start):
                self.ends[-1] = max(self.ends[-1], citation.end)
            else:
                self._first.append(citation)
                self.starts.append(citation.start)
                self.ends.append(citation.end)
        self.behind = dict(zip(self.ends, self.starts, strict=True))
        """For the end of each group, where it begins."""

    def _joins(self, start: int) -> bool:
        """Whether a marker that begins at `start` belongs to the last group."""
        end = self.ends[-1]
        if start < end:
            return True
        near = start - end <= _LONGEST_BETWEEN
        return near and _BETWEEN.fullmatch(self._text, end, start) is not None

    def number_of(self, citation: Citation) -> int:
        """The number of the group that a marker belongs to."""
        return bisect_right(self.starts, citation.start) - 1

    def count(self, start: int, end: int) -> int:
        """How many groups, and stretches that a provider tied to a source, begin in a stretch."""
        return sum(
            bisect_left(places, end) - bisect_left(places, start)
            for places in (self.starts, self._covered)
        )

    def closes(self, group: int, end: int) -> bool:
        """Whether nothing but closing signs stands between a group and `end`."""
        begin = self.ends[group]
        near = begin <= end <= begin + _LONGEST_REST
        return near and _REST.fullmatch(self._text, begin, end) is not None

    def is_apart(self, group: int) -> bool:
        """Whether a group stands behind a full stop, and none follows it."""
        at = self._before(group, _BLANK + _OPEN)
        while at and self._text[at - 1] in _CLOSERS:
            at -= 1
        behind = at > 0 and self._text[at - 1] in _STOPS
        return behind and not self.is_shut_in(group)

    def is_shut_in(self, group: int) -> bool:
        """Whether a full stop follows a group, so that it belongs to the sentence which ends."""
        end = self.ends[group]
        return self._text[end : end + _LONGEST_REST].lstrip(_BLANK + _CLOSERS)[:1] in _ALL_STOPS

    def is_beside(self, group: int) -> bool:
        """Whether a group stands beside the words of its sentence and is none of them."""
        if self.is_apart(group):
            return True
        text, start, first = self._text, self.starts[group], self._first[group]
        at = self._before(group, _BLANK)
        signed = (
            first.kind in _BESIDE
            or (at > 0 and text[at - 1] in _OPEN)
            or (first.kind != "url" and first.raw[0] in _OPEN)
        )
        if not signed:
            return False
        at = self._before(group, _BLANK + _OPEN)
        piece = text[max(0, at - _LONGEST_WORD) : at] if at else text[:start]
        word = _WORD_BEFORE.search(piece)
        if word is None:
            return True
        leads = word[0].lower() in LEADS_TO_MARK or word[0].endswith(tuple(CJK_LEADS_TO_MARK))
        return not leads

    def _before(self, group: int, signs: str) -> int:
        """The end of what stands before a group, leaving out some signs; few of them are read."""
        at = self.starts[group]
        lowest = max(0, at - _LONGEST_REST)
        while at > lowest and self._text[at - 1] in signs:
            at -= 1
        return at


class Home(NamedTuple):
    """Where the claim of a citation stands: numbers of its sentence, line and block."""

    sentence: int
    line: int
    block: int
    below: bool
    """Whether its marker stands below it, in a line of markers alone."""


class Stretch(NamedTuple):
    """Several claims that one marker may stand for."""

    span: Span
    parts: tuple[Span, ...]
    end: int
    """Where its last line ends, with the markers there."""


class ListStretch(NamedTuple):
    """A list with the line that leads to it."""

    stretch: Stretch
    lead_end: int | None
    """Where the line that leads to it ends; None for none."""
    colon: bool
    """Whether that ends with a colon."""
    leading: bool
    """Whether the claim is in that line."""
    last_item: int
    """Where the line of its last item begins."""


class Stretches:
    """The stretches of one text, each made once; offsets count its code points."""

    def __init__(self, document: Document, groups: MarkGroups) -> None:
        self._document = document
        self._groups = groups
        self._lists: dict[int, BlockLists] = {}
        self._leads: dict[tuple[int, int], tuple[int, bool]] = {}
        self._pieces: dict[int, list[int]] = {}
        self._item_parts: dict[tuple[int, int], list[int]] = {}
        self._paragraph_parts: dict[int, list[int]] = {}

    def home(self, citation: Citation) -> Home | None:
        """Where a citation's claim stands; None for one whose scope is never wider."""
        claim = citation.claim
        if claim is None or citation.kind in UNCOUNTED_KINDS or covers_claim(citation):
            return None
        document = self._document
        sentence, line = document.sentence_at(claim.start), document.line_at(claim.start)
        block = document.block_at(claim.start)
        if sentence < 0 or block < 0 or not document.blocks[block].is_prose:
            return None
        one = document.sentences[sentence]
        start, end = self._document.assignments.spans[sentence]
        if one.kind != "sentence" or claim.start >= end or start == end:
            return None
        own = document.sentence_at(citation.start)
        below = sentence < own <= sentence + _MARKS_APART and all(
            start == end for start, end in self._document.assignments.spans[sentence + 1 : own + 1]
        )
        return Home(sentence, line, block, below)

    def list_at(self, home: Home) -> ListStretch | None:
        """The list that a claim leads to or stands in; None where it has no two parts."""
        document = self._document
        leading = self._list_led_by(home)
        block, one = leading or (home.block, self._list_around(home))
        if one is None:
            return None
        key = block, one.first
        if key not in self._item_parts:
            self._item_parts[key] = self._read_items(self._lists_of(block), one)
        lead, colon = self._lead(block, one)
        numbers = self._item_parts[key]
        numbers = (
            ([lead, *numbers] if self._asserts(lead) else numbers)
            if leading
            else _with(numbers, home.sentence)
        )
        stretch = self._stretch(numbers, lead, document.lines[one.last - 1].end)
        if stretch is None:
            return None
        lead_end = None if lead < 0 else document.lines[one.first - 1].end
        last = document.lines[one.items[-1]].start
        return ListStretch(stretch, lead_end, colon, leading is not None, last)

    def paragraph_at(self, home: Home) -> Stretch | None:
        """The paragraph, or list item, that a claim stands in; None where it has no two parts."""
        document = self._document
        block = document.blocks[home.block]
        pieces = self._pieces.get(home.block)
        if pieces is None:
            pieces = self._pieces[home.block] = _pieces(document, block)
        at = bisect_right(pieces, home.line)
        first, last = pieces[at - 1], pieces[at] if at < len(pieces) else block.last
        if first not in self._paragraph_parts:
            self._paragraph_parts[first] = self._read_paragraph(first, last)
        numbers = _with(self._paragraph_parts[first], home.sentence)
        return self._stretch(numbers, -1, document.lines[last - 1].end)

    def _stretch(self, numbers: list[int], lead: int, end: int) -> Stretch | None:
        """The stretch of some sentences, from the one that leads to them."""
        parts = tuple(Span(*self._document.assignments.spans[number]) for number in numbers)
        if not 2 <= len(parts) <= MOST_PARTS:
            return None
        start = parts[0].start
        if lead >= 0:
            start = min(start, self._document.sentences[lead].start)
        return Stretch(Span(start, parts[-1].end), parts, end)

    def _list_led_by(self, home: Home) -> tuple[int, ItemList] | None:
        """The list right below a claim that leads to it, and its block."""
        document = self._document
        number = document.line_at(document.sentences[home.sentence].end - 1) + 1
        if home.below or number >= len(document.lines) or document.lines[number].kind != "item":
            return None
        block = document.block_at(document.lines[number].start)
        if document.blocks[block].kind != "list":
            return None
        one = self._lists_of(block).begun_by(number)
        if one is None:
            return None
        lead, colon = self._lead(block, one)
        if lead != home.sentence or (block == home.block and not colon):
            return None
        return block, one

    def _list_around(self, home: Home) -> ItemList | None:
        """The list that a claim stands in."""
        if self._document.blocks[home.block].kind != "list":
            return None
        return self._lists_of(home.block).holding(home.line, outermost=home.below)

    def _lists_of(self, block: int) -> BlockLists:
        lists = self._lists.get(block)
        if lists is None:
            lists = self._lists[block] = read_lists(self._document, self._document.blocks[block])
        return lists

    def _lead(self, block: int, one: ItemList) -> tuple[int, bool]:
        key = block, one.first
        if key not in self._leads:
            lists, behind = self._lists_of(block), self._groups.behind
            self._leads[key] = lead_of(self._document, one.first, block, lists, behind)
        return self._leads[key]

    def _sentences_in(self, first: int, end: int) -> range:
        """The sentences that begin in line `first` or later, and before `end`."""
        starts = self._document.sentence_starts
        begin = bisect_left(starts, self._document.lines[first].start)
        return range(begin, max(begin, bisect_left(starts, end)))

    def _asserts(self, number: int) -> bool:
        one = self._document.sentences[number]
        return asserts(self._document.text, *self._document.assignments.spans[number], one.kind)

    def _says(self, number: int) -> bool:
        return says_something(self._document.text, *self._document.assignments.spans[number])

    def _leads_to_item(self, number: int) -> bool:
        """Whether a sentence ends with a colon and an item follows it."""
        document = self._document
        line = document.line_at(document.sentences[number].end - 1) + 1
        follows = line < len(document.lines) and document.lines[line].kind == "item"
        return follows and ends_with_colon(document, number, self._groups.behind)

    def _read_items(self, lists: BlockLists, one: ItemList) -> list[int]:
        """The claims of a list by number, up to one more than a scope may have."""
        document = self._document
        end = document.lines[one.last - 1].end
        kept: list[int] = []
        item: int | None = one.first
        while item is not None and item < one.last and len(kept) <= MOST_PARTS:
            after = lists.next_item(item)
            stop = end if after is None else min(end, document.lines[after].start)
            own = self._sentences_in(item, stop)
            numbers = [number for number in own if not self._leads_to_item(number)]
            claims = [number for number in numbers if self._asserts(number)]
            if not claims and not (after is not None and lists.is_under(after, item)):
                claims = [number for number in numbers if self._says(number)]
            kept.extend(claims)
            item = after
        return kept

    def _read_paragraph(self, first: int, last: int) -> list[int]:
        """The claims of a paragraph by number, up to one more than a scope may have."""
        kept: list[int] = []
        for number in self._sentences_in(first, self._document.lines[last - 1].end):
            if self._asserts(number) and not self._leads_to_item(number):
                kept.append(number)
                if len(kept) > MOST_PARTS:
                    break
        return kept


def _with(numbers: list[int], number: int) -> list[int]:
    """Numbers in order, with one that has to be among them."""
    if len(numbers) > MOST_PARTS or number in numbers:
        return numbers
    more = list(numbers)
    insort(more, number)
    return more


def _pieces(document: Document, block: TextBlock) -> list[int]:
    """The lines with which the paragraphs and items of a block begin.

    Lines are one paragraph where a sentence goes over one of their ends; else each stands alone.
    """
    begun: list[int] = []
    chunk = block.first
    wrapped = False
    for number in range(block.first, block.last + 1):
        line = document.lines[number] if number < block.last else None
        if line is None or (number > chunk and (line.kind == "item" or line.gap)):
            begun.extend([chunk] if wrapped else range(chunk, number))
            chunk, wrapped = number, False
        elif number > chunk:
            before = document.sentence_at(line.start - 1)
            wrapped = wrapped or (before >= 0 and document.sentences[before].end > line.start)
    return begun
