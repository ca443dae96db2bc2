"""Rows of sources out of the store and the snapshots; read again only when a file has changed."""

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

from workbench.fronts.sources_desk import SourceRow, Version, list_sources, newest_first
from workbench.fronts.sources_reading import Reading, read_versions, text_of
from workbench.fronts.ui.opening import open_store
from workbench.settings import Settings
from workbench.sources import Drift, SnapshotFolder, drift
from workbench.store import Acceptance, RunStamp, SourceBook, Use

Key = TypeVar("Key")
Value = TypeVar("Value")

_MOST_READ = 400
"""Doubted pages that one look at the list reads; those beyond are named without their reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelf:
    """All sources, or those of one run."""

    rows: tuple[SourceRow, ...]
    runs: tuple[RunStamp, ...]
    """All runs, newest first."""
    acceptances: tuple[Acceptance, ...]
    """Those taken back too, oldest first."""
    unlinked: int
    """Citations that name no source."""


_Stat = tuple[int, int, int]


@dataclass(slots=True)
class _Kept:
    """What was read last of one data directory, and what its files looked like then."""

    seen: tuple[_Stat, _Stat] | None = None
    runs: tuple[RunStamp, ...] = ()
    acceptances: tuple[Acceptance, ...] = ()
    shelves: dict[str | None, Shelf] | None = None


_KEPT: dict[Path, _Kept] = {}
_USES: dict[tuple[Path, str], tuple[RunStamp, tuple[Use, ...]]] = {}
_READINGS: dict[tuple[Path, str, str], Reading] = {}
_TEXTS: OrderedDict[tuple[Path, str, str, str], Reading] = OrderedDict()
_DRIFTS: OrderedDict[tuple[Path, str, str], Drift] = OrderedDict()
_AT_HAND = 12
_LOCK = threading.RLock()


@lru_cache(maxsize=8)
def open_folder(path: Path) -> SnapshotFolder:
    """The folder of snapshots; it reads only lines that are new."""
    return SnapshotFolder(path)


@lru_cache(maxsize=8)
def open_book(path: Path) -> SourceBook:
    """The store's knowledge of sources; it holds no connection."""
    return SourceBook(open_store(path))


def open_shelf(settings: Settings, run_id: str | None = None) -> Shelf:
    """The sources of a run, or all with those that nobody cites.

    Raises:
        StoreError: The database cannot be used.
    """
    with _LOCK:
        kept = _KEPT.setdefault(settings.data_dir, _Kept())
        facts = settings.snapshots / "facts.jsonl"
        seen = (_stat(settings.database), _stat(facts))
        if kept.seen != seen or kept.shelves is None:
            book = open_book(settings.database)
            kept.runs = tuple(book.stamps())
            kept.acceptances = tuple(book.acceptances())
            kept.shelves = {}
            # opening a database for the first time changes it
            kept.seen = (_stat(settings.database), seen[1]) if seen[0][0] == 0 else seen
        if run_id not in kept.shelves:
            kept.shelves[run_id] = _shelf(settings, kept, run_id)
        return kept.shelves[run_id]


def doubts(folder: SnapshotFolder, rows: Sequence[SourceRow]) -> dict[str, Reading]:
    """Why the doubted sources among the rows are no evidence, by row id; read once a body."""
    wanted: dict[str, Version] = {}
    for row in rows:
        version = row.judged or row.newest
        if row.state == "not_evidence" and version is not None:
            wanted[row.id] = version
    with _LOCK:
        keys = {name: (folder.path, one.sha256, name) for name, one in wanted.items()}
        new = [name for name, key in keys.items() if key not in _READINGS][:_MOST_READ]
        fresh = read_versions(folder, [wanted[name] for name in new])
        _READINGS.update((keys[name], one) for name, one in zip(new, fresh, strict=True))
        return {name: _READINGS[key] for name, key in keys.items() if key in _READINGS}


def text_for(settings: Settings, version: Version) -> Reading:
    """The text of a body: the one that was judged, else what its kept bytes give now.

    Raises:
        StoreError: The database cannot be used.
    """
    judged = next((u for u in newest_first(version.uses) if u.text_sha256), None)
    text = judged.text_sha256 if judged and judged.text_sha256 else ""
    key = (settings.data_dir, version.sha256, text, version.facts.final_url)
    with _LOCK:
        known = _TEXTS.get(key)
    if known is not None:
        return known
    found = text_of(open_book(settings.database), open_folder(settings.snapshots), version)
    if found.source is not None:  # bytes that are missing now may come
        _keep(_TEXTS, key, found)
    return found


def drift_of(settings: Settings, older: Version, newer: Version) -> Drift | None:
    """What changed between two bodies; None where one of them cannot be read.

    Raises:
        StoreError: The database cannot be used.
    """
    key = (settings.data_dir, f"{older.sha256}:{older.last}", f"{newer.sha256}:{newer.last}")
    with _LOCK:
        known = _DRIFTS.get(key)
    if known is not None:
        return known
    before, after = text_for(settings, older).source, text_for(settings, newer).source
    if before is None or after is None:
        return None
    found = drift(before, after)
    _keep(_DRIFTS, key, found)
    return found


def _keep(kept: OrderedDict[Key, Value], key: Key, value: Value) -> None:
    with _LOCK:
        kept[key] = value
        while len(kept) > _AT_HAND:
            kept.popitem(last=False)


def _shelf(settings: Settings, kept: _Kept, run_id: str | None) -> Shelf:
    book = open_book(settings.database)
    stamps = [stamp for stamp in kept.runs if run_id in (None, stamp.run_id)]
    path = settings.database
    stale = [
        stamp
        for stamp in stamps
        if _USES.get((path, stamp.run_id), (None,))[0] != stamp or not stamp.ended
    ]
    for name, uses in book.uses([stamp.run_id for stamp in stale]).items():
        stamp = next(one for one in stale if one.run_id == name)
        _USES[path, name] = (stamp, uses)
    # the oldest run first: a source is called what the first citation calls it
    uses_of = [use for stamp in reversed(stamps) for use in _USES[path, stamp.run_id][1]]
    rows = list_sources(
        uses_of,
        open_folder(settings.snapshots).list(),
        book.handed_over(),
        kept.acceptances,
        uncited=run_id is None,
    )
    linked = sum(len(row.uses) for row in rows)
    return Shelf(
        rows=tuple(rows),
        runs=kept.runs,
        acceptances=kept.acceptances,
        unlinked=len(uses_of) - linked,
    )


def _stat(path: Path) -> _Stat:
    try:
        found = path.stat()
    except OSError:
        return (0, 0, 0)
    return (found.st_mtime_ns, found.st_size, found.st_ino)
