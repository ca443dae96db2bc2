"""Runs that go on in the background while people look at pages; no page, no session state.

A run lives in a thread of its own and writes its verdicts to the store itself, so it continues when
the page is left, and what it found is kept when the process dies. Pages look at it through `find`.

Work in the background, one piece at a time for a database and a name.

Each piece lives in a thread of its own: it continues when the page is left. Its outcome is stored
until it has been read. No page, no session.
"""

import json
import logging
import re
import shutil
import threading
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import Generic, TypeVar

from workbench.errors import UsageError, WorkbenchError, storage_error
from workbench.pipeline.options import Progress, VerifyOptions
from workbench.pipeline.reference_checks import unchecked_references
from workbench.records.bibliography import ReferenceCheck
from workbench.records.citation import Extraction
from workbench.records.source import RetrievalOptions
from workbench.records.text import replace_surrogates
from workbench.records.verdict import CitationResult, Run
from workbench.services.verification import resume_run, verify_and_store
from workbench.settings import Settings
from workbench.sources.given import GivenSources, list_sources, open_sources
from workbench.store.store import Store

_LOG = logging.getLogger(__name__)
Outcome = TypeVar("Outcome")


@dataclass(slots=True, kw_only=True)
class BackgroundTask(Generic[Outcome]):
    """One piece of work under way or done. Written by its thread."""

    what: str
    """What is running, in words."""
    of: int = 0
    """Things to do, and how many of them are done."""
    done: int = 0
    cost_usd: float = 0.0
    outcome: Outcome | None = None
    error: str = ""
    started: float = field(default_factory=time.monotonic)
    cancel: threading.Event = field(default_factory=threading.Event)
    ended: threading.Event = field(default_factory=threading.Event)

    def tell(self, done: int, cost_usd: float) -> None:
        """Take how far it has come."""
        self.done, self.cost_usd = done, cost_usd

    @property
    def elapsed_s(self) -> float:
        """Seconds since it was asked for."""
        return time.monotonic() - self.started


class Background(Generic[Outcome]):
    """The pieces of work of one sort.

    Args:
        thread: What their threads are called.
        broken: The message for one that failed on an error of the workbench itself.
        after: Called when one has ended, whatever its outcome.
    """

    def __init__(self, thread: str, broken: str, after: Callable[[], None] | None = None) -> None:
        self._thread, self._broken, self._after = thread, broken, after
        self._held: dict[tuple[Path, str], BackgroundTask[Outcome]] = {}
        self._lock = threading.Lock()

    def start(
        self, store: Path, name: str, piece: BackgroundTask[Outcome], do: Callable[[], Outcome]
    ) -> BackgroundTask[Outcome]:
        """The piece, whose thread has been started; it takes the place of one that has ended.

        Raises:
            UsageError: Another one of that name is running.
        """
        with self._lock:
            before = self._held.get((store, name))
            if before is not None and not before.ended.is_set():
                raise UsageError(f"{before.what} is still running: wait until it ends.")
            self._held[store, name] = piece
        threading.Thread(target=self._run, args=(piece, do), name=self._thread, daemon=True).start()
        return piece

    def find(self, store: Path, name: str) -> BackgroundTask[Outcome] | None:
        """The piece of that name that is running, or whose outcome was not dismissed yet."""
        with self._lock:
            return self._held.get((store, name))

    def dismiss(self, store: Path, name: str) -> None:
        """Forget the outcome of a piece that has ended."""
        with self._lock:
            piece = self._held.get((store, name))
            if piece is not None and piece.ended.is_set():
                del self._held[store, name]

    def _run(self, piece: BackgroundTask[Outcome], do: Callable[[], Outcome]) -> None:
        try:
            piece.outcome = do()
        except WorkbenchError as error:
            piece.error = str(error)
        except Exception as error:
            refused = storage_error(error)
            if refused is None:
                _LOG.exception("Work in the background broke off")
            piece.error = str(refused) if refused else self._broken
        finally:
            if self._after:
                self._after()
            piece.ended.set()


