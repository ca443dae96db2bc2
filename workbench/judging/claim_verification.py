"""Claim mode: texts or lists of claims against given sources, without any citation marker.

Per claim the best source decides: `supported` from 0.6, `weak` from 0.3, `unverifiable` below, and
`contradicted` when the judge finds a contradiction in the source that bears on it most. Confidence
is the judge's score put on that scale (`grounding_confidence`), or with an embedding function the
cosine of claim and source; both thresholds can be set, and an entailment function turns a supported
claim into a contradicted one (`claim_scoring`). Sources may contradict each other: every claim
keeps all of its sources' judgments, and `sides` says which of them support it and which contradict.
"""

from collections.abc import Mapping, Sequence

from workbench.errors import JudgeError, UsageError
from workbench.judging.budget import Budget, paid_call
from workbench.judging.claim_comparison import (
    ClaimComparison,
    ContextOf,
    OnJudged,
    Search,
    as_source,
)
from workbench.judging.claim_scoring import DEFAULT_SCORING, ClaimScoring
from workbench.judging.decomposition import decompose, decompose_cost_usd, split_claims
from workbench.judging.ground_report import ClaimReport, ReferenceDocument
from workbench.judging.judge import Judge
from workbench.judging.judge_factory import open_judge, standalone_claim
from workbench.judging.llm import LlmJudge
from workbench.records import Excerpt, PricedCall


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
    scoring: ClaimScoring = DEFAULT_SCORING,
    search_name: str | None = None,
    on_judged: OnJudged | None = None,
) -> ClaimReport:
    """What given sources say about the claims of a text, or about a list of claims.

    A text is taken as prose (`pipeline.ground_claims` leaves out its reference lists first) and
    split by `decomposition.split_claims`, or with a `splitter` into atomic claims by its model (by
    rule where that fails); a list keeps its order and every item. With `search`, claims that stay
    unverifiable are looked up and checked against what it gives; those then supported are marked
    `web_verified`, with `search_name`. Without sources and without `search` every claim is
    `unverifiable`. The cost cap holds for all calls together, and a `budget` replaces it; a claim
    that it leaves unjudged has the error `cost_cap_reached`. With `standalone` the splitter words
    each claim so that it stands alone, and the judge is asked about that; without a splitter a
    language model rewrites each claim in the call that judges it. `scoring` holds the thresholds
    and the functions that take the judge's place; `context_of` gives, for each claim of a text,
    the context that judges get.

    Raises:
        EmbeddingError: the embedding function gives no embeddings.
        UsageError: a source has no text, or the splitter is not a language model.
        UnknownJudge, MissingKey: as `open_judge`.
    """
    texts = [as_source(source) for source in sources]
    model = open_judge(splitter) if isinstance(splitter, str) else splitter
    if model is not None and not isinstance(model, LlmJudge):
        raise UsageError(
            f"{model.spec} cannot split a text into claims: use a judge of Anthropic or OpenAI, or "
            f"split by rules."
        )
    opened = open_judge(judge) if isinstance(judge, str) else judge
    money = budget or Budget(max_cost_usd)
    notes: list[str] = []
    try:
        claims, rewritten = await _claims(text_or_claims, model, money, notes, standalone)
        # claims that a model worded to stand alone are rewritten by no judge
        chosen_judge = standalone_claim(opened) if standalone and not rewritten else opened
        comparison = ClaimComparison(chosen_judge, money, scoring, notes, context_of)
        decided = await comparison.decide_all(claims, texts, on_judged)
        if search is not None:
            decided = await comparison.look_up(decided, search, search_name)
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
        text=text_or_claims if isinstance(text_or_claims, str) else None,
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
