"""The headings, lists and tables of a web page, as spans of its extracted text.

The text is evidence and stays as it was stored; the structure is found in the page's markup and
laid over it. What is not found there is running text.
"""

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from workbench.records.text import Span
from workbench.sources.reading.blocks import Block, BlockKind, bare
from workbench.sources.reading.parse import plain_letters

MAX_STRUCTURED_CHARS = 2_000_000

StructureKind = Literal["heading", "item", "row", "cell", "rule"]
"""A cell lies within its row; a rule is the line of dashes that parts a table's head from its body."""

_RULE = re.compile(r"\|?(?:\s*:?-{3,}:?\s*\|)+\s*(?::?-{3,}:?)?\s*")
_BULLET = re.compile(r"(\s*)[-*•]\s+")


class SourceBlock(NamedTuple):
    """A block of a source's text: half-open code points of the text, without its line end."""

    span: Span
    kind: StructureKind
    level: int
    """1 to 6 for a heading; how deep a list item lies, from 1; else 0."""


def text_structure(text: str, blocks: Sequence[Block]) -> tuple[SourceBlock, ...]:
    """The headings, list items and rows of a text, in order; each row is followed by its cells.

    A line has the kind of the block of the page with the same letters and digits, in the order of
    the page. Cost is linear in the text and the blocks.

    Args:
        text: As it was extracted and stored.
        blocks: The page's, in reading order.
    """
    places: dict[str, list[int]] = {}
    for number, block in enumerate(blocks):
        places.setdefault(bare(plain_letters(block.text)), []).append(number)
    has_rows = any(block.kind == "row" for block in blocks)
    structure: list[SourceBlock] = []
    at = 0
    start = 0
    for line in text[:MAX_STRUCTURED_CHARS].split("\n"):
        span = Span(start, start + len(line))
        start = span.end + 1
        key = bare(line)
        numbers = places.get(key) if key else None
        if numbers:
            number = _next(numbers, at)
            at = max(at, number)
            # a caption is a row of the extracted text as well
            barred = has_rows and line.lstrip().startswith("|")
            kind = "row" if barred else blocks[number].kind
            structure += _blocks_of_line(line, span, kind, blocks[number].level)
        elif structure and structure[-1].kind in ("row", "cell") and _RULE.fullmatch(line):
            structure.append(SourceBlock(span, "rule", 0))
    return tuple(structure)


def _next(numbers: list[int], at: int) -> int:
    """The first of the blocks from a place on; those before it are given up."""
    while len(numbers) > 1 and numbers[0] < at:
        numbers.pop(0)
    return numbers.pop(0) if len(numbers) > 1 else numbers[0]


def _blocks_of_line(line: str, span: Span, kind: BlockKind, level: int) -> list[SourceBlock]:
    if kind == "row" and "|" in line:
        return [SourceBlock(span, "row", 0), *_cells(line, span.start)]
    if kind == "item":
        bullet = _BULLET.match(line)
        depth = len(bullet[1]) // 2 + 1 if bullet else level
        return [SourceBlock(span, "item", max(depth, 1))]
    return [SourceBlock(span, "heading", level)] if kind == "heading" else []


def _cells(line: str, start: int) -> list[SourceBlock]:
    """The cells of a row, without the bars and the white space round them; some may be empty."""
    inner = line.rstrip()
    first = len(inner) - len(inner.lstrip()) + 1 if inner.lstrip().startswith("|") else 0
    inner = inner[first:].removesuffix("|")
    cells: list[SourceBlock] = []
    at = start + first
    for part in inner.split("|"):
        left = at + len(part) - len(part.lstrip()) if part.strip() else at
        cells.append(SourceBlock(Span(left, left + len(part.strip())), "cell", 0))
        at += len(part) + 1
    return cells
