"""Registries: lists of works that a user imported, in which entries are looked up offline."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple, get_args

from workbench.records.bibliography import RetractionKind
from workbench.records.text import JsonDict, format_iso8601

RegistryKind = Literal["library", "retractions"]
REGISTRY_KINDS: tuple[RegistryKind, ...] = get_args(RegistryKind)
MatchRoute = Literal["identifier", "title", "main_title", "words"]


class RecordKeys(NamedTuple):
    """Under what a work is found; empty strings for what is not known."""

    title: str = ""
    """The folded title without blanks."""
    main_title: str = ""
    """The same of what stands before the subtitle; empty where there is none."""
    words: tuple[str, ...] = ()
    """The distinct folded words of the title."""
    author: str = ""
    """The folded family name of the first author, particles aside."""
    year: int | None = None
    doi: str = ""
    arxiv: str = ""
    pmid: str = ""
    isbn: str = ""


class SkippedRecord(NamedTuple):
    """Something in an imported file that could not be taken as it stands."""

    place: str
    reason: str

    def to_dict(self) -> JsonDict:
        """The published JSON: `{"place", "reason"}`."""
        return {"place": self.place, "reason": self.reason}


@dataclass(frozen=True, slots=True, kw_only=True)
class Registry:
    """A file that was imported as a registry."""

    name: str
    kind: RegistryKind
    file_name: str
    sha256: str
    """Of the file's bytes."""
    imported_at: datetime
    records: int
    problems: tuple[SkippedRecord, ...] = ()

    def to_dict(self) -> JsonDict:
        """The published JSON of a registry in a list."""
        return {
            "name": self.name,
            "kind": self.kind,
            "file": self.file_name,
            "sha256": self.sha256,
            "imported_at": format_iso8601(self.imported_at),
            "records": self.records,
            "problems": len(self.problems),
        }


class RegistryRecord(NamedTuple):
    """A work of a registry that may be the one of an entry."""

    registry: str
    record: JsonDict
    """The CSL-JSON item."""
    route: MatchRoute
    """By what it was found."""
    score: float
    """Share of the title's words, weighted by how rare they are, that both have; 0 to 1."""


class RetractionRow(NamedTuple):
    """A line of a table of retractions."""

    keys: RecordKeys
    kind: RetractionKind | Literal["reinstated"]
    notice: str | None
    date: str | None
    reason: str


class FoundRetraction(NamedTuple):
    """A line of a table of retractions that concerns a work."""

    registry: str
    kind: RetractionKind | Literal["reinstated"]
    notice: str | None
    date: str | None
    reason: str
    by_identifier: bool
    """Whether its DOI or PubMed identifier is that of the work, and not the title alone."""
