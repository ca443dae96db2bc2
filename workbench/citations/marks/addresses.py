"""Find what names a source by its address: URL, Markdown link, DOI, arXiv, PubMed.

Provenance is an address too: `file:path:line`, `memory:id`, `git:sha`, `web:url` or `guess`. Every
repetition of a pattern here is bounded or runs over one class, and each begins with a literal or a
class: the scan of a text that holds no address is fast, and the whole stays linear.
"""

import re
from typing import NamedTuple
from urllib.parse import unquote

from workbench.citations.lexicon import CJK, CJK_PUNCTUATION
from workbench.citations.marks import Mark
from workbench.records.citation import Target

_URL_STOP = (
    r"\s<>\"`|\\^{}\[\]\u00ab\u00bb\u2018-\u201f\u2026\u200b\u2060\ufeff\ud800-\udfff\ue000-\uf8ff"
    + CJK
    + CJK_PUNCTUATION
)
_URL_CHARS = rf"[^{_URL_STOP},;]"
URL = re.compile(
    rf"[hH][tT][tT][pP][sS]?://(?:\[[0-9a-fA-F:.]{{2,45}}\])?{_URL_CHARS}*"
    rf"(?:[,;](?!https?:){_URL_CHARS}*)*"
)
"""A URL up to the first character that cannot belong to one; it stops before CJK letters."""
WWW = re.compile(rf"www\.[a-zA-Z0-9-]{{1,63}}\.{_URL_CHARS}+(?:[,;](?!https?:){_URL_CHARS}*)*")
URL_TAIL = re.compile(rf"(?:[{CJK}]|{_URL_CHARS})+")
"""How a URL continues through CJK letters, where they are known to belong to it."""
HOST_TAIL = re.compile(rf"(?:[{CJK}]|[\w.-])+(?:[:/?#]{_URL_CHARS}*)?")

_DOI_BODY = (
    r"10\.\d{4,9}(?:\.\d{1,9}){0,3}/(?:[-\w.;()/:+%@$=~&#*!']|<(?=\d{1,6}:)|(?<=[A-Z]\d)>"
    r"|\[\d{1,6}:[^\s\[\]]{1,20}\])+"
)
DOI = re.compile(_DOI_BODY, re.ASCII)
"""A DOI with SICI forms; trailing punctuation is trimmed by the finder."""
DOI_LEAD = re.compile(
    r"(?:\bdoi\s{0,2}[:：]?\s{0,2}(?:https?://(?:dx\.|www\.)?doi\.org/)?|(?:dx\.|www\.)?doi\.org/)\Z",
    re.IGNORECASE,
)
RESOLVER = re.compile(r"https?://(?:dx\.|www\.)?doi\.org/(?:doi:)?(?=10\.\d{4,9}(?:\.|/))", re.I)

ARXIV = re.compile(
    r"[aA][rR][xX][iI][vV](?:\.org/(?:abs|pdf)/|\s{0,2}[:：]\s{0,2}|\s{1,2}(?:e-?print\s|preprint\s)?\s?)(?:ar[xX]iv:\s?)?"
    r"(\d{4}\.\d{4,5}(?:v\d{1,2})?|[a-z-]{2,12}(?:\.[A-Z]{2})?/\d{7}(?:v\d{1,2})?)(?!\w)",
)
PMID = re.compile(
    r"P(?:MID|mid|ubMed(?:\s(?:ID|PMID))?)(?:\s?[:：]\s?|\s|#)(\d{4,9})(?!\d)"
    r"|P(?:MCID\s?[:：]?\s?PMC|MC\s?)(\d{4,9})(?!\d)"
)
SMALL_PMID = re.compile(r"pmid\s?[:：]?\s?(\d{4,9})(?!\d)")
PROVENANCE = re.compile(
    r"\b(?:file:(?P<path>(?!//)[^\s:\"'`<>()\[\]{}|,;]{1,300}):(?P<line>\d{1,7}(?:[-\u2013]\d{1,7})?)"
    r"|memory:(?P<id>[A-Za-z0-9](?:[\w./#-]{0,100}[A-Za-z0-9_])?)"
    r"|git:(?P<sha>[0-9a-fA-F]{7,40}))(?![0-9a-zA-Z])"
)
"""`file:path:line`, `memory:id` and `git:sha`."""
_LINK = re.compile(
    r"\]\([ \t]{0,3}(?:<([^<>\n]{1,2000})>|([^\s()<>]*(?:\([^\s()<>]*\)[^\s()<>]*){0,20}))"
    r"(?:\s{1,3}(?:\"[^\"\n]{0,300}\"|'[^'\n]{0,300}'|“[^”\n]{0,300}”))?[ \t]{0,3}\)"
)
_ANCHOR = re.compile(
    r"<a\s[^<>]{0,300}?href=[\"'](https?://[^\"'<>\s]{1,2000})[\"'][^<>]{0,200}>"
    r"([^<]{0,200})</a>",
    re.IGNORECASE,
)
_TRAILING = ".,;:!?)\"'>*]"
"""What is never the last character of a URL or DOI, but for a bracket balanced inside it."""
_PAIRS = ("()", "[]", "<>")
_LABEL_REACH = 400
_CJK_PATH = re.compile(r"/(?:wiki|item|zh[-\w]{0,8}|ja|ko|tag|topic|search)/|[=_]\Z|%[0-9A-F]{2}\Z")
_CJK_LETTER = re.compile(f"[{CJK}]")
_WEB = re.compile(r"web:(?=https?://)")
_GUESS = re.compile(
    r"(?:\b(?:source|provenance|evidence|来源|出处)[\"'*_`]{0,3}\s?[:=：]\s?[\"'*_`]{0,3}|(?<=[\[(（【]))"
    r"(guess)(?=[\"'*_`\])）】.,;\s]|\Z)",
    re.IGNORECASE,
)


