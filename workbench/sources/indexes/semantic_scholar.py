"""Semantic Scholar: papers of all fields, with their arXiv, PubMed and DBLP numbers."""

from collections.abc import Sequence
from urllib.parse import quote

from workbench.records.bibliography import ReferenceEntry, WorkType
from workbench.records.text import JsonDict
from workbench.sources.indexes.client import ServiceQuestion, UnexpectedAnswer
from workbench.sources.indexes.identifiers import entry_arxiv, entry_doi, entry_pmid
from workbench.sources.indexes.json_fields import (
    as_object,
    as_objects,
    as_text,
    as_texts,
    as_year,
    build_record,
    issued,
    issued_on,
    read_json,
    read_list,
)
from workbench.sources.indexes.names import person_or_body
from workbench.sources.indexes.retractions import gravest, retraction, without_mark
from workbench.sources.indexes.scope import SCHOLARLY, is_open, work_type
from workbench.sources.indexes.service_index import IdentifierQuestion, ServiceIndex
from workbench.sources.indexes.title_words import fitting_title

FIELDS = (
    "title,authors,year,venue,publicationVenue,journal,externalIds,publicationTypes,"
    "publicationDate,url"
)
_TYPES: dict[str, WorkType] = {
    "JournalArticle": "article-journal",
    "Conference": "paper-conference",
    "Book": "book",
    "BookSection": "chapter",
    "Dataset": "dataset",
}


class SemanticScholarIndex(ServiceIndex):
    """Semantic Scholar's papers by number, else the best match of a title."""

    name = "semantic_scholar"
    description = "Papers of all fields: articles, proceedings and preprints."

    def covers(self, entry: ReferenceEntry) -> bool:
        """Articles, papers and preprints; not books."""
        kind = work_type(entry)
        return (kind in SCHOLARLY and kind != "chapter") or is_open(entry)

    def identifier_questions(self, entry: ReferenceEntry) -> Sequence[IdentifierQuestion]:
        """By DOI, arXiv or PubMed number."""
        numbers = (
            ("DOI", "DOI", entry_doi(entry)),
            ("ARXIV", "arxiv", entry_arxiv(entry)),
            ("PMID", "PMID", entry_pmid(entry)),
        )
        asked: list[IdentifierQuestion] = []
        for prefix, field, number in numbers:
            if number:
                question = ServiceQuestion(
                    words=number,
                    path=f"graph/v1/paper/{prefix}:{quote(number, safe='/')}",
                    parameters={"fields": FIELDS},
                    none_on_404=True,
                )
                asked.append(IdentifierQuestion(question=question, identifier=number, field=field))
        return asked[:1]  # it knows a paper under each of its numbers, and its pool is small

    def title_questions(self, entry: ReferenceEntry) -> Sequence[ServiceQuestion]:
        """The best match of the title."""
        title = fitting_title(entry.title or "")
        if not title:
            return ()
        return (
            ServiceQuestion(
                words=title,
                path="graph/v1/paper/search/match",
                parameters={"query": title, "fields": FIELDS},
                none_on_404=True,
            ),
        )

    def read_record(self, body: bytes) -> list[JsonDict]:
        """The paper itself."""
        return [_read_paper(read_json(body))]

    def read_search(self, body: bytes) -> list[JsonDict]:
        """The papers of `data`."""
        answer = read_json(body)
        papers = read_list(answer.get("data"), answer.get("total"), "papers")
        return [_read_paper(paper) for paper in papers]


def _read_paper(paper: JsonDict) -> JsonDict:
    number = as_text(paper.get("paperId"))
    title, is_marked = without_mark(as_text(paper.get("title")))
    if not number or not title:
        raise UnexpectedAnswer("answered with something that is not a paper")
    ids, journal = as_object(paper.get("externalIds")), as_object(paper.get("journal"))
    venue = as_object(paper.get("publicationVenue"))
    kinds = [_TYPES[kind] for kind in as_texts(paper.get("publicationTypes")) if kind in _TYPES]
    venues = [
        name
        for name in (
            as_text(venue.get("name")),
            as_text(journal.get("name")),
            as_text(paper.get("venue")),
            *as_texts(venue.get("alternate_names")),
        )
        if name
    ]
    year = as_year(paper.get("year"))
    fields: JsonDict = {
        "id": number,
        "type": kinds[0] if kinds else "",
        "title": title,
        "author": [
            person_or_body(name)
            for author in as_objects(paper.get("authors"))
            if (name := as_text(author.get("name")))
        ],
        "issued": issued_on(as_text(paper.get("publicationDate"))) or issued(year),
        "container-title": venues[0] if venues else "",
        "container-title-short": as_text(paper.get("venue")),
        "volume": as_text(journal.get("volume")),
        "page": as_text(journal.get("pages")),
        "DOI": as_text(ids.get("DOI")),
        "PMID": as_text(ids.get("PubMed")),
        "URL": as_text(paper.get("url")) or f"https://www.semanticscholar.org/paper/{number}",
    }
    custom: JsonDict = {
        "years": [year] if year else [],
        "venues": list(dict.fromkeys(venues)),
        "arxiv": as_text(ids.get("ArXiv")),
        "retraction": gravest([retraction("retracted", "semantic_scholar")] if is_marked else []),
    }
    return build_record("semantic_scholar", fields, custom)
