"""What all workers of a cluster have together, each held by one actor on the machine of the batch.

A worker that dies takes nothing along: places that it held or waited for are given back by
`forget`, under the token of the attempt that it was at, and what it had set aside stays reserved.
"""

import asyncio
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from workbench.errors import ErrorKind, JudgeError
from workbench.records.bibliography import IndexReply, ReferenceEntry, RetractionNotice
from workbench.records.source import Fetched
from workbench.records.spending import PricedCall, Reservation, Spending
from workbench.records.text import JsonDict
from workbench.records.verdict import Judgment
from workbench.services.batch.directory import BATCH_ACCOUNT
from workbench.services.database import open_database
from workbench.services.references.checking import ReferenceOptions
from workbench.services.references.requests import ReferencePlan
from workbench.services.runs import find_judgment, keep_judgment
from workbench.services.sources.snapshots import Snapshot, SnapshotFolder
from workbench.services.spending import lasting_budget

PER_HOST = 2
"""Requests to one host at once, over all workers, as on one machine."""


class BudgetActor:
    """The cost cap of the whole batch, and the judgments that were paid for.

    A judgment is on the disk before the worker that paid for it continues.
    """

    def __init__(self, cap_usd: float | None, spent_usd: float, paid: Path) -> None:
        self._paid = open_database(paid)
        self._budget = lasting_budget(self._paid, BATCH_ACCOUNT, cap_usd, spent_usd)
        self._open: dict[str, list[Reservation]] = {}
        self._gone: set[str] = set()

    async def reserve(
        self, token: str, call: PricedCall
    ) -> tuple[Reservation, tuple[ErrorKind, str] | None]:
        """The reservation of an attempt's call; or an empty one and why there is none."""
        try:
            reservation = await self._budget.reserve_in_turn(call)
        except JudgeError as error:
            return Reservation(worst_usd=0.0), (error.kind, error.message)
        if token in self._gone:  # it died while it waited
            self._budget.settle(reservation, 0.0)
        else:
            self._open.setdefault(token, []).append(reservation)
        return reservation, None

    async def settle(self, token: str, reservation: Reservation, cost_usd: float | None) -> None:
        """Replace what an attempt had reserved by what the call cost."""
        if self._take(token, reservation):
            self._budget.settle(reservation, cost_usd)

    async def abandon(self, token: str, reservation: Reservation) -> None:
        """Leave what an attempt had reserved: the call was cut off, its outcome is unknown."""
        if self._take(token, reservation):
            self._budget.abandon(reservation)

    def _take(self, token: str, reservation: Reservation) -> bool:
        """Whether it was open; one of an attempt that died stays reserved."""
        reservations = self._open.get(token, [])
        if reservation in reservations:
            reservations.remove(reservation)
            return True
        return False

    async def forget(self, token: str) -> None:
        """Keep what a dead attempt had reserved: its calls may have been billed."""
        self._gone.add(token)
        for reservation in self._open.pop(token, []):
            self._budget.abandon(reservation)

    async def end(self, token: str) -> None:
        """Forget an attempt that came to its end."""
        for reservation in self._open.pop(token, []):
            self._budget.abandon(reservation)

    async def close(self) -> Spending:
        """What the batch came to, earlier passes included, once all is written down."""
        await self._budget.aclose()
        return self._budget.spending

    async def recall(self, key: str) -> Judgment | None:
        """The judgment that is kept under a key."""
        return await asyncio.to_thread(find_judgment, self._paid, key)

    async def remember(self, key: str, judgment: Judgment) -> None:
        """Keep a judgment that was paid for."""
        await asyncio.to_thread(keep_judgment, self._paid, key, judgment)


class HostLimiterActor:
    """Who may ask a host now: a few at once over all workers."""

    def __init__(self, per_host: int = PER_HOST) -> None:
        self._per_host = per_host
        self._lanes: dict[str, asyncio.Semaphore] = {}
        self._waiting: Counter[str] = Counter()
        self._held: dict[str, Counter[str]] = {}
        self._gone: set[str] = set()
        self.most: Counter[str] = Counter()
        """The most that asked a host at once, by host."""

    async def enter(self, token: str, host: str) -> None:
        """Wait for a place at a host."""
        lane = self._lanes.setdefault(host, asyncio.Semaphore(self._per_host))
        self._waiting[host] += 1
        await lane.acquire()
        if token in self._gone:  # it died while it waited
            self._release(host)
            return
        self._held.setdefault(token, Counter())[host] += 1
        now = sum(host_counts[host] for host_counts in self._held.values())
        self.most[host] = max(self.most[host], now)

    async def leave(self, token: str, host: str) -> None:
        """Give a place back."""
        host_counts = self._held.get(token, Counter())
        if host_counts[host]:
            host_counts[host] -= 1
            self._release(host)

    async def forget(self, token: str) -> None:
        """Give back the places of an attempt that died."""
        self._gone.add(token)
        await self.end(token)

    async def end(self, token: str) -> None:
        """Give back what an attempt that came to its end still has: its last word is on the way."""
        for host, number in self._held.pop(token, Counter()).items():
            for _ in range(number):
                self._release(host)

    async def most_at_once(self) -> dict[str, int]:
        """The most that asked a host at once, by host."""
        return dict(self.most)

    def _release(self, host: str) -> None:
        self._lanes[host].release()
        self._waiting[host] -= 1
        if not self._waiting[host]:
            del self._lanes[host], self._waiting[host]


class ReferenceActor:
    """The registries and indexes of the batch: each service keeps one pace over all workers."""

    def __init__(self, plan: ReferencePlan) -> None:
        options = plan.open() or ReferenceOptions()
        self._retraction_of = options.retraction_of
        self._indexes = {index.name: index for index in (*options.registries, *options.indexes)}

    async def covers(self, name: str, entry: ReferenceEntry) -> bool:
        """Whether an index should hold a work like this one."""
        return self._indexes[name].covers(entry)

    async def look_up(self, name: str, entry: ReferenceEntry) -> IndexReply:
        """What an index returns for an entry."""
        return await self._indexes[name].look_up(entry)

    async def retraction_of(
        self, entry: ReferenceEntry, record: JsonDict | None
    ) -> RetractionNotice | None:
        """The notice on the work of an entry, or of its record."""
        if self._retraction_of is None:
            return None
        return await asyncio.to_thread(self._retraction_of, entry, record)


class SnapshotActor:
    """The kept sources of the machine that the batch was started on."""

    def __init__(self, folder: Path) -> None:
        self._folder = SnapshotFolder(folder)

    async def put(self, fetched: Fetched) -> str:
        """Keep what was fetched."""
        return await asyncio.to_thread(self._folder.put, fetched)

    async def find(self, url: str) -> Fetched | None:
        """The newest snapshot of an address."""
        return await asyncio.to_thread(self._folder.find, url)

    async def get(self, sha256: str) -> Fetched | None:
        """The newest request that gave these bytes."""
        return await asyncio.to_thread(self._folder.get, sha256)

    async def history(self, url: str) -> Sequence[Snapshot]:
        """Every snapshot of an address, oldest first."""
        return await asyncio.to_thread(self._folder.history, url)
