"""Asking a judge about labelled items in the background, one at a time for a database and a name.

The asking lives in a thread of its own: it goes on when the page is left, and each answer is in the
store as soon as it is given. Its outcome stays at hand until somebody has read it.
"""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from workbench.errors import UsageError, WorkbenchError
from workbench.experiments import Judging

_LOG = logging.getLogger(__name__)


@dataclass(slots=True, kw_only=True)
class AskingJob:
    """One asking under way or done. Written by its thread."""

    what: str
    """Who is asked about what, in words."""
    of: int
    """Items to ask about."""
    done: int = 0
    cost_usd: float = 0.0
    outcome: Judging | None = None
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


Work = Callable[[AskingJob], Judging]
_JOBS: dict[tuple[Path, str], AskingJob] = {}
_LOCK = threading.Lock()


def start(store: Path, name: str, what: str, of: int, work: Work) -> AskingJob:
    """An asking whose thread has been started; it takes the place of an earlier one that has ended.

    Args:
        store: The database.
        name: Under which pages find it.
        what: Who is asked about what.
        of: Items to ask about.
        work: Does it; it looks at `cancel` and calls `tell`.

    Raises:
        UsageError: Another one of that name goes on.
    """
    job = AskingJob(what=what, of=of)
    with _LOCK:
        before = _JOBS.get((store, name))
        if before is not None and not before.ended.is_set():
            raise UsageError(f"{before.what} goes on: wait for its end, or cancel it.")
        _JOBS[store, name] = job
    threading.Thread(target=_work, args=(job, work), name="workbench-asking", daemon=True).start()
    return job


def find(store: Path, name: str) -> AskingJob | None:
    """The asking of that name that goes on, or whose outcome nobody has put away yet."""
    with _LOCK:
        return _JOBS.get((store, name))


def put_away(store: Path, name: str) -> None:
    """Forget the outcome of an asking that has ended."""
    with _LOCK:
        job = _JOBS.get((store, name))
        if job is not None and job.ended.is_set():
            del _JOBS[store, name]


def outcome_words(job: AskingJob) -> str:
    """What came of an asking that has ended."""
    if job.error or job.outcome is None:
        return job.error
    found = job.outcome
    said = f"{job.what}: {found.asked:,} answered for {_dollars(found.cost_usd)}"
    if found.unread:
        said += f", {found.unread:,} without a readable source"
    if found.errors:
        said += f", {sum(found.errors.values()):,} without a usable verdict"
    if not found.left:
        return f"{said}."
    why = "it was cancelled" if job.cancel.is_set() else "the cost cap was reached"
    return (
        f"{said}; {found.left:,} left because {why}. What was answered is kept; ask again to go on."
    )


def _dollars(amount: float) -> str:
    return "$0" if not amount else f"${amount:.4f}" if amount < 0.01 else f"${amount:.2f}"


def _work(job: AskingJob, work: Work) -> None:
    try:
        job.outcome = work(job)
    except WorkbenchError as error:
        job.error = str(error)
    except Exception:
        _LOG.exception("Asking a judge broke off")
        job.error = (
            "This broke off on an error of the workbench itself; what was answered until then is "
            "kept, and the log holds the details. Ask again to go on."
        )
    finally:
        job.ended.set()
