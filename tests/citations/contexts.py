"""The context of a marker in what was extracted."""

from dataclasses import replace

from workbench.records import ClaimContext, Extraction


def context_of(found: Extraction, identifier: str) -> ClaimContext:
    """The context of the marker with an identifier."""
    (context,) = [
        one.claim_context
        for one in found.citations
        if one.identifier == identifier and one.kind == "numbered"
    ]
    assert context is not None
    return context


def without_context(found: Extraction) -> Extraction:
    """The extraction as an older version stored it."""
    return replace(
        found, citations=tuple(replace(one, claim_context=None) for one in found.citations)
    )
