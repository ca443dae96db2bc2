"""Several claims of one source in one call, where that is cheaper than asking one by one."""

from collections.abc import Sequence
from time import perf_counter

from workbench.errors import JudgeError
from workbench.judging.llm import LlmJudge, worst_usage
from workbench.judging.prices import Usage
from workbench.judging.prompts import (
    TOGETHER,
    fence_claims,
    joint_prompt,
    render,
    shared_part,
    source_values,
)
from workbench.judging.provider import MOST_LOST, CompletionRequest, ProviderFailure, with_retries
from workbench.judging.reply import (
    MalformedReply,
    json_objects,
    schema_of,
    validated,
)
from workbench.records import (
    NO_CONTEXT,
    Json,
    JsonDict,
    JudgeContext,
    Judgment,
    Passage,
)

MOST_CLAIMS = 8
"""Claims in one call; more of them and models lose count."""


def _schema(single: JsonDict) -> JsonDict:
    """Replies to several claims, each with its number and the fields of `one`."""
    fields = single["properties"]
    properties = fields if isinstance(fields, dict) else {}
    return {
        "type": "object",
        "additionalProperties": False,
        "required": ["judgments"],
        "properties": {
            "judgments": {
                "type": "array",
                "items": {
                    "type": "object",
                    "additionalProperties": False,
                    "required": ["claim", *properties],
                    "properties": {"claim": {"type": "integer"}, **properties},
                },
            }
        },
    }


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
    schema = _schema(schema_of(prompt))
    shared_chars = 0
    if shared and judge.caches(passages, claim_contexts[0], prompt):
        shared_chars = len(shared_part(prompt, values)[1])
    return CompletionRequest(
        system=system, message=message, schema=schema, max_tokens=tokens, shared_chars=shared_chars
    )


def worst_cost_usd(
    judge: LlmJudge,
    claims: Sequence[str],
    passages: Sequence[Passage],
    contexts: Sequence[JudgeContext] = (),
    *,
    shared: bool = False,
) -> float | None:
    """The most a joint call can cost, lost attempts included; None when the price is unknown."""
    if judge.price is None:
        return None
    usage = worst_usage(joint_question(judge, claims, passages, contexts, shared=shared))
    return judge.price.cost_usd(usage) * (1 + MOST_LOST)


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
    worst = worst_usage(question)
    try:
        completion, lost = await with_retries(lambda: judge.provider.complete(question))
    except ProviderFailure as failure:
        message = f"{judge.spec} could not be asked: {failure}."
        shares = _shared(worst.times(failure.lost), len(claims))
        return [judge.failed("llm_judge_error", message, usage, begun) for usage in shares]
    usage = (completion.usage or worst).plus(worst.times(lost))
    shares = _shared(usage, len(claims))
    answers = _answers(completion.text)
    prompt = (joint_prompt(judge.prompt) or TOGETHER).id
    results: list[Judgment | JudgeError] = []
    for number, (claim, share) in enumerate(zip(claims, shares, strict=True), 1):
        try:
            if completion.refused or number not in answers:
                raise MalformedReply("it was refused" if completion.refused else "it is missing")
            reply = validated(answers[number])
            results.append(
                judge.checked(claim, passages, reply, share, begun, completion.text, prompt)
            )
        except MalformedReply as problem:
            message = f"The reply of {judge.spec} has no verdict on claim {number}: {problem}."
            results.append(
                judge.failed("malformed_judge_response", message, share, begun, completion.text)
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

    def split(total: int) -> list[int]:
        return [total // parts + (total % parts if i == 0 else 0) for i in range(parts)]

    columns = zip(
        split(usage.input_tokens),
        split(usage.output_tokens),
        split(usage.cache_write_tokens),
        split(usage.cache_read_tokens),
        strict=True,
    )
    return [
        Usage(
            input_tokens=read, output_tokens=out, cache_write_tokens=wrote, cache_read_tokens=again
        )
        for read, out, wrote, again in columns
    ]
