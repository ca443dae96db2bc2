"""How the claims of one source are sent: one or several per call, whichever is cheaper.

What is weighed is the price of a usual call: instructions and passages are paid once a call, or
once and then at the price of the provider's cache; replies are as long either way.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from time import perf_counter

from workbench.errors import JudgeError
from workbench.judging.llm import OVERHEAD_TOKENS, LlmJudge, Spent, complete
from workbench.judging.prices import Price, Usage, tokens_about
from workbench.judging.prompts import (
    TOGETHER,
    fence_claims,
    joint_prompt,
    render,
    shared_part,
    source_values,
)
from workbench.judging.provider import CompletionRequest, ProviderFailure
from workbench.judging.reply import (
    MalformedReply,
    fields_of,
    json_objects,
    list_schema,
    usual_extra_tokens,
    validated,
)
from workbench.records.context import NO_CONTEXT, JudgeContext
from workbench.records.source import Passage
from workbench.records.text import Json, Span
from workbench.records.verdict import Judgment

MOST_CLAIMS = 8
"""Claims in one call; more of them and models lose count."""


def joint_question(
    judge: LlmJudge,
    claims: Sequence[str],
    passages: Sequence[Passage],
    contexts: Sequence[JudgeContext] = (),
    *,
    shared: bool = False,
) -> CompletionRequest:
    """What a joint call asks; with `shared` marked for the provider's cache where that pays.

    `contexts` has one for each claim, all of the same source; without them claims have no context.
    """
    prompt = joint_prompt(judge.prompt) or TOGETHER
    claim_contexts = list(contexts) or [NO_CONTEXT] * len(claims)
    values = source_values(prompt, passages, claim_contexts[0])
    fenced_claims = fence_claims(claims, claim_contexts, prompt)
    system, message = render(prompt, {**values, "claims": fenced_claims})
    tokens = sum(judge.room_for_reply(claim) for claim in claims)
    schema = list_schema("judgments", {"claim": {"type": "integer"}, **fields_of(prompt)})
    shared_chars = 0
    if shared and judge.caches(passages, claim_contexts[0], prompt):
        shared_chars = len(shared_part(prompt, values)[1])
    return CompletionRequest(
        system=system, message=message, schema=schema, max_tokens=tokens, shared_chars=shared_chars
    )


async def judge_jointly(
    judge: LlmJudge,
    claims: Sequence[str],
    passages: Sequence[Passage],
    contexts: Sequence[JudgeContext] = (),
    *,
    shared: bool = False,
) -> list[Judgment | JudgeError]:
    """For each claim its judgment, or the error a single call would have raised, in their order.

    One call for at most `MOST_CLAIMS` claims; what it cost is shared evenly among them, also where
    the call failed as a whole. With `shared` the provider is asked to keep the passages for the
    next call on them. Raises `ValueError` for no claims or too many.
    """
    if not 0 < len(claims) <= MOST_CLAIMS:
        raise ValueError(f"A joint call takes 1 to {MOST_CLAIMS} claims, not {len(claims)}.")
    begun = perf_counter()
    question = joint_question(judge, claims, passages, contexts, shared=shared)
    try:
        completion, usage = await complete(judge.provider, question)
    except ProviderFailure as failure:
        message = f"{judge.spec} could not be asked: {failure}."
        shares = _shared(failure.usage, len(claims))
        return [judge.failed("llm_judge_error", message, Spent(usage, begun)) for usage in shares]
    shares = _shared(usage, len(claims))
    answers = _answers(completion.text)
    prompt = (joint_prompt(judge.prompt) or TOGETHER).id
    results: list[Judgment | JudgeError] = []
    for number, (claim, share) in enumerate(zip(claims, shares, strict=True), 1):
        spent = Spent(share, begun)
        try:
            if completion.refused or number not in answers:
                raise MalformedReply("it was refused" if completion.refused else "it is missing")
            reply = validated(answers[number])
            results.append(judge.checked(claim, passages, reply, spent, completion.text, prompt))
        except MalformedReply as problem:
            message = f"The reply of {judge.spec} has no verdict on claim {number}: {problem}."
            results.append(
                judge.failed("malformed_judge_response", message, spent, completion.text)
            )
        except JudgeError as error:
            results.append(error)
    return results


def _answers(text: str) -> dict[int, dict[str, Json]]:
    """The answers in a reply by the number of their claim; the last one of each counts."""
    answers: dict[int, dict[str, Json]] = {}
    for document in json_objects(text):
        listed = document.get("judgments")
        for answer in listed if isinstance(listed, list) else []:
            if isinstance(answer, dict) and isinstance(answer.get("claim"), int):
                answers[int(str(answer["claim"]))] = dict(answer)
    return answers


def _shared(usage: Usage, parts: int) -> list[Usage]:
    """The usage in equal parts, the remainder on the first: they add up to the whole."""
    tokens = asdict(usage)
    equal = Usage(**{kind: count // parts for kind, count in tokens.items()})
    first = Usage(**{kind: count // parts + count % parts for kind, count in tokens.items()})
    return [first, *[equal] * (parts - 1)]


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
_DEFAULT_PRICE = Price(input=1.0, output=4.0, cache_write_factor=1.25, cache_read_factor=0.1)
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
        reply = REPLY_TOKENS + usual_extra_tokens(judge.prompt)
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
