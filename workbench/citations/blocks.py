"""The paragraphs, lists and tables of a text: what a sentence can refer back to."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from workbench.citations.lines import Line

BlockKind = Literal["paragraph", "list", "table", "heading", "break"]
_INDENTED = 2
"""Blanks before a paragraph that belongs to the list item above it."""
_TAB = 4


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
