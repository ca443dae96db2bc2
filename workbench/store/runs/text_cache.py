"""Texts of outputs kept at hand: a reviewer comes back to the same few at every press."""

import threading
from collections import OrderedDict
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.store.connection import rewrite_stamp
from workbench.store.rows import stored_text

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

MOST_CHARS = 24_000_000
"""Of all texts together; the one read longest ago goes first."""


class _TextCache:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[Path, str], str] = OrderedDict()
        self._written: dict[Path, int] = {}
        self._chars = 0

    def find(self, path: Path, sha256: str) -> str | None:
        written = rewrite_stamp(path)
        with self._lock:
            if self._written.setdefault(path, written) != written:
                # something went out of the file: it may have been one of these
                self._written[path] = written
                self._kept.clear()
                self._chars = 0
            text = self._kept.get((path, sha256))
            if text is not None:
                self._kept.move_to_end((path, sha256))
            return text

    def keep(self, path: Path, sha256: str, text: str) -> None:
        with self._lock:
            if (path, sha256) in self._kept or len(text) > MOST_CHARS:
                return
            self._kept[path, sha256] = text
            self._chars += len(text)
            while self._chars > MOST_CHARS:
                self._chars -= len(self._kept.popitem(last=False)[1])


_BODIES = _TextCache()


def read_output_text(connection: "DuckDBPyConnection", path: Path, sha256: str) -> str:
    """The text of an output that is there, within a unit of work on the database at a path."""
    text = _BODIES.find(path, sha256)
    if text is None:
        # by its key and alone: within a join the bodies of the whole table would be read
        ((body,),) = connection.execute(
            "select body from outputs where sha256 = ?", [sha256]
        ).fetchall()
        text = stored_text(body)
        _BODIES.keep(path, sha256, text)
    return text
