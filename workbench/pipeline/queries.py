"""What each citation of a text asks a fetcher for; pure."""

from collections.abc import Sequence
from dataclasses import replace

from workbench.records.citation import LABELLED_KINDS, UNCOUNTED_KINDS, Citation, Extraction
from workbench.records.source import Source, SourceQuery
from workbench.records.text import Span

_NAMING_KINDS = LABELLED_KINDS | {"author_year"}
"""Kinds whose identifier names a source that no entry explains."""


def source_queries(extraction: Extraction) -> dict[str, SourceQuery]:
    """For each citation's id what it asks for: an address, a reference's label, its title.

    A number, a key, an author with a year that no entry explains is a label by itself.
    """
    markers: dict[Span, list[Citation]] = {}
    for citation in extraction.citations:
        if citation.claim and citation.kind in _NAMING_KINDS:
            markers.setdefault(citation.claim.span, []).append(citation)
    return {citation.id: _query(extraction, citation, markers) for citation in extraction.citations}


def names_source(query: SourceQuery) -> bool:
    """Whether a query names anything that a fetcher could look for."""
    if query.target is not None and query.target.form == "guess":
        return False
    return bool(query.target or query.label or query.title)


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
    number = citation.target.reference if citation.target else citation.reference
    if number is None:
        marker = _adjacent_marker(citation, markers)
        if marker is not citation:
            return _query(extraction, marker, markers)
        label = citation.identifier if citation.kind in _NAMING_KINDS else None
        return SourceQuery(target=citation.target, label=label)
    target = replace(citation.target, reference=None) if citation.target else None
    entry = extraction.references[number]
    named = target or entry.label or entry.title
    return SourceQuery(target=target, label=entry.label, title=entry.title if named else entry.text)


def _adjacent_marker(citation: Citation, markers: dict[Span, list[Citation]]) -> Citation:
    """The marker that a quotation or a figure without a target belongs to; else itself."""
    if citation.kind not in UNCOUNTED_KINDS or citation.target or not citation.claim:
        return citation
    claim_markers: Sequence[Citation] = markers.get(citation.claim.span, [])
    later = (marker for marker in claim_markers if marker.start >= citation.end)
    return next(later, claim_markers[-1] if claim_markers else citation)
