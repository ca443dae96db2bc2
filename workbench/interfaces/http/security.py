"""What every server on this machine checks first: who may call, how often, and with how much.

A page of another site can reach a server on the loopback address: by a form, by a script, or under
a name of its own that it lets point here (DNS rebinding). So the names in `Host` and `Origin` are
checked on each request and each websocket, before anything else looks at it.
"""

import hmac
import json
import re
import threading
import time
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.errors import UsageError
from workbench.masking import register_secret
from workbench.records.format import file_size

LOOPBACK = ("127.0.0.1", "localhost", "::1")
"""Addresses that a server may listen on."""
LOOPBACK_HOSTNAMES = ("127.0.0.1", "localhost", "[::1]")
"""Names of this machine in `Host`."""
CALLS_A_MINUTE = 120
READS_PER_CALL = 10
"""Reading is cheap: so many times more of it is allowed."""
MAX_BODY = 16 * 1024 * 1024
BODY_SECONDS = 30.0
TOKEN_HEADER = "x-workbench-token"

_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)(?::[0-9]{1,5})?")
_CROSS_SITE = ("cross-site", "same-site")

Scope = dict[str, Any]
Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Any, Any, Any], Awaitable[None]]


class RateLimiter:
    """At most so many calls in any minute, over all sessions of a server."""

    def __init__(self, calls: int | None, clock: Callable[[], float] = time.monotonic) -> None:
        self._calls, self._clock = calls, clock
        self._made: deque[float] = deque()
        self._lock = threading.Lock()

    def wait_s(self) -> float:
        """0 where a call may be made, and it is then counted; else how long to wait, in seconds."""
        if self._calls is None:
            return 0.0
        with self._lock:
            now = self._clock()
            while self._made and now - self._made[0] >= 60:
                self._made.popleft()
            if len(self._made) < self._calls:
                self._made.append(now)
                return 0.0
            return 60 - (now - self._made[0])


@dataclass(frozen=True, slots=True, kw_only=True)
class SecurityRules:
    """What a server requires of its callers."""

    hosts: tuple[str, ...] = ()
    """Names besides this machine's own that `Host` may hold: those of a reverse proxy."""
    origins: tuple[str, ...] = ()
    """Origins besides the server's own whose pages may call it."""
    token: str | None = None
    guarded: tuple[str, ...] = ("/",)
    """What the token, the limits and the rule against other sites hold for, as paths."""
    calls_a_minute: int | None = None
    """Of requests that change or check something."""
    max_body: int = MAX_BODY

    def guards(self, path: str) -> bool:
        """Whether a path is one of the guarded, or lies below one."""
        roots = (prefix.rstrip("/") for prefix in self.guarded)
        return any(path == root or path.startswith(root + "/") for root in roots)


def error_response(
    kind: str, message: str, status: int, headers: Mapping[str, str] | None = None
) -> tuple[int, list[tuple[bytes, bytes]], bytes]:
    """A refusal as status, headers and body; the body is the same JSON everywhere."""
    body = json.dumps({"error": {"kind": kind, "message": message, "type": kind, "code": kind}})
    sent = {"content-type": "application/json", "cache-control": "no-store", **(headers or {})}
    sent["content-length"] = str(len(body))
    encoded = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in sent.items()]
    return status, encoded, body.encode()


class SecurityMiddleware:
    """An application behind the rules of its server."""

    def __init__(self, app: App, rules: SecurityRules) -> None:
        self.app, self._rules = app, rules
        self._calls = RateLimiter(rules.calls_a_minute)
        many = rules.calls_a_minute
        self._reads = RateLimiter(None if many is None else many * READS_PER_CALL)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request or a websocket on, or refuse it."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = _headers(scope)
        origin = headers.get("origin", "").lower()
        if scope["type"] == "http" and origin in self._rules.origins:
            send = _with_cors_headers(send, origin)
            if scope["method"] == "OPTIONS" and "access-control-request-method" in headers:
                await _refuse(scope, receive, send, self._origin_error(headers) or (204, [], b""))
                return
        refused = self._origin_error(headers) or (
            self._request_error(scope, headers) if self._rules.guards(scope["path"]) else None
        )
        if refused:
            await _refuse(scope, receive, send, refused)
        elif scope["type"] == "http" and self._rules.guards(scope["path"]):
            await self._with_body(scope, receive, _with_json_errors(send, scope), headers)
        else:
            await self.app(scope, receive, send)

    def _origin_error(self, headers: Mapping[str, str]) -> tuple[int, Any, bytes] | None:
        host = headers.get("host", "").lower()
        match = _HOST.fullmatch(host)
        allowed_hosts = {*LOOPBACK_HOSTNAMES, *map(str.lower, self._rules.hosts)}
        if match is None or match.group(1) not in allowed_hosts:
            return error_response(
                "forbidden_host",
                "This server accepts only the host names of its own machine; allow a reverse "
                "proxy's name with `hosts` under [server] in settings.toml.",
                403,
            )
        origin = headers.get("origin")
        own_origins = (f"http://{host}", f"https://{host}")
        if origin is not None and origin.lower() not in (*own_origins, *self._rules.origins):
            return error_response(
                "forbidden_origin",
                "Pages of other sites may not call this server; allow an origin with `origins` "
                "under [server] in settings.toml.",
                403,
            )
        return None

    def _request_error(
        self, scope: Scope, headers: Mapping[str, str]
    ) -> tuple[int, Any, bytes] | None:
        trusted = headers.get("origin", "").lower() in self._rules.origins
        if headers.get("sec-fetch-site") in _CROSS_SITE and not trusted:
            return error_response(
                "forbidden_origin", "Pages of other sites may not call this server.", 403
            )
        if self._rules.token and not self._is_authorized(headers):
            return error_response(
                "unauthorized",
                "This server requires its token, as Authorization: Bearer or X-Workbench-Token.",
                401,
                {"www-authenticate": "Bearer"},
            )
        reads = scope.get("method") in ("GET", "HEAD", "OPTIONS")
        wait = (self._reads if reads else self._calls).wait_s()
        if wait:
            many = self._rules.calls_a_minute
            return error_response(
                "too_many_calls",
                f"This server accepts {many} calls a minute; try again in {wait:.0f} s.",
                429,
                {"retry-after": str(int(wait) + 1)},
            )
        return None

    def _is_authorized(self, headers: Mapping[str, str]) -> bool:
        credentials = (headers.get("authorization", ""), f"Bearer {headers.get(TOKEN_HEADER, '')}")
        expected = f"Bearer {self._rules.token}".encode()
        return any(hmac.compare_digest(credential.encode(), expected) for credential in credentials)

    async def _with_body(
        self, scope: Scope, receive: Receive, send: Send, headers: Mapping[str, str]
    ) -> None:
        """Read the body within its limits, then pass the request on with it."""
        import anyio

        length = headers.get("content-length", "0")
        most = self._rules.max_body
        too_large = error_response(
            "too_large",
            f"The body of a request to this server has at most {file_size(most)}: send less at "
            f"once (or raise `max_body_mb` under [server] in settings.toml).",
            413,
        )
        if not length.isdecimal() or int(length) > most:
            await _refuse(scope, receive, send, too_large)
            return
        body, more = bytearray(), True
        try:
            with anyio.fail_after(BODY_SECONDS):
                while more:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        return
                    body += message.get("body", b"")
                    more = bool(message.get("more_body"))
                    if len(body) > most:
                        await _refuse(scope, receive, send, too_large)
                        return
        except TimeoutError:
            late = error_response("timeout", "The request's body did not come in time.", 408)
            await _refuse(scope, receive, send, late)
            return
        replayed = False

        async def replay() -> Message:
            nonlocal replayed
            if replayed:
                return await receive()
            replayed = True
            return {"type": "http.request", "body": bytes(body), "more_body": False}

        await self.app(scope, replay, send)


