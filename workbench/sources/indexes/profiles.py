"""How each service wants to be asked: its answer's type, where a key and a contact go, its pace.

The pace is one in the whole process, whichever runs, threads and event loops ask it.
"""

import asyncio
import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

JSON = "application/json"


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceProfile:
    """The manners of one service."""

    name: str
    """As in the settings."""
    label: str
    """As people call it."""
    per_second: float
    """Requests that may start in a second, until the service's own headers say otherwise."""
    at_once: int
    """Requests that may be open at a time, until the service's own headers say otherwise."""
    accept: str = JSON
    contact_parameter: str = ""
    """A parameter for the contact address, where the service asks for one."""
    key_parameter: str = ""
    """A parameter for the key; empty where it goes into a header, or where there are no keys."""
    key_header: str = ""
    key_scheme: str = ""
    """What precedes the key in that header."""
    keyed_per_second: float | None = None
    """The pace with a key, where it differs."""
    no_record: str = r"(?!)"
    """What it says, with HTTP status 404, where it has no such record; anybody says 404."""
    leads_on: bool = False
    """Whether its answers come from others, whose failures are not its own."""


PROFILES: dict[str, ServiceProfile] = {
    profile.name: profile
    for profile in (
        ServiceProfile(
            name="doi",
            label="doi.org",
            per_second=5,  # most DOIs lead on to Crossref, whose public pool takes five
            at_once=2,
            accept="application/vnd.citationstyles.csl+json",
            no_record=r"\bDOI\b.{0,20}\bnot found",
            leads_on=True,
        ),
        ServiceProfile(
            name="crossref",
            label="Crossref",
            per_second=5,  # the public pool; the polite one says so in its headers
            at_once=1,
            contact_parameter="mailto",
            no_record=r"resource not found",
        ),
        ServiceProfile(
            name="datacite",
            label="DataCite",
            per_second=3,  # 1,000 in five minutes
            at_once=2,
            accept="application/vnd.api+json, application/json;q=0.9",
            no_record=r'"errors".*"status"\s*:\s*"?404\b',
        ),
        ServiceProfile(
            name="openalex",
            label="OpenAlex",
            per_second=10,
            at_once=2,
            key_parameter="api_key",
            no_record=r'^\s*\{.*"error"\s*:\s*"[^"]*not found',
        ),
        ServiceProfile(
            name="arxiv",
            label="arXiv",
            per_second=1 / 3,  # one request in three seconds over one connection
            at_once=1,
            accept="application/atom+xml",
        ),
        ServiceProfile(
            name="pubmed",
            label="PubMed",
            per_second=3,
            at_once=2,
            contact_parameter="email",
            key_parameter="api_key",
            keyed_per_second=10,
        ),
        ServiceProfile(name="dblp", label="DBLP", per_second=1, at_once=1),
        ServiceProfile(
            name="semantic_scholar",
            label="Semantic Scholar",
            per_second=1,
            at_once=1,
            key_header="x-api-key",
            no_record=r'^\s*\{.*"error"\s*:\s*"[^"]*not found',
        ),
        ServiceProfile(name="open_library", label="Open Library", per_second=1, at_once=1),
        ServiceProfile(
            name="courtlistener",
            label="CourtListener",
            per_second=1,  # 60 citations a minute
            at_once=1,
            key_header="Authorization",
            key_scheme="Token ",
        ),
    )
}
"""Every service that can be asked, by its name in the settings."""
INDEXES_WITHOUT_KEY = ("doi", "crossref", "datacite", "arxiv", "pubmed", "dblp", "open_library")
"""Asked unless the settings name others: those that answer anybody. Semantic Scholar's public pool
is busy most of the time, and OpenAlex answers no search without a key."""

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
