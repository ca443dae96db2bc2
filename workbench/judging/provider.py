"""How the judge calls a model behind an API: one question, one completion, or a failure."""

import asyncio
import json
import random
import re
import ssl
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar
from weakref import WeakKeyDictionary

from workbench.judging.prices import Usage
from workbench.masking import mask, mask_known, register_headers
from workbench.records.text import Json, JsonDict, format_iso8601

if TYPE_CHECKING:
    import httpx2

Result = TypeVar("Result")
Sleep = Callable[[float], Awaitable[None]]

TRIES = 4
"""How often a call is made at most, the first time included."""
LONGEST_WAIT_S = 60.0
"""A server that asks for a longer pause than this is not waited for."""
MOST_LOST = 2
"""How many attempts whose answer got lost are repeated; each may still have been billed."""
_RETRY_STATUSES = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
_LONGEST_DETAIL = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class CompletionRequest:
    """A request to a model."""

    system: str
    message: str
    schema: JsonDict
    max_tokens: int
    shared_chars: int = 0
    """This many characters at the message's start, and the system text before them, are sent with
    other questions too: a provider's prompt cache may keep them. 0 where that does not pay."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """What a model answered."""

    text: str
    usage: Usage | None
    """None when the server does not say what it billed."""
    refused: bool = False
    cut: bool = False
    """True when the answer ended at the token limit."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", mask_known(self.text))


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchState:
    """How far a batch is."""

    done: bool
    counts: Mapping[str, int]
    """Requests by the provider's own states."""


CLOCKS_APART = timedelta(minutes=10)
"""By how much a provider's clock may differ from ours, and how long handing in may take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchIntent:
    """A batch that is about to be submitted: how to find it if its ticket gets lost.

    Kept before the batch goes out, so that a kill in between loses nothing.
    """

    mark: str
    """Given to the provider with the batch, where it takes one."""
    items: int
    at: datetime

    def to_dict(self) -> JsonDict:
        """`{"mark", "items", "at"}`."""
        return {"mark": self.mark, "items": self.items, "at": format_iso8601(self.at)}


class Provider(Protocol):
    """An API that completes questions."""

    async def complete(self, question: CompletionRequest) -> Completion:
        """The completion; raises `ProviderFailure`."""

    async def aclose(self) -> None:
        """Close the connections of the running event loop."""


class ProviderFailure(Exception):
    """The API gave no completion; the message is for the reviewer and contains no key."""

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        headers: Mapping[str, str] | None = None,
        retry: bool = False,
        maybe_billed: bool = False,
    ) -> None:
        super().__init__(mask(message))
        self.status = status
        self.headers = headers or {}
        self.retry = retry
        """Whether asking again may help."""
        self.maybe_billed = maybe_billed
        """Whether the provider may have done the work without us seeing the answer."""
        self.lost = int(maybe_billed)
        """How many attempts of the call were lost, set by `with_retries`."""
        self.usage = Usage()
        """What those may have been billed for, set by `llm.complete`."""


def failed_status(status: int, message: str, headers: Mapping[str, str]) -> ProviderFailure:
    """The failure an HTTP status stands for."""
    advice = {
        400: "the request was refused",
        401: "the API key was not accepted: check it",
        403: "the API key may not use this model",
        404: "the server knows no such model or path: check the model's name and the base URL",
        413: "the request was too large",
        429: "too many requests: wait, or ask fewer at once",
        529: "the provider is overloaded: try again later",
    }.get(status, "the provider failed" if status >= 500 else "the request failed")
    detail = f" ({to_one_line(message)})" if message else ""
    return ProviderFailure(
        f"HTTP {status}, {advice}{detail}",
        status=status,
        headers=headers,
        retry=status in _RETRY_STATUSES,
    )


def to_one_line(text: str) -> str:
    """The text in one line, at most 200 characters, its keys masked before it is cut."""
    return mask(" ".join(text.split()))[:_LONGEST_DETAIL]


async def with_retries(
    call: Callable[[], Awaitable[Result]], sleep: Sleep = asyncio.sleep, tries: int = TRIES
) -> tuple[Result, int]:
    """The call's result and how many attempts before it were lost and may have been billed.

    Tries again with growing pauses while the server is busy or unreachable; a `Retry-After` is
    obeyed up to `LONGEST_WAIT_S`, and at most `MOST_LOST` lost attempts are repeated. Raises the
    last `ProviderFailure` with its `lost` set.
    """
    lost = 0
    for attempt in range(1, tries + 1):
        try:
            return await call(), lost
        except ProviderFailure as failure:
            lost += failure.maybe_billed
            failure.lost = lost
            pause = _pause(failure, attempt)
            if not failure.retry or attempt == tries or pause > LONGEST_WAIT_S or lost > MOST_LOST:
                raise
            await sleep(pause)
    raise AssertionError("unreachable: the last try returns or raises")


def _pause(failure: ProviderFailure, attempt: int) -> float:
    """Seconds to wait: what the server asks for, else half a second doubled, with some jitter."""
    headers = {name.lower(): value for name, value in failure.headers.items()}
    seconds = _requested_pause(headers.get("retry-after-ms"), headers.get("retry-after"))
    if seconds is not None:
        return max(0.0, seconds)
    return float(0.5 * 2 ** (attempt - 1) * random.uniform(0.8, 1.2))


def _requested_pause(milliseconds: str | None, retry_after: str | None) -> float | None:
    try:
        if milliseconds is not None:
            return float(milliseconds) / 1000
        if retry_after is None:
            return None
        if re.fullmatch(r"\s*\d+(?:\.\d+)?\s*", retry_after):
            return float(retry_after)
        moment = parsedate_to_datetime(retry_after)
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return (moment - datetime.now(UTC)).total_seconds()
    except (ValueError, TypeError):
        return None


TIMEOUT_S = 60.0
_UNSENT_ERRORS = ("ConnectTimeout", "PoolTimeout", "ConnectError")
"""Causes that say the request never left: asking again cannot be billed twice."""


@lru_cache(maxsize=1)
def shared_tls() -> ssl.SSLContext:
    """The TLS settings of all clients: reading the bundled authorities takes 60 ms each time.

    A batch has a client for each of its outputs.
    """
    import httpx2

    return httpx2.create_ssl_context()


async def _register_credentials(request: "httpx2.Request") -> None:
    register_headers(request.headers)


MASKING_HOOKS = {"request": [_register_credentials]}
"""Of every client: what a request authorizes itself by, wherever the SDK had it from, is masked in
whatever comes back."""


class Closable(Protocol):
    """An SDK client."""

    async def close(self) -> None:
        """Close its connections."""


Client = TypeVar("Client", bound=Closable)


class Clients(Generic[Client]):
    """One SDK client for each event loop, since connections belong to the loop that made them."""

    def __init__(self, make: Callable[[], Client]) -> None:
        self._new_client = make
        self._by_loop: WeakKeyDictionary[asyncio.AbstractEventLoop, Client] = WeakKeyDictionary()

    def get(self) -> Client:
        """The running loop's client."""
        loop = asyncio.get_running_loop()
        if loop not in self._by_loop:
            self._by_loop[loop] = self._new_client()
        return self._by_loop[loop]

    async def aclose(self) -> None:
        """Close the running loop's client, if it has one."""
        client = self._by_loop.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.close()


