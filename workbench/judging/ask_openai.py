"""Ask a model through the OpenAI SDK: any server with Chat Completions, else with Responses."""

import json
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal

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
    from openai import AsyncOpenAI

MARKED = "workbench"
"""Under which a batch carries its mark."""
_OPTIONAL_FIELDS = ("response_format", "temperature", "max_completion_tokens")
"""Parameters that some compatible servers refuse with a 400 that names them."""


ResponseFormat = Literal["json_schema", "json_object", "text"]


class CompatibleProvider:
    """One model of an OpenAI-compatible server; key and base URL from the SDK's own variables."""

    def __init__(self, model: str, timeout_s: float = TIMEOUT_S) -> None:
        if find_spec("openai") is None:
            raise UnknownJudge("OpenAI judges need the library: pip install 'openai>=3.51,<4'.")
        self._model = model
        self._timeout_s = timeout_s
        self._chat = True
        self._refused: set[str] = set()
        self._clients = Clients(self._client)

    def _client(self) -> "AsyncOpenAI":
        from openai import AsyncOpenAI, DefaultAsyncHttpxClient

        # Retries are ours: only we know which of them may be billed twice.
        return AsyncOpenAI(
            max_retries=0,
            timeout=self._timeout_s,
            http_client=DefaultAsyncHttpxClient(verify=shared_tls(), event_hooks=MASKING_HOOKS),
        )

    async def aclose(self) -> None:
        """Close the connections of the running event loop."""
        await self._clients.aclose()

    async def complete(self, question: CompletionRequest) -> Completion:
        """The model's answer; raises `ProviderFailure`.

        A server without Chat Completions (404) is asked through Responses from then on; a
        parameter that it refuses by name (400) is left out from then on.
        """
        try:
            return await (self._ask_chat(question) if self._chat else self._respond(question))
        except ProviderFailure as failure:
            if failure.status == 400:
                refused = next((n for n in _OPTIONAL_FIELDS if n in str(failure)), None)
                if refused is not None and refused not in self._refused:
                    self._refused.add(refused)
                    return await self.complete(question)
            if failure.status not in (404, 405) or not self._chat:
                raise
            try:
                completion = await self._respond(question)
            except ProviderFailure as second:
                # A model that neither path knows: the first answer is the one to report.
                raise failure if second.status == 404 else second from None
            self._chat = False
            return completion

    async def _ask_chat(
        self, question: CompletionRequest, response_format: ResponseFormat = "json_schema"
    ) -> Completion:
        with sdk_errors("openai"):
            reply = await self._clients.get().chat.completions.with_raw_response.create(
                **self._body(question, response_format)
            )
        return self._read(reply.text)

    def _body(
        self, question: CompletionRequest, response_format: ResponseFormat = "json_schema"
    ) -> dict[str, Any]:
        """What a question is sent as to Chat Completions, without what the server refused."""
        tokens = (
            "max_tokens" if "max_completion_tokens" in self._refused else "max_completion_tokens"
        )
        body: dict[str, Any] = {
            "model": self._model,
            "messages": [
                {"role": "system", "content": question.system},
                {"role": "user", "content": question.message},
            ],
            "temperature": 0,
            tokens: question.max_tokens,
            "response_format": {"type": response_format},
        }
        if response_format == "json_schema":
            schema = {"name": "judgment", "strict": True, "schema": question.schema}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        refused = self._refused | ({"response_format"} if response_format == "text" else set())
        return {name: value for name, value in body.items() if name not in refused}

    def _read(self, body: str) -> Completion:
        return read_chat(body)

    async def _respond(self, question: CompletionRequest) -> Completion:
        import openai

        form: Any = {"type": "json_schema", "name": "judgment", "strict": True}
        form["schema"] = question.schema
        with sdk_errors("openai"):
            reply = await self._clients.get().responses.with_raw_response.create(
                model=self._model,
                instructions=question.system,
                input=question.message,
                max_output_tokens=question.max_tokens,
                temperature=openai.omit if "temperature" in self._refused else 0,
                store=False,
                text={"format": form},
            )
        return read_response(reply.text)


