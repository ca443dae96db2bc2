"""Ask a model through the Anthropic SDK (Messages API, structured output)."""

import json
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from workbench.errors import MissingKey, UnknownJudge
from workbench.judging.prices import Usage
from workbench.judging.provider import (
    CLOCKS_APART,
    MASKING_HOOKS,
    TIMEOUT_S,
    BatchIntent,
    BatchState,
    Clients,
    Completion,
    CompletionRequest,
    ProviderFailure,
    count,
    inner,
    parsed,
    sdk_errors,
    shared_tls,
)
from workbench.records.text import Json

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic
    from anthropic.types import TextBlockParam


class AnthropicProvider:
    """One model of the Messages API; key and base URL come from the SDK's own variables."""

    def __init__(self, model: str, timeout_s: float = TIMEOUT_S) -> None:
        if find_spec("anthropic") is None:
            raise UnknownJudge(
                "Anthropic judges need the library: pip install 'anthropic>=2.10,<3'."
            )
        self._model = model
        self._timeout_s = timeout_s
        self._structured = True
        self._clients = Clients(self._client)
        self._check_key()

    def _client(self) -> "AsyncAnthropic":
        from anthropic import AsyncAnthropic, DefaultAsyncHttpxClient

        # Retries are ours: only we know which of them may be billed twice.
        return AsyncAnthropic(
            max_retries=0,
            timeout=self._timeout_s,
            http_client=DefaultAsyncHttpxClient(verify=shared_tls(), event_hooks=MASKING_HOOKS),
        )

    def _check_key(self) -> None:
        client = self._client()
        if not (client.api_key or client.auth_token or client.credentials):
            raise MissingKey(
                f"The judge anthropic:{self._model} needs an API key: set ANTHROPIC_API_KEY, "
                "or use the judge local."
            )

    async def aclose(self) -> None:
        """Close the connections of the running event loop."""
        await self._clients.aclose()

    async def complete(self, question: CompletionRequest) -> Completion:
        """The model's answer; raises `ProviderFailure`."""
        client = self._clients.get()
        try:
            with sdk_errors("anthropic"):
                reply = await client.messages.with_raw_response.create(**self._body(question))
        except ProviderFailure as failure:
            if self._structured and failure.status == 400 and "output_config" in str(failure):
                self._structured = False  # an older server: the prompt alone asks for JSON
                return await self.complete(question)
            raise
        return read_message(await reply.text())

    def _body(self, question: CompletionRequest) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self._model,
            "max_tokens": question.max_tokens,
            "system": question.system,
            "messages": [{"role": "user", "content": _content(question)}],
        }
        if self._structured:
            schema = {"type": "json_schema", "schema": question.schema}
            body["output_config"] = {"format": schema}
        return body

    async def submit(self, questions: Mapping[str, CompletionRequest], mark: str) -> str:
        """Hand in a batch; its id. It takes no mark. Raises `ProviderFailure`."""
        requests: list[Any] = [
            {"custom_id": name, "params": self._body(question)}
            for name, question in questions.items()
        ]
        with sdk_errors("anthropic"):
            batch = await self._clients.get().messages.batches.create(requests=requests)
        return batch.id

    async def find(self, intent: BatchIntent) -> Sequence[str]:
        """The batches of the intent's size and minutes. Raises `ProviderFailure`."""
        batch_ids = []
        with sdk_errors("anthropic"):
            async for batch in self._clients.get().messages.batches.list(limit=100):
                if batch.created_at < intent.at - CLOCKS_APART:
                    break
                size = sum(dict(batch.request_counts).values())
                if size == intent.items and batch.created_at <= intent.at + CLOCKS_APART:
                    batch_ids.append(batch.id)
        return batch_ids

    async def state(self, batch_id: str) -> BatchState:
        """How far a batch is. Raises `ProviderFailure`."""
        with sdk_errors("anthropic"):
            batch = await self._clients.get().messages.batches.retrieve(batch_id)
        return BatchState(
            done=batch.processing_status == "ended", counts=dict(batch.request_counts)
        )

    async def results(self, batch_id: str) -> Mapping[str, Completion | ProviderFailure]:
        """The result of each question of a finished batch. Raises `ProviderFailure`."""
        results: dict[str, Completion | ProviderFailure] = {}
        with sdk_errors("anthropic"):
            async for line in await self._clients.get().messages.batches.results(batch_id):
                entry = line.to_dict()
                name, result = str(entry.get("custom_id")), entry.get("result")
                kind = result.get("type") if isinstance(result, dict) else None
                if isinstance(result, dict) and kind == "succeeded":
                    results[name] = read_message(json.dumps(result.get("message")))
                else:
                    results[name] = ProviderFailure(f"the batch says {str(kind)[:40]!r}")
        return results


def _content(question: CompletionRequest) -> "str | list[TextBlockParam]":
    """The message, its shared beginning marked to be kept for five minutes.

    A mark keeps all that stands before it, the system text included. The bytes that the model reads
    are the same either way.
    """
    if not question.shared_chars:
        return question.message
    stable = question.message[: question.shared_chars]
    variable = question.message[question.shared_chars :]
    return [
        {"type": "text", "text": stable, "cache_control": {"type": "ephemeral"}},
        {"type": "text", "text": variable},
    ]


def read_message(body: str) -> Completion:
    """The completion in the body of a Messages reply, whatever the body is."""
    message = parsed(body)
    blocks = message.get("content")
    texts = [
        str(block.get("text"))
        for block in (blocks if isinstance(blocks, list) else [])
        if isinstance(block, dict) and block.get("type") == "text"
    ]
    stop = message.get("stop_reason")
    return Completion(
        text="".join(texts) if isinstance(blocks, list) else body,
        usage=_usage(message),
        refused=stop == "refusal",
        cut=stop in ("max_tokens", "model_context_window_exceeded"),
    )


def _usage(message: Mapping[str, Json]) -> Usage | None:
    read = count(inner(message.get("usage"), "input_tokens"))
    written = count(inner(message.get("usage"), "output_tokens"))
    if read is None or written is None:
        return None
    return Usage(
        input_tokens=read,
        output_tokens=written,
        cache_write_tokens=count(inner(message.get("usage"), "cache_creation_input_tokens")) or 0,
        cache_read_tokens=count(inner(message.get("usage"), "cache_read_input_tokens")) or 0,
    )
