"""The server behind the pass-through: where it is, what is handed on to it, what comes back.

Address and key are those of the OpenAI SDK's own variables; a caller's own key is handed on instead
and never kept. No header or body of a call is logged.
"""

import asyncio
import hmac
import ipaddress
import json
import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from workbench.interfaces.http.responses import ApiError
from workbench.interfaces.http.security import LOOPBACK_HOSTNAMES
from workbench.masking import mask_bytes, mask_known, register_secret
from workbench.records.text import Json

if TYPE_CHECKING:
    import httpx

USUAL_BASE = "https://api.openai.com/v1"
OWN_KEY = "workbench"
"""What a caller gives as its key to use the server's."""
HOP = "x-workbench-hop"
"""Marks what this server handed on: what comes back with it went in a circle."""
PATIENCE_S = 600.0
CONNECT_S = 10.0
LARGEST_ANSWER = 64 * 1024 * 1024
_WITHHELD_HEADERS = frozenset({
    "host", "content-length", "connection", "keep-alive", "proxy-authenticate",
    "proxy-authorization", "te", "trailer", "transfer-encoding", "upgrade", "accept-encoding",
    "cookie", "origin", "referer", "forwarded", "expect", "authorization", "content-type",
})  # fmt: skip
_WITHHELD_PREFIXES = ("x-workbench-", "x-forwarded-", "sec-")
_RETURNED_HEADERS = "content-type retry-after retry-after-ms x-request-id x-should-retry".split()
_RETURNED_PREFIXES = ("openai-", "x-ratelimit-")


@dataclass(frozen=True, slots=True, kw_only=True)
class Upstream:
    """Where answers come from."""

    base: str
    key: str | None = field(default=None, repr=False)
    token: str | None = field(default=None, repr=False)
    """This server's own, which is no key of the other."""
    circular: bool = False
    """Whether the address is this server's own."""

    def check(self, headers: Mapping[str, str]) -> None:
        """Raise a Refusal where a call would come back here."""
        if self.circular or HOP in headers:
            raise ApiError(
                "upstream_loop",
                "The upstream server of the pass-through is this server itself: set "
                "OPENAI_BASE_URL of the workbench's process to another server.",
                508,
            )

    def headers(self, incoming: Mapping[str, str]) -> dict[str, str]:
        """What is handed on of a call's headers, with the key that it asks with."""
        forwarded = {
            name.lower(): value
            for name, value in incoming.items()
            if name.lower() not in _WITHHELD_HEADERS
            and not name.lower().startswith(_WITHHELD_PREFIXES)
        }
        authorization = incoming.get("authorization", "")
        word = authorization.removeprefix("Bearer ").strip()
        own_token = self.token is not None and hmac.compare_digest(
            word.encode(), self.token.encode()
        )
        if not authorization or own_token or word == OWN_KEY:
            authorization = f"Bearer {self.key}" if self.key else ""
        authorized = {"authorization": authorization} if authorization else {}
        plain = {"content-type": "application/json", "accept-encoding": "identity", HOP: "1"}
        return {**forwarded, **authorized, **plain}

    @asynccontextmanager
    async def ask(
        self, body: bytes, incoming: Mapping[str, str], query: str
    ) -> AsyncIterator["httpx.Response"]:
        """The answer with its body unread; closed on leaving.

        Raises:
            Refusal: There is none.
        """
        import httpx

        url = f"{self.base.rstrip('/')}/chat/completions" + (f"?{query}" if query else "")
        patience = httpx.Timeout(PATIENCE_S, connect=CONNECT_S)
        try:
            async with (
                httpx.AsyncClient(timeout=patience, follow_redirects=False) as client,
                client.stream("POST", url, content=body, headers=self.headers(incoming)) as answer,
            ):
                yield answer
        except httpx.TimeoutException:
            raise ApiError(
                "upstream_timeout", "The upstream server took too long to respond.", 504
            ) from None
        except (httpx.HTTPError, httpx.InvalidURL):
            raise ApiError(
                "upstream_failed",
                "The upstream server could not be reached, or closed the connection: check that it "
                "is running and that OPENAI_BASE_URL is its address.",
                502,
            ) from None


def open_upstream(environ: Mapping[str, str], port: int, token: str | None) -> Upstream:
    """What the SDK's own variables name; `port` is this server's."""
    base = environ.get("OPENAI_BASE_URL", "").strip() or USUAL_BASE
    key = environ.get("OPENAI_API_KEY", "").strip() or None
    register_secret(key)
    return Upstream(base=base, key=key, token=token, circular=is_self(base, port))


def is_self(base: str, port: int) -> bool:
    """Whether an address is a port of this machine's own loopback."""
    try:
        parts = urlsplit(base)
        host = parts.hostname or ""
        base_port = parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError:
        return False
    if base_port != port:
        return False
    if host in (*LOOPBACK_HOSTNAMES, "::1"):
        return True
    try:
        hosts = {info[4][0] for info in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)}
    except (OSError, UnicodeError):
        return False
    addresses = [ipaddress.ip_address(str(address).partition("%")[0]) for address in hosts]
    return any(address.is_loopback or address.is_unspecified for address in addresses)


def forwarded_headers(answer: "httpx.Response") -> dict[str, str]:
    """What comes back of an answer's headers."""
    return {
        name: mask_known(value)
        for name, value in answer.headers.items()
        if name in _RETURNED_HEADERS or name.startswith(_RETURNED_PREFIXES)
    }


async def full_body(answer: "httpx.Response") -> bytes:
    """The body of an answer, without this server's key if the other one echoes it.

    Raises:
        Refusal: It is too large.
    """
    body = bytearray()
    async for part in answer.aiter_raw():
        body += part
        if len(body) > LARGEST_ANSWER:
            raise ApiError("upstream_failed", "The upstream server's response is too large.", 502)
    return mask_bytes(bytes(body))


async def events(answer: "httpx.Response") -> AsyncIterator[bytes]:
    """The server-sent events of an answer, each as its bytes with its blank line.

    Raises:
        Refusal: One is too large.
    """
    waiting = b""
    async for part in answer.aiter_raw():
        waiting = (waiting + part).replace(b"\r\n", b"\n")
        *complete, waiting = waiting.split(b"\n\n")
        for event in complete:
            yield mask_bytes(event) + b"\n\n"
        if len(waiting) > LARGEST_ANSWER:
            raise ApiError("upstream_failed", "The upstream server's response is too large.", 502)
        await asyncio.sleep(0)
    if waiting.strip():
        yield mask_bytes(waiting) + b"\n\n"


def data_of(event: bytes) -> str:
    """The data of an event."""
    lines = event.decode("utf-8", "replace").split("\n")
    return "\n".join(line[5:].lstrip(" ") for line in lines if line.startswith("data:"))


def json_object(text: str | bytes) -> dict[str, Json] | None:
    """The JSON object of a text; None for anything else."""
    try:
        value: Json = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
