"""DBLP: journals and proceedings of computer science, those without DOIs too."""

import re
from collections.abc import Sequence

from workbench.records.bibliography import ReferenceEntry, WorkType
from workbench.records.text import JsonDict
from workbench.sources.indexes.client import ServiceQuestion, UnexpectedAnswer
from workbench.sources.indexes.json_fields import (
    as_object,
    as_objects,
    as_text,
    as_texts,
    as_year,
    build_record,
    issued,
    read_json,
    read_list,
)
from workbench.sources.indexes.names import person_or_body
from workbench.sources.indexes.scope import is_computing, is_open
from workbench.sources.indexes.service_index import ServiceIndex
from workbench.sources.indexes.title_words import first_author, is_short, search_words, title_halves

ROWS = 5
_TYPES: dict[str, WorkType] = {
    "Conference and Workshop Papers": "paper-conference",
    "Journal Articles": "article-journal",
    "Informal and Other Publications": "article",
    "Informal Publications": "article",
    "Books and Theses": "book",
    "Parts in Books or Collections": "chapter",
    "Reference Works": "chapter",
    "Editorship": "book",
    "Data and Artifacts": "dataset",
}
_HOMONYM = re.compile(r"\s+\d{4}$")
"""The number by which DBLP tells people of one name apart."""


class DblpIndex(ServiceIndex):
    """DBLP's publications by title."""

    name = "dblp"
    description = "Papers of computer-science conferences and journals, with or without a DOI."

    def covers(self, entry: ReferenceEntry) -> bool:
        """Conference papers, and articles in journals of computing."""
        return is_computing(entry) or is_open(entry)

    def title_questions(self, entry: ReferenceEntry) -> Sequence[ServiceQuestion]:
        """By the words of the title, a short one with its first author first; then by half of them.

        All words of a search have to occur: with the author, half of a title finds one that is
        quoted with a wrong word.
        """
        words, author = search_words(entry.title or ""), first_author(entry)
        if not words:
            return ()
        searches = [f"{author} {words}", words] if author and is_short(words) else [words]
        if author:
            searches += [" ".join([author, *half]) for half in title_halves(entry.title or "")]
        return [
            ServiceQuestion(
                words=search,
                path="search/publ/api",
                parameters={"q": search, "format": "json", "h": str(ROWS)},
            )
            for search in searches
        ]

    def read_search(self, body: bytes) -> list[JsonDict]:
        """The publications of `result.hits.hit`, which is missing where there are none."""
        result = as_object(read_json(body).get("result"))
        if as_text(as_object(result.get("status")).get("@code")) not in ("", "200"):
            raise UnexpectedAnswer("answered that it failed")
        hits = as_object(result.get("hits"))
        total, listed = as_text(hits.get("@total")), hits.get("hit", [])
        if not total.isdigit():
            raise UnexpectedAnswer("answered without a list of publications")
        found = read_list([listed] if isinstance(listed, dict) else listed, total, "publications")
        return [_read_publication(as_object(hit.get("info"))) for hit in found]


def _read_publication(info: JsonDict) -> JsonDict:
    title = as_text(info.get("title")).removesuffix(".")
    if not title:
        raise UnexpectedAnswer("answered with something that is not a publication")
    authors = as_object(info.get("authors")).get("author")
    names = [as_text(author.get("text")) for author in as_objects(authors)]
    names = names or as_texts(authors)
    year = as_year(info.get("year"))
    doi = as_text(info.get("doi"))
    venue, number = (
        as_text(info.get("venue")),
        re.search(r"abs/([\w./-]+)", as_text(info.get("volume"))),
    )
    fields: JsonDict = {
        "id": as_text(info.get("key")),
        "type": "article" if venue == "CoRR" else _TYPES.get(as_text(info.get("type"))),
        "title": title,
        "author": [person_or_body(_HOMONYM.sub("", name)) for name in names if name],
        "issued": issued(year),
        "container-title": venue,
        "volume": as_text(info.get("volume")),
        "issue": as_text(info.get("number")),
        "page": as_text(info.get("pages")),
        "publisher": as_text(info.get("publisher")),
        "DOI": doi,
        "URL": as_text(info.get("url")),
    }
    custom: JsonDict = {
        "years": [year] if year else [],
        "arxiv": number[1] if number and venue == "CoRR" else "",
        "link": as_text(info.get("ee")),
    }
    return build_record("dblp", fields, custom)
