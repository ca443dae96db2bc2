"""What comes into a store and leaves it: examples, backups, imports, erasures."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from workbench.records.codec import HIDDEN, Record, published_as
from workbench.records.format import count_of
from workbench.records.review import Erasure
from workbench.records.text import Json, JsonDict, format_iso8601
from workbench.records.verdict import Run


@dataclass(frozen=True, slots=True, kw_only=True)
class ExternalRun:
    """A run that came to its end in another place."""

    run: Run
    """Its citations' sources come with their text."""
    text: str
    """The output it is about."""
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunImportResult:
    """What became of runs that were handed in."""

    added: int
    known: int
    """There already; they stay as they are."""
    erased: tuple[str, ...]
    """Ids of runs whose output was erased here: nothing of it is taken in again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One file of a backup."""

    name: str
    sha256: str
    bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Backup:
    """What a backup holds."""

    path: Path
    created_at: datetime
    rows: Mapping[str, int]
    """Of each table."""
    members: tuple[Member, ...]

    @property
    def bytes(self) -> int:
        """The size of all files together, unpacked."""
        return sum(member.bytes for member in self.members)

    def to_dict(self) -> JsonDict:
        """The manifest."""
        members: Json = [
            {"name": member.name, "sha256": member.sha256, "bytes": member.bytes}
            for member in self.members
        ]
        return {
            "format": BACKUP_FORMAT,
            "created_at": format_iso8601(self.created_at),
            "rows": dict(self.rows),
            "members": members,
        }


LARGEST_RESTORE = 20 << 30
"""Bytes that a backup may unpack to, unless who restores it allows more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreResult:
    """What was put back."""

    backup: Backup
    moved_aside: tuple[Path, ...]
    """What was there before, under its new names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasurePlan(Record):
    """What would go with an output."""

    output_sha256: str
    name: str
    created_at: datetime
    run_ids: tuple[str, ...]
    ended: bool
    """Whether all its runs came to their end; one that goes on should be stopped first."""
    verdicts: int
    """Of all versions."""
    labels: int
    """Of all times, replaced and withdrawn ones too."""
    notes: int
    places: int
    """In queues."""
    sources: int
    """Source texts that nothing else leans on."""
    bodies: tuple[str, ...] = field(metadata=published_as("snapshots"))
    """Hashes of source bodies that nothing else leans on."""
    addresses: tuple[str, ...] = field(metadata=HIDDEN)
    """Where its sources were looked for and found."""
    folders: tuple[str, ...] = field(metadata=HIDDEN)
    """Where its runs took given sources from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasureResult:
    """What was deleted."""

    trace: Erasure
    bodies: tuple[str, ...]
    """Hashes of source bodies that no verdict leans on any more: their snapshots can go too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportRecord:
    """One file that was imported, as it is remembered."""

    id: str
    format: str
    name: str
    sha256: str
    """Of the file's bytes."""
    imported: int
    labels: int
    """Added, to items that were there already too."""
    known: int
    """Items that were there already."""
    skipped: int
    reviewer: str
    created_at: datetime


BACKUP_FORMAT = "citation-workbench backup 1"


EXAMPLE_SUFFIX = " (example)"
"""Ends the name of everything that belongs to the examples."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExampleContents:
    """The contents of the example workspace."""

    runs: int = 0
    runs_kept: int = 0
    """Example runs that somebody worked on, which a removal leaves alone."""
    labels: int = 0
    queues: int = 0
    counted: bool = False
    """Whether figures use the example labels, because there are no others."""
    labels_tried: int = 0
    """Citations of example queues that users labelled; they are removed with the queues."""
    comments: int = 0
    """Comments of users on runs that a removal deletes."""
    titles: int = 0
    """Titles that users gave such runs."""
    supplied: int = 0
    """Sources that users supplied for them, and nothing else uses."""

    @property
    def present(self) -> bool:
        """Whether there is anything of them."""
        return bool(self.runs or self.labels or self.queues)

    def own_work(self) -> list[str]:
        """What users did themselves and a removal deletes all the same, one line each."""
        counts = (
            (self.labels_tried, "own labels in example queues", "citation", "citations"),
            (self.comments, "own comments on example runs", "comment", "comments"),
            (self.titles, "own titles of example runs", "title", "titles"),
            (self.supplied, "sources supplied for example runs", "source", "sources"),
        )
        return [
            f"your {what}: {count_of(number, *words)}" for number, what, *words in counts if number
        ]
