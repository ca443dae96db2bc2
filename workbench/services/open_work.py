"""What waits for a reviewer: queues, disagreements, runs and comments."""

from collections.abc import Sequence

from workbench.records import QueueSummary
from workbench.records.open_work import OpenWork
from workbench.services.database import Database
from workbench.store import OpenWorkQueries


def open_work(database: Database, reviewer: str | None, queues: Sequence[QueueSummary]) -> OpenWork:
    """What waits for a reviewer, or for the whole team where there is None.

    Args:
        database: Where it is stored.
        reviewer: Whose work it is.
        queues: The open queues, as `list_queues` returns them.

    Raises:
        StoreError: The database cannot be used.
    """
    return OpenWorkQueries(database).read(reviewer, [line.queue for line in queues])
