"""What a page or a text says of where it is from: addresses, identifiers, titles, authors.

Regular expressions over the head of the file; nothing is parsed and nothing is opened.
"""

import html
import re
from dataclasses import dataclass

from workbench.sources.read import useful_title
from workbench.sources.reading.decode import decode
from workbench.sources.reading.html import strip_hidden_markup

HEAD_BYTES = 512 * 1024
"""The part of a file that is looked at: browsers write these facts near its beginning."""

_TAG = re.compile(r"<(link|meta|base)\b([^<>]{1,4000})>", re.IGNORECASE)
_ATTRIBUTE = re.compile(
    r"([a-zA-Z:-]{1,40})\s{0,5}=\s{0,5}(?:\"([^\"<>]{0,3000})\"|'([^'<>]{0,3000})'|([^\s\"'<>]{1,3000}))"
)
_TITLE = re.compile(r"<title[^<>]{0,200}>([^<]{1,2000})</title", re.IGNORECASE)
_SAVED = re.compile(
    r"saved from url=\(\d{1,6}\)\s?(\S{1,3000})|Page saved with SingleFile\s{1,5}url: (\S{1,3000})",
    re.IGNORECASE,
)
_SITE_SEPARATOR = re.compile(r"\s(?:[-–—|·•:]|::|»)\s")
_LEAST_LETTERS = 8
"""Letters of a title's first part (`Facts - Example Site`) that can stand for all of it."""
_IDENTIFIER_NAMES = {
    "citation_doi": "doi:", "dc.identifier": "", "dc.identifier.doi": "doi:", "prism.doi": "doi:",
    "citation_pmid": "pmid:", "citation_arxiv_id": "arxiv:",
}  # fmt: skip
_BYLINE_NAMES = frozenset(
    "author citation_author dc.creator article:published_time citation_publication_date "
    "citation_date dc.date".split()
)
_ANY_TAG = re.compile(
    r"</?(?P<block>p|div|h\d|li|tr|br|title|section|article|header|ul|ol)?\b[^<>]{0,4000}>", re.I
)
HEAD_CHARS = 4000
"""Letters of a text in which it is looked for what the text is called."""
_FIRST_LINES = 40
_MOST_BESIDE = 60
"""Letters beside an address on its line: in a sentence it is more likely that of something else."""
_PRINTED = re.compile(
    r"(?P<url>https?://[^\s<>\"”“]{4,500})"
    r"|(?P<doi>\b10\.\d{4,9}/[^\s<>\"”“]{2,200})"
    r"|\barxiv:\s?(?P<arxiv>(?:[a-z-]+(?:\.[A-Z]{2})?/\d{7}|\d{4}\.\d{4,5})(?:v\d+)?)"
    r"|\b(?P<pmid>(?:PMID:?\s?|PMC)\d{4,9})\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class PageNames:
    """The addresses and titles that a page gives itself, the likeliest first."""

    addresses: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()
    byline: str = ""
    """The authors and the date that its markup names."""


def page_names(body: bytes, content_type: str = "text/html") -> PageNames:
    """The names in a page's own markup: canonical link, `og:url`, "saved from" comment, titles.

    Empty for text without markup. A title with the site's name behind a dash counts with and without
    it.
    """
    markup = decode(body[:HEAD_BYTES], content_type)
    if "<" not in markup:
        return PageNames()
    canonical: list[str] = []
    titles: list[str] = []
    identifiers: list[str] = []
    byline: list[str] = []
    for tag in _TAG.finditer(markup):
        attributes = {
            name.lower(): html.unescape(double or single or bare).strip()
            for name, double, single, bare in _ATTRIBUTE.findall(tag[2])
        }
        if tag[1].lower() == "link" and "canonical" in attributes.get("rel", "").lower().split():
            canonical.insert(0, attributes.get("href", ""))
        name = attributes.get("property") or attributes.get("name") or ""
        if tag[1].lower() == "meta" and name.lower() == "og:url":
            canonical.append(attributes.get("content", ""))
        if tag[1].lower() != "meta":
            continue
        if name.lower() in ("og:title", "citation_title", "dc.title"):
            titles.append(attributes.get("content", ""))
        if name.lower() in _BYLINE_NAMES:
            byline.append(attributes.get("content", ""))
        if name.lower() in _IDENTIFIER_NAMES:
            identifiers.append(_identifier(name.lower(), attributes.get("content", "")))
    saved_from = [html.unescape(first or second) for first, second in _SAVED.findall(markup)]
    title_match = _TITLE.search(markup)
    if title_match:
        titles.insert(0, html.unescape(title_match[1]))
    useful = [title for title in map(useful_title, titles) if title]
    return PageNames(
        addresses=tuple(
            dict.fromkeys(filter(None, [*filter(_is_web, [*canonical, *saved_from]), *identifiers]))
        ),
        titles=tuple(dict.fromkeys(name for title in useful for name in title_forms(title))),
        byline="; ".join(byline),
    )


def _identifier(name: str, value: str) -> str:
    """An identifier in a page's metadata as an address; empty where it is none."""
    value = value.strip()
    if name == "dc.identifier":
        return value if re.match(r"(?:doi:|https?://(?:dx\.)?doi\.org/)?10\.\d{4}", value) else ""
    bare = value.lower().removeprefix(_IDENTIFIER_NAMES[name])
    return f"{_IDENTIFIER_NAMES[name]}{bare}" if bare and " " not in bare else ""


def plain_head(markup: str) -> str:
    """The first letters of a page's text, without its markup; a plain text as it is."""
    if "<" in markup and _ANY_TAG.search(markup):
        markup = strip_hidden_markup(markup[:HEAD_BYTES])
        markup = _ANY_TAG.sub(lambda tag: "\n" if tag["block"] else "", markup[: 20 * HEAD_CHARS])
        markup = html.unescape(markup)
    return markup[:HEAD_CHARS]


def printed_addresses(head: str) -> list[str]:
    """The addresses and identifiers that stand almost alone on one of the first lines of a text."""
    found: dict[str, None] = {}
    lines = [line.strip() for line in head.splitlines() if line.strip()]
    for line in lines[:_FIRST_LINES]:
        for match in _PRINTED.finditer(line):
            if len(line) - len(match[0]) > _MOST_BESIDE:
                continue
            kind = str(match.lastgroup)
            value = match[0] if kind == "pmid" else match[kind]
            value = value.rstrip(".,;:)]>}’'")
            if kind == "pmid":
                digits = re.sub(r"\D", "", value)
                found[f"PMC{digits}" if value[:3].lower() == "pmc" else f"pmid:{digits}"] = None
            else:
                found[value if kind == "url" else f"{kind}:{value}"] = None
    return list(found)


def title_forms(title: str) -> list[str]:
    """A title, and its first part where a site's name stands behind it."""
    first = _SITE_SEPARATOR.split(title, maxsplit=1)[0].strip()
    is_long = sum(char.isalpha() for char in first) >= _LEAST_LETTERS
    return [title, first] if first != title and is_long else [title]


def _is_web(address: str) -> bool:
    return address.lower().startswith(("http://", "https://"))
