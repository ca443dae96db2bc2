"""What a citation of a court decision says, how it compares with a record, and the finding on both."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from workbench.bibliography.cases.citation import (
    CaseCitation,
    CaseRecord,
    ReporterCitation,
    case_record,
    citation_of,
    parse_case,
)
from workbench.bibliography.cases.names import compare_case_names, share_party
from workbench.bibliography.cases.reporters import (
    LATER,
    SERIES,
    UNSURE,
    CourtFacts,
    court_began,
    court_problem,
    edition_began,
    page_problem,
    squashed,
    volume_problem,
    years_of_volume,
)
from workbench.records.bibliography import (
    FieldComparison,
    IndexReply,
    ReferenceEntry,
    ReferenceStatus,
)
from workbench.records.text import JsonDict

_LATEST_NUMBER = 9_999_999
"""Westlaw and Lexis number a year's decisions; none of them has come near to ten million."""
_DATABASE_COURTS = {
    "U.S. Dist. LEXIS": ("district", "of federal district courts"),
    "U.S. App. LEXIS": ("appeals", "of the federal courts of appeals"),
    "U.S. LEXIS": ("supreme", "of the Supreme Court of the United States"),
}


class CaseFinding(NamedTuple):
    """A citation of a court decision as read, and what is known of it without a look-up."""

    citation: CaseCitation
    impossible: str | None
    """Why it cannot be right, in a sentence; None where nothing is known against it."""
    not_checked: str | None
    """Why an index of reported cases cannot know it, in a sentence; None where one may."""


def check_case(entry_text: str, year_now: int) -> CaseFinding:
    """What an entry's citation says, why it cannot be right, and why it cannot be looked up.

    A citation is called impossible for what it says alone: years and volumes that do not go
    together, a court that its reporter does not print, pages out of order. What is known of
    reporters has years of room (`workbench.bibliography.cases.reporters`): silence is no praise.

    Args:
        entry_text: The entry; its first citation counts, with those parallel to it.
        year_now: The present year: a later one cannot be right.
    """
    return check_citation(parse_case(entry_text), year_now)


def check_citation(citation: CaseCitation, year_now: int) -> CaseFinding:
    """The same of a citation that was read already."""
    return CaseFinding(citation, _impossible(citation, year_now), _outside(citation))


def _impossible(citation: CaseCitation, year_now: int) -> str | None:
    year = citation.year
    if year is not None and year > year_now:
        return f"The decision is dated {year}, which is in the future."
    if year is not None and citation.court is not None:
        too_early = court_began(citation.court, year)
        if too_early:
            return too_early
    for venue in citation.reporters:
        problem = _venue_problem(venue, citation.court, year, year_now)
        if problem:
            return problem
    return _contradiction(citation.reporters)


def _venue_problem(
    venue: ReporterCitation, court: CourtFacts | None, year: int | None, year_now: int
) -> str | None:
    """Why one volume, reporter and page cannot be right."""
    if venue.kind == "law" or not venue.volume.isdigit():
        return None
    volume = int(venue.volume)
    if venue.kind == "database":
        return _database_problem(venue, volume, court, year, year_now)
    if venue.kind == "neutral":
        return None
    page = int(venue.page) if venue.page.isdigit() else None
    return (
        volume_problem(venue.reporter, volume, year, year_now)
        or _too_early(venue.reporter, year)
        or (court_problem(venue.reporter, court, volume, year) if court else None)
        or (page_problem(venue.reporter, page) if page is not None else None)
        or _pin_problem(venue, page)
    )


def _too_early(reporter: str, year: int | None) -> str | None:
    began = edition_began(reporter)
    if year is None or began is None or year >= began - UNSURE:
        return None
    return f"{reporter} began in about {began}: it holds no decision of {year}."


