"""Judging labelled items in the background, one task at a time per database and name.

A task runs in a thread of its own: it continues when the page is left, and each verdict is in the
store as soon as it is given. Its result stays available until it is closed.
"""

from collections.abc import Callable
from pathlib import Path

from workbench.records.spending import format_cost
from workbench.services.jobs import Background, BackgroundTask
from workbench.services.labelled_judging import JudgingResult

JudgingJob = BackgroundTask[JudgingResult]
_JOBS: Background[JudgingResult] = Background(
    "workbench-asking",
    "An internal error stopped this task. Results so far are saved; see the log for details. Run it "
    "again to continue.",
)
find, dismiss = _JOBS.find, _JOBS.dismiss


def start(
    store: Path, name: str, what: str, of: int, work: Callable[[JudgingJob], JudgingResult]
) -> JudgingJob:
    """Start a task in a thread; it replaces an earlier one that has ended.

    Args:
        store: The database.
        name: The name by which pages find it.
        what: A description of the judges and the items.
        of: The number of items to judge.
        work: The function that does it; it checks `cancel` and calls `tell`.

    Raises:
        UsageError: Another one of that name is running.
    """
    job = JudgingJob(what=what, of=of)
    return _JOBS.start(store, name, job, lambda: work(job))


def outcome_text(job: JudgingJob) -> str:
    """The result of a task that has ended."""
    if job.error or job.outcome is None:
        return job.error
    outcome = job.outcome
    cost = format_cost(outcome.spending)
    words = (
        f"{job.what}: {outcome.judged:,} judged {'at no cost' if cost == '$0' else f'for {cost}'}"
    )
    if outcome.unread:
        words += f", {outcome.unread:,} without a readable source"
    if outcome.errors:
        words += f", {sum(outcome.errors.values()):,} without a usable verdict"
    if not outcome.unjudged:
        return f"{words}."
    reason = (outcome.stop_reason or "the judge was not run").rstrip(".")
    why = "it was cancelled" if job.cancel.is_set() else reason
    return (
        f"{words}; {outcome.unjudged:,} left: {why}. Results so far are saved; run it again to "
        f"continue."
    )
