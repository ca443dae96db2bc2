"""What was read or computed from a database, kept at hand until the database was rewritten.

One cache for every service and page: `@cached_view` before a function whose first argument is the
database. Rewriting means that content went out of it: an erasure, a restored backup.
"""

import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import wraps
from pathlib import Path
from typing import Concatenate, Generic, ParamSpec, TypeVar

from workbench.services.database import Database, database_stamp

RECENT_S = 0.05
"""So soon after a write another one may carry the same time."""
_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")


def file_state(database: Database) -> Hashable:
    """Differs after every write to the database; costs no opening. None where it cannot be told."""
    path = os.path.realpath(database.path)
    files = [os.stat(file) for file in (path, f"{path}.wal") if os.path.exists(file)]
    newest = max((file.st_mtime_ns for file in files), default=0)
    # some file systems count in whole seconds, or two
    recent = RECENT_S if newest % 1_000_000_000 else 2 + RECENT_S
    if time.time() - newest / 1e9 < recent:
        return None
    return tuple((file.st_ino, file.st_size, file.st_mtime_ns) for file in files)


class CachedView(Generic[_Arguments, _Result]):
    """A function of a database that keeps its newest results; `clear` drops them."""

    def __init__(
        self,
        read: Callable[Concatenate[Database, _Arguments], _Result],
        max_entries: int,
        max_age_s: float | None,
        state: Callable[[Database], Hashable] | None,
        final: Callable[..., bool] | None,
        key: Callable[..., Hashable] | None,
    ) -> None:
        wraps(read)(self)
        self._read = read
        self._max_entries = max_entries
        self._max_age_s = max_age_s
        self._state = state
        self._final = final
        self._key = key
        self._entries: OrderedDict[Hashable, tuple[float, _Result]] = OrderedDict()
        self._lock = threading.Lock()

    def __call__(
        self, database: Database, *args: _Arguments.args, **kwargs: _Arguments.kwargs
    ) -> _Result:
        """The kept result, or a new one."""
        clear_if_rewritten(database.path)
        # taken before the reading: what is read while the database is rewritten is never found
        state = self._state(database) if self._state else ()
        if state is None:
            return self._read(database, *args, **kwargs)
        key = (
            database.path,
            database_stamp(database.path),
            state,
            self._key(*args, **kwargs) if self._key else (args, tuple(sorted(kwargs.items()))),
        )
        now = time.monotonic()
        with self._lock:
            entry = self._entries.get(key)
            if entry and (self._max_age_s is None or now - entry[0] < self._max_age_s):
                self._entries.move_to_end(key)
                return entry[1]
        result = self._read(database, *args, **kwargs)
        if self._final and not self._final(result):
            return result
        with self._lock:
            self._entries[key] = (now, result)
            self._entries.move_to_end(key)
            while len(self._entries) > self._max_entries:
                self._entries.popitem(last=False)
        return result

    def clear(self) -> None:
        """Drop the results."""
        with self._lock:
            self._entries.clear()


def cached_view(
    *,
    max_entries: int = 8,
    max_age_s: float | None = None,
    state: Callable[[Database], Hashable] | None = None,
    final: Callable[..., bool] | None = None,
    key: Callable[..., Hashable] | None = None,
) -> Callable[
    [Callable[Concatenate[Database, _Arguments], _Result]], CachedView[_Arguments, _Result]
]:
    """A decorator that keeps what a function of a database returns, by its other arguments.

    Args:
        max_entries: Results kept; the one that was not used for longest goes first.
        max_age_s: Seconds after which a result is read again; None for never.
        state: Tells whether the result still holds, cheaply, as `file_state` does: it is read
            again where this differs, or is None. Without it, for what changes only by a
            rewriting: ended runs, outputs, sources.
        final: Tells whether a result may be kept, for what changes until it has ended.
        key: Makes the key out of the arguments, where they cannot be hashed or need not be.
    """

    def decorate(
        read: Callable[Concatenate[Database, _Arguments], _Result],
    ) -> CachedView[_Arguments, _Result]:
        view = CachedView(read, max_entries, max_age_s, state, final, key)
        register_cache(view.clear)
        return view

    return decorate


_CLEAR: list[Callable[[], None]] = []
_STAMPS: dict[Path, int] = {}


def register_cache(clear: Callable[[], None]) -> Callable[[], None]:
    """Have another cache cleared whenever the cached views are."""
    _CLEAR.append(clear)
    return clear


def clear_cached_views() -> None:
    """Drop everything that is kept."""
    for clear in _CLEAR:
        clear()


def clear_if_rewritten(path: Path) -> None:
    """Drop everything that is kept if a database was rewritten since the last look.

    Another process may have erased an output or restored a backup; this costs no opening.
    """
    stamp = database_stamp(path)
    if _STAMPS.setdefault(path, stamp) != stamp:
        _STAMPS[path] = stamp
        clear_cached_views()
