"""How the claims of one source are sent: one or several per call, whichever is cheaper.

What is weighed is the price of a usual call: instructions and passages are paid once a call, or
once and then at the price of the provider's cache; replies are as long either way.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.judging.correction_field import USUAL_TOKENS as CORRECTION_TOKENS
from workbench.judging.joint_calls import MOST_CLAIMS, joint_question
from workbench.judging.llm import OVERHEAD_TOKENS, LlmJudge
from workbench.judging.prices import Price, tokens_about
from workbench.judging.prompts import TOGETHER, joint_prompt
from workbench.judging.standalone import USUAL_TOKENS
from workbench.records import NO_CONTEXT, JudgeContext, Passage, Span

WORTH = 0.1
"""The share of the cost that joint calls must save: a reply that is malformed costs its claims a
second call."""
SHARED_FROM = 3
"""So many claims with the same passages make it worth waiting for the first, whose call fills the
provider's cache."""
REPLY_TOKENS = 200
"""A usual reply on one claim."""
JOINT_CHARS = 12_000
"""Passages shown in one call at most."""
_DEFAULT_PRICE = Price(
    input=1.0, output=4.0, as_of="", cache_write_factor=1.25, cache_read_factor=0.1
)
"""The usual ratios of a model's prices, for models missing from the table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedCall:
    """One call to be made."""

    claims: tuple[int, ...]
    """Indices of the claims it asks about."""
    passages: tuple[Passage, ...]
    shared: bool = False
    """Whether other calls begin with the same passages, so that a cache pays: the first of them
    has to end before the others can read what it left."""


def plan_calls(
    judge: LlmJudge,
    claims: Sequence[str],
    single: Sequence[Sequence[Passage]],
    contexts: Sequence[JudgeContext] = (),
    *,
    joint: bool,
) -> list[PlannedCall]:
    """The calls that ask about every claim once, in the claims' order.

    `single` are the passages that each claim would be asked with alone, `contexts` what is sent
    with it: one for each claim, all of one source, or none. With `joint` several claims
    share a call, and see each other's passages, where that saves `WORTH` of the cost.
    """
    context = contexts[0] if contexts else NO_CONTEXT
    single_calls = _alone(judge, single, context)
    if not joint or len(claims) < 2:
        return single_calls
    chunked = _chunks(single)
    merged = _merged([passage for passages in single for passage in passages])
    plans = [chunked]
    if (
        len(chunked) > 1
        and _length(merged) <= JOINT_CHARS
        and judge.caches(merged, context, joint_prompt(judge.prompt) or TOGETHER)
    ):
        plans.append(
            [
                PlannedCall(claims=call.claims, passages=merged, shared=True)
                for call in _even(len(single))
            ]
        )
    best = min(plans, key=lambda plan: cost_about(judge, claims, plan, contexts))
    single_cost = cost_about(judge, claims, single_calls, contexts)
    best_cost = cost_about(judge, claims, best, contexts)
    return best if best_cost <= single_cost * (1 - WORTH) else single_calls


def cost_about(
    judge: LlmJudge,
    claims: Sequence[str],
    calls: Sequence[PlannedCall],
    contexts: Sequence[JudgeContext] = (),
) -> float:
    """About what the calls cost together: dollars, or units of the input price where unknown."""
    price = judge.price or _DEFAULT_PRICE
    all_contexts = list(contexts) or [NO_CONTEXT] * len(claims)
    total = 0.0
    cached_passages: set[tuple[Passage, ...]] = set()
    for call in calls:
        texts = [claims[index] for index in call.claims]
        call_contexts = [all_contexts[index] for index in call.claims]
        if len(texts) == 1:
            question = judge.question(texts[0], call.passages, call_contexts[0], shared=call.shared)
        else:
            question = joint_question(
                judge, texts, call.passages, call_contexts, shared=call.shared
            )
        input_tokens = tokens_about(question.system + question.message) + OVERHEAD_TOKENS // 2
        cached = 0
        if question.shared_chars:
            cached = tokens_about(question.system + question.message[: question.shared_chars])
        factor = (
            price.cache_read_factor
            if call.passages in cached_passages
            else price.cache_write_factor
        )
        if cached:
            cached_passages.add(call.passages)
        read = input_tokens - cached + cached * factor
        reply = REPLY_TOKENS + (USUAL_TOKENS if judge.standalone else 0)
        reply += CORRECTION_TOKENS if judge.corrects else 0
        total += read * price.input + len(texts) * reply * price.output
    return total / 1_000_000 if judge.price else total


def _alone(
    judge: LlmJudge, single: Sequence[Sequence[Passage]], context: JudgeContext
) -> list[PlannedCall]:
    """Every claim for itself; where some see the same passages, a cache may keep these."""
    use_counts: dict[tuple[Span, ...], int] = {}
    for passages in single:
        places = tuple(passage.span for passage in passages)
        use_counts[places] = use_counts.get(places, 0) + 1
    first = {
        tuple(passage.span for passage in passages): tuple(passages)
        for passages in reversed(single)
    }
    calls = []
    for index, passages in enumerate(single):
        places = tuple(passage.span for passage in passages)
        shared = use_counts[places] >= SHARED_FROM and judge.caches(passages, context)
        # the same spans hold the same text: one tuple for all, so that they are known as the same
        call_passages = first[places] if shared else tuple(passages)
        calls.append(PlannedCall(claims=(index,), passages=call_passages, shared=shared))
    return calls


def _chunks(single: Sequence[Sequence[Passage]]) -> list[PlannedCall]:
    """Claims in order, as many to a call as `MOST_CLAIMS` and `JOINT_CHARS` allow."""
    calls: list[PlannedCall] = []
    for index, passages in enumerate(single):
        if calls and len(calls[-1].claims) < MOST_CLAIMS:
            more = _merged([*calls[-1].passages, *passages])
            if _length(more) <= JOINT_CHARS:
                calls[-1] = PlannedCall(claims=(*calls[-1].claims, index), passages=more)
                continue
        calls.append(PlannedCall(claims=(index,), passages=tuple(passages)))
    return calls


def _even(count: int) -> list[PlannedCall]:
    """Full calls in order, without passages."""
    return [
        PlannedCall(claims=tuple(range(at, min(at + MOST_CLAIMS, count))), passages=())
        for at in range(0, count, MOST_CLAIMS)
    ]


def _merged(passages: Sequence[Passage]) -> tuple[Passage, ...]:
    """The passages in reading order, those that overlap or touch as one."""
    merged: list[Passage] = []
    for passage in sorted(passages, key=lambda passage: (passage.start, -passage.end)):
        last = merged[-1] if merged else None
        if last is None or passage.start > last.end:
            merged.append(passage)
        elif passage.end > last.end:
            merged[-1] = Passage(
                span=Span(last.start, passage.end),
                text=last.text + passage.text[last.end - passage.start :],
                score=max(last.score, passage.score),
                heading=last.heading,
                table_header=last.table_header,
            )
    return tuple(merged)


def _length(passages: Sequence[Passage]) -> int:
    return sum(len(passage.text) for passage in passages)
