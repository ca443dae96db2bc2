"""A court decision as an index or a library describes it: a CSL-JSON item of type `legal_case`."""

import re
from typing import NamedTuple

from workbench.bibliography.cases.citation import (
    CaseCitation,
    ReporterCitation,
    parse_case,
    reporter_name,
)
from workbench.bibliography.cases.reporters import CourtFacts, court_named
from workbench.records.bibliography import ReferenceEntry, csl_text
from workbench.records.text import Json, JsonDict

_PAGES = re.compile(r"\*?(\d{1,7})(?:\s?[-\u2013\u2014]{1,2}\s?\*?(\d{1,7}))?")
_DOCKETS = re.compile(r"\s?(?:[,;]|\band\b)\s?|\bNos?\.\s?")

_PARTIES = re.compile(
    r"\sv(?:s?\.|s?\s)|\b(?:in re|ex parte|(?:in the )?matter of|estate of|ex rel)\b", re.IGNORECASE
)
_NAME_WITHIN = 30
"""Characters of an entry in which the name of its case begins: after a label or a signal."""


class CaseRecord(NamedTuple):
    """The parts of a record that a citation is compared with."""

    item: JsonDict
    name: str | None
    reporters: tuple[ReporterCitation, ...]
    last_page: int | None
    """Of the first reporter."""
    court: CourtFacts | None
    year: int | None
    dockets: tuple[str, ...]


def case_record(item: JsonDict) -> CaseRecord | None:
    """The parts of a CSL-JSON item; None for a work that is no court decision.

    Its citation stands in `container-title`, `volume` and `page`, those parallel to it in
    `custom.citations` (texts, or objects of volume, reporter and page). A title that holds the
    whole citation is read as one.
    """
    title = csl_text(item, "title") or csl_text(item, "title-short")
    within = parse_case(title) if title else CaseCitation(None, (), None, None, ())
    authority = csl_text(item, "authority")
    reporters = [*_main_citation(item), *_parallel_citations(item), *within.reporters]
    if csl_text(item, "type") != "legal_case" and within.name is None:
        return None
    pages = _PAGES.match(csl_text(item, "page") or "")
    return CaseRecord(
        item=item,
        name=(within.name if within.reporters or within.dockets else None) or title,
        reporters=tuple(dict.fromkeys(reporters)),
        last_page=_last_page(pages, csl_text(item, "number-of-pages")),
        court=court_named(authority) if authority else within.court,
        year=_year(item) or within.year,
        dockets=_dockets(item) or within.dockets,
    )


def citation_of(entry: ReferenceEntry, text: str) -> CaseCitation:
    """The citation in an entry's text; what the entry's fields say where the text has none."""
    citation = parse_case(text)
    if citation.reporters or citation.dockets:
        return citation if citation.name else citation._replace(name=entry.title)
    place = " ".join(part for part in (entry.volume, entry.venue, entry.pages) if part)
    court_and_year = " ".join(str(part) for part in (entry.court, entry.year) if part)
    pages = f", {place}" if entry.volume and entry.venue and entry.pages else ""
    built = f"{entry.title or citation.name or ''}{pages} ({court_and_year})"
    fields = parse_case(built)
    return CaseCitation(
        name=fields.name or entry.title or citation.name,
        reporters=fields.reporters,
        court=fields.court or citation.court,
        year=entry.year or citation.year,
        dockets=fields.dockets,
    )


def case_entry(entry: ReferenceEntry, text: str) -> ReferenceEntry:
    """The entry as one of a court decision where its text cites one; else as it is.

    The text begins with the name of a case, and gives a reporter, or a docket number and a court.
    """
    if entry.type == "legal_case" or entry.doi or entry.arxiv or entry.isbn or entry.pmid:
        return entry
    if not _PARTIES.search(text):  # reading a citation costs milliseconds
        return entry
    citation = parse_case(text)
    if citation.name is None or text.find(citation.name[:20]) not in range(_NAME_WITHIN):
        return entry
    court = citation.court
    reported = bool(citation.reporters) and citation.reporters[0].kind != "law"
    if not reported and not (citation.dockets and court is not None and court.kind is not None):
        return entry
    place = citation.reporters[0] if reported else None
    return ReferenceEntry(
        title=citation.name,
        year=citation.year,
        venue=place.reporter if place else None,
        volume=place.volume if place else None,
        pages=place.page if place else None,
        url=entry.url,
        type="legal_case",
        court=court.written if court else None,
    )


def _main_citation(item: JsonDict) -> list[ReporterCitation]:
    volume, reporter = csl_text(item, "volume"), csl_text(item, "container-title")
    page = csl_text(item, "page") or csl_text(item, "number")
    first = _PAGES.match(page or "")
    if not (volume and reporter and first):
        return []
    return [_known(volume, reporter, first[1])]


def _parallel_citations(item: JsonDict) -> list[ReporterCitation]:
    custom = item.get("custom")
    listed: Json = custom.get("citations") if isinstance(custom, dict) else None
    citations: list[ReporterCitation] = []
    for parallel in listed if isinstance(listed, list) else []:
        if isinstance(parallel, str):
            citations.extend(parse_case(parallel).reporters)
        elif isinstance(parallel, dict):
            volume, reporter = csl_text(parallel, "volume"), csl_text(parallel, "reporter")
            page = csl_text(parallel, "page")
            if volume and reporter and page:
                citations.append(_known(volume, reporter, page))
    return citations


def _known(volume: str, reporter: str, page: str) -> ReporterCitation:
    name = reporter_name(volume, reporter, page)
    numbered = name == "WL" or name.endswith("LEXIS")
    return ReporterCitation(volume, name, page, None, "database" if numbered else "reporter")


def _last_page(pages: re.Match[str] | None, count: str | None) -> int | None:
    """The last page by a range, which may be abbreviated (636-55), or by the count of pages."""
    if pages is None:
        return None
    first = int(pages[1])
    if pages[2]:
        last = int(pages[1][: -len(pages[2])] + pages[2]) if len(pages[2]) < len(pages[1]) else 0
        last = max(last, int(pages[2]))
        return last if last >= first else None
    return first + int(count) - 1 if count and count.isdigit() else None


def _year(item: JsonDict) -> int | None:
    issued = item.get("issued")
    parts = issued.get("date-parts") if isinstance(issued, dict) else None
    date = parts[0] if isinstance(parts, list) and parts else None
    year = date[0] if isinstance(date, list) and date else None
    if isinstance(year, str) and year.isdigit():
        return int(year)
    return year if isinstance(year, int) else None


def _dockets(item: JsonDict) -> tuple[str, ...]:
    number = csl_text(item, "number")
    if number is None or (number.isdigit() and csl_text(item, "page") is None):
        return ()
    return tuple(part for part in (piece.strip(" .") for piece in _DOCKETS.split(number)) if part)
