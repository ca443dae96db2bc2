"""Open Library: books."""

from collections.abc import Sequence

from workbench.records.bibliography import ReferenceEntry
from workbench.records.text import JsonDict
from workbench.sources.indexes.client import ServiceQuestion, UnexpectedAnswer
from workbench.sources.indexes.identifiers import entry_isbn
from workbench.sources.indexes.json_fields import (
    as_text,
    as_texts,
    as_year,
    build_record,
    issued,
    join_subtitle,
    read_json,
    read_list,
)
from workbench.sources.indexes.names import person_or_body
from workbench.sources.indexes.scope import is_open, work_type
from workbench.sources.indexes.service_index import IdentifierQuestion, ServiceIndex
from workbench.sources.indexes.title_words import first_author, is_short, search_words

ROWS = 4
FIELDS = "key,title,subtitle,author_name,first_publish_year,publish_year,publisher,isbn"
_MOST_NUMBERS = 40
"""Of a classic's hundreds of editions."""


class OpenLibraryIndex(ServiceIndex):
    """Open Library's works by ISBN, else by title."""

    name = "open_library"
    description = "Books in all their editions."

    def covers(self, entry: ReferenceEntry) -> bool:
        """Books; not their chapters."""
        return work_type(entry) == "book" or is_open(entry)

    def identifier_questions(self, entry: ReferenceEntry) -> Sequence[IdentifierQuestion]:
        """By ISBN."""
        isbn = entry_isbn(entry)
        if isbn is None:
            return ()
        question = _search(isbn, {"isbn": isbn})
        return (IdentifierQuestion(question=question, identifier=isbn, field="isbns"),)

    def title_questions(self, entry: ReferenceEntry) -> Sequence[ServiceQuestion]:
        """By title; without its subtitle where the whole finds nothing, as many records lack it."""
        words, author = search_words(entry.title or ""), first_author(entry)
        if not words:
            return ()
        main = search_words((entry.title or "").partition(":")[0])
        searches = [_search(words, {"title": words})]
        if author and is_short(words):
            searches.insert(0, _search(f"{words}, {author}", {"title": words, "author": author}))
        if main and main != words:
            sent = f"{main}, {author}" if author else main
            narrowed = {"title": main, "author": author} if author else {"title": main}
            searches.append(_search(sent, narrowed))
        return searches

    def read_record(self, body: bytes) -> list[JsonDict]:
        """The work of an ISBN."""
        return self.read_search(body)[:1]

    def read_search(self, body: bytes) -> list[JsonDict]:
        """The works of `docs`."""
        answer = read_json(body)
        count = answer.get("numFound", answer.get("num_found"))
        return [_read_book(work) for work in read_list(answer.get("docs"), count, "books")]


def _search(words: str, parameters: dict[str, str]) -> ServiceQuestion:
    return ServiceQuestion(
        words=words,
        path="search.json",
        parameters={**parameters, "fields": FIELDS, "limit": str(ROWS)},
    )


def _read_book(work: JsonDict) -> JsonDict:
    key, main = as_text(work.get("key")), as_text(work.get("title"))
    if not key or not main:
        raise UnexpectedAnswer("answered with something that is not a book")
    title = join_subtitle(main, as_text(work.get("subtitle")))
    first_year = as_year(work.get("first_publish_year"))
    listed = work.get("publish_year")
    years = {as_year(year) for year in listed} if isinstance(listed, list) else set()
    isbns = as_texts(work.get("isbn"))
    fields: JsonDict = {
        "id": key,
        "type": "book",
        "title": title,
        "author": [person_or_body(name) for name in as_texts(work.get("author_name"))],
        "issued": issued(first_year),
        "publisher": as_text(work.get("publisher")),
        "ISBN": isbns[0] if isbns else "",
        "URL": f"https://openlibrary.org{key}",
    }
    custom: JsonDict = {
        "titles": [main] if main != title else [],
        "years": sorted({year for year in (first_year, *years) if year})[-_MOST_NUMBERS:],
        "venues": as_texts(work.get("publisher"))[:_MOST_NUMBERS],
        "isbns": isbns[:_MOST_NUMBERS],
    }
    return build_record("open_library", fields, custom)
