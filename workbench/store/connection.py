"""Opening the one database file for a unit of work, and letting go of it again.

DuckDB gives a file to one process at a time, so nobody here holds it: a unit opens, works in one
transaction, and closes (about 20 ms). Within the process a lock queues the units; between processes
of the workbench a lock on the file `….lock` beside it does: it is cheap to ask for often, so one
busy process does not shut the others out. Against a foreign program's lock the opening is retried.
All of it for at most `PATIENCE_S`.
"""

import os
import random
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
_HELD: set[Path] = set()
"""Databases whose lock file this process holds; touched by the thread in `_ONE_AT_A_TIME` only."""
_RETRIED = ("could not set lock", "unique file handle conflict", "lock on file")
_NEWER = ("version number", "newer version", "storage version")


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Keep the workbench's other threads and processes away from a database for a while.

    Raises:
        StoreError: Another process keeps it for longer than `PATIENCE_S`.
    """
    path = Path(os.path.realpath(path))
    with _ONE_AT_A_TIME:
        if path in _HELD:  # a unit within a unit, in this thread
            yield
            return
        lock = _lock(path)
        _HELD.add(path)
        try:
            yield
        finally:
            _HELD.discard(path)
            if lock is not None:
                os.close(lock)


def _lock(path: Path) -> int | None:
    """A descriptor that holds the lock; None where the platform or the file system knows none."""
    try:
        import fcntl

        path.parent.mkdir(parents=True, exist_ok=True)
        lock = os.open(path.with_name(path.name + ".lock"), os.O_RDWR | os.O_CREAT, 0o600)
    except (ImportError, OSError):
        return None
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return lock
        except BlockingIOError:
            if time.monotonic() > deadline:
                os.close(lock)
                raise _in_use(path) from None
            time.sleep(random.uniform(0.001, 0.003))
        except OSError:
            os.close(lock)
            return None


def _in_use(path: Path) -> StoreError:
    return StoreError(
        f"The database {path} has been in use by another program for {PATIENCE_S:.0f} seconds; "
        "close that program, or name another file with --db."
    )


@contextmanager
def unit(path: Path) -> Iterator["DuckDBPyConnection"]:
    """A connection in a transaction, committed at the end and rolled back on an exception.

    Raises:
        StoreError: The file stays locked, is damaged, or cannot be created.
        NewerDatabase: A later DuckDB wrote the file.
    """
    with _ONE_AT_A_TIME, alone(path):
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
                raise _in_use(path) from None
            if any(phrase in said for phrase in _NEWER):
                raise NewerDatabase(
                    f"The database {path} was written by a later DuckDB than this one; "
                    "update the workbench, or name another file with --db."
                ) from None
            raise StoreError(
                f"The database {path} cannot be opened; it may be damaged or not a DuckDB file: "
                "restore it from a backup, or name another file with --db."
            ) from None
