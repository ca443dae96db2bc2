"""One pace for a service in the whole process, whichever runs, threads and event loops ask it."""

import asyncio
import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress

MARGIN = 1.1
"""Requests are spread a tenth wider than a service allows: they may arrive closer than they left."""
FASTEST = 50.0
"""Requests a second, whatever a header says."""
MOST_AT_ONCE = 10
LONGEST_INTERVAL = 300.0
"""Seconds between two requests, whatever a header says: what a server asks for lapses then."""
LONGEST_WAIT = 10.0
"""Seconds that a service is waited for; where it asks for more, it is not asked."""


class TooLongToWait(Exception):
    """A service's own limits put its next request off for longer than it is waited for."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


class ServicePace:
    """When the next request to a service may start, and how many may be open.

    The first goes alone: what is set up for it would let the second catch up with it, and its
    answer says the service's limits.
    """

    def __init__(self, per_second: float, at_once: int) -> None:
        self._lock = threading.Lock()
        self._interval = MARGIN / per_second
        self._at_once = 1
        self._at_once_after_first = at_once
        self._open = 0
        self._last_start = float("-inf")
        self._paused_until = float("-inf")
        self._waiting: deque[tuple[asyncio.AbstractEventLoop, asyncio.Future[None]]] = deque()

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Waits until a request may start; it counts as open until the end of the block.

        Raises:
            TooLongToWait: It may not start soon.
        """
        await self._enter()
        try:
            while (wait := self._reserve()) > 0:
                if wait > LONGEST_WAIT:
                    raise TooLongToWait(wait)
                await asyncio.sleep(wait)
            yield
        finally:
            self._leave()

    def pause(self, seconds: float) -> None:
        """Start nothing for a while: the service asked for it."""
        with self._lock:
            self._paused_until = max(self._paused_until, time.monotonic() + seconds)

    def follow(self, headers: Mapping[str, str]) -> None:
        """Take the limits that a service's answer names; nothing for what makes no sense."""
        limit = _number(headers.get("x-rate-limit-limit", ""))
        interval = _number(headers.get("x-rate-limit-interval", "1s").removesuffix("s"))
        at_once = _number(headers.get("x-concurrency-limit", ""))
        with self._lock:
            if limit and interval:
                self._interval = max(MARGIN * interval / limit, 1 / FASTEST)
                self._interval = min(self._interval, LONGEST_INTERVAL)
            if at_once:
                self._at_once_after_first = max(1, min(int(at_once), MOST_AT_ONCE))

    def _reserve(self) -> float:
        """Seconds to wait before asking again; 0 where the start is taken."""
        with self._lock:
            now = time.monotonic()
            start = max(self._last_start + self._interval, self._paused_until)
            if now < start:
                return start - now
            self._last_start = now
            return 0.0

    async def _enter(self) -> None:
        with self._lock:
            if self._open < self._at_once:
                self._open += 1
                return
            loop = asyncio.get_running_loop()
            place: asyncio.Future[None] = loop.create_future()
            self._waiting.append((loop, place))
        try:
            await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled():
                self._leave()  # the place had just been handed over
            raise

    def _leave(self) -> None:
        with self._lock:
            self._open -= 1
            self._at_once = self._at_once_after_first
        self._wake()

    def _wake(self) -> None:
        """Hand free places over; one whose event loop is gone is passed by."""
        with self._lock:
            while self._waiting and self._open < self._at_once:
                loop, place = self._waiting.popleft()
                with suppress(RuntimeError):
                    loop.call_soon_threadsafe(self._hand_over, place)
                    self._open += 1

    def _hand_over(self, place: "asyncio.Future[None]") -> None:
        if place.done():  # cancelled meanwhile
            self._leave()
        else:
            place.set_result(None)


_paces: dict[tuple[str, str], ServicePace] = {}
_paces_lock = threading.Lock()


def shared_pace(name: str, base: str, per_second: float, at_once: int) -> ServicePace:
    """The process's pace for a service at an address; made when it is first asked for."""
    with _paces_lock:
        if (name, base) not in _paces:
            _paces[name, base] = ServicePace(per_second, at_once)
        return _paces[name, base]


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if 0 < number < 1e6 else None
