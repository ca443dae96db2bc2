"""A local web server that a test scripts, with sockets diverted to it: nothing leaves here."""

import asyncio
import contextlib
import ipaddress
import socket
import ssl
import threading
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field

Reply = Callable[["Request", asyncio.StreamWriter], Awaitable[None]]
PUBLIC = "93.184.216.34"
_TLS_HANDSHAKE = b"\x16"


@dataclass(frozen=True)
class Request:
    """A request as the server received it."""

    target: str
    headers: dict[str, str]
    raw: bytes
    number: int
    """Counted from 1, over the server's life."""
    body: bytes = b""

    @property
    def host(self) -> str:
        return self.headers.get("host", "")


def page(
    body: bytes | str = b"<html><body><p>A page.</p></body></html>",
    *,
    status: str = "200 OK",
    content_type: str | None = "text/html; charset=utf-8",
    headers: dict[str, str] | None = None,
    delay: float = 0.0,
) -> Reply:
    """A reply with a body."""
    payload = body.encode() if isinstance(body, str) else body

    async def reply(request: Request, writer: asyncio.StreamWriter) -> None:
        if delay:
            await asyncio.sleep(delay)
        lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(payload)}", "Connection: close"]
        if content_type is not None:
            lines.append(f"Content-Type: {content_type}")
        lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
        writer.write("\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + payload)

    return reply


def redirect(location: str, status: str = "302 Found") -> Reply:
    """A reply that leads elsewhere."""
    return page(b"", status=status, headers={"Location": location})


def raw(*parts: bytes, pause: float = 0.0, then_hang: float = 0.0) -> Reply:
    """Bytes as they are, with a pause after each part."""

    async def reply(request: Request, writer: asyncio.StreamWriter) -> None:
        for part in parts:
            writer.write(part)
            await writer.drain()
            if pause:
                await asyncio.sleep(pause)
        if then_hang:
            await asyncio.sleep(then_hang)

    return reply


@dataclass
class FakeWeb:
    """A running server: its replies, and the requests it received."""

    replies: dict[str, Reply] = field(default_factory=dict)
    """By `host/path`, by `/path`, and `*` for the rest."""
    port: int = 0
    requests: list[Request] = field(default_factory=list)
    open_now: int = 0
    most_open: int = 0
    open_by_host: dict[str, int] = field(default_factory=dict)
    most_by_host: dict[str, int] = field(default_factory=dict)
    handshake_seconds: float = 0.0
    """How long a TLS handshake stays without an answer where the server speaks no TLS."""
    _loop: asyncio.AbstractEventLoop | None = None
    _tasks: set["asyncio.Task[None]"] = field(default_factory=set)

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    def targets(self) -> list[str]:
        return [request.host + request.target for request in self.requests]

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        host = ""
        try:
            first = await reader.readexactly(1)
            if first == _TLS_HANDSHAKE:
                # hangs up, so that nobody waits for an answer until a deadline
                await asyncio.sleep(self.handshake_seconds)
                return
            head = first + await reader.readuntil(b"\r\n\r\n")
            lines = head.decode("latin-1").split("\r\n")
            headers = {
                name.lower(): value.strip()
                for name, _, value in (line.partition(":") for line in lines[1:] if line)
            }
            length = int(headers.get("content-length", 0))
            body = await reader.readexactly(length) if length else b""
            request = Request(lines[0].split(" ")[1], headers, head, len(self.requests) + 1, body)
            self.requests.append(request)
            host = request.host
            self.open_now += 1
            self.most_open = max(self.most_open, self.open_now)
            self.open_by_host[host] = self.open_by_host.get(host, 0) + 1
            self.most_by_host[host] = max(self.most_by_host.get(host, 0), self.open_by_host[host])
            path = request.target.split("?")[0]
            reply = (
                self.replies.get(host + request.target)
                or self.replies.get(host + path)
                or self.replies.get(request.target)
                or self.replies.get(path)
                or self.replies.get("*")
                or page(b"not here", status="404 Not Found")
            )
            await reply(request, writer)
            await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.LimitOverrunError):
            pass
        except asyncio.CancelledError:  # the server stops: nobody awaits this task
            pass
        finally:
            if host:
                self.open_now -= 1
                self.open_by_host[host] -= 1
            self._tasks.discard(task)
            with contextlib.suppress(Exception):
                writer.close()


@contextlib.contextmanager
def fake_web(
    replies: dict[str, Reply] | None = None, tls: ssl.SSLContext | None = None
) -> Iterator[FakeWeb]:
    """A server on a thread of its own, on 127.0.0.1."""
    web = FakeWeb(replies=replies or {})
    ready = threading.Event()

    async def main() -> None:
        web._loop = asyncio.get_running_loop()
        server = await asyncio.start_server(
            web._serve, "127.0.0.1", 0, ssl=tls, limit=1 << 20, backlog=1024
        )
        web.port = server.sockets[0].getsockname()[1]
        stop.set_result(asyncio.Event())
        ready.set()
        await stop.result().wait()
        server.close()
        for task in list(web._tasks):
            task.cancel()
        await asyncio.gather(*web._tasks, return_exceptions=True)

    from concurrent.futures import Future

    stop: Future[asyncio.Event] = Future()
    thread = threading.Thread(target=lambda: asyncio.run(main()), daemon=True)
    thread.start()
    assert ready.wait(10)
    try:
        yield web
    finally:
        assert web._loop is not None
        web._loop.call_soon_threadsafe(stop.result().set)
        thread.join(10)


@dataclass
class Diverted:
    """What the code under test looked up and connected to."""

    names: dict[str, list[str]]
    """Answers by name; a name that is not here does not exist."""
    looked_up: list[str] = field(default_factory=list)
    connected: list[tuple[str, int]] = field(default_factory=list)
    default: list[str] | None = None
    """The answer for every other name; None for none."""


@contextlib.contextmanager
def diverted(
    monkeypatch, web: FakeWeb | None = None, names: dict[str, list[str]] | None = None
) -> Iterator[Diverted]:
    """The standard resolver answers from a table, and every connection goes to the fake web.

    Without a fake web each connection is refused after it was noted. Connections to loopback
    addresses are noted as well, and made: a guard that lets one through is seen.
    """
    traffic = Diverted(names=dict(names or {}))
    real_connect = socket.socket.connect

    def getaddrinfo(host, port, family=0, type=0, proto=0, flags=0):
        name = host.decode() if isinstance(host, bytes) else host
        traffic.looked_up.append(name)
        answers = traffic.names.get(name, traffic.default)
        if callable(answers):
            answers = answers()
        if not answers:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        infos = []
        for answer in answers:
            v6 = ":" in answer
            place = (answer, port, 0, 0) if v6 else (answer, port)
            infos.append(
                (socket.AF_INET6 if v6 else socket.AF_INET, socket.SOCK_STREAM, 6, "", place)
            )
        return infos

    def connect(self, address):
        if self.family not in (socket.AF_INET, socket.AF_INET6):
            return real_connect(self, address)
        host, port = address[0], address[1]
        traffic.connected.append((str(ipaddress.ip_address(host)), port))
        if web is None:
            raise ConnectionRefusedError(111, "Connection refused")
        if host == "127.0.0.1":
            return real_connect(self, address)
        if self.family == socket.AF_INET6:
            return real_connect(self, ("::ffff:127.0.0.1", web.port))
        return real_connect(self, ("127.0.0.1", web.port))

    with monkeypatch.context() as patched:
        patched.setattr(socket, "getaddrinfo", getaddrinfo)
        patched.setattr(socket.socket, "connect", connect)
        yield traffic
