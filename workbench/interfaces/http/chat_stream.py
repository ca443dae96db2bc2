"""The pass-through for streams: held until the verdict where the policy can change the answer."""

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from workbench.interfaces.http.answer_check import (
    Conditions,
    Outcome,
    check_choice,
    headers_of,
    report_of,
)
from workbench.interfaces.http.operations import AppContext, cancel_on_disconnect
from workbench.interfaces.http.responses import ApiError
from workbench.interfaces.http.upstream import (
    LARGEST_ANSWER,
    Upstream,
    data_of,
    events,
    forwarded_headers,
    full_body,
    json_object,
)
from workbench.records.text import Json, JsonDict

if TYPE_CHECKING:
    import httpx

DONE = "[DONE]"
_STREAM = "text/event-stream"
_TOP_LEVEL_FIELDS = ("citations", "search_results")
"""Where other servers of the same form list the sources of an answer."""


@dataclass(slots=True)
class StreamAccumulator:
    """The chunks of a stream as the completion that they make up."""

    head: JsonDict = field(default_factory=dict)
    beside: JsonDict = field(default_factory=dict)
    messages: dict[int, JsonDict] = field(default_factory=dict)

    def add(self, chunk: Mapping[str, Json]) -> None:
        """Take one chunk."""
        for name in ("id", "created", "model"):
            if name not in self.head and name in chunk:
                self.head[name] = chunk[name]
        self.beside |= {name: chunk[name] for name in _TOP_LEVEL_FIELDS if name in chunk}
        for index, delta in deltas(chunk):
            message = self.messages.setdefault(index, {"role": "assistant", "content": ""})
            if isinstance(delta.get("content"), str):
                message["content"] = f"{message['content']}{delta['content']}"
            for name in ("refusal", "annotations"):
                value, previous = delta.get(name), message.get(name)
                if isinstance(value, list):
                    message[name] = [*(previous if isinstance(previous, list) else []), *value]

    def completion(self) -> JsonDict:
        """The whole, as it would have come without streaming."""
        choices: list[Json] = [
            {"index": index, "message": message} for index, message in sorted(self.messages.items())
        ]
        return {**self.head, **self.beside, "object": "chat.completion", "choices": choices}

    def chunk(self, choices: list[Json], **more: Json) -> bytes:
        """An event of this server's own, in the form of the others."""
        event: JsonDict = {
            **self.head, "object": "chat.completion.chunk", "choices": choices, **more
        }  # fmt: skip
        return f"data: {json.dumps(event)}\n\n".encode()


def deltas(chunk: Mapping[str, Json]) -> list[tuple[int, JsonDict]]:
    """What a chunk adds to each choice."""
    changes: list[tuple[int, JsonDict]] = []
    choices = chunk.get("choices")
    for choice in choices if isinstance(choices, list) else []:
        if isinstance(choice, dict) and isinstance(choice.get("delta"), dict):
            index, delta = choice.get("index"), choice["delta"]
            assert isinstance(delta, dict)
            changes.append((index if isinstance(index, int) else 0, delta))
    return changes


async def passing_stream(
    context: AppContext, upstream: Upstream, body: bytes, request: Request, conditions: Conditions
) -> Response:
    """The stream as it comes, and the report as its last chunk before the end."""
    stack = AsyncExitStack()
    try:
        reply = await stack.enter_async_context(
            upstream.ask(body, request.headers, request.url.query)
        )
        if not _is_stream(reply):
            raw = await full_body(reply)
            await stack.aclose()
            return Response(raw, reply.status_code, forwarded_headers(reply))
    except BaseException:
        await stack.aclose()
        raise
    headers = {
        **forwarded_headers(reply),
        "x-workbench-action": "pending",
        "cache-control": "no-store",
    }
    headers.pop("content-type", None)
    return StreamingResponse(
        _pass_events(context, reply, stack, conditions), headers=headers, media_type=_STREAM
    )


async def _pass_events(
    context: AppContext, reply: "httpx.Response", stack: AsyncExitStack, conditions: Conditions
) -> AsyncIterator[bytes]:
    gathered, ending = StreamAccumulator(), b""
    async with stack:
        try:
            async for event in events(reply):
                data = data_of(event)
                if data.strip() == DONE:
                    ending = event
                    break
                gathered.add(json_object(data) or {})
                yield event
        except Exception:
            message = "The server behind broke off its answer."
            broken = {"error": {"kind": "upstream_failed", "message": message, "code": None}}
            yield f"data: {json.dumps(broken)}\n\n".encode()
            return
    report = report_of(await _check_choices(context, gathered, conditions, None))
    if report is not None:
        yield gathered.chunk([], citation_report=report)
    yield ending


