"""From an address that a model chose to bytes, under the guard and one deadline."""

import asyncio
import os
import queue
import re
import socket
import ssl
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from workbench.errors import FetchError
from workbench.records.source import Fetched
from workbench.sources.decompression import BadEncoding, BoundedDecompressor, TooManyBytes
from workbench.sources.reading.decode import looks_binary
from workbench.sources.ssrf_guard import (
    CheckedUrl,
    IPAddress,
    UrlGuard,
    blocked,
    url_for_display,
)

if TYPE_CHECKING:
    import httpx


PDF = "application/pdf"
_TEXTUAL = frozenset({
    "text/html", "text/plain", "application/xhtml+xml", "text/xml", "application/xml",
    "application/json", "text/json", "text/markdown", "text/x-markdown", "text/csv",
    "text/tab-separated-values", "text/x-rst", "application/x-ndjson",
})  # fmt: skip
_SUFFIXED = re.compile(r"^(?:application|text)/[\w.+-]+\+(?:xml|json)$")
# What servers call a PDF that they hand out as a download.
_DOWNLOADS = frozenset({
    PDF, "application/x-pdf", "application/octet-stream", "binary/octet-stream",
    "application/force-download", "application/download",
})  # fmt: skip
_WIDE = re.compile(r"charset\s*=\s*[\"']?utf-?(?:16|32)", re.I)


def media_type(content_type: str) -> str:
    """`text/html` of `Text/HTML; charset=utf-8`."""
    return content_type.split(";")[0].strip().lower()


def is_supported_type(content_type: str) -> bool:
    """Whether a body of this type is worth having: text of some kind, or a PDF."""
    kind = media_type(content_type)
    return kind in _TEXTUAL or kind in _DOWNLOADS or _SUFFIXED.match(kind) is not None


def type_of_content(content_type: str, body: bytes) -> str | None:
    """The type under which the body is kept; None when the body is not what it should be.

    A PDF is recognized by its first kilobyte, whatever it is called; text has no NUL in its first 4 KB
    unless it is UTF-16.
    """
    kind = media_type(content_type)
    if b"%PDF-" in body[:1024]:
        return content_type if kind == PDF else PDF
    if kind in _DOWNLOADS:
        return None
    if _WIDE.search(content_type):
        return content_type
    return None if looks_binary(body) else content_type


MAX_LOOKUPS = 64
"""Lookups that may hang at once; the platform's resolver cannot be interrupted."""

Work = Callable[[], None]


class _Threads:
    """Daemon threads that look names up: started as needed, kept, never waited for at exit."""

    def __init__(self) -> None:
        self._queue: queue.SimpleQueue[Work] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._alive = self._busy = 0

    def submit(self, work: Work) -> bool:
        """Has the work done by a thread; False when all of them hang."""
        with self._lock:
            if self._busy >= MAX_LOOKUPS:
                return False
            self._busy += 1
            start = self._busy > self._alive
            self._alive += start
        self._queue.put(work)
        if start:
            threading.Thread(target=self._serve, name="look-up", daemon=True).start()
        return True

    def _serve(self) -> None:
        while True:
            self._queue.get()()
            with self._lock:
                self._busy -= 1


_threads = _Threads()


def _reset_after_fork() -> None:
    """A forked copy of the process has none of its threads."""
    global _threads
    _threads = _Threads()


os.register_at_fork(after_in_child=_reset_after_fork)


class LookupFailed(Exception):
    """The name has no address, or the name service did not say."""

    def __init__(self, *, exists: bool) -> None:
        super().__init__("the name has no address")
        self.exists = exists
        """True when the name service failed, rather than saying that there is no such name."""


async def resolve_host(host: str, port: int) -> list[str]:
    """Every address the name resolves to, in the resolver's order.

    Cancelling the await returns at once; the thread, a daemon, ends when the resolver returns.

    Raises:
        LookupFailed: there is no such name, or the name service failed.
    """
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[list[str]] = loop.create_future()

    def deliver(addresses: list[str] | None, failed: Exception | None) -> None:
        if answer.cancelled():
            return
        if failed is not None:
            answer.set_exception(failed)
        else:
            answer.set_result(addresses or [])

    def work() -> None:
        addresses: list[str] | None = None
        failed: Exception | None = None
        try:
            # Looked up by name at call time, so that a replaced resolver takes effect.
            infos = socket.getaddrinfo(host, port, 0, socket.SOCK_STREAM, 0, 0)
            addresses = [str(info[4][0]) for info in infos]
        except socket.gaierror as bad:
            missing = (socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME))
            failed = LookupFailed(exists=bad.errno is not None and bad.errno not in missing)
        except Exception:  # an over-long label, or whatever a replaced resolver raises
            failed = LookupFailed(exists=False)
        try:
            loop.call_soon_threadsafe(deliver, addresses, failed)
        except RuntimeError:  # the loop was closed while the resolver hung
            return

    if not _threads.submit(work):
        raise LookupFailed(exists=True)
    addresses = await answer
    if not addresses:
        raise LookupFailed(exists=False)
    return addresses


