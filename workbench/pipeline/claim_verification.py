"""Claim mode from given sources: read them, then check claims that carry no citation."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace

from workbench.citations import claim_text, contexts_in
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
from workbench.pipeline.claim import judge_context_of
from workbench.pipeline.options import Sources
from workbench.pipeline.web_search import WebSearch, fetching_search
from workbench.sources.fetchers import Fetcher
from workbench.sources.given import GivenSource, GivenSources, open_sources
from workbench.sources.read import read_source


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
