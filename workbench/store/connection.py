"""Opening the one database file for a unit of work, and letting go of it again.

DuckDB gives a file to one process at a time, so nobody here holds it: a unit opens, works in one
transaction, and closes (about 20 ms). Within the process a lock queues the units; against another
process's lock the opening is retried for `PATIENCE_S`.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.errors import NewerDatabase, StoreError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

PATIENCE_S = 20.0
"""How long a unit waits for another process to let go of the file."""

_ONE_AT_A_TIME = threading.RLock()
_RETRIED = ("could not set lock", "unique file handle conflict", "lock on file")
_NEWER = ("version number", "newer version", "storage version")


@contextmanager
def unit(path: Path) -> Iterator["DuckDBPyConnection"]:
    """A connection in a transaction, committed at the end and rolled back on an exception.

    Raises:
        StoreError: The file stays locked, is damaged, or cannot be created.
        NewerDatabase: A later DuckDB wrote the file.
    """
    with _ONE_AT_A_TIME:
        connection = _open(path)
        try:
            connection.begin()
            try:
                yield connection
            except BaseException:
                connection.rollback()
                raise
            connection.commit()
        finally:
            connection.close()


def _open(path: Path) -> "DuckDBPyConnection":
    import duckdb

    deadline = time.monotonic() + PATIENCE_S
    pause = 0.005
    while True:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            return duckdb.connect(str(path))
        except (duckdb.Error, OSError) as error:
            said = str(error).lower()
            if any(phrase in said for phrase in _RETRIED):
                if time.monotonic() < deadline:
                    time.sleep(pause)
                    pause = min(pause * 1.6, 0.1)
                    continue
                raise StoreError(
                    f"The database {path} has been in use by another program for "
                    f"{PATIENCE_S:.0f} seconds; close that program, or name another file with --db."
                ) from None
            if any(phrase in said for phrase in _NEWER):
                raise NewerDatabase(
                    f"The database {path} was written by a later DuckDB than this one; "
                    "update the workbench, or name another file with --db."
                ) from None
            raise StoreError(
                f"The database {path} cannot be opened; it may be damaged or not a DuckDB file: "
                "restore it from a backup, or name another file with --db."
            ) from None
