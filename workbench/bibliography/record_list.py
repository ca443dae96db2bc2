"""What the files of reference managers hold: records, where each stands, and what is broken."""

import re
from typing import NamedTuple

from workbench.records.registries import SkippedRecord
from workbench.records.text import Json, JsonDict, Span


class RecordList(NamedTuple):
    """The records of a file as CSL-JSON items."""

    records: list[JsonDict]
    problems: list[SkippedRecord]
    spans: list[Span]
    """Where each record stands, in code points of the file's text; as many as records."""


class LineNumbers:
    """The number of the line of a text in which an offset stands; offsets rise."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._offset = 0
        self._line = 1

    def place(self, offset: int) -> str:
        """`line N` of an offset not before the last one."""
        self._line += self._text.count("\n", self._offset, offset)
        self._offset = max(offset, self._offset)
        return f"line {self._line}"


_ISO_DATE = re.compile(r"\s*(\d{4})(?:[-/](\d{1,2}))?(?:[-/](\d{1,2}))?(?![\d])")
_YEAR = re.compile(r"(?<!\d)(1[4-9]\d\d|20\d\d)(?!\d)")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_ARXIV = re.compile(
    r"arxiv(?:\s+preprint)?(?:\s+arxiv)?\s*[:/ ]\s*(?:abs/)?(\d{4}\.\d{4,5}|[a-z-]+/\d{7})",
    re.IGNORECASE,
)


def issued(date: str, month: str = "") -> JsonDict | None:
    """A CSL date of what a field says: `2019`, `2019-05-02`, `May 2019`, `in press`."""
    if not date.strip():
        return None
    exact = _ISO_DATE.match(date)
    if exact and (exact[2] or not month):
        parts = [int(part) for part in exact.groups() if part]
        if len(parts) < 2 or 1 <= parts[1] <= 12:
            return {"date-parts": [parts]}
    year = _YEAR.search(date)
    if year is None:
        return {"literal": date.strip()}
    number = month_number(month or date.replace(year[0], ""))
    return {"date-parts": [[int(year[0]), number] if number else [int(year[0])]]}


def month_number(month: str) -> int | None:
    """The number of a month by its number or its English name; None for anything else."""
    word = month.strip().strip(".,/").lower()
    if word.isdecimal():
        return int(word) if 1 <= int(word) <= 12 else None
    return _MONTHS.index(word[:3]) + 1 if word[:3] in _MONTHS else None


def date_parts(item: JsonDict) -> list[int]:
    """Year, month and day of an item as far as they are given; empty without a year."""
    date: Json = item.get("issued")
    parts = date.get("date-parts") if isinstance(date, dict) else None
    first = parts[0] if isinstance(parts, list) and parts else None
    if not isinstance(first, list):
        return []
    numbers: list[int] = []
    for part in first[:3]:
        if not isinstance(part, int | str) or not str(part).isdecimal():
            break
        numbers.append(int(part))
    return numbers


def arxiv_within(text: str) -> str:
    """The arXiv identifier that a text names after the word arXiv; empty without one."""
    match = _ARXIV.search(text)
    return match[1] if match else ""
