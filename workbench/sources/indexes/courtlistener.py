"""CourtListener: court decisions of the United States, by volume, reporter and page.

Citations of entries that are asked about at the same time go into one request, and no more than
its limit are sent in any minute. Each citation's answer is kept on its own, so that it is replayed
whichever others were sent with it.
"""

import asyncio
import json
import re
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urljoin

from workbench.records.bibliography import CachedAnswer, IndexAnswer, IndexReply, ReferenceEntry
from workbench.records.text import Json, JsonDict
from workbench.sources.fetch import StatusError
from workbench.sources.indexes.client import (
    IndexClient,
    NoAnswer,
    ServiceQuestion,
    UnexpectedAnswer,
)
from workbench.sources.indexes.fields import (
    as_object,
    as_objects,
    as_text,
    as_texts,
    build_record,
    issued_on,
    load_json,
)

PER_MINUTE = 60
"""Citations that the service looks up in a minute; it refuses whoever sends more."""
GATHER_S = 0.05
"""Seconds in which citations are gathered into one request."""
PATH = "api/rest/v4/citation-lookup/"
SITE = "https://www.courtlistener.com/"
_FOUND, _SEVERAL, _NO_REPORTER, _NOT_FOUND, _LEFT_OUT = 200, 300, 400, 404, 429
_PAGE = re.compile(r"\s*\*?(\d{1,7})")
_VOLUME = re.compile(r"\s*(\d{1,4})\s*\Z")
_DATABASE = re.compile(r"\bLEXIS\b|\bWL\b|\bWestlaw\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a decision is printed, as the entry says."""

    volume: str
    reporter: str
    page: str

    @property
    def words(self) -> str:
        return f"{self.volume} {self.reporter} {self.page}"

    @property
    def question(self) -> ServiceQuestion:
        """The question about this place alone; its answer is kept under it."""
        form = {"volume": self.volume, "reporter": self.reporter, "page": self.page}
        return ServiceQuestion(words=self.words, path=PATH, form=form)


class CourtListenerIndex:
    """CourtListener's decisions at a volume, reporter and page."""

    name = "courtlistener"
    description = "Published decisions of federal and state courts of the United States."

    def __init__(self, client: IndexClient, clock: Callable[[], float] = time.monotonic) -> None:
        self._client = client
        self._clock = clock
        self._waiting: dict[_Place, asyncio.Future[None]] = {}
        self._sender: asyncio.Task[None] | None = None

    def covers(self, entry: ReferenceEntry) -> bool:
        """Decisions cited by reporter; not by docket number or the number of a database."""
        return _is_case(entry) and _cited_place(entry) is not None

    async def look_up(self, entry: ReferenceEntry) -> IndexReply:
        """The decisions at the place that the entry cites; never raises for what a service does."""
        place = _cited_place(entry)
        reason, covers = self._why_not_asked(entry, place), self.covers(entry)
        answer = IndexAnswer(name=self.name, answer="not_asked", why=reason, covers=covers)
        if reason or place is None:
            return IndexReply(answer=answer)
        unknown: list[str] = []
        try:
            await self._send_with_others(place)
            found = await self._client.ask(
                self.name, place.question, lambda body: _read_single(body, place, unknown)
            )
        except NoAnswer as missing:
            why = f"{missing.why}{_asked_to_wait(missing)}"
            sent = place.words if missing.asked_at else ""
            answer = replace(answer, answer=missing.kind, why=why, question=sent)
            return IndexReply(answer=replace(answer, asked_at=missing.asked_at))
        answer = replace(answer, question=place.words, asked_at=found.asked_at)
        if found.records:
            answer = replace(answer, answer="match", why="")
        else:
            why = unknown[0] if unknown else f"CourtListener has no decision at {place.words}."
            answer = replace(answer, answer="none", why=why)
        return IndexReply(answer=answer, records=tuple(found.records))

    def _why_not_asked(self, entry: ReferenceEntry, place: _Place | None) -> str:
        switched_off = self._client.why_unavailable(self.name)
        if switched_off:
            return switched_off
        if not _is_case(entry):
            return "CourtListener has only court decisions."
        if place is None:
            return "The entry gives no volume, reporter and page, which CourtListener needs."
        if self.name not in self._client.keys:
            return "CourtListener needs a token: set its key file in the settings."
        return ""

    async def _send_with_others(self, place: _Place) -> None:
        """Send a citation whose answer is not kept, together with those asked at the same time.

        Raises:
            NoAnswer: the service failed, or nothing may be sent.
        """
        kept = await self._client.kept(
            self.name, place.question, lambda body: _read_single(body, place, [])
        )
        if kept is not None:
            return
        self._client.check_allowed(self.name)
        sent = self._waiting.get(place)
        if sent is None:
            sent = self._waiting[place] = asyncio.get_running_loop().create_future()
        if self._sender is None or self._sender.done():
            self._sender = asyncio.create_task(self._send_waiting())
        await asyncio.shield(sent)

    async def _send_waiting(self) -> None:
        await asyncio.sleep(GATHER_S)
        budget = _shared_budget(self._client.services.index_base(self.name) or "")
        while self._waiting:
            try:
                self._client.check_allowed(self.name)
                allowed, wait = budget.take(len(self._waiting), self._clock())
                if not allowed:
                    await asyncio.sleep(wait)
                    continue
                places = list(self._waiting)[:allowed]
                await self._send(places)
            except NoAnswer as missing:
                self._settle(list(self._waiting), missing)
            else:
                self._settle(places, None)

    def _settle(self, places: Sequence[_Place], failure: NoAnswer | None) -> None:
        """Let those go on who wait for the answers to these citations."""
        for place in places:
            sent = self._waiting.pop(place)
            if failure is None:
                sent.set_result(None)
            else:
                sent.set_exception(failure)
                sent.exception()  # whoever waited may be gone

    async def _send(self, places: list[_Place]) -> None:
        """One request; the answer to each citation is kept as if it had been asked alone.

        Raises:
            NoAnswer: the service failed, or nothing may be sent.
        """
        if len(places) == 1:
            return  # asked alone
        text = "; ".join(place.words for place in places)
        question = ServiceQuestion(words=text, path=PATH, form={"text": text})
        answer = await self._client.ask(self.name, question, _read_items)
        by_start = {str(item.get("start_index")): item for item in answer.records}
        at = 0
        for place in places:
            item = by_start.get(str(at))
            at += len(place.words) + 2
            if item is not None and item.get("status") != _LEFT_OUT:
                await self._client.cache.keep(
                    CachedAnswer(
                        service=self.name,
                        question=place.question.key,
                        status=200,
                        body=json.dumps([item]).encode(),
                        asked_at=answer.asked_at,
                    )
                )


class _Budget:
    """Citations that may be sent to a service: so many in any minute, in the whole process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sent: deque[float] = deque()

    def take(self, wanted: int, now: float) -> tuple[int, float]:
        """How many may be sent now, and the seconds until one may be where none may."""
        with self._lock:
            while self._sent and self._sent[0] <= now - PER_MINUTE:
                self._sent.popleft()
            allowed = min(wanted, PER_MINUTE - len(self._sent))
            self._sent.extend([now] * allowed)
            wait = 0.0 if allowed or not self._sent else self._sent[0] + PER_MINUTE - now
            return allowed, wait


_budgets: dict[str, _Budget] = {}
_budgets_lock = threading.Lock()


def _shared_budget(base: str) -> _Budget:
    with _budgets_lock:
        return _budgets.setdefault(base, _Budget())


def _is_case(entry: ReferenceEntry) -> bool:
    return entry.type == "legal_case" or (entry.type is None and entry.court is not None)


def _cited_place(entry: ReferenceEntry) -> _Place | None:
    """Volume, reporter and first page, where the entry has them and the reporter is printed."""
    volume = _VOLUME.match(entry.volume or "")
    page = _PAGE.match(entry.pages or "")
    reporter = " ".join((entry.venue or "").split())
    if not (volume and page and reporter) or len(reporter) > 60 or _DATABASE.search(reporter):
        return None
    return _Place(volume[1], reporter, page[1])


def _squashed(citation: str) -> str:
    return "".join(citation.split()).casefold()


def _read_items(body: bytes) -> list[JsonDict]:
    """The answers to the citations of a text; raises `UnexpectedAnswer`."""
    answer = load_json(body)
    if answer == {}:  # it read no citation in the text
        return []
    if not isinstance(answer, list):
        raise UnexpectedAnswer("answered in an unknown form")
    return as_objects(answer)


def _read_single(body: bytes, place: _Place, unknown: list[str]) -> list[JsonDict]:
    """The decisions at one place; why there are none goes into `unknown`."""
    items = _read_items(body)
    status = items[0].get("status") if len(items) == 1 else None
    asked_about = as_text(items[0].get("citation")) if items else ""
    if asked_about and _squashed(asked_about) != _squashed(place.words):
        raise UnexpectedAnswer(f"answered about {asked_about} when asked for {place.words}")
    if status == _LEFT_OUT:
        raise UnexpectedAnswer(f"did not look up {place.words}: too many citations at once")
    if status in (_FOUND, _SEVERAL):
        records = [
            _read_cluster(cluster, place) for cluster in as_objects(items[0].get("clusters"))
        ]
        if records:
            return records
    if status == _NO_REPORTER:
        unknown.append(f"CourtListener knows no reporter {place.reporter}.")
    elif status != _NOT_FOUND or items[0].get("clusters"):
        raise UnexpectedAnswer(f"did not say whether it has {place.words}")
    return []


def _read_cluster(cluster: JsonDict, place: _Place) -> JsonDict:
    """A decision as a CSL-JSON item; its citation is the one that was asked about."""
    name = as_text(cluster.get("case_name")) or as_text(cluster.get("case_name_full"))
    if not name:
        raise UnexpectedAnswer("answered with something that is not a decision")
    citations = [
        " ".join(as_text(citation.get(part)) for part in ("volume", "reporter", "page"))
        for citation in as_objects(cluster.get("citations"))
    ]
    address = as_text(cluster.get("absolute_url"))
    fields: JsonDict = {
        "id": as_text(cluster.get("id")),
        "type": "legal_case",
        "title": name,
        "container-title": place.reporter,
        "volume": place.volume,
        "page": place.page,
        "number": as_text(cluster.get("docket_number")),
        "issued": issued_on(as_text(cluster.get("date_filed"))),
        "authority": as_text(cluster.get("court")),
        "URL": urljoin(SITE, address) if address.startswith("/") else "",
    }
    titles = as_texts([cluster.get("case_name_full"), cluster.get("case_name_short")])
    listed: list[Json] = [citation for citation in citations if citation.strip()]
    return build_record("courtlistener", fields, {"citations": listed, "titles": [*titles]})


def _asked_to_wait(missing: NoAnswer) -> str:
    """Until when the service asked to wait, where it said so; `wait_util` is its own spelling."""
    refused = missing.__cause__
    if not isinstance(refused, StatusError) or refused.status != 429:
        return ""
    try:
        said = as_object(json.loads(refused.body))
    except (ValueError, RecursionError):
        return ""
    until = as_text(said.get("wait_until") or said.get("wait_util"))
    return f" It may be asked again from {until}." if until else ""
