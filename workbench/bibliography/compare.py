"""An entry beside a record: which of its fields agree."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from workbench.bibliography.authors import authors_in_text, compare_authors
from workbench.bibliography.csl import arxiv_of_record, entry_of_record
from workbench.bibliography.keys import arxiv_of_doi, fold_arxiv, fold_doi, fold_pmid, isbn13
from workbench.bibliography.titles import TitleComparison, compare_title
from workbench.bibliography.venues import is_preprint_server, same_venue
from workbench.records.bibliography import Author, FieldComparison, ReferenceEntry, csl_text
from workbench.records.text import Json, JsonDict

_TO_APPEAR = re.compile(
    r"\((?:to appear|in press|forthcoming|accepted|im Druck|im Erscheinen|à paraître|en prensa)\)|\bto appear\b",
    re.IGNORECASE,
)
"""What says of a publication that it is still to come, so that no record can have it."""
_SIGNS = re.compile(r"[.,;:()*_“”\"\[\]]+")
_ADDRESS = re.compile(r"https?://\S+|\b10\.\d{4,9}/\S+", re.IGNORECASE)
_NUMBER = re.compile(r"[A-Za-z]?\d+")
FAR_TITLE = 0.35
"""Similarity below which a record is that of another work whatever else it says."""
_LONGEST_PREPRINT = 4
"""Years that may pass between a preprint and its publication."""
_MOST_SHOWN = 12


class RecordComparison(NamedTuple):
    """An entry beside one record."""

    record: JsonDict
    index_name: str
    """The name of the index that the record comes from."""
    fields: tuple[FieldComparison, ...]
    title: TitleComparison
    shared_authors: float
    same_identifier: str
    """The identifier that both have; empty without one."""

    @property
    def differing(self) -> int:
        """Number of fields that disagree."""
        return sum(comparison.agrees is False for comparison in self.fields)

    @property
    def agreeing(self) -> int:
        """Number of fields that agree."""
        return sum(comparison.agrees is True for comparison in self.fields)


def compare_record(
    entry: ReferenceEntry,
    record: JsonDict,
    *,
    index: str = "",
    text: str = "",
    unknown: frozenset[str] = frozenset(),
    year_now: int,
) -> RecordComparison:
    """An entry beside a record, field by field, in the order of `ENTRY_FIELDS`.

    Only fields that the entry gives are compared; a field that the record does not have, or that
    may rightly differ between a preprint and its publication, has `agrees` None.

    Args:
        entry: What the entry says.
        record: A CSL-JSON item, as `ReferenceIndex` returns it.
        index: The name of the index that returned it.
        text: The entry as it stands.
        unknown: Identifiers of the entry that nobody who should know them knows.
        year_now: The present year: a later one is no year of publication.
    """
    registered = entry_of_record(record)
    title = compare_title(entry.title, record, text) if entry.title else _no_title(registered)
    identifier = shared_identifier(entry, record)
    if title.agrees is False and title.similarity < FAR_TITLE and not identifier:
        return RecordComparison(record, index, (), title, 0.0, "")
    editors = entry_of_record({"author": record.get("editor")}).authors
    registered_authors = registered.authors or editors
    authors = compare_authors(
        entry.authors, entry.authors_complete, registered_authors, registered.authors_complete
    )
    if title.misread and authors.agrees is False:
        # where the title was read wrongly, so were the names beside it
        authors = authors_in_text(registered_authors, text)
    preprint = _is_preprint(registered, record)
    fields = [
        _field("title", entry.title, title.title or registered.title, title.agrees, title.why)
        if entry.title
        else None,
        _field(
            "authors",
            _names(entry.authors, entry.authors_complete),
            _names(registered_authors, registered.authors_complete),
            authors.agrees,
            authors.why,
        )
        if entry.authors
        else None,
        _compare_year(entry, registered, record, preprint, year_now),
        _compare_venue(entry, registered, record, preprint, index, text),
        *(
            _compare_number(entry, registered, name, preprint)
            for name in ("volume", "issue", "pages")
        ),
        *_compare_identifiers(entry, registered, record, unknown),
    ]
    return RecordComparison(
        record=record,
        index_name=index,
        fields=tuple(comparison for comparison in fields if comparison is not None),
        title=title,
        shared_authors=authors.shared,
        same_identifier=identifier,
    )


def shared_identifier(entry: ReferenceEntry, record: JsonDict) -> str:
    """The DOI, arXiv or PubMed identifier that an entry and a record share; empty without one.

    An ISBN names a book, and an entry may describe a chapter of it: it is compared, but does not
    tie an entry to a record.
    """
    doi = fold_doi(entry.doi)
    if doi and doi in (fold_doi(csl_text(record, "DOI")), *_other_dois(record)):
        return entry.doi or doi
    arxiv = fold_arxiv(entry.arxiv) or arxiv_of_doi(doi)
    if arxiv and arxiv == arxiv_of_record(record):
        return f"arXiv:{arxiv}"
    pmid = fold_pmid(entry.pmid)
    if pmid and pmid == fold_pmid(entry_of_record(record).pmid):
        return f"PMID {pmid}"
    return ""


def _field(
    name: str, entry_value: str | None, record_value: str | None, agrees: bool | None, why: str = ""
) -> FieldComparison:
    return FieldComparison(
        field=name, entry_value=entry_value, record_value=record_value, agrees=agrees, why=why
    )


def _no_title(registered: ReferenceEntry) -> TitleComparison:
    return TitleComparison(None, 0.0, registered.title or "", "")


def _names(authors: Sequence[Author], complete: bool) -> str | None:
    if not authors:
        return None
    names = "; ".join(author.name for author in authors[:_MOST_SHOWN])
    more = len(authors) - _MOST_SHOWN
    if more > 0:
        return f"{names}; and {more} more"
    return names if complete else f"{names}; et al."


def _is_preprint(registered: ReferenceEntry, record: JsonDict) -> bool:
    doi = fold_doi(registered.doi)
    return (
        registered.type == "article"
        or (registered.venue is not None and is_preprint_server(registered.venue))
        or (bool(arxiv_of_doi(doi)) and csl_text(record, "container-title") is None)
    )


def _cites_preprint(entry: ReferenceEntry) -> bool:
    if entry.venue:
        return is_preprint_server(entry.venue)
    return entry.type == "article" or bool(entry.arxiv or arxiv_of_doi(fold_doi(entry.doi)))


def _years(registered: ReferenceEntry, record: JsonDict) -> list[int]:
    years = [registered.year] if registered.year else []
    custom: Json = record.get("custom")
    listed = custom.get("years") if isinstance(custom, Mapping) else None
    if isinstance(listed, Sequence) and not isinstance(listed, str):
        years += [year for year in listed if isinstance(year, int)]
    return list(dict.fromkeys(years))


def _compare_year(
    entry: ReferenceEntry,
    registered: ReferenceEntry,
    record: JsonDict,
    preprint: bool,
    year_now: int,
) -> FieldComparison | None:
    if entry.year is None:
        return None
    years = _years(registered, record)
    shown = ", ".join(map(str, years)) or None
    if entry.year > year_now + 1:
        why = f"The year {entry.year} is in the future."
        return _field("year", str(entry.year), shown, False, why)
    if not years:
        return _field("year", str(entry.year), None, None)
    if entry.year in years:
        return _field("year", str(entry.year), shown, True)
    distance = min(abs(entry.year - year) for year in years)
    if preprint != _cites_preprint(entry):
        # the preprint comes first; the year that it is cited by may be either
        earlier = entry.year - min(years) if preprint else max(years) - entry.year
        if 0 <= earlier <= _LONGEST_PREPRINT:
            why = "Preprint and publication have different years."
            return _field("year", str(entry.year), shown, None, why)
    if distance == 1 and registered.type == "article-journal":
        why = "One year apart: appearance online and in print often are."
        return _field("year", str(entry.year), shown, None, why)
    return _field("year", str(entry.year), shown, False, f"The record is of {shown}.")


def _compare_venue(
    entry: ReferenceEntry,
    registered: ReferenceEntry,
    record: JsonDict,
    preprint: bool,
    index: str,
    text: str,
) -> FieldComparison | None:
    if not entry.venue:
        return None
    venues = _venues(record)
    if not venues and not preprint:
        return _field("venue", entry.venue, None, None)
    verdicts = [same_venue(entry.venue, venue) for venue in venues]
    shown = venues[0] if venues else "preprint"
    if True in verdicts:
        return _field("venue", entry.venue, venues[verdicts.index(True)], True)
    if venues and _stands_between_signs(venues[0], text):
        return _field("venue", entry.venue, venues[0], True)
    if preprint and not is_preprint_server(entry.venue):
        if index in PREPRINT_INDEXES or _TO_APPEAR.search(text):
            return _field("venue", entry.venue, shown, None, "The record is that of the preprint.")
        why = f"The record is that of a preprint; nothing says that it appeared in {entry.venue}."
        return _field("venue", entry.venue, shown, False, why)
    if preprint or not verdicts or None in verdicts:
        return _field("venue", entry.venue, shown, True if preprint else None)
    if registered.type in ("book", "chapter", "report", "thesis") and not csl_text(
        record, "container-title"
    ):
        # imprints and publishers go by many names
        return _field("venue", entry.venue, shown, None)
    return _field("venue", entry.venue, shown, False, f"The record names {shown}.")


def _stands_between_signs(venue: str, text: str) -> bool:
    """Whether the record's venue stands in the entry as a field of its own."""
    parts = [part.strip() for part in _SIGNS.split(_ADDRESS.sub(" ", text))]
    return any(3 < len(part) < 200 and same_venue(part, venue) is True for part in parts)


