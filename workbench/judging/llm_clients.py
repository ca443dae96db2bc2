"""What the Anthropic and the OpenAI SDK have in common: clients by event loop, errors, raw JSON."""

import asyncio
import json
import ssl
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar
from weakref import WeakKeyDictionary

from workbench.judging.provider import ProviderFailure, failed_status
from workbench.masking import register_headers
from workbench.records import Json

if TYPE_CHECKING:
    import httpx2

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
        ...


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


def status_failure(status: int, body: object, headers: Mapping[str, str]) -> ProviderFailure:
    """The failure of an answer with an HTTP error status."""
    return failed_status(status, error_message_in(body), headers)


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
