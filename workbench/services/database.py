"""The database that services work on, as interfaces hold it: opened here, and passed on."""

from functools import lru_cache
from pathlib import Path

from workbench.store.connection import keep_open, rewrite_stamp
from workbench.store.store import Store

__all__ = ["keep_open"]

Database = Store
"""What an interface passes to services and repositories; it calls nothing on it but `path`."""


@lru_cache(maxsize=8)
def open_database(path: str | Path) -> Database:
    """The database in a file (no connection is held), which is created with its first transaction.

    Raises:
        StoreError: With the first transaction, where the file cannot be used.
    """
    return Store(path)


def database_stamp(path: Path) -> int:
    """Differs after a file was replaced or rewritten; what was cached from it is then stale."""
    return rewrite_stamp(path)
