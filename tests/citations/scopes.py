"""The scope of a marker in what was extracted, in words."""

from workbench.citations import Scopes, extract, with_scope
from workbench.records.citation import Citation, Extraction, ScopeKind


def marker(extraction: Extraction, identifier: str = "1") -> Citation:
    """The first marker with an identifier."""
    return next(
        citation
        for citation in extraction.citations
        if citation.identifier == identifier and citation.kind not in ("quote", "statistic")
    )


def guess_of(text: str, identifier: str = "1") -> str:
    """The kind of scope that is guessed for a marker of a text."""
    scope = marker(extract(text), identifier).scope
    return scope.kind if scope else "sentence"


def parts_of(text: str, kind: ScopeKind, identifier: str = "1") -> list[str] | None:
    """The parts of a scope of a marker; None where it cannot be chosen."""
    extraction = with_scope(extract(text), kind)
    citation = marker(extraction, identifier)
    assert citation.scope is not None
    if citation.scope.kind != kind:
        return None
    return [part.of(text) for part in Scopes(extraction).parts(citation)]
