"""The headings above the passages of a source: the heading of each, and its table's header row."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace

from workbench.records.source import Passage

LONGEST = 200
"""Code points of a heading or header row that are shown; the rest is cut."""
HEADINGS_CHARS = 1000
"""Code points that all of them may take beside the passages of one question."""
_HEADING = re.compile(r"^[ \t]{0,3}#{1,6}[ \t]+(\S[^\n]*)$", re.MULTILINE)
_TABLE_ROWS = 200
"""So many rows above a passage are looked through for its table's first row."""


def with_headings(text: str, passages: Sequence[Passage]) -> list[Passage]:
    """The passages with the heading above each and the header row of the table it begins in.

    A passage that itself begins with the heading or the header row has none. Linear in the source.
    """
    headings = [(match.start(), match[1]) for match in _HEADING.finditer(text)]
    starts = [start for start, _ in headings]
    headed: list[Passage] = []
    remaining, last = HEADINGS_CHARS, ("", "")
    for passage in passages:
        at = bisect_right(starts, passage.start)
        above = headings[at - 1] if at else None
        begins_with_heading = above is not None and above[0] >= passage.start - 3
        heading = (
            None if above is None or begins_with_heading else " ".join(above[1].split())[:LONGEST]
        )
        header = _header_row(text, passage.start)
        heading_lines = (heading or "", header or "")
        remaining -= 0 if heading_lines == last else sum(map(len, heading_lines))
        last = heading_lines
        headed.append(
            replace(passage, heading=heading, table_header=header) if remaining >= 0 else passage
        )
    return headed


def _header_row(text: str, start: int) -> str | None:
    """The first row of the table whose row begins at `start`; None for the first row itself."""
    end = text.find("\n", start)
    first = text[start : end if end >= 0 else len(text)]
    if not _is_row(first):
        return None
    header = None
    for _ in range(_TABLE_ROWS):
        line_end = text.rfind("\n", 0, start)
        if line_end < 0:
            break
        line_start = text.rfind("\n", 0, line_end) + 1
        line = text[line_start:line_end]
        if not _is_row(line):
            break
        header, start = line, line_start
    return " ".join(header.split())[:LONGEST] if header else None


def _is_row(line: str) -> bool:
    """Whether a line is a row of a table: at least two cell borders."""
    return line.count("|") >= 2 or line.count("\t") >= 2
