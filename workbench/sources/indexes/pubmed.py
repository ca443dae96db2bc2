"""PubMed: biomedical articles, by number or by a search for their title."""

import re
from collections.abc import Sequence

from workbench.records.bibliography import ReferenceEntry
from workbench.records.text import Json, JsonDict
from workbench.sources.indexes.client import Reader, ServiceQuestion, UnexpectedAnswer
from workbench.sources.indexes.identifiers import entry_doi, entry_pmid
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
from workbench.sources.indexes.names import family_with_initials
from workbench.sources.indexes.retractions import gravest, retraction, without_mark
from workbench.sources.indexes.scope import is_biomedical
from workbench.sources.indexes.service_index import IdentifierQuestion, ServiceIndex
from workbench.sources.indexes.title_words import first_author, is_short, search_words, title_halves

ROWS = 4
TOOL = "citation-workbench"
_SEARCH = "entrez/eutils/esearch.fcgi"
_SUMMARY = "entrez/eutils/esummary.fcgi"
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_ABOUT = {
    "Retraction of Publication": "notice",
    "Retraction Notice": "notice",
    "Expression of Concern": "notice",
    "Published Erratum": "correction",
    "Book Review": "review",
}


class PubmedIndex(ServiceIndex):
    """PubMed's articles by number or DOI, else by title."""

    name = "pubmed"
    description = "Articles of biomedical journals."

    def covers(self, entry: ReferenceEntry) -> bool:
        """Entries with a PubMed number, and articles in journals of medicine and biology."""
        return entry_pmid(entry) is not None or is_biomedical(entry)

    def identifier_questions(self, entry: ReferenceEntry) -> Sequence[IdentifierQuestion]:
        """By PubMed number, which only PubMed hands out; a DOI is searched for."""
        pmid, doi = entry_pmid(entry), entry_doi(entry)
        asked: list[IdentifierQuestion] = []
        if pmid:
            asked.append(
                IdentifierQuestion(
                    question=_summary(pmid), identifier=pmid, field="PMID", authority=True
                )
            )
        if doi and '"' not in doi and self.covers(entry):
            question = _search(doi, f'"{doi}"[doi]')
            asked.append(IdentifierQuestion(question=question, identifier=doi, field="DOI"))
        return asked

    def title_questions(self, entry: ReferenceEntry) -> Sequence[ServiceQuestion]:
        """By title, a short one with its first author first; then by half of its words."""
        words, author = search_words(entry.title or ""), first_author(entry)
        if not words:
            return ()
        alone = _search(words, f"{words}[Title]")
        if not author:
            return (alone,)
        halves = [" ".join(half) for half in title_halves(entry.title or "")]
        first = [words] if is_short(words) else []
        with_author = [
            _search(f"{part}, {author}", f"{part}[Title] AND {author}[Author]")
            for part in (*first, *halves)
        ]
        return (*with_author[: len(first)], alone, *with_author[len(first) :])

    async def search(self, question: ServiceQuestion, read: Reader) -> tuple[list[JsonDict], str]:
        """The records of a search: it gives numbers, whose summaries are asked for next."""
        if question.path != _SEARCH:
            return await super().search(question, read)
        numbers, asked_at = await super().search(question, _read_numbers)
        if not numbers:
            return [], asked_at
        listed = ",".join(as_text(number["PMID"]) for number in numbers)
        return await super().search(_summary(listed), read)

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
                records.append(_read_article(article))
        return records

    def read_search(self, body: bytes) -> list[JsonDict]:
        """The summaries of what a search found."""
        return self.read_record(body)


def _search(words: str, term: str) -> ServiceQuestion:
    return ServiceQuestion(
        words=words,
        path=_SEARCH,
        parameters={
            "db": "pubmed", "term": term, "retmode": "json", "retmax": str(ROWS), "tool": TOOL,
        },
    )  # fmt: skip


def _summary(numbers: str) -> ServiceQuestion:
    return ServiceQuestion(
        words=numbers,
        path=_SUMMARY,
        parameters={"db": "pubmed", "id": numbers, "retmode": "json", "tool": TOOL},
    )


