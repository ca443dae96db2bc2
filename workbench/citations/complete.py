"""Give claims their context that have none yet: of runs of an older version, or corrected."""

from collections.abc import Collection
from dataclasses import replace

from workbench.citations.context import ClaimContexts
from workbench.citations.layout import Layout
from workbench.citations.lines import read_lines
from workbench.citations.marks import Mark
from workbench.citations.prose import contents, outside
from workbench.citations.references import find_references
from workbench.citations.segment import cut_sentences
from workbench.citations.url_finder import find_links
from workbench.records import UNCOUNTED_KINDS, Citation, Extraction


def with_claim_context(
    extraction: Extraction, citation_ids: Collection[str] | None = None
) -> Extraction:
    """The extraction with a context for each citation that has a claim and no context.

    What is known of a claim's question and date stays. Offsets count code points of the text.

    Args:
        extraction: What a text cites.
        citation_ids: The citations to give a new context, as their claims were corrected; left
            out: those that have none.
    """
    chosen = {
        citation.id
        for citation in extraction.citations
        if citation.claim is not None
        and (
            citation.claim_context is None if citation_ids is None else citation.id in citation_ids
        )
    }
    if not chosen:
        return extraction
    contexts = ClaimContexts(read_layout(extraction)[0])
    return replace(
        extraction,
        citations=tuple(
            _completed(citation, contexts) if citation.id in chosen else citation
            for citation in extraction.citations
        ),
    )


def contexts_in(text: str) -> ClaimContexts:
    """The contexts of the claims of a text, asked for by their places in it."""
    return ClaimContexts(read_layout(Extraction(text=text))[0])


def read_layout(extraction: Extraction) -> tuple[Layout, list[Mark]]:
    """The layout of a text whose citations are known, with their marks, as `extract` takes them."""
    text = extraction.text
    lines = read_lines(text)
    quiet = [*find_references(text, lines, find_links(text)).spans, *contents(text, lines)]
    marks = [
        _mark(citation)
        for citation in extraction.citations
        if citation.kind not in UNCOUNTED_KINDS and not _covers(citation)
    ]
    return Layout(text, lines, cut_sentences(text, list(outside(lines, quiet)), marks)), marks


def _mark(citation: Citation) -> Mark:
    """A citation as the mark that it was, as far as sentences are cut by it."""
    raw, claim = citation.raw, citation.claim
    named = citation.kind == "author_year" and raw[:1] not in "([（" and raw[-1:] in ")）"
    wraps = claim is not None and raw.startswith("<") and claim.start >= citation.end
    return Mark(
        citation.start,
        citation.end,
        citation.kind,
        citation.identifier,
        style="narrative" if named else "",
        covers=(claim.start, claim.end) if claim is not None and wraps else None,
    )


def _covers(citation: Citation) -> bool:
    """Whether a citation is the words that it supports, and no mark beside them."""
    return citation.claim is not None and citation.claim.span == citation.span


def _completed(citation: Citation, contexts: ClaimContexts) -> Citation:
    assert citation.claim is not None  # only those with a claim are chosen
    context = contexts.get(citation.claim.start, citation.claim.end)
    known = citation.claim_context
    if known is not None:
        context = replace(context, question=known.question, date=known.date)
    return replace(citation, claim_context=context)
