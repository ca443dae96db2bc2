"""Who gives works their numbers: DOIs by doi.org, Crossref and DataCite, and those of arXiv."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING
from urllib.parse import quote

from workbench.records.bibliography import ReferenceEntry, WorkType
from workbench.records.text import Json, JsonDict
from workbench.sources.indexes.client import ServiceQuestion, UnexpectedAnswer
from workbench.sources.indexes.fields import (
    KINDS,
    as_object,
    as_objects,
    as_text,
    as_texts,
    as_year,
    build_record,
    gravest,
    issued,
    issued_on,
    join_subtitle,
    known_years,
    people,
    person,
    person_or_body,
    plain_text,
    read_json,
    read_list,
    retraction,
    texts_at,
    update_date,
    updates,
    value_at,
    without_mark,
)
from workbench.sources.indexes.service_index import (
    SCHOLARLY,
    ServiceIndex,
    entry_arxiv,
    entry_doi,
    fitting_title,
    is_datacite_doi,
    is_open,
    is_preprint,
    is_short,
    is_without_doi,
    same_doi,
    telling_words,
    title_searches,
    work_type,
)

if TYPE_CHECKING:
    from lxml.etree import _Element  # type: ignore[import-untyped]

CROSSREF_ROWS, DATACITE_ROWS, ARXIV_ROWS = 5, 4, 4
_OFTEN_UNREGISTERED = re.compile(r"/(?:j\.)?(?:cnki|issn)\b", re.IGNORECASE)
"""DOIs that Chinese journals print and that their agencies do not pass on: that doi.org does not
know one says nothing of the work."""
_CROSSREF_TYPES: dict[str, WorkType] = {
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
_CROSSREF_DATES = ("issued", "published", "published-print", "published-online", "posted")
_CROSSREF_VERSIONS = (
    "is-preprint-of", "has-preprint", "is-version-of", "has-version", "is-same-as",
)  # fmt: skip
_DATACITE_TYPES: dict[str, WorkType] = {
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
_DATACITE_VERSIONS = (
    "IsVersionOf", "HasVersion", "IsVariantFormOf", "IsIdenticalTo", "IsPreviousVersionOf",
)  # fmt: skip


class DoiIndex(ServiceIndex):
    """Every DOI, whichever agency registered it, as CSL-JSON by content negotiation."""

    name = "doi"
    description = "Every registered DOI: articles, books, data sets and preprints of all agencies."

    def covers(self, entry: ReferenceEntry) -> bool:
        """Entries with a DOI."""
        doi = entry_doi(entry)
        return doi is not None and not _OFTEN_UNREGISTERED.search(doi)

    def identifier_questions(self, entry: ReferenceEntry) -> Sequence[ServiceQuestion]:
        """By DOI; its 404 is the resolver's own word that there is no such DOI."""
        doi = entry_doi(entry)
        if doi is None:
            return ()
        question = ServiceQuestion(
            words=doi, path=quote(doi, safe="/"), none_on_404=True, field="DOI",
            authority=not _OFTEN_UNREGISTERED.search(doi),
        )  # fmt: skip
        return (question,)

    def read_work(self, work: JsonDict) -> JsonDict:
        """The CSL-JSON item, its titles, dates and updates read as Crossref's."""
        doi, subtitle = as_text(work.get("DOI")), as_text(work.get("subtitle"))
        first_title, is_marked = without_mark(as_text(work.get("title")))
        if not first_title and not doi:
            raise UnexpectedAnswer("answered with something that is not a work")
        title = join_subtitle(first_title, subtitle)
        titles: list[Json] = [first_title] if first_title != title else []
        for name in ("title", "original-title", "short-title", "title-short"):
            titles += [text for text in as_texts(work.get(name)) if text not in (*titles, title)]
        dates = [parts for name in _CROSSREF_DATES if (parts := _parts(work.get(name)))]
        # that of the deposit only where there is no other
        first_date = (dates or [_parts(work.get("created"))])[0]
        facts = updates(work.get("updated-by"), self.name)
        if is_marked:
            facts.append(retraction("retracted", self.name))
        kind = as_text(work.get("type"))
        short = work.get("short-container-title") or work.get("container-title-short")
        isbns = (isbn.rpartition("/")[2] for isbn in as_texts(work.get("ISBN")))
        relations = as_object(work.get("relation"))
        fields: JsonDict = {
            "id": doi,
            "type": _CROSSREF_TYPES.get(kind, kind),
            "title": title,
            "author": _crossref_authors(work.get("author")),
            "editor": _crossref_authors(work.get("editor")),
            "issued": issued(*first_date),
            "container-title": as_text(work.get("container-title")),
            "container-title-short": as_text(short),
            **texts_at(work, "publisher volume issue"),
            "page": as_text(work.get("page") or work.get("article-number")),
            "number": as_text(work.get("article-number")),
            "DOI": doi,
            "ISBN": " ".join(re.sub(r"[^\dXx]", "", isbn) for isbn in isbns),
            "PMID": as_text(work.get("PMID")),
            "URL": as_text(work.get("URL")) or (f"https://doi.org/{doi}" if doi else ""),
        }
        custom: JsonDict = {
            "titles": titles,
            "years": known_years(*(parts[0] for parts in dates)),
            "venues": [*as_texts(short)],
            "dois": [
                as_text(other.get("id"))
                for name in _CROSSREF_VERSIONS
                for other in as_objects(relations.get(name))
                if as_text(other.get("id-type")) == "doi"
            ],
            "retraction": gravest(facts),
            "about": _about(work, relations),
        }
        return build_record(self.name, fields, custom)


