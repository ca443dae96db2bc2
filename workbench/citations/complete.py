"""Give claims their context that have none yet: of runs of an older version, or corrected."""

from collections.abc import Collection
from dataclasses import replace

from workbench.citations.addresses import find_links
from workbench.citations.context import ClaimContexts
from workbench.citations.lines import Line, read_lines
from workbench.citations.marks import Mark
from workbench.citations.prose import contents, outside
from workbench.citations.references import find_references
from workbench.citations.segment import Sentence, cut_sentences
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
    lines, sentences = read_sentences(extraction)
    contexts = ClaimContexts(extraction.text, lines, sentences)
    return replace(
        extraction,
        citations=tuple(
            _completed(citation, contexts) if citation.id in chosen else citation
            for citation in extraction.citations
        ),
    )


def contexts_in(text: str) -> ClaimContexts:
    """The contexts of the claims of a text, asked for by their places in it."""
    lines, sentences = read_sentences(Extraction(text=text))
    return ClaimContexts(text, lines, sentences)


def read_sentences(extraction: Extraction) -> tuple[list[Line], list[Sentence]]:
    """The lines and sentences of a text whose citations are known, as `extract` takes them."""
    text = extraction.text
    lines = read_lines(text)
    quiet = [*find_references(text, lines, find_links(text)).spans, *contents(text, lines)]
    marks = [
        Mark(citation.start, citation.end, citation.kind, citation.identifier)
        for citation in extraction.citations
        if citation.kind not in UNCOUNTED_KINDS and not _covers(citation)
    ]
    return lines, cut_sentences(text, list(outside(lines, quiet)), marks)


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
