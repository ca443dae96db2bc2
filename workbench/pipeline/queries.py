"""What each citation of a text asks a fetcher for, and which given source answers it; pure."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from workbench.pipeline.options import Sources
from workbench.records import (
    LABELLED_KINDS,
    UNCOUNTED_KINDS,
    Citation,
    Extraction,
    Source,
    SourceQuery,
    Span,
)
from workbench.sources import GivenSource, GivenSources, open_sources


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceMatch:
    """A given source, and the references or citations of a text that it answers."""

    name: str
    """Its file's name, else its title, label or address."""
    answers: tuple[str, ...]
    """Each as the text names it (`[1] Bridge facts`, an address); empty where none asks for it."""


def source_queries(extraction: Extraction) -> dict[str, SourceQuery]:
    """For each citation's id what it asks for: an address, a reference's label, its title."""
    markers: dict[Span, list[Citation]] = {}
    for citation in extraction.citations:
        if citation.claim and citation.kind in LABELLED_KINDS:
            markers.setdefault(citation.claim.span, []).append(citation)
    return {citation.id: _query(extraction, citation, markers) for citation in extraction.citations}


def names_source(query: SourceQuery) -> bool:
    """Whether a query names anything that a fetcher could look for."""
    if query.target is not None and query.target.form == "guess":
        return False
    return bool(query.target or query.label or query.title)


def match_sources(extraction: Extraction, sources: Sources) -> tuple[SourceMatch, ...]:
    """The given sources in their order, each with what it answers; none for a fetcher.

    Linear in the citations and the sources; the heads of files are read once.

    Raises:
        UnreadableInput: The sources cannot be used.
    """
    opened = open_sources(sources)
    if not isinstance(opened, GivenSources):
        return ()
    answers: dict[int, dict[str, None]] = {}
    queries = source_queries(extraction)
    matched: dict[SourceQuery, GivenSource | None] = {}
    for citation in extraction.citations:
        query = queries[citation.id]
        if query not in matched:
            matched[query] = opened.find(query)
        source = matched[query]
        if source is not None:
            answers.setdefault(id(source), {})[_query_text(citation, query)] = None
    return tuple(
        SourceMatch(name=_name(source), answers=tuple(answers.get(id(source), ())))
        for source in opened.sources
    )


def named_source(source: Source, query: SourceQuery) -> Source:
    """The source under the title by which readers know it.

    A page that was fetched keeps its own title: it says what answered. A file is called what the
    reference calls it, else by its name, else by what it says of itself.
    """
    fetched_page = source.status is not None and "html" in source.content_type
    if not query.title or (fetched_page and source.title):
        return source
    return replace(source, title=query.title)


def _query(
    extraction: Extraction, citation: Citation, markers: dict[Span, list[Citation]]
) -> SourceQuery:
    target = replace(citation.target, reference=None) if citation.target else None
    number = citation.target.reference if citation.target else citation.reference
    if number is None:
        marker = _adjacent_marker(citation, markers)
        label = marker.identifier if marker.kind in LABELLED_KINDS else None
        return SourceQuery(target=target, label=label)
    entry = extraction.references[number]
    return SourceQuery(target=target, label=entry.label, title=entry.title)


def _adjacent_marker(citation: Citation, markers: dict[Span, list[Citation]]) -> Citation:
    """The marker that a quotation or a figure without a target belongs to; else itself."""
    if citation.kind not in UNCOUNTED_KINDS or citation.target or not citation.claim:
        return citation
    claim_markers: Sequence[Citation] = markers.get(citation.claim.span, [])
    later = (marker for marker in claim_markers if marker.start >= citation.end)
    return next(later, claim_markers[-1] if claim_markers else citation)


def _query_text(citation: Citation, query: SourceQuery) -> str:
    label = f"[{query.label}] " if query.label else ""
    target = query.target.value if query.target else ""
    return f"{label}{query.title or target}".strip() or citation.raw


def _name(source: GivenSource) -> str:
    if source.file is not None:
        return source.file.name
    return source.title or source.label or source.url or "a text without a name"
