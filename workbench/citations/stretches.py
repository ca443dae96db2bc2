"""The list and the paragraph around a claim, with the claims that make them up."""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Sequence
from typing import NamedTuple

from workbench.citations.blocks import TextBlock
from workbench.citations.claims import asserts, says_something
from workbench.citations.groups import MarkGroups, covers_claim
from workbench.citations.layout import Layout
from workbench.citations.lists import BlockLists, ItemList, ends_with_colon, lead_of, read_lists
from workbench.records import UNCOUNTED_KINDS, Citation, Span

MOST_PARTS = 12
"""A scope of more parts than this is not offered."""
_MARKS_APART = 4
"""Sentences below a claim within which a line of markers alone stands for it."""


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

    def __init__(
        self, layout: Layout, spans: Sequence[tuple[int, int]], groups: MarkGroups
    ) -> None:
        """Take a text's layout, its sentences as claims (empty for markers alone), its markers."""
        self._layout = layout
        self._spans = spans
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
        layout = self._layout
        sentence, line = layout.sentence_at(claim.start), layout.line_at(claim.start)
        block = layout.block_at(claim.start)
        if sentence < 0 or block < 0 or not layout.blocks[block].is_prose:
            return None
        one = layout.sentences[sentence]
        start, end = self._spans[sentence]
        if one.kind != "sentence" or claim.start >= end or start == end:
            return None
        own = layout.sentence_at(citation.start)
        below = sentence < own <= sentence + _MARKS_APART and all(
            start == end for start, end in self._spans[sentence + 1 : own + 1]
        )
        return Home(sentence, line, block, below)

    def list_at(self, home: Home) -> ListStretch | None:
        """The list that a claim leads to or stands in; None where it has no two parts."""
        layout = self._layout
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
        stretch = self._stretch(numbers, lead, layout.lines[one.last - 1].end)
        if stretch is None:
            return None
        lead_end = None if lead < 0 else layout.lines[one.first - 1].end
        last = layout.lines[one.items[-1]].start
        return ListStretch(stretch, lead_end, colon, leading is not None, last)

    def paragraph_at(self, home: Home) -> Stretch | None:
        """The paragraph, or list item, that a claim stands in; None where it has no two parts."""
        layout = self._layout
        block = layout.blocks[home.block]
        pieces = self._pieces.get(home.block)
        if pieces is None:
            pieces = self._pieces[home.block] = _pieces(layout, block)
        at = bisect_right(pieces, home.line)
        first, last = pieces[at - 1], pieces[at] if at < len(pieces) else block.last
        if first not in self._paragraph_parts:
            self._paragraph_parts[first] = self._read_paragraph(first, last)
        numbers = _with(self._paragraph_parts[first], home.sentence)
        return self._stretch(numbers, -1, layout.lines[last - 1].end)

    def _stretch(self, numbers: list[int], lead: int, end: int) -> Stretch | None:
        """The stretch of some sentences, from the one that leads to them."""
        parts = tuple(Span(*self._spans[number]) for number in numbers)
        if not 2 <= len(parts) <= MOST_PARTS:
            return None
        start = parts[0].start
        if lead >= 0:
            start = min(start, self._layout.sentences[lead].start)
        return Stretch(Span(start, parts[-1].end), parts, end)

    def _list_led_by(self, home: Home) -> tuple[int, ItemList] | None:
        """The list right below a claim that leads to it, and its block."""
        layout = self._layout
        number = layout.line_at(layout.sentences[home.sentence].end - 1) + 1
        if home.below or number >= len(layout.lines) or layout.lines[number].kind != "item":
            return None
        block = layout.block_at(layout.lines[number].start)
        if layout.blocks[block].kind != "list":
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
        if self._layout.blocks[home.block].kind != "list":
            return None
        return self._lists_of(home.block).holding(home.line, outermost=home.below)

    def _lists_of(self, block: int) -> BlockLists:
        lists = self._lists.get(block)
        if lists is None:
            lists = self._lists[block] = read_lists(self._layout, self._layout.blocks[block])
        return lists

    def _lead(self, block: int, one: ItemList) -> tuple[int, bool]:
        key = block, one.first
        if key not in self._leads:
            lists, behind = self._lists_of(block), self._groups.behind
            self._leads[key] = lead_of(self._layout, one.first, block, lists, behind)
        return self._leads[key]

    def _sentences_in(self, first: int, end: int) -> range:
        """The sentences that begin in line `first` or later, and before `end`."""
        starts = self._layout.sentence_starts
        begin = bisect_left(starts, self._layout.lines[first].start)
        return range(begin, max(begin, bisect_left(starts, end)))

    def _asserts(self, number: int) -> bool:
        one = self._layout.sentences[number]
        return asserts(self._layout.text, *self._spans[number], one.kind)

    def _says(self, number: int) -> bool:
        return says_something(self._layout.text, *self._spans[number])

    def _leads_to_item(self, number: int) -> bool:
        """Whether a sentence ends with a colon and an item follows it."""
        layout = self._layout
        line = layout.line_at(layout.sentences[number].end - 1) + 1
        follows = line < len(layout.lines) and layout.lines[line].kind == "item"
        return follows and ends_with_colon(layout, number, self._groups.behind)

    def _read_items(self, lists: BlockLists, one: ItemList) -> list[int]:
        """The claims of a list by number, up to one more than a scope may have."""
        layout = self._layout
        end = layout.lines[one.last - 1].end
        kept: list[int] = []
        item: int | None = one.first
        while item is not None and item < one.last and len(kept) <= MOST_PARTS:
            after = lists.next_item(item)
            stop = end if after is None else min(end, layout.lines[after].start)
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
        for number in self._sentences_in(first, self._layout.lines[last - 1].end):
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


def _pieces(layout: Layout, block: TextBlock) -> list[int]:
    """The lines with which the paragraphs and items of a block begin.

    Lines are one paragraph where a sentence goes over one of their ends; else each stands alone.
    """
    begun: list[int] = []
    chunk = block.first
    wrapped = False
    for number in range(block.first, block.last + 1):
        line = layout.lines[number] if number < block.last else None
        if line is None or (number > chunk and (line.kind == "item" or line.gap)):
            begun.extend([chunk] if wrapped else range(chunk, number))
            chunk, wrapped = number, False
        elif number > chunk:
            before = layout.sentence_at(line.start - 1)
            wrapped = wrapped or (before >= 0 and layout.sentences[before].end > line.start)
    return begun
