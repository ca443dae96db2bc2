"""How a citation of a court decision compares with a record of one."""

import re

from workbench.bibliography.cases.citation import CaseCitation, ReporterCitation
from workbench.bibliography.cases.names import compare_case_names
from workbench.bibliography.cases.records import CaseRecord
from workbench.bibliography.cases.reporters import CourtFacts, squashed
from workbench.records.bibliography import FieldComparison

_SERIES = re.compile(r"(?:\s?(?:2d|3d|[4-9]th))?\Z")
_FEDERAL = frozenset({"f", "fsupp", "fappx"})
"""Reporters of lower federal courts: a decision is in one of them."""
_CASE_NUMBER = re.compile(r"(?<!\d)(\d{2,4})-(?:[A-Za-z]{1,5}-?)?0*(\d{2,6})(?!\d)")


def compare_case(citation: CaseCitation, record: CaseRecord) -> tuple[FieldComparison, ...]:
    """Each field that the citation gives beside the record's: name, court, year, reporter, pages.

    A field that the record does not give is neither right nor wrong: `agrees` is None.
    """
    comparisons = [_name(citation, record), *_place(citation, record)]
    if citation.court is not None:
        comparisons.append(_court(citation.court, record.court))
    if citation.year is not None:
        comparisons.append(_year(citation.year, record.year))
    if citation.dockets:
        comparisons.append(_dockets(citation.dockets, record.dockets))
    return tuple(comparisons)


def stands_at(citation: CaseCitation, record: CaseRecord) -> ReporterCitation | None:
    """The volume, reporter and page of the citation at which the record's decision begins."""
    keys = {venue.key for venue in record.reporters}
    return next((venue for venue in citation.reporters if venue.key in keys), None)


def _name(citation: CaseCitation, record: CaseRecord) -> FieldComparison:
    agrees = None
    if citation.name and record.name:
        agrees = compare_case_names(citation.name, record.name)
    why = f"The case name differs: “{citation.name}” here, “{record.name}” in the record."
    return FieldComparison(
        field="case_name",
        entry_value=citation.name,
        record_value=record.name,
        agrees=agrees,
        why=why if agrees is False else "",
    )


def _place(citation: CaseCitation, record: CaseRecord) -> list[FieldComparison]:
    """Reporter, volume and pages: those of the reporter that both give."""
    if not citation.reporters:
        return []
    by_reporter = {squashed(venue.reporter): venue for venue in reversed(record.reporters)}
    shared = [venue for venue in citation.reporters if squashed(venue.reporter) in by_reporter]
    at = stands_at(citation, record)
    venue = at or (shared[0] if shared else citation.reporters[0])
    if at is None and not shared:
        return [_other_venue(venue, record)]
    same_reporter = [
        known for known in record.reporters if squashed(known.reporter) == squashed(venue.reporter)
    ]
    known = next((known for known in same_reporter if known.key == venue.key), same_reporter[0])
    comparisons = [
        FieldComparison(
            field="venue", entry_value=venue.reporter, record_value=known.reporter, agrees=True
        ),
        _plain("volume", venue.volume, known.volume),
    ]
    paged = record.reporters[0]
    last = record.last_page if (known.volume, known.page) == (paged.volume, paged.page) else None
    comparisons.append(_pages(venue, known, last))
    return comparisons


def _other_venue(venue: ReporterCitation, record: CaseRecord) -> FieldComparison:
    """The reporter beside those of a record that does not have it."""
    names = ", ".join(dict.fromkeys(known.reporter for known in record.reporters)) or None
    family = _family(venue.reporter)
    # A decision is in one series of a reporter, and may be in several reporters.
    wrong = any(
        _family(known.reporter) == family
        or {_family(known.reporter), family} <= _FEDERAL
        or (known.volume, known.page) == (venue.volume, venue.page)
        for known in record.reporters
    )
    return FieldComparison(
        field="venue",
        entry_value=venue.reporter,
        record_value=names,
        agrees=False if wrong else None,
        why=f"The reporter differs: {venue.reporter} here, {names} in the record." if wrong else "",
    )


def _family(reporter: str) -> str:
    return squashed(_SERIES.sub("", reporter))


def _pages(venue: ReporterCitation, known: ReporterCitation, last: int | None) -> FieldComparison:
    """The first page, and the page referred to where the record says how far the decision goes."""
    entry_value = f"{venue.page}, {venue.pin}" if venue.pin else venue.page
    record_value = f"{known.page}-{last}" if last else known.page
    agrees = venue.page.lstrip("0") == known.page.lstrip("0")
    place = "It has the number" if venue.kind == "database" else "It begins on page"
    why = "" if agrees else f"{place} {known.page}, not {venue.page}."
    pins = [int(pin) for pin in re.findall(r"(?<![*\dn.])\d{1,6}", venue.pin or "")]
    outside = [pin for pin in pins if last and len(str(pin)) >= len(known.page) and pin > last]
    if agrees and outside and "*" not in (venue.pin or ""):
        agrees, why = False, f"Page {outside[0]} lies beyond its last page, {last}."
    return FieldComparison(
        field="pages", entry_value=entry_value, record_value=record_value, agrees=agrees, why=why
    )


def _plain(field: str, entry_value: str, record_value: str) -> FieldComparison:
    agrees = entry_value.lstrip("0") == record_value.lstrip("0")
    why = "" if agrees else f"The {field} is {record_value}, not {entry_value}."
    return FieldComparison(
        field=field, entry_value=entry_value, record_value=record_value, agrees=agrees, why=why
    )


def _year(year: int, known: int | None) -> FieldComparison:
    agrees = None if known is None else year == known
    return FieldComparison(
        field="year",
        entry_value=str(year),
        record_value=None if known is None else str(known),
        agrees=agrees,
        why=f"It was decided in {known}, not {year}." if agrees is False else "",
    )


def _court(court: CourtFacts, known: CourtFacts | None) -> FieldComparison:
    agrees: bool | None = None
    if known is not None:
        if squashed(court.written) == squashed(known.written):
            agrees = True
        elif court.identifier and known.identifier:
            agrees = court.identifier == known.identifier
        elif court.kind and known.kind and court.kind != known.kind:
            agrees = False
    record_value = known.written if known else None
    return FieldComparison(
        field="court",
        entry_value=court.written,
        record_value=record_value,
        agrees=agrees,
        why=f"The court differs: {court.written} here, {record_value} in the record."
        if agrees is False
        else "",
    )


def _dockets(dockets: tuple[str, ...], known: tuple[str, ...]) -> FieldComparison:
    """Docket numbers: all of the citation's are the record's, or the record gives fewer."""
    numbers = {_docket_key(docket) for docket in dockets}
    record_numbers = {_docket_key(docket) for docket in known}
    agrees: bool | None = None
    if record_numbers:
        if numbers <= record_numbers:
            agrees = True
        elif not numbers & record_numbers or len(record_numbers) >= len(numbers):
            agrees = False
    entry_value, record_value = ", ".join(dockets), ", ".join(known) or None
    return FieldComparison(
        field="docket_number",
        entry_value=entry_value,
        record_value=record_value,
        agrees=agrees,
        why=f"The docket number is {record_value}, not {entry_value}." if agrees is False else "",
    )


def _docket_key(docket: str) -> str:
    """Year and number alone where a docket has them: 2:14-cv-10977-ABC is 14-10977."""
    number = _CASE_NUMBER.search(docket)
    return f"{number[1][-2:]}-{number[2]}" if number else squashed(docket)
