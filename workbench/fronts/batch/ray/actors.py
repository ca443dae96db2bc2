"""What all workers of a cluster have together, each held by one actor on the machine of the batch.

A worker that dies takes nothing along: what it had set aside or was waiting for is given back by
`forget`, under the token of the attempt that it was at.
"""

import asyncio
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from workbench.errors import ErrorKind, JudgeError
from workbench.judging.budget import Budget
from workbench.records import Fetched, Judgment
from workbench.sources import Snapshot, SnapshotFolder
from workbench.store import Store

PER_HOST = 2
"""Requests to one host at once, over all workers, as on one machine."""


class Ledger:
    """The cost cap of the whole batch, and the judgments that were paid for.

    A judgment is on the disk before the worker that paid for it goes on.
    """

    def __init__(self, cap_usd: float | None, spent_usd: float, paid: Path) -> None:
        self._budget = Budget(cap_usd)
        self._budget.spent_usd = spent_usd
        self._store = Store(paid)
        self._open: dict[str, list[float]] = {}
        self._gone: set[str] = set()

    async def reserve(
        self, token: str, worst_usd: float | None
    ) -> tuple[float, tuple[ErrorKind, str] | None]:
        """The amount set aside for an attempt; or 0 and the reason why there is none."""
        try:
            amount = await self._budget.reserve_in_turn(worst_usd)
        except JudgeError as error:
            return 0.0, (error.kind, error.message)
        if token in self._gone:  # it died while it waited
            self._budget.settle(amount, 0.0)
        elif amount:
            self._open.setdefault(token, []).append(amount)
        return amount, None

    async def settle(self, token: str, reserved_usd: float, spent_usd: float) -> None:
        """Replace what an attempt had set aside by what the call cost."""
        if token in self._gone:  # counted at its worst already
            return
        amounts = self._open.get(token, [])
        if reserved_usd in amounts:
            amounts.remove(reserved_usd)
        self._budget.settle(reserved_usd, spent_usd)

    async def forget(self, token: str) -> None:
        """Count what a dead attempt had set aside as spent: its calls may have been billed."""
        self._gone.add(token)
        for amount in self._open.pop(token, []):
            self._budget.settle(amount, amount)

    async def end(self, token: str) -> None:
        """Forget an attempt that came to its end."""
        self._open.pop(token, None)

    async def spent(self) -> float:
        """What was spent, in USD, earlier passes included."""
        return self._budget.spent_usd

    async def recall(self, key: str) -> Judgment | None:
        """The judgment that is kept under a key."""
        return await asyncio.to_thread(self._store.get_judgment, key)

    async def remember(self, key: str, judgment: Judgment) -> None:
        """Keep a judgment that was paid for."""
        await asyncio.to_thread(self._store.add_judgment, key, judgment)


class Hosts:
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
        now = sum(held[host] for held in self._held.values())
        self.most[host] = max(self.most[host], now)

    async def leave(self, token: str, host: str) -> None:
        """Give a place back."""
        held = self._held.get(token, Counter())
        if held[host]:
            held[host] -= 1
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


class Library:
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