PREPRINT_INDEXES = frozenset({"doi", "arxiv", "datacite"})
"""Indexes whose record of a preprint says nothing about a later publication."""


def _venues(record: JsonDict) -> list[str]:
    """Every name that a record has for where the work appeared, the fullest first."""
    names: list[str] = []
    for key in (
        "container-title",
        "container-title-short",
        "collection-title",
        "event-title",
        "event",
    ):
        value: Json = record.get(key)
        for name in (
            [value] if isinstance(value, str) else value if isinstance(value, Sequence) else []
        ):
            if isinstance(name, str) and name.strip():
                names.append(" ".join(name.split()))
    custom: Json = record.get("custom")
    listed = custom.get("venues") if isinstance(custom, Mapping) else None
    if isinstance(listed, Sequence) and not isinstance(listed, str):
        names += [name for name in listed if isinstance(name, str) and name.strip()]
    publisher = csl_text(record, "publisher")
    if publisher and (not names or csl_text(record, "type") in ("book", "report", "thesis")):
        names.append(publisher)
    return list(dict.fromkeys(names))


def _compare_number(
    entry: ReferenceEntry, registered: ReferenceEntry, name: str, preprint: bool
) -> FieldComparison | None:
    value: str | None = getattr(entry, name)
    known: str | None = getattr(registered, name)
    if not value:
        return None
    numbers, known_numbers = _NUMBER.findall(value), _NUMBER.findall(known or "")
    if not numbers or not known_numbers or preprint:
        return _field(name, value, known, None)
    agrees = numbers[0].lstrip("0").casefold() == known_numbers[0].lstrip("0").casefold()
    if name == "pages" and agrees and len(numbers) > 1 and len(known_numbers) > 1:
        agrees = known_numbers[1].endswith(numbers[1]) or numbers[1].endswith(known_numbers[1])
    if name == "pages" and not agrees and (len(numbers) == 1) != (len(known_numbers) == 1):
        # an article number in place of pages
        return _field(name, value, known, None)
    if name == "issue" and not agrees:
        return _field(name, value, known, None)
    return _field(name, value, known, agrees, "" if agrees else f"The record has {known}.")


