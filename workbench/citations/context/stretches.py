"""The lists and paragraphs of a text, and the one around a claim with the claims that make it up."""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Mapping
from typing import NamedTuple

from workbench.citations.claims.assign import asserts, has_content
from workbench.citations.document import Document, covers_claim
from workbench.citations.layout import INDENTED, TextBlock, indent
from workbench.records.citation import UNCOUNTED_KINDS, Citation
from workbench.records.text import Span

MOST_PARTS = 12
"""A scope of more parts than this is not offered."""
_LONGEST_GAP = 4
"""Sentences below a claim within which a line of markers alone stands for it."""
_NUMERALS = "一二三四五六七八九十"


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


class ItemList(NamedTuple):
    """Items of one depth and form, with what stands under them: `lines[first:last]`."""

    items: tuple[int, ...]
    """The numbers of their lines."""
    last: int
    parent: int
    """The place, in its block, of the list that it stands in; -1 for none."""

    @property
    def first(self) -> int:
        """The number of its first line."""
        return self.items[0]


class BlockLists(NamedTuple):
    """The lists of one block."""

    items: list[int]
    """The numbers of the lines with which items begin."""
    lists: list[ItemList]
    of_item: dict[int, int]
    """For each of those lines, the place of its list."""

    def item_at(self, line: int) -> int:
        """The line with which the item begins that a line stands in; -1 before the first."""
        at = bisect_right(self.items, line) - 1
        return self.items[at] if at >= 0 else -1

    def next_item(self, line: int) -> int | None:
        """The line with which the next item begins; None after the last."""
        at = bisect_right(self.items, line)
        return self.items[at] if at < len(self.items) else None

    def is_under(self, item: int, other: int) -> bool:
        """Whether an item stands in a list under the other."""
        return self.lists[self.of_item[item]].parent == self.of_item[other]

    def holding(self, line: int, *, outermost: bool = False) -> ItemList | None:
        """The innermost list of two or more items that holds a line, or the outermost."""
        holding = None
        place = self.of_item.get(self.item_at(line), -1)
        while place >= 0:
            items = self.lists[place]
            if items.first <= line < items.last and len(items.items) > 1:
                holding = items
                if not outermost:
                    break
            place = items.parent
        return holding

    def begun_by(self, line: int) -> ItemList | None:
        """The list of two or more items that begins with a line."""
        place = self.of_item.get(line, -1)
        items = self.lists[place] if place >= 0 else None
        return items if items and items.first == line and len(items.items) > 1 else None


class _OpenList(NamedTuple):
    depth: int
    form: str
    items: list[int]
    place: int