def check_address(host: str) -> None:
    """Raise UsageError unless a server may listen there: on this machine only."""
    if host not in LOOPBACK:
        raise UsageError(
            f"This server listens on this machine only, not on {host!r}; put a reverse proxy with "
            f"authentication in front of it."
        )


def read_token(path: Path | None) -> str | None:
    """The token in a file; None without a file.

    Raises:
        UsageError: The file cannot be read, or its content is too short or no plain word.
    """
    if path is None:
        return None
    try:
        token = path.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"The token file {path} cannot be read ({type(error).__name__})."
        ) from None
    if len(token) < 16 or not token.isprintable() or not token.isascii() or " " in token:
        raise UsageError(f"The token in {path} needs at least 16 plain characters and no spaces.")
    register_secret(token)
    return token


def _headers(scope: Scope) -> dict[str, str]:
    """The headers by their names in small letters; of one that comes twice, both."""
    headers: dict[str, str] = {}
    for name, value in scope["headers"]:
        key, text = name.decode("latin-1").lower(), value.decode("latin-1")
        headers[key] = f"{headers[key]}, {text}" if key in headers else text
    return headers


def _with_cors_headers(send: Send, origin: str) -> Send:
    """Sends with the headers that let a page of an allowed origin call and read."""
    allowed = {
        "access-control-allow-origin": origin,
        "access-control-allow-methods": "GET, POST, DELETE",
        "access-control-allow-headers": f"authorization, content-type, {TOKEN_HEADER}",
        "access-control-expose-headers": "x-workbench-action, x-workbench-run, location",
        "vary": "origin",
    }
    encoded_headers = [(name.encode(), value.encode("latin-1")) for name, value in allowed.items()]

    async def with_them(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", []), *encoded_headers]}
        await send(message)

    return with_them


def _with_json_errors(send: Send, scope: Scope) -> Send:
    """Sends refusals that layers below write as plain text in the form of all others."""
    plain: dict[str, Any] = {}

    async def with_json(message: Message) -> None:
        if message["type"] == "http.response.start" and message["status"] >= 400:
            kind = dict(message.get("headers", ())).get(b"content-type", b"text/plain")
            if kind.startswith(b"text/plain") and scope["method"] != "HEAD":
                plain["status"], plain["text"] = message["status"], b""
                return
        elif plain and message["type"] == "http.response.body":
            plain["text"] += message.get("body", b"")
            if not message.get("more_body"):
                await _send(send, _json_error(plain["status"], plain["text"], scope["path"]))
            return
        await send(message)

    return with_json


def _json_error(status: int, text: bytes, path: str) -> tuple[int, Any, bytes]:
    sentence = text.decode("utf-8", "replace").strip()
    if sentence in ("Bad Request", "Not Found"):
        where = repr(path[:200])
        return error_response(
            "not_found", f"There is nothing at {where}; /openapi.json lists what is.", 404
        )
    kind = "internal" if status >= 500 else "invalid"
    return error_response(kind, sentence[:2000] or f"The server answered {status}.", status)


async def _refuse(
    scope: Scope, receive: Receive, send: Send, refused: tuple[int, Any, bytes]
) -> None:
    if scope["type"] == "websocket":
        await receive()
        # closed before it was accepted: the server answers 403
        await send({"type": "websocket.close", "code": 1008})
        return
    await _send(send, refused)


async def _send(send: Send, refused: tuple[int, Any, bytes]) -> None:
    status, headers, body = refused
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