def _database_problem(
    venue: ReporterCitation,
    number_year: int,
    court: CourtFacts | None,
    year: int | None,
    year_now: int,
) -> str | None:
    """Why a number of Westlaw or Lexis cannot be right: it begins with the decision's year."""
    if number_year < 1600:
        return None
    if number_year > year_now:
        return f"{venue.text} is a number of {number_year}, which is in the future."
    if year is not None and abs(number_year - year) > 1:
        return f"{venue.text} is a number of {number_year}: the decision is dated {year}."
    if venue.page.isdigit() and int(venue.page) > _LATEST_NUMBER:
        return f"{venue.text} is no number: a year has fewer than {_LATEST_NUMBER + 1:,} decisions."
    expected = _DATABASE_COURTS.get(venue.reporter)
    known = court is not None and court.kind in ("supreme", "appeals", "district", "state")
    if expected and court is not None and known and court.kind != expected[0]:
        return f"{venue.reporter} numbers decisions {expected[1]}, not those of {court.words}."
    return None


def _pin_problem(venue: ReporterCitation, page: int | None) -> str | None:
    """Why the page referred to is not one of a decision that begins on `page`."""
    pin = re.match(r"\d+", venue.pin or "")
    # A shorter number may be the last digits of a page: 1036, 38.
    if page is None or pin is None or len(pin[0]) < len(venue.page) or int(pin[0]) >= page:
        return None
    return f"Page {pin[0]} lies before the decision's first page, {page}."


def _contradiction(reporters: tuple[ReporterCitation, ...]) -> str | None:
    """Why parallel citations cannot be of one decision: their volumes are of different years."""
    spans: list[tuple[ReporterCitation, int, int]] = []
    for venue in reporters:
        series = SERIES.get(venue.reporter)
        if series is not None and venue.volume.isdigit():
            first, last = years_of_volume(series, int(venue.volume))
            spans.append((venue, first, last if last is not None else 9999))
    for number, (venue, first, last) in enumerate(spans):
        for other, other_first, other_last in spans[:number]:
            if first > other_last or other_first > last:
                return (
                    f"{other.text} and {venue.text} cannot be one decision: their volumes are "
                    f"more than {LATER} years apart."
                )
    return None


def _outside(citation: CaseCitation) -> str | None:
    """Why the citation cannot be looked up by reporter, volume and page."""
    kinds = {venue.kind for venue in citation.reporters}
    if "reporter" in kinds or "neutral" in kinds:
        return None
    if "database" in kinds:
        return (
            "It is cited by its number at Westlaw or Lexis alone: indexes of reported cases do not "
            "have these."
        )
    if "law" in kinds:
        return "It cites a statute or an article, not a court decision."
    if citation.dockets:
        return (
            "It is cited by its docket number alone: indexes of reported cases do not have these."
        )
    return "No volume, reporter and page could be read in it."


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


class CaseConclusion(NamedTuple):
    """What is concluded of an entry that cites a court decision."""

    status: ReferenceStatus
    fields: tuple[FieldComparison, ...]
    record: JsonDict | None
    record_from: str | None
    why: str


class _Candidate(NamedTuple):
    """A record beside the citation."""

    record: CaseRecord
    source: str
    fields: tuple[FieldComparison, ...]
    at_citation: bool

    def agreement(self, field: str) -> bool | None:
        """What was found of a field; None where it was not compared."""
        return next((known.agrees for known in self.fields if known.field == field), None)

    @property
    def rank(self) -> tuple[bool, bool, int, int]:
        """The better candidate is greater."""
        agreements = [comparison.agrees for comparison in self.fields]
        return (
            self.agreement("case_name") is not False,
            self.at_citation,
            -agreements.count(False),
            agreements.count(True),
        )


