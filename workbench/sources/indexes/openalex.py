"""OpenAlex: scholarly works of every kind, gathered from Crossref, repositories and PubMed."""

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
from workbench.sources.indexes.title_words import search_words

ROWS = 4
FIELDS = (
    "id,doi,display_name,publication_year,publication_date,authorships,primary_location,biblio,"
    "is_retracted,type,ids"
)
_TYPES: dict[str, WorkType] = {
    "article": "article-journal",
    "review": "article-journal",
    "letter": "article-journal",
    "editorial": "article-journal",
    "preprint": "article",
    "book": "book",
    "book-chapter": "chapter",
    "dissertation": "thesis",
    "dataset": "dataset",
    "report": "report",
    "standard": "standard",
    "software": "software",
}
_ABOUT = {"peer-review": "review", "erratum": "correction", "retraction": "notice"}


class OpenalexIndex(ServiceIndex):
    """OpenAlex's works by DOI or PubMed number; by title with a key."""

    name = "openalex"
    description = "Scholarly works of all kinds, from publishers, repositories and libraries."

    def covers(self, entry: ReferenceEntry) -> bool:
        """Works with a DOI; with a key, which its search asks for, scholarly works at large."""
        if entry_doi(entry) or entry_arxiv(entry):
            return True
        kind = work_type(entry)
        return self._searches() and (kind in SCHOLARLY or kind == "book" or is_open(entry))

    def identifier_questions(self, entry: ReferenceEntry) -> Sequence[IdentifierQuestion]:
        """By DOI, that of an arXiv number, or PubMed number: these cost nothing."""
        doi, arxiv, pmid = entry_doi(entry), entry_arxiv(entry), entry_pmid(entry)
        if doi is None and arxiv:
            doi = f"10.48550/arXiv.{arxiv}"
        asked: list[IdentifierQuestion] = []
        for identifier, prefix, field in ((doi, "doi", "DOI"), (pmid, "pmid", "PMID")):
            if identifier:
                question = ServiceQuestion(
                    words=identifier,
                    path=f"works/{prefix}:{quote(identifier, safe='/')}",
                    parameters={"select": FIELDS},
                    none_on_404=True,
                )
                asked.append(
                    IdentifierQuestion(question=question, identifier=identifier, field=field)
                )
        return asked

    def title_questions(self, entry: ReferenceEntry) -> Sequence[ServiceQuestion]:
        """By title, with a key."""
        words = search_words(entry.title or "")
        if not words or not self._searches():
            return ()
        parameters = {
            "filter": f"title.search:{words}",
            "per-page": str(ROWS),
            "select": FIELDS,
        }
        return (ServiceQuestion(words=words, path="works", parameters=parameters),)

    def read_record(self, body: bytes) -> list[JsonDict]:
        """The work itself."""
        return [_read_work(read_json(body))]

    def read_search(self, body: bytes) -> list[JsonDict]:
        """The works of `results`."""
        answer = read_json(body)
        count = as_object(answer.get("meta")).get("count")
        return [_read_work(work) for work in read_list(answer.get("results"), count, "works")]

    def _searches(self) -> bool:
        return self.name in self._client.keys


def _read_work(work: JsonDict) -> JsonDict:
    link = as_text(work.get("id"))
    title, is_marked = without_mark(as_text(work.get("display_name")) or as_text(work.get("title")))
    if not link or not (title or work.get("doi")):
        raise UnexpectedAnswer("answered with something that is not a work")
    doi = as_text(work.get("doi")).removeprefix("https://doi.org/")
    biblio, ids = as_object(work.get("biblio")), as_object(work.get("ids"))
    first, last = as_text(biblio.get("first_page")), as_text(biblio.get("last_page"))
    source = as_object(as_object(work.get("primary_location")).get("source"))
    authors = [
        as_text(as_object(authorship.get("author")).get("display_name"))
        or as_text(authorship.get("raw_author_name"))
        for authorship in as_objects(work.get("authorships"))
    ]
    kind = as_text(work.get("type"))
    year = as_year(work.get("publication_year"))
    is_retracted = work.get("is_retracted") is True or is_marked
    fields: JsonDict = {
        "id": link,
        "type": _TYPES.get(kind, kind),
        "title": title,
        "author": [person_or_body(name) for name in authors if name],
        "issued": issued_on(as_text(work.get("publication_date"))) or issued(year),
        "container-title": as_text(source.get("display_name")),
        "volume": as_text(biblio.get("volume")),
        "issue": as_text(biblio.get("issue")),
        "page": f"{first}-{last}" if first and last and first != last else first,
        "DOI": doi,
        "PMID": as_text(ids.get("pmid")).rstrip("/").rpartition("/")[2],
        "URL": link,
    }
    custom: JsonDict = {
        "years": [year] if year else [],
        "retraction": gravest([retraction("retracted", "openalex")] if is_retracted else []),
        "about": _ABOUT.get(kind),
    }
    return build_record("openalex", fields, custom)
