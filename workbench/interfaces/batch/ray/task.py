"""One output on one worker: read, run, and handed back with all that a database needs of it.

What all workers of a cluster have together, each held by one actor on the machine of the batch.

A worker that dies takes nothing along: places that it held or waited for are given back by
`forget`, under the token of the attempt that it was at, and what it had set aside stays reserved.
"""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

from workbench.errors import ErrorKind, JudgeError, UsageError, WorkbenchError
from workbench.interfaces.batch.inputs import Entry, read_entry
from workbench.records.bibliography import IndexReply, ReferenceEntry, RetractionNotice
from workbench.records.citation import Extraction
from workbench.records.source import Fetched, Source
from workbench.records.spending import PricedCall, Reservation, Spending
from workbench.records.text import JsonDict, text_bytes, text_sha256
from workbench.records.verdict import Judgment, Run
from workbench.services.batch.directory import BATCH_ACCOUNT
from workbench.services.batch.parts import Row, Rows
from workbench.services.database import open_database
from workbench.services.judges import use_judges
from workbench.services.references.checking import ReferenceOptions
from workbench.services.references.requests import ReferencePlan
from workbench.services.runs import find_judgment, keep_judgment
from workbench.services.sources.snapshots import Snapshot, SnapshotFolder
from workbench.services.spending import lasting_budget
from workbench.services.verification import (
    HostLimiter,
    VerifyOptions,
    use_host_limiter,
    verify_with,
)

if TYPE_CHECKING:
    from ray.actor import ActorHandle


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