def conclude_case(
    entry: ReferenceEntry,
    text: str,
    replies: Sequence[IndexReply],
    year_now: int,
    quotations: Sequence[FieldComparison] = (),
) -> CaseConclusion:
    """Whether the decision that an entry cites exists, and whether it is described right.

    A record at the cited volume and page, or one of the same parties that agrees in the year, the
    volume, the page or the docket number, or differs in nothing, is the work: `matches`, or `differs` with the fields.
    Where the cited page holds a case that shares no party with the entry's it is `other_work`.
    With no record, a citation that cannot be right is `not_found` without anybody's answer;
    another one where every index that covers it answered and none has it.

    Args:
        entry: The entry as read; its fields count where its text has no citation.
        text: The entry's own text.
        replies: What the indexes and registries returned.
        year_now: The present year.
        quotations: Quotations of the decision, compared with its text.
    """
    citation = citation_of(entry, text)
    finding = check_citation(citation, year_now)
    candidates = _candidates(citation, replies)
    described = [candidate for candidate in candidates if _is_the_work(candidate)]
    at_citation = [candidate for candidate in candidates if candidate.at_citation]
    if described:
        best = max(described, key=lambda candidate: candidate.rank)
        conclusion = _described(best, finding, quotations)
        if at_citation and not best.at_citation:
            there = _other_case(citation, at_citation[0]).why
            conclusion = conclusion._replace(why=f"{conclusion.why} {there}")
        return conclusion
    if at_citation:
        return _other_case(citation, max(at_citation, key=lambda candidate: candidate.rank))
    return _without_record(finding, replies, candidates)


def _candidates(citation: CaseCitation, replies: Sequence[IndexReply]) -> list[_Candidate]:
    candidates = []
    for reply in replies:
        for item in reply.records:
            record = case_record(item)
            if record is not None:
                fields = compare_case(citation, record)
                here = stands_at(citation, record) is not None
                candidates.append(_Candidate(record, reply.answer.name, fields, here))
    return candidates


def _is_the_work(candidate: _Candidate) -> bool:
    """Whether a record is of the decision that the citation means."""
    same_name = candidate.agreement("case_name")
    if candidate.at_citation:
        names = candidate.fields[0]
        return same_name is not False or share_party(
            names.entry_value or "", names.record_value or ""
        )
    # Parties meet more than once: where the rest differs, the name alone is not the decision.
    agreed = any(
        candidate.agreement(field) for field in ("volume", "pages", "year", "docket_number")
    )
    differing = any(comparison.agrees is False for comparison in candidate.fields)
    return same_name is True and (agreed or not differing)


def _described(
    candidate: _Candidate, finding: CaseFinding, quotations: Sequence[FieldComparison]
) -> CaseConclusion:
    fields = (*candidate.fields, *quotations)
    reasons = [comparison.why for comparison in fields if comparison.agrees is False]
    if reasons and finding.impossible:
        reasons.insert(0, finding.impossible)
    status: ReferenceStatus = "differs" if reasons else "matches"
    return CaseConclusion(
        status, fields, candidate.record.item, candidate.source, " ".join(reasons)
    )


def _other_case(citation: CaseCitation, candidate: _Candidate) -> CaseConclusion:
    venue = stands_at(citation, candidate.record)
    why = (
        f"{venue.text if venue else 'The cited page'} is another case, "
        f"“{candidate.record.name}”; the entry names “{citation.name}”."
    )
    return CaseConclusion(
        "other_work", candidate.fields, candidate.record.item, candidate.source, why
    )


def _without_record(
    finding: CaseFinding, replies: Sequence[IndexReply], candidates: Sequence[_Candidate]
) -> CaseConclusion:
    """The finding where no record is of the decision."""
    if finding.impossible:
        return CaseConclusion("not_found", (), None, None, finding.impossible)
    covering = [reply for reply in replies if reply.answer.covers]
    asked = [reply for reply in covering if reply.answer.answer != "not_asked"]
    failed = [reply for reply in asked if reply.answer.answer == "error"]
    if failed:
        why = " ".join(reply.answer.why for reply in failed if reply.answer.why)
        names = ", ".join(reply.answer.name for reply in failed)
        return CaseConclusion("not_checked", (), None, None, why or f"{names} did not answer.")
    if asked:
        names = ", ".join(reply.answer.name for reply in asked)
        why = f"No decision with this citation or of these parties is in {names}."
        namesakes = [item.record.name for item in candidates if item.agreement("case_name")]
        if namesakes:
            why += f" “{namesakes[0]}” is, with another citation and of another year."
        return CaseConclusion("not_found", (), None, None, why)
    reasons = [reply.answer.why for reply in covering if reply.answer.why]
    why = finding.not_checked or (
        reasons[0] if reasons else "No index of court decisions was asked."
    )
    return CaseConclusion("not_checked", (), None, None, why)
