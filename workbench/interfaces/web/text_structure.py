"""The headings, lists and tables of a source's text, for the browser."""

from collections.abc import Sequence

from workbench.interfaces.web import session
from workbench.interfaces.web.sources.data import open_folder
from workbench.records.source import Source
from workbench.records.text import Json, Span
from workbench.services.sources.structure import SourceBlock, source_structure


def structure_of(source: Source) -> tuple[SourceBlock, ...]:
    """The structure of a source, out of the snapshots of this workbench; none of a PDF."""
    if source.pages:
        return ()
    return source_structure(open_folder(session.settings().snapshots), source)


def structure_data(blocks: Sequence[SourceBlock], part: Span) -> list[Json]:
    """`[start, end, kind, level]` of the blocks within a part, in code points from its start."""
    return [
        [max(block.span.start, part.start) - part.start, min(block.span.end, part.end) - part.start,
         block.kind, block.level]
        for block in blocks
        if block.span.start >= part.start and block.span.end <= part.end
    ]  # fmt: skip
