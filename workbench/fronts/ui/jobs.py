"""Runs that go on in the background while people look at pages; no page, no session state.

A run lives in a thread of its own and writes its verdicts to the store itself, so it goes on when
the page is left, and what it found is kept when the process dies. Pages look at it through `find`.
"""

import logging
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath

from workbench.errors import UsageError, WorkbenchError
from workbench.fronts.ui.escape import file_stem
from workbench.pipeline import Progress, verify
from workbench.records import CitationResult, Extraction, Run
from workbench.store import Recording, Store

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What somebody asked to be checked, and how."""

    text: str | Extraction
    name: str
    judge: tuple[str, ...] = ("local",)
    folder: Path | None = None
    """Sources in a directory; `files` come instead of it."""
    files: tuple[tuple[str, bytes], ...] = ()
    """Uploaded sources: file name and bytes. The name without its ending is the label."""
    allow_fetch: bool = False
    allowed_domains: tuple[str, ...] = ()
    max_cost_usd: float | None = None

    @property
    def output(self) -> str:
        """The text that is checked."""
        return self.text if isinstance(self.text, str) else self.text.text


@dataclass(slots=True, kw_only=True)
class Job:
    """One run under way. Written by its thread; pages read it through the methods."""

    order: Order
    begun: Run | None = None
    progress: Progress | None = None
    error: str = ""
    done: bool = False
    started: float = field(default_factory=time.monotonic)
    cancel: threading.Event = field(default_factory=threading.Event)
    known: threading.Event = field(default_factory=threading.Event)
    """Set when the run has its id, or has failed before it had one."""
    ended: threading.Event = field(default_factory=threading.Event)
    _results: dict[str, CitationResult] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, result: CitationResult) -> None:
        """Take a finished citation."""
        with self._lock:
            self._results[result.citation.id] = result

    def partial(self) -> tuple[Run, frozenset[str]]:
        """The run as far as it has come, and the ids of the citations not judged yet.

        Raises:
            UsageError: The run has not begun.
        """
        if self.begun is None:
            raise UsageError("The run has not begun; wait for its first citation.")
        with self._lock:
            found = dict(self._results)
        citations = tuple(found.get(one.citation.id, one) for one in self.begun.citations)
        cost = self.progress.cost_usd if self.progress else 0.0
        return (
            replace(self.begun, citations=citations, cost_usd=cost),
            frozenset(one.citation.id for one in citations if one.citation.id not in found),
        )

    @property
    def elapsed_s(self) -> float:
        """Seconds since the run was asked for."""
        return time.monotonic() - self.started


_JOBS: dict[str, Job] = {}
_FAILED: dict[str, str] = {}
_LOCK = threading.Lock()


def start(order: Order, store: Store, snapshots: Path | None = None) -> Job:
    """A job whose thread has been started; it is found by its run's id once that is known."""
    job = Job(order=order)
    threading.Thread(
        target=_work, args=(job, store, snapshots), name="workbench-run", daemon=True
    ).start()
    return job


def find(run_id: str) -> Job | None:
    """The job of a run that goes on in this process; None when it has ended or is elsewhere."""
    with _LOCK:
        return _JOBS.get(run_id)


def failure(run_id: str) -> str:
    """Why a run of this process broke off; empty when it did not."""
    with _LOCK:
        return _FAILED.get(run_id, "")


def running() -> list[Job]:
    """The jobs that go on in this process."""
    with _LOCK:
        return list(_JOBS.values())


def _work(job: Job, store: Store, snapshots: Path | None) -> None:
    try:
        with tempfile.TemporaryDirectory(prefix="workbench-sources-") as folder:
            _check(job, store, snapshots, Path(folder))
    except WorkbenchError as error:
        job.error = str(error)
    except Exception:
        _LOG.exception("A run broke off")
        job.error = (
            "The run broke off on an error of the workbench itself; what was judged until then is "
            "kept, and the log holds the details. Start the check again."
        )
    finally:
        job.done = True
        with _LOCK:
            if job.begun:
                _JOBS.pop(job.begun.id, None)
                if job.error:
                    _FAILED[job.begun.id] = job.error
        job.known.set()
        job.ended.set()


def _check(job: Job, store: Store, snapshots: Path | None, folder: Path) -> None:
    order, recording = job.order, Recording(store)

    def begin(run: Run) -> None:
        store.add_run(run, order.output, order.name)
        job.begun = run
        with _LOCK:
            _JOBS[run.id] = job
        job.known.set()

    def keep(run_id: str, result: CitationResult) -> None:
        job.add(result)
        recording.add_verdict(run_id, result)

    def tell(progress: Progress) -> None:
        job.progress = progress

    sources = _unpacked(order.files, folder) if order.files else order.folder
    try:
        run = verify(
            order.text,
            judge=list(order.judge),
            sources=sources,
            allow_fetch=order.allow_fetch,
            allowed_domains=order.allowed_domains,
            max_cost_usd=order.max_cost_usd,
            snapshots=snapshots,
            on_start=begin,
            on_verdict=keep,
            on_progress=tell,
            cancel=job.cancel,
        )
    finally:
        recording.flush()
    store.finish_run(run)


def _unpacked(files: Sequence[tuple[str, bytes]], folder: Path) -> Path:
    """The folder with the files in it; names are reduced to plain ones, a later equal one wins."""
    for name, body in files:
        # an uploaded name is anybody's: neither a path nor a hidden file may come of it
        bare = PurePath(name.replace("\\", "/")).name
        stem, suffix = file_stem(PurePath(bare).stem), PurePath(bare).suffix.lower()
        (folder / f"{stem}{suffix if suffix.isascii() else ''}").write_bytes(body)
    return folder
