"""The addresses and identifiers of an entry, where they stand, and how broken lines are joined."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from workbench.citations.lexicon import CJK
from workbench.citations.marks.addresses import (
    ARXIV,
    DOI,
    PMID,
    PROVENANCE,
    RESOLVER,
    SMALL_PMID,
    URL,
    WWW,
    TextLink,
    is_web,
    pubmed_id,
    trimmed_length,
    url_end,
)
from workbench.citations.references.entry.plain import BREAK, Cut
from workbench.records.bibliography import EntryField
from workbench.records.text import Span

_DOI_WORD = re.compile(
    r"(?:\bdoi\s{0,2}[:：]?\s{0,2})?(?:<?https?://(?:dx\.|www\.)?doi\.org/(?:doi:)?"
    r"|(?:dx\.)?doi\.org/)?\Z",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"(?:(?<![\w])(?:(?:Available|Retrieved|Accessed|Online|Disponible|Verfügbar)"
    r"(?:\s(?:at|from|online|on|under|unter|en))?|URL|Link|links?|Web|PDF|网址|链接"
    r"|来自)\s?[:：]?\s{0,2}|[<\[(（]\s?)+\Z",
    re.IGNORECASE,
)
_ISBN = re.compile(
    r"\bISBN(?:-1[03])?\s?[:：]?\s?(?P<isbn>(?:97[89][- ]?)?\d(?:[- ]?\d){8}[- ]?[\dXx])(?![\dXx])",
    re.IGNORECASE,
)
_NEW_ARXIV = re.compile(r"\babs/(?P<id>\d{4}\.\d{4,5}(?:v\d{1,2})?)(?!\w)")
_ARXIV_URL = re.compile(
    r"arxiv\.org/(?:abs|pdf|html)/(?P<id>\d{4}\.\d{4,5}(?:v\d{1,2})?|[a-z-]{2,12}/\d{7})", re.I
)
_ARXIV_DOI = re.compile(r"10\.48550/arxiv\.(\d{4}\.\d{4,5}(?:v\d{1,2})?)", re.IGNORECASE)
_PUBMED_URL = re.compile(
    r"pubmed\.ncbi\.nlm\.nih\.gov/(\d{4,9})|ncbi\.nlm\.nih\.gov/pubmed/(\d{4,9})"
)
_CJK_PAGE = re.compile(f"[{CJK} ]+")
_SIGNS = re.compile(
    r"10\.\d|://|www\.|arxiv|\babs/\d|ISBN|P(?:u?b?)M|pmid|\b(?:file|memory|git):", re.IGNORECASE
)


class Identifiers(NamedTuple):
    """What an entry says by identifiers, their spans, and the stretches that are no words."""

    doi: str | None = None
    arxiv: str | None = None
    pmid: str | None = None
    isbn: str | None = None
    url: str | None = None
    address: str = ""
    """The entry's first web address, as a link or bare; `url` is not that of a DOI's resolver."""
    address_span: tuple[int, int] = (-1, -1)
    """Where the address stands; of a Markdown link the whole."""
    link: TextLink | None = None
    spans: tuple[tuple[EntryField, Span], ...] = ()
    cuts: tuple[Cut, ...] = ()


def read_identifiers(text: str, start: int, end: int, links: list[TextLink]) -> Identifiers:
    """The identifiers in `text[start:end]`.

    Args:
        text: The text.
        start: Where the entry's words begin.
        end: Where they end.
        links: The Markdown links and HTML anchors that the entry holds.
    """
    if not _SIGNS.search(text, start, end) and not links:
        return Identifiers()
    reader = _Reader(text, start, end)
    link = next((link for link in links if is_web(link.address) and not link.image), None)
    address, first, last = first_address(text, start, end, link)
    for written in links:
        reader.link(written)
    reader.dois()
    reader.urls()
    reader.others()
    return Identifiers(
        doi=reader.values.get("doi"),
        arxiv=reader.values.get("arxiv"),
        pmid=reader.values.get("pmid"),
        isbn=reader.values.get("isbn"),
        url=reader.values.get("url"),
        address=address,
        address_span=(first, last),
        link=link,
        spans=tuple(reader.spans.items()),
        cuts=reader.merged_cuts(),
    )


class _Reader:
    def __init__(self, text: str, start: int, end: int) -> None:
        self.text, self.start, self.end = text, start, end
        self.words = text[start:end]
        self.values: dict[str, str] = {}
        self.spans: dict[EntryField, Span] = {}
        self.cuts: list[Cut] = []

    def _take(self, field: EntryField, value: str, start: int, end: int) -> None:
        if field not in self.values:
            self.values[field] = value
            self.spans[field] = Span(start, end)

    def _cut(self, start: int, end: int, lead: re.Pattern[str] = _LEAD) -> None:
        """Leave out a stretch with the words that lead to it and the brackets around it."""
        floor = max(self.start, start - 60)
        match = lead.search(self.text[floor:start])
        first = floor + match.start() if match else start
        last = end
        if first < start and last < self.end and self.text[last] in ">])）":
            last += 1
        self.cuts.append(Cut(first, last, BREAK))

    def link(self, link: TextLink) -> None:
        """Leave out a link's brackets and address; an anchor's or link's label is words."""
        if link.image:
            self.cuts.append(Cut(link.start, link.end, BREAK))
            return
        label = self.text[link.label_start : link.label_end]
        if not is_web(link.address):
            return
        place = self.text.find(link.address, link.label_end, link.end)
        if place < 0:
            place = self.text.find(link.address, link.start, link.end)
        self._address(link.address, place, place + len(link.address))
        if says_nothing(label):
            self.cuts.append(Cut(link.start, link.end, BREAK))
        else:
            self.cuts.append(Cut(link.start, link.label_start, ""))
            self.cuts.append(Cut(link.label_end, link.end, BREAK))

    def _address(self, address: str, start: int, end: int) -> None:
        """Take a web address: that of a DOI, of arXiv and PubMed too, says its identifier."""
        resolver = RESOLVER.match(address)
        doi = DOI.match(address, resolver.end()) if resolver else None
        if doi:
            value = doi[0][: trimmed_length(doi[0])]
            at = self.text.find(value, start, end)
            self._take("doi", value, at, at + len(value))
            self._arxiv_doi(value, at)
            return
        self._take("url", address, start, end)
        arxiv = _ARXIV_URL.search(address)
        if arxiv:
            at = start + arxiv.start("id")
            self._take("arxiv", arxiv["id"], at, at + len(arxiv["id"]))
        pubmed = _PUBMED_URL.search(address)
        if pubmed:
            group = 1 if pubmed[1] else 2
            self._take(
                "pmid", pubmed[group], start + pubmed.start(group), start + pubmed.end(group)
            )

    def _arxiv_doi(self, doi: str, at: int) -> None:
        arxiv = _ARXIV_DOI.match(doi)
        if arxiv:
            self._take("arxiv", arxiv[1], at + arxiv.start(1), at + arxiv.end(1))

    def _is_cut(self, at: int) -> bool:
        return any(cut.start <= at < cut.end for cut in self.cuts)

    def dois(self) -> None:
        """Take the DOIs, with `doi:` or their resolver; not those inside another address."""
        if "10." not in self.words:
            return
        for match in DOI.finditer(self.text, self.start, self.end):
            length = trimmed_length(match[0])
            first, last = match.start(), match.start() + length
            if self._is_cut(first):
                continue
            before = self.text[max(self.start, first - 40) : first]
            if re.search(r"https?://\S*\Z", before) and not _DOI_WORD.search(before):
                continue
            lead = _DOI_WORD.search(before)
            if lead and not lead[0] and re.search(r"[\w/.]\Z", before) and before[-1].isascii():
                continue
            value = match[0][:length]
            self._take("doi", value, first, last)
            self._arxiv_doi(value, first)
            begin = first - len(lead[0]) if lead else first
            self._cut(begin, last)

    def urls(self) -> None:
        """Take the bare web addresses."""
        for match in URL.finditer(self.text, self.start, self.end):
            if self._is_cut(match.start()):
                continue
            stop = bare_end(self.text, match, self.end)
            if stop <= match.start() + 8:
                continue
            self._address(self.text[match.start() : stop], match.start(), stop)
            self._cut(match.start(), stop)
        if "www." not in self.words:
            return
        for match in WWW.finditer(self.text, self.start, self.end):
            if self._is_cut(match.start()):
                continue
            stop = match.start() + trimmed_length(match[0])
            self._address(self.text[match.start() : stop], match.start(), stop)
            self._cut(match.start(), stop)

    def others(self) -> None:
        """Take arXiv, PubMed and book numbers."""
        lower = self.words.lower()
        if "arxiv" in lower or "abs/" in lower:
            self._numbered(ARXIV, "arxiv", 1)
            self._numbered(_NEW_ARXIV, "arxiv", 1)
        if "pm" in lower or "pubmed" in lower:
            for pattern in (PMID, SMALL_PMID):
                for match in pattern.finditer(self.text, self.start, self.end):
                    if not self._is_cut(match.start()):
                        self._take("pmid", pubmed_id(match), *match.span(1 if match[1] else 2))
                        self.cuts.append(Cut(*match.span(), BREAK))
        if "isbn" in lower:
            for match in _ISBN.finditer(self.text, self.start, self.end):
                if not self._is_cut(match.start()):
                    digits = re.sub(r"[- ]", "", match["isbn"]).upper()
                    self._take("isbn", digits, *match.span("isbn"))
                    self.cuts.append(Cut(*match.span(), BREAK))
        if "file:" in lower or "memory:" in lower or "git:" in lower:
            for match in PROVENANCE.finditer(self.text, self.start, self.end):
                self.cuts.append(Cut(*match.span(), BREAK))

    def _numbered(self, pattern: re.Pattern[str], field: EntryField, group: int) -> None:
        """Take the numbers of a kind; the word before them may be the venue and stays."""
        for match in pattern.finditer(self.text, self.start, self.end):
            if not self._is_cut(match.start(group)):
                self._take(field, match[group], *match.span(group))
                start = match.start(group) if pattern is ARXIV else match.start()
                self.cuts.append(Cut(start, match.end(), BREAK))

    def merged_cuts(self) -> tuple[Cut, ...]:
        """The stretches in order, those that overlap made one."""
        merged: list[Cut] = []
        for cut in sorted(self.cuts):
            if merged and cut.start < merged[-1].end:
                last = merged[-1]
                instead = last.instead or cut.instead
                merged[-1] = Cut(last.start, max(last.end, cut.end), instead)
            else:
                merged.append(cut)
        return tuple(merged)


