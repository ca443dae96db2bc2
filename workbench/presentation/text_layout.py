"""A part of a text laid out as the Markdown that it is: blocks, and runs of characters in them; pure.

Every character of the part is in exactly one run, in order, so the runs' joined texts are the part.
Syntax is hidden, not removed: a renderer that draws each run as a text node keeps every offset.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from workbench.presentation.markdown_blocks import BlockLeaf, BlockTag, LayoutBlock, read_blocks
from workbench.presentation.markdown_inline import InlineStyle, StyleRange, inline_ranges
from workbench.records.text import Span, Spanned

BLOCKS_CSS = Path(__file__).parent / "assets" / "text_blocks.css"
"""The style sheet of blocks and styles, for an element of the class `text`."""
BLOCKS_JS = BLOCKS_CSS.with_suffix(".js")
"""Functions that build the blocks in the browser, read before the scripts that use them."""
_SYNTAX = re.compile(r"(?P<number>\d{1,9}[.)][ \t]*)|[\s>#*+=_\-~`|:]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class StyledRun(Spanned):
    """Characters of one block with the same look."""

    span: Span
    block: int | None = None
    """None: text outside of any block, shown with its white space."""
    hidden: bool = False
    """Syntax, shown only in the raw text."""
    styles: tuple[InlineStyle, ...] = ()
    address: str | None = None
    """Of a link, as written: never to be followed without a check."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TextLayout:
    """The blocks of a part in text order, and its runs, without a gap."""

    blocks: tuple[LayoutBlock, ...]
    runs: tuple[StyledRun, ...]

    def path(self, block: int | None) -> tuple[int, ...]:
        """The blocks that contain a block, outermost first, and itself."""
        path: list[int] = []
        while block is not None:
            path.append(block)
            block = self.blocks[block].parent
        return tuple(reversed(path))


class BlockStep(NamedTuple):
    """What a renderer closes and opens, in this order, before a piece of the text."""

    closed: tuple[BlockTag, ...]
    opened: tuple[BlockTag, ...]


def block_steps(layout: TextLayout, blocks: Iterable[int | None]) -> Iterator[BlockStep]:
    """The steps between pieces given by the number of their block, and one behind the last."""
    open_: tuple[int, ...] = ()
    for path in (*(layout.path(block) for block in blocks), ()):
        shared = next(
            (n for n, (old, new) in enumerate(zip(open_, path, strict=False)) if old != new),
            min(len(open_), len(path)),
        )
        yield BlockStep(
            tuple(layout.blocks[block].tag for block in reversed(open_[shared:])),
            tuple(layout.blocks[block].tag for block in path[shared:]),
        )
        open_ = path


def text_layout(text: str, part: Span) -> TextLayout:
    """The layout of a part of a text; offsets are those of the text.

    The cost is linear in the part; the text before it is searched for fences of code alone.

    Args:
        text: The whole text.
        part: The span to lay out.
    """
    blocks, leaves = read_blocks(text, part)
    return TextLayout(blocks=tuple(blocks), runs=tuple(_runs(text, part, leaves)))


def _runs(text: str, part: Span, leaves: Sequence[BlockLeaf]) -> Iterator[StyledRun]:
    """The runs of the part: the words of the leaves, and what stands between them."""
    at = leaves[0].first if leaves else part.start
    at = min(at, part.start)
    previous: BlockLeaf | None = None
    for leaf in leaves:
        yield from _clipped(part, _before(text, at, previous, leaf))
        yield from _clipped(part, _words_of(text, leaf))
        at, previous = leaf.words[-1].end, leaf
    rest = Span(at, part.end)
    if previous is None or previous.block is None:
        yield from _clipped(part, [StyledRun(span=rest)])
    else:
        yield from _clipped(part, _syntax(text, rest, previous.block))


def _clipped(part: Span, runs: Iterable[StyledRun]) -> Iterator[StyledRun]:
    for run in runs:
        start, end = max(run.start, part.start), min(run.end, part.end)
        if start < end:
            yield run if run.span == Span(start, end) else replace(run, span=Span(start, end))


def _before(text: str, at: int, previous: BlockLeaf | None, leaf: BlockLeaf) -> Iterator[StyledRun]:
    """What stands between two leaves: white space of the text as given, or syntax of blocks."""
    start = leaf.words[0].start
    if leaf.block is None and (previous is None or previous.block is None):
        yield StyledRun(span=Span(at, start))
        return
    first = max(leaf.first, at)
    outer = previous if previous is not None else leaf
    yield from _syntax(text, Span(at, first), outer.block)
    if leaf.opening is not None:
        yield from _syntax(text, Span(first, leaf.opening.start), leaf.block)
        yield StyledRun(span=leaf.opening, block=leaf.block, hidden=True)
        first = leaf.opening.end
    yield from _syntax(text, Span(first, start), leaf.block)


def _syntax(text: str, span: Span, block: int | None) -> Iterator[StyledRun]:
    """Characters between words: hidden but for the numbers of items; shown if they are anything else."""
    runs: list[StyledRun] = []
    at = span.start
    while at < span.end:
        match = _SYNTAX.match(text, at, span.end)
        if match is None:
            yield StyledRun(span=span, block=block)
            return
        number = match["number"] is not None
        runs.append(
            StyledRun(
                span=Span(*match.span()),
                block=block,
                hidden=not number,
                styles=("marker",) if number else (),
            )
        )
        at = match.end()
    yield from runs


def _words_of(text: str, leaf: BlockLeaf) -> Iterator[StyledRun]:
    """The words of a leaf with their styles, and what stands between its lines."""
    looks = _looks(leaf.text) if leaf.text else iter(())
    look = next(looks, None)
    offset = 0
    for number, words in enumerate(leaf.words):
        if number:
            last = leaf.words[number - 1].end
            turn = text.find("\n", last, words.start) + 1 or words.start
            yield StyledRun(span=Span(last, turn), block=leaf.block)
            yield from _syntax(text, Span(turn, words.start), leaf.block)
        end = offset + words.end - words.start
        at = offset
        while look is not None and at < end:
            stop = min(look.end, end)
            yield StyledRun(
                span=Span(words.start + at - offset, words.start + stop - offset),
                block=leaf.block,
                hidden=look.hidden,
                styles=look.styles,
                address=look.address,
            )
            at = stop
            if look.end <= stop:
                look = next(looks, None)
        if look is None and at < end:
            yield StyledRun(span=Span(words.start + at - offset, words.end), block=leaf.block)
        offset = end + 1
        while look is not None and look.end <= offset:
            look = next(looks, None)


class _Look(NamedTuple):
    end: int
    hidden: bool
    styles: tuple[InlineStyle, ...]
    address: str | None


def _looks(content: str) -> Iterator[_Look]:
    """The look of a leaf's text from its beginning, each to where the next begins."""
    changes: dict[int, list[tuple[int, StyleRange]]] = {}
    for style_range in inline_ranges(content):
        changes.setdefault(style_range.start, []).append((1, style_range))
        changes.setdefault(style_range.end, []).append((-1, style_range))
    active = dict.fromkeys(_ORDER, 0)
    address: str | None = None
    for place in (*sorted(changes), len(content)):
        if place:
            styles = tuple(style for style in _ORDER if style and active[style])
            yield _Look(place, active[None] > 0, styles, address if active["link"] else None)
        for by, style_range in changes.get(place, ()):
            active[style_range.style] += by
            if by > 0 and style_range.style == "link":
                address = style_range.address


_ORDER: tuple[InlineStyle | None, ...] = (None, "strong", "em", "del", "code", "link", "note")
