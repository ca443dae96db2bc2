"""Claim mode: texts or lists of claims against given sources, without any citation marker.

Per claim the best source decides: `supported` from 0.6, `weak` from 0.3, `unverifiable` below, and
`contradicted` when the judge finds a contradiction in the source that bears on it most. Confidence
is the judge's score put on that scale (`grounding_confidence`). Sources may contradict each other:
every claim keeps all of its sources' judgments.
"""

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace

from workbench.errors import ErrorKind, JudgeError, UsageError
from workbench.judging.budget import Budget
from workbench.judging.decomposition import decompose, decompose_cost_usd, split_claims
from workbench.judging.ground_report import (
    ClaimReport,
    GroundedClaim,
    GroundVerdict,
    ReferenceDocument,
)
from workbench.judging.judge import Judge, ask_judge, run_sync, worst_cost_of
from workbench.judging.judge_factory import open_judge, standalone_claim
from workbench.judging.llm import LlmJudge
from workbench.judging.passages import select_passages
from workbench.judging.rank import bearing
from workbench.judging.spending import paid_call
from workbench.masking import mask, mask_known
from workbench.records import (
    NO_CONTEXT,
    Excerpt,
    JudgeContext,
    Judgment,
    Passage,
    PricedCall,
    Span,
)

SUPPORTED_FROM = 0.6
WEAK_FROM = 0.3
SNIPPET = 200
"""Longest snippet of a source, in characters."""
AT_ONCE = 8
SOURCES_JUDGED = 3
"""A claim is judged against this many sources: those whose passages bear on it most."""


ContextOf = Callable[[Span], JudgeContext]
"""What a judge gets about a claim's surroundings, by its place in the text."""
Found = Sequence[ReferenceDocument | Mapping[str, str | None]]
Search = Callable[[str], Found | Awaitable[Found]]
"""Looks a claim up on the web and gives texts that may bear on it; off unless given. A plain
function runs in a thread of its own; a coroutine function is awaited."""


def verify_claims(
    text_or_claims: str | Sequence[str],
    sources: Sequence[ReferenceDocument | Mapping[str, str | None]],
    judge: str | Judge = "local",
    search: Search | None = None,
    *,
    splitter: str | LlmJudge | None = None,
    max_cost_usd: float | None = None,
    standalone: bool = False,
) -> ClaimReport:
    """What given sources say about the claims of a text, or about a list of claims.

    A text is taken as prose (`pipeline.ground_claims` leaves out its reference lists first) and
    split by `decompose.split_claims`, or with a `splitter` into atomic claims by its model (by rule
    where that fails); a list keeps its order and every item. With `search`, claims that stay
    unverifiable are looked up and checked against what it gives; those then supported are marked
    `web_verified`. Without sources and without `search` every claim is `unverifiable`. The
    cost cap holds for all calls together; a claim that it leaves unjudged has the error
    `cost_cap_reached`. With `standalone` the splitter words each claim so that it stands alone, and
    the judge is asked about that; without a splitter a language model rewrites each claim in the
    call that judges it.

    Raises:
        UsageError: a source has no text, or the splitter is not a language model.
        UnknownJudge, MissingKey: as `open_judge`.
    """
    return run_sync(
        averify_claims(
            text_or_claims,
            sources,
            judge,
            search,
            splitter=splitter,
            max_cost_usd=max_cost_usd,
            standalone=standalone,
        )
    )


