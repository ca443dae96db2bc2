"""What a saved page says of where it is from: its canonical address, and its title.

Regular expressions over the head of the file; nothing is parsed and nothing is opened.
"""

import html
import re
from dataclasses import dataclass

from workbench.sources.reading.decode import decode
from workbench.sources.titles import useful_title

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


@dataclass(frozen=True, slots=True)
class PageNames:
    """The addresses and titles that a page gives itself, the likeliest first."""

    addresses: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()


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
        if tag[1].lower() == "meta" and name.lower() in ("og:title", "citation_title", "dc.title"):
            titles.append(attributes.get("content", ""))
    saved_from = [html.unescape(first or second) for first, second in _SAVED.findall(markup)]
    title_match = _TITLE.search(markup)
    if title_match:
        titles.insert(0, html.unescape(title_match[1]))
    useful = [title for title in map(useful_title, titles) if title]
    return PageNames(
        addresses=tuple(dict.fromkeys(filter(_is_web, [*canonical, *saved_from]))),
        titles=tuple(dict.fromkeys(name for title in useful for name in title_forms(title))),
    )


def title_forms(title: str) -> list[str]:
    """A title, and its first part where a site's name stands behind it."""
    first = _SITE_SEPARATOR.split(title, maxsplit=1)[0].strip()
    is_long = sum(char.isalpha() for char in first) >= _LEAST_LETTERS
    return [title, first] if first != title and is_long else [title]


def _is_web(address: str) -> bool:
    return address.lower().startswith(("http://", "https://"))
