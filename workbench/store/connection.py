"""Opening the one database file for a unit of work, and letting go of it again.

DuckDB gives a file to one process at a time, so none keeps it open: a unit opens, works in one
transaction, and closes (about 20 ms). Within the process a lock queues the units, and a unit that
ends while others wait passes the open file on to the next, for at most `RELAY_S`; so does one
within `keep_open` to the next of its own thread. Between processes of the workbench a lock on the
file `….lock` beside it does the queueing: it is cheap to ask for often, so one busy process does
not shut the others out. Against a foreign program's lock the opening is retried. All of it for at
most `PATIENCE_S`.
"""

import os
import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.errors import (
    NewerDatabase,
    NotFoundError,
    ReachesOutside,
    StoreError,
    no_space,
    not_writable,
    storage_error,
)
from workbench.store.admin.query_process import SEALED

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

PATIENCE_S = 20.0
"""How long a unit waits for another process to let go of the file."""
RELAY_S = 0.25
"""How long a process may pass an open file on before other processes get a turn."""
TURN_S = 0.004
"""The pause after that, in which another process that waits takes the lock."""

_RETRIED = ("could not set lock", "unique file handle conflict", "lock on file")
_FULL = ("no space left on device", "disk quota exceeded", "file too large")
_READ_ONLY = ("read-only file system", "permission denied", "operation not permitted")
_DAMAGED = ("could not read", "corrupt", "checksum", "failed to deserialize")
_NEWER = ("version number", "newer version", "storage version")


@dataclass(slots=True)
class _OpenDatabase:
    """A database that this process has open."""

    path: Path
    lock: int | None
    connection: "DuckDBPyConnection"
    since: float = field(default_factory=time.monotonic)
    timer: threading.Timer | None = None

    def close(self) -> None:
        if self.timer is not None:
            self.timer.cancel()
        try:
            self.connection.close()
        finally:
            if self.lock is not None:
                os.close(self.lock)


class _ConnectionGate:
    """The threads of this process before its databases; they enter one at a time."""

    def __init__(self) -> None:
        self._turn = threading.RLock()
        self._count = threading.Lock()
        self.waiting = 0
        # these two are touched by the thread whose turn it is only
        self.busy: set[Path] = set()
        """Databases that this thread has to itself: what it opens within is a unit in a unit."""
        self.passed_on: _OpenDatabase | None = None

    @contextmanager
    def turn(self) -> Iterator[None]:
        with self._count:
            self.waiting += 1
        try:
            self._turn.acquire()
        finally:
            with self._count:
                self.waiting -= 1
        try:
            yield
        finally:
            if self.passed_on is not None and not self.waiting and not _keeps_open():
                self.close_passed_on()  # who was to take it went away
            self._turn.release()

    def close_passed_on(self) -> None:
        if self.passed_on is not None:
            try:
                self.passed_on.close()
            finally:  # and not before: who sees None need not wait, as the file is complete
                self.passed_on = None


_LINE = _ConnectionGate()
_THREAD_STATE = threading.local()


def _keeps_open() -> bool:
    return getattr(_THREAD_STATE, "depth", 0) > 0


@contextmanager
def keep_open(*, for_next: bool = False) -> Iterator[None]:
    """Let this thread's units within it share one opening of their file, which costs about 20 ms.

    Each unit is a transaction of its own all the same. Other processes wait `RELAY_S` at most: by
    then the file is closed, even where this thread is busy with something else. `for_next` leaves
    it open at the end too, until the process's next unit or `RELAY_S` is over.
    """
    _THREAD_STATE.depth = getattr(_THREAD_STATE, "depth", 0) + 1
    try:
        yield
    finally:
        _THREAD_STATE.depth -= 1
        # what another thread has taken or closed meanwhile is its business, and not waited for
        if not _THREAD_STATE.depth and not for_next and _LINE.passed_on is not None:
            with _LINE.turn():
                pass  # closes what no thread waits for


