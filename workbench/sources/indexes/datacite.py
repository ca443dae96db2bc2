"""DataCite: data sets, software, theses and the preprints of arXiv and other repositories."""

from collections.abc import Sequence
from urllib.parse import quote

from workbench.records.bibliography import ReferenceEntry, WorkType
from workbench.records.text import Json, JsonDict
from workbench.sources.indexes.client import ServiceQuestion, UnexpectedAnswer
from workbench.sources.indexes.identifiers import entry_arxiv, entry_doi, is_datacite_doi
from workbench.sources.indexes.json_fields import (
    as_object,
    as_objects,
    as_text,
    as_year,
    build_record,
    issued,
    join_subtitle,
    read_json,
    read_list,
)
from workbench.sources.indexes.names import person, person_or_body
from workbench.sources.indexes.scope import is_preprint, is_without_doi, work_type
from workbench.sources.indexes.service_index import IdentifierQuestion, ServiceIndex
from workbench.sources.indexes.title_words import telling_words

ROWS = 4
_TYPES: dict[str, WorkType] = {
    "preprint": "article",
    "dataset": "dataset",
    "software": "software",
    "book": "book",
    "bookchapter": "chapter",
    "journalarticle": "article-journal",
    "conferencepaper": "paper-conference",
    "dissertation": "thesis",
    "report": "report",
    "standard": "standard",
}
_VERSIONS = ("IsVersionOf", "HasVersion", "IsVariantFormOf", "IsIdenticalTo", "IsPreviousVersionOf")


class DataciteIndex(ServiceIndex):
    """DataCite's DOIs, else its titles."""

    name = "datacite"
    description = (
        "Data sets, software, theses and preprints that repositories register, arXiv's too."
    )

    def covers(self, entry: ReferenceEntry) -> bool:
        """Data sets, preprints of arXiv, and DOIs of repositories that register here.

        And papers of conferences without DOIs: nearly all are on arXiv under the same title, and a
        second index should miss a paper that the first does not have yet.
        """
        doi = entry_doi(entry)
        if doi is not None:
            return is_datacite_doi(doi)
        is_listed = is_preprint(entry) or is_without_doi(entry)
        return is_listed or work_type(entry) == "dataset"

    def identifier_questions(self, entry: ReferenceEntry) -> Sequence[IdentifierQuestion]:
        """By DOI; an arXiv number has one."""
        doi, arxiv = entry_doi(entry), entry_arxiv(entry)
        if arxiv and (doi is None or not is_datacite_doi(doi)):
            doi = f"10.48550/arXiv.{arxiv}"
        if doi is None:
            return ()
        question = ServiceQuestion(words=doi, path=f"dois/{quote(doi, safe='/')}", none_on_404=True)
        return (IdentifierQuestion(question=question, identifier=doi, field="DOI"),)

    def title_questions(self, entry: ReferenceEntry) -> Sequence[ServiceQuestion]:
        """By the words of the title, all of which have to occur."""
        words = telling_words(entry.title or "")
        if not words:
            return ()
        search = " AND ".join(f'titles.title:"{word}"' for word in words)
        parameters = {"query": search, "page[size]": str(ROWS)}
        return (ServiceQuestion(words=" ".join(words), path="dois", parameters=parameters),)

    def read_record(self, body: bytes) -> list[JsonDict]:
        """The work of `data`."""
        return [_read_work(as_object(read_json(body).get("data")))]

    def read_search(self, body: bytes) -> list[JsonDict]:
        """The works of the list `data`."""
        answer = read_json(body)
        works = read_list(answer.get("data"), as_object(answer.get("meta")).get("total"), "works")
        return [_read_work(work) for work in works]


def _read_work(work: JsonDict) -> JsonDict:
    facts = as_object(work.get("attributes"))
    doi = as_text(facts.get("doi")) or as_text(work.get("id"))
    if not doi or not facts:
        raise UnexpectedAnswer("answered with something that is not a work")
    titles = as_objects(facts.get("titles"))
    main = next((as_text(title.get("title")) for title in titles if not title.get("titleType")), "")
    subtitle = next(
        (as_text(t.get("title")) for t in titles if as_text(t.get("titleType")) == "Subtitle"), ""
    )
    main = main or (as_text(titles[0].get("title")) if titles else "")
    title = join_subtitle(main, subtitle)
    kinds, container = as_object(facts.get("types")), as_object(facts.get("container"))
    publisher = facts.get("publisher")
    publisher_name = as_text(as_object(publisher).get("name")) or as_text(publisher)
    year = as_year(facts.get("publicationYear"))
    other_years = {as_year(date.get("date")) for date in as_objects(facts.get("dates"))}
    kind = as_text(kinds.get("resourceTypeGeneral")).lower()
    first, last = as_text(container.get("firstPage")), as_text(container.get("lastPage"))
    arxiv = doi[len("10.48550/arxiv.") :] if doi.lower().startswith("10.48550/arxiv.") else ""
    fields: JsonDict = {
        "id": doi,
        "type": "article" if arxiv else _TYPES.get(kind, as_text(kinds.get("citeproc"))),
        "title": title,
        "author": [*_creators(facts.get("creators"))],
        "issued": issued(year),
        "container-title": as_text(container.get("title")),
        "publisher": publisher_name,
        "volume": as_text(container.get("volume")),
        "issue": as_text(container.get("issue")),
        "page": f"{first}-{last}" if first and last else first,
        "version": as_text(facts.get("version")),
        "DOI": doi,
        "URL": f"https://doi.org/{doi}",
    }
    custom: JsonDict = {
        "titles": [text for t in titles if (text := as_text(t.get("title"))) != title],
        "years": sorted({known for known in (year, *other_years) if known}),
        "dois": [
            as_text(other.get("relatedIdentifier"))
            for other in as_objects(facts.get("relatedIdentifiers"))
            if as_text(other.get("relationType")) in _VERSIONS
            and as_text(other.get("relatedIdentifierType")) == "DOI"
        ],
        "arxiv": arxiv,
        "link": as_text(facts.get("url")),
    }
    return build_record("datacite", fields, custom)


def _creators(value: Json) -> list[JsonDict]:
    creators: list[JsonDict] = []
    for creator in as_objects(value):
        name = as_text(creator.get("name"))
        family, given = as_text(creator.get("familyName")), as_text(creator.get("givenName"))
        if as_text(creator.get("nameType")) == "Organizational":
            creators.append({"literal": name})
        elif family:
            creators.append(person(family, given))
        elif name:
            creators.append(person_or_body(name))
    return creators
