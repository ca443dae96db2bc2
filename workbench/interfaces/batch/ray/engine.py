"""The batch on a cluster, from the machine that it was started on.

Each output is a task. A task whose worker dies is taken again by another one, up to three times;
judgments that the ledger had heard of by then are found there and cost nothing, and calls that were
under way count at their worst. Results become Parquet parts; an output is finished, and gets its
line in `runs.jsonl`, once its part is on the disk.

A Ray cluster of this machine alone for as long as a batch takes, or one that is there already.

A cluster of our own listens on the loopback address only, asks for a token that nobody else has,
shows no dashboard, sends no usage statistics, and leaves neither processes nor files behind.
"""

import json
import os
import secrets
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.errors import UsageError, WorkbenchError
from workbench.interfaces.batch.inputs import Entry, entries, load_entry
from workbench.interfaces.batch.ray.task import (
    BudgetActor,
    HostLimiterActor,
    IndexFacts,
    OutputTask,
    ReferenceActor,
    Shared,
    SnapshotActor,
    TaskResult,
    check_output,
)
from workbench.records.text import JsonDict
from workbench.services.batch.directory import (
    FAILED,
    PAID,
    RUNS,
    Summary,
    append_line,
    batch_budget,
    check_setup,
    finished_keys,
    judgment_cache,
    unrecorded_cost_usd,
)
from workbench.services.batch.parts import (
    LIST,
    PARTS,
    Rows,
    Writer,
    fault_of,
    finished_parts,
    read_rows,
)
from workbench.services.judges import local_servers_allowed, models_folder
from workbench.services.references.checking import ReferenceOptions
from workbench.services.references.requests import ReferencePlan
from workbench.services.sources.snapshots import SnapshotFolder
from workbench.services.verification import VerifyOptions

if TYPE_CHECKING:
    from ray import ObjectRef
    from ray.actor import ActorHandle


_RAY_ENVIRONMENT = {
    "RAY_USAGE_STATS_ENABLED": "0",
    # its name tells of other systems; what it does is to keep every port on the loopback address
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
    "RAY_AUTH_MODE": "token",
    "RAY_enable_metrics_collection": "0",
    "RAY_DEDUP_LOGS": "0",
}
OBJECT_STORE_BYTES = 128 * 1024 * 1024
"""Outputs and their results travel through it; a few are under way at once."""
_FOLDER = "workbench-ray-"


def check_ray() -> None:
    """Nothing, where Ray is installed.

    Raises:
        UsageError: It is not.
    """
    if find_spec("ray") is None:
        raise UsageError(
            "--engine ray needs Ray: pip install 'ray==2.60.0', or use --engine local, which uses "
            "all of this machine."
        )


@contextmanager
def cluster(address: str | None, workers: int | None) -> Iterator[int]:
    """The CPUs of a connected cluster; disconnected, and our own one stopped, at the end.

    Args:
        address: Of a cluster that is there; None starts one on this machine.
        workers: Processes of a cluster of our own; None for one a CPU.

    Raises:
        UsageError: Ray is not installed, or the cluster cannot be reached or started.
    """
    check_ray()
    own_cluster = _start_cluster(workers or os.cpu_count() or 1)
    # Ray tells of dead workers on standard output, which belongs to the result
    with (
        redirect_stdout(sys.stderr),
        own_cluster if address is None else _join_cluster(address) as cpus,
    ):
        yield cpus


@contextmanager
def _join_cluster(address: str) -> Iterator[int]:
    import ray

    if address.startswith("ray://"):
        raise UsageError(
            "Start the batch on a machine of the cluster, with --ray-address auto or HOST:PORT; "
            "a ray:// address uses a proxy that cannot store its results."
        )
    try:
        ray.init(address=address, log_to_driver=False, logging_level="ERROR")
    except (ConnectionError, RuntimeError, ValueError) as error:
        reason = " ".join(str(error).split())[:200]
        raise UsageError(f"The Ray cluster {address} cannot be joined: {reason}") from None
    try:
        yield max(1, int(ray.cluster_resources().get("CPU", 1)))
    finally:
        ray.shutdown()


@contextmanager
def _start_cluster(workers: int) -> Iterator[int]:
    _sweep()
    folder = tempfile.mkdtemp(prefix=f"{_FOLDER}{os.getpid()}-")
    package_root = str(Path(__file__).resolve().parents[4])
    path = os.pathsep.join([package_root, *filter(None, [os.environ.get("PYTHONPATH")])])
    variables = {**_RAY_ENVIRONMENT, "RAY_AUTH_TOKEN": secrets.token_hex(32), "PYTHONPATH": path}
    previous = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        import ray

        try:
            ray.init(
                address="local",
                num_cpus=workers,
                num_gpus=0,
                include_dashboard=False,
                _temp_dir=folder,
                log_to_driver=False,
                configure_logging=False,
                logging_level="ERROR",
                object_store_memory=OBJECT_STORE_BYTES,
            )
        except (ConnectionError, RuntimeError, ValueError, OSError) as error:
            reason = " ".join(str(error).split())[:200]
            raise UsageError(f"Ray could not be started on this machine: {reason}") from None
        yield workers
    finally:
        import ray

        ray.shutdown()
        for name, value in previous.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        shutil.rmtree(folder, ignore_errors=True)