_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_REASON_BYTES = 2048
_LIMIT_HEADERS = (
    "retry-after", "x-rate-limit-limit", "x-rate-limit-interval", "x-concurrency-limit",
)  # fmt: skip
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How long and how much one fetch may take."""

    seconds: float = 10.0
    """For everything together: DNS, connect, TLS, headers, body and redirects."""
    max_bytes: int = 5 * 1024 * 1024
    """Of the body, on the wire and unpacked."""
    max_redirects: int = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceRequest:
    """What a service is sent besides its address."""

    headers: Callable[[CheckedUrl], Mapping[str, str]]
    """The headers for a hop: a key belongs to the service's own host and to no other."""
    form: bytes | None = None
    """Posted as a form; redirects are not followed then."""


class StatusError(FetchError):
    """The server answered with a status that is no success."""

    def __init__(
        self,
        message: str,
        *,
        url: str,
        hop: int,
        status: int,
        headers: Mapping[str, str] | None = None,
        body: bytes = b"",
    ) -> None:
        super().__init__("bad_status", message, url=url, hop=hop)
        self.status = status
        self.headers = headers or {}
        """What the server says about its limits, by names in small letters."""
        self.body = body
        """The start of what a service says about it; empty where a page was asked for."""


class RetryLaterError(StatusError):
    """The server asked to come back later."""

    after: float = 0.0
    """Seconds to wait."""


async def fetch_guarded(
    url: str,
    guard: UrlGuard,
    *,
    limits: Limits | None = None,
    first: CheckedUrl | None = None,
    tls: ssl.SSLContext | None = None,
    request: ServiceRequest | None = None,
) -> Fetched:
    """The bytes at an address, redirects followed, each hop under the guard.

    Args:
        url: The address.
        guard: Allowlist and configured services.
        limits: Deadline, size and redirects.
        first: The guard's check of the address, where it was made before.
        tls: TLS settings; the bundled authorities when None.
        request: What a service is sent; that of a page when None.

    Raises:
        FetchError: the reason there are none.
    """
    limits = limits or Limits()
    bundled = await load_tls_context()
    first = first or guard.check(url)
    try:
        async with asyncio.timeout(limits.seconds):
            return await _follow(url, first, guard, limits, tls or bundled, request)
    except TimeoutError as late:
        raise FetchError(
            "timeout",
            f"{url_for_display(url)} did not answer completely within {limits.seconds:g} seconds.",
            url=url_for_display(url),
        ) from late


async def _follow(
    url: str,
    checked: CheckedUrl,
    guard: UrlGuard,
    limits: Limits,
    tls: ssl.SSLContext,
    request: ServiceRequest | None,
) -> Fetched:
    visited: list[str] = []
    for hop in range(limits.max_redirects + 1):
        if visited and visited[-1].startswith("https:") and checked.scheme == "http":
            raise FetchError(
                "bad_scheme",
                f"{url_for_display(url)} redirects from https to http: the connection would not be "
                f"secure.",
                url=url_for_display(url),
                hop=hop,
            )
        if checked.url in visited:
            raise _loop(url, hop)
        visited.append(checked.url)
        addresses = await resolve_addresses(checked, guard, hop)
        outcome = await _ask(checked, addresses, limits, hop, tls, request)
        if isinstance(outcome, _Redirect):
            if request is not None and request.form is not None:
                message = f"{url_for_display(url)} redirects, and form data is not forwarded."
                raise FetchError("bad_status", message, url=url_for_display(url), hop=hop)
            if hop < limits.max_redirects:
                checked = guard.check(outcome.to, hop=hop + 1)
            continue
        return Fetched(
            url=url,
            final_url=checked.url,
            status=outcome.status,
            content_type=outcome.content_type,
            body=outcome.body,
            truncated=outcome.truncated,
            fetched_at=datetime.now(UTC),
            hops=tuple(visited),
            headers=outcome.headers,
        )
    raise _loop(url, limits.max_redirects + 1)


