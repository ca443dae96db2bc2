"""Crossref: journals, proceedings, chapters and books of most publishers."""

import re
from collections.abc import Sequence
from urllib.parse import quote

from workbench.records.bibliography import ReferenceEntry, WorkType
from workbench.records.text import Json, JsonDict
from workbench.sources.indexes.client import ServiceQuestion, UnexpectedAnswer
from workbench.sources.indexes.identifiers import entry_doi, is_datacite_doi, same_doi
from workbench.sources.indexes.json_fields import (
    as_object,
    as_objects,
    as_text,
    as_texts,
    build_record,
    issued,
    join_subtitle,
    read_json,
    read_list,
)
from workbench.sources.indexes.names import person
from workbench.sources.indexes.retractions import (
    KINDS,
    gravest,
    retraction,
    update_date,
    updates,
    without_mark,
)
from workbench.sources.indexes.scope import (
    SCHOLARLY,
    is_open,
    is_preprint,
    is_without_doi,
    work_type,
)
from workbench.sources.indexes.service_index import IdentifierQuestion, ServiceIndex
from workbench.sources.indexes.title_words import first_author, fitting_title, is_short

ROWS = 5
TYPES: dict[str, WorkType] = {
    "journal-article": "article-journal",
    "proceedings-article": "paper-conference",
    "book-chapter": "chapter",
    "book-section": "chapter",
    "reference-entry": "chapter",
    "book-part": "chapter",
    "book": "book",
    "monograph": "book",
    "edited-book": "book",
    "reference-book": "book",
    "proceedings": "book",
    "posted-content": "article",
    "report": "report",
    "report-component": "report",
    "dissertation": "thesis",
    "dataset": "dataset",
    "standard": "standard",
}
"""Crossref's types by their CSL names; doi.org gives these already."""
_DATES = ("issued", "published", "published-print", "published-online", "posted")
_VERSIONS = ("is-preprint-of", "has-preprint", "is-version-of", "has-version", "is-same-as")


class CrossrefIndex(ServiceIndex):
    """Crossref's works by DOI, else by title."""

    name = "crossref"
    description = "Journal articles, proceedings, chapters and books that publishers register."

    def covers(self, entry: ReferenceEntry) -> bool:
        """Scholarly works with DOIs, but for arXiv's and repositories', which have other agencies.

        Books too: most of the academic ones are here, with or without a DOI in the entry.
        """
        doi = entry_doi(entry)
        if is_preprint(entry) or is_without_doi(entry) or (doi and is_datacite_doi(doi)):
            return False
        kind = work_type(entry)
        return doi is not None or kind in SCHOLARLY or kind == "book" or is_open(entry)

    def identifier_questions(self, entry: ReferenceEntry) -> Sequence[IdentifierQuestion]:
        """By DOI, unless another agency has it."""
        doi = entry_doi(entry)
        if doi is None or is_datacite_doi(doi):
            return ()
        path = f"works/{quote(doi, safe='')}"
        question = ServiceQuestion(words=doi, path=path, none_on_404=True)
        return (IdentifierQuestion(question=question, identifier=doi, field="DOI"),)

    def title_questions(self, entry: ReferenceEntry) -> Sequence[ServiceQuestion]:
        """By title; a short one with its first author before it is tried alone."""
        if not entry.title:
            return ()
        title, author = fitting_title(entry.title), first_author(entry)
        parameters = {"query.title": title, "rows": str(ROWS)}
        alone = ServiceQuestion(words=title, path="works", parameters=parameters)
        if not (author and is_short(title)):
            return (alone,)
        both = ServiceQuestion(
            words=f"{title}, {author}",
            path="works",
            parameters={**parameters, "query.author": author},
        )
        return (both, alone)

    def read_record(self, body: bytes) -> list[JsonDict]:
        """The work of `message`."""
        return [read_work(self.name, _message(body))]

    def read_search(self, body: bytes) -> list[JsonDict]:
        """The works of `message.items`, each with what the notices among them say of it."""
        message = _message(body)
        works = read_list(message.get("items"), message.get("total-results"), "works")
        named = [work for work in works if work.get("title") or not work.get("DOI")]
        records = [read_work(self.name, work) for work in named]
        for work in works:
            for update in as_objects(work.get("update-to")):
                kind = KINDS.get(as_text(update.get("type")))
                if kind is None:
                    continue
                notice = as_text(work.get("DOI"))
                fact = retraction(kind, self.name, date=update_date(update), notice=notice)
                records = [_told(record, as_text(update.get("DOI")), fact) for record in records]
        return records


def _message(body: bytes) -> JsonDict:
    answer = read_json(body)
    if answer.get("status", "ok") != "ok":
        raise UnexpectedAnswer("answered that it failed")
    return as_object(answer.get("message"))


