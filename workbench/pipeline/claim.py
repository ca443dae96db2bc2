"""The words of a claim as judges get them, and what they refer to; pure."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from workbench.citations import ClaimWords, Scopes, document_of, with_claim_context
from workbench.records.citation import Citation, Extraction
from workbench.records.context import NO_CONTEXT, ClaimContext, JudgeContext
from workbench.records.text import Excerpt, Span
from workbench.records.verdict import Judgment


def claim_for_judge(
    extraction: Extraction, citation: Citation, words: ClaimWords | None = None
) -> str:
    """The claim of a citation as a clean sentence, without markers; the reviewer's where worded.

    Without a claim the surrounding text stands in. `words` are those of the extraction's text, for
    callers that ask about several of its citations.
    """
    if citation.wording:
        return citation.wording
    claim = citation.claim
    if claim is not None and claim.text != claim.span.of(extraction.text):
        return claim.text
    span = claim.span if claim else citation.context
    words = words or document_of(extraction).claim_words
    return words.clean(span.start, span.end)


def in_claim(judgment: Judgment, citation: Citation) -> Judgment:
    """A judgment whose uncovered parts and correction are offsets into the claim's text again.

    Of a judgment on a reviewer's wording, only parts that stand in the claim in the same words are
    kept, and no correction: it would change other words than those of the text.
    """
    proposal = judgment.proposed_correction
    if proposal and (citation.wording or citation.claim is None or judgment.parts):
        proposal = None
    elif proposal and citation.claim:
        proposal = proposal.of_claim(citation.claim.text)
    if proposal != judgment.proposed_correction:
        judgment = replace(judgment, proposed_correction=proposal)
    if not citation.wording:
        return judgment
    spans = (span_in_claim(span, citation) for span in judgment.uncovered)
    return replace(judgment, uncovered=tuple(span for span in spans if span))


def span_in_claim(span: Span | None, citation: Citation) -> Span | None:
    """A place in what the judge was asked about as one in the claim; None where it has none."""
    if span is None or not citation.wording:
        return span
    words = span.of(citation.wording)
    at = citation.claim.text.find(words) if citation.claim else -1
    return Span(at, at + len(words)) if at >= 0 else None


def context_for_judge(extraction: Extraction, citation: Citation) -> JudgeContext:
    """The context of a citation's claim, as a judge gets it; the source's part is empty."""
    context = citation.claim_context
    return NO_CONTEXT if context is None else judge_context_of(context, extraction.text)


def judge_context_of(context: ClaimContext, text: str) -> JudgeContext:
    """A claim's context as a judge gets it, whose spans count in `text`."""
    return context.for_judge(context.before.of(text) if context.before else "")


class ClaimPart(NamedTuple):
    """What judges are asked about at once: a claim, or one part of a wider scope."""

    claim: str
    """Without the markers in it."""
    context: JudgeContext
    """Of its place; the source's part is empty."""
    excerpt: Excerpt
    """Its place in the output's text."""


class JudgedClaims:
    """What judges are asked about each citation of a text: its claim, or the parts of its scope.

    The text is read once more where a citation has a wider scope than its sentence, in time linear
    in its length.
    """

    def __init__(self, extraction: Extraction) -> None:
        self._extraction = extraction
        self._words = document_of(extraction).claim_words
        self._scopes: Scopes | None = None

    def parts(self, citation: Citation) -> tuple[ClaimPart, ...]:
        """The parts in the order of the text, at least one; one for a claim that is a sentence.

        A claim in a reviewer's own words is one.
        """
        cited: Sequence[Citation] = (citation,)
        if citation.judged_by_parts:
            if self._scopes is None:
                self._scopes = Scopes(self._extraction)
            cited = self._scopes.part_citations(citation)
        return tuple(
            ClaimPart(
                claim_for_judge(self._extraction, part_citation, self._words),
                context_for_judge(self._extraction, part_citation),
                part_citation.claim
                or Excerpt(
                    span=part_citation.context, text=part_citation.context.of(self._extraction.text)
                ),
            )
            for part_citation in cited
        )


class StoredClaims:
    """The claims of kept outputs as judges get them; the last output read is kept.

    Items come by run: an output is read once for all of its items, in time linear in its length.
    """

    def __init__(self) -> None:
        self._run_id = ""
        self._extraction = Extraction(text="")
        self._by_id: dict[str, Citation] = {}
        self._words = document_of(self._extraction).claim_words

    def claim_of(
        self, run_id: str, text: str, citations: Sequence[Citation], citation_id: str
    ) -> tuple[str, JudgeContext]:
        """The claim of a citation, and its context as judges get it.

        Raises:
            KeyError: There is no such citation.
        """
        if run_id != self._run_id:
            cited = Extraction(text=text, citations=tuple(citations))
            # runs of an older version have no context yet
            self._run_id, self._extraction = run_id, with_claim_context(cited)
            self._by_id = {citation.id: citation for citation in self._extraction.citations}
            self._words = document_of(self._extraction).claim_words
        citation = self._by_id[citation_id]
        # who labels a list or a paragraph labels all of it
        citation = replace(citation, claim=citation.labelled_claim)
        return (
            claim_for_judge(self._extraction, citation, self._words),
            context_for_judge(self._extraction, citation),
        )