class TextLink(NamedTuple):
    """A Markdown link or HTML anchor: `text[start:end]`, its label's span and its address."""

    start: int
    end: int
    label_start: int
    label_end: int
    address: str
    image: bool = False


def trimmed_length(address: str) -> int:
    """The length of a URL or DOI without its trailing punctuation; balanced brackets stay."""
    end = len(address)
    surplus = {pair[1]: address.count(pair[1]) - address.count(pair[0]) for pair in _PAIRS}
    while end and address[end - 1] in _TRAILING:
        last = address[end - 1]
        if last in surplus:
            if surplus[last] <= 0:
                break
            surplus[last] -= 1
        end -= 1
    return end


def pubmed_id(match: re.Match[str]) -> str:
    """The identifier in a match of `PMID` or `SMALL_PMID`: `12345678` or `PMC123456`."""
    return str(match[1]) if match[1] else "PMC" + match[2]


def find_links(text: str) -> list[TextLink]:
    """Markdown links, images and HTML anchors in text order."""
    links = []
    if "](" in text:
        for match in _LINK.finditer(text):
            start = _label_start(text, match.start())
            if start < 0:
                continue
            address = (match[1] or match[2] or "").strip()
            image = start > 0 and text[start - 1] == "!"
            links.append(
                TextLink(start - image, match.end(), start + 1, match.start(), address, image)
            )
    if "<a " in text or "<A " in text:
        links.extend(
            TextLink(match.start(), match.end(), match.start(2), match.end(2), match[1])
            for match in _ANCHOR.finditer(text)
        )
    return links


def _label_start(text: str, close: int) -> int:
    """Where the `[` stands that the `]` at `close` ends; -1 when there is none nearby."""
    floor = max(0, close - _LABEL_REACH)
    at = close
    for _ in range(6):
        at = text.rfind("[", floor, at)
        if at < 0:
            return -1
        label = text[at + 1 : close]
        if label.count("[") == label.count("]"):
            return -1 if "\n\n" in label else at
    return -1


def address_target(address: str) -> Target:
    """Where a written address points: a DOI behind its resolver, else the URL itself."""
    resolver = RESOLVER.match(address)
    if resolver:
        return Target(form="doi", value=unquote(address[resolver.end() :]))
    if address[:4].lower() == "www.":
        return Target(form="url", value="https://" + address)
    return Target(form="url", value=address)


def is_web(address: str) -> bool:
    """Whether a link leads to the web, and not into the document or to a mailbox."""
    return address[:8].lower().startswith(("http://", "https://", "www."))


def find_addresses(text: str, links: list[TextLink]) -> list[Mark]:
    """URL, DOI, arXiv and PubMed marks; a DOI inside a URL is found too and yields to it later."""
    marks = [
        _address_mark(link.start, link.end, link.address)
        for link in links
        if not link.image and is_web(link.address)
    ]
    marks.extend(_urls(text))
    marks.extend(_dois(text))
    if "arxiv" in text.lower():
        marks.extend(
            Mark(
                match.start(), match.end(), "arxiv", match[1], Target(form="arxiv", value=match[1])
            )
            for match in ARXIV.finditer(text)
            if not (match.start() and text[match.start() - 1].isalnum())
        )
    marks.extend(_pubmed(text))
    return marks


def _address_mark(start: int, end: int, address: str) -> Mark:
    target = address_target(address)
    kind = "doi" if target.form == "doi" else "url"
    return Mark(start, end, "doi" if kind == "doi" else "url", target.value, target)