def first_address(text: str, start: int, end: int, link: TextLink | None) -> tuple[str, int, int]:
    """The first web address of `text[start:end]` with its place; `("", -1, -1)` without one."""
    bare = URL.search(text, start, end)
    if link and (bare is None or link.start <= bare.start()):
        return link.address, link.start, link.end
    if bare:
        stop = bare_end(text, bare, end)
        if stop > bare.start() + 8:
            return text[bare.start() : stop], bare.start(), stop
    www = WWW.search(text, start, end) if text.find("www.", start, end) >= 0 else None
    if www:
        stop = www.start() + trimmed_length(www[0])
        return "https://" + text[www.start() : stop], www.start(), stop
    return "", -1, -1


def bare_end(text: str, match: re.Match[str], end: int) -> int:
    """Where a bare URL really ends; a page name in CJK letters may hold blanks."""
    stop = min(url_end(text, match.start(), match.end(), whole=True), end)
    if stop >= end or text[stop] != " " or text[stop - 1].isascii():
        return stop
    dash = text.find(" - ", stop, min(end, stop + 60))
    is_page_name = dash > 0 and _CJK_PAGE.fullmatch(text[stop:dash])
    return dash if is_page_name else stop


_EMPTY_LABELS = frozenset(
    ["", "link", "source", "url", "pdf", "here", "web", "doi", "html", "链接", "原文", "来源"]
)