async def buffered_stream(
    context: AppContext, upstream: Upstream, body: bytes, request: Request, conditions: Conditions
) -> Response:
    """The stream after the verdict: as it came, or as the policy leaves it."""
    gathered, held_events = StreamAccumulator(), list[bytes]()

    async def ask_upstream() -> Response | dict[str, str]:
        async with upstream.ask(body, request.headers, request.url.query) as reply:
            if _is_stream(reply):
                await _gather(reply, gathered, held_events)
                return forwarded_headers(reply)
            raw = await full_body(reply)
            if reply.status_code != 200:
                return Response(raw, reply.status_code, forwarded_headers(reply))
        raise ApiError("upstream_failed", "The upstream server did not respond with a stream.", 502)

    answered = await cancel_on_disconnect(request, ask_upstream)
    if isinstance(answered, Response):
        return answered
    outcomes = await _check_choices(context, gathered, conditions, request)
    headers = {**answered, **headers_of(outcomes), "cache-control": "no-store"}
    headers.pop("content-type", None)
    rewritten_body = b"".join(rewritten(gathered, held_events, outcomes))
    return Response(rewritten_body, 200, headers, media_type=_STREAM)


async def _gather(
    reply: "httpx.Response", gathered: StreamAccumulator, held_events: list[bytes]
) -> None:
    size = 0
    async for event in events(reply):
        gathered.add(json_object(data_of(event)) or {})
        held_events.append(event)
        size += len(event)
        if size > LARGEST_ANSWER:
            raise ApiError("upstream_failed", "The upstream server's response is too large.", 502)


def rewritten(
    gathered: StreamAccumulator, held_events: Sequence[bytes], outcomes: Sequence[Outcome]
) -> list[bytes]:
    """The events as they are handed on, with the report before the end."""
    changed = {
        outcome.index: outcome for outcome in outcomes if outcome.action in ("redact", "block")
    }
    replaced_indexes: set[int] = set()
    output_events: list[bytes] = []
    ending = b""
    for event in held_events:
        data = data_of(event)
        chunk = json_object(data)
        if data.strip() == DONE:
            ending = event
        elif chunk is None or not changed:
            output_events.append(event)
        else:
            changed_choices = [
                _changed_choice(choice, changed, replaced_indexes) for choice in _choices(chunk)
            ]
            some: list[Json] = [choice for choice in changed_choices if choice is not None]
            if some or not changed_choices:
                event_json = json.dumps({**chunk, "choices": some})
                output_events.append(f"data: {event_json}\n\n".encode())
    report = report_of(outcomes)
    if report is not None:
        output_events.append(gathered.chunk([], citation_report=report))
    return [*output_events, ending]


def _changed_choice(
    choice: JsonDict, changed: Mapping[int, Outcome], replaced_indexes: set[int]
) -> JsonDict | None:
    """One choice of a chunk as its outcome leaves it; None where nothing is left."""
    index = choice.get("index")
    outcome = changed.get(index if isinstance(index, int) else 0)
    if outcome is None:
        return choice
    first = outcome.index not in replaced_indexes
    replaced_indexes.add(outcome.index)
    if outcome.action == "block":
        if not first:
            return None
        refused: JsonDict = {"role": "assistant", "content": None, "refusal": outcome.error}
        return {"index": outcome.index, "delta": refused, "finish_reason": "content_filter"}
    delta = choice.get("delta")
    original = delta if isinstance(delta, dict) else {}
    new_delta = {k: v for k, v in original.items() if k not in ("content", "annotations")}
    if first:
        # the whole text at once, in the first chunk; the others keep what is no text
        new_delta["content"] = outcome.text
    return {**choice, "delta": new_delta, "logprobs": None}


def _choices(chunk: Mapping[str, Json]) -> list[JsonDict]:
    choices = chunk.get("choices")
    return (
        [choice for choice in choices if isinstance(choice, dict)]
        if isinstance(choices, list)
        else []
    )


async def _check_choices(
    context: AppContext,
    gathered: StreamAccumulator,
    conditions: Conditions,
    request: Request | None,
) -> list[Outcome]:
    completion = gathered.completion()
    choices = completion["choices"]
    return [
        await check_choice(context, completion, choice, conditions, request)
        for choice in (choices if isinstance(choices, list) else [])
        if isinstance(choice, dict)
    ]


def _is_stream(reply: "httpx.Response") -> bool:
    return reply.status_code == 200 and reply.headers.get("content-type", "").startswith(_STREAM)
