"""Ask a model through the Anthropic SDK (Messages API, structured output)."""

from collections.abc import Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING, cast

from workbench.errors import MissingKey, UnknownJudge
from workbench.judging.prices import Usage
from workbench.judging.provider import Completion, Question
from workbench.judging.sdk import (
    TIMEOUT_S,
    Clients,
    connection_failure,
    count,
    inner,
    parsed,
    status_failure,
)
from workbench.records import Json

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic


class AnthropicProvider:
    """One model of the Messages API; key and base URL come from the SDK's own variables."""

    def __init__(self, model: str, timeout_s: float = TIMEOUT_S) -> None:
        if find_spec("anthropic") is None:
            raise UnknownJudge(
                "Judges of Anthropic need its library: pip install 'anthropic>=2.10,<3'."
            )
        self._model = model
        self._timeout_s = timeout_s
        self._structured = True
        self._clients = Clients(self._client)
        self._check_key()

    def _client(self) -> "AsyncAnthropic":
        from anthropic import AsyncAnthropic

        # Retries are ours: only we know which of them may be billed twice.
        return AsyncAnthropic(max_retries=0, timeout=self._timeout_s)

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

    async def complete(self, question: Question) -> Completion:
        """The model's answer; raises `ProviderFailure`."""
        import anthropic

        client = self._clients.get()
        schema = cast("dict[str, object]", question.schema)
        try:
            reply = await client.messages.with_raw_response.create(
                model=self._model,
                max_tokens=question.max_tokens,
                system=question.system,
                messages=[{"role": "user", "content": question.message}],
                output_config=(
                    {"format": {"type": "json_schema", "schema": schema}}
                    if self._structured
                    else anthropic.omit
                ),
            )
        except anthropic.APIStatusError as error:
            failure = status_failure(error.status_code, error.body, error.response.headers)
            if self._structured and error.status_code == 400 and "output_config" in str(failure):
                self._structured = False  # an older server: the prompt alone asks for JSON
                return await self.complete(question)
            raise failure from None
        except anthropic.APIConnectionError as error:
            timed_out = isinstance(error, anthropic.APITimeoutError)
            raise connection_failure(error, timed_out) from None
        return read_message(await reply.text())


def read_message(body: str) -> Completion:
    """The completion in the body of a Messages reply, whatever the body is."""
    found = parsed(body)
    blocks = found.get("content")
    texts = [
        str(block.get("text"))
        for block in (blocks if isinstance(blocks, list) else [])
        if isinstance(block, dict) and block.get("type") == "text"
    ]
    stop = found.get("stop_reason")
    return Completion(
        text="".join(texts) if isinstance(blocks, list) else body,
        usage=_usage(found),
        refused=stop == "refusal",
        cut=stop in ("max_tokens", "model_context_window_exceeded"),
    )


def _usage(found: Mapping[str, Json]) -> Usage | None:
    read = count(inner(found.get("usage"), "input_tokens"))
    written = count(inner(found.get("usage"), "output_tokens"))
    if read is None or written is None:
        return None
    return Usage(
        input_tokens=read,
        output_tokens=written,
        cache_write_tokens=count(inner(found.get("usage"), "cache_creation_input_tokens")) or 0,
        cache_read_tokens=count(inner(found.get("usage"), "cache_read_input_tokens")) or 0,
    )
