"""What a citation of a court decision says, and whether it can be right: nobody is asked."""

import re
from typing import NamedTuple

from workbench.bibliography.cases.citation import CaseCitation, ReporterCitation, parse_case
from workbench.bibliography.cases.reporters import (
    LATER,
    SERIES,
    UNSURE,
    CourtFacts,
    court_began,
    court_problem,
    edition_began,
    page_problem,
    volume_problem,
    years_of_volume,
)

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