def _read_numbers(body: bytes) -> list[JsonDict]:
    result = as_object(read_json(body).get("esearchresult"))
    listed = result.get("idlist")
    if not isinstance(listed, list) or result.get("ERROR"):
        raise UnexpectedAnswer("answered without a list of numbers")
    numbers: list[Json] = [{"PMID": as_text(number)} for number in listed if as_text(number)]
    if not all(number.isdigit() for number in as_texts(listed)) or len(numbers) < len(listed):
        raise UnexpectedAnswer("answered with numbers that are none of its articles'")
    return read_list(numbers, result.get("count"), "numbers")


def _read_article(article: JsonDict) -> JsonDict:
    number = as_text(article.get("uid"))
    title, is_marked = without_mark(as_text(article.get("title")))
    translated = title.startswith("[") and title.rstrip(".").endswith("]")
    title = title.rstrip(".").strip("[]") if translated else title.removesuffix(".")
    if not number or not title:
        raise UnexpectedAnswer("answered with something that is not an article")
    kinds = as_texts(article.get("pubtype"))
    ids = {
        as_text(i.get("idtype")): as_text(i.get("value"))
        for i in as_objects(article.get("articleids"))
    }
    dates = [as_text(article.get(name)) for name in ("pubdate", "epubdate")]
    facts: list[JsonDict] = []
    if "Retracted Publication" in kinds or is_marked:
        facts.append(retraction("retracted", "pubmed", **_notice(article, "retraction in")))
    if _mentions(article, "expression of concern in"):
        facts.append(
            retraction("concern", "pubmed", **_notice(article, "expression of concern in"))
        )
    if _mentions(article, "erratum in"):
        facts.append(retraction("corrected", "pubmed", **_notice(article, "erratum in")))
    fields: JsonDict = {
        "id": number,
        "type": "article-journal",
        "title": title,
        "author": [*_authors(article.get("authors"))],
        "issued": _date(dates[0]) or _date(dates[1]),
        "container-title": as_text(article.get("fulljournalname")),
        "container-title-short": as_text(article.get("source")),
        "volume": as_text(article.get("volume")),
        "issue": as_text(article.get("issue")),
        "page": as_text(article.get("pages")) or as_text(article.get("elocationid")),
        "DOI": ids.get("doi", ""),
        "PMID": number,
        "PMCID": ids.get("pmc", ""),
        "URL": f"https://pubmed.ncbi.nlm.nih.gov/{number}/",
    }
    custom: JsonDict = {
        "titles": as_texts(article.get("vernaculartitle")),
        "venues": as_texts(article.get("source")),
        "years": sorted({year for date in dates if (year := as_year(date))}),
        "retraction": gravest(facts),
        "about": next((_ABOUT[kind] for kind in kinds if kind in _ABOUT), None),
    }
    return build_record("pubmed", fields, custom)


def _mentions(article: JsonDict, kind: str) -> JsonDict | None:
    """A reference of the article to a notice of a kind."""
    for reference in as_objects(article.get("references")):
        if as_text(reference.get("reftype")).lower() == kind:
            return reference
    return None


def _notice(article: JsonDict, kind: str) -> dict[str, str | None]:
    """Where the notice of a kind stands, and of which year it is."""
    reference = _mentions(article, kind) or {}
    number = as_text(reference.get("pmid"))
    year = as_year(reference.get("refsource"))
    return {
        "notice": f"https://pubmed.ncbi.nlm.nih.gov/{number}/" if number else None,
        "date": str(year) if year else None,
    }


def _authors(value: Json) -> list[JsonDict]:
    authors: list[JsonDict] = []
    for author in as_objects(value):
        name = as_text(author.get("name"))
        if name and as_text(author.get("authtype")) == "CollectiveName":
            authors.append({"literal": name})
        elif name:
            authors.append(family_with_initials(name))
    return authors


def _date(text: str) -> JsonDict | None:
    """A CSL date of `1998 Feb 28`."""
    match = re.match(r"(\d{4})(?:\s+([A-Za-z]{3})[A-Za-z]*(?:\s+(\d{1,2}))?)?", text)
    if match is None:
        return None
    month = (match[2] or "").lower()
    number = _MONTHS.index(month) + 1 if month in _MONTHS else None
    return issued(int(match[1]), number, int(match[3]) if match[3] else None)