def read_work(index: str, work: JsonDict) -> JsonDict:
    """The CSL-JSON item of a Crossref work, or of doi.org's rendering of one.

    Raises:
        UnexpectedAnswer: It is no work: it has neither a title nor a DOI.
    """
    doi, subtitle = as_text(work.get("DOI")), as_text(work.get("subtitle"))
    first_title, is_marked = without_mark(as_text(work.get("title")))
    if not first_title and not doi:
        raise UnexpectedAnswer("answered with something that is not a work")
    title = join_subtitle(first_title, subtitle)
    titles = [first_title] if first_title != title else []
    for name in ("title", "original-title", "short-title", "title-short"):
        titles += [text for text in as_texts(work.get(name)) if text not in (*titles, title)]
    years = sorted({year for name in _DATES if (year := _year(work.get(name)))})
    facts = updates(work.get("updated-by"), index)
    if is_marked:
        facts.append(retraction("retracted", index))
    kind = as_text(work.get("type"))
    relations = as_object(work.get("relation"))
    fields: JsonDict = {
        "id": doi,
        "type": TYPES.get(kind, kind),
        "title": title,
        "author": [*_authors(work.get("author"))],
        "editor": [*_authors(work.get("editor"))],
        "issued": _first_date(work),
        "container-title": as_text(work.get("container-title")),
        "container-title-short": as_text(
            work.get("short-container-title") or work.get("container-title-short")
        ),
        "publisher": as_text(work.get("publisher")),
        "volume": as_text(work.get("volume")),
        "issue": as_text(work.get("issue")),
        "page": as_text(work.get("page") or work.get("article-number")),
        "number": as_text(work.get("article-number")),
        "DOI": doi,
        "ISBN": " ".join(_isbns(work.get("ISBN"))),
        "PMID": as_text(work.get("PMID")),
        "URL": as_text(work.get("URL")) or (f"https://doi.org/{doi}" if doi else ""),
    }
    custom: JsonDict = {
        "titles": titles,
        "years": years,
        "venues": as_texts(work.get("short-container-title") or work.get("container-title-short")),
        "dois": [
            as_text(other.get("id"))
            for name in _VERSIONS
            for other in as_objects(relations.get(name))
            if as_text(other.get("id-type")) == "doi"
        ],
        "retraction": gravest(facts),
        "about": _about(work, relations),
    }
    return build_record(index, fields, custom)


def _about(work: JsonDict, relations: JsonDict) -> str | None:
    """What kind of text about another work it is; None for a work of its own."""
    if as_text(work.get("type")) == "peer-review" or relations.get("is-review-of"):
        return "review"
    kinds = [KINDS.get(as_text(update.get("type"))) for update in as_objects(work.get("update-to"))]
    if "retracted" in kinds or "concern" in kinds:
        return "notice"
    return "correction" if "corrected" in kinds else None


def _told(record: JsonDict, doi: str, fact: JsonDict) -> JsonDict:
    """The record with what a notice says of it, where the notice is about it."""
    if not doi or not same_doi(doi, as_text(record.get("DOI"))):
        return record
    custom = as_object(record.get("custom"))
    known = as_objects(custom.get("retraction"))
    return {**record, "custom": {**custom, "retraction": gravest([*known, fact])}}


def _authors(value: Json) -> list[JsonDict]:
    """Persons, and bodies by their name."""
    authors: list[JsonDict] = []
    for author in as_objects(value):
        body = as_text(author.get("name")) or as_text(author.get("literal"))
        family, given = as_text(author.get("family")), as_text(author.get("given"))
        particle = as_text(author.get("non-dropping-particle"))
        if family or given:
            name = person(f"{particle} {family}", given)
            suffix = as_text(author.get("suffix"))
            authors.append({**name, "suffix": suffix} if suffix else name)
        elif body:
            authors.append({"literal": body})
    return authors


def _first_date(work: JsonDict) -> JsonDict | None:
    """`issued` before the other dates; that of the deposit only where there is no other."""
    for name in (*_DATES, "created"):
        parts = _parts(work.get(name))
        if parts:
            return issued(*parts)
    return None


def _year(value: Json) -> int | None:
    parts = _parts(value)
    return parts[0] if parts else None


def _parts(value: Json) -> list[int]:
    listed = as_object(value).get("date-parts")
    first = listed[0] if isinstance(listed, list) and listed else None
    parts: list[int] = []
    for part in first if isinstance(first, list) else []:
        text = as_text(part)
        if not re.fullmatch(r"\d{1,4}", text):
            break
        parts.append(int(text))
    return parts


def _isbns(value: Json) -> list[str]:
    return [re.sub(r"[^\dXx]", "", isbn.rpartition("/")[2]) for isbn in as_texts(value)]