class CrossrefIndex(DoiIndex):
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

    def identifier_questions(self, entry: ReferenceEntry) -> Sequence[ServiceQuestion]:
        """By DOI, unless another agency has it."""
        doi = entry_doi(entry)
        if doi is None or is_datacite_doi(doi):
            return ()
        path = f"works/{quote(doi, safe='')}"
        return (ServiceQuestion(words=doi, path=path, none_on_404=True, field="DOI"),)

    def title_questions(self, title: str, author: str) -> Sequence[ServiceQuestion]:
        """By title; a short one with its first author before it is tried alone."""
        title = fitting_title(title)
        parameters = {"query.title": title, "rows": str(CROSSREF_ROWS)}
        alone = ServiceQuestion(words=title, path="works", parameters=parameters)
        if not (author and is_short(title)):
            return (alone,)
        parameters = {**parameters, "query.author": author}
        both = ServiceQuestion(words=f"{title}, {author}", path="works", parameters=parameters)
        return (both, alone)

    def read_record(self, body: bytes) -> list[JsonDict]:
        """The work of `message`."""
        return [self.read_work(_message(body))]

    def read_search(self, body: bytes) -> list[JsonDict]:
        """The works of `message.items`, each with what the notices among them say of it."""
        message = _message(body)
        works = read_list(message.get("items"), message.get("total-results"), "works")
        named = [work for work in works if work.get("title") or not work.get("DOI")]
        records = [self.read_work(work) for work in named]
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


def _crossref_authors(value: Json) -> list[Json]:
    """Persons, and bodies by their name."""
    authors: list[Json] = []
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


def _parts(value: Json) -> list[int]:
    """The year, month and day of a date, as far as they are numbers."""
    listed = as_object(value).get("date-parts")
    first = listed[0] if isinstance(listed, list) and listed else None
    parts: list[int] = []
    for part in first if isinstance(first, list) else []:
        text = as_text(part)
        if not re.fullmatch(r"\d{1,4}", text):
            break
        parts.append(int(text))
    return parts


