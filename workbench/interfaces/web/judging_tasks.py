"""Asking a judge about labelled items in the background, one at a time for a database and a name.

The asking lives in a thread of its own: it goes on when the page is left, and each answer is in the
store as soon as it is given. Its outcome stays at hand until somebody has read it.
"""

from collections.abc import Callable
from pathlib import Path

from workbench.experiments import JudgingResult
from workbench.records import cost_words
from workbench.services.background import Background, BackgroundTask

AskingJob = BackgroundTask[JudgingResult]
_JOBS: Background[JudgingResult] = Background(
    "workbench-asking",
    "An internal error stopped this task. Results so far are saved; see the log for details. Run it "
    "again to continue.",
)
find, put_away = _JOBS.find, _JOBS.put_away


def start(
    store: Path, name: str, what: str, of: int, work: Callable[[AskingJob], JudgingResult]
) -> AskingJob:
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
    return _JOBS.start(store, name, job, lambda: work(job))


def outcome_words(job: AskingJob) -> str:
    """What came of an asking that has ended."""
    if job.error or job.outcome is None:
        return job.error
    outcome = job.outcome
    words = f"{job.what}: {outcome.asked:,} answered for {cost_words(outcome.spending)}"
    if outcome.unread:
        words += f", {outcome.unread:,} without a readable source"
    if outcome.errors:
        words += f", {sum(outcome.errors.values()):,} without a usable verdict"
    if not outcome.left:
        return f"{words}."
    capped = (outcome.why_left or "the judge was not asked").rstrip(".")
    why = "it was cancelled" if job.cancel.is_set() else capped
    return f"{words}; {outcome.left:,} left: {why}. What was answered is kept; ask again to go on."
