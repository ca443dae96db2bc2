"""What was fetched, kept for good: bytes under their hash, and the facts of every request.

    DIR/objects/ab/abcdef….gz    the bytes, compressed, named by the SHA-256 of the bytes
    DIR/facts.jsonl              one line a request: URL, final URL, hops, status, type, time, hash
    DIR/accepted.jsonl           one line a reviewer's word that some bytes are the source after all

Nothing is ever overwritten. When a page changes, the new bytes are a new object and a new line.
Only `remove` takes anything away, for an output that is erased with all that hangs on it.
Several processes may write at once: objects appear by an atomic link, lines under a file lock.
"""

import difflib
import fcntl
import gzip
import hashlib
import io
import json
import os
import re
import tempfile
import threading
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from workbench.errors import UnreadableInput, storing
from workbench.records.codec import Record, published_as
from workbench.records.source import Fetched, Source
from workbench.records.text import Json, format_iso8601
from workbench.sources.addresses import same_source_key

MAX_OBJECT_BYTES = 64 * 1024 * 1024
"""No object is inflated beyond this, whatever its file says."""

_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot(Record):
    """The facts of one request; its bytes are under `sha256`."""

    sha256: str
    url: str
    final_url: str
    hops: tuple[str, ...] = ()
    status: int | None = None
    content_type: str = ""
    bytes: int = 0
    truncated: bool = False
    title: str | None = None
    fetched_at: datetime

    @classmethod
    def of(cls, fetched: Fetched) -> "Snapshot":
        """The facts of what was fetched; what was given is dated now."""
        return cls(
            sha256=fetched.sha256,
            url=fetched.url,
            final_url=fetched.final_url,
            hops=fetched.hops,
            status=fetched.status,
            content_type=fetched.content_type,
            bytes=len(fetched.body),
            truncated=fetched.truncated,
            title=fetched.title,
            fetched_at=fetched.fetched_at or datetime.now(UTC),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokenSnapshot(Record):
    """An object or a line that is not what it should be."""

    sha256: str
    url: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotCheck(Record):
    """What `SnapshotFolder.verify` found."""

    checked: int
    """Objects whose hash was derived again."""
    broken: tuple[BrokenSnapshot, ...] = ()


class SnapshotFolder:
    """A folder of snapshots, made when the first one is put; safe for several processes."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._facts = self.path / "facts.jsonl"
        self._lock = threading.Lock()
        self._rows: list[Snapshot] = []
        self._newest: dict[str, Snapshot] = {}
        self._read_to = 0
        self._inode = 0
        self._bad_lines: list[str] = []

    def put(self, fetched: Fetched) -> str:
        """Keeps the bytes (once) and the request's facts (each time); the SHA-256 in hex.

        Raises:
            StorageError: The disk is full, or the folder is read-only.
        """
        facts = Snapshot.of(fetched)
        with storing(self.path):
            self.put_object(facts.sha256, fetched.body)
            self.add_facts(facts)
        return facts.sha256

    def find(self, url: str) -> Fetched | None:
        """The newest snapshot of an address, in any of its spellings; None without one."""
        facts = self.newest(url)
        return self._fetched(facts) if facts else None

    def newest(self, url: str) -> Snapshot | None:
        """The facts of the newest snapshot of an address; None without one."""
        with self._lock:
            self._refresh()
            return self._newest.get(same_source_key(url))

    def history(self, url: str) -> list[Snapshot]:
        """Every snapshot of an address, oldest first."""
        key = same_source_key(url)
        return [facts for facts in self.list() if same_source_key(facts.url) == key]

    def get(self, sha256: str) -> Fetched | None:
        """The newest request that gave these bytes; None when they are not here."""
        for facts in reversed(self.list()):
            if facts.sha256 == sha256:
                return self._fetched(facts)
        return None

    def list(self) -> list[Snapshot]:
        """Every request's facts, in the order they were written."""
        with self._lock:
            self._refresh()
            return list(self._rows)

    def verify(self) -> SnapshotCheck:
        """Derives every hash again from the bytes, and looks for the bytes of every line."""
        urls = {facts.sha256: facts.url for facts in self.list()}
        broken = [
            BrokenSnapshot(sha256="", url="", reason=f"unreadable line in facts.jsonl: {line}")
            for line in self._bad_lines
        ]
        checked = 0
        present: set[str] = set()
        for file in sorted((self.path / "objects").glob("*/*.gz")):
            digest = file.name.removesuffix(".gz")
            present.add(digest)
            checked += 1
            body = _inflated(file)
            if body is None:
                reason = "the file is damaged and cannot be unpacked"
            elif hashlib.sha256(body).hexdigest() != digest:
                reason = "the bytes do not have the hash they are named by"
            else:
                continue
            broken.append(BrokenSnapshot(sha256=digest, url=urls.get(digest, ""), reason=reason))
        broken += [
            BrokenSnapshot(sha256=digest, url=url, reason="the bytes are missing")
            for digest, url in urls.items()
            if digest not in present
        ]
        return SnapshotCheck(checked=checked, broken=tuple(broken))

    def add_facts(self, facts: Snapshot) -> None:
        """Appends the facts of one request."""
        self._append(self._facts, json.dumps(facts.to_dict(), ensure_ascii=True).encode("ascii"))

    def remove(self, hashes: Collection[str]) -> int:
        """The number of requests whose facts were taken away, with the bytes of these hashes.

        The lines of other requests stay as they are; half a line that a killed writer left goes.
        """
        gone = {digest for digest in hashes if _SHA256.fullmatch(digest)}
        if not gone or not self.path.is_dir():
            return 0
        removed = 0
        for file in (self._facts, self.path / "accepted.jsonl"):
            if file.exists():
                removed += self._rewrite(file, lambda line: _hash_on(line) not in (*gone, None))
        for digest in gone:
            self.object_path(digest).unlink(missing_ok=True)
        with self._lock:
            self._inode = -1
            self._refresh()
        return removed

    def _rewrite(self, path: Path, stays: Callable[[bytes], bool]) -> int:
        """The number of lines left out of a file that replaces the old one."""
        with _locked(path) as old:
            old.seek(0)
            lines = old.read().splitlines(keepends=True)
            remaining = [line for line in lines if stays(line)]
            if len(remaining) == len(lines):
                return 0
            handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".new-")
            with os.fdopen(handle, "wb") as file:
                file.writelines(remaining)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, path)
            return len(lines) - len(remaining)

    def _append(self, path: Path, line: bytes) -> None:
        self.path.mkdir(parents=True, exist_ok=True)
        with _locked(path) as file:
            # A writer that was killed may have left half a line: end it before this one.
            file.seek(0, os.SEEK_END)
            ends_line = not file.tell() or _ends_in_newline(path)
            file.write((b"" if ends_line else b"\n") + line + b"\n")
            file.flush()

    def object_path(self, sha256: str) -> Path:
        """Where the bytes of a hash are kept."""
        return self.path / "objects" / sha256[:2] / f"{sha256}.gz"

    def put_object(self, digest: str, body: bytes) -> None:
        """Keeps bytes under their SHA-256, unless they are there already."""
        target = self.object_path(digest)
        if target.exists():
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        packed = io.BytesIO()
        with gzip.GzipFile(filename="", mode="wb", fileobj=packed, mtime=0, compresslevel=6) as out:
            out.write(body)
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=".new-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(packed.getvalue())
                file.flush()
                os.fsync(file.fileno())
            os.chmod(temporary, 0o444)
            with suppress(FileExistsError):  # another process stored the same bytes in the meantime
                os.link(temporary, target)
        finally:
            os.unlink(temporary)

    def _refresh(self) -> None:
        """Reads the lines that were written since the last look."""
        try:
            status = self._facts.stat()
            size, inode = status.st_size, status.st_ino
        except OSError:
            size, inode = 0, 0
        # lines were taken away, or another folder was put in this one's place
        if size < self._read_to or inode != self._inode:
            self._inode = inode
            self._rows, self._newest, self._read_to, self._bad_lines = [], {}, 0, []
        if size == self._read_to:
            return
        with self._facts.open("rb") as file:
            file.seek(self._read_to)
            new_bytes = file.read(size - self._read_to)
        complete = new_bytes.rfind(b"\n") + 1
        self._read_to += complete
        for line in new_bytes[:complete].splitlines():
            if not line.strip():
                continue
            facts = parse_facts(line)
            if facts is None:
                self._bad_lines.append(line[:80].decode("utf-8", "replace"))
                continue
            self._rows.append(facts)
            for address in {facts.url, facts.final_url}:
                key = same_source_key(address)
                newest = self._newest.get(key)
                # A page that was asked for outranks one that a redirect led to.
                is_requested = address == facts.url
                if newest is None or is_requested or same_source_key(newest.url) != key:
                    self._newest[key] = facts

    def _fetched(self, facts: Snapshot) -> Fetched | None:
        body = _inflated(self.object_path(facts.sha256))
        if body is None or hashlib.sha256(body).hexdigest() != facts.sha256:
            return None
        return Fetched(
            url=facts.url,
            final_url=facts.final_url,
            status=facts.status,
            content_type=facts.content_type,
            body=body,
            truncated=facts.truncated,
            fetched_at=facts.fetched_at,
            title=facts.title,
            hops=facts.hops,
        )