def _sweep() -> None:
    """Take away the folders of clusters whose process was killed and is gone."""
    for path in Path(tempfile.gettempdir()).glob(f"{_FOLDER}*"):
        number = path.name.removeprefix(_FOLDER).partition("-")[0]
        if not number.isdecimal() or path.is_symlink():
            continue
        try:
            os.kill(int(number), 0)
        except ProcessLookupError:
            with suppress(OSError):
                shutil.rmtree(path)
        except OSError:
            continue


QUEUED = 4
"""Tasks handed to the cluster for each output that can be under way: no worker waits for us."""
TRIES = 4
"""How often an output is taken at most, when its workers keep dying."""
PART_OUTPUTS = 200
PART_BYTES = 32 * 1024 * 1024
PART_S = 5.0
"""A part is written when one of the three is reached."""


def run_batch_on_ray(
    paths: Sequence[Path],
    out: Path,
    options: VerifyOptions,
    *,
    resume: bool = False,
    at_once: int | None = None,
    workers: int | None = None,
    address: str | None = None,
    tell: Callable[[Summary], None] = lambda summary: None,
    cancel: threading.Event | None = None,
    references: ReferencePlan | None = None,
) -> Summary:
    """The state of the batch when all outputs are done, or when it was stopped.

    Gives the same runs as `run_batch` with the same options, and parts beside them.

    Args:
        paths: Files, folders and JSONL files; read here and sent to the workers.
        out: The folder of the results.
        options: Of each output's run; folders and files that they name must be there on every
            worker, which reads the providers' keys from its own environment. The cost cap is one
            for the whole batch, over all workers and earlier passes; the snapshots are on this
            machine.
        resume: Go on with a batch whose results are in the folder.
        at_once: Outputs under way at the same time; None for one a CPU of the cluster.
        workers: Of a cluster that is started for this batch; None for one a CPU.
        address: Of a cluster that is there already; None starts one on this machine.
        tell: Is told after each output.
        cancel: Ends the batch early.
        references: Who is asked about reference lists, which an actor opens in place of the
            options' own.

    Raises:
        UsageError: As `run_batch`; Ray is missing or cannot be reached; what all workers share
            died.
    """
    all_entries = entries(paths)
    out.mkdir(parents=True, exist_ok=True)
    check_setup(out, options, resume)
    summary = Summary()
    finished = finished_keys(out / RUNS, summary)
    _catch_up(out, finished, summary)
    ledger = judgment_cache(out, options.specs)
    summary.cost_usd += unrecorded_cost_usd(ledger, summary)
    summary.count(batch_budget(ledger, options.max_cost_usd, summary).spending)
    library = options.snapshots
    with cluster(address, workers) as cpus:
        shared = _Actors(
            ledger=None if ledger is None else (options.max_cost_usd, summary.cost_usd, out / PAID),
            hosts=options.allow_fetch,
            library=library.path if isinstance(library, SnapshotFolder) else library,
            references=references if options.references is not None else None,
            indexes=_index_facts(options.references),
        ).start()
        many = at_once or cpus
        work = _Work(
            out=out,
            job=OutputTask(
                entry=Entry(path=out),
                token="",
                options=replace(options, snapshots=None, references=None),
                shared=shared,
                models=models_folder(),
                local_servers=local_servers_allowed(),
            ),
            summary=summary,
            finished=finished,
            many=many,
            share=min(1.0, cpus / many),
            tell=tell,
            cancel=cancel or threading.Event(),
            writer=Writer(folder=out / PARTS),
        )
        work.all(all_entries)
        if shared.ledger is not None:
            import ray

            summary.count(ray.get(shared.ledger.close.remote()))
    return summary


def _index_facts(references: ReferenceOptions | None) -> tuple[IndexFacts, ...]:
    if references is None:
        return ()
    return (
        *(IndexFacts(index.name, index.description, True) for index in references.registries),
        *(IndexFacts(index.name, index.description, False) for index in references.indexes),
    )


def _catch_up(out: Path, finished: set[str], summary: Summary) -> None:
    """Give the outputs of finished parts their lines, where a kill came between.

    A damaged part is ignored: its outputs are checked again.
    """
    if not (out / PARTS / LIST).exists():
        return
    for part in finished_parts(out / PARTS):
        if fault_of(out / PARTS, part):
            continue
        for row in read_rows(out / PARTS, part, "runs"):
            if row["input_key"] not in finished:
                document: JsonDict = json.loads(row["record"])
                append_line(out / RUNS, document)
                finished.add(str(row["input_key"]))
                summary.add(document)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Actors:
    """What the workers will share."""

    ledger: tuple[float | None, float, Path] | None
    hosts: bool
    library: Path | None
    references: ReferencePlan | None
    indexes: tuple[IndexFacts, ...]

    def start(self) -> Shared:
        """The actors, on this machine, since they write to its disk."""
        import ray
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        this_machine = NodeAffinitySchedulingStrategy(
            node_id=ray.get_runtime_context().get_node_id(), soft=False
        )
        options = {"num_cpus": 0, "scheduling_strategy": this_machine, "max_restarts": 0}

        def actor(kind: type, *arguments: object) -> "ActorHandle":
            return ray.remote(kind).options(**options).remote(*arguments)

        return Shared(
            ledger=None if self.ledger is None else actor(BudgetActor, *self.ledger),
            hosts=actor(HostLimiterActor) if self.hosts else None,
            library=None if self.library is None else actor(SnapshotActor, self.library.resolve()),
            references=None if self.references is None else actor(ReferenceActor, self.references),
            reference_indexes=self.indexes,
        )