def _loop(url: str, hop: int) -> FetchError:
    return FetchError(
        "redirect_loop",
        f"{url_for_display(url)} redirects in a loop or too often.",
        url=url_for_display(url),
        hop=hop,
    )


async def resolve_addresses(checked: CheckedUrl, guard: UrlGuard, hop: int) -> Sequence[IPAddress]:
    """Every address of a checked host, all of them allowed.

    Raises:
        FetchError: There is no such host, or one of its addresses is not public.
    """
    if checked.literal is not None:
        return [checked.literal]
    try:
        answers = await resolve_host(checked.host, checked.port)
    except LookupFailed as failed:
        display_url = url_for_display(checked.url)
        if failed.exists:
            message = f"The name service did not answer for {checked.host}: try again later."
            raise FetchError("timeout", message, url=display_url, hop=hop) from failed
        message = f"There is no host {checked.host}: the address may be invented."
        raise FetchError("no_such_host", message, url=display_url, hop=hop) from failed
    return guard.check_answers(checked, answers, hop=hop)


@dataclass(frozen=True, slots=True)
class _Redirect:
    to: str


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    content_type: str
    body: bytes
    truncated: bool
    headers: Mapping[str, str] = field(default_factory=dict)


async def _ask(
    checked: CheckedUrl,
    addresses: Sequence[IPAddress],
    limits: Limits,
    hop: int,
    tls: ssl.SSLContext,
    request: ServiceRequest | None,
) -> _Redirect | _Answer:
    import httpcore

    from workbench.sources.connect import send_request

    display_url = url_for_display(checked.url)
    try:
        headers = dict(request.headers(checked)) if request else None
        form = request.form if request else None
        async with send_request(
            checked, addresses, tls, limits.max_bytes, form, headers
        ) as response:
            if response.status_code in _REDIRECTS:
                return _Redirect(_next(checked, response, hop))
            if not 200 <= response.status_code < 300:
                refusal = await _reason(response, limits) if request else b""
                raise _bad_status(checked, response, hop, refusal)
            return await _body(checked, response, limits, hop)
    except (httpcore.ConnectError, httpcore.ConnectTimeout) as bad:
        # Refused, filtered and silent look alike: the message must not serve as a port scanner.
        secure = isinstance(bad.__cause__, ssl.SSLError) or "SSL" in str(bad)
        reason = "has no valid certificate" if secure else "could not be reached"
        raise FetchError(
            "bad_status", f"{checked.host} {reason}.", url=display_url, hop=hop
        ) from bad
    except TooManyBytes as bad:
        message = (
            f"{display_url} sent more than {limits.max_bytes / 2**20:g} MiB and no page: it cannot be "
            "checked."
        )
        raise FetchError("too_large", message, url=display_url, hop=hop) from bad
    except FetchError:
        raise
    except Exception as bad:  # any library error on hostile bytes is the server's fault
        message = f"{checked.host} closed the connection, or does not speak HTTP."
        raise FetchError("bad_status", message, url=display_url, hop=hop) from bad


_tls: ssl.SSLContext | None = None


async def load_tls_context() -> ssl.SSLContext:
    """The process's TLS settings; httpx, which is heavy, comes with the first fetch.

    Off the event loop, which would stand still for a quarter of a second.
    """
    global _tls
    if _tls is None:

        def load() -> ssl.SSLContext:
            from workbench.sources.connect import default_tls

            return default_tls()

        _tls = await asyncio.to_thread(load)
    return _tls


def _next(checked: CheckedUrl, response: "httpx.Response", hop: int) -> str:
    """Where a redirect leads, as the header spells it."""
    values = [value for name, value in response.headers.raw if name.lower() == b"location"]
    if not values:
        raise _bad_status(checked, response, hop)
    try:
        location = values[0].decode("utf-8").strip()
    except UnicodeDecodeError:
        location = values[0].decode("latin-1").strip()
    if len(set(values)) > 1 or _UNPRINTABLE.search(location):
        raise blocked(checked.url, "a redirect on the way is malformed", hop)
    try:
        return urljoin(checked.url, location.replace(" ", "%20")).split("#", 1)[0]
    except ValueError as bad:
        raise blocked(checked.url, "a redirect on the way is malformed", hop) from bad


