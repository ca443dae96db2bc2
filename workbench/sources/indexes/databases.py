"""Databases of works: OpenAlex, Semantic Scholar, PubMed, DBLP and Open Library."""

import re
from collections.abc import Sequence
from urllib.parse import quote

from workbench.records.bibliography import ReferenceEntry, RetractionKind, WorkType
from workbench.records.text import Json, JsonDict
from workbench.sources.indexes.client import Reader, ServiceQuestion, UnexpectedAnswer
from workbench.sources.indexes.fields import (
    as_object,
    as_objects,
    as_text,
    as_texts,
    as_year,
    build_record,
    family_with_initials,
    gravest,
    issued,
    issued_on,
    join_subtitle,
    known_years,
    people,
    read_json,
    read_list,
    retraction,
    texts_at,
    value_at,
    without_mark,
)
from workbench.sources.indexes.service_index import (
    SCHOLARLY,
    ServiceIndex,
    entry_arxiv,
    entry_doi,
    entry_isbn,
    entry_pmid,
    fitting_title,
    is_biomedical,
    is_computing,
    is_open,
    is_short,
    search_words,
    title_searches,
    work_type,
)

ROWS = 4
DBLP_ROWS = 5


class OpenalexIndex(ServiceIndex):
    """Scholarly works of every kind, gathered from Crossref, repositories and PubMed.

    By DOI or PubMed number; by title with a key.
    """

    name = "openalex"
    description = "Scholarly works of all kinds, from publishers, repositories and libraries."
    listed_at, count_at, listed = "results", "meta.count", "works"
    _FIELDS = (
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

    def covers(self, entry: ReferenceEntry) -> bool:
        """Works with a DOI; with a key, which its search asks for, scholarly works at large."""
        if entry_doi(entry) or entry_arxiv(entry):
            return True
        kind = work_type(entry)
        scholarly = kind in SCHOLARLY or kind == "book" or is_open(entry)
        return scholarly and self.name in self._client.keys

    def identifier_questions(self, entry: ReferenceEntry) -> Sequence[ServiceQuestion]:
        """By DOI, that of an arXiv number, or PubMed number: these cost nothing."""
        doi, arxiv = entry_doi(entry), entry_arxiv(entry)
        if doi is None and arxiv:
            doi = f"10.48550/arXiv.{arxiv}"
        return [
            ServiceQuestion(
                words=number, path=f"works/{field.lower()}:{quote(number, safe='/')}",
                parameters={"select": self._FIELDS}, none_on_404=True, field=field,
            )
            for number, field in ((doi, "DOI"), (entry_pmid(entry), "PMID"))
            if number
        ]  # fmt: skip

    def title_questions(self, title: str, author: str) -> Sequence[ServiceQuestion]:
        """By title, with a key."""
        words = search_words(title)
        if not words or self.name not in self._client.keys:
            return ()
        parameters = {
            "filter": f"title.search:{words}", "per-page": str(ROWS), "select": self._FIELDS,
        }  # fmt: skip
        return (ServiceQuestion(words=words, path="works", parameters=parameters),)

    def read_work(self, work: JsonDict) -> JsonDict:
        """The item of a work."""
        link = as_text(work.get("id"))
        title, is_marked = without_mark(
            as_text(work.get("display_name")) or as_text(work.get("title"))
        )
        if not link or not (title or work.get("doi")):
            raise UnexpectedAnswer("answered with something that is not a work")
        first, last = (as_text(value_at(work, f"biblio.{end}_page")) for end in ("first", "last"))
        kind = as_text(work.get("type"))
        year = as_year(work.get("publication_year"))
        is_retracted = work.get("is_retracted") is True or is_marked
        fields: JsonDict = {
            "id": link,
            "type": self._TYPES.get(kind, kind),
            "title": title,
            "author": people(
                as_text(value_at(one, "author.display_name")) or as_text(one.get("raw_author_name"))
                for one in as_objects(work.get("authorships"))
            ),
            "issued": issued_on(as_text(work.get("publication_date"))) or issued(year),
            "container-title": as_text(value_at(work, "primary_location.source.display_name")),
            **texts_at(work, "volume=biblio.volume issue=biblio.issue"),
            "page": f"{first}-{last}" if first and last and first != last else first,
            "DOI": as_text(work.get("doi")).removeprefix("https://doi.org/"),
            "PMID": as_text(value_at(work, "ids.pmid")).rstrip("/").rpartition("/")[2],
            "URL": link,
        }
        custom: JsonDict = {
            "years": known_years(year),
            "retraction": retraction("retracted", self.name) if is_retracted else None,
            "about": self._ABOUT.get(kind),
        }
        return build_record(self.name, fields, custom)


class SemanticScholarIndex(ServiceIndex):
    """Papers of all fields by DOI, arXiv or PubMed number, else the best match of a title."""

    name = "semantic_scholar"
    description = "Papers of all fields: articles, proceedings and preprints."
    listed_at, count_at, listed = "data", "total", "papers"
    _FIELDS = (
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

    def covers(self, entry: ReferenceEntry) -> bool:
        """Articles, papers and preprints; not books."""
        kind = work_type(entry)
        return (kind in SCHOLARLY and kind != "chapter") or is_open(entry)

    def identifier_questions(self, entry: ReferenceEntry) -> Sequence[ServiceQuestion]:
        """By its first number: it knows a paper under each of them, and its pool is small."""
        numbers = (
            ("DOI", entry_doi(entry)), ("arxiv", entry_arxiv(entry)), ("PMID", entry_pmid(entry)),
        )  # fmt: skip
        return [
            ServiceQuestion(
                words=number, path=f"graph/v1/paper/{field.upper()}:{quote(number, safe='/')}",
                parameters={"fields": self._FIELDS}, none_on_404=True, field=field,
            )
            for field, number in numbers
            if number
        ][:1]  # fmt: skip

    def title_questions(self, title: str, author: str) -> Sequence[ServiceQuestion]:
        """The best match of the title."""
        title = fitting_title(title)
        if not title:
            return ()
        question = ServiceQuestion(
            words=title, path="graph/v1/paper/search/match",
            parameters={"query": title, "fields": self._FIELDS}, none_on_404=True,
        )  # fmt: skip
        return (question,)

    def read_work(self, work: JsonDict) -> JsonDict:
        """The item of a paper."""
        number = as_text(work.get("paperId"))
        title, is_marked = without_mark(as_text(work.get("title")))
        if not number or not title:
            raise UnexpectedAnswer("answered with something that is not a paper")
        kinds = as_texts(work.get("publicationTypes"))
        venue = as_text(work.get("venue"))
        venues = [
            as_text(value_at(work, "publicationVenue.name")),
            as_text(value_at(work, "journal.name")),
            venue,
            *as_texts(value_at(work, "publicationVenue.alternate_names")),
        ]
        named = list(dict.fromkeys(filter(None, venues)))
        year = as_year(work.get("year"))
        fields: JsonDict = {
            "id": number,
            "type": next((self._TYPES[kind] for kind in kinds if kind in self._TYPES), ""),
            "title": title,
            "author": people(as_text(one.get("name")) for one in as_objects(work.get("authors"))),
            "issued": issued_on(as_text(work.get("publicationDate"))) or issued(year),
            "container-title": named[0] if named else "",
            "container-title-short": venue,
            **texts_at(
                work,
                "volume=journal.volume page=journal.pages DOI=externalIds.DOI PMID=externalIds.PubMed",
            ),
            "URL": as_text(work.get("url")) or f"https://www.semanticscholar.org/paper/{number}",
        }
        custom: JsonDict = {
            "years": known_years(year),
            "venues": [*named],
            "arxiv": as_text(value_at(work, "externalIds.ArXiv")),
            "retraction": retraction("retracted", self.name) if is_marked else None,
        }
        return build_record(self.name, fields, custom)


class PubmedIndex(ServiceIndex):
    """Biomedical articles by number or DOI, else by a search for their title."""

    name = "pubmed"
    description = "Articles of biomedical journals."
    TOOL = "citation-workbench"
    _SEARCH = "entrez/eutils/esearch.fcgi"
    _ABOUT = {
        "Retraction of Publication": "notice",
        "Retraction Notice": "notice",
        "Expression of Concern": "notice",
        "Published Erratum": "correction",
        "Book Review": "review",
    }

    def covers(self, entry: ReferenceEntry) -> bool:
        """Entries with a PubMed number, and articles in journals of medicine and biology."""
        return entry_pmid(entry) is not None or is_biomedical(entry)

    def identifier_questions(self, entry: ReferenceEntry) -> Sequence[ServiceQuestion]:
        """By PubMed number, which only PubMed hands out; a DOI is searched for."""
        pmid, doi = entry_pmid(entry), entry_doi(entry)
        asked = [self._summary(pmid, "PMID")] if pmid else []
        if doi and '"' not in doi and self.covers(entry):
            asked.append(self._find(doi, f'"{doi}"[doi]', "DOI"))
        return asked

    def title_questions(self, title: str, author: str) -> Sequence[ServiceQuestion]:
        """By title, a short one with its first author first; then by half of its words."""
        words = search_words(title)
        return [
            self._find(f"{part}, {by}", f"{part}[Title] AND {by}[Author]")
            if by
            else self._find(part, f"{part}[Title]")
            for part, by in title_searches(title, words, author, short=is_short(words))
        ]

    def _find(self, words: str, term: str, field: str = "") -> ServiceQuestion:
        parameters = {
            "db": "pubmed", "term": term, "retmode": "json", "retmax": str(ROWS), "tool": self.TOOL,
        }  # fmt: skip
        return ServiceQuestion(words=words, path=self._SEARCH, parameters=parameters, field=field)

    def _summary(self, numbers: str, field: str = "") -> ServiceQuestion:
        return ServiceQuestion(
            words=numbers, path="entrez/eutils/esummary.fcgi", field=field, authority=bool(field),
            parameters={"db": "pubmed", "id": numbers, "retmode": "json", "tool": self.TOOL},
        )  # fmt: skip

    async def search(self, question: ServiceQuestion, read: Reader) -> tuple[list[JsonDict], str]:
        """The records of a search: it gives numbers, whose summaries are asked for next."""
        if question.path != self._SEARCH:
            return await super().search(question, read)
        numbers, asked_at = await super().search(question, _read_numbers)
        if not numbers:
            return [], asked_at
        listed = ",".join(as_text(number["PMID"]) for number in numbers)
        return await super().search(self._summary(listed), read)

    def read_record(self, body: bytes) -> list[JsonDict]:
        """The summaries of `result`; none for a number that PubMed has not given out."""
        result = as_object(read_json(body).get("result"))
        listed = result.get("uids")
        numbers = as_texts(listed)
        if not isinstance(listed, list) or not numbers or len(numbers) < len(listed):
            raise UnexpectedAnswer("answered without a list of articles")
        records: list[JsonDict] = []
        for number in numbers:
            article = as_object(result.get(number))
            problem = as_text(article.get("error"))
            if not article or (problem and "cannot get document" not in problem.lower()):
                raise UnexpectedAnswer("could not look an article up")
            if not problem:
                records.append(self.read_work(article))
        return records

    def read_search(self, body: bytes) -> list[JsonDict]:
        """The summaries of what a search found."""
        return self.read_record(body)

    def read_work(self, work: JsonDict) -> JsonDict:
        """The item of an article's summary."""
        number = as_text(work.get("uid"))
        title, is_marked = without_mark(as_text(work.get("title")))
        translated = title.startswith("[") and title.rstrip(".").endswith("]")
        title = title.rstrip(".").strip("[]") if translated else title.removesuffix(".")
        if not number or not title:
            raise UnexpectedAnswer("answered with something that is not an article")
        kinds = as_texts(work.get("pubtype"))
        ids = {
            as_text(one.get("idtype")): as_text(one.get("value"))
            for one in as_objects(work.get("articleids"))
        }
        dates = [as_text(work.get(name)) for name in ("pubdate", "epubdate")]
        fields: JsonDict = {
            "id": number,
            "type": "article-journal",
            "title": title,
            "author": [
                {"literal": name}
                if as_text(author.get("authtype")) == "CollectiveName"
                else family_with_initials(name)
                for author in as_objects(work.get("authors"))
                if (name := as_text(author.get("name")))
            ],
            "issued": _pubmed_date(dates[0]) or _pubmed_date(dates[1]),
            **texts_at(
                work, "container-title=fulljournalname container-title-short=source volume issue"
            ),
            "page": as_text(work.get("pages")) or as_text(work.get("elocationid")),
            "DOI": ids.get("doi", ""),
            "PMID": number,
            "PMCID": ids.get("pmc", ""),
            "URL": f"https://pubmed.ncbi.nlm.nih.gov/{number}/",
        }
        custom: JsonDict = {
            "titles": [*as_texts(work.get("vernaculartitle"))],
            "venues": [*as_texts(work.get("source"))],
            "years": known_years(*map(as_year, dates)),
            "retraction": gravest(_notices(work, "Retracted Publication" in kinds or is_marked)),
            "about": next((self._ABOUT[kind] for kind in kinds if kind in self._ABOUT), None),
        }
        return build_record(self.name, fields, custom)


def _read_numbers(body: bytes) -> list[JsonDict]:
    result = as_object(read_json(body).get("esearchresult"))
    listed = result.get("idlist")
    if not isinstance(listed, list) or result.get("ERROR"):
        raise UnexpectedAnswer("answered without a list of numbers")
    numbers: list[Json] = [{"PMID": as_text(number)} for number in listed if as_text(number)]
    if not all(number.isdigit() for number in as_texts(listed)) or len(numbers) < len(listed):
        raise UnexpectedAnswer("answered with numbers that are none of its articles'")
    return read_list(numbers, result.get("count"), "numbers")


def _notices(article: JsonDict, is_retracted: bool) -> list[JsonDict]:
    """What an article's references to notices, and its mark as retracted, say of it."""
    kinds: dict[str, RetractionKind] = {
        "retraction in": "retracted",
        "expression of concern in": "concern",
        "erratum in": "corrected",
    }
    references: dict[str, JsonDict] = {}
    for reference in as_objects(article.get("references")):
        references.setdefault(as_text(reference.get("reftype")).lower(), reference)
    facts: list[JsonDict] = []
    for name, kind in kinds.items():
        if is_retracted if kind == "retracted" else references.get(name):
            number = as_text(value_at(references.get(name), "pmid"))
            year = as_year(value_at(references.get(name), "refsource"))
            notice = f"https://pubmed.ncbi.nlm.nih.gov/{number}/" if number else None
            date = str(year) if year else None
            facts.append(retraction(kind, "pubmed", notice=notice, date=date))
    return facts


def _pubmed_date(text: str) -> JsonDict | None:
    """A CSL date of `1998 Feb 28`."""
    match = re.match(r"(\d{4})(?:\s+([A-Za-z]{3})[A-Za-z]*(?:\s+(\d{1,2}))?)?", text)
    if match is None:
        return None
    months = "jan feb mar apr may jun jul aug sep oct nov dec".split()
    month = (match[2] or "").lower()
    number = months.index(month) + 1 if month in months else None
    return issued(int(match[1]), number, int(match[3]) if match[3] else None)


class DblpIndex(ServiceIndex):
    """Journals and proceedings of computer science by title, those without DOIs too."""

    name = "dblp"
    description = "Papers of computer-science conferences and journals, with or without a DOI."
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

    def covers(self, entry: ReferenceEntry) -> bool:
        """Conference papers, and articles in journals of computing."""
        return is_computing(entry) or is_open(entry)

    def title_questions(self, title: str, author: str) -> Sequence[ServiceQuestion]:
        """By the words of the title, a short one with its first author first; then by half of them."""
        words = search_words(title)
        searches = [
            f"{by} {part}".strip()
            for part, by in title_searches(title, words, author, short=is_short(words))
        ]
        parameters = {"format": "json", "h": str(DBLP_ROWS)}
        return [
            ServiceQuestion(words=q, path="search/publ/api", parameters={"q": q, **parameters})
            for q in searches
        ]

    def read_search(self, body: bytes) -> list[JsonDict]:
        """The publications of `result.hits.hit`, which is missing where there are none."""
        result = as_object(read_json(body).get("result"))
        if as_text(value_at(result, "status.@code")) not in ("", "200"):
            raise UnexpectedAnswer("answered that it failed")
        hits = as_object(result.get("hits"))
        total, listed = as_text(hits.get("@total")), hits.get("hit", [])
        if not total.isdigit():
            raise UnexpectedAnswer("answered without a list of publications")
        found = read_list([listed] if isinstance(listed, dict) else listed, total, "publications")
        return [self.read_work(as_object(hit.get("info"))) for hit in found]

    def read_work(self, work: JsonDict) -> JsonDict:
        """The item of a publication."""
        title = as_text(work.get("title")).removesuffix(".")
        if not title:
            raise UnexpectedAnswer("answered with something that is not a publication")
        authors = value_at(work, "authors.author")
        names = [as_text(author.get("text")) for author in as_objects(authors)]
        year = as_year(work.get("year"))
        venue = as_text(work.get("venue"))
        number = re.search(r"abs/([\w./-]+)", as_text(work.get("volume")))
        fields: JsonDict = {
            "id": as_text(work.get("key")),
            "type": "article" if venue == "CoRR" else self._TYPES.get(as_text(work.get("type"))),
            "title": title,
            "author": people(self._HOMONYM.sub("", name) for name in names or as_texts(authors)),
            "issued": issued(year),
            "container-title": venue,
            **texts_at(work, "volume issue=number page=pages publisher DOI=doi URL=url"),
        }
        custom: JsonDict = {
            "years": known_years(year),
            "arxiv": number[1] if number and venue == "CoRR" else "",
            "link": as_text(work.get("ee")),
        }
        return build_record(self.name, fields, custom)


class OpenLibraryIndex(ServiceIndex):
    """Open Library's books by ISBN, else by title."""

    name = "open_library"
    description = "Books in all their editions."
    _FIELDS = "key,title,subtitle,author_name,first_publish_year,publish_year,publisher,isbn"
    _MOST_NUMBERS = 40
    """Of a classic's hundreds of editions."""

    def covers(self, entry: ReferenceEntry) -> bool:
        """Books; not their chapters."""
        return work_type(entry) == "book" or is_open(entry)

    def identifier_questions(self, entry: ReferenceEntry) -> Sequence[ServiceQuestion]:
        """By ISBN."""
        isbn = entry_isbn(entry)
        return (self._find(isbn, {"isbn": isbn}, "isbns"),) if isbn else ()

    def title_questions(self, title: str, author: str) -> Sequence[ServiceQuestion]:
        """By title; without its subtitle where the whole finds nothing, as many records lack it."""
        words, main = search_words(title), search_words(title.partition(":")[0])
        if not words:
            return ()
        searches = [(words, author)] if author and is_short(words) else []
        searches += [(words, ""), *([(main, author)] if main and main != words else [])]
        return [
            self._find(f"{part}, {by}", {"title": part, "author": by})
            if by
            else self._find(part, {"title": part})
            for part, by in searches
        ]

    def _find(self, words: str, parameters: dict[str, str], field: str = "") -> ServiceQuestion:
        parameters = {**parameters, "fields": self._FIELDS, "limit": str(ROWS)}
        return ServiceQuestion(words=words, path="search.json", parameters=parameters, field=field)

    def read_record(self, body: bytes) -> list[JsonDict]:
        """The work of an ISBN."""
        return self.read_search(body)[:1]

    def read_search(self, body: bytes) -> list[JsonDict]:
        """The works of `docs`."""
        answer = read_json(body)
        count = answer.get("numFound", answer.get("num_found"))
        return [self.read_work(work) for work in read_list(answer.get("docs"), count, "books")]

    def read_work(self, work: JsonDict) -> JsonDict:
        """The item of a book."""
        key, main = as_text(work.get("key")), as_text(work.get("title"))
        if not key or not main:
            raise UnexpectedAnswer("answered with something that is not a book")
        title = join_subtitle(main, as_text(work.get("subtitle")))
        first_year, listed = as_year(work.get("first_publish_year")), work.get("publish_year")
        years = map(as_year, listed if isinstance(listed, list) else [])
        isbns = as_texts(work.get("isbn"))
        fields: JsonDict = {
            "id": key,
            "type": "book",
            "title": title,
            "author": people(as_texts(work.get("author_name"))),
            "issued": issued(first_year),
            "publisher": as_text(work.get("publisher")),
            "ISBN": isbns[0] if isbns else "",
            "URL": f"https://openlibrary.org{key}",
        }
        custom: JsonDict = {
            "titles": [main] if main != title else [],
            "years": known_years(first_year, *years)[-self._MOST_NUMBERS :],
            "venues": [*as_texts(work.get("publisher"))[: self._MOST_NUMBERS]],
            "isbns": [*isbns[: self._MOST_NUMBERS]],
        }
        return build_record(self.name, fields, custom)