def _inflated(file: Path | BinaryIO) -> bytes | None:
    """The bytes of an object file; None when it is missing, damaged or inflates without end."""
    try:
        with gzip.open(file) as packed:
            body = packed.read(MAX_OBJECT_BYTES + 1)
    except (OSError, EOFError, zlib.error):
        return None
    return body if len(body) <= MAX_OBJECT_BYTES else None


@contextmanager
def _locked(path: Path) -> Iterator[BinaryIO]:
    """A file of lines, open for appending, locked against other writers."""
    while True:
        with path.open("ab+") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            # while this waited, another file may have been put in its place
            if path.exists() and os.fstat(file.fileno()).st_ino == path.stat().st_ino:
                yield file
                return


def _hash_on(line: bytes) -> str | None:
    """The hash that a line is about; None for a line that is not whole."""
    try:
        row: Json = json.loads(line)
    except ValueError:
        return None
    digest = row.get("sha256") if isinstance(row, dict) else None
    return digest if isinstance(digest, str) else None


def _ends_in_newline(file: Path) -> bool:
    with file.open("rb") as written:
        written.seek(-1, os.SEEK_END)
        return written.read(1) == b"\n"


def parse_facts(line: bytes) -> Snapshot | None:
    """The facts on a line; None for a line that is not one."""
    try:
        row: Json = json.loads(line)
        if not isinstance(row, dict):
            return None
        digest = row["sha256"]
        hops, status, size = row.get("hops"), row.get("status"), row.get("bytes")
        if not isinstance(digest, str) or not _SHA256.fullmatch(digest):
            return None
        facts = Snapshot(
            sha256=digest,
            url=str(row["url"]),
            final_url=str(row["final_url"]),
            hops=tuple(str(hop) for hop in hops) if isinstance(hops, list) else (),
            status=status if isinstance(status, int) else None,
            content_type=str(row.get("content_type") or ""),
            bytes=size if isinstance(size, int) else 0,
            truncated=bool(row.get("truncated")),
            title=None if row.get("title") is None else str(row["title"]),
            fetched_at=datetime.fromisoformat(str(row["fetched_at"])),
        )
    except (ValueError, KeyError):
        return None
    moment = facts.fetched_at
    return facts if moment.tzinfo else replace(facts, fetched_at=moment.replace(tzinfo=UTC))


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
    return _inflated(io.BytesIO(packed)) if len(packed) <= MAX_OBJECT_BYTES else None