class Stretches:
    """The stretches of one text, each made once; offsets count its code points."""

    def __init__(self, document: Document, mark_starts: Mapping[int, int]) -> None:
        """Take a document and, for the end of each marker, where it begins."""
        self._document = document
        self._mark_starts = mark_starts
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
        document, spans = self._document, self._document.assignments.spans
        number, line = document.sentence_at(claim.start), document.line_at(claim.start)
        block = document.block_at(claim.start)
        if number < 0 or block < 0 or not document.blocks[block].is_prose:
            return None
        start, end = spans[number]
        if document.sentences[number].kind != "sentence" or claim.start >= end or start == end:
            return None
        marked = document.sentence_at(citation.start)
        below = number < marked <= number + _LONGEST_GAP and all(
            start == end for start, end in spans[number + 1 : marked + 1]
        )
        return Home(number, line, block, below)

    def list_at(self, home: Home) -> ListStretch | None:
        """The list that a claim leads to or stands in; None where it has no two parts."""
        document = self._document
        led = self._list_led_by(home)
        block, items = led or (home.block, self._list_around(home))
        if items is None:
            return None
        key = block, items.first
        if key not in self._item_parts:
            self._item_parts[key] = self._read_items(self._lists_of(block), items)
        lead, colon = self._lead(block, items)
        numbers = self._item_parts[key]
        if led is None:
            numbers = _with(numbers, home.sentence)
        elif self._asserts(lead):
            numbers = [lead, *numbers]
        stretch = self._stretch(numbers, lead, document.lines[items.last - 1].end)
        if stretch is None:
            return None
        lead_end = None if lead < 0 else document.lines[items.first - 1].end
        last = document.lines[items.items[-1]].start
        return ListStretch(stretch, lead_end, colon, led is not None, last)

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
        spans = self._document.assignments.spans
        parts = tuple(Span(*spans[number]) for number in numbers)
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
        items = self._lists_of(block).begun_by(number)
        if items is None:
            return None
        lead, colon = self._lead(block, items)
        if lead != home.sentence or (block == home.block and not colon):
            return None
        return block, items

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

    def _lead(self, block: int, items: ItemList) -> tuple[int, bool]:
        key = block, items.first
        if key not in self._leads:
            self._leads[key] = self._read_lead(items.first, block)
        return self._leads[key]

    def _read_lead(self, number: int, block: int) -> tuple[int, bool]:
        """The sentence that leads to the list beginning with a line, and whether by a colon.

        -1 stands for none. A sentence leads to a list right below it when it ends with a colon,
        when no blank line parts them, or when it is the item that the list stands under.
        """
        document, lines = self._document, self._document.lines
        first, holder = lines[number], document.blocks[block]
        lead = bisect_left(document.sentence_starts, first.start) - 1
        if lead < 0:
            return -1, False
        sentence = document.sentences[lead]
        if document.line_at(max(sentence.start, sentence.end - 1)) != number - 1:
            return -1, False
        adjacent = not first.gap
        if number > holder.first:
            item = self._lists_of(block).item_at(number - 1)
            depth = indent(document.text, first)
            adjacent = adjacent or (item >= 0 and indent(document.text, lines[item]) < depth)
        else:
            above = document.blocks[block - 1] if block else None
            if holder.opens or above is None or above.kind not in ("paragraph", "heading"):
                return -1, False
            adjacent = adjacent and above.kind == "paragraph"
        colon = self._ends_with_colon(lead)
        return (lead, colon) if adjacent or colon else (-1, False)

    def _ends_with_colon(self, number: int) -> bool:
        """Whether a sentence ends with a colon, marks and emphasis aside."""
        text, sentence, mark_starts = (
            self._document.text,
            self._document.sentences[number],
            self._mark_starts,
        )
        at = max(sentence.end, sentence.reach)
        while at > sentence.start:
            if at in mark_starts and sentence.start <= mark_starts[at] < at:
                at = mark_starts[at]
            elif text[at - 1] in " \t\u3000\xa0*_()（）.,，。":
                at -= 1
            else:
                return text[at - 1] in ":："
        return False

    def _sentences_in(self, first: int, end: int) -> range:
        """The sentences that begin in line `first` or later, and before `end`."""
        starts = self._document.sentence_starts
        begin = bisect_left(starts, self._document.lines[first].start)
        return range(begin, max(begin, bisect_left(starts, end)))

    def _asserts(self, number: int) -> bool:
        document = self._document
        kind = document.sentences[number].kind
        return asserts(document.text, *document.assignments.spans[number], kind)

    def _says(self, number: int) -> bool:
        return has_content(self._document.text, *self._document.assignments.spans[number])

    def _leads_to_item(self, number: int) -> bool:
        """Whether a sentence ends with a colon and an item follows it."""
        document = self._document
        line = document.line_at(document.sentences[number].end - 1) + 1
        follows = line < len(document.lines) and document.lines[line].kind == "item"
        return follows and self._ends_with_colon(number)

    def _read_items(self, lists: BlockLists, items: ItemList) -> list[int]:
        """The claims of a list by number, up to one more than a scope may have."""
        lines = self._document.lines
        end = lines[items.last - 1].end
        parts: list[int] = []
        item: int | None = items.first
        while item is not None and item < items.last and len(parts) <= MOST_PARTS:
            after = lists.next_item(item)
            stop = end if after is None else min(end, lines[after].start)
            within = self._sentences_in(item, stop)
            numbers = [number for number in within if not self._leads_to_item(number)]
            claims = [number for number in numbers if self._asserts(number)]
            if not claims and not (after is not None and lists.is_under(after, item)):
                claims = [number for number in numbers if self._says(number)]
            parts.extend(claims)
            item = after
        return parts

    def _read_paragraph(self, first: int, last: int) -> list[int]:
        """The claims of a paragraph by number, up to one more than a scope may have."""
        parts: list[int] = []
        for number in self._sentences_in(first, self._document.lines[last - 1].end):
            if self._asserts(number) and not self._leads_to_item(number):
                parts.append(number)
                if len(parts) > MOST_PARTS:
                    break
        return parts


