"""A reviewer's open work: their part of the queues, disagreements, runs, comments."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from workbench.records.comments import CitationComment


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnQueueItems:
    """One reviewer's part of a queue."""

    decided: int
    left: int
    """Items that are still offered to them; those they skipped are not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreviewedRun:
    """A run with citations that nobody has reviewed."""

    id: str
    name: str
    citations: int
    unreviewed: int
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class CommentOnCitation:
    """A comment, and the claim that it is about."""

    comment: CitationComment
    claim: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenWork:
    """The open work of one reviewer, or of the whole team."""

    own_items: Mapping[str, OwnQueueItems]
    """For each open queue id; empty for the whole team."""
    disagreements: int
    """Unsettled ones in no open adjudication queue, without those that the reviewer is party to."""
    runs: tuple[UnreviewedRun, ...]
    """The newest first."""
    comments: tuple[CommentOnCitation, ...]
    """The newest first: by others, on citations that the reviewer labelled or commented."""
