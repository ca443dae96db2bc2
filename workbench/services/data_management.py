"""Backup, restore and erasure of all that the workbench keeps: database, snapshots, uploads."""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from workbench.errors import StoreError
from workbench.records.review import Erasure, ErasureReason
from workbench.records.text import Json, JsonDict
from workbench.records.transfer import LARGEST_RESTORE, Backup, ErasurePlan, RestoreResult
from workbench.services.jobs import UPLOADS
from workbench.settings import Settings
from workbench.sources.addresses import same_source_key
from workbench.sources.snapshots import SnapshotFolder
from workbench.store.admin.backup import back_up, read_backup, restore
from workbench.store.admin.erasure import Erasures
from workbench.store.store import Store

_EMPTY = frozenset({"migrations", "erasures"})
"""Tables whose rows are no reason to keep a database."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupResult:
    """A backup that was written."""

    backup: Backup
    bytes: int
    sha256: str
    """Of the whole file."""

    def to_dict(self) -> JsonDict:
        """The document of `workbench backup --json`; the members are counted, not listed."""
        return {
            "path": str(self.backup.path),
            "bytes": self.bytes,
            "sha256": self.sha256,
            "created_at": self.backup.to_dict()["created_at"],
            "rows": dict(self.backup.rows),
            "files": len(self.backup.members),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasureReport:
    """What went with an output."""

    trace: Erasure
    snapshots: int
    """Requests whose facts went, with the bodies that nothing else uses."""
    uploads: int
    """Folders of uploaded sources."""
    copies: tuple[Path, ...]
    """Earlier copies of the database or the snapshots that are still there and may hold it."""

    def to_dict(self) -> JsonDict:
        """The document of `workbench erase --json`."""
        copies: Json = [str(path) for path in self.copies]
        return {
            **self.trace.to_dict(),
            "snapshots": self.snapshots,
            "uploads": self.uploads,
            "copies_left": copies,
        }


def stored_folders(store: Store, settings: Settings) -> dict[str, Path]:
    """What is stored beside the database: snapshots, uploads of runs under way, saved policies."""
    return {
        "snapshots": settings.snapshots,
        "uploads": _uploads(store),
        "policies": settings.data_dir / "policies",
    }


def size_of_all(store: Store, settings: Settings) -> int:
    """Bytes that a backup has to read."""
    folders = stored_folders(store, settings).values()
    files = [store.path, *(file for folder in folders for file in folder.rglob("*"))]
    return sum(file.stat().st_size for file in files if file.is_file())


def back_up_all(store: Store, settings: Settings, path: Path) -> BackupResult:
    """The backup that was written: enough to review, and to judge again offline.

    Raises:
        UsageError: There is something at that path, or it cannot be written.
    """
    backup = back_up(store, path, stored_folders(store, settings))
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return BackupResult(backup=backup, bytes=path.stat().st_size, sha256=digest)


def backup_bytes(store: Store, settings: Settings) -> bytes:
    """A backup as bytes, for a download.

    Raises:
        UsageError: It cannot be written.
    """
    # a data folder that is read-only can be backed up all the same
    place = settings.data_dir if os.access(settings.data_dir, os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=place, prefix=".backup-") as folder:
        path = Path(folder) / "backup.zip"
        back_up_all(store, settings, path)
        return path.read_bytes()


def inspect_backup(path: Path) -> Backup:
    """What a backup holds, by its manifest.

    Raises:
        UsageError: The file is no backup of this version, or is damaged.
    """
    return read_backup(path)


def restore_all(
    store: Store, settings: Settings, path: Path, *, replace: bool, max_bytes: int = LARGEST_RESTORE
) -> RestoreResult:
    """What was put back; a database in which nothing was kept yet gives way unasked.

    Raises:
        UsageError: The file is no backup, is damaged, newer or too large, or there is work already.
    """
    may = replace or _is_replaceable(store)
    folders = stored_folders(store, settings)
    return restore(path, store, folders, replace=may, max_bytes=max_bytes)


def _is_replaceable(store: Store) -> bool:
    """Whether there is a database and nothing in it; not known of one that cannot be opened."""
    try:
        return store.path.exists() and is_empty(store)
    except StoreError:
        return False


def is_empty(store: Store) -> bool:
    """Whether nothing was kept in a database yet."""
    if store.path.is_file() and store.path.stat().st_size == 0:
        return True
    return not any(number for table, number in store.row_counts().items() if table not in _EMPTY)


def plan_erasure(store: Store, name: str) -> ErasurePlan:
    """What would go with the output that a run's id or a hash names.

    Raises:
        StoreError: Nothing has that name, or it was erased already.
    """
    erasures = Erasures(store)
    return erasures.plan(erasures.output_of(name))


def erase_all(
    store: Store,
    settings: Settings,
    plan: ErasurePlan,
    reviewer: str,
    reason: ErasureReason,
    *,
    copies: bool = False,
) -> ErasureReport:
    """What went with an output: rows, snapshots and uploads that nothing else uses.

    Args:
        store: Where the output is.
        settings: Where the snapshots are.
        plan: What goes.
        reviewer: Who says so.
        reason: Why.
        copies: Whether what restores moved aside goes as well; it may hold the output too.

    Raises:
        StoreError: No output has that hash, or all was deleted and the file not rewritten.
    """
    erasures = Erasures(store)
    try:
        erased = erasures.erase(plan.output_sha256, reviewer, reason)
    except StoreError:
        # the rows may be gone, though the file could not be rewritten: then the rest goes too
        if any(erasures.trace_of(run_id) for run_id in plan.run_ids):
            _clear_files(store, settings, plan, plan.bodies)
        raise
    snapshots, uploads = _clear_files(store, settings, plan, erased.bodies)
    if copies:
        for path in restore_leftovers(store, settings):
            _delete(path)
    return ErasureReport(
        trace=erased.trace,
        snapshots=snapshots,
        uploads=uploads,
        copies=restore_leftovers(store, settings),
    )


def restore_leftovers(store: Store, settings: Settings) -> tuple[Path, ...]:
    """What restores moved aside: no erasure reaches into it."""
    places = (store.path, *stored_folders(store, settings).values())
    return tuple(
        sorted(
            path for place in places for path in place.parent.glob(f"{place.name}.before-restore-*")
        )
    )


def _clear_files(
    store: Store, settings: Settings, plan: ErasurePlan, bodies: Collection[str]
) -> tuple[int, int]:
    folder = SnapshotFolder(settings.snapshots)
    used = Erasures(store).bodies_in_use()
    snapshots = folder.remove({*bodies, *_unused_bodies(folder, plan.addresses, used)} - used)
    uploads = uploads_of(store, plan)
    for upload in uploads:
        _delete(upload)
    return snapshots, len(uploads)


def uploads_of(store: Store, plan: ErasurePlan) -> list[Path]:
    """The folders of uploaded sources that are still there for the runs of an output."""
    folders = map(Path, plan.folders)
    return [folder for folder in folders if folder.parent == _uploads(store) and folder.is_dir()]


def _delete(path: Path) -> None:
    try:
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    except OSError as error:
        raise StoreError(
            f"The output is out of the database, but {path} could not be deleted "
            f"({error.strerror or error}); delete it by hand."
        ) from None


def _unused_bodies(
    folder: SnapshotFolder, addresses: Collection[str], used: Collection[str]
) -> set[str]:
    """Bodies retrieved from addresses where no verdict uses any body."""
    by_address: dict[str, set[str]] = {}
    for facts in folder.list():
        for address in (facts.url, facts.final_url):
            by_address.setdefault(same_source_key(address), set()).add(facts.sha256)
    body_sets = (by_address.get(same_source_key(address), set()) for address in addresses)
    return {digest for bodies in body_sets if bodies.isdisjoint(used) for digest in bodies}


def _uploads(store: Store) -> Path:
    return store.path.parent / UPLOADS
