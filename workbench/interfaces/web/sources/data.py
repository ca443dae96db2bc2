"""Rows of sources from the store and the snapshots; read again only when a file has changed."""

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

from workbench.records.stored_sources import RunVersion, SourceCitation, SourceOverride
from workbench.services.cached_views import register_cache
from workbench.services.database import open_database
from workbench.services.repositories import SourceRepository
from workbench.services.sources import catalog
from workbench.services.sources.catalog import ParsedVersion, read_versions, text_of
from workbench.services.sources.snapshots import SnapshotDiff, SnapshotFolder, diff_snapshots
from workbench.settings import Settings

Key = TypeVar("Key")
Value = TypeVar("Value")

WAIT_S = 0.25
"""How long a page waits for the reasons of doubts before the list is drawn without them."""
_AT_ONCE = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceList:
    """All sources, or those of one run."""

    rows: tuple[catalog.SourceRow, ...]
    runs: tuple[RunVersion, ...]
    """All runs, newest first."""
    acceptances: tuple[SourceOverride, ...]
    """Including revoked ones, oldest first."""
    unlinked: int
    """Citations that name no source."""


_Stat = tuple[int, int, int]


@dataclass(slots=True)
class _CachedDirectory:
    """The last read state of a data directory, with the stamps of its files."""

    seen: tuple[_Stat, _Stat] | None = None
    records: catalog.SourceRecords = catalog.SourceRecords(runs=(), overrides=(), supplied=())
    lists: dict[str | None, SourceList] = field(default_factory=dict)


_DIRECTORIES: dict[Path, _CachedDirectory] = {}
_USES: dict[tuple[Path, str], tuple[RunVersion, tuple[SourceCitation, ...]]] = {}
_Body = tuple[Path, str, str]
"""Folder, hash and row: whether a body is doubted depends on its address."""
_READINGS: dict[_Body, ParsedVersion] = {}
_UNDER_WAY: set[_Body] = set()
_TEXTS: OrderedDict[tuple[Path, str, str, str], ParsedVersion] = OrderedDict()
_DRIFTS: OrderedDict[tuple[Path, str, str], SnapshotDiff] = OrderedDict()
_LARGEST_CACHE = 12
_LOCK = threading.RLock()
_READ = threading.Condition(_LOCK)


@register_cache
def _forget() -> None:
    with _LOCK:
        for cache in (_DIRECTORIES, _USES, _READINGS, _TEXTS, _DRIFTS):
            cache.clear()
    open_folder.cache_clear()


@lru_cache(maxsize=8)
def open_folder(path: Path) -> SnapshotFolder:
    """The folder of snapshots; it reads only new lines."""
    return SnapshotFolder(path)


def load_sources(settings: Settings, run_id: str | None = None) -> SourceList:
    """The sources of a run, or all sources including uncited ones."""
    with _LOCK:
        cached = _DIRECTORIES.setdefault(settings.data_dir, _CachedDirectory())
        facts = settings.snapshots / "facts.jsonl"
        stamps = (_stat(settings.database), _stat(facts))
        if cached.seen != stamps:
            records = catalog.source_records(open_database(settings.database))
            # labels change the file as well, but not the sources
            if cached.seen is None or cached.records != records or cached.seen[1] != stamps[1]:
                cached.lists = {}
            cached.records = records
            # opening a database for the first time changes it
            cached.seen = (_stat(settings.database), stamps[1]) if stamps[0][0] == 0 else stamps
        if run_id not in cached.lists:
            cached.lists[run_id] = _read_list(settings, cached.records, run_id)
        return cached.lists[run_id]


def source_of_citation(
    settings: Settings, run_id: str, citation_id: str
) -> catalog.SourceRow | None:
    """The source of a citation, which may have no address; None if there is nothing to give."""
    with _LOCK:
        for row in load_sources(settings, run_id).rows:
            if any(use.result.citation.id == citation_id for use in row.uses):
                return row
        _, uses = _USES.get((settings.database, run_id), (None, ()))
        return catalog.row_without_address(uses, citation_id)