def _urls(text: str) -> list[Mark]:
    marks = []
    at = text.find("://")
    while at >= 0:
        start = at - (5 if text[at - 1 : at] in ("s", "S") else 4)
        match = URL.match(text, start) if start >= 0 else None
        glued = start > 0 and text[start - 1].isascii() and text[start - 1].isalnum()
        at += 3
        if match and not glued:
            end = url_end(text, start, match.end())
            resolver = RESOLVER.match(text, start)
            doi = DOI.match(text, resolver.end()) if resolver else None
            if doi and doi.end() > end:  # a SICI form continues where a URL ends
                end = max(end, doi.start() + trimmed_length(doi[0]))
            if end > at:
                marks.append(_address_mark(start, end, text[start:end]))
            at = max(at, match.end(), end)
        at = text.find("://", at)
    if "www." in text:
        for match in WWW.finditer(text):
            start = match.start()
            if start and (text[start - 1].isalnum() or text[start - 1] in "/.@-"):
                continue
            end = start + trimmed_length(match[0])
            marks.append(_address_mark(start, end, text[start:end]))
    return marks


def url_end(text: str, start: int, end: int, whole: bool = False) -> int:
    """Where a URL really ends, trailing punctuation trimmed.

    Chinese, Japanese and Korean letters right after it are the next word, unless they are a host
    name, stand where a path names a page (`/wiki/北京`), or `whole` says that the URL stands alone.
    """
    length = len(text)
    while end < length and _CJK_LETTER.match(text, end):
        address = text[start:end]
        host = address.count("/") < 3
        if host:
            if address[-1] not in "/." or "//" not in address:
                break
            tail = HOST_TAIL.match(text, end)
        elif whole or _CJK_PATH.search(address[-24:]) or _CJK_LETTER.search(address[:60]):
            tail = URL_TAIL.match(text, end, end + 200)
        else:
            break
        if tail is None or tail.end() == end:
            break
        end = tail.end()
    return start + trimmed_length(text[start:end])


def _dois(text: str) -> list[Mark]:
    marks = []
    if "10." in text:
        for match in DOI.finditer(text):
            start = match.start()
            lead = DOI_LEAD.search(text[max(0, start - 40) : start])
            if lead:
                start -= lead.end() - lead.start()
            if not lead and start and _glued(text[start - 1]):
                continue
            end = match.start() + trimmed_length(match[0])
            doi = text[match.start() : end]
            if doi.endswith("/"):
                continue
            marks.append(Mark(start, end, "doi", doi, Target(form="doi", value=doi)))
    return marks


def _glued(before: str) -> bool:
    """Whether the character before a DOI makes it the end of something longer."""
    return (before.isalnum() or before in "._/") and not _CJK_LETTER.match(before)


def _pubmed(text: str) -> list[Mark]:
    patterns = [PMID] if "PM" in text or "PubMed" in text else []
    patterns += [SMALL_PMID] if "pmid" in text else []
    marks = []
    for match in (match for pattern in patterns for match in pattern.finditer(text)):
        if match.start() and text[match.start() - 1].isalnum():
            continue
        value = pubmed_id(match)
        marks.append(
            Mark(match.start(), match.end(), "pmid", value, Target(form="pmid", value=value))
        )
    return marks


def find_provenance(text: str) -> list[Mark]:
    """Provenance marks, each with where it points; a `guess` points at nothing but itself."""
    marks: list[Mark] = []
    if "file:" in text or "memory:" in text or "git:" in text:
        marks.extend(
            _mark(*match.span(), provenance_target(match)) for match in PROVENANCE.finditer(text)
        )
    if "web:http" in text:
        for match in _WEB.finditer(text):
            url = URL.match(text, match.end())
            if url:
                end = url_end(text, url.start(), url.end())
                target = Target(form="url", value=text[url.start() : end])
                marks.append(_mark(match.start(), end, target))
    marks = [mark for mark in marks if not (mark.start and _is_glued(text[mark.start - 1]))]
    if "guess" in text or "Guess" in text:
        marks.extend(
            _mark(*match.span(1), Target(form="guess", value="guess"))
            for match in _GUESS.finditer(text)
        )
    return marks


def provenance_target(match: re.Match[str]) -> Target:
    """Where a match of `PROVENANCE` points."""
    if match["line"]:
        return Target(form="file", value=f"{match['path']}:{match['line']}")
    if match["sha"]:
        return Target(form="git", value=match["sha"])
    return Target(form="memory", value=match["id"])


def _mark(start: int, end: int, target: Target) -> Mark:
    prefix = "" if target.form == "guess" else {"url": "web:"}.get(target.form, f"{target.form}:")
    return Mark(start, end, "provenance", prefix + target.value, target)


def _is_glued(before: str) -> bool:
    """Whether the character before makes the prefix the end of a longer word."""
    return before.isalnum() or before in "_/.-:"