def _close_when_overdue(opening: _OpenDatabase) -> None:
    """Close a file that its thread has left open, `RELAY_S` after its opening."""

    def close() -> None:
        with _LINE.turn():
            if _LINE.passed_on is opening:
                _LINE.close_passed_on()

    # no daemon: a process that ends while a daemon thread is within DuckDB is aborted
    opening.timer = threading.Timer(RELAY_S, close)
    opening.timer.start()


@contextmanager
def exclusive_access(path: Path) -> Iterator[None]:
    """Keep the workbench's other threads and processes away from a database for a while.

    Raises:
        StoreError: Another process keeps it for longer than `PATIENCE_S`.
    """
    path = Path(os.path.realpath(path))
    with _LINE.turn():
        if path in _LINE.busy:
            yield
            return
        _LINE.close_passed_on()
        lock = _lock(path)
        _LINE.busy.add(path)
        try:
            yield
        finally:
            _LINE.busy.discard(path)
            if lock is not None:
                os.close(lock)
                time.sleep(TURN_S)  # or one that does this again and again starves other processes


def rewrite_stamp(path: Path) -> int:
    """A number that changes when a database was rewritten, so that things were removed.

    Anything cached from the file must be read again then. 0 where it was never opened.
    """
    try:
        return _lock_file(Path(os.path.realpath(path))).stat().st_mtime_ns
    except OSError:
        return 0


def mark_rewritten(path: Path) -> None:
    """Tell those who keep things at hand out of a database, here and in other processes."""
    now = time.time_ns()
    with suppress(OSError):
        os.utime(_lock_file(Path(os.path.realpath(path))), ns=(now, now))


def _lock_file(path: Path) -> Path:
    return path.with_name(path.name + ".lock")


@contextmanager
def transaction(path: Path) -> Iterator["DuckDBPyConnection"]:
    """A connection in a transaction, committed at the end and rolled back on an exception.

    A file that may not be written to is opened for reading; what writes is then refused.

    Raises:
        StoreError: The file stays locked, is damaged, or cannot be created.
        StorageError: Its disk is full, or it is read-only and something was to be written.
        NewerDatabase: A later DuckDB wrote the file.
        ReachesOutside: A view in the file that is asked for reads something outside it.
    """
    path = Path(os.path.realpath(path))
    with _LINE.turn():
        within = path in _LINE.busy
        opening = _OpenDatabase(path, None, _open(path)) if within else _reuse_or_open(path)
        _LINE.busy.add(path)
        committed = False
        try:
            with _translated_errors(path), opening.connection.cursor() as connection:
                connection.begin()
                try:
                    yield connection
                except BaseException:
                    _roll_back(connection)
                    raise
                connection.commit()
            committed = True
        finally:
            if within:
                opening.close()
            else:
                _LINE.busy.discard(path)
                _pass_on(opening, committed)


@contextmanager
def _translated_errors(path: Path) -> Iterator[None]:
    """Tell in a sentence: a full disk, a file that is read-only or damaged, an id that none has."""
    import duckdb

    broken = (duckdb.FatalException, duckdb.SerializationException)
    try:
        yield
    except duckdb.Error as error:
        message = str(error).lower()
        if any(phrase in message for phrase in _FULL):
            raise no_space(path) from error
        if "read-only mode" in message or any(phrase in message for phrase in _READ_ONLY):
            raise not_writable(path) from error
        if isinstance(error, duckdb.PermissionException):
            raise ReachesOutside(
                f"The database {path} was tampered with: it contains a view or macro that reads a "
                f"file or an address outside it, which was refused. Restore a backup that you made "
                f"yourself, "
                "or name another file with --db."
            ) from error
        if isinstance(error, broken) or any(phrase in message for phrase in _DAMAGED):
            raise _damaged(path) from error
        if "cannot encode str as utf-8" in message:
            raise NotFoundError(
                f"Nothing in {path} has an id with half a character (a lone surrogate) in it; "
                "use the id as the workbench wrote it."
            ) from None
        if isinstance(error, duckdb.ProgrammingError | duckdb.DataError):
            raise StoreError(
                f"A query failed on the database {path}; another program may have changed its "
                f"tables, views or macros ({str(error).splitlines()[0][:200]}). Restore a backup, "
                "or name another file with --db."
            ) from error
        raise


