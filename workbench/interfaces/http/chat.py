"""The pass-through: a chat completion of the server behind, verified on its way back."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace

from fastapi import Request, Response

from workbench.interfaces.http.answer_check import (
    Conditions,
    Outcome,
    check_choice,
    documents_in_messages,
    headers_of,
    report_of,
)
from workbench.interfaces.http.api import Context, refusals, router
from workbench.interfaces.http.chat_stream import buffered_stream, passing_stream
from workbench.interfaces.http.gateway import documents_in, read_options
from workbench.interfaces.http.models import ChatBody
from workbench.interfaces.http.operations import AppContext, cancel_on_disconnect, in_thread
from workbench.interfaces.http.policies import named_policy
from workbench.interfaces.http.responses import ApiError, answer
from workbench.interfaces.http.upstream import Upstream, forwarded_headers, full_body, json_object
from workbench.records.text import Json, JsonDict
from workbench.services.inputs import adjacent_question

ROUTER = router()
OURS = "workbench"
"""The field of a call that is for this server; it is not handed on."""
DOCUMENTS = ("documents", "context")


@ROUTER.post(
    "/v1/chat/completions",
    operation_id="chatCompletions",
    responses={
        200: {
            "description": "The completion with `citation_report`; `x-workbench-action` has the "
            "action.",
            "content": {
                "application/json": {
                    "schema": {
                        "type": "object",
                        "properties": {"citation_report": {"type": "object"}},
                    }
                },
                "text/event-stream": {},
            },
        },
        **refusals(404, 409, 502, 504, 508),
    },
)
async def complete(context: Context, request: Request, call: ChatBody) -> Response:
    """A chat completion of the server behind, verified on its way back."""
    upstream = context.upstream
    upstream.check(request.headers)
    conditions = await in_thread(lambda: conditions_of(context, call))
    body = forwarded(await request.body(), await request.json(), call)
    if call.stream and not conditions.may_change:
        return await passing_stream(context, upstream, body, request, conditions)
    if call.stream:
        return await buffered_stream(context, upstream, body, request, conditions)
    return await _checked_completion(context, upstream, body, request, conditions)


async def _checked_completion(
    context: AppContext, upstream: Upstream, body: bytes, request: Request, conditions: Conditions
) -> Response:
    async def ask_upstream() -> tuple[int, dict[str, str], bytes]:
        async with upstream.ask(body, request.headers, request.url.query) as reply:
            return reply.status_code, forwarded_headers(reply), await full_body(reply)

    status, headers, raw = await cancel_on_disconnect(request, ask_upstream)
    if status != 200:
        return Response(raw, status, headers)
    completion = json_object(raw)
    choices = choices_of(completion)
    if completion is None or not choices:
        return unknown_answer(raw, headers, conditions)
    outcomes = [
        await check_choice(context, completion, choice, conditions, request) for choice in choices
    ]
    changed: list[Json] = [
        changed_choice(choice, outcome) for choice, outcome in zip(choices, outcomes, strict=True)
    ]
    report = report_of(outcomes)
    attached = {"citation_report": report} if report is not None else {}
    headers = {**headers, **headers_of(outcomes)}
    headers.pop("content-type", None)
    return answer({**completion, "choices": changed, **attached}, 200, headers)


def unknown_answer(raw: bytes, headers: Mapping[str, str], conditions: Conditions) -> Response:
    """What is no completion: handed back, unless the policy could have held back what it says."""
    if conditions.may_change:
        raise ApiError(
            "upstream_failed",
            "The upstream server's response is not a chat completion, and a policy that can block "
            "does not let it pass.",
            502,
        )
    return Response(raw, 200, {**headers, "x-workbench-action": "pass"})


def choices_of(completion: Mapping[str, Json] | None) -> list[JsonDict]:
    """The choices of a completion."""
    choices = completion.get("choices") if completion else None
    return (
        [choice for choice in choices if isinstance(choice, dict)]
        if isinstance(choices, list)
        else []
    )


def changed_choice(choice: JsonDict, outcome: Outcome) -> JsonDict:
    """The choice as it is handed on: as it came, with its text redacted, or refused."""
    message = choice.get("message")
    if outcome.action == "block" or not isinstance(message, dict):
        refused: JsonDict = {"role": "assistant", "content": None, "refusal": outcome.error}
        if outcome.action != "block":
            return choice
        return {**choice, "message": refused, "logprobs": None, "finish_reason": "content_filter"}
    if outcome.action != "redact":
        return choice
    # what tells single words of the text, or places in it, tells what was taken out
    redacted = {name: value for name, value in message.items() if name != "annotations"}
    redacted["content"] = outcome.text
    return {**choice, "message": redacted, **({"logprobs": None} if "logprobs" in choice else {})}


def conditions_of(context: AppContext, call: ChatBody) -> Conditions:
    """What a call's answers are held to.

    Raises:
        Refusal: The call names a policy where the settings name one, or one that there is not.
        UsageError: The judge cannot be opened.
    """
    options = call.workbench
    if options.policy is not None and context.settings.server.policy:
        raise ApiError(
            "policy_is_set",
            "The policy is set by this server's settings and cannot be changed by a call.",
            403,
        )
    policy = named_policy(context.settings, options.policy)
    sent = call.model_dump(
        include={OURS, *DOCUMENTS, "messages"}, exclude_unset=True, by_alias=True
    )
    documents = documents_in(sent.get(OURS, {}).get("documents"))
    for field in DOCUMENTS:
        documents += documents_in(sent.get(field))
    documents += documents_in_messages(sent["messages"], options.context_from)
    checks = read_options(context, options)
    return Conditions(
        policy=policy,
        options=replace(checks, question=checks.question or adjacent_question(sent) or ""),
        documents=documents,
        named=options.policy is not None or context.settings.server.policy is not None,
    )


def forwarded(raw: bytes, body: Mapping[str, Json], call: ChatBody) -> bytes:
    """The body that is handed on: as it came, without the fields that are for this server."""
    keep = call.workbench.forward_documents
    dropped: Sequence[str] = (OURS,) if keep else (OURS, *DOCUMENTS)
    if not any(name in body for name in dropped):
        return raw
    remaining = {name: value for name, value in body.items() if name not in dropped}
    return json.dumps(remaining).encode()