def says_nothing(label: str) -> bool:
    """Whether a link's label does not name the source: `link`, `1`, the address itself."""
    bare = label.strip(" \\[]*_`").lower()
    return bare in _EMPTY_LABELS or bare.isdigit() or is_web(bare) or bare.startswith("10.")


PAGE_NUMBER = (
    r"[-–—|·•\[( \t]{0,4}(?:(?i:page|seite|página|pagina|стр\.?|p\.|S\.)\s?|第\s?)?\d{1,4}"
    r"(?:\s?(?:of|/|von|de|sur|di|из)\s?\d{1,4})?\s?页?[-–—|·•\]) \t]{0,4}"
)
"""What stands alone in a line that is the number of a page, as a pattern."""
_PAGE_TURN = re.compile(rf"\n(?:[ \t]*\n)?{PAGE_NUMBER}\n[ \t]*\n|\n[ \t]*\n{PAGE_NUMBER}\n")
"""The number of a page in the middle of an entry, with the blank line beside it."""
_BREAK = re.compile(rf"[ \t\r\u00ad]*\n(?:{PAGE_NUMBER}\n(?=\s*\n))?\s*")
_ADDRESS = re.compile(
    r"(?:https?://|www\.|\b10\.\d{4,9}(?:/|\Z)|\barxiv\.org/)\S*\Z", re.IGNORECASE
)
_TOKEN = re.compile(r"[^\s<>\"“”\[\]{}]+")
_ENDS_INSIDE = frozenset("/-_=?&%#~+‐")
_ON = re.compile(r"[./_-][\w(]")
"""How the rest begins where the line was broken before a sign that only an address has."""
_LONGEST_TOKEN = 400


