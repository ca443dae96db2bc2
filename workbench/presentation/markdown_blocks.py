"""The blocks of Markdown and where the words of each are in the source; pure.

markdown-it reads the blocks, since its tokens have their lines; where the words of a line begin is
found again in the source. A line whose words are not found is taken as it was given.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Literal, NamedTuple

from workbench.records.text import Span, replace_surrogates

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

BlockTag = Literal[
    "h1", "h2", "h3", "h4", "h5", "h6", "p", "blockquote", "ul", "ol", "li", "table", "tr", "th",
    "td", "pre", "rule",
]  # fmt: skip

CONTEXT_CHARS = 24_000
"""A table or a paragraph that began at most so long before the part is read from its beginning."""
LONGEST_UNDERLINED = 100
"""A longer paragraph above `---` is no heading."""
_FENCE = re.compile(
    r"^[ \t>]{0,12}(?:(?:[-+*]|\d{1,9}[.)])[ \t]{1,4})?"
    r"(?P<mark>`{3,20}|~{3,20})(?P<info>[^\n`]{0,200})$",
    re.MULTILINE,
)
_FENCE_SIGNS = re.compile("```|~~~")
_MOST_BEFORE_FENCE = 40
"""Code points before a fence in its line: indentation, quote signs and the sign of an item."""
_CLOSING = re.compile(r"(?:[ \t]*\[\d{1,3}\])*[\s.]*\Z")
"""Behind a closing fence: nothing, or markers that cite for the code."""
_WRAPPER = re.compile(r"\s*(?:markdown|md|text|txt|plaintext)\s*\Z", re.IGNORECASE)
_PREFIX = re.compile(r"[ \t>]*")
_ITEM_PREFIX = re.compile(r"(?:[ \t>]|[-+*][ \t]|\d{1,9}[.)][ \t])*")
_PIPE = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True, slots=True)
class LayoutBlock:
    """A block and the one that contains it, by its number; None for the text itself."""

    tag: BlockTag
    parent: int | None


class BlockLeaf(NamedTuple):
    """A block with words of its own."""

    block: int | None
    first: int
    """Where its first line, or its cell, begins; the syntax before the words belongs to it."""
    words: list[Span]
    """The words of each of its lines, or one span for all lines; may be empty spans."""
    text: str = ""
    """The words as one text, a line feed after each; empty if they are code."""
    opening: Span | None = None
    """The line that opens code: hidden, whatever it says."""


def read_blocks(text: str, part: Span) -> tuple[list[LayoutBlock], list[BlockLeaf]]:
    """The blocks of a part of a text, and those with words in text order.

    The first may begin before the part: a table or a paragraph is read from its beginning.
    """
    fences = code_fences(text)
    reader = _BlockReader()
    begin = _context_start(text, part)
    for fence in fences:
        if fence.start < part.start < fence.end:
            begin = min(fence.end, part.end)
            reader.add_code(Span(part.start, begin))
        elif fence.start < begin < fence.end:
            begin = fence.end
    reader.read(begin, _readable(text, Span(begin, part.end), fences))
    return reader.blocks, reader.leaves


def code_fences(text: str) -> tuple[Span, ...]:
    """Fenced code with its fences, in order; linear in the text.

    A fence that is never closed, and one that says `markdown` or `text`, is not code: answers
    come wrapped in those.
    """
    spans: list[Span] = []
    opened: re.Match[str] | None = None
    wrapped = False
    for fence in _fence_lines(text):
        info = fence["info"]
        if opened is not None:
            if fence["mark"].startswith(opened["mark"]) and _CLOSING.match(info):
                spans.append(Span(opened.start(), fence.end()))
                opened = None
        elif _WRAPPER.match(info):
            wrapped = True
        elif wrapped and not info.strip():
            wrapped = False
        else:
            opened = fence
    return tuple(spans)


def _fence_lines(text: str) -> Iterator[re.Match[str]]:
    """The lines that open or close code; only lines with three signs are looked at."""
    end = 0
    for signs in _FENCE_SIGNS.finditer(text):
        least = max(signs.start() - _MOST_BEFORE_FENCE, 0)
        line = text.rfind("\n", least, signs.start()) + 1
        if signs.start() < end or (line == 0 and least > 0):
            continue
        fence = _FENCE.match(text, line)
        if fence is not None:
            end = fence.end()
            yield fence


def _readable(text: str, span: Span, fences: Sequence[Span]) -> str:
    """What markdown-it reads: as long as the span, with line feeds alone, and no other fence."""
    part = text[span.start : span.end]
    starts = {fence.start for fence in fences}
    ends = {fence.end for fence in fences}

    def unfenced(fence: re.Match[str]) -> str:
        if span.start + fence.start() in starts:
            return fence[0]
        if span.start + fence.end() in ends:
            info = fence["info"]
            return fence[0].removesuffix(info) + " " * len(info)
        return fence[0].replace("`", "'").replace("~", "'")

    part = replace_surrogates(part).replace("\0", "\ufffd")
    part = part.replace("\r\n", " \n").replace("\r", "\n")
    return _FENCE.sub(unfenced, part) if "```" in part or "~~~" in part else part


def _context_start(text: str, part: Span) -> int:
    """Where the lines begin that the part continues; its own start after a blank line."""
    start, least = part.start, max(part.start - CONTEXT_CHARS, 0)
    while start > least:
        before = text.rfind("\n", least, start - 1) + 1 if start - 1 > least else 0
        if not text[before:start].strip():
            return start
        if before <= least:
            return 0 if least == 0 else part.start
        start = before
    return start


@cache
def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    # definitions of links are visible, and so are HTML and text with four blanks before it
    parser.disable(["code", "reference", "html_block"])
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


_CONTAINERS: dict[str, BlockTag] = {
    "bullet_list_open": "ul",
    "ordered_list_open": "ol",
    "list_item_open": "li",
    "blockquote_open": "blockquote",
}


class _BlockReader:
    """The blocks and leaves of a text, in order, from markdown-it's tokens."""

    def __init__(self) -> None:
        self.blocks: list[LayoutBlock] = []
        self.leaves: list[BlockLeaf] = []
        self._open: list[int] = []
        self._read = ""
        self._begin = 0
        self._starts: list[int] = []

    def add_code(self, span: Span) -> None:
        """Code that began before the part."""
        self.leaves.append(BlockLeaf(self._block("pre"), span.start, [span]))

    def read(self, begin: int, readable: str) -> None:
        """Read what stands at `begin`."""
        self._read, self._begin = readable, begin
        self._starts = [0, *(end.end() for end in re.finditer("\n", readable))]
        tokens = _parser().parse(readable)
        for number, token in enumerate(tokens):
            if token.type in _CONTAINERS:
                self._open.append(self._block(_CONTAINERS[token.type]))
                if tokens[number + 1].type == "list_item_close":
                    end = self._line_end(_first_line(token))
                    self._add(self._open[-1], _first_line(token), [Span(end, end)])
            elif token.type.removesuffix("_close") + "_open" in _CONTAINERS:
                self._open.pop()
            elif token.type == "paragraph_open":
                self._paragraph(token, tokens[number + 1])
            elif token.type == "heading_open":
                self._heading(token, tokens[number + 1])
            elif token.type == "fence":
                self._fence(token)
            elif token.type == "hr":
                end = self._line_end(_first_line(token))
                self._add(self._block("rule"), _first_line(token), [Span(end, end)])
            elif token.type == "table_open":
                self._table(token)

    def _block(self, tag: BlockTag, parent: int | None = None) -> int:
        if parent is None and self._open:
            parent = self._open[-1]
        self.blocks.append(LayoutBlock(tag, parent))
        return len(self.blocks) - 1

    def _line_end(self, line: int) -> int:
        after = line + 1
        return self._starts[after] - 1 if after < len(self._starts) else len(self._read)

    def _add(self, block: int | None, line: int, words: list[Span]) -> None:
        """Add a leaf whose words are in what is read, from the start of a line on."""
        self._add_at(block, self._starts[line], words)

    def _add_at(self, block: int | None, first: int, words: list[Span]) -> None:
        text = "\n".join(span.of(self._read) for span in words) + "\n"
        self.leaves.append(BlockLeaf(block, first + self._begin, self._placed(words), text))

    def _placed(self, words: list[Span]) -> list[Span]:
        return [Span(span.start + self._begin, span.end + self._begin) for span in words]

    def _verbatim(self, first: int, last: int) -> list[Span]:
        return [Span(self._starts[first], self._line_end(last - 1))]

    def _paragraph(self, token: "Token", inline: "Token") -> None:
        first, last = token.map or (0, 0)
        if not self._open:
            self._add(None, first, self._verbatim(first, last))
            return
        block = self._open[-1] if token.hidden else self._block("p")
        self._add(block, first, self._aligned(first, last, inline.content))

    def _heading(self, token: "Token", inline: "Token") -> None:
        first, last = token.map or (0, 0)
        start, end = self._starts[first], self._line_end(first)
        if token.markup[0] == "#":
            hashes = self._read.find("#", start)
            at = self._read.find(inline.content, hashes + len(token.markup), end)
            words = Span(at, at + len(inline.content)) if inline.content else Span(hashes, end)
            self._add(self._block(_heading_tag(token)), first, [words])
        elif last - first > 2 or len(inline.content) > LONGEST_UNDERLINED:
            block = self._block("p") if self._open else None
            self._add(block, first, self._verbatim(first, last))
        else:
            words_of_line = self._aligned(first, last - 1, inline.content)
            self._add(self._block(_heading_tag(token)), first, words_of_line)

    def _fence(self, token: "Token") -> None:
        first = _first_line(token)
        lines = token.content.split("\n")[:-1]
        start = min(self._line_end(first) + 1, len(self._read))
        words = [Span(start, start)]
        if lines and self._open:
            words = self._aligned(first + 1, first + 1 + len(lines), "\n".join(lines), code=True)
        elif lines:
            words = self._verbatim(first + 1, first + 1 + len(lines))
        mark = self._read.find(token.markup, self._starts[first])
        (opening,) = self._placed([Span(mark, start)])
        begin = self._starts[first] + self._begin
        self.leaves.append(
            BlockLeaf(self._block("pre"), begin, self._placed(words), opening=opening)
        )

    def _table(self, token: "Token") -> None:
        first, last = token.map or (0, 0)
        table = self._block("table")
        for line in (first, *range(first + 2, last)):
            row = self._block("tr", table)
            start, end = self._starts[line], self._line_end(line)
            prefix = (_ITEM_PREFIX if self._open else _PREFIX).match(self._read, start, end)
            at = prefix.end() if prefix else start
            if self._read.startswith("|", at):
                at += 1
            begin = start
            pipes = [pipe.start() for pipe in _PIPE.finditer(self._read, at, end)]
            if pipes and not self._read[pipes[-1] + 1 : end].strip():
                pipes.pop()
            for stop in (*pipes, end):
                cell = self._read[at:stop]
                left = at + len(cell) - len(cell.lstrip())
                words = cell.strip()
                if stop == end:
                    words = words.removesuffix("|").rstrip() if words[-2:] != "\\|" else words
                block = self._block("th" if line == first else "td", row)
                self._add_at(block, begin, [Span(left, left + len(words))])
                begin, at = stop, stop + 1

    def _aligned(self, first: int, last: int, content: str, *, code: bool = False) -> list[Span]:
        """Where the words of lines are in their lines; all of a line whose words are not found."""
        contents = content.split("\n")
        if len(contents) != last - first:
            return self._verbatim(first, last)
        spans = []
        for line, words in enumerate(contents, first):
            start, end = self._starts[line], self._line_end(line)
            source_line = self._read[start:end]
            if not code:
                source_line, words = source_line.rstrip(), words.strip()
            if source_line.endswith(words):
                end = start + len(source_line)
                start = end - len(words)
            spans.append(Span(start, end))
        return spans


def _first_line(token: "Token") -> int:
    return token.map[0] if token.map else 0


def _heading_tag(token: "Token") -> BlockTag:
    tags: tuple[BlockTag, ...] = ("h1", "h2", "h3", "h4", "h5", "h6")
    return tags[int(token.tag[1]) - 1]
