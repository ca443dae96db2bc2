"""Snapshots on the move: one file out, and in again with every hash computed again."""

import gzip
import hashlib
import io
import json
import re
import zipfile
import zlib
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from workbench.errors import UnreadableInput
from workbench.records.codec import Record
from workbench.sources.snapshots import MAX_OBJECT_BYTES, Snapshot, SnapshotFolder, parse_facts

_OBJECT = re.compile(r"objects/[0-9a-f]{2}/([0-9a-f]{64})\.gz")
_FACTS = "facts.jsonl"
_MAX_FACTS = 256 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotImportResult(Record):
    """What came in, and what was left out because it is not what it says."""

    imported: int
    """Requests whose facts are now in the folder."""
    skipped: tuple[str, ...] = ()
    """A sentence for each entry that was left out."""


def export_snapshots(
    folder: SnapshotFolder, path: str | Path, only: Collection[str] | None = None
) -> int:
    """Writes a ZIP of the snapshots, or of those whose SHA-256 is in `only`; how many requests.

    The same snapshots give the same bytes, so that the file's own hash can be published.
    """
    rows = [row for row in folder.list() if only is None or row.sha256 in only]
    lines = "".join(json.dumps(row.to_dict(), ensure_ascii=True) + "\n" for row in rows)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as file:
        file.writestr(_entry(_FACTS), lines)
        for digest in sorted({row.sha256 for row in rows}):
            packed = folder.object_path(digest)
            if packed.is_file():
                name = f"objects/{digest[:2]}/{digest}.gz"
                file.writestr(_entry(name), packed.read_bytes())
    return len(rows)


def import_snapshots(folder: SnapshotFolder, path: str | Path) -> SnapshotImportResult:
    """Takes in an exported file; bytes that do not have their hash stay out, and so do twins.

    Raises:
        UnreadableInput: it is not a file of exported snapshots.
    """
    skipped: list[str] = []
    try:
        with zipfile.ZipFile(path) as file:
            rows = _rows(file, skipped)
            bodies = _check(file, skipped)
            stored = {_identity(row) for row in folder.list()}
            imported = 0
            for row in rows:
                if row.sha256 not in bodies:
                    skipped.append(f"{row.url[:200]}: its bytes are missing or damaged")
                elif _identity(row) not in stored:
                    folder.put_object(row.sha256, _body(file, bodies[row.sha256]) or b"")
                    folder.add_facts(row)
                    imported += 1
    except (OSError, zipfile.BadZipFile, KeyError, NotImplementedError) as bad:
        raise UnreadableInput(
            f"{path} is not a file of exported snapshots ({bad}): create one with `snapshots "
            f"export`."
        ) from bad
    return SnapshotImportResult(imported=imported, skipped=tuple(skipped))


def merge_snapshots(
    folder: SnapshotFolder, many: Iterable[tuple[bytes, bytes]]
) -> SnapshotImportResult:
    """What was taken in of facts (a line each, as in `facts.jsonl`) and the bytes they are about.

    Bytes that do not have their hash are reported and left out; existing snapshots stay.
    """
    stored = {_identity(row) for row in folder.list()}
    skipped: list[str] = []
    imported = 0
    for line, body in many:
        row = parse_facts(line)
        if row is None:
            skipped.append("a line is not the facts of a request")
        elif hashlib.sha256(body).hexdigest() != row.sha256:
            skipped.append(f"{row.sha256}: the bytes do not have the hash they are named by")
        elif _identity(row) not in stored:
            stored.add(_identity(row))
            folder.put_object(row.sha256, body)
            folder.add_facts(row)
            imported += 1
    return SnapshotImportResult(imported=imported, skipped=tuple(skipped))


def _rows(file: zipfile.ZipFile, skipped: list[str]) -> list[Snapshot]:
    if file.getinfo(_FACTS).file_size > _MAX_FACTS:
        raise KeyError(f"{_FACTS} is too large")
    rows: list[Snapshot] = []
    for number, line in enumerate(file.read(_FACTS).splitlines(), start=1):
        row = parse_facts(line)
        if row is not None:
            rows.append(row)
        elif line.strip():
            skipped.append(f"line {number} of {_FACTS} is not the facts of a request")
    return rows


def _check(file: zipfile.ZipFile, skipped: list[str]) -> dict[str, str]:
    """The names of the sound objects, by hash."""
    objects: dict[str, str] = {}
    for info in file.infolist():
        match = _OBJECT.fullmatch(info.filename)
        if match is None:
            if info.filename != _FACTS:
                skipped.append(f"{info.filename[:200]!r} is not part of a snapshot")
            continue
        body = _body(file, info.filename)
        if body is None or hashlib.sha256(body).hexdigest() != match[1]:
            skipped.append(f"{match[1]}: the bytes do not have the hash they are named by")
        else:
            objects[match[1]] = info.filename
    return objects


def _body(file: zipfile.ZipFile, name: str) -> bytes | None:
    """The unpacked bytes of an object, bounded at both layers of packing."""
    with file.open(name) as outer:
        packed = outer.read(MAX_OBJECT_BYTES + 1)
    if len(packed) > MAX_OBJECT_BYTES:
        return None
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(packed)) as inner:
            body = inner.read(MAX_OBJECT_BYTES + 1)
    except (OSError, EOFError, zlib.error):
        return None
    return body if len(body) <= MAX_OBJECT_BYTES else None


def _entry(name: str) -> zipfile.ZipInfo:
    return zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))


def _identity(row: Snapshot) -> tuple[str, str, str]:
    return row.sha256, row.url, row.fetched_at.isoformat()