class OpenAIProvider(CompatibleProvider):
    """One model of OpenAI's, or of the server that `OPENAI_BASE_URL` names; it takes batches."""

    def __init__(self, model: str, timeout_s: float = TIMEOUT_S) -> None:
        super().__init__(model, timeout_s)
        from openai import OpenAIError

        try:
            self._client()
        except OpenAIError:
            raise MissingKey(
                f"The judge openai:{self._model} needs an API key: set OPENAI_API_KEY (to any "
                f"value if the server needs none), or use the judge local."
            ) from None

    async def submit(self, questions: Mapping[str, CompletionRequest], mark: str) -> str:
        """Hand in a batch of Chat Completions; its id. Raises `ProviderFailure`."""
        lines = []
        for name, question in questions.items():
            body = self._body(question)
            del body["temperature"]
            request = {"method": "POST", "url": "/v1/chat/completions", "body": body}
            lines.append(json.dumps({"custom_id": name, **request}))
        client = self._clients.get()
        with sdk_errors("openai"):
            stored = await client.files.create(
                file=("batch.jsonl", "\n".join(lines).encode()), purpose="batch"
            )
            batch = await client.batches.create(
                completion_window="24h",
                endpoint="/v1/chat/completions",
                input_file_id=stored.id,
                metadata={MARKED: mark},
            )
        return batch.id

    async def find(self, intent: BatchIntent) -> Sequence[str]:
        """The batch with the intent's mark, if it came. Raises `ProviderFailure`."""
        oldest = (intent.at - CLOCKS_APART).timestamp()
        with sdk_errors("openai"):
            async for batch in self._clients.get().batches.list(limit=100):
                if (batch.metadata or {}).get(MARKED) == intent.mark:
                    return [batch.id]
                if batch.created_at < oldest:
                    break
        return []

    async def state(self, batch_id: str) -> BatchState:
        """How far a batch is. Raises `ProviderFailure`."""
        with sdk_errors("openai"):
            batch = await self._clients.get().batches.retrieve(batch_id)
        counts = dict(batch.request_counts) if batch.request_counts else {}
        done = batch.status in ("completed", "failed", "expired", "cancelled")
        return BatchState(done=done, counts=counts)

    async def results(self, batch_id: str) -> Mapping[str, Completion | ProviderFailure]:
        """The result of each question of a finished batch. Raises `ProviderFailure`."""
        client = self._clients.get()
        texts: list[str] = []
        with sdk_errors("openai"):
            batch = await client.batches.retrieve(batch_id)
            for file_id in (batch.output_file_id, batch.error_file_id):
                if file_id:
                    texts.append((await client.files.content(file_id)).text)
        results: dict[str, Completion | ProviderFailure] = {}
        for line in "\n".join(texts).split("\n"):
            entry = parsed(line)
            name, status = entry.get("custom_id"), inner(entry.get("response"), "status_code")
            if not isinstance(name, str):
                continue
            if status == 200:
                results[name] = read_chat(json.dumps(inner(entry.get("response"), "body")))
            else:
                results[name] = ProviderFailure(f"the batch says HTTP {str(status)[:10]}")
        return results


def read_chat(body: str) -> Completion:
    """The completion in the body of a Chat Completions reply, whatever the body is."""
    reply = parsed(body)
    choice = inner(reply.get("choices"), 0)
    content = inner(choice, "message", "content")
    refusal = inner(choice, "message", "refusal")
    finish = inner(choice, "finish_reason")
    return Completion(
        text=content if isinstance(content, str) else refusal if isinstance(refusal, str) else body,
        usage=_usage(reply, "prompt_tokens", "completion_tokens"),
        refused=bool(refusal) or finish == "content_filter",
        cut=finish == "length",
    )


def read_response(body: str) -> Completion:
    """The completion in the body of a Responses reply, whatever the body is."""
    reply = parsed(body)
    output = reply.get("output")
    texts: list[str] = []
    refused = False
    for item in output if isinstance(output, list) else []:
        parts = inner(item, "content")
        for part in parts if isinstance(parts, list) else []:
            refused = refused or inner(part, "type") == "refusal"
            texts.append(str(inner(part, "text") or inner(part, "refusal") or ""))
    reason = inner(reply.get("incomplete_details"), "reason")
    return Completion(
        text="".join(texts) if isinstance(output, list) else body,
        usage=_usage(reply, "input_tokens", "output_tokens"),
        refused=refused or reason == "content_filter",
        cut=reason == "max_output_tokens",
    )


def _usage(reply: Mapping[str, Json], read: str, written: str) -> Usage | None:
    """Tokens billed; cached tokens are part of the input, and cheaper."""
    usage = reply.get("usage")
    input_tokens, output_tokens = count(inner(usage, read)), count(inner(usage, written))
    if input_tokens is None or output_tokens is None:
        return None
    cached = min(input_tokens, count(inner(usage, f"{read}_details", "cached_tokens")) or 0)
    return Usage(
        input_tokens=input_tokens - cached, output_tokens=output_tokens, cache_read_tokens=cached
    )
