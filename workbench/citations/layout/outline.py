"""The headings of a text, and which of them stand above a place."""

import re
from bisect import bisect_left
from collections.abc import Collection, Sequence
from typing import Literal, NamedTuple

from workbench.citations.layout.lines import Line
from workbench.records.text import Excerpt, Span

BlockKind = Literal["paragraph", "list", "table", "heading", "break"]
INDENTED = 2
"""Blanks before a paragraph that belongs to the list item above it."""
_TAB = 4


LONGEST_HEADING = 300
"""Code points of a heading or of a cell that are kept."""
_TITLE, _FIRST_HASH, _BOLD, _SHORT_PARAGRAPH = 0, 10, 100, 110
"""Ranks: the smaller stands above the greater. Numbered headings have theirs below."""
_NUMBERED = re.compile(
    r"\s*(?:(?P<r65>第[一二三四五六七八九十百\d]{1,4}[章部篇编編])"
    r"|(?P<r68>第[一二三四五六七八九十百\d]{1,4}[节節])"
    r"|(?P<r70>[一二三四五六七八九十]{1,3}、)"
    r"|(?P<r80>[（(][一二三四五六七八九十]{1,3}[）)])"
    r"|(?P<r94>\d{1,2}\.\d{1,2}\.\d)"
    r"|(?P<r92>\d{1,2}\.\d)"
    r"|(?P<r90>\d{1,2}[.、．]|[IVX]{1,5}\.))"
)
_LONGEST_NUMBERED = 60
_NO_HEADING_ENDS = ".。!！?？;；,，、]】…"
_CLOSING_HASHES = re.compile(r"[ \t]+#{1,6}\Z")


class Outline(NamedTuple):
    """The headings of a text in text order, each with the one that it stands under."""

    text: str
    starts: list[int]
    """Where the line of each heading begins."""
    lines: list[int]
    """The number of that line."""
    parents: list[int]
    """The number of the heading above each, -1 for none."""
    words: list[tuple[int, int]]
    """The span of its words, without `#` and bold signs; empty for a heading without words."""
    paths: dict[int, tuple[Excerpt, ...]]
    """The paths made so far, by heading: claims under one heading share theirs."""

    def above(self, line_start: int) -> tuple[Excerpt, ...]:
        """The headings that the line at `line_start` stands under, outermost first.

        A line that is a heading itself is not among them.
        """
        number = bisect_left(self.starts, line_start)
        if number < len(self.starts) and self.starts[number] == line_start:
            return self._path(self.parents[number])
        return self._path(number - 1) if number else ()

    def _path(self, number: int) -> tuple[Excerpt, ...]:
        """A heading with those above it; -1 stands for none, and -2 for the start of an answer."""
        if number < 0:
            return ()
        path = self.paths.get(number)
        if path is None:
            start, end = self.words[number]
            path = self._path(self.parents[number])
            if start < end:
                words = Excerpt(span=Span(start, end), text=self.text[start:end])
                path = (*path, words)
            self.paths[number] = path
        return path


def read_outline(
    text: str, lines: Sequence[Line], titles: Collection[int], answers: Sequence[int] = ()
) -> Outline:
    """The headings of a text: `#`, underlined, in bold alone on a line, numbered, and titles.

    A heading ends where another of its rank or a higher one follows. A title or bold line that
    opens the text stands above all. Offsets are code points of the text.

    Args:
        text: The text.
        lines: Its lines.
        titles: Where the paragraphs begin that read as a title.
        answers: Where answers begin in a transcript: no heading reaches over one.
    """
    outline = Outline(text, [], [], [], [], {})
    open_: list[tuple[int, int]] = []
    waiting = 0
    for number, line in enumerate(lines):
        while waiting < len(answers) and line.start >= answers[waiting]:
            waiting += 1
            if open_:
                open_ = []
                _close(outline, line)
        kind = line.kind
        if kind == "plain":
            if line.body not in titles:
                continue
        elif kind == "item":
            if not _is_numbered_heading(text, lines, number):
                continue
        elif kind != "heading":
            continue
        words = bare(text, line.body, line.end, heading=True)
        rank = _rank(text, line, opens=number == 0)
        while open_ and open_[-1][0] >= rank:
            open_.pop()
        outline.parents.append(open_[-1][1] if open_ else -1)
        open_.append((rank, len(outline.starts)))
        outline.starts.append(line.start)
        outline.lines.append(number)
        outline.words.append(words)
    return outline


