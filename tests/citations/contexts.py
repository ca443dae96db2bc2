"""The context of a marker in what was extracted."""

from dataclasses import replace

from workbench.records.citation import Extraction
from workbench.records.context import ClaimContext


def context_of(extraction: Extraction, identifier: str) -> ClaimContext:
    """The context of the marker with an identifier."""
    (context,) = [
        citation.claim_context
        for citation in extraction.citations
        if citation.identifier == identifier and citation.kind == "numbered"
    ]
    assert context is not None
    return context


def without_context(extraction: Extraction) -> Extraction:
    """The extraction as an older version stored it."""
    return replace(
        extraction,
        citations=tuple(replace(citation, claim_context=None) for citation in extraction.citations),
    )
