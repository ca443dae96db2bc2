"""Runs as they are listed by name."""

from workbench.records import NamedRef
from workbench.services.database import Database
from workbench.store import RecentItems


def recent_runs(database: Database, limit: int = 300) -> list[NamedRef]:
    """The newest runs by name, newest first.

    Raises:
        StoreError: The database cannot be used.
    """
    return RecentItems(database).newest(limit)[0]