def _close(outline: Outline, line: Line) -> None:
    """Close all headings at a line that is not a heading."""
    outline.starts.append(line.start)
    outline.lines.append(-1)
    outline.parents.append(-1)
    outline.words.append((line.start, line.start))


def bare(text: str, start: int, end: int, *, heading: bool = False) -> tuple[int, int]:
    """The span of the words in `text[start:end]` without blanks and bold signs around them.

    At most `LONGEST_HEADING` code points; of a heading also without closing `#` and colon.
    """
    end = min(end, start + LONGEST_HEADING)
    words = text[start:end]
    if end > start and words[0].isalnum() and words[-1].isalnum():
        return start, end
    while True:
        before = words
        words = words.rstrip()
        if heading:
            closing = _CLOSING_HASHES.search(words)
            words = (words[: closing.start()] if closing else words).rstrip(":：")
        start += len(words) - len(words.lstrip())
        words = words.lstrip()
        for sign in ("**", "__", "*", "_"):
            inner = words[len(sign) : -len(sign)]
            if inner and words.startswith(sign) and words.endswith(sign) and sign not in inner:
                words = inner
                start += len(sign)
                break
        if words == before:
            return start, start + len(words)


def _rank(text: str, line: Line, *, opens: bool) -> int:
    """How high a heading stands: smaller is higher."""
    if line.kind == "heading" and line.level < 7:
        return _FIRST_HASH * line.level
    start = line.start if line.kind == "item" else bare(text, line.body, line.end)[0]
    numbered = _NUMBERED.match(text, start, line.end)
    if numbered is not None and numbered.lastgroup is not None:
        return int(numbered.lastgroup[1:])
    if opens:
        return _TITLE
    return _BOLD if line.kind == "heading" else _SHORT_PARAGRAPH


def _is_numbered_heading(text: str, lines: Sequence[Line], at: int) -> bool:
    """Whether a numbered line heads what follows it, and is not an item of a list.

    `一、` and `（一）` do so where no line of their form stands next to them; `1.` only in a
    paragraph of its own, with another kind of text before the next number.
    """
    line = lines[at]
    if line.end - line.body > _LONGEST_NUMBERED or line.end <= line.body or at + 1 >= len(lines):
        return False
    match = _NUMBERED.match(text, line.start, line.end)
    if match is None or text[line.end - 1] in _NO_HEADING_ENDS:
        return False
    chinese = match.lastgroup in ("r70", "r80")
    after = lines[at + 1]
    if not chinese and not (line.gap and after.gap and text[line.end - 1] not in ":："):
        return False
    return not any(
        neighbor.kind == "item" and _form(text, neighbor) == match.lastgroup
        for neighbor in (after, *lines[max(at - 1, 0) : at])
    )


def _form(text: str, line: Line) -> str | None:
    match = _NUMBERED.match(text, line.start, line.end)
    return match.lastgroup if match else None


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
    """The blocks of a text in order; code and rules are breaks between them.

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
        line_kind: BlockKind = "heading" if heads else _kind(text, lines, number, kind)
        if kind is not None and (
            new or line_kind != kind or not _joins(text, lines, number, line_kind)
        ):
            blocks.append(TextBlock(lines[first].start, first, number, kind, opens))
            first, opens = number, new
        elif kind is None:
            opens = new
        kind = line_kind
    if kind is not None:
        blocks.append(TextBlock(lines[first].start, first, len(lines), kind, opens))
    return blocks


def _kind(text: str, lines: Sequence[Line], number: int, previous: BlockKind | None) -> BlockKind:
    """The kind of the block of a line that is not a heading; `previous` is the block before."""
    line = lines[number]
    if line.kind == "plain":
        if previous == "list" and (not line.gap or indent(text, line) >= INDENTED):
            return "list"
        return "paragraph"
    if line.kind == "item":
        return "list"
    if line.kind == "table" or (line.kind == "rule" and previous == "table" and not line.gap):
        return "table"
    return "break"


def _joins(text: str, lines: Sequence[Line], number: int, kind: BlockKind) -> bool:
    """Whether a line continues a block of its own kind."""
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