@dataclass(slots=True, kw_only=True)
class Job:
    """One run under way. Written by its thread; pages read it through the methods."""

    name: str
    output: str
    """The text that is checked."""
    run_id: str = ""
    """Known from the start for a run that is continued."""
    begun: Run | None = None
    progress: Progress | None = None
    error: str = ""
    mistake: WorkbenchError | None = None
    """What was raised where the error is the caller's mistake or a state, not a fault of ours."""
    started: float = field(default_factory=time.monotonic)
    cancel: threading.Event = field(default_factory=threading.Event)
    known: threading.Event = field(default_factory=threading.Event)
    """Set when the run has its id, or has failed before it had one."""
    ended: threading.Event = field(default_factory=threading.Event)
    looks_up: bool = False
    """Whether the run's references are looked up."""
    _results: dict[str, CitationResult] = field(default_factory=dict)
    _checks: dict[int, ReferenceCheck] = field(default_factory=dict)
    _unchecked: tuple[ReferenceCheck, ...] = ()
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def begin(self, run: Run) -> None:
        """Take the run as it begins: from now on it is found by its id."""
        self.begun = run
        with _LOCK:
            _JOBS[run.id] = self
            _FAILED.pop(run.id, None)
        self.known.set()

    def add(self, run_id: str, result: CitationResult) -> None:
        """Take a finished citation."""
        with self._lock:
            self._results[result.citation.id] = result

    def add_check(self, run_id: str, position: int, check: ReferenceCheck) -> None:
        """Take the check of a reference, by its place in the run's list."""
        with self._lock:
            self._checks[position] = check

    @property
    def references_checked(self) -> tuple[int, int]:
        """How many of the run's references were looked up so far, and how many there are."""
        return len(self._checks), len(self.begun.cited_works) if self.begun else 0

    def watched(self, options: VerifyOptions) -> VerifyOptions:
        """The options of a run that this job is told of and can stop."""
        self.looks_up = options.references is not None
        return replace(
            options,
            on_start=self.begin,
            on_verdict=self.add,
            on_reference=self.add_check,
            on_progress=self.tell,
            cancel=self.cancel,
        )

    def tell(self, progress: Progress) -> None:
        """Take how far the run has come."""
        self.progress = progress

    def partial(self) -> tuple[Run, frozenset[str]]:
        """The run as far as it has come, and the ids of the citations not judged yet.

        Raises:
            UsageError: The run has not begun.
        """
        if self.begun is None:
            raise UsageError("The run has not started; wait for its first citation.")
        if self.looks_up and not self._unchecked:
            self._unchecked = unchecked_references(self.begun.cited_works, _NOT_YET)
        with self._lock:
            results = dict(self._results)
            checks = dict(self._checks)
        citations = tuple(
            results.get(result.citation.id, result) for result in self.begun.citations
        )
        cost = self.progress.cost_usd if self.progress else 0.0
        return (
            replace(
                self.begun,
                citations=citations,
                cost_usd=cost,
                reference_checks=tuple(
                    checks.get(position, check) for position, check in enumerate(self._unchecked)
                ),
            ),
            frozenset(
                result.citation.id for result in citations if result.citation.id not in results
            ),
        )

    @property
    def elapsed_s(self) -> float:
        """Seconds since the run was asked for."""
        return time.monotonic() - self.started


UPLOADS = "uploads"
"""The folder of uploaded sources in the data directory."""

_NOT_YET = "Not checked yet: the run is in progress."
_UNSAFE = re.compile(r"[\x00-\x1f\x7f:*?\"<>|]")
_NAME_LETTERS = 60
_JOBS: dict[str, Job] = {}
_FAILED: dict[str, str] = {}
_LOCK = threading.Lock()


def start(
    store: Store,
    text: str | Extraction,
    name: str,
    options: VerifyOptions,
    files: Sequence[tuple[str, bytes]] = (),
    named_for: Mapping[int, Sequence[str]] | None = None,
) -> Job:
    """A job whose thread has been started; it is found by its run's id once that is known.

    `files` are uploaded sources, name and bytes, in place of those of the options; a name without
    its ending is the label. `named_for` says for some of them, by their number among the opened
    sources, which citations they are for. They wait beside the database until the run has come to its end, so
    that a run which was stopped finds them again.
    """
    job = Job(name=name, output=text if isinstance(text, str) else text.text)
    folder = store.path.parent / UPLOADS / str(uuid.uuid4()) if files else None

    def check() -> None:
        watched = job.watched(options)
        if folder:
            watched = replace(watched, sources=unpack_files(files, folder, named_for))
        _remove_uploads(verify_and_store(store, text, name, watched), folder, store)

    return _start_thread(job, check)


