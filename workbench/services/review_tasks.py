"""A reviewer at work on a queue: from one task to the next, each move a transaction of its own.

A task is what a reviewer has before them; every function but `open_task` starts from it. All raise
StoreError where the queue is gone or the database cannot be used, and UsageError where the queue
was closed or is not this reviewer's.
"""

from collections.abc import Sequence
from typing import Literal

from workbench.records.citation import SentenceKind
from workbench.records.open_work import OpenWork
from workbench.records.queue import Queue, QueueSummary, ReviewTask
from workbench.records.reference_labels import EntryLabelDecision
from workbench.records.review import LabelDecision
from workbench.services.database import Database
from workbench.store.queues.open_work import OpenWorkQueries
from workbench.store.queues.queues import Queues
from workbench.store.queues.review_tasks import ReviewTaskService


def neighboring_task(database: Database, task: ReviewTask, by: Literal[1, -1]) -> ReviewTask:
    """The nearest citation after or before that is free or the reviewer's own; else the same."""
    return ReviewTaskService(database).step(*_place(task), by)


def last_decided_task(database: Database, task: ReviewTask) -> ReviewTask:
    """The citation that the reviewer decided last; from there, the one decided before it."""
    position = task.item.position if task.item else None
    return ReviewTaskService(database).back(task.queue.id, task.reviewer, position)


def next_skipped_task(database: Database, task: ReviewTask) -> ReviewTask:
    """The next citation that the reviewer skipped and nobody has taken since."""
    position = task.item.position if task.item else -1
    return ReviewTaskService(database).skipped(task.queue.id, task.reviewer, position)


def decide_task(
    database: Database, task: ReviewTask, decision: LabelDecision, *, advance: bool = True
) -> ReviewTask:
    """The next free citation, or the same one without `advance`; the decision is stored.

    Raises:
        UsageError: Evidence lies outside the source's text.
    """
    return ReviewTaskService(database).decide(*_place(task), decision, advance=advance)


def decide_reference_task(
    database: Database, task: ReviewTask, decision: EntryLabelDecision, *, advance: bool = True
) -> ReviewTask:
    """As `decide_task`, of an entry of a reference list.

    Raises:
        UsageError: The queue holds citations.
    """
    return ReviewTaskService(database).decide_reference(*_place(task), decision, advance=advance)


def decide_sentence_task(
    database: Database, task: ReviewTask, kind: SentenceKind, stated_in: str | None = None
) -> ReviewTask:
    """The next free sentence; what this one is there for is stored.

    Raises:
        UsageError: The queue holds other items, or there is no such kind or citation.
    """
    return ReviewTaskService(database).decide_sentence(*_place(task), kind, stated_in)


def skip_task(database: Database, task: ReviewTask, reason: str = "") -> ReviewTask:
    """The next free citation; the skipped one is not offered to this reviewer again."""
    return ReviewTaskService(database).skip(*_place(task), reason)


def undo_last(database: Database, task: ReviewTask) -> ReviewTask:
    """The citation of the reviewer's last decision or skip, which is withdrawn."""
    return ReviewTaskService(database).undo(task.queue.id, task.reviewer)


def hold_task(database: Database, task: ReviewTask) -> bool:
    """Whether the open citation is still reserved for the reviewer; it is so for longer now."""
    return ReviewTaskService(database).keep_open(task.queue.id, task.reviewer)


def leave_task(database: Database, task: ReviewTask) -> None:
    """Release the citation that the reviewer has open."""
    ReviewTaskService(database).leave(task.queue.id, task.reviewer)


def _place(task: ReviewTask) -> tuple[str, str, int]:
    assert task.item is not None, "a task without a citation leads nowhere"
    return task.queue.id, task.reviewer, task.item.position


def take_queue(database: Database, queue_id: str, reviewer: str) -> Queue:
    """The queue, assigned by name to a reviewer too: they settle what they labelled themselves.

    Raises:
        UsageError: Each item needs more reviewers than would be assigned.
        StoreError: There is no such queue.
    """
    queues = Queues(database)
    return queues.assign(queue_id, [*queues.get(queue_id).reviewers, reviewer])


def open_work(database: Database, reviewer: str | None, queues: Sequence[QueueSummary]) -> OpenWork:
    """The open work of a reviewer, or of the whole team if None.

    Args:
        database: Where it is stored.
        reviewer: Whose work it is.
        queues: The open queues, as `list_queues` returns them.
    """
    return OpenWorkQueries(database).read(reviewer, [line.queue for line in queues])
