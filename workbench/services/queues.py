"""Queues of citations to review: made from a filter, listed, closed, reopened."""

from workbench.records.queue import Queue
from workbench.services.database import Database
from workbench.store.queues.queues import Queues


def take_queue(database: Database, queue_id: str, reviewer: str) -> Queue:
    """The queue, assigned by name to a reviewer too: they settle what they labelled themselves.

    Raises:
        UsageError: Each item needs more reviewers than would be assigned.
        StoreError: There is no such queue.
    """
    queues = Queues(database)
    return queues.assign(queue_id, [*queues.get(queue_id).reviewers, reviewer])