async def _reason(response: "httpx.Response", limits: Limits) -> bytes:
    """The start of what a service says about its refusal; empty where it cannot be read."""
    limit = min(_REASON_BYTES, limits.max_bytes)
    try:
        inflater = BoundedDecompressor(response.headers.get_list("content-encoding", True), limit)
        async for part in response.aiter_raw():
            inflater.feed(part)
            if inflater.full:
                break
    except BadEncoding:
        return b""
    return inflater.finish()[0]


def _limit_headers(response: "httpx.Response") -> dict[str, str]:
    return {
        name: value[:100]
        for name in _LIMIT_HEADERS
        if (value := response.headers.get(name, "").strip())
    }


def _bad_status(
    checked: CheckedUrl, response: "httpx.Response", hop: int, reason: bytes = b""
) -> StatusError:
    status = response.status_code
    display_url = url_for_display(checked.url)
    meanings = {
        401: "asks for a log-in",
        402: "asks for payment",
        403: "refuses access",
        404: "was not found",
        410: "is gone",
        429: "asks to come back later",
        451: "is withheld for legal reasons",
    }
    problem = meanings.get(status) or ("has a server error" if status >= 500 else "gave no page")
    message = f"{display_url} {problem} (HTTP status {status})."
    retry_after = _retry_after(response) if status in (429, 503) else None
    kind = StatusError if retry_after is None else RetryLaterError
    error = kind(
        message,
        url=display_url,
        hop=hop,
        status=status,
        headers=_limit_headers(response),
        body=reason,
    )
    if isinstance(error, RetryLaterError) and retry_after is not None:
        error.after = retry_after
    return error


def _retry_after(response: "httpx.Response") -> float | None:
    value = response.headers.get("retry-after", "").strip()
    if value.isascii() and value.isdigit() and len(value) < 9:
        return float(value)
    try:
        moment = parsedate_to_datetime(value)
    except (ValueError, TypeError):
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())


async def _body(
    checked: CheckedUrl, response: "httpx.Response", limits: Limits, hop: int
) -> _Answer:
    display_url = url_for_display(checked.url)
    content_type = response.headers.get("content-type", "")[:200]
    if not is_supported_type(content_type):
        kind = media_type(content_type)[:60] or "no type"
        message = f"{display_url} is not text ({kind}): it cannot be checked."
        raise FetchError("not_text", message, url=display_url, hop=hop)
    if media_type(content_type) == PDF and _declared(response) > limits.max_bytes:
        raise _too_large(display_url, limits, hop)
    wire, padded = 0, False
    try:
        inflater = BoundedDecompressor(
            response.headers.get_list("content-encoding", True), limits.max_bytes
        )
        async for part in response.aiter_raw():
            wire += len(part)
            inflater.feed(part[: max(0, limits.max_bytes - wire + len(part))])
            if inflater.full or wire > limits.max_bytes:
                break
    except BadEncoding as bad:
        raise FetchError("not_text", f"{display_url} is {bad}.", url=display_url, hop=hop) from bad
    except TooManyBytes:
        if not wire:
            raise
        padded = True  # by chunk extensions: the text that arrived is read, as with a long page
    body, cut = inflater.finish()
    truncated = cut or padded or wire > limits.max_bytes
    body_type = type_of_content(content_type, body)
    if body and body_type is None:
        message = f"{display_url} says it is {media_type(content_type)[:60]} and is something else."
        raise FetchError("not_text", message, url=display_url, hop=hop)
    if not body.strip():
        message = f"{display_url} is empty: there is nothing to check."
        raise FetchError("not_evidence", message, url=display_url, hop=hop)
    body_type = body_type or content_type
    if truncated and media_type(body_type) == PDF:
        raise _too_large(display_url, limits, hop)
    return _Answer(response.status_code, body_type, body, truncated, _limit_headers(response))


def _declared(response: "httpx.Response") -> int:
    """The length that the server announces; 0 when it announces none."""
    length = response.headers.get("content-length", "")
    return int(length) if length.isascii() and length.isdecimal() and len(length) < 20 else 0


def _too_large(display_url: str, limits: Limits, hop: int) -> FetchError:
    message = (
        f"{display_url} is a PDF of more than {limits.max_bytes / 2**20:g} MiB and cannot be read "
        f"partially: upload it."
    )
    return FetchError("too_large", message, url=display_url, hop=hop)
