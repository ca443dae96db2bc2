"""Volume, issue and pages of an entry, in the orders in which the styles write them."""

import re

from workbench.citations.lexicon import YEAR

_PAGES = (
    rf"(?P<pages>(?!{YEAR}\b(?!\s?[-–—]))[A-Za-z]{{0,2}}\d{{1,7}}"
    r"(?:\s?(?:-{1,2}|[‐‑–—~～])\s?[A-Za-z]{0,2}\d{1,7})?)(?![A-Za-z\d_/])"
)
_RANGE = r"(?P<pages>[A-Za-z]?\d{1,7}\s?(?:-{1,2}|[‐‑–—])\s?[A-Za-z]?\d{1,7})(?![\w/-])"
_VOLUME = rf"(?<![\w.:/–-])(?P<volume>(?!{YEAR}\b)\d{{1,4}})"
_ISSUE = (
    rf"(?P<issue>(?!{YEAR}\))\d{{1,4}}(?:\s?[-–/]\s?\d{{1,4}})?|[Ss]uppl[^()\n]{{0,12}}|[Pp]t\s\d)"
)
_ORDERS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\b{YEAR}\b[^;:.\d\n]{{0,12}}(?:\d{{1,2}})?;\s?(?P<volume>\d{{1,4}})"
        rf"(?:\s?\({_ISSUE}\))?(?:\s?[:：]\s?{_PAGES})?",
        rf"\b{YEAR}[,，]\s?(?P<volume>\d{{1,4}})(?:\s?[(（]{_ISSUE}[)）])?\s?[:：]\s?{_PAGES}",
        rf"{_VOLUME}\s?[(（]{_ISSUE}[)）](?:\s\({YEAR}\))?"
        rf"(?:(?:\s?[,:：，]\s?|(?<=\d\))\s)(?:pp?\.\s?|S\.\s?)?{_PAGES})?",
        rf"{_VOLUME}[,:]\s(?:no|Nr|iss|issue|№)\.?\s?{_ISSUE}(?:\s\([^()\n]{{0,30}}\))?"
        rf"(?:[:,]\s?(?:pp?\.\s?)?{_PAGES})?",
        rf"{_VOLUME},\s{_ISSUE}(?:,\s(?:Article\s)?\w{{1,12}})?\s\([^()\n]{{0,20}}{YEAR}\)"
        rf"(?:,\s{_PAGES})?",
        rf"{_VOLUME},?\s?\({YEAR}\)(?:,\s(?:Nr|H|Heft|no|issue)\.?\s?{_ISSUE})?"
        rf"(?:[,:]?\s(?:S\.\s?|pp?\.\s?|Article\s)?{_PAGES})?",
        rf"{_VOLUME},\s(?:pp?\.\s?)?{_PAGES}\s\({YEAR}\)",
        rf"{_VOLUME}\s?[:：]\s?{_RANGE}",
        rf"(?<=[^\W\d_]),?\s{_VOLUME},\s(?:pp?\.\s?)?{_RANGE}",
        rf"(?<=[^\W\d_]),\s{_VOLUME},\spp?\.\s?{_PAGES}",
        rf"(?<=[^\W\d_]),\s{_VOLUME}(?=\.?\s{{0,2}}(?:\n|\Z))",
    )
)
_VOLUME_WORD = re.compile(
    r"(?:\b(?:vol(?:ume)?s?|Bd|Band|[Tt]ome|т|Т)\.?\s?|第(?=\d{1,4}[卷巻]))"
    r"(?P<volume>\d{1,4}|[IVXLC]{1,7})(?![A-Za-z\d_])",
    re.IGNORECASE,
)
_ISSUE_WORD = re.compile(
    r"(?:\b(?:no|nos|num|issue|iss|Nr|Heft|H)\.?\s?|№\s?|第(?=\d{1,4}[期号號]))"
    r"(?P<issue>\d{1,4}(?:[-–/]\d{1,4})?)(?![A-Za-z\d_])",
    re.IGNORECASE,
)
_PAGES_WORD = re.compile(
    rf"(?:\b(?:pp?|pages?|S|С|стр|Seiten?)\.?\s?|页\s?){_PAGES}", re.IGNORECASE
)
_PAGES_BEFORE = re.compile(r"(?P<pages>\d{1,6}(?:[-–~～]\d{1,6})?)\s?[页頁쪽]")


def read_numbers(words: str, start: int) -> dict[str, tuple[int, int]]:
    """The places of volume, issue and pages in the words after a title."""
    end = min(len(words), start + 700)
    places: dict[str, tuple[int, int]] = {}
    for order in _ORDERS:
        match = order.search(words, start, end)
        if match:
            for name in ("volume", "issue", "pages"):
                if name in order.groupindex and match[name]:
                    places[name] = match.span(name)
            break
    for name, word in (("volume", _VOLUME_WORD), ("issue", _ISSUE_WORD), ("pages", _PAGES_WORD)):
        if name not in places:
            match = word.search(words, start, end)
            if match:
                places[name] = match.span(name)
    pages = _PAGES_BEFORE.search(words, start, end) if "pages" not in places else None
    if pages:
        places["pages"] = pages.span("pages")
    return places
