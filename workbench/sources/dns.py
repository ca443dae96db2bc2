"""Looking a name up: the standard resolver, in threads of our own, one lookup a connection."""

import asyncio
import os
import queue
import socket
import threading
from collections.abc import Callable

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
