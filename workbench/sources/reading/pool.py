"""A small pool of children that parse hostile bytes under memory, CPU and wall limits.

The pool is threads and blocking sockets inside, because it outlives the event loops that use it;
`parse_in_child` is its awaitable face. A child that breaks a limit is killed and replaced.
"""

import asyncio
import atexit
import contextlib
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from workbench.errors import ERROR_KINDS, ErrorKind
from workbench.records.codec import Record, published_as
from workbench.sources.reading.parsed import PageIssue, Parsed, Unparsable
from workbench.sources.reading.parser_process import receive, send

MEMORY_BYTES = 1024 * 1024 * 1024
WALL_SECONDS = 10
DRAWING_SECONDS = 6
START_SECONDS = 60
"""For the interpreter and the parser's imports, which a busy machine makes slow."""
JOBS_PER_CHILD = 200
WORN_RSS_KIB = 350 * 1024
"""A child that has grown beyond this is replaced after its job."""

_ROOT = str(Path(__file__).resolve().parents[3])
_CHILD_VARIABLES = (
    "PATH",
    "LANG",
    "LC_ALL",
    "TMPDIR",
    "LD_LIBRARY_PATH",
    "PYTHONDONTWRITEBYTECODE",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ContentMetadata(Record):
    """What is known of the bytes before they are read."""

    content_type: str = ""
    url: str = ""
    """The address that answered in the end."""
    cited_url: str = field(default="", metadata=published_as("asked"))
    """The address that was cited."""
    status: int | None = None
    """None for a supplied file."""
    keep_lines: bool = False
    """Whether the lines of a PDF matter, as they do where its reference list is read."""
    max_pages: int | None = None
    """Only so many pages of a PDF are read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChildRequest:
    """What a child is asked for, and what is said where it breaks a limit."""

    head: Mapping[str, object]
    body: bytes
    too_long: str
    """The sentence for more time than allowed."""
    too_much: str
    """The sentence for more memory or processor time than allowed."""


class _NotStarted(Exception):
    """The child ended before it began with the job."""


class ParseJob:
    """One request to the pool; cancelling it kills the child that works on it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._child: _Child | None = None
        self.cancelled = False

    def start(self, child: "_Child") -> None:
        """Notes the child, or kills it when the job was cancelled before it began."""
        with self._lock:
            self._child = child
            if self.cancelled:
                child.kill()

    def finish(self) -> None:
        """Forgets the child, which may serve another job from now on."""
        with self._lock:
            self._child = None

    def cancel(self) -> None:
        """Ends the work at once."""
        with self._lock:
            self.cancelled = True
            if self._child is not None:
                self._child.kill()


class _Child:
    def __init__(self, memory: int, seconds: int) -> None:
        parent_end, child_end = socket.socketpair()
        try:
            self.process = subprocess.Popen(
                [
                    sys.executable,
                    "-P",  # the working directory may hold a file called like a module
                    "-m",
                    "workbench.sources.reading.parser_process",
                    str(memory),
                    str(seconds),
                ],
                stdin=child_end.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                # No key of any service travels to a process that parses hostile bytes.
                env={name: os.environ[name] for name in _CHILD_VARIABLES if name in os.environ}
                | {"PYTHONPATH": _ROOT, "PYTHONIOENCODING": "utf-8"},
            )
        except BaseException:
            parent_end.close()
            raise
        finally:
            child_end.close()
        self.pipe = parent_end
        self.jobs = 0
        self.rss_kib = 0

    @property
    def usable(self) -> bool:
        return (
            self.process.poll() is None
            and self.jobs < JOBS_PER_CHILD
            and self.rss_kib < WORN_RSS_KIB
        )

    def kill(self) -> None:
        self.process.kill()

    def bury(self) -> None:
        """Ends the process and takes back all that it held."""
        self.process.kill()
        self.process.wait()
        self.pipe.close()


class ParserProcessPool:
    """At most `size` children at a time; they start when needed and are used again."""

    def __init__(
        self, size: int = 2, *, memory: int = MEMORY_BYTES, seconds: float = WALL_SECONDS
    ) -> None:
        self.size = size
        self._memory = memory
        self.seconds = seconds
        self._slots = threading.BoundedSemaphore(size)
        self._lock = threading.Lock()
        self._idle: list[_Child] = []
        self._all: set[_Child] = set()
        self._threads = ThreadPoolExecutor(size, thread_name_prefix="reader")
        self._owner = os.getpid()
        self._closed = False

    @property
    def children(self) -> list[int]:
        """Process ids of the children that live now."""
        with self._lock:
            return [child.process.pid for child in self._all if child.process.poll() is None]

    async def parse(self, body: bytes, head: ContentMetadata) -> Parsed:
        """The text of a source; cancelling the await kills the child at work.

        Raises:
            Unparsable: with the reason code and sentence of the parser, or of the limit broken.
        """
        job = ParseJob()
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(
                self._threads, lambda: self.parse_blocking(body, head, job)
            )
        except asyncio.CancelledError:
            job.cancel()
            raise

    def parse_blocking(
        self, body: bytes, head: ContentMetadata, job: ParseJob | None = None
    ) -> Parsed:
        """`parse` for callers without an event loop.

        Raises:
            Unparsable: as `parse`.
        """
        request = ChildRequest(
            head=head.to_dict(),
            body=body,
            too_long=f"Reading the source took longer than {self.seconds:g} seconds and was "
            "stopped: upload a smaller copy, or paste the text.",
            too_much="Reading the source took more memory or time than allowed and was stopped: "
            "upload a smaller copy, or paste the text.",
        )
        return _parsed(*self.answer(request, job))

    def answer(
        self, request: ChildRequest, job: ParseJob | None = None
    ) -> tuple[dict[str, object], bytes]:
        """What a child replies: the head of its message and the body.

        Raises:
            Unparsable: as `parse`.
        """
        job = job or ParseJob()
        with self._slots:
            try:
                reply, body = self._attempt(request, job)
            except _NotStarted:  # an idle child that died in the meantime: start a new one
                try:
                    reply, body = self._attempt(request, job)
                except _NotStarted as twice:
                    message = "The reading process could not start: try again."
                    raise Unparsable("unreadable", message) from twice
        if "error" in reply:
            raise _failure(reply, request)
        return reply, body

    def _attempt(self, request: ChildRequest, job: ParseJob) -> tuple[dict[str, object], bytes]:
        if job.cancelled:
            raise Unparsable("cancelled", "Reading was cancelled.")
        child = self._take()
        job.start(child)
        sound = False
        try:
            reply, body = self._converse(child, request)
            child.jobs += 1
            child.rss_kib = int(str(reply.get("rss_kib", 0)))
            sound = not reply.get("memory")
        finally:
            job.finish()
            self._give_back(child, sound=sound and not job.cancelled)
        return reply, body

    def _converse(self, child: _Child, request: ChildRequest) -> tuple[dict[str, object], bytes]:
        try:
            child.pipe.settimeout(START_SECONDS)
            send(child.pipe, dict(request.head), request.body)
            receive(child.pipe, START_SECONDS)
        except (EOFError, OSError, ValueError) as gone:
            raise _NotStarted from gone
        try:
            return receive(child.pipe, self.seconds)
        except TimeoutError as late:
            raise Unparsable("unreadable", request.too_long) from late
        except (EOFError, OSError, ValueError) as gone:
            raise Unparsable("unreadable", request.too_much) from gone

    def _take(self) -> _Child:
        with self._lock:
            while self._idle:
                child = self._idle.pop()
                if child.usable:
                    return child
                self._all.discard(child)
                child.bury()
        child = _Child(self._memory, max(1, round(self.seconds)))
        with self._lock:
            self._all.add(child)
        return child

    def _give_back(self, child: _Child, *, sound: bool) -> None:
        with self._lock:
            if sound and child.usable and not self._closed:
                self._idle.append(child)
                return
            self._all.discard(child)
        child.bury()

    def close(self) -> None:
        """Ends every child; the pool is of no use afterwards."""
        if os.getpid() != self._owner:  # a forked copy of this process owns no children
            return
        with self._lock:
            self._closed = True
            for child in self._all:
                child.kill()
            idle, self._idle = self._idle, []
            self._all.difference_update(idle)
        for child in idle:
            child.bury()
        self._threads.shutdown(wait=True)

    def belongs_here(self) -> bool:
        """False in a forked copy of the process that made the pool."""
        return os.getpid() == self._owner and not self._closed


def _failure(reply: Mapping[str, object], request: ChildRequest) -> Unparsable:
    kind: ErrorKind = "unreadable"
    for error_kind in ERROR_KINDS:
        if error_kind == reply["error"]:
            kind = error_kind
    return Unparsable(kind, str(reply.get("message") or "") or request.too_much)


def _parsed(reply: Mapping[str, object], text: bytes) -> Parsed:
    pages, scanned, doubt = (reply.get(name) for name in ("pages", "scanned", "doubt"))
    return Parsed(
        text=text.decode("utf-8", "surrogatepass"),
        pages=tuple((int(start), int(end)) for start, end in pages)
        if isinstance(pages, list)
        else (),
        scanned=tuple(map(int, scanned)) if isinstance(scanned, list) else (),
        title=_text(reply.get("title")),
        author=_text(reply.get("author")),
        date=_text(reply.get("date")),
        site=_text(reply.get("site")),
        truncated=bool(reply.get("truncated")),
        doubt=PageIssue(reason=str(doubt[0]), confidence=float(doubt[1]), message=str(doubt[2]))
        if isinstance(doubt, list)
        else None,
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


_shared_lock = threading.Lock()
_shared: dict[str, ParserProcessPool] = {}


def shared_pool() -> ParserProcessPool:
    """The pool of this process for reading; its children end with it."""
    return _pool("reading", max(2, min(4, os.cpu_count() or 2)), WALL_SECONDS)


def drawing_pool() -> ParserProcessPool:
    """The pool of this process for drawing pages: who looks at one waits for no run."""
    return _pool("drawing", 2, DRAWING_SECONDS)


def _pool(name: str, size: int, seconds: float) -> ParserProcessPool:
    with _shared_lock:
        pool = _shared.get(name)
        if pool is None or not pool.belongs_here():
            pool = _shared[name] = ParserProcessPool(size, seconds=seconds)
        return pool


def _close_shared() -> None:
    for pool in _shared.values():
        with contextlib.suppress(OSError):
            pool.close()


atexit.register(_close_shared)