@dataclass(slots=True, kw_only=True)
class _Work:
    out: Path
    job: OutputTask
    """As it is for every output, without the output."""
    summary: Summary
    finished: set[str]
    many: int
    share: float
    """Of a CPU, for each output under way."""
    tell: Callable[[Summary], None]
    cancel: threading.Event
    writer: Writer
    under_way: "dict[ObjectRef[TaskResult], tuple[OutputTask, int]]" = field(default_factory=dict)
    """Those that wait for a worker included."""
    waiting: list[Rows] = field(default_factory=list)
    since: float = 0.0

    def all(self, all_entries: Iterator[Entry]) -> None:
        """Take entry after entry; so many are under way at once."""
        import ray

        (self.out / FAILED).write_bytes(b"")
        check = ray.remote(check_output).options(num_cpus=self.share, max_retries=0)
        coming = chain.from_iterable(self._job(entry) for entry in all_entries)
        more = True
        try:
            while not self.cancel.is_set():
                while more and len(self.under_way) < self.many * QUEUED:
                    job = next(coming, None)
                    if job is None:
                        more = False
                    else:
                        self.under_way[check.remote(job)] = (job, 1)
                if not self.under_way:
                    break
                finished, _ = ray.wait(list(self.under_way), num_returns=1, timeout=0.5)
                for reference in finished:
                    self._take(reference, check)
                if self._is_due():
                    self._flush()
        finally:
            self._flush()
        self.summary.stopped = self.cancel.is_set()

    def _job(self, entry: Entry) -> Iterator[OutputTask]:
        """What is to be done for an entry: one job, or none."""
        self.summary.outputs += 1
        try:
            entry = load_entry(entry)
        except WorkbenchError as error:
            self._fail(entry, str(error))
            return
        if entry.key in self.finished:
            self.summary.resumed += 1
            self.tell(self.summary)
            return
        self.finished.add(entry.key)
        yield replace(self.job, entry=entry, token=f"{entry.key}.1")

    def _take(self, reference: "ObjectRef[TaskResult]", check: "Mapping[str, object]") -> None:
        """The outcome of an attempt: rows, a failure, or another attempt."""
        import ray
        from ray.exceptions import RayActorError, RayError, RayTaskError

        job, tried = self.under_way.pop(reference)
        try:
            task_result: TaskResult = ray.get(reference)
        except (RayActorError, RayTaskError) as error:
            raise UsageError(
                "An actor that all workers share is gone, and without it the cap cannot be "
                f"enforced ({type(error).__name__}): results so far are stored; continue with "
                "--resume."
            ) from None
        except RayError as error:  # the worker died, or its machine did
            for actor in self.job.shared.all:
                if actor is not self.job.shared.library:
                    actor.forget.remote(job.token)
            if tried == TRIES:
                self._fail(
                    job.entry,
                    f"{TRIES} workers died while processing it ({type(error).__name__}).",
                )
                return
            again = replace(job, token=f"{job.entry.key}.{tried + 1}")
            self.under_way[check.remote(again)] = (again, tried + 1)  # type: ignore[attr-defined]
            return
        for actor in self.job.shared.all:
            if actor is not self.job.shared.library:
                actor.end.remote(job.token)
        if task_result.reason:
            self._fail(job.entry, task_result.reason)
            return
        if not self.waiting:
            self.since = time.monotonic()
        self.waiting.append(task_result.rows)

    def _is_due(self) -> bool:
        return bool(self.waiting) and (
            len(self.waiting) >= PART_OUTPUTS
            or time.monotonic() - self.since >= PART_S
            or sum(rows.bytes for rows in self.waiting) >= PART_BYTES
        )

    def _flush(self) -> None:
        """A part, and then a line for each of its outputs."""
        waiting, self.waiting = self.waiting, []
        if not waiting:
            return
        self.writer.write(waiting)
        for rows in waiting:
            for row in rows.runs:
                document: JsonDict = json.loads(row["record"])
                append_line(self.out / RUNS, document)
                self.summary.add(document)
                self.tell(self.summary)

    def _fail(self, entry: Entry, reason: str) -> None:
        self.summary.failed += 1
        append_line(self.out / FAILED, {"input": entry.name, "reason": reason})
        self.tell(self.summary)
