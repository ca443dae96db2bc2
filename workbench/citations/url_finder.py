"""Find what names a source by its address: URL, Markdown link, DOI, arXiv, PubMed."""

import re
from typing import NamedTuple
from urllib.parse import unquote

from workbench.citations import patterns
from workbench.citations.marks import Mark
from workbench.records import Target

_LINK = re.compile(
    r"\]\([ \t]{0,3}(?:<([^<>\n]{1,2000})>|([^\s()<>]*(?:\([^\s()<>]*\)[^\s()<>]*){0,20}))"
    r"(?:\s{1,3}(?:\"[^\"\n]{0,300}\"|'[^'\n]{0,300}'|“[^”\n]{0,300}”))?[ \t]{0,3}\)"
)
_ANCHOR = re.compile(
    r"<a\s[^<>]{0,300}?href=[\"'](https?://[^\"'<>\s]{1,2000})[\"'][^<>]{0,200}>"
    r"([^<]{0,200})</a>",
    re.IGNORECASE,
)
_LABEL_REACH = 400
_CJK_PATH = re.compile(r"/(?:wiki|item|zh[-\w]{0,8}|ja|ko|tag|topic|search)/|[=_]\Z|%[0-9A-F]{2}\Z")
_CJK_LETTER = re.compile(f"[{patterns.CJK}]")


class Link(NamedTuple):
    """A Markdown link or HTML anchor: `text[start:end]`, its label's span and its address."""

    start: int
    end: int
    label_start: int
    label_end: int
    address: str
    image: bool = False


def find_links(text: str) -> list[Link]:
    """Markdown links, images and HTML anchors in text order."""
    links = []
    if "](" in text:
        for found in _LINK.finditer(text):
            start = _label_start(text, found.start())
            if start < 0:
                continue
            address = (found[1] or found[2] or "").strip()
            image = start > 0 and text[start - 1] == "!"
            links.append(Link(start - image, found.end(), start + 1, found.start(), address, image))
    if "<a " in text or "<A " in text:
        links.extend(
            Link(found.start(), found.end(), found.start(2), found.end(2), found[1])
            for found in _ANCHOR.finditer(text)
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
        inside = text[at + 1 : close]
        if inside.count("[") == inside.count("]"):
            return -1 if "\n\n" in inside else at
    return -1


def address_target(address: str) -> Target:
    """Where a written address points: a DOI behind its resolver, else the URL itself."""
    resolver = patterns.RESOLVER.match(address)
    if resolver:
        return Target(form="doi", value=unquote(address[resolver.end() :]))
    if address[:4].lower() == "www.":
        return Target(form="url", value="https://" + address)
    return Target(form="url", value=address)


def is_web(address: str) -> bool:
    """Whether a link leads to the web, and not into the document or to a mailbox."""
    return address[:8].lower().startswith(("http://", "https://", "www."))


def find_addresses(text: str, links: list[Link]) -> list[Mark]:
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
            Mark(m.start(), m.end(), "arxiv", m[1], Target(form="arxiv", value=m[1]))
            for m in patterns.ARXIV.finditer(text)
            if not (m.start() and text[m.start() - 1].isalnum())
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
        found = patterns.URL.match(text, start) if start >= 0 else None
        glued = start > 0 and text[start - 1].isascii() and text[start - 1].isalnum()
        at += 3
        if found and not glued:
            end = url_end(text, start, found.end())
            resolver = patterns.RESOLVER.match(text, start)
            doi = patterns.DOI.match(text, resolver.end()) if resolver else None
            if doi and doi.end() > end:  # a SICI form goes on where a URL ends
                end = max(end, doi.start() + patterns.trim(doi[0]))
            if end > at:
                marks.append(_address_mark(start, end, text[start:end]))
            at = max(at, found.end(), end)
        at = text.find("://", at)
    if "www." in text:
        for found in patterns.WWW.finditer(text):
            start = found.start()
            if start and (text[start - 1].isalnum() or text[start - 1] in "/.@-"):
                continue
            end = start + patterns.trim(found[0])
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
            tail = patterns.HOST_TAIL.match(text, end)
        elif whole or _CJK_PATH.search(address[-24:]) or _CJK_LETTER.search(address[:60]):
            tail = patterns.URL_TAIL.match(text, end, end + 200)
        else:
            break
        if tail is None or tail.end() == end:
            break
        end = tail.end()
    return start + patterns.trim(text[start:end])


def _dois(text: str) -> list[Mark]:
    marks = []
    if "10." in text:
        for found in patterns.DOI.finditer(text):
            start = found.start()
            lead = patterns.DOI_LEAD.search(text[max(0, start - 40) : start])
            if lead:
                start -= lead.end() - lead.start()
            if not lead and start and _glued(text[start - 1]):
                continue
            end = found.start() + patterns.trim(found[0])
            doi = text[found.start() : end]
            if doi.endswith("/"):
                continue
            marks.append(Mark(start, end, "doi", doi, Target(form="doi", value=doi)))
    return marks


def _glued(before: str) -> bool:
    """Whether the character before a DOI makes it the end of something longer."""
    return (before.isalnum() or before in "._/") and not _CJK_LETTER.match(before)


def _pubmed(text: str) -> list[Mark]:
    ways = [patterns.PMID] if "PM" in text or "PubMed" in text else []
    ways += [patterns.SMALL_PMID] if "pmid" in text else []
    marks = []
    for found in (found for way in ways for found in way.finditer(text)):
        if found.start() and text[found.start() - 1].isalnum():
            continue
        value = patterns.pubmed_id(found)
        marks.append(
            Mark(found.start(), found.end(), "pmid", value, Target(form="pmid", value=value))
        )
    return marks