def _entry(name: str) -> zipfile.ZipInfo:
    return zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))


def _identity(row: Snapshot) -> tuple[str, str, str]:
    return row.sha256, row.url, row.fetched_at.isoformat()


MAX_LINES = 5_000
"""Lines of a text that are compared; beyond, comparing takes too long."""
SHOWN = 50
"""Changed lines that are kept on each side."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotDiff(Record):
    """How far the newer of two readings of a source lies from the older one."""

    older: str
    """SHA-256 of the older bytes."""
    newer: str
    same_bytes: bool
    same_text: bool
    likeness: float
    """Share of lines that both have, 0 to 1."""
    removed: tuple[str, ...] = field(default=(), metadata=published_as("gone"))
    """Lines that only the older text has, at most 50."""
    new: tuple[str, ...] = ()
    """Lines that only the newer text has, at most 50."""
    older_at: str | None = None
    newer_at: str | None = None


def diff_snapshots(older: Source, newer: Source) -> SnapshotDiff:
    """The difference between two readings, by lines, white space at their ends left out."""
    before = [line.strip() for line in older.text.split("\n") if line.strip()][:MAX_LINES]
    after = [line.strip() for line in newer.text.split("\n") if line.strip()][:MAX_LINES]
    same_text = before == after and len(older.text.split()) == len(newer.text.split())
    gone: list[str] = []
    new: list[str] = []
    shared = len(before)
    if not same_text:
        matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
        shared = sum(block.size for block in matcher.get_matching_blocks())
        for tag, i1, i2, j1, j2 in matcher.get_opcodes():
            if tag != "equal":
                gone += before[i1:i2]
                new += after[j1:j2]
    total = len(before) + len(after)
    return SnapshotDiff(
        older=older.sha256,
        newer=newer.sha256,
        same_bytes=older.sha256 == newer.sha256,
        same_text=same_text,
        likeness=round(2 * shared / total, 4) if total else 1.0,
        removed=tuple(gone[:SHOWN]),
        new=tuple(new[:SHOWN]),
        older_at=format_iso8601(older.fetched_at),
        newer_at=format_iso8601(newer.fetched_at),
    )