def read_lists(document: Document, block: TextBlock) -> BlockLists:
    """The lists of a block of kind `list`; time grows with its lines.

    A line of words that is not indented ends the list above it, unless other items have such
    lines too.
    """
    text, lines = document.text, document.lines
    items: list[int] = []
    open_lists: list[_OpenList] = []
    ends: list[tuple[tuple[int, ...], int, int]] = []
    of_item: dict[int, int] = {}

    def close(last: int) -> None:
        closed = open_lists.pop()
        parent = ends[closed.place][2]
        ends[closed.place] = (tuple(closed.items), last, parent)

    for number in range(block.first, block.last):
        if lines[number].kind != "item":
            continue
        depth, form = indent(text, lines[number]), _form(document, number)
        while open_lists and (
            open_lists[-1].depth > depth
            or (open_lists[-1].depth == depth and open_lists[-1].form != form)
        ):
            close(number)
        if not open_lists or open_lists[-1].depth < depth:
            ends.append(((), 0, open_lists[-1].place if open_lists else -1))
            open_lists.append(_OpenList(depth, form, [], len(ends) - 1))
        open_lists[-1].items.append(number)
        items.append(number)
        of_item[number] = open_lists[-1].place
    while open_lists:
        close(block.last)
    unlisted = _unlisted_lines(document, block)
    lists = [
        ItemList(numbers, _end(numbers, last, unlisted), parent) for numbers, last, parent in ends
    ]
    return BlockLists(items, lists, of_item)


def _form(document: Document, number: int) -> str:
    """What an item begins with: a bullet, a number, a letter."""
    line = document.lines[number]
    sign = document.text[line.start : line.body].lstrip(" \t\u3000\xa0>")[:2]
    bracket = sign[:1] if sign[:1] in "(（" else ""
    first = sign[len(bracket) : len(bracket) + 1]
    if first in _NUMERALS:
        return bracket + "一"
    if first.isdigit():
        return bracket + ("1" if first.isascii() else "①")
    return bracket + ("a" if first.isalpha() else first)


def _unlisted_lines(document: Document, block: TextBlock) -> list[int]:
    """The lines of a block that begin a sentence, and are neither items nor indented."""
    starts = document.sentence_starts
    unlisted: list[int] = []
    for number in range(block.first, block.last):
        line = document.lines[number]
        if line.kind != "plain" or indent(document.text, line) >= INDENTED:
            continue
        at = bisect_left(starts, line.start)
        if at < len(starts) and starts[at] < line.end:
            unlisted.append(number)
    return unlisted


def _end(items: tuple[int, ...], last: int, unlisted: list[int]) -> int:
    """Where a list ends that would end with line `last`."""
    at = bisect_left(unlisted, items[-1])
    if at == len(unlisted) or unlisted[at] >= last:
        return last
    among = at > bisect_left(unlisted, items[0])
    return last if among else unlisted[at]


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
    pieces: list[int] = []
    chunk = block.first
    wrapped = False
    for number in range(block.first, block.last + 1):
        line = document.lines[number] if number < block.last else None
        if line is None or (number > chunk and (line.kind == "item" or line.gap)):
            pieces.extend([chunk] if wrapped else range(chunk, number))
            chunk, wrapped = number, False
        elif number > chunk:
            before = document.sentence_at(line.start - 1)
            wrapped = wrapped or (before >= 0 and document.sentences[before].end > line.start)
    return pieces
