"""arXiv: preprints, as an Atom feed."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from workbench.records.bibliography import ReferenceEntry
from workbench.records.text import JsonDict
from workbench.sources.indexes.client import ServiceQuestion, UnexpectedAnswer
from workbench.sources.indexes.identifiers import entry_arxiv
from workbench.sources.indexes.json_fields import as_year, build_record, issued_on, plain_text
from workbench.sources.indexes.names import person_or_body
from workbench.sources.indexes.retractions import gravest, retraction
from workbench.sources.indexes.scope import is_open, is_preprint
from workbench.sources.indexes.service_index import IdentifierQuestion, ServiceIndex
from workbench.sources.indexes.title_words import (
    first_author,
    is_short,
    telling_words,
    title_halves,
)

if TYPE_CHECKING:
    from lxml.etree import _Element  # type: ignore[import-untyped]

ROWS = 4
_ATOM = "{http://www.w3.org/2005/Atom}"
_ARXIV = "{http://arxiv.org/schemas/atom}"
_SEARCH = "{http://a9.com/-/spec/opensearch/1.1/}"
_WITHDRAWN = re.compile(
    r"(?:this )?(?:paper|article|submission|manuscript)?\s*(?:has been |is )?withdrawn", re.I
)


class ArxivIndex(ServiceIndex):
    """arXiv's preprints by number, else by title."""

    name = "arxiv"
    description = "Preprints in physics, mathematics, computer science and neighboring fields."

    def covers(self, entry: ReferenceEntry) -> bool:
        """Entries with an arXiv number or venue, and those that may be bare preprints."""
        return is_preprint(entry) or (is_open(entry) and not entry.venue)

    def identifier_questions(self, entry: ReferenceEntry) -> Sequence[IdentifierQuestion]:
        """By number, without its version: the newest one is returned."""
        number = entry_arxiv(entry)
        if number is None:
            return ()
        question = ServiceQuestion(
            words=number, path="api/query", parameters={"id_list": number, "max_results": "1"}
        )
        return (
            IdentifierQuestion(question=question, identifier=number, field="arxiv", authority=True),
        )

    def title_questions(self, entry: ReferenceEntry) -> Sequence[ServiceQuestion]:
        """By title, a short one with its first author first; then by half of its words."""
        title, author = entry.title or "", first_author(entry)
        words = telling_words(title)
        if not words:
            return ()
        by_author = f' AND au:"{author}"'
        searches = [(" ".join(words), _in_title(words))]
        if author and is_short(title):
            searches.insert(0, (f"{' '.join(words)}, {author}", _in_title(words) + by_author))
        if author:
            searches += [
                (f"{' '.join(half)}, {author}", _in_title(half) + by_author)
                for half in title_halves(title)
            ]
        return [
            ServiceQuestion(
                words=sent,
                path="api/query",
                parameters={"search_query": search, "max_results": str(ROWS)},
            )
            for sent, search in searches
        ]

    def read_record(self, body: bytes) -> list[JsonDict]:
        """The entry of the feed."""
        return self.read_search(body)

    def read_search(self, body: bytes) -> list[JsonDict]:
        """The entries of the feed; it says how many there are, so that an empty one can be told."""
        feed = _parse_feed(body)
        entries = feed.findall(f"{_ATOM}entry")
        for entry in entries:
            if "arxiv.org/api/errors" in _text(entry, f"{_ATOM}id"):
                raise UnexpectedAnswer("did not understand the query")
        if not entries and _text(feed, f"{_SEARCH}totalResults") != "0":
            raise UnexpectedAnswer("answered with a feed without a content description")
        return [_read_entry(entry) for entry in entries]


def _in_title(words: Sequence[str]) -> str:
    """Each word on its own: a phrase would have to be spelled as arXiv does, hyphens and all."""
    return " AND ".join(f'ti:"{word}"' for word in words)


def _parse_feed(body: bytes) -> "_Element":
    from lxml import etree  # type: ignore[import-untyped]

    if b"<!DOCTYPE" in body or b"<!ENTITY" in body:
        raise UnexpectedAnswer("answered with a web page and not with its records")
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False
    )
    try:
        feed = etree.fromstring(body, parser)
    except (etree.XMLSyntaxError, ValueError):
        raise UnexpectedAnswer("broke off its answer, or sent no feed") from None
    if feed.tag != f"{_ATOM}feed":
        raise UnexpectedAnswer("answered in an unknown form")
    return feed


def _read_entry(entry: "_Element") -> JsonDict:
    link = _text(entry, f"{_ATOM}id")
    match = re.search(r"arxiv\.org/abs/(.+?)(?:v\d+)?$", link)
    title = _text(entry, f"{_ATOM}title")
    if match is None or not title:
        raise UnexpectedAnswer("answered with something that is not a preprint")
    number = match[1]
    published, updated = _text(entry, f"{_ATOM}published"), _text(entry, f"{_ATOM}updated")
    journal, comment = _text(entry, f"{_ARXIV}journal_ref"), _text(entry, f"{_ARXIV}comment")
    years = {as_year(published[:4]), as_year(updated[:4]), as_year(journal)}
    names = [_text(author, f"{_ATOM}name") for author in entry.findall(f"{_ATOM}author")]
    fact = [retraction("retracted", "arxiv")] if _WITHDRAWN.match(comment) else []
    fields: JsonDict = {
        "id": number,
        "type": "article",
        "title": title,
        "author": [person_or_body(name) for name in names if name],
        "issued": issued_on(published),
        "container-title": "arXiv",
        "number": f"arXiv:{number}",
        "DOI": f"10.48550/arXiv.{number}",
        "URL": f"https://arxiv.org/abs/{number}",
    }
    doi = _text(entry, f"{_ARXIV}doi")
    custom: JsonDict = {
        "years": sorted(year for year in years if year),
        "arxiv": number,
        "dois": [doi] if doi else [],
        "venues": [journal] if journal else [],
        "retraction": gravest(fact),
    }
    return build_record("arxiv", fields, custom)


def _text(element: "_Element", path: str) -> str:
    child = element.find(path)
    return "" if child is None else plain_text("".join(str(part) for part in child.itertext()))
