"""How many requests at once: overall, and to one host; and one flight for two who ask the same."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

AT_ONCE = 16
PER_HOST = 2

T = TypeVar("T")


class HostLimiter:
    """Bounded concurrency for one event loop."""

    def __init__(self, at_once: int = AT_ONCE, per_host: int = PER_HOST) -> None:
        self._all = asyncio.Semaphore(at_once)
        self._per_host = per_host
        self._hosts: dict[str, tuple[asyncio.Semaphore, int]] = {}

    @asynccontextmanager
    async def use(self, host: str) -> AsyncIterator[None]:
        """Waits for a place at the host, then for one overall.

        In this order, those who queue for a busy host keep nobody else waiting.
        """
        lane, users = self._hosts.get(host) or (asyncio.Semaphore(self._per_host), 0)
        self._hosts[host] = (lane, users + 1)
        try:
            async with lane, self._all:
                yield
        finally:
            lane, users = self._hosts[host]
            if users > 1:
                self._hosts[host] = (lane, users - 1)
            else:
                del self._hosts[host]


_lanes: WeakKeyDictionary[asyncio.AbstractEventLoop, HostLimiter] = WeakKeyDictionary()


def shared_host_limiter() -> HostLimiter:
    """The lanes of the running event loop, the same for all who fetch in it."""
    loop = asyncio.get_running_loop()
    if loop not in _lanes:
        _lanes[loop] = HostLimiter()
    return _lanes[loop]


def use_host_limiter(lanes: HostLimiter) -> None:
    """Let all who fetch in the running event loop share these lanes."""
    _lanes[asyncio.get_running_loop()] = lanes


class SingleFlight(Generic[T]):
    """Running work, by key: callers that ask for the same thing wait for the same answer."""

    def __init__(self) -> None:
        self._tasks: dict[str, asyncio.Task[T]] = {}
        self._waiting: dict[str, int] = {}

    async def join(self, key: str, start: Callable[[], Awaitable[T]]) -> T:
        """The result of the work for a key; the work ends when the last who waits is cancelled."""
        task = self._tasks.get(key)
        if task is None or task.get_loop() is not asyncio.get_running_loop():
            task = asyncio.ensure_future(_run(start))
            self._tasks[key], self._waiting[key] = task, 0
        self._waiting[key] += 1
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            if self._waiting[key] == 1 and not task.done():
                task.cancel()
                await asyncio.wait([task])
                if not task.cancelled():  # it failed at the same moment: nobody is left to tell
                    task.exception()
            raise
        finally:
            self._waiting[key] -= 1
            if not self._waiting[key] and self._tasks.get(key) is task:
                del self._tasks[key], self._waiting[key]


async def _run(start: Callable[[], Awaitable[T]]) -> T:
    return await start()
