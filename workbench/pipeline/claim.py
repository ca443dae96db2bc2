"""Claims without citations: their words as judges get them, and how sources bear on them."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from workbench.citations import (
    ClaimWords,
    Scopes,
    claim_text,
    contexts_in,
    document_of,
    with_claim_context,
)
from workbench.errors import UsageError
from workbench.judging.budget import Budget
from workbench.judging.claim_comparison import (
    DEFAULT_SCORING,
    ClaimScoring,
    ContextOf,
    OnJudged,
    Search,
)
from workbench.judging.claim_verification import averify_claims, split_claims
from workbench.judging.ground_report import ClaimReport, ReferenceDocument
from workbench.judging.judge import Judge, run_sync
from workbench.judging.llm import LlmJudge
from workbench.pipeline.options import Sources
from workbench.pipeline.web_search import WebSearch, fetching_search
from workbench.records.citation import Citation, Extraction
from workbench.records.context import NO_CONTEXT, ClaimContext, JudgeContext
from workbench.records.text import Excerpt, Span
from workbench.records.verdict import Judgment
from workbench.sources.fetchers import Fetcher
from workbench.sources.given import GivenSource, GivenSources, open_sources
from workbench.sources.read import read_source

LONGEST_GAP = 40
"""Code points of markers and marks that may stand between two words of a claim in its text."""


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
    if proposal and (citation.wording or citation.claim is None or citation.judged_by_parts):
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


def parts_in_text(judgment: Judgment, claim: ClaimPart, text: str) -> Judgment:
    """Return a judgment whose parts, offsets into the claim as it was asked, are ones into the output's text.

    A part is found by its words in their order, as the text may have markers between them; fewer than
    two that are found say nothing beside the verdict.
    """
    if not judgment.parts:
        return judgment
    at, placed = claim.excerpt.span.start, []
    for part in judgment.parts:
        span = _find_words(part.span.of(claim.claim), text, at, claim.excerpt.span.end)
        if span:
            at = span.end
            placed.append(replace(part, span=span))
    return replace(judgment, parts=tuple(placed) if len(placed) > 1 else ())


def _find_words(words: str, text: str, start: int, end: int) -> Span | None:
    """Return the first place of words in a part of a text; between two may stand `LONGEST_GAP` others."""
    first, *others = words.split()
    begin = text.find(first, start, end)
    while begin >= 0:
        at = begin + len(first)
        for word in others:
            found = text.find(word, at, min(end, at + LONGEST_GAP + len(word)))
            if found < 0:
                break
            at = found + len(word)
        else:
            return Span(begin, at)
        begin = text.find(first, begin + 1, end)
    return None


class JudgedClaims:
    """What judges are asked about each citation of a text: its claim, or the parts of its scope.

    The text is read once more where a citation has a wider scope than its sentence, in time linear
    in its length.
    """

    def __init__(self, extraction: Extraction) -> None:
        self._extraction = extraction
        self.text = extraction.text
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


def ground_claims(
    text_or_claims: str | Sequence[str],
    sources: Sources,
    judge: str | Judge = "local",
    *,
    splitter: str | LlmJudge | None = None,
    search: Search | None = None,
    fetcher: Fetcher | None = None,
    max_cost_usd: float | None = None,
    budget: Budget | None = None,
    standalone: bool = False,
    scoring: ClaimScoring = DEFAULT_SCORING,
    on_judged: OnJudged | None = None,
) -> ClaimReport:
    """What given sources (a folder, a file, a list) say of a text's claims, or of given claims.

    Args:
        text_or_claims: A text to split, or claims as they stand.
        sources: What the claims are checked against.
        judge: A judge or its SPEC.
        splitter: A language model that splits a text into atomic claims; by rule without one.
        search: Looks up on the web what stays unverifiable; off without one.
        fetcher: Fetches what the search gives an address of but no text; without one it is left.
        max_cost_usd: A cap for all calls together.
        budget: Used in place of a cap of its own.
        standalone: Language models word each claim so that it stands alone: the splitter, else the
            judge in the call that judges it.
        scoring: Thresholds, and functions that score in the judge's place.
        on_judged: Is told how many claims a judge has compared, and of how many.

    Raises:
        EmbeddingError: The embedding function gives no embeddings.
        UsageError: The sources, the judge or the splitter cannot be used.
        SourceError: One of the sources cannot be read; the message says which.
    """

    async def ground() -> ClaimReport:
        documents = await read_documents(sources)
        return await aground_documents(
            text_or_claims,
            documents,
            judge,
            search,
            fetcher=fetcher,
            scoring=scoring,
            splitter=splitter,
            max_cost_usd=max_cost_usd,
            budget=budget,
            standalone=standalone,
            on_judged=on_judged,
        )

    return run_sync(ground())


async def aground_documents(
    text_or_claims: str | Sequence[str],
    documents: Sequence[ReferenceDocument | Mapping[str, str | None]],
    judge: str | Judge = "local",
    search: Search | None = None,
    *,
    splitter: str | LlmJudge | None = None,
    fetcher: Fetcher | None = None,
    max_cost_usd: float | None = None,
    budget: Budget | None = None,
    standalone: bool = False,
    scoring: ClaimScoring = DEFAULT_SCORING,
    on_judged: OnJudged | None = None,
) -> ClaimReport:
    """What texts say of the claims of a text, its reference lists and headings left out.

    Pages of the `search` are fetched by the `fetcher`; without one what it shows is compared alone.
    Every interface takes the claims of a text in this way; what makes no claim is
    `citations.claim_text`'s to say. Claims that are given as a list are checked as they stand.

    Raises:
        UsageError: A document is no text, or the judge or the splitter cannot be used.
    """
    claims: str | Sequence[str] = text_or_claims
    context_of: ContextOf | None = None
    if isinstance(text_or_claims, str):
        claims = claim_text(text_or_claims)
        context_of = _contexts(text_or_claims)

    report = await averify_claims(
        claims,
        documents,
        judge,
        fetching_search(search, fetcher) if search else None,
        search_name=search.name if isinstance(search, WebSearch) else None,
        scoring=scoring,
        splitter=splitter,
        max_cost_usd=max_cost_usd,
        budget=budget,
        context_of=context_of,
        standalone=standalone,
        on_judged=on_judged,
    )
    notes = search.all_notes() if isinstance(search, WebSearch) else []
    # what is marked is the text as given, where a reference list is no blank
    text = text_or_claims if isinstance(text_or_claims, str) else None
    return replace(report, text=text, notes=(*report.notes, *notes))


def check_sentences(
    cited: Extraction,
    spans: Sequence[Span],
    documents: Sequence[ReferenceDocument],
    judge: str,
    *,
    budget: Budget,
    on_judged: OnJudged | None = None,
) -> ClaimReport:
    """What texts say of some sentences of a text, each told with what its words refer to.

    Raises:
        UsageError: The judge cannot be used.
    """
    words = document_of(cited).claim_words
    claims = [Excerpt(span=span, text=words.clean(span.start, span.end)) for span in spans]
    return run_sync(
        averify_claims(
            claims,
            documents,
            judge,
            budget=budget,
            context_of=_contexts(cited.text),
            on_judged=on_judged,
        )
    )


def _contexts(text: str) -> ContextOf:
    """The context of a claim of the text, as judges get it."""
    contexts = contexts_in(text)
    return lambda span: judge_context_of(contexts.get(span.start, span.end), text)


def extract_claims(text: str) -> list[str]:
    """The claims of a text by rule, in its order, as `ground_claims` checks them."""
    return [claim.text for claim in split_claims(claim_text(text))]


async def read_documents(sources: Sources) -> list[ReferenceDocument]:
    """The texts of given sources (a folder, a file, a list), in their order.

    Raises:
        UsageError: They are no given sources.
        SourceError: One of them cannot be read; the message says which.
    """
    opened = open_sources(sources)
    if not isinstance(opened, GivenSources):
        raise UsageError("Claim mode needs sources: a folder, a JSON file or a list.")

    async def read(entry: GivenSource) -> ReferenceDocument:
        source = await read_source(await entry.read())
        return ReferenceDocument(
            content=source.text, title=entry.title or source.title, url=entry.url
        )

    return await asyncio.gather(*map(read, opened.sources))
