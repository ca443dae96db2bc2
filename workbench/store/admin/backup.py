"""Everything in one file, and back: a ZIP of the database, folders beside it, and a manifest.

    manifest.json            what is inside, with the SHA-256 and size of every other member
    workbench.duckdb         the database
    FOLDER/…                 the folders that were handed in, for example `snapshots`

A restored file is checked against the manifest before anything is put in its place; what was there
before is moved aside, never deleted.
"""

import hashlib
import json
import os
import re
import shutil
import stat
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from itertools import count
from pathlib import Path, PurePosixPath

from workbench.errors import ReachesOutside, StoreError, UsageError, storage_error
from workbench.records.format import file_size
from workbench.records.reviewers import utc_now
from workbench.records.transfer import BACKUP_FORMAT, LARGEST_RESTORE, Backup, Member, RestoreResult
from workbench.store.connection import exclusive_access, mark_rewritten, transaction
from workbench.store.store import Clock, Store

CHUNK = 1 << 20
LONGEST_MANIFEST = 64 << 20


def back_up(
    store: Store, path: Path, folders: Mapping[str, Path] | None = None, now: Clock = utc_now
) -> Backup:
    """What was written: the database as it is now, and the folders, in one new file.

    Reviewers wait only while the database file is copied, not while it is compressed.

    Raises:
        UsageError: There is something at that path, or it cannot be written.
        StoreError: The database cannot be used.
    """
    if path.exists():
        raise UsageError(f"{path} already exists; choose another file for the backup.")
    created_at = now()
    members: list[Member] = []
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=".backup-") as folder:
            copy, parcel = Path(folder) / DATABASE, Path(folder) / "parcel.zip"
            with exclusive_access(store.path):
                rows = store.row_counts()
                shutil.copyfile(store.path, copy)
                log = _log_of(store.path)
                if log.exists():  # of a database that is read-only: what it says was not merged
                    shutil.copyfile(log, _log_of(copy))
            if _log_of(copy).exists():
                Store(copy).row_counts()
                with exclusive_access(copy):
                    pass  # closed, and so merged, also where a thread keeps openings
            with zipfile.ZipFile(parcel, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as parcelled:
                members.append(_add(parcelled, copy, DATABASE))
                for name, place in sorted((folders or {}).items()):
                    for file in _files(place, path.parent / Path(folder).name):
                        archive_name = PurePosixPath(name, *file.relative_to(place).parts)
                        with suppress(FileNotFoundError):  # a run that ended took it away
                            members.append(_add(parcelled, file, str(archive_name)))
                backup = Backup(path=path, created_at=created_at, rows=rows, members=tuple(members))
                parcelled.writestr(MANIFEST, json.dumps(backup.to_dict(), indent=1))
            os.replace(parcel, path)
    except OSError as error:
        raise storage_error(error, path) or UsageError(
            f"{path} cannot be written: {error.strerror or error}."
        ) from None
    return backup


def read_backup(path: Path) -> Backup:
    """What a backup holds, by its manifest; the members themselves are not read.

    Raises:
        UsageError: The file is no backup of the workbench.
    """
    with _opened(path) as parcelled:
        return _manifest(path, parcelled)


def restore(
    path: Path,
    store: Store,
    folders: Mapping[str, Path] | None = None,
    *,
    replace: bool = False,
    max_bytes: int = LARGEST_RESTORE,
    now: Clock = utc_now,
) -> RestoreResult:
    """What was put back: the database and the folders as they were when the backup was made.

    Nothing is unpacked before the manifest was checked and its sizes are within bounds, and of no
    file more than its stated size.

    Args:
        path: The backup.
        store: Where its database goes.
        folders: Where each folder of the backup goes; one that is not named stays in the backup.
        replace: Whether a database that is there may be moved aside.
        max_bytes: What the backup may unpack to.
        now: The clock, for the names of what is moved aside.

    Raises:
        UsageError: The file is no backup, is damaged or too large, or there is a database already.
        StorageError: There is no room for it, or the place is read-only.
        NewerDatabase: A later version of the workbench made it.
        ReachesOutside: A view in its database reads something outside it.
    """
    if store.path.exists() and not replace:
        raise UsageError(
            f"There is a database at {store.path}: --replace (in Python: replace=True) moves it "
            f"aside and restores the backup in its place; or choose another file with --db."
        )
    stamp = f"{now():%Y%m%d-%H%M%S}"
    try:
        store.path.parent.mkdir(parents=True, exist_ok=True)
        with (
            tempfile.TemporaryDirectory(dir=store.path.parent, prefix=".restore-") as folder,
            _opened(path) as parcelled,
        ):
            backup = _manifest(path, parcelled)
            _check_size(backup, max_bytes, store.path.parent)
            for member in backup.members:
                _take_out(path, parcelled, member, Path(folder))
            _check_database(path, Path(folder) / DATABASE)
            moved = []
            with exclusive_access(store.path):
                moved += _move_into_place(Path(folder) / DATABASE, store.path, stamp)
                for name, place in (folders or {}).items():
                    if (Path(folder) / name).is_dir():
                        moved += _move_into_place(Path(folder) / name, place, stamp)
                mark_rewritten(store.path)
    except OSError as error:
        raise storage_error(error, store.path) or UsageError(
            f"{path} cannot be restored: {error.strerror or error}."
        ) from None
    return RestoreResult(backup=backup, moved_aside=tuple(moved))


def _files(place: Path, work_folder: Path) -> Iterator[Path]:
    """The files below a folder, in order; no links, and none that is being written."""
    for file in sorted(place.rglob("*")) if place.is_dir() else ():
        written = file.name.startswith(".new-") or file.is_relative_to(work_folder)
        if file.is_file() and not file.is_symlink() and not written:
            yield file


def _add(parcelled: zipfile.ZipFile, file: Path, name: str) -> Member:
    digest, size = hashlib.sha256(), 0
    with file.open("rb") as source, parcelled.open(name, "w", force_zip64=True) as sink:
        while chunk := source.read(CHUNK):
            digest.update(chunk)
            size += len(chunk)
            sink.write(chunk)
    return Member(name=name, sha256=digest.hexdigest(), bytes=size)


@contextmanager
def _opened(path: Path) -> Iterator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(path) as parcelled:
            yield parcelled
    except FileNotFoundError:
        raise UsageError(f"There is no file {path}; name a backup of the workbench.") from None
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise UsageError(
            f"{path} is damaged or not a backup of the workbench ({error}); use an earlier one."
        ) from None


def _manifest(path: Path, parcelled: zipfile.ZipFile) -> Backup:
    try:
        if parcelled.getinfo(MANIFEST).file_size > LONGEST_MANIFEST:
            raise ValueError("too long")
        backup = parse_manifest(json.loads(parcelled.read(MANIFEST)), path)
        entries = parcelled.infolist()
        if len(entries) != len({entry.filename for entry in entries}):
            raise ValueError("a duplicate entry")
        if any(stat.S_ISLNK(entry.external_attr >> 16) for entry in entries):
            raise ValueError("a link")
        return backup
    except (KeyError, ValueError, RecursionError):
        raise UsageError(
            f"{path} is not a backup of this version of the workbench; choose another file."
        ) from None


def _check_size(backup: Backup, max_bytes: int, folder: Path) -> None:
    """Raise where a backup would unpack to more than is allowed, or than there is room for."""
    size = f"{backup.path} unpacks to {file_size(backup.bytes)}"
    if backup.bytes > max_bytes:
        raise UsageError(
            f"{size}, and at most {file_size(max_bytes)} are allowed; allow more with --max-gib "
            f"(in Python: max_bytes) if you trust where it comes from."
        )
    free_bytes = shutil.disk_usage(folder).free
    if backup.bytes > free_bytes:
        raise StoreError(
            f"No space left on the disk of {folder}: {size}, and {file_size(free_bytes)} are free."
        )


def _check_database(path: Path, database: Path) -> None:
    """Bring an unpacked database to this version; raise where it is newer or reaches outside.

    Whoever made a backup also wrote the views in it: each is bound here, and none is run. A macro
    or trigger cannot be bound without running it, could stand in for a function of DuckDB's, and
    none is ours.
    """
    import duckdb

    try:
        with transaction(database) as connection:
            ((foreign,),) = connection.execute(
                "select (select count(*) from duckdb_functions() where not internal) "
                "+ (select count(*) from duckdb_triggers())"
            ).fetchall()
            if foreign:
                raise ReachesOutside
            for (name,) in connection.execute(
                "select view_name from duckdb_views() where not internal"
            ).fetchall():
                quoted = name.replace('"', '""')
                # a user's own view that fits no table any more does no harm
                with suppress(duckdb.CatalogException, duckdb.BinderException):
                    connection.execute(f'explain select * from "{quoted}"')
        Store(database).row_counts()
    except ReachesOutside:
        raise ReachesOutside(
            f"{path} cannot be restored: a view in its database reads a file or an address outside "
            "it, or the database has macros or triggers, which no backup of the workbench does. "
            "Nothing was changed; use a backup that you made yourself."
        ) from None


def _log_of(path: Path) -> Path:
    """Where DuckDB writes what is not yet in a database's file."""
    return path.with_name(path.name + ".wal")


def _take_out(path: Path, parcelled: zipfile.ZipFile, member: Member, folder: Path) -> None:
    target = folder.joinpath(*PurePosixPath(member.name).parts)
    target.parent.mkdir(parents=True, exist_ok=True)
    digest, remaining = hashlib.sha256(), member.bytes
    try:
        with parcelled.open(member.name) as source, target.open("wb") as sink:
            while chunk := source.read(min(CHUNK, remaining + 1)):
                remaining -= len(chunk)
                if remaining < 0:
                    break
                digest.update(chunk)
                sink.write(chunk)
    except KeyError:
        remaining = -1
    if remaining or digest.hexdigest() != member.sha256:
        raise UsageError(
            f"{path} is damaged: {member.name} does not match its manifest; use an earlier one."
        )


def _move_into_place(source: Path, target: Path, stamp: str) -> list[Path]:
    """Move something to its place, and what was there aside; the new names of that."""
    moved = []
    if target.exists():
        aside = next(
            path
            for again in count(1)
            if not (
                path := target.with_name(
                    f"{target.name}.before-restore-{stamp}{f'-{again}' if again > 1 else ''}"
                )
            ).exists()
        )
        os.replace(target, aside)
        moved.append(aside)
    target.parent.mkdir(parents=True, exist_ok=True)
    # of the old database; the new one would be taken for its continuation
    _log_of(target).unlink(missing_ok=True)
    shutil.move(source, target)
    return moved


DATABASE = "workbench.duckdb"
MANIFEST = "manifest.json"
_SHA256 = re.compile(r"[0-9a-f]{64}")
_LONGEST_NAME = 1024


def parse_manifest(raw: object, path: Path) -> Backup:
    """The backup that a manifest describes; no type, name, size or hash is taken on trust.

    Raises:
        ValueError: Something is missing, of the wrong type, or no name a backup writes: one that
            leads out of its folder, occurs twice, or is a file and a folder at once.
    """
    document = _mapping(raw)
    if document.get("format") != BACKUP_FORMAT:
        raise ValueError("unknown format")
    created_at = document.get("created_at")
    if not isinstance(created_at, str):
        raise ValueError("created_at is not a time")
    moment = datetime.fromisoformat(created_at)
    if moment.tzinfo is None:
        raise ValueError("created_at has no time zone")
    raw_members = document.get("members")
    if not isinstance(raw_members, list):
        raise ValueError("members is not a list")
    members = tuple(_member(_mapping(member)) for member in raw_members)
    _check_names([member.name for member in members])
    rows = _mapping(document.get("rows"))
    return Backup(
        path=path,
        created_at=moment,
        rows={table: _number(count) for table, count in rows.items()},
        members=members,
    )


def _member(document: Mapping[str, object]) -> Member:
    name, sha256 = document.get("name"), document.get("sha256")
    if not isinstance(name, str) or not isinstance(sha256, str):
        raise ValueError("a member has no name or no hash")
    if not _SHA256.fullmatch(sha256):
        raise ValueError("a hash is none")
    return Member(name=name, sha256=sha256, bytes=_number(document.get("bytes")))


def _check_names(names: Sequence[str]) -> None:
    if DATABASE not in names:
        raise ValueError("no database")
    files: set[str] = set()
    folders: set[str] = set()
    for name in names:
        path = PurePosixPath(name)
        odd = any(letter in name for letter in "\\:") or not name.isprintable()
        if odd or str(path) != name or path.is_absolute() or ".." in path.parts:
            raise ValueError("an unsafe name")
        if len(name) > _LONGEST_NAME or (len(path.parts) == 1 and name != DATABASE):
            raise ValueError("a name that no backup writes")
        # some file systems do not tell large letters from small ones
        folded = name.casefold()
        if folded in files:
            raise ValueError("a duplicate name")
        files.add(folded)
        folders.update(str(parent) for parent in PurePosixPath(folded).parents)
    if files & folders:
        raise ValueError("a name that is a file and a folder")


def _mapping(value: object) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise ValueError("no JSON object")
    return value


def _number(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ValueError("no number of at least 0")
    return value