@contextmanager
def sdk_errors(library: str) -> Iterator[None]:
    """The errors of `anthropic` or `openai`, whose classes have the same names, as `ProviderFailure`."""
    sdk = import_module(library)
    any_error = sdk.AnthropicError if library == "anthropic" else sdk.OpenAIError
    try:
        yield
    except sdk.APIStatusError as error:
        message = error_message_in(error.body)
        raise failed_status(error.status_code, message, error.response.headers) from None
    except sdk.APIConnectionError as error:
        raise connection_failure(error, isinstance(error, sdk.APITimeoutError)) from None
    except any_error as error:
        raise ProviderFailure(to_one_line(str(error))) from None


def connection_failure(error: Exception, timed_out: bool) -> ProviderFailure:
    """The failure of a request without an answer."""
    cause = type(error.__cause__).__name__
    if cause in _UNSENT_ERRORS:
        return ProviderFailure(
            "no connection to the server: check the network and the base URL", retry=True
        )
    problem = "no answer within the time limit" if timed_out else "the connection broke off"
    return ProviderFailure(
        f"{problem}; what it may have cost is counted at its worst",
        retry=not timed_out,
        maybe_billed=True,
    )


def error_message_in(body: object) -> str:
    """The server's own words in the body of an error."""
    if isinstance(body, str):
        return body
    if not isinstance(body, dict):
        return ""
    inner = body.get("error", body)
    message = inner.get("message", "") if isinstance(inner, dict) else inner
    return message if isinstance(message, str) else ""


def parsed(text: str) -> Mapping[str, Json]:
    """The JSON object of a reply's body; an empty one when it is anything else."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def inner(value: Json | None, *path: str | int) -> Json:
    """The value at a path of a JSON value; None where the path leads nowhere."""
    for step in path:
        if isinstance(step, str) and isinstance(value, dict):
            value = value.get(step)
        elif isinstance(step, int) and isinstance(value, list) and step < len(value):
            value = value[step]
        else:
            return None
    return value


def count(value: Json) -> int | None:
    """A number of tokens; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        return None
    return value