def resume(
    run_id: str,
    store: Store,
    snapshots: Path | None = None,
    reach: RetrievalOptions | None = None,
    settings: Settings | None = None,
) -> Job:
    """A job that continues a run which was stopped or cut off.

    With `settings`, entries of its reference list are looked up where the run did so.

    Raises:
        StoreError: No run has that id.
    """
    run = store.get_run(run_id)
    name, output = store.get_summary(run_id).name, store.get_output(run.output_sha256)
    job = Job(name=name, output=output, run_id=run_id)
    for result in run.citations:
        if not (result.error and result.error.kind == "cancelled"):
            job.add(run_id, result)

    def check() -> None:
        resumed = resume_run(
            store,
            run_id,
            settings=settings,
            snapshots=snapshots,
            reach=reach,
            on_start=job.begin,
            on_verdict=job.add,
            on_progress=job.tell,
            cancel=job.cancel,
        )
        _remove_uploads(resumed, Path(str(run.config.get("sources"))), store)

    return _start_thread(job, check)


def find(run_id: str) -> Job | None:
    """The job of a run in progress in this process; None when it has ended or is elsewhere."""
    with _LOCK:
        return _JOBS.get(run_id)


def error_of(run_id: str) -> str:
    """Why a run of this process failed; empty when it did not."""
    with _LOCK:
        return _FAILED.get(run_id, "")


def running() -> list[Job]:
    """The jobs that go on in this process."""
    with _LOCK:
        return list(_JOBS.values())


def _start_thread(job: Job, check: Callable[[], None]) -> Job:
    threading.Thread(target=_run_job, args=(job, check), name="workbench-run", daemon=True).start()
    return job


_INTERNAL_ERROR = (
    "An internal error stopped the run. Results so far are saved; see the log for details, then "
    "start the check again."
)


def _run_job(job: Job, check: Callable[[], None]) -> None:
    try:
        check()
    except WorkbenchError as error:
        job.error, job.mistake = str(error), error
    except Exception as error:
        refused = storage_error(error)
        if refused is None:
            _LOG.exception("A run broke off")
        job.mistake = refused
        job.error = str(refused or _INTERNAL_ERROR)
    finally:
        with _LOCK:
            run_id = job.begun.id if job.begun else job.run_id
            _JOBS.pop(run_id, None)
            if job.error and run_id:
                _FAILED[run_id] = job.error
        job.known.set()
        job.ended.set()


def unpack_files(
    files: Sequence[tuple[str, bytes]],
    folder: Path,
    named_for: Mapping[int, Sequence[str]] | None = None,
) -> Path:
    """The folder with the files in it; a later one of the same name wins.

    Where citations were chosen for some, a `sources.json` there says so.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name, body in files:
        (folder / _safe_file_name(name)).write_bytes(body)
    if named_for:
        given = open_sources(folder)
        assert isinstance(given, GivenSources)
        listed = json.dumps(list_sources(given, named_for))
        (folder / "sources.json").write_text(listed, encoding="utf-8")
    return folder


def _safe_file_name(name: str) -> str:
    """An uploaded name without what makes a path or a hidden file; the ending in small letters."""
    last = PurePath(_UNSAFE.sub("_", replace_surrogates(name.replace("\\", "/")))).name.lstrip(".")
    path = PurePath(last or "source")
    return f"{path.stem[:_NAME_LETTERS]}{path.suffix[:12].lower()}"


def _remove_uploads(run: Run, folder: Path | None, store: Store) -> None:
    """Remove uploaded sources when their run needs them no more; nothing else is touched."""
    if run.finished and folder and folder.parent == store.path.parent / UPLOADS:
        shutil.rmtree(folder, ignore_errors=True)
