"""The paragraphs, lists and tables of a text, and the line that leads to a list."""

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from workbench.citations.layout.lines import Line

if TYPE_CHECKING:
    from workbench.citations.document import Document

BlockKind = Literal["paragraph", "list", "table", "heading", "break"]
_INDENTED = 2
"""Blanks before a paragraph that belongs to the list item above it."""
_TAB = 4
_NUMERALS = "一二三四五六七八九十"


class TextBlock(NamedTuple):
    """Lines `lines[first:last]` that belong together."""

    start: int
    """First code point of its first line."""
    first: int
    last: int
    kind: BlockKind
    opens: bool
    """Whether an answer of a transcript begins with it: nothing before belongs to it."""

    @property
    def is_prose(self) -> bool:
        """Whether its sentences can lead to those of the block after it."""
        return self.kind == "paragraph" or self.kind == "list"


def read_blocks(
    text: str, lines: Sequence[Line], headings: Sequence[int], answers: Sequence[int] = ()
) -> list[TextBlock]:
    """The blocks of a text in order; code and drawn rules are breaks between them.

    A list holds its items with their wrapped and indented lines, also where blank lines part them.

    Args:
        text: The text.
        lines: Its lines.
        headings: Numbers of the lines that are headings, in order.
        answers: Where answers begin in a transcript.
    """
    blocks: list[TextBlock] = []
    kind: BlockKind | None = None
    first = at_heading = at_answer = 0
    opens = False
    for number, line in enumerate(lines):
        new = False
        while at_answer < len(answers) and line.start >= answers[at_answer]:
            at_answer += 1
            new = True
        while at_heading < len(headings) and headings[at_heading] < number:
            at_heading += 1
        heads = at_heading < len(headings) and headings[at_heading] == number
        own: BlockKind = "heading" if heads else _kind(text, lines, number, kind)
        if kind is not None and (new or own != kind or not _joins(text, lines, number, own)):
            blocks.append(TextBlock(lines[first].start, first, number, kind, opens))
            first, opens = number, new
        elif kind is None:
            opens = new
        kind = own
    if kind is not None:
        blocks.append(TextBlock(lines[first].start, first, len(lines), kind, opens))
    return blocks


def _kind(text: str, lines: Sequence[Line], number: int, now: BlockKind | None) -> BlockKind:
    """The kind of the block that a line belongs to, which is no heading; `now` is that before."""
    line = lines[number]
    if line.kind == "plain":
        if now == "list" and (not line.gap or indent(text, line) >= _INDENTED):
            return "list"
        return "paragraph"
    if line.kind == "item":
        return "list"
    if line.kind == "table" or (line.kind == "rule" and now == "table" and not line.gap):
        return "table"
    return "break"


def _joins(text: str, lines: Sequence[Line], number: int, kind: BlockKind) -> bool:
    """Whether a line goes on with a block of its own kind."""
    line = lines[number]
    if kind == "list" or kind == "break":
        return True
    if kind == "table" and line.gap:
        heads = number + 1 < len(lines) and lines[number + 1].kind == "rule"
        return not (heads and not lines[number + 1].gap)
    return kind != "heading" and not line.gap


def indent(text: str, line: Line) -> int:
    """How far a line is indented, in blanks; a tab counts as four."""
    words = text[line.start : line.body]
    lead = words[: len(words) - len(words.lstrip())]
    return len(lead) + (_TAB - 1) * lead.count("\t")


def items_above(text: str, lines: Sequence[Line], block: TextBlock) -> dict[int, int]:
    """For each item of a list, by the number of its line, the item that it stands under.

    -1 stands for none.
    """
    above: dict[int, int] = {}
    open_: list[tuple[int, int]] = []
    for number in range(block.first, block.last):
        if lines[number].kind != "item":
            continue
        depth = indent(text, lines[number])
        while open_ and open_[-1][0] >= depth:
            open_.pop()
        above[number] = open_[-1][1] if open_ else -1
        open_.append((depth, number))
    return above


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
        item = self.item_at(line)
        found = None
        place = self.of_item.get(item, -1)
        while place >= 0:
            one = self.lists[place]
            if one.first <= line < one.last and len(one.items) > 1:
                found = one
                if not outermost:
                    break
            place = one.parent
        return found

    def begun_by(self, line: int) -> ItemList | None:
        """The list of two or more items that begins with a line."""
        place = self.of_item.get(line, -1)
        found = self.lists[place] if place >= 0 else None
        return found if found and found.first == line and len(found.items) > 1 else None