class DataciteIndex(ServiceIndex):
    """DataCite's DOIs, else its titles."""

    name = "datacite"
    description = (
        "Data sets, software, theses and preprints that repositories register, arXiv's too."
    )
    record_at = listed_at = "data"
    count_at, listed = "meta.total", "works"

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

    def identifier_questions(self, entry: ReferenceEntry) -> Sequence[ServiceQuestion]:
        """By DOI; an arXiv number has one."""
        doi, arxiv = entry_doi(entry), entry_arxiv(entry)
        if arxiv and (doi is None or not is_datacite_doi(doi)):
            doi = f"10.48550/arXiv.{arxiv}"
        if doi is None:
            return ()
        path = f"dois/{quote(doi, safe='/')}"
        return (ServiceQuestion(words=doi, path=path, none_on_404=True, field="DOI"),)

    def title_questions(self, title: str, author: str) -> Sequence[ServiceQuestion]:
        """By the words of the title, all of which have to occur."""
        words = telling_words(title)
        if not words:
            return ()
        search = " AND ".join(f'titles.title:"{word}"' for word in words)
        parameters = {"query": search, "page[size]": str(DATACITE_ROWS)}
        return (ServiceQuestion(words=" ".join(words), path="dois", parameters=parameters),)

    def read_work(self, work: JsonDict) -> JsonDict:
        """The item of a work's `attributes`."""
        facts = as_object(work.get("attributes"))
        doi = as_text(facts.get("doi")) or as_text(work.get("id"))
        if not doi or not facts:
            raise UnexpectedAnswer("answered with something that is not a work")
        titles = as_objects(facts.get("titles"))
        main = [as_text(known.get("title")) for known in titles if not known.get("titleType")]
        subtitles = [
            as_text(known.get("title"))
            for known in titles
            if as_text(known.get("titleType")) == "Subtitle"
        ]
        whole = (main or [""])[0] or (as_text(titles[0].get("title")) if titles else "")
        title = join_subtitle(whole, (subtitles or [""])[0])
        year = as_year(facts.get("publicationYear"))
        kind = as_text(value_at(facts, "types.resourceTypeGeneral")).lower()
        first, last = (
            as_text(value_at(facts, f"container.{end}Page")) for end in ("first", "last")
        )
        arxiv = doi[len("10.48550/arxiv.") :] if doi.lower().startswith("10.48550/arxiv.") else ""
        citeproc = as_text(value_at(facts, "types.citeproc"))
        publisher = facts.get("publisher")
        fields: JsonDict = {
            "id": doi,
            "type": "article" if arxiv else _DATACITE_TYPES.get(kind, citeproc),
            "title": title,
            "author": _creators(facts.get("creators")),
            "issued": issued(year),
            "container-title": as_text(value_at(facts, "container.title")),
            "publisher": as_text(value_at(publisher, "name")) or as_text(publisher),
            **texts_at(facts, "volume=container.volume issue=container.issue"),
            "page": f"{first}-{last}" if first and last else first,
            "version": as_text(facts.get("version")),
            "DOI": doi,
            "URL": f"https://doi.org/{doi}",
        }
        years = [as_year(date.get("date")) for date in as_objects(facts.get("dates"))]
        custom: JsonDict = {
            "titles": [text for t in titles if (text := as_text(t.get("title"))) != title],
            "years": known_years(year, *years),
            "dois": [
                as_text(other.get("relatedIdentifier"))
                for other in as_objects(facts.get("relatedIdentifiers"))
                if as_text(other.get("relationType")) in _DATACITE_VERSIONS
                and as_text(other.get("relatedIdentifierType")) == "DOI"
            ],
            "arxiv": arxiv,
            "link": as_text(facts.get("url")),
        }
        return build_record(self.name, fields, custom)


def _creators(value: Json) -> list[Json]:
    creators: list[Json] = []
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


