"""What changed between two snapshots of one address; both stay as they are."""

import difflib
from dataclasses import dataclass, field

from workbench.records.codec import Record, published_as
from workbench.records.source import Source
from workbench.records.text import format_iso8601

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
