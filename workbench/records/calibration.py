"""What calibration leaves behind: splits of the labelled items, opinions, thresholds."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, get_args

from workbench.errors import ErrorKind
from workbench.records.citation import Citation
from workbench.records.codec import HIDDEN, Record
from workbench.records.source import Source
from workbench.records.verdict import CitationResult, Judgment

Tie = Literal["question", "page", "domain"]
TIES: tuple[Tie, ...] = get_args(Tie)
"""What items can have in common that keeps them in one part of a split."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Split(Record):
    """How labelled items are dealt into parts, once; items that are labelled later are added."""

    id: str
    name: str
    seed: int
    shares: Mapping[str, float]
    """Of the items, by part."""
    ties: tuple[Tie, ...]
    """Items that share one of these stand in one part."""
    created_by: str
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitSize(Record):
    """How much stands in one part of a split."""

    part: str | None = field(metadata=HIDDEN)
    """None for items that tie several parts together: they are used in none."""
    items: int
    """With a gold label."""
    humans: int
    """People whose labels stand there."""
    groups: int
    """Questions."""
    no_gold_label: int = 0
    """Items that have labels and no gold label."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TestSetAccess(Record):
    """The trace of a look at the locked test set."""

    id: str
    split_id: str
    reviewer: str
    reason: str
    figures: str
    """What was looked at: which figures of which judge."""
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class OfflineJudgment:
    """What a judge said of an item outside of its run; the run's own verdict stays as it is."""

    run_id: str
    citation_id: str
    judge: str
    """SPEC."""
    prompt: str
    """Id of the prompt; empty for a judge without one."""
    judgment: Judgment | None
    error: ErrorKind | None
    """Why there is no judgment."""
    cost_usd: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgingRequest:
    """A labelled item that a judge has not looked at, with what it takes to ask."""

    run_id: str
    result: CitationResult
    """The item as it stands in its run, without a verdict or with another judge's."""
    text: str
    """The output, exactly as given."""
    citations: tuple[Citation, ...]
    """All of the output, in text order."""
    source: Source | None
    """With its text; None where there is none to read."""
    has_verdict: bool
    """Whether its run has a verdict of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Threshold(Record):
    """A threshold on a judge's score that somebody settled on, and what it rests on."""

    id: str
    """`t1`, `t2` and so on: short enough to type."""
    judge: str
    """SPEC; several joined by ` + ` for a panel."""
    accept: float | None
    """At or above it a verdict counts as supported without a person; None: never."""
    reject: float | None
    """Below it a verdict counts as not supported without a person; None: never."""
    target: float | None
    """The share of accepted (rejected) items that must be rightly so; None without such an aim."""
    confidence: float
    holds: bool
    """Whether the labels guarantee the target at the confidence."""
    aim: str
    """How it was chosen, in words."""
    split_id: str
    parts: tuple[str, ...]
    n: int
    """Labelled items it was chosen on."""
    labels_sha256: str
    created_by: str
    created_at: datetime
    note: str = ""
    kinds: Mapping[str, float] = field(default_factory=dict)
    """Kinds of source with a limit of their own, which replaces both edges."""