class ArxivIndex(ServiceIndex):
    """arXiv's preprints, as an Atom feed, by number, else by title."""

    name = "arxiv"
    description = "Preprints in physics, mathematics, computer science and neighboring fields."
    _ATOM = "{http://www.w3.org/2005/Atom}"
    _OWN = "{http://arxiv.org/schemas/atom}"
    _WITHDRAWN = re.compile(
        r"(?:this )?(?:paper|article|submission|manuscript)?\s*(?:has been |is )?withdrawn", re.I
    )

    def covers(self, entry: ReferenceEntry) -> bool:
        """Entries with an arXiv number or venue, and those that may be bare preprints."""
        return is_preprint(entry) or (is_open(entry) and not entry.venue)

    def identifier_questions(self, entry: ReferenceEntry) -> Sequence[ServiceQuestion]:
        """By number, without its version: the newest one is returned."""
        number = entry_arxiv(entry)
        if number is None:
            return ()
        question = ServiceQuestion(
            words=number, path="api/query", parameters={"id_list": number, "max_results": "1"},
            field="arxiv", authority=True,
        )  # fmt: skip
        return (question,)

    def title_questions(self, title: str, author: str) -> Sequence[ServiceQuestion]:
        """By title, a short one with its first author first; then by half of its words.

        Each word on its own: a phrase would have to be spelled as arXiv does, hyphens and all.
        """
        words = " ".join(telling_words(title))
        questions = []
        for part, by in title_searches(title, words, author, short=is_short(title)):
            search = " AND ".join(f'ti:"{word}"' for word in part.split())
            search += f' AND au:"{by}"' if by else ""
            sent = f"{part}, {by}" if by else part
            parameters = {"search_query": search, "max_results": str(ARXIV_ROWS)}
            questions.append(ServiceQuestion(words=sent, path="api/query", parameters=parameters))
        return questions

    def read_record(self, body: bytes) -> list[JsonDict]:
        """The entry of the feed."""
        return self.read_search(body)

    def read_search(self, body: bytes) -> list[JsonDict]:
        """The entries of the feed; it says how many there are, so that an empty one can be told."""
        feed = _parse_feed(body)
        entries = feed.findall(f"{self._ATOM}entry")
        for entry in entries:
            if "arxiv.org/api/errors" in _text(entry, f"{self._ATOM}id"):
                raise UnexpectedAnswer("did not understand the query")
        total = _text(feed, "{http://a9.com/-/spec/opensearch/1.1/}totalResults")
        if not entries and total != "0":
            raise UnexpectedAnswer("answered with a feed without a content description")
        return [self._read_entry(entry) for entry in entries]

    def _read_entry(self, entry: "_Element") -> JsonDict:
        link, title, published, updated = (
            _text(entry, self._ATOM + name) for name in ("id", "title", "published", "updated")
        )
        journal, comment, doi = (
            _text(entry, self._OWN + name) for name in ("journal_ref", "comment", "doi")
        )
        match = re.search(r"arxiv\.org/abs/(.+?)(?:v\d+)?$", link)
        if match is None or not title:
            raise UnexpectedAnswer("answered with something that is not a preprint")
        number, is_withdrawn = match[1], self._WITHDRAWN.match(comment)
        authors = entry.findall(f"{self._ATOM}author")
        fields: JsonDict = {
            "id": number,
            "type": "article",
            "title": title,
            "author": people(_text(author, f"{self._ATOM}name") for author in authors),
            "issued": issued_on(published),
            "container-title": "arXiv",
            "number": f"arXiv:{number}",
            "DOI": f"10.48550/arXiv.{number}",
            "URL": f"https://arxiv.org/abs/{number}",
        }
        custom: JsonDict = {
            "years": known_years(*map(as_year, (published[:4], updated[:4], journal))),
            "arxiv": number,
            "dois": [doi] if doi else [],
            "venues": [journal] if journal else [],
            "retraction": retraction("retracted", self.name) if is_withdrawn else None,
        }
        return build_record(self.name, fields, custom)


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
    if feed.tag != "{http://www.w3.org/2005/Atom}feed":
        raise UnexpectedAnswer("answered in an unknown form")
    return feed


def _text(element: "_Element", path: str) -> str:
    child = element.find(path)
    return "" if child is None else plain_text("".join(str(part) for part in child.itertext()))
