"""Runs and citations as lists, searches and filters show them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args

from workbench.records.codec import Record
from workbench.records.queue import QueueOrder
from workbench.records.text import Excerpt, Json, JsonDict, Span, format_iso8601
from workbench.records.verdict import HumanLabel, VerdictLabel


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSummary:
    """One line of the list of runs."""

    id: str
    name: str
    output_sha256: str
    created_at: datetime
    judge: tuple[str, ...]
    finished: bool
    ended_at: datetime | None
    """None while the run goes on, and for good when its process died."""
    cost_usd: float
    """What is known of it: 0 where a model's price is unknown."""
    reserved_usd: float
    """Reserved for calls without an answer: under way, or cut off."""
    unpriced_calls: int
    """Calls to models whose price is unknown."""
    found: int
    done: int
    resolved: int
    supported: int
    errors: int
    labelled: int
    references: int = 0
    """Entries of the output's reference list that were looked up."""
    reference_problems: int = 0
    """Of them those that are described wrongly, missing, another work's, retracted or in doubt."""
    data_set: str = ""
    """Name of the imported data set that it keeps; empty for a run that was made here."""


ItemOrder = QueueOrder | Literal["certain_first", "newest", "host"]
"""A list of items can be read in more orders than a queue is worked off in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterFacets:
    """What a filter can be narrowed by, each with how many items it would leave; largest first."""

    kinds: Mapping[str, int]
    verdicts: Mapping[str, int]
    error_kinds: Mapping[str, int]
    hosts: Mapping[str, int]
    """The hundred most frequent."""
    labels: Mapping[str, int]
    reviewers: Mapping[str, int]
    tags: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedRef:
    """Something with a name and an id."""

    id: str
    name: str
    created_at: datetime


HitKind = Literal["output", "claim", "rationale", "note", "comment", "source"]


HIT_KINDS: tuple[HitKind, ...] = get_args(HitKind)


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchHit:
    """One text in which all words of a query occur."""

    kind: HitKind
    name: str
    """Of the output; of a source, its title."""
    run_id: str | None
    """Where to see it: for an output its newest run, for a source the newest that read it."""
    citation_id: str | None
    excerpt: Excerpt
    """The first match with its surroundings; offsets are into the whole text."""
    matches: tuple[Span, ...]
    """The matches within the excerpt; offsets are into the excerpt's words."""
    author: str
    """Of a note or comment; empty otherwise."""
    at: datetime
    verdict: VerdictLabel | None = None
    """Of the citation, where the text belongs to one."""

    def to_dict(self) -> JsonDict:
        """The hit in the document of `workbench search --json`."""
        return {
            "kind": self.kind,
            "name": self.name,
            "run_id": self.run_id,
            "citation_id": self.citation_id,
            "verdict": self.verdict,
            "excerpt": self.excerpt.to_dict(),
            "matches": [span.to_dict() for span in self.matches],
            "author": self.author,
            "at": format_iso8601(self.at),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResults:
    """One page of hits."""

    hits: tuple[SearchHit, ...]
    """In the order of `HIT_KINDS`, newest first within a kind."""
    counts: Mapping[HitKind, int]
    """All hits of each kind that was searched, in the same order."""

    @property
    def total(self) -> int:
        """All hits."""
        return sum(self.counts.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class RunItem:
    """A citation of a set of runs that the judge has looked at."""

    run_id: str
    citation_id: str
    verdict: VerdictLabel
    score: float
    question: str
    domain: str | None
    kind: str
    label: HumanLabel | None
    """The one that stands; None without one, and for items of the locked test set."""
    random: bool
    """Whether a label came out of a queue in random order."""
    verdicts: tuple[str, ...] = ()
    """Of all judges that looked at it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace(Record):
    """One answer of an agent, and what led to it."""

    id: str
    name: str
    input: str
    output: str
    model: str
    metadata: Mapping[str, Json]
    created_at: datetime
    runs: tuple[str, ...] = ()
    """The runs that verified it, oldest first."""