def doubts(
    folder: SnapshotFolder, rows: Sequence[catalog.SourceRow], wait_s: float = WAIT_S
) -> tuple[dict[str, ParsedVersion], bool]:
    """Why the doubted sources among the rows are not evidence, by row id, and whether all are read.

    Bodies are read once, in a separate thread: what is not read in time is available next time.
    """
    versions: dict[str, catalog.SourceVersion] = {}
    for row in rows:
        version = row.judged or row.newest
        if row.state == "not_evidence" and version is not None:
            versions[row.id] = version
    keys = {name: (folder.path, version.sha256, name) for name, version in versions.items()}
    with _LOCK:
        new = {
            key: versions[name]
            for name, key in keys.items()
            if key not in _READINGS and key not in _UNDER_WAY
        }
        _UNDER_WAY.update(new)
        if new:
            threading.Thread(target=_read, args=(folder, new), daemon=True).start()
        _READ.wait_for(lambda: not _UNDER_WAY.intersection(keys.values()), wait_s)
        parsed = {name: _READINGS[key] for name, key in keys.items() if key in _READINGS}
        return parsed, not _UNDER_WAY.intersection(keys.values())


def _read(folder: SnapshotFolder, bodies: dict[_Body, catalog.SourceVersion]) -> None:
    keys = list(bodies)
    try:
        for at in range(0, len(keys), _AT_ONCE):
            batch = keys[at : at + _AT_ONCE]
            readings = read_versions(folder, [bodies[key] for key in batch])
            with _READ:
                for key, reading in zip(batch, readings, strict=True):
                    _READINGS[key] = replace(reading, source=None)
                _UNDER_WAY.difference_update(batch)
                _READ.notify_all()
    finally:
        with _READ:
            _UNDER_WAY.difference_update(bodies)
            _READ.notify_all()


def text_for(settings: Settings, version: catalog.SourceVersion) -> ParsedVersion:
    """The text of a body: the judged one, else the text parsed now from its stored bytes."""
    judged = next((u for u in catalog.newest_first(version.uses) if u.text_sha256), None)
    text = judged.text_sha256 if judged and judged.text_sha256 else ""
    key = (settings.data_dir, version.sha256, text, version.facts.final_url)
    with _LOCK:
        cached = _TEXTS.get(key)
    if cached is not None:
        return cached
    parsed = text_of(open_database(settings.database), open_folder(settings.snapshots), version)
    if parsed.source is not None:  # missing bytes may be added later
        _keep(_TEXTS, key, parsed)
    return parsed


def drift_of(
    settings: Settings, older: catalog.SourceVersion, newer: catalog.SourceVersion
) -> SnapshotDiff | None:
    """The difference between two bodies; None if one of them cannot be read."""
    key = (settings.data_dir, f"{older.sha256}:{older.last}", f"{newer.sha256}:{newer.last}")
    with _LOCK:
        cached = _DRIFTS.get(key)
    if cached is not None:
        return cached
    before, after = text_for(settings, older).source, text_for(settings, newer).source
    if before is None or after is None:
        return None
    changes = diff_snapshots(before, after)
    _keep(_DRIFTS, key, changes)
    return changes


def _keep(cache: OrderedDict[Key, Value], key: Key, value: Value) -> None:
    with _LOCK:
        cache[key] = value
        while len(cache) > _LARGEST_CACHE:
            cache.popitem(last=False)


def _read_list(
    settings: Settings, records: catalog.SourceRecords, run_id: str | None
) -> SourceList:
    runs = [run for run in records.runs if run_id in (None, run.run_id)]
    path = settings.database
    stale = {
        run.run_id: run
        for run in runs
        if _USES.get((path, run.run_id), (None,))[0] != run or not run.ended
    }
    for name, uses in SourceRepository(open_database(path)).uses(list(stale)).items():
        _USES[path, name] = (stale[name], uses)
    uses_of = [use for run in runs for use in _USES[path, run.run_id][1]]
    rows = catalog.list_sources(
        uses_of,
        open_folder(settings.snapshots).list(),
        records.supplied,
        records.overrides,
        uncited=run_id is None,
    )
    linked = sum(len(row.uses) for row in rows)
    return SourceList(
        rows=tuple(rows),
        runs=records.runs,
        acceptances=records.overrides,
        unlinked=len(uses_of) - linked,
    )


def _stat(path: Path) -> _Stat:
    try:
        status = path.stat()
    except OSError:
        return (0, 0, 0)
    return (status.st_mtime_ns, status.st_size, status.st_ino)