class IndexFacts(NamedTuple):
    """What a worker has to know of an index that is asked for it."""

    name: str
    description: str
    is_registry: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Shared:
    """The actors of a batch; None for what it does not need."""

    ledger: "ActorHandle | None" = None
    hosts: "ActorHandle | None" = None
    library: "ActorHandle | None" = None
    references: "ActorHandle | None" = None
    reference_indexes: tuple[IndexFacts, ...] = ()
    """Who is asked about references, by the actor `references`, in their order."""

    @property
    def all(self) -> list["ActorHandle"]:
        """Those there are."""
        return [actor for actor in (self.ledger, self.hosts, self.library) if actor is not None]


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputTask:
    """A worker's task."""

    entry: Entry
    """Loaded."""
    token: str
    """Of this attempt."""
    options: VerifyOptions
    """Plain data: without `references`, whom the actor of that name asks."""
    shared: Shared
    models: Path | None = None
    """The folder that models of the user's own are looked up in."""
    local_servers: bool = True
    """Whether servers on its machine may be asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskResult:
    """What a worker hands back: rows, or why there are none."""

    rows: Rows = field(default_factory=Rows)
    reason: str = ""


def check_output(job: OutputTask) -> TaskResult:
    """The rows of one output, or the reason why it could not be checked.

    Raises:
        ActorDiedError: What all workers share is gone: without it nothing may go on.
    """
    from ray.exceptions import RayActorError

    use_judges(job.models, job.local_servers)
    try:
        return asyncio.run(_check(job))
    except WorkbenchError as error:
        return TaskResult(reason=str(error))
    except RayActorError:
        raise
    except Exception as error:  # one output must not end ten thousand others
        return TaskResult(reason=f"The workbench failed on it ({type(error).__name__}).")


async def _check(job: OutputTask) -> TaskResult:
    shared, token = job.shared, job.token
    output = await asyncio.to_thread(read_entry, job.entry)
    options = output.of(job.options)
    purse = None
    if shared.ledger is not None:
        ledger = shared.ledger
        purse = LedgerPurse(ledger, token)
        options = replace(
            options,
            purse=purse,
            recall=lambda key: cast("Judgment | None", _actor_answer(ledger.recall.remote(key))),
            remember=lambda key, judgment: cast(
                "None", _actor_answer(ledger.remember.remote(key, judgment))
            ),
        )
    snapshots = None
    if shared.library is not None:
        snapshots = RemoteSnapshots(shared.library)
        options = replace(options, snapshots=snapshots)
    if shared.references is not None:
        options = replace(options, references=_shared_references(shared))
    if shared.hosts is not None:
        use_host_limiter(SharedHostLimiter(shared.hosts, token))
    try:
        run = await verify_with(output.text, options)
    finally:
        if purse is not None:
            await purse.flush()
    snapshots_used = list(snapshots.used.values()) if snapshots else []
    return TaskResult(rows=rows_of(job.entry, output.text, run, snapshots_used))


def rows_of(entry: Entry, text: str | Extraction, run: Run, snapshots: list[Fetched]) -> Rows:
    """A run as rows of a part."""
    read = {
        (result.source.sha256, text_sha256(result.source.text)): result.source
        for result in run.citations
        if result.source and result.source.text
    }
    document = {"input": entry.name, "input_key": entry.key, **run.to_dict()}
    row: Row = {
        "input": entry.name.encode("utf-8", "replace").decode(),
        "input_key": entry.key,
        "run_id": run.id,
        "record": json.dumps(document),
        "output": text_bytes(text if isinstance(text, str) else text.text),
        "references": json.dumps([reference.to_dict() for reference in run.references]),
        "claims": json.dumps([claim.to_dict() for claim in run.claims]),
        "texts": json.dumps(dict(read.keys())),
    }
    return Rows(
        runs=(row,),
        sources=tuple(_source_row(digest, source) for (_, digest), source in read.items()),
        snapshots=tuple(_snapshot_row(snapshot) for snapshot in snapshots),
    )


def _source_row(digest: str, source: Source) -> Row:
    pages = [{"number": page.number, **page.span.to_dict()} for page in source.pages]
    return {
        "sha256": source.sha256,
        "text_sha256": digest,
        "text": text_bytes(source.text),
        "pages": json.dumps(pages),
    }


def _snapshot_row(fetched: Fetched) -> Row:
    facts = Snapshot.of(fetched).to_dict()
    return {"sha256": fetched.sha256, "facts": json.dumps(facts), "body": fetched.body}


class LedgerPurse:
    """The money of the batch, as one attempt on a worker sees it."""

    def __init__(self, ledger: "ActorHandle", token: str) -> None:
        self._ledger = ledger
        self._token = token
        self._pending_answers: list[Awaitable[None]] = []

    async def reserve(self, call: PricedCall) -> Reservation:
        """Not on a cluster: only the providers' batches reserve without waiting.

        Raises:
            UsageError: Always.
        """
        raise UsageError("Provider batches cannot be used from a cluster.")

    async def reserve_in_turn(self, call: PricedCall) -> Reservation:
        """What the ledger set aside and wrote down.

        Raises:
            JudgeError: `cost_cap_reached`.
        """
        answer = await self._ledger.reserve.remote(self._token, call)
        reservation, refused = cast("tuple[Reservation, tuple[ErrorKind, str] | None]", answer)
        if refused is not None:
            raise JudgeError(refused[0], refused[1])
        return reservation

    def settle(self, reservation: Reservation, cost_usd: float | None) -> None:
        """Tell the ledger what the call cost."""
        self._pending_answers.append(self._ledger.settle.remote(self._token, reservation, cost_usd))

    def abandon(self, reservation: Reservation) -> None:
        """Tell the ledger that the call was cut off."""
        self._pending_answers.append(self._ledger.abandon.remote(self._token, reservation))

    async def flush(self) -> None:
        """Wait until the ledger has heard of everything; called before the worker hands back."""
        answers, self._pending_answers = self._pending_answers, []
        for answer in answers:
            await answer


class SharedHostLimiter(HostLimiter):
    """Places at hosts that all workers share."""

    def __init__(self, hosts: "ActorHandle", token: str) -> None:
        super().__init__()
        self._actor = hosts
        self._token = token

    @asynccontextmanager
    async def use(self, host: str) -> AsyncIterator[None]:
        """Waits for a place at the host over all workers, then for one on this worker."""
        await self._actor.enter.remote(self._token, host)
        try:
            async with self._all:
                yield
        finally:
            self._actor.leave.remote(self._token, host)


class SharedIndex:
    """An index that the actor on the machine of the batch asks for all workers."""

    def __init__(self, actor: "ActorHandle", facts: IndexFacts) -> None:
        self.name = facts.name
        self.description = facts.description
        self._actor = actor

    def covers(self, entry: ReferenceEntry) -> bool:
        """Whether it should hold a work like this one."""
        return bool(_actor_answer(self._actor.covers.remote(self.name, entry)))

    async def look_up(self, entry: ReferenceEntry) -> IndexReply:
        """What it returns for an entry."""
        return cast("IndexReply", await self._actor.look_up.remote(self.name, entry))


def _shared_references(shared: Shared) -> ReferenceOptions:
    """Who is asked about references, through the actor."""
    actor = shared.references
    assert actor is not None
    indexes = [(SharedIndex(actor, facts), facts) for facts in shared.reference_indexes]

    def retraction_of(entry: ReferenceEntry, record: JsonDict | None) -> RetractionNotice | None:
        answer = _actor_answer(actor.retraction_of.remote(entry, record))
        return cast("RetractionNotice | None", answer)

    return ReferenceOptions(
        registries=[index for index, facts in indexes if facts.is_registry],
        indexes=[index for index, facts in indexes if not facts.is_registry],
        retraction_of=retraction_of,
    )


class RemoteSnapshots(SnapshotFolder):
    """The snapshots of the machine that the batch was started on, and which of them were used."""

    def __init__(self, library: "ActorHandle") -> None:
        super().__init__(Path("lent"))
        self._library = library
        self.used: dict[tuple[str, str], Fetched] = {}

    def put(self, fetched: Fetched) -> str:
        """Keeps the bytes and the request's facts; their SHA-256."""
        # what was given has no date yet, and must have the same one here and there
        fetched = replace(fetched, fetched_at=Snapshot.of(fetched).fetched_at)
        self._use(fetched)
        return cast("str", _actor_answer(self._library.put.remote(fetched)))

    def find(self, url: str) -> Fetched | None:
        """The newest snapshot of an address; None without one."""
        fetched = cast("Fetched | None", _actor_answer(self._library.find.remote(url)))
        return self._use(fetched)

    def get(self, sha256: str) -> Fetched | None:
        """The newest request that gave these bytes; None without one."""
        fetched = cast("Fetched | None", _actor_answer(self._library.get.remote(sha256)))
        return self._use(fetched)

    def history(self, url: str) -> list[Snapshot]:
        """Every snapshot of an address, oldest first."""
        return list(cast("list[Snapshot]", _actor_answer(self._library.history.remote(url))))

    def _use(self, fetched: Fetched | None) -> Fetched | None:
        if fetched is not None:
            self.used[fetched.sha256, fetched.url] = fetched
        return fetched


def _actor_answer(reference: object) -> object:
    """What an actor answers; waits in the thread that asks."""
    import ray

    answer: object = ray.get(reference)
    return answer