async def averify_claims(
    text_or_claims: str | Sequence[str],
    sources: Sequence[ReferenceDocument | Mapping[str, str | None]],
    judge: str | Judge = "local",
    search: Search | None = None,
    *,
    splitter: str | LlmJudge | None = None,
    max_cost_usd: float | None = None,
    budget: Budget | None = None,
    context_of: ContextOf | None = None,
    standalone: bool = False,
) -> ClaimReport:
    """The awaitable twin of `verify_claims`; a `budget` replaces a separate cap.

    `context_of` gives, for each claim of a text, the context that judges get.
    """
    texts = [_source(source) for source in sources]
    model = open_judge(splitter) if isinstance(splitter, str) else splitter
    if model is not None and not isinstance(model, LlmJudge):
        raise UsageError(
            f"{model.spec} cannot split a text into claims: name a judge of Anthropic or OpenAI, "
            "or have it split by rule."
        )
    opened = open_judge(judge) if isinstance(judge, str) else judge
    money = budget or Budget(max_cost_usd)
    notes: list[str] = []
    room = asyncio.Semaphore(AT_ONCE)

    async def decide_claim(claim: Excerpt | str, claim_judge: Judge) -> GroundedClaim:
        async with room:
            claim_text, span = (claim, None) if isinstance(claim, str) else (claim.text, claim.span)
            context = context_of(span) if context_of and span else NO_CONTEXT
            decided_claim = await _decide(claim_text, span, texts, claim_judge, money, context)
            if search is None or decided_claim.verdict != "unverifiable":
                return decided_claim
            try:
                looked_up = [
                    _search_result(source) for source in await call_search(search, claim_text)
                ]
            except Exception as error:  # anything may go wrong in a function of the user's own
                message = mask(str(error))[:120]
                notes.append(f"The web search failed ({type(error).__name__}): {message}")
                return decided_claim
            second_decision = await _decide(
                claim_text, span, looked_up, claim_judge, money, context
            )
            return (
                _web_verified(second_decision)
                if second_decision.verdict == "supported"
                else decided_claim
            )

    try:
        claims, rewritten = await _claims(text_or_claims, model, money, notes, standalone)
        # claims that a model worded to stand alone are rewritten by no judge
        chosen_judge = standalone_claim(opened) if standalone and not rewritten else opened
        decided = await asyncio.gather(*(decide_claim(claim, chosen_judge) for claim in claims))
    finally:
        if isinstance(judge, str):
            await opened.aclose()
        if model is not None and isinstance(splitter, str):
            await model.aclose()
        await money.aclose()
    return ClaimReport(
        claims=tuple(decided),
        cost_usd=money.spent_usd,
        reserved_usd=money.reserved_usd,
        unpriced_calls=money.unpriced_calls,
        notes=tuple(dict.fromkeys(notes)),
    )


async def _claims(
    text_or_claims: str | Sequence[str],
    model: LlmJudge | None,
    budget: Budget,
    notes: list[str],
    standalone: bool,
) -> tuple[Sequence[Excerpt | str], bool]:
    """The claims to check, and whether a model worded them.

    By rule where the requested model could not split the text.
    """
    if not isinstance(text_or_claims, str):
        return text_or_claims, False
    if model is None:
        return split_claims(text_or_claims), False
    worst = decompose_cost_usd(text_or_claims, model, standalone=standalone)
    call = PricedCall(judge=model.spec, worst_usd=worst)

    async def split() -> tuple[list[Excerpt], float]:
        return await decompose(text_or_claims, model, standalone=standalone)

    try:
        claims, _ = await paid_call(budget, call, split, lambda answer: answer[1])
    except JudgeError as error:
        notes.append(f"Split by rule: {error.message}")
        return split_claims(text_or_claims), False
    return claims, True


async def call_search(search: Search, claim: str) -> Found:
    """What a search gives for a claim, whether it is a plain function or a coroutine function."""
    if inspect.iscoroutinefunction(search):
        found_sources: Found = await search(claim)
        return found_sources
    results = await asyncio.to_thread(search, claim)
    return await results if isinstance(results, Awaitable) else results


def grounding_confidence(judgment: Judgment) -> float:
    """A judgment on the scale of claim mode, where 0.6 and 0.3 part the verdicts.

    Supported is 0.6 to 1 and partially supported 0.3 to 0.6 by the judge's confidence; anything
    else is 0.3 down to 0 with growing confidence that it does not hold.
    """
    confidence = min(1.0, max(0.0, judgment.confidence))
    if judgment.label == "supported":
        return round(SUPPORTED_FROM + (1 - SUPPORTED_FROM) * confidence, 4)
    if judgment.label == "partially_supported":
        return round(WEAK_FROM + (SUPPORTED_FROM - WEAK_FROM - 0.001) * confidence, 4)
    return round((WEAK_FROM - 0.001) * (1 - confidence), 4)


