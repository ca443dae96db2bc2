"""What a backup says it holds, believed only where it can be true."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path, PurePosixPath

from workbench.records.transfer import BACKUP_FORMAT, Backup, Member

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
