"""Read one bibliography entry as it stands, whatever its style."""

import re
from dataclasses import replace
from typing import NamedTuple

from workbench.citations.lexicon import YEAR
from workbench.citations.marks.addresses import TextLink, find_links
from workbench.citations.marks.legal import find_legal
from workbench.citations.references.entry.after_title import read_bare, read_names_after
from workbench.citations.references.entry.heads import Head, read_head
from workbench.citations.references.entry.identifiers import Identifiers, identifiers_of, page_turns
from workbench.citations.references.entry.kinds import read_type
from workbench.citations.references.entry.names import read_names
from workbench.citations.references.entry.numbers import read_numbers
from workbench.citations.references.entry.plain import (
    BREAK,
    REPEATED,
    Cut,
    PlainEntry,
    find_quote,
    words_start,
)
from workbench.citations.references.entry.titles import (
    TitlePlace,
    marked_title,
    read_title,
    title_without_site,
)
from workbench.citations.references.entry.venue import read_venue
from workbench.records.bibliography import Author, EntryField, ReferenceEntry, WorkType
from workbench.records.text import Span

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


_YEAR = re.compile(
    rf"(?<![\d/\-–—:])(?<![\W\d_]\.)(?P<year>{YEAR})(?P<letter>[a-z])?(?![\d/]|[-–—]\d{{3,}}"
    rf"|\s?[-–—]\s?\d{{4}}\b|\.\d)"
)
_PAREN = re.compile(
    r"[(（](?:[^()（）\n]{0,40}[\s,])?(?P<year>(?:1[5-9]"
    r"|20)\d\d)(?P<letter>[a-z])?(?:[,，\s/.-][^()（）\n]{0,20})?年?[)）]"
)
_ISSUE_NEXT = re.compile(rf"{YEAR};\s?\d{{1,4}}\Z")
_ACCESS = re.compile(
    r"\b(?:Retrieved|Accessed|accessed|Last (?:accessed|modified|visited)|Zugriff"
    r"|Abgerufen|Abruf|cited|Consultado|Consulté|visited)\b|访问|引用日期|检索|閲覧|\[(?:19"
    r"|20)\d\d[-/.]|дата обращения"
)
_OLD = re.compile(r"(?:,\s|:\s)(?P<year>1[5-7]\d\d)(?P<letter>(?!x)x)?\.?\s{0,2}(?=\n|\Z|\.)")


def read_year(words: str, start: int, end: int) -> tuple[int, int, str] | None:
    """The place of the year in `words[start:end]` and the letter after it.

    That in brackets counts before others, then the last; the day of a visit to a page is none.
    """
    access = _ACCESS.search(words, start, end)
    last = access.start() if access else end
    for paren in _PAREN.finditer(words, start, last):
        if re.search(r"pp?\.|Publication No|ISBN", paren[0]):
            continue
        if _ISSUE_NEXT.search(words[max(start, paren.start() - 20) : paren.start()]):
            last = paren.start()  # `2017;284(1858)`
            break
        return (*paren.span("year"), paren["letter"] or "")
    match = None
    for match in _YEAR.finditer(words, start, last):  # noqa: B007 - the last one counts
        pass
    match = match or _OLD.search(words, start, last)
    return (*match.span("year"), match["letter"] or "") if match else None