def _roll_back(connection: "DuckDBPyConnection") -> None:
    """Undo a transaction; one that a failed write has ended needs no undoing."""
    import duckdb

    with suppress(duckdb.Error):
        connection.rollback()


def _reuse_or_open(path: Path) -> _OpenDatabase:
    """The database as the thread before left it open, or opened now."""
    opening, _LINE.passed_on = _LINE.passed_on, None
    if opening is not None:
        if opening.path == path and path.exists():
            return opening
        opening.close()
    lock = _lock(path)
    try:
        return _OpenDatabase(path, lock, _open(path))
    except BaseException:
        if lock is not None:
            os.close(lock)
        raise


def _pass_on(opening: _OpenDatabase, committed: bool) -> None:
    keeps = _keeps_open()
    if (_LINE.waiting or keeps) and committed and time.monotonic() - opening.since < RELAY_S:
        if keeps and opening.timer is None:
            _close_when_overdue(opening)
        _LINE.passed_on = opening
        return
    opening.close()
    if _LINE.waiting or keeps:
        time.sleep(TURN_S)


def _lock(path: Path) -> int | None:
    """A descriptor that holds the lock; None where the platform or the file system knows none."""
    try:
        import fcntl

        path.parent.mkdir(parents=True, exist_ok=True)
        lock = os.open(_lock_file(path), os.O_RDWR | os.O_CREAT, 0o600)
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
        f"The database {path} has been in use by another program for {PATIENCE_S:.0f} seconds, so "
        "this was not done. Close that program and try again, or name another file with --db."
    )


def _open(path: Path) -> "DuckDBPyConnection":
    import duckdb

    deadline = time.monotonic() + PATIENCE_S
    pause = 0.005
    is_new = not path.exists()
    while True:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            return duckdb.connect(str(path), config=dict(SEALED))
        except (duckdb.Error, OSError) as error:
            message = str(error).lower()
            if any(phrase in message for phrase in _RETRIED):
                if time.monotonic() < deadline:
                    time.sleep(pause)
                    pause = min(pause * 1.6, 0.1)
                    continue
                raise _in_use(path) from None
            if any(phrase in message for phrase in _READ_ONLY) and not is_new:
                return _open_for_reading(path)
            if is_new:
                _remove_stub(path)
            raise _why_not(path, error) from None


def _open_for_reading(path: Path) -> "DuckDBPyConnection":
    import duckdb

    try:
        return duckdb.connect(str(path), read_only=True, config=dict(SEALED))
    except (duckdb.Error, OSError) as error:
        raise _why_not(path, error) from None


def _remove_stub(path: Path) -> None:
    """Delete the empty file that a database leaves which could not be created."""
    with suppress(OSError):
        if path.is_file() and path.stat().st_size == 0:
            path.unlink()


def _why_not(path: Path, error: Exception) -> StoreError:
    """Why a database cannot be opened, and what to do."""
    message = str(error).lower()
    refused = storage_error(error, path)
    if refused is not None:
        return refused
    if any(phrase in message for phrase in _NEWER):
        return NewerDatabase(
            f"The database {path} was written by a later DuckDB than this one; "
            "update the workbench, or name another file with --db."
        )
    if any(phrase in message for phrase in _FULL):
        return no_space(path)
    if path.is_dir():
        return StoreError(
            f"{path} is a folder, and the database is a file: move the folder away, or name "
            "another file with --db."
        )
    if any(phrase in message for phrase in _READ_ONLY):
        if path.exists():
            return StoreError(
                f"The database {path} is not readable: change its permissions, or name "
                "another file with --db."
            )
        return not_writable(path)
    with suppress(OSError):
        if path.stat().st_size == 0:
            return StoreError(
                f"The database {path} is empty (0 bytes), perhaps because of a full disk or an "
                f"interrupted copy: restore it from a backup, or delete the file to start over."
            )
    return _damaged(path)


def _damaged(path: Path) -> StoreError:
    return StoreError(
        f"The database {path} cannot be opened or read; it may be damaged or not a DuckDB file: "
        "restore it from a backup, or name another file with --db."
    )
