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
    json_object,
    whole_body,
)
from workbench.records import Json, JsonDict

if TYPE_CHECKING:
    import httpx

DONE = "[DONE]"
_STREAM = "text/event-stream"
_BESIDE = ("citations", "search_results")
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
        self.beside |= {name: chunk[name] for name in _BESIDE if name in chunk}
        for index, delta in deltas(chunk):
            message = self.messages.setdefault(index, {"role": "assistant", "content": ""})
            if isinstance(delta.get("content"), str):
                message["content"] = f"{message['content']}{delta['content']}"
            for name in ("refusal", "annotations"):
                value, kept = delta.get(name), message.get(name)
                if isinstance(value, list):
                    message[name] = [*(kept if isinstance(kept, list) else []), *value]

    def completion(self) -> JsonDict:
        """The whole, as it would have come without streaming."""
        choices: list[Json] = [
            {"index": index, "message": message} for index, message in sorted(self.messages.items())
        ]
        return {**self.head, **self.beside, "object": "chat.completion", "choices": choices}

    def chunk(self, choices: list[Json], **more: Json) -> bytes:
        """An event of this server's own, in the form of the others."""
        made: JsonDict = {
            **self.head, "object": "chat.completion.chunk", "choices": choices, **more
        }  # fmt: skip
        return f"data: {json.dumps(made)}\n\n".encode()


def deltas(chunk: Mapping[str, Json]) -> list[tuple[int, JsonDict]]:
    """What a chunk adds to each choice."""
    found: list[tuple[int, JsonDict]] = []
    listed = chunk.get("choices")
    for one in listed if isinstance(listed, list) else []:
        if isinstance(one, dict) and isinstance(one.get("delta"), dict):
            index, delta = one.get("index"), one["delta"]
            assert isinstance(delta, dict)
            found.append((index if isinstance(index, int) else 0, delta))
    return found


async def passing_stream(
    desk: AppContext, upstream: Upstream, body: bytes, request: Request, conditions: Conditions
) -> Response:
    """The stream as it comes, and the report as its last chunk before the end."""
    stack = AsyncExitStack()
    try:
        given = await stack.enter_async_context(
            upstream.ask(body, request.headers, request.url.query)
        )
        if not _streams(given):
            raw = await whole_body(given)
            await stack.aclose()
            return Response(raw, given.status_code, forwarded_headers(given))
    except BaseException:
        await stack.aclose()
        raise
    headers = {
        **forwarded_headers(given),
        "x-workbench-action": "pending",
        "cache-control": "no-store",
    }
    headers.pop("content-type", None)
    return StreamingResponse(
        _passing(desk, given, stack, conditions), headers=headers, media_type=_STREAM
    )


async def _passing(
    desk: AppContext, given: "httpx.Response", stack: AsyncExitStack, conditions: Conditions
) -> AsyncIterator[bytes]:
    gathered, ending = StreamAccumulator(), b""
    async with stack:
        try:
            async for event in events(given):
                data = data_of(event)
                if data.strip() == DONE:
                    ending = event
                    break
                gathered.add(json_object(data) or {})
                yield event
        except Exception:
            said = "The server behind broke off its answer."
            broken = {"error": {"kind": "upstream_failed", "message": said, "code": None}}
            yield f"data: {json.dumps(broken)}\n\n".encode()
            return
    report = report_of(await _outcomes(desk, gathered, conditions, None))
    if report is not None:
        yield gathered.chunk([], citation_report=report)
    yield ending


async def held_stream(
    desk: AppContext, upstream: Upstream, body: bytes, request: Request, conditions: Conditions
) -> Response:
    """The stream after the verdict: as it came, or as the policy leaves it."""
    gathered, kept = StreamAccumulator(), list[bytes]()

    async def asked() -> Response | dict[str, str]:
        async with upstream.ask(body, request.headers, request.url.query) as given:
            if _streams(given):
                await _gather(given, gathered, kept)
                return forwarded_headers(given)
            raw = await whole_body(given)
            if given.status_code != 200:
                return Response(raw, given.status_code, forwarded_headers(given))
        raise ApiError("upstream_failed", "The server behind did not answer by a stream.", 502)

    answered = await cancel_on_disconnect(request, asked)
    if isinstance(answered, Response):
        return answered
    outcomes = await _outcomes(desk, gathered, conditions, request)
    headers = {**answered, **headers_of(outcomes), "cache-control": "no-store"}
    headers.pop("content-type", None)
    left = b"".join(rewritten(gathered, kept, outcomes))
    return Response(left, 200, headers, media_type=_STREAM)


async def _gather(given: "httpx.Response", gathered: StreamAccumulator, kept: list[bytes]) -> None:
    size = 0
    async for event in events(given):
        gathered.add(json_object(data_of(event)) or {})
        kept.append(event)
        size += len(event)
        if size > LARGEST_ANSWER:
            raise ApiError("upstream_failed", "The server behind answered with too much.", 502)


def rewritten(
    gathered: StreamAccumulator, kept: Sequence[bytes], outcomes: Sequence[Outcome]
) -> list[bytes]:
    """The events as they are handed on, with the report before the end."""
    changed = {one.index: one for one in outcomes if one.action in ("redact", "block")}
    told: set[int] = set()
    found: list[bytes] = []
    ending = b""
    for event in kept:
        data = data_of(event)
        chunk = json_object(data)
        if data.strip() == DONE:
            ending = event
        elif chunk is None or not changed:
            found.append(event)
        else:
            left = [_changed(one, changed, told) for one in _listed(chunk)]
            some: list[Json] = [one for one in left if one is not None]
            if some or not left:
                whole = json.dumps({**chunk, "choices": some})
                found.append(f"data: {whole}\n\n".encode())
    report = report_of(outcomes)
    if report is not None:
        found.append(gathered.chunk([], citation_report=report))
    return [*found, ending]


def _changed(choice: JsonDict, changed: Mapping[int, Outcome], told: set[int]) -> JsonDict | None:
    """One choice of a chunk as its outcome leaves it; None where nothing is left."""
    index = choice.get("index")
    outcome = changed.get(index if isinstance(index, int) else 0)
    if outcome is None:
        return choice
    first = outcome.index not in told
    told.add(outcome.index)
    if outcome.action == "block":
        if not first:
            return None
        refused: JsonDict = {"role": "assistant", "content": None, "refusal": outcome.error}
        return {"index": outcome.index, "delta": refused, "finish_reason": "content_filter"}
    delta = choice.get("delta")
    given = delta if isinstance(delta, dict) else {}
    left = {k: v for k, v in given.items() if k not in ("content", "annotations")}
    if first:
        # the whole text at once, in the first chunk; the others keep what is no text
        left["content"] = outcome.text
    return {**choice, "delta": left, "logprobs": None}


def _listed(chunk: Mapping[str, Json]) -> list[JsonDict]:
    listed = chunk.get("choices")
    return [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []


async def _outcomes(
    desk: AppContext, gathered: StreamAccumulator, conditions: Conditions, request: Request | None
) -> list[Outcome]:
    whole = gathered.completion()
    choices = whole["choices"]
    return [
        await check_choice(desk, whole, one, conditions, request)
        for one in (choices if isinstance(choices, list) else [])
        if isinstance(one, dict)
    ]


def _streams(given: "httpx.Response") -> bool:
    return given.status_code == 200 and given.headers.get("content-type", "").startswith(_STREAM)