def identifiers_of(text: str, start: int, end: int, links: list[TextLink]) -> Identifiers:
    """The identifiers in `text[start:end]`, those that go on in the next line whole."""
    if text.find("\n", start, end) < 0:
        return read_identifiers(text, start, end, links)
    joined, origin = _join(text[start:end])
    if not origin:
        return read_identifiers(text, start, end, links)
    moved = [
        link._replace(
            start=link.start - start,
            end=link.end - start,
            label_start=link.label_start - start,
            label_end=link.label_end - start,
        )
        for link in links
    ]
    read = read_identifiers(joined, 0, len(joined), moved)

    def place(first: int, last: int) -> tuple[int, int]:
        return start + origin[first], start + origin[last - 1] + 1

    first, last = read.address_span
    return read._replace(
        address_span=place(first, last) if last > 0 else (-1, -1),
        spans=tuple((name, Span(*place(span.start, span.end))) for name, span in read.spans),
        cuts=tuple(cut._replace(start=s, end=e) for cut in read.cuts for s, e in [place(*cut[:2])]),
    )


def page_turns(text: str, start: int, end: int, cuts: tuple[Cut, ...]) -> list[Cut]:
    """The stretches that are no words, with the numbers of pages that an entry goes on over."""
    if text.find("\n", start, end) < 0:
        return list(cuts)
    turns = [
        Cut(*turn.span(), " ")
        for turn in _PAGE_TURN.finditer(text, start, end)
        if not any(cut.start < turn.end() and turn.start() < cut.end for cut in cuts)
    ]
    return sorted([*cuts, *turns])


def _join(words: str) -> tuple[str, Sequence[int]]:
    """Words with each break inside an address moved behind it, and where each character stood.

    Nothing is said of their places where there is no such break.
    """
    origin: list[int] = []
    at = words.find("\n")
    while at >= 0:
        first = len(words[:at].rstrip(" \t\r\u00ad"))
        turn = _BREAK.match(words, first)
        token = _TOKEN.match(words, turn.end()) if turn else None
        if turn and token and _goes_on(words, first, token):
            origin = origin or list(range(len(words)))
            first, middle, last = turn.start(), turn.end(), token.end()
            words = words[:first] + words[middle:last] + words[first:middle] + words[last:]
            origin[first:last] = origin[middle:last] + origin[first:middle]
            at = words.find("\n", first)
            continue
        at = words.find("\n", turn.end() if turn else at + 1)
    return words, origin


def _goes_on(words: str, end: int, token: re.Match[str]) -> bool:
    """Whether an address that a line ends with goes on with the first token of the next."""
    address = _ADDRESS.search(words[max(0, end - _LONGEST_TOKEN) : end])
    rest = token[0].rstrip(".,;:)")
    if address is None or not rest or _ADDRESS.match(rest + "/") and "doi.org/" not in address[0]:
        return False
    line_end = words.find("\n", token.end())
    after = words[token.end() : line_end if line_end >= 0 else len(words)].strip(" \t\r.,;)")
    last = address[0][-1]
    if _ON.match(rest):
        return last.isalnum()
    if not (rest[0].isalnum() or rest[0] in "(~"):
        return False
    has_digit = any(sign.isdigit() for sign in rest)
    is_word = rest.isalpha() and (bool(after) or rest[0].isupper())
    if last in _ENDS_INSIDE:
        return not is_word
    if last == ".":
        inner = "." in rest or "/" in rest or "-" in rest or "_" in rest
        return (has_digit or "/" in rest) and inner and not after
    return address[0].startswith("10.") and address[0].count("/") == 0 and rest[0] == "/"
