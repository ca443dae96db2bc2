"""The terms under which the inverted index of a registry holds a work, and those of a search."""

from collections.abc import Iterator

from workbench.records.registries import MatchRoute, RecordKeys


def terms_of_record(keys: RecordKeys) -> Iterator[str]:
    """The terms of a work, each once."""
    yield from identifier_terms(keys)
    if keys.title:
        yield f"title:{keys.title}"
    if keys.main_title and keys.main_title != keys.title:
        yield f"main:{keys.main_title}"
    if keys.author and keys.year is not None:
        yield f"author:{keys.author}:{keys.year}"
    for word in keys.words:
        yield word_term(word)


def routes_of_entry(keys: RecordKeys) -> Iterator[tuple[str, MatchRoute]]:
    """The terms that name a work by themselves, and how; likeliest first."""
    for term in identifier_terms(keys):
        yield term, "identifier"
    if keys.title:
        yield f"title:{keys.title}", "title"
        yield f"main:{keys.title}", "main_title"
    if keys.main_title:
        yield f"title:{keys.main_title}", "main_title"
        yield f"main:{keys.main_title}", "main_title"


def author_terms(keys: RecordKeys) -> list[str]:
    """The terms of works by the first author of an entry in its year, the one before and after."""
    if not keys.author or keys.year is None:
        return []
    return [f"author:{keys.author}:{keys.year + step}" for step in (0, -1, 1)]


def identifier_terms(keys: RecordKeys) -> Iterator[str]:
    """The terms of DOI, arXiv number, PubMed identifier and ISBN, as far as they are known."""
    for name, value in (
        ("doi", keys.doi),
        ("arxiv", keys.arxiv),
        ("pmid", keys.pmid),
        ("isbn", keys.isbn),
    ):
        if value:
            yield f"{name}:{value}"


def word_term(word: str) -> str:
    """The term of a word of a title."""
    return f"word:{word}"
