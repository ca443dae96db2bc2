"""Read an entry that is a court decision: its name, reporter, first page, court and year."""

import re
from typing import NamedTuple

from workbench.citations.marks.legal import find_legal

_MAY_BE = re.compile(
    r"\sv(?:s?\.)?\s|\b(?:In re|Ex parte|Matter of|Estate of)\s|\A\W{0,4}\d{1,4}\s[A-Z][\w.]{0,8}\s"
)
_NUMBERED = re.compile(
    r"\d{1,4}\s[A-Z][A-Za-z0-9.'’ ]{0,24}?\s\d{1,5}|[\[(（](?:1[89]|20)\d\d[\])）]\s?(?:\d"
    r"|[A-Z])|\d{1,4}\s(?:WL|LEXIS)|号"
)
_REPORTER = re.compile(
    r"(?P<volume>\d{1,4})\s(?P<reporter>[A-Z][A-Za-z0-9.'’& ]{0,28}?)\s(?P<page>\d{1,7})(?![\w.])"
)
_NEUTRAL = re.compile(
    r"[\[(](?P<year>(?:1[89]"
    r"|20)\d\d)[\])]\s?(?:(?P<volume>\d{1,2})\s)?(?P<reporter>[A-Z][A-Za-z ]{1,12}?)\s(?P<page>\d{1,5})"
)
_COURT = re.compile(
    r"\((?:(?P<court>[^()\n]{2,50}?),?\s)?(?:[A-Z][a-z]{2,8}\.?\s\d{1,2},\s)?(?P<year>(?:1[789]"
    r"|20)\d\d)\)"
)


class Case(NamedTuple):
    """A court decision; each place is a stretch of the entry's plain words."""

    name: tuple[int, int]
    reporter: tuple[int, int]
    page: tuple[int, int]
    volume: tuple[int, int] | None = None
    court: str | None = None
    year: tuple[int, int] | None = None
    identifier: str = ""


def read_case(words: str) -> Case | None:
    """The court decision that an entry is; None when it begins with no case name."""
    if not _MAY_BE.search(words, 0, 300) or not _NUMBERED.search(words, 0, 600):
        return None
    window = words[:800]
    marks = [
        mark for mark in find_legal(window) if mark.kind == "case_law" and mark.style != "short"
    ]
    if not marks:
        return None
    mark = min(marks, key=lambda mark: (mark.start, -mark.end))
    lead = re.match(
        r"(?:(?:[Ss]ee(?: also)?|[Cc]f\.|[Bb]ut see|E\.g\.,?|[Ss]ee,? e\.g\.,)\s)?\W{0,4}", window
    )
    if mark.start > (lead.end() if lead else 0):
        return None
    cite = _NEUTRAL.search(window, mark.start, mark.end) or _REPORTER.search(
        window, mark.start, mark.end
    )
    if cite is None:
        return None
    start, end = mark.start, cite.start()
    while end > start and window[end - 1] in " ,*_":
        end -= 1
    if not re.search(r"[A-Za-z]{2}", window[start:end]):
        return None
    court = _COURT.search(window, cite.end(), cite.end() + 120)
    if cite.re is _NEUTRAL:
        year: tuple[int, int] | None = cite.span("year")
    else:
        year = court.span("year") if court else None
    return Case(
        name=(start, end),
        reporter=cite.span("reporter"),
        page=cite.span("page"),
        volume=cite.span("volume") if cite["volume"] else None,
        court=court["court"].strip(" ,") if court and court["court"] else None,
        year=year,
        identifier=mark.identifier,
    )