class _Open(NamedTuple):
    depth: int
    form: str
    items: list[int]
    place: int


def read_lists(document: "Document", block: TextBlock) -> BlockLists:
    """The lists of a block of kind `list`; time grows with its lines.

    A line of words that is not indented ends the list above it, unless other items have such
    lines too.
    """
    text, lines = document.text, document.lines
    items: list[int] = []
    open_: list[_Open] = []
    ends: list[tuple[tuple[int, ...], int, int]] = []
    of_item: dict[int, int] = {}

    def close(last: int) -> None:
        done = open_.pop()
        parent = ends[done.place][2]
        ends[done.place] = (tuple(done.items), last, parent)

    for number in range(block.first, block.last):
        if lines[number].kind != "item":
            continue
        depth, form = indent(text, lines[number]), _form(document, number)
        while open_ and (
            open_[-1].depth > depth or (open_[-1].depth == depth and open_[-1].form != form)
        ):
            close(number)
        if not open_ or open_[-1].depth < depth:
            ends.append(((), 0, open_[-1].place if open_ else -1))
            open_.append(_Open(depth, form, [], len(ends) - 1))
        open_[-1].items.append(number)
        items.append(number)
        of_item[number] = open_[-1].place
    while open_:
        close(block.last)
    loose = _loose_lines(document, block)
    lists = [ItemList(own, _end(own, last, loose), parent) for own, last, parent in ends]
    return BlockLists(items, lists, of_item)


def _form(document: "Document", number: int) -> str:
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


def _loose_lines(document: "Document", block: TextBlock) -> list[int]:
    """The lines of a block that begin a sentence, and are neither items nor indented."""
    starts = document.sentence_starts
    found: list[int] = []
    for number in range(block.first, block.last):
        line = document.lines[number]
        if line.kind != "plain" or indent(document.text, line) >= _INDENTED:
            continue
        at = bisect_left(starts, line.start)
        if at < len(starts) and starts[at] < line.end:
            found.append(number)
    return found


def _end(items: tuple[int, ...], last: int, loose: list[int]) -> int:
    """Where a list ends that would end with line `last`."""
    at = bisect_left(loose, items[-1])
    if at == len(loose) or loose[at] >= last:
        return last
    among = at > bisect_left(loose, items[0])
    return last if among else loose[at]


def lead_of(
    document: "Document", number: int, block: int, lists: BlockLists, behind: Mapping[int, int]
) -> tuple[int, bool]:
    """The sentence that leads to the list beginning with line `number`, and whether by a colon.

    -1 stands for none. A sentence leads to a list right below it when it ends with a colon, when no
    blank line parts them, or when it is the item that the list stands under.
    """
    first = document.lines[number]
    sentence = bisect_left(document.sentence_starts, first.start) - 1
    if sentence < 0:
        return -1, False
    one = document.sentences[sentence]
    if document.line_at(max(one.start, one.end - 1)) != number - 1:
        return -1, False
    own = document.blocks[block]
    if number > own.first:
        item = lists.item_at(number - 1)
        near = item >= 0 and indent(document.text, document.lines[item]) < indent(
            document.text, first
        )
        near = near or not first.gap
    else:
        above = document.blocks[block - 1] if block else None
        if own.opens or above is None or above.kind not in ("paragraph", "heading"):
            return -1, False
        near = not first.gap and above.kind == "paragraph"
    colon = ends_with_colon(document, sentence, behind)
    return (sentence, colon) if near or colon else (-1, False)


def ends_with_colon(document: "Document", sentence: int, behind: Mapping[int, int]) -> bool:
    """Whether a sentence ends with a colon, marks and emphasis aside.

    Args:
        document: The document of the text.
        sentence: The number of the sentence.
        behind: For the end of each mark, where it begins.
    """
    text, one = document.text, document.sentences[sentence]
    at = max(one.end, one.reach)
    while at > one.start:
        if at in behind and behind[at] >= one.start and behind[at] < at:
            at = behind[at]
        elif text[at - 1] in " \t\u3000\xa0*_()（）.,，。":
            at -= 1
        else:
            return text[at - 1] in ":："
    return False
