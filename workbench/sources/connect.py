"""One HTTP request over a connection to an address that was checked, and to no other.

Imports httpx, so it is itself imported by the first fetch, not with the room.
"""

import asyncio
import ssl
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import cache

import anyio
import httpcore
import httpx

import workbench
from workbench.sources.decompression import TooManyBytes
from workbench.sources.ssrf_guard import CheckedUrl, IPAddress

USER_AGENT = f"citation-workbench/{workbench.__version__} (checks the sources that a text cites)"
HEADERS = {
    "User-Agent": USER_AGENT,
    "Accept": "text/html,application/xhtml+xml,application/pdf,text/plain;q=0.9,*/*;q=0.5",
    "Accept-Language": "en,*;q=0.5",
    "Accept-Encoding": "gzip, deflate",
    "Connection": "close",
}
CONNECT_SECONDS = 4.0
MAX_ATTEMPTS = 3
"""Addresses of one name that are tried; how many there are is the name owner's choice."""
HEAD_BYTES = 128 * 1024
"""For status line and headers, of which h11 reads 100 KiB at most."""


@asynccontextmanager
async def send_request(
    checked: CheckedUrl,
    addresses: Sequence[IPAddress],
    tls: ssl.SSLContext,
    max_bytes: int,
    posted: bytes | None = None,
    headers: Mapping[str, str] | None = None,
) -> AsyncIterator[httpx.Response]:
    """The response to a GET, or to a POST of JSON, its body unread; closed on leaving.

    What comes over the wire is counted, not the body alone: interim answers, chunk extensions and
    trailers have no length of their own. A sixteenth of `max_bytes` (the body's limit) is left for
    the framing of ordinary chunks.

    There is deliberately no client: this way there are no cookies, credentials, proxies or
    `.netrc`, and does not look at redirects.

    Raises:
        httpcore.NetworkError, httpcore.ProtocolError, httpcore.TimeoutException:
            the connection or the protocol failed.
        TooManyBytes: while headers or body are read.
    """
    max_received = HEAD_BYTES + max_bytes + max_bytes // 16
    async with _Transport(tuple(addresses), tls, max_received) as transport:
        response = await transport.handle_async_request(
            httpx.Request(
                "GET" if posted is None else "POST",
                checked.url,
                headers={**HEADERS, **(headers or {})},
                content=posted,
            )
        )
        try:
            yield response
        finally:
            await response.aclose()


@cache
def default_tls() -> ssl.SSLContext:
    """The process's TLS settings: certificates verified against the bundled authorities."""
    return httpx.create_ssl_context(trust_env=False)


class _Pinned(httpcore.AsyncNetworkBackend):
    """Opens sockets to the given addresses, whatever host is named; looks nothing up.

    The pool keeps the host for itself and verifies the certificate against it.
    """

    def __init__(self, addresses: Sequence[IPAddress], max_bytes: int) -> None:
        self._addresses = addresses
        self._max_bytes = max_bytes
        self._sockets = httpcore.AnyIOBackend()
        self._open: list[httpcore.AsyncNetworkStream] = []

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        failed: Exception = httpcore.ConnectError("no address to connect to")
        for address in self._addresses[:MAX_ATTEMPTS]:
            try:
                stream = await self._sockets.connect_tcp(
                    str(address), port, CONNECT_SECONDS, None, socket_options
                )
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as bad:
                failed = bad
            else:
                self._open.append(stream)
                return _Counted(stream, self._max_bytes)
        raise failed

    async def aclose(self) -> None:
        """Closes what was opened, also what a TLS handshake that was cut off left open."""
        for stream in self._open:
            await stream.aclose()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class _Counted(httpcore.AsyncNetworkStream):
    """A connection that gives at most `max_bytes`; of TLS, what it holds unpacked."""

    def __init__(self, stream: httpcore.AsyncNetworkStream, max_bytes: int) -> None:
        self._stream, self._remaining = stream, max_bytes

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        received = await self._stream.read(max_bytes, timeout)
        self._remaining -= len(received)
        if self._remaining < 0:
            raise TooManyBytes
        return received

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        await self._stream.write(buffer, timeout)

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.AsyncNetworkStream:
        secure = await self._stream.start_tls(ssl_context, server_hostname, timeout)
        return _Counted(secure, self._remaining)

    def get_extra_info(self, info: str) -> object:
        return self._stream.get_extra_info(info)


class _Body(httpx.AsyncByteStream):
    def __init__(self, response: httpcore.Response) -> None:
        self._response = response

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for part in self._response.aiter_stream():
            yield part

    async def aclose(self) -> None:
        await self._response.aclose()


class _Transport(httpx.AsyncBaseTransport):
    def __init__(self, addresses: Sequence[IPAddress], tls: ssl.SSLContext, max_bytes: int) -> None:
        self._pinned = _Pinned(addresses, max_bytes)
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=tls,
            max_connections=1,
            max_keepalive_connections=0,
            http1=True,
            http2=False,
            network_backend=self._pinned,
        )

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        response = await self._pool.handle_async_request(
            httpcore.Request(
                method=request.method,
                url=httpcore.URL(
                    scheme=request.url.raw_scheme,
                    host=request.url.raw_host,
                    port=request.url.port,
                    target=request.url.raw_path,
                ),
                headers=request.headers.raw,
                content=request.stream,
                extensions=request.extensions,
            )
        )
        return httpx.Response(response.status, headers=response.headers, stream=_Body(response))

    async def aclose(self) -> None:
        with anyio.CancelScope(shield=True):
            await self._pool.aclose()
            await self._pinned.aclose()