LONGEST_ENTRY = 4000
"""What stands beyond so many characters of an entry is not read."""
LONGEST_TITLE = 400
_LETTERS = re.compile(r"[^\W\d_]{2}|[\u3040-\uffff]")
_SKIP = " .,;:-–—|，。：；\n·•"
_NOT_TITLE = re.compile(
    r"(?:accessed|retrieved|available|abgerufen|zugriff|last (?:accessed|visited|updated))\b"
    r"(?:\s(?:at|from|on|am|online)){0,2}\s?(?:[:：\d]|[A-Z][a-z]{2,8}\.?\s\d|https?|\Z)|"
    r"访问|ibid\b|op\. ?cit|see (?:the|also|above|note|supra)\b|"
    r"(?:n\.\s?d|in press|forthcoming|url|doi|pmid|arxiv|link|pp?\.\s?\d)[.:]?\Z",
    re.IGNORECASE,
)
_DATE_END = re.compile(rf",\s(?P<year>{YEAR})\Z")
_ET_AL = re.compile(r"\bet al\b")
_SUSPICIOUS = re.compile(
    r"(?<!\s)\bet al\b|(?:\A|[^a-z]\s|[.,]\s)[^\W\d_][\w'’-]*\set al\b"
    r"|[(（](?:19|20)\d\d[a-z]?[)）]\s?[.,]\s|https?:|;\s?\d{1,4}\s?\(\d"
)
_SUSPICIOUS_AFTER = re.compile(r"https?:|;\s?\d{1,4}\s?\(\d")
"""The same where authors were read before the title: it may name others."""
_PREPRINT_NUMBER = re.compile(r"\[\d{4}\.\d{4,5}(?:v\d)?\]\s")
_WORD_STOP = re.compile(r"[^\W\d_]{3}\.\Z")
_SOMEBODY = "Nomen, N."
"""Read in place of a dash where the authors that it stands for are not known."""
_NO_TITLE = "No title could be told from its other words."
_EMPTY = "It has no words that could name a work."
_LONG = "It is longer than any entry of a bibliography, and no title could be told in it."


class ParsedEntry(NamedTuple):
    """An entry with what linking needs of it."""

    entry: ReferenceEntry
    letter: str = ""
    """The letter after the year: `2019a`."""
    lead: str = ""
    """The words before the title, where an author's name is looked for."""
    head: str = ""
    """The authors as written."""
    address: str = ""
    """The first web address."""
    case: str = ""
    """A court decision's citation in its usual form."""
    sure: bool = False
    """Whether authors stand first, and their form or the date after them shows that they do."""


def parse_entry(text: str, before: str = "") -> ReferenceEntry:
    """What a bibliography entry says of its work, with or without its label.

    The spans of the result are half-open, in code points of `text`. An entry that cannot be read
    says why in `unreadable` and has neither title nor authors.

    Args:
        text: The entry.
        before: The authors of the entry before it, as written there, for which a dash may stand.
    """
    start = words_start(text)
    end = min(len(text), start + LONGEST_ENTRY)
    return read_words(text, start, end, find_links(text[:end]), before=before).entry


def read_words(
    text: str,
    start: int,
    end: int,
    links: list[TextLink],
    brief: bool = False,
    before: str = "",
) -> ParsedEntry:
    """What the entry whose words are `text[start:end]` says.

    Args:
        text: The text.
        start: Where the entry's words begin, after its label.
        end: Where they end.
        links: The Markdown links and HTML anchors in it.
        brief: Whether title, authors, year and identifiers are enough.
        before: The authors of the entry before, as written, for which a dash may stand.
    """
    whole = end - start
    end = min(end, start + LONGEST_ENTRY)
    links = [link for link in links if link.start >= start - 1 and link.end <= end]
    identifiers = identifiers_of(text, start, end, links)
    cuts = page_turns(text, start, end, identifiers.cuts)
    dash = REPEATED.match(text, start, end)
    if dash:
        authors = before or _SOMEBODY
        if text[dash.end("dash")] == "." or _WORD_STOP.search(authors):
            authors = authors.rstrip(".")
        cuts = [Cut(*dash.span("dash"), authors), *cuts]
    plain = PlainEntry(text, start, end, cuts)
    case = read_case(plain.words)
    if case is not None:
        return _case(plain, case, identifiers)
    builder = _Builder(plain, identifiers, brief)
    builder.read(address_first=_is_address_first(text, start, identifiers))
    parsed = builder.parsed(whole > LONGEST_ENTRY)
    if dash and not before and parsed.entry.authors:
        others = parsed.entry.authors[1:]
        spans = tuple(place for place in parsed.entry.spans if others or place[0] != "authors")
        entry = replace(parsed.entry, authors=others, authors_complete=False, spans=spans)
        return parsed._replace(entry=entry, head="")
    return parsed