def _compare_identifiers(
    entry: ReferenceEntry, registered: ReferenceEntry, record: JsonDict, unknown: frozenset[str]
) -> list[FieldComparison]:
    compared = []
    if entry.doi:
        doi, known = fold_doi(entry.doi), fold_doi(registered.doi)
        agrees, why = _doi_agrees(doi, known, record, doi in unknown)
        compared.append(_field("doi", entry.doi, registered.doi, agrees, why))
    if entry.arxiv:
        arxiv, known = fold_arxiv(entry.arxiv), arxiv_of_record(record)
        agrees, why = (arxiv == known if known else None), ""
        if agrees is False:
            why = f"The record has arXiv:{known}."
        elif agrees is None and arxiv in unknown:
            agrees, why = False, f"arXiv has no {entry.arxiv}."
        compared.append(_field("arxiv", entry.arxiv, known or None, agrees, why))
    if entry.pmid:
        pmid, known = fold_pmid(entry.pmid), fold_pmid(registered.pmid)
        agrees = pmid == known if known else False if pmid in unknown else None
        why = "" if agrees is not False else f"The record has {known or 'no such PubMed entry'}."
        compared.append(_field("pmid", entry.pmid, known or None, agrees, why))
    if entry.isbn:
        isbn, known = isbn13(entry.isbn), isbn13(registered.isbn)
        # every edition and binding has an ISBN of its own
        compared.append(_field("isbn", entry.isbn, known or None, isbn == known or None))
    return compared


def _doi_agrees(doi: str, known: str, record: JsonDict, unknown: bool) -> tuple[bool | None, str]:
    if doi == known or doi in _other_dois(record):
        return True, ""
    if unknown:
        return False, "This DOI is not known."
    if not known:
        return None, ""
    arxiv, known_arxiv = arxiv_of_doi(doi), arxiv_of_doi(known)
    if bool(arxiv) != bool(known_arxiv):
        if arxiv and arxiv_of_record(record) and arxiv != arxiv_of_record(record):
            return False, f"The record has arXiv:{arxiv_of_record(record)}."
        return None, "One DOI is that of a preprint."
    if arxiv and arxiv == known_arxiv:
        return True, ""
    return False, f"The record has {known}."


def _other_dois(record: JsonDict) -> list[str]:
    custom: Json = record.get("custom")
    listed = custom.get("dois") if isinstance(custom, Mapping) else None
    if not isinstance(listed, Sequence) or isinstance(listed, str):
        return []
    return [fold_doi(doi) for doi in listed if isinstance(doi, str)]
