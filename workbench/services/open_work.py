"""A reviewer's open work: queues, disagreements, runs and comments."""

from collections.abc import Sequence

from workbench.records.open_work import OpenWork
from workbench.records.queue import QueueSummary
from workbench.services.database import Database
from workbench.store.queues.open_work import OpenWorkQueries


def open_work(database: Database, reviewer: str | None, queues: Sequence[QueueSummary]) -> OpenWork:
    """The open work of a reviewer, or of the whole team if None.

    Args:
        database: Where it is stored.
        reviewer: Whose work it is.
        queues: The open queues, as `list_queues` returns them.
    """
    return OpenWorkQueries(database).read(reviewer, [line.queue for line in queues])