def _is_address_first(text: str, start: int, identifiers: Identifiers) -> bool:
    """Whether an entry is an address with what follows it as its title."""
    if not identifiers.cuts:
        return False
    first = identifiers.cuts[0]
    return first.instead == BREAK and not text[start : first.start].strip(" \t<([*_-–—:：")


class _Builder:
    """Reads the fields of one entry into places of its plain words."""

    def __init__(self, plain: PlainEntry, identifiers: Identifiers, brief: bool) -> None:
        self.plain, self.words = plain, plain.words
        self.identifiers, self.brief = identifiers, brief
        self.head = Head()
        self.title: TitlePlace | None = None
        self.venue: tuple[int, int] | None = None
        self.year: tuple[int, int] | None = None
        self.letter = ""
        self.numbers: dict[str, tuple[int, int]] = {}
        self.lead_end = 120

    def read(self, address_first: bool) -> None:
        """Read title, authors, date, venue and numbers."""
        words = self.words
        begin = 0
        while begin < len(words) and words[begin] in _SKIP:
            begin += 1
        if begin >= len(words) or not _LETTERS.search(words, begin):
            return
        if address_first and begin and not self._is_cited(begin):
            self._page(begin)
            return
        quote = find_quote(words)
        first = marked_title(self.plain, begin, quote)
        if first is not None and self._is_name(first):
            first = None
        if first is not None:
            self.title = first
            self.head = read_names_after(words, first.after)
            self._rest(self.head.after if self.head.names else first.after)
            return
        emphasis = next(
            (r for r in self.plain.regions if r.start > begin and r.kind != "link"), None
        )
        self.head = read_head(words, quote, emphasis)
        if self.head.names is not None:
            self.lead_end = self.head.after
            self.title = read_title(self.plain, self.head.after, self.head.comma_style)
            self._swap()
            self._rest(self.title.after if self.title else self.head.after)
            return
        bare = read_bare(self.plain, begin)
        self.title = bare.title
        self.head = bare.head
        self._rest(
            max(bare.head.after if bare.head.names else 0, bare.title.after if bare.title else 0)
        )
        if bare.venue is not None:
            self.venue = bare.venue

    def _swap(self) -> None:
        """Take `Fair Use. Ann Smith, Bo Lee et al.` for a title and its authors, not for two names."""
        names, title = self.head.names, self.title
        if names is None or title is None or title.marked or names.way not in ("full", "single"):
            return
        listed = read_names(self.words[title.start : title.end])
        if listed is None or listed.way not in ("full", "initials"):
            return
        if len(listed.authors) > 1 or not listed.complete:
            head = read_names_after(self.words, self.head.after)
            if head.names is not None:
                self.title = TitlePlace(self.head.start, self.head.end, head.after)
                self.head = head

    def _is_name(self, title: TitlePlace) -> bool:
        """Whether enclosed words at the head are the authors: `**Smith et al. (2019)**`."""
        enclosed = self.words[title.start : title.end]
        named = re.sub(r"\s?\((?:19|20)\d\d[a-z]?\)\Z", "", enclosed)
        names = read_names(named)
        if named != enclosed or _ET_AL.search(named):
            return names is not None
        return (
            names is not None
            and names.way in ("initialled", "vancouver", "initials")
            and names.sure
        )

    def _is_cited(self, begin: int) -> bool:
        """Whether a whole entry, authors first, stands after an address."""
        if self.words[:begin].strip(" \n"):
            return False
        head = read_head(self.words[begin:], None, None)
        return (
            head.names is not None
            and head.names.sure
            and head.names.way in ("initialled", "vancouver", "initials")
        )

    def _page(self, begin: int) -> None:
        """A page's title after its address, with the site's name split off."""
        line = self.words.find(BREAK, begin)
        stop = line if line >= 0 else len(self.words)
        number = _PREPRINT_NUMBER.match(self.words, begin, stop)
        begin = number.end() if number else begin
        title = self.words[begin:stop].rstrip(" .,-–—|")
        first, last, site_start, site_end = title_without_site(title, self.identifiers.address)
        marked = marked_title(self.plain, begin, find_quote(self.words, begin))
        if marked is not None and marked.end >= begin + last - 2:
            first, last = marked.start - begin, marked.end - begin
        self.title = TitlePlace(begin + first, begin + last, begin + len(title))
        if site_end > site_start:
            self.venue = (begin + site_start, begin + site_end)
        date = re.search(r"[(（,，]\s?((?:19|20)\d\d)[)）]?\Z", self.words[begin:stop].rstrip(" ."))
        if date:
            self.year = (begin + date.start(1), begin + date.end(1))
            if self.title.end > begin + date.start():
                self.title = self.title._replace(
                    end=begin + len(title[: date.start()].rstrip(" ,("))
                )

    def _rest(self, after: int) -> None:
        """The date, numbers and venue in what follows title and authors."""
        words = self.words
        if not self.brief:
            self.numbers = read_numbers(words, after)
            self.venue = read_venue(self.plain, after)
            if self.venue is not None:
                start, end = self.venue
                self.numbers = {
                    name: place
                    for name, place in self.numbers.items()
                    if not start <= place[0] < end
                }
        if self.head.year is not None:
            self.year, self.letter = self.head.year, self.head.letter
        else:
            date = read_year(words, after, len(words))
            if date is not None:
                self.year, self.letter = (date[0], date[1]), date[2]
            elif self.title is not None and not self.title.marked:
                self._date_at_end(self.title)
        if self.title is not None and self.identifiers.url:
            self._split_site()

    def _date_at_end(self, title: TitlePlace) -> None:
        """Take the only year off the end of the title: `Walls of the north, 2021`."""
        dated = _DATE_END.search(self.words, title.start + 3, title.end)
        if dated is not None:
            self.title, self.year = title._replace(end=dated.start()), dated.span("year")

    def _split_site(self) -> None:
        """Take the site's name off the end of a linked page's title."""
        title = self.title
        if title is None:
            return
        words = self.words[title.start : title.end]
        first, last, site_start, site_end = title_without_site(words, self.identifiers.url or "")
        if site_end > site_start:
            self.title = title._replace(start=title.start + first, end=title.start + last)
            self.venue = self.venue or (title.start + site_start, title.start + site_end)

    def _unreadable(self, too_long: bool) -> str | None:
        """Why no work can be told; None where a title, an address or an identifier names one."""
        title = self.words[self.title.start : self.title.end] if self.title else ""
        identifiers = self.identifiers
        if title and (_NOT_TITLE.match(title) or not _LETTERS.search(title)):
            self.title, title = None, ""
        suspicious = _SUSPICIOUS if self.head.names is None else _SUSPICIOUS_AFTER
        if len(title) > LONGEST_TITLE or title and suspicious.search(title):
            return _LONG if too_long else _NO_TITLE
        if title:
            return None
        if any(
            (
                identifiers.doi,
                identifiers.arxiv,
                identifiers.pmid,
                identifiers.isbn,
                identifiers.address,
            )
        ):
            return None
        if identifiers.cuts and not _LETTERS.search(self.words):
            return None
        return _NO_TITLE if _LETTERS.search(self.words) else _EMPTY

    def parsed(self, too_long: bool) -> ParsedEntry:
        """The entry as a record."""
        unreadable = self._unreadable(too_long)
        names = self.head.names if unreadable is None else None
        title = self.title if unreadable is None else None
        places: dict[EntryField, tuple[int, int] | None] = {
            "title": (title.start, title.end) if title else None,
            "authors": (self.head.start, self.head.end) if names else None,
            "year": self.year,
            "venue": self.venue,
            "volume": self.numbers.get("volume"),
            "issue": self.numbers.get("issue"),
            "pages": self.numbers.get("pages"),
        }
        identifiers = self.identifiers
        entry = ReferenceEntry(
            title=_value(self.words, places["title"]),
            authors=names.authors if names else (),
            authors_complete=names.complete if names else True,
            year=int(self.words[slice(*self.year)]) if self.year else None,
            venue=_value(self.words, self.venue),
            volume=_value(self.words, places["volume"]),
            issue=_value(self.words, places["issue"]),
            pages=_value(self.words, places["pages"]),
            doi=identifiers.doi,
            arxiv=identifiers.arxiv,
            pmid=identifiers.pmid,
            isbn=identifiers.isbn,
            url=identifiers.url,
            type=None if self.brief or unreadable else self._type(),
            spans=() if self.brief else _spans(self.plain, places, identifiers),
            unreadable=unreadable,
        )
        head = self.words[self.head.start : self.head.end] if names else ""
        lead = self.words[: self.lead_end] if self.head.names or not title else self.words[:120]
        sure = names is not None and (names.sure or self.head.year is not None)
        first = self.title is not None and self.head.end <= self.title.start
        return ParsedEntry(entry, self.letter, lead, head, identifiers.address, sure=sure and first)

    def _type(self) -> WorkType | None:
        after = self.title.end if self.title else 0
        before = self.words[:after] if self.head.start > after else ""
        return read_type(
            before + self.words[after : after + 600] + " " + self.identifiers.address,
            _value(self.words, self.venue) or "",
            self.title.code if self.title else "",
            self.numbers,
            has_arxiv=self.identifiers.arxiv is not None,
            has_url=bool(self.identifiers.address),
            has_isbn=self.identifiers.isbn is not None,
        )


