"""The pass-through: a chat completion of the server behind, verified on its way back."""

import json
from collections.abc import Mapping, Sequence

from starlette.requests import Request
from starlette.responses import Response

from workbench.interfaces.http.answer_check import (
    Conditions,
    Outcome,
    check_choice,
    documents_in_messages,
    headers_of,
    report_of,
)
from workbench.interfaces.http.chat_stream import held_stream, passing_stream
from workbench.interfaces.http.gateway import documents_in, read_options
from workbench.interfaces.http.operations import AppContext, cancel_on_disconnect, in_thread
from workbench.interfaces.http.policies import named_policy
from workbench.interfaces.http.request import ApiRequest
from workbench.interfaces.http.responses import ApiError, answer
from workbench.interfaces.http.upstream import Upstream, forwarded_headers, json_object, whole_body
from workbench.records import Json, JsonDict

OURS = "workbench"
"""The field of a call that is for this server; it is not handed on."""
DOCUMENTS = ("documents", "context")


async def complete(desk: AppContext, asked: ApiRequest) -> Response:
    """The completion with its report; whatever the server behind refuses is handed back."""
    upstream = desk.upstream
    upstream.check(asked.request.headers)
    conditions = await in_thread(lambda: conditions_of(desk, asked.body))
    body, request = forwarded(asked), asked.request
    if asked.body.get("stream") is True and not conditions.may_change:
        return await passing_stream(desk, upstream, body, request, conditions)
    if asked.body.get("stream") is True:
        return await held_stream(desk, upstream, body, request, conditions)
    return await _completed(desk, upstream, body, request, conditions)


async def _completed(
    desk: AppContext, upstream: Upstream, body: bytes, request: Request, conditions: Conditions
) -> Response:
    async def asked() -> tuple[int, dict[str, str], bytes]:
        async with upstream.ask(body, request.headers, request.url.query) as given:
            return given.status_code, forwarded_headers(given), await whole_body(given)

    status, headers, raw = await cancel_on_disconnect(request, asked)
    if status != 200:
        return Response(raw, status, headers)
    completion = json_object(raw)
    choices = choices_of(completion)
    if completion is None or not choices:
        return unknown_answer(raw, headers, conditions)
    outcomes = [await check_choice(desk, completion, one, conditions, request) for one in choices]
    changed: list[Json] = [
        changed_choice(one, outcome) for one, outcome in zip(choices, outcomes, strict=True)
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
            "The server behind answered with something that is no chat completion, and a policy "
            "that can block does not let it pass.",
            502,
        )
    return Response(raw, 200, {**headers, "x-workbench-action": "pass"})


def choices_of(completion: Mapping[str, Json] | None) -> list[JsonDict]:
    """The choices of a completion."""
    listed = completion.get("choices") if completion else None
    return [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []


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
    kept = {name: value for name, value in message.items() if name != "annotations"}
    kept["content"] = outcome.text
    return {**choice, "message": kept, **({"logprobs": None} if "logprobs" in choice else {})}


def conditions_of(desk: AppContext, body: Mapping[str, Json]) -> Conditions:
    """What a call's answers are held to.

    Raises:
        Refusal: The call names a policy where the settings name one, or one that there is not.
        UsageError: The judge cannot be opened.
    """
    given = body.get(OURS)
    own = given if isinstance(given, dict) else {}
    name = own.get("policy")
    if name is not None and desk.settings.server.policy:
        raise ApiError(
            "policy_is_set",
            "The settings of this server name the policy; a call may name no other.",
            403,
        )
    policy = named_policy(desk.settings, name if isinstance(name, str) else None)
    documents = documents_in(own.get("documents"))
    for field in DOCUMENTS:
        documents += documents_in(body.get(field))
    roles = own.get("context_from", ["tool", "function"])
    named = [one for one in roles if isinstance(one, str)] if isinstance(roles, list) else []
    documents += documents_in_messages(body.get("messages"), named)
    return Conditions(
        policy=policy,
        options=read_options(desk, own),
        documents=documents,
        named=name is not None or desk.settings.server.policy is not None,
    )


def forwarded(asked: ApiRequest) -> bytes:
    """The body that is handed on: as it came, without the fields that are for this server."""
    given = asked.body.get(OURS)
    keep = isinstance(given, dict) and given.get("forward_documents") is True
    dropped: Sequence[str] = (OURS,) if keep else (OURS, *DOCUMENTS)
    if not any(name in asked.body for name in dropped):
        return asked.raw
    left = {name: value for name, value in asked.body.items() if name not in dropped}
    return json.dumps(left).encode()
