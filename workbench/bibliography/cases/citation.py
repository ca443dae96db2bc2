"""The parts of a court decision's citation, and of the decision as an index or a library describes it."""

import re
from functools import cache, lru_cache
from typing import Literal, NamedTuple, Protocol, cast

from workbench.bibliography.cases.reporters import CourtFacts, court_named, squashed
from workbench.records.bibliography import ReferenceEntry, csl_text
from workbench.records.text import Json, JsonDict

VenueKind = Literal["reporter", "database", "neutral", "law"]
LONGEST_ENTRY = 2000
"""Characters of an entry that are read: the library that reads them is slower than linear."""

_YEAR = r"(?:1[6-9]\d\d|20\d\d|21\d\d)"
_COURT_AND_YEAR = re.compile(rf"\((?P<court>[^()]{{0,80}}?)\b(?P<year>{_YEAR})\)")
_COURT_ALONE = re.compile(r"\((?P<court>[^()\d]{0,60}(?:Cir|Ct|App|D)\.[^()\d]{0,30})\)")
_DATE = re.compile(
    r"\b(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?"
    r"|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\b\.?\s{0,2}(?:\d{1,2})?,?\s{0,2}\Z"
)
_PIN = re.compile(
    r"\s{0,2},\s{0,2}(?:at\s{1,2})?(?P<pin>\*?\d{1,6}(?:\s?[-\u2013\u2014]\s?\*?\d{1,6})?"
    r"(?:,\s?\*?\d{1,6}(?:\s?[-\u2013\u2014]\s?\*?\d{1,6})?(?=\s?[,(;.]|\s?\Z))*"
    r"(?:\s?(?:&\s?)?nn?\.\s?\d{1,3})?)(?=\s?[,(;.]|\s?\Z)"
)
_BETWEEN = re.compile(r"[\s,*\d\u2013\u2014&n.-]{0,40}")
_DOCKET = re.compile(
    r"\bNos?\.\s?(?P<number>[A-Za-z0-9][\w:.()/-]{1,40}(?:\s[A-Z]{2,4}(?:\s(?:19|20)\d\d)?\b)?)"
)
_LABEL = re.compile(r"\s{0,4}(?:\[[\w.-]{1,20}\]:?|\(?\d{1,3}[.)]|[-*\u2022])\s{1,4}")
_SIGNAL = re.compile(
    r"(?:(?:but |accord |compare )?(?:see|cf\.)(?:,? also|,? generally)?(?:,? e\.g\.)?,?"
    r"|accord|contra|e\.g\.,|quoting|citing|under|in|also|but|and|as in|compare|with)\s{1,2}",
    re.IGNORECASE,
)
_SINGLE = re.compile(
    r"(?:In re|In the Matter of|Ex parte|Matter of|Estate of|Petition of|Application of)\s",
    re.IGNORECASE,
)
_VERSUS = re.compile(r"\s(?:v|vs|versus)\.?\s", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[a-z\d\u201d\"’)]{2})[.;:!?][\u201d\"]?\s{1,3}(?=[A-Z])")
_ABBREVIATED = re.compile(
    r"\b(?:[A-Z]|[A-Z][a-z]{1,4}|[a-z]{1,2}|Inter|Pharm|Techs|Transp|Emps|Constr|Assocs|Distrib"
    r"|Prods|Indus|Broad|Guar|Cntys|Comms|Props|Chems|Elecs|Enters|Hosps|Schs|Univs|Bhds)\Z"
)


class ReporterCitation(NamedTuple):
    """A volume, reporter and first page."""

    volume: str
    reporter: str
    """By its name in `reporters-db`."""
    page: str
    pin: str | None
    kind: VenueKind

    @property
    def text(self) -> str:
        """As it is cited: `410 U.S. 113`."""
        return f"{self.volume} {self.reporter} {self.page}"

    @property
    def key(self) -> tuple[str, str, str]:
        """The same for two ways of writing one citation."""
        return (self.volume.lstrip("0"), squashed(self.reporter), self.page.lstrip("0"))


class CaseCitation(NamedTuple):
    """What an entry says of a court decision; None for what it does not say."""

    name: str | None
    reporters: tuple[ReporterCitation, ...]
    """The first and those parallel to it."""
    court: CourtFacts | None
    year: int | None
    dockets: tuple[str, ...]


def parse_case(text: str) -> CaseCitation:
    """The citation that an entry gives first, with its parallel ones; empty fields without one."""
    text = text[:LONGEST_ENTRY]
    located = list(_citations(text))
    first = located[0][0] if located else None
    group = _parallel(text, located)
    end = group[-1][1] if group else 0
    reporters = tuple(citation._replace(pin=_pin_after(text, last)) for _, last, citation in group)
    docket_end = 0
    dockets: list[str] = []
    for match in _DOCKET.finditer(text):
        dockets.append(match["number"].rstrip(".,"))
        docket_end = docket_end or match.start()
    name_end = min((place for place in (first, docket_end or None) if place), default=len(text))
    court, year = _court_and_year(text, end)
    if not group and not dockets:
        named = _COURT_AND_YEAR.search(text)
        name_end = named.start() if named else name_end
    return CaseCitation(case_name(text[:name_end]), reporters, court, year, tuple(dockets))


def case_name(before: str) -> str | None:
    """The case name that ends a piece of text; None where there is none."""
    label = _LABEL.match(before)
    piece = " ".join(before[label.end() if label else 0 :].split()).strip(" ,*_“”\"'")
    cut = 0
    for match in _SENTENCE.finditer(piece):
        if not _ABBREVIATED.search(piece[: match.start()]) and _has_name(piece[match.end() :]):
            cut = match.end()
    piece = piece[cut:]
    while True:
        signal = _SIGNAL.match(piece)
        single = _SINGLE.match(piece)
        if signal is None or (single is not None and single.end() >= signal.end()):
            break
        piece = piece[signal.end() :]
    piece = piece.lstrip("([*_“\"' ").rstrip(" ,*_“\"'([")
    return piece if _has_name(f"{piece} ") and len(piece) <= 400 else None


def _has_name(piece: str) -> bool:
    return bool(_VERSUS.search(piece) or _SINGLE.search(piece))


def _court_and_year(text: str, after: int) -> tuple[CourtFacts | None, int | None]:
    """The court and year in the first parentheses after a citation that have a year."""
    match = _COURT_AND_YEAR.search(text, after) or (None if after else _COURT_AND_YEAR.search(text))
    if match is None:
        alone = _COURT_ALONE.search(text, after)
        return (court_named(alone["court"]) if alone else None), None
    words = _DATE.sub("", match["court"]).strip(" ,")
    return (court_named(words) if words else None), int(match["year"])


def _pin_after(text: str, end: int) -> str | None:
    pin = _PIN.match(text, end)
    return pin["pin"] if pin else None


def _parallel(
    text: str, located: list[tuple[int, int, ReporterCitation]]
) -> list[tuple[int, int, ReporterCitation]]:
    """The first citation and those after it with nothing but pages between."""
    group = located[:1]
    for first, last, citation in located[1:4]:
        if not _BETWEEN.fullmatch(text, group[-1][1], first):
            break
        group.append((first, last, citation))
    return group


class _Edition(Protocol):
    short_name: str
    reporter: "_Reporter"


class _Reporter(Protocol):
    cite_type: str


class _LibraryCitation(Protocol):
    """What this module uses of a citation of the library."""

    groups: dict[str, str | None]
    edition_guess: _Edition | None
    all_editions: tuple[_Edition, ...]

    def span(self) -> tuple[int, int]: ...
    def corrected_reporter(self) -> str: ...


class _Finder(Protocol):
    def __call__(self, plain_text: str) -> list[_LibraryCitation]: ...


@cache
def _library() -> _Finder:
    import logging

    from eyecite import get_citations

    # It warns on stderr of every overlap that it settles by itself.
    logging.getLogger("eyecite").setLevel(logging.ERROR)
    return cast("_Finder", get_citations)


@lru_cache(maxsize=2048)
def _citations(text: str) -> tuple[tuple[int, int, ReporterCitation], ...]:
    """Full citations of an entry, with offsets in it."""
    located: list[tuple[int, int, ReporterCitation]] = []
    for citation in _library()(text) if text.strip() else []:
        kind = type(citation).__name__
        if kind not in ("FullCaseCitation", "FullLawCitation", "FullJournalCitation"):
            continue
        first, last = citation.span()
        groups = citation.groups
        if kind != "FullCaseCitation":
            reporter = groups.get("reporter") or ""
            law = ReporterCitation("", reporter, groups.get("section") or "", None, "law")
            located.append((first, last, law))
            continue
        edition = citation.edition_guess
        editions = (edition,) if edition else citation.all_editions
        located.append(
            (
                first,
                last,
                ReporterCitation(
                    (groups.get("volume") or "").strip(),
                    citation.corrected_reporter().strip(),
                    (groups.get("page") or "").strip(),
                    None,
                    _venue_kind({item.reporter.cite_type for item in editions}),
                ),
            )
        )
    return tuple(located)


def _venue_kind(types: set[str]) -> VenueKind:
    if types and types <= {"specialty_lexis", "specialty_west"}:
        return "database"
    return "neutral" if types == {"neutral"} else "reporter"


def reporter_name(volume: str, reporter: str, page: str) -> str:
    """A reporter by its name in `reporters-db`; as written where it is not known there."""
    for _, _, citation in _citations(f"{volume} {reporter} {page}"):
        if citation.kind != "law":
            return citation.reporter
    return " ".join(reporter.split())


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