def _value(words: str, place: tuple[int, int] | None) -> str | None:
    """The words at a place without doubled blanks and breaks; None without any."""
    return " ".join(words[place[0] : place[1]].split()) or None if place else None


def _spans(
    plain: PlainEntry, places: dict[EntryField, tuple[int, int] | None], identifiers: Identifiers
) -> tuple[tuple[EntryField, Span], ...]:
    """Where the fields stand in the text."""
    spans: list[tuple[EntryField, Span]] = [
        (field, Span(*plain.span(*place)))
        for field, place in places.items()
        if place is not None and place[1] > place[0]
    ]
    return (*spans, *identifiers.spans)


def _case(plain: PlainEntry, case: Case, identifiers: Identifiers) -> ParsedEntry:
    """A court decision as a record."""
    words = plain.words
    places: dict[EntryField, tuple[int, int] | None] = {
        "title": case.name,
        "year": case.year,
        "venue": case.reporter,
        "volume": case.volume,
        "pages": case.page,
    }
    entry = ReferenceEntry(
        title=_value(words, case.name),
        authors=(),
        year=int(words[slice(*case.year)]) if case.year else None,
        venue=_value(words, case.reporter),
        volume=_value(words, case.volume),
        pages=_value(words, case.page),
        doi=identifiers.doi,
        url=identifiers.url,
        type="legal_case",
        court=case.court,
        spans=_spans(plain, places, identifiers),
    )
    return ParsedEntry(entry, "", words[:120], "", identifiers.address, case.identifier)


def written_name(author: Author, head: str) -> str:
    """An author's name as the head of the entry writes it."""
    if not author.given:
        return author.family
    for form in (
        f"{author.family}, {author.given}",
        f"{author.given} {author.family}",
        f"{author.family} {author.given}",
        author.family + author.given,
    ):
        if form in head:
            return form
    return f"{author.family}, {author.given}"