async def _decide(
    claim: str,
    span: Span | None,
    sources: Sequence[ReferenceDocument],
    judge: Judge,
    budget: Budget,
    context: JudgeContext,
) -> GroundedClaim:
    """The claim against its likeliest sources; the best one decides."""
    selected = [
        (i, select_passages(claim, source.content, title=source.title, context=context))
        for i, source in enumerate(sources)
    ]
    selected = [(i, passages) for i, passages in selected if passages]
    if len(selected) > SOURCES_JUDGED:
        selected.sort(key=lambda item: -bearing(claim, item[1]))
        selected = sorted(selected[:SOURCES_JUDGED], key=lambda item: item[0])
    judged: list[tuple[int, Judgment]] = []
    error: ErrorKind | None = None
    for i, passages in selected:
        try:
            source_context = replace(context, source=sources[i].self_description())
            judged.append((i, await _paid(judge, claim, passages, budget, source_context)))
        except JudgeError as failure:
            error = failure.kind
    if not judged:
        return GroundedClaim(
            text=claim, verdict="unverifiable", confidence=0.0, span=span, error=error
        )
    index, best = max(judged, key=lambda item: _rank(item[1]))
    confidence = grounding_confidence(best)
    verdict: GroundVerdict = "unverifiable"
    if best.label == "contradicted":
        verdict, confidence = "contradicted", round(best.confidence, 4)
    elif confidence >= SUPPORTED_FROM:
        verdict = "supported"
    elif confidence >= WEAK_FROM:
        verdict = "weak"
    return GroundedClaim(
        text=claim,
        verdict=verdict,
        confidence=confidence,
        source_index=None if verdict == "unverifiable" else index,
        source_snippet=_snippet(best) if verdict != "unverifiable" else None,
        source_ref=_ref(sources[index]) if verdict != "unverifiable" else None,
        span=span,
        judgments=tuple(judged),
    )


async def _paid(
    judge: Judge,
    claim: str,
    passages: Sequence[Passage],
    budget: Budget,
    context: JudgeContext,
) -> Judgment:
    """The judgment, its cost within the budget; raises `JudgeError`."""
    worst = worst_cost_of(judge, claim, passages, context)
    call = PricedCall(judge=judge.spec, worst_usd=worst)

    async def ask() -> Judgment:
        return await ask_judge(judge, claim, passages, context)

    return await paid_call(budget, call, ask, lambda judgment: judgment.cost_usd)


def _rank(judgment: Judgment) -> tuple[int, float]:
    """Support first, then contradiction, then weak support, then nothing; the surest of a kind."""
    order = {"supported": 3, "contradicted": 2, "partially_supported": 1}
    return order.get(judgment.label, 0), judgment.confidence


def _snippet(judgment: Judgment) -> str | None:
    return judgment.evidence[0].quote[:SNIPPET] if judgment.evidence else None


def _ref(source: ReferenceDocument) -> str | None:
    return source.url or source.title


def _web_verified(claim: GroundedClaim) -> GroundedClaim:
    """The claim as verified by a search; its source is not one of the given ones."""
    return replace(claim, web_verified=True, source_index=None)


def _search_result(result: ReferenceDocument | Mapping[str, str | None]) -> ReferenceDocument:
    """A result of a search, whose address may contain the key of the request."""
    source = _source(result)
    return replace(
        source,
        url=source.url and mask_known(source.url),
        title=source.title and mask_known(source.title),
    )


def _source(source: ReferenceDocument | Mapping[str, str | None]) -> ReferenceDocument:
    """A source record out of a record or a mapping."""
    if isinstance(source, ReferenceDocument):
        return source
    content = source.get("content") if isinstance(source, Mapping) else None
    if not isinstance(content, str):
        raise UsageError(
            "A source to check claims against has no text: give {content, title?, url?}."
        )
    return ReferenceDocument(content=content, title=source.get("title"), url=source.get("url"))
