"""Sources as a store keeps them: versions, overrides and who cites them."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from workbench.errors import ErrorKind
from workbench.records.citation import Reference
from workbench.records.verdict import CitationResult, VerdictLabel

HandedAs = Literal["upload", "paste"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceCitation:
    """One citation of a run with its current verdict, seen from its source."""

    run_id: str
    run_name: str
    result: CitationResult
    """Its source comes without text."""
    reference: Reference | None = None
    """The entry of the text's own list that names the source."""
    judged_at: datetime | None = None
    """None for a citation that the run has not reached."""
    text_sha256: str | None = None
    """Hash of the text that was judged; None where none was read."""
    version: int = 0
    """Counted from 1; above it the citation was checked again."""
    before: VerdictLabel | None = None
    """The verdict before the current one."""
    before_error: ErrorKind | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunVersion:
    """A run's name and judges, and what tells whether it has changed since it was last read."""

    run_id: str
    name: str
    judge: tuple[str, ...]
    created_at: datetime
    verdicts: int
    newest: datetime | None
    ended: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceOverride:
    """A reviewer's word that a doubted body is the source it stands for."""

    id: str
    sha256: str
    """Of the body."""
    url: str
    """The address under which the reviewer saw it."""
    reviewer: str
    reason: str
    created_at: datetime
    withdrawn_by: str | None = None
    withdrawn_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SuppliedSource:
    """A source that a reviewer gave in place of what the address answers."""

    id: str
    sha256: str
    """Of the body, which is a snapshot."""
    url: str
    form: HandedAs
    name: str
    """The file's name; empty for pasted text."""
    reviewer: str
    note: str
    created_at: datetime
