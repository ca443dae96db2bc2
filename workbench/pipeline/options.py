"""What a run is asked to do, and what it tells while it works."""

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict, Unpack

from workbench.errors import UsageError
from workbench.judging.budget import CostBudget, SpendingRecord
from workbench.judging.judge import Judge
from workbench.judging.prices import find_price
from workbench.pipeline.reference_checks import ReferenceOptions
from workbench.records.bibliography import ReferenceCheck
from workbench.records.options import (
    CAP_USD,
    CheckOptions,
    PanelRule,
    ScopeChoice,
    Together,
)
from workbench.records.prompts import Prompt
from workbench.records.source import RetrievalOptions, Source
from workbench.records.spending import Spending, format_cost
from workbench.records.text import Json
from workbench.records.verdict import CitationResult, Judgment, Run
from workbench.sources.fetch import Limits
from workbench.sources.fetchers import Fetcher
from workbench.sources.snapshots import SnapshotFolder

Sources = None | str | Path | Sequence[Mapping[str, Json]] | Fetcher
"""Given sources: a directory, a JSON file, a list of `{"content", "title"?, "url"?, "label"?,
"for"?}`."""
JUDGMENTS_AT_ONCE = 20
BATCH_POLL_S = 20.0
"""How often a batch is asked whether it is done."""


def default_cap_usd(judges: Sequence[str]) -> float | None:
    """The cap of a run of which nobody said what it may cost, in USD, by its judges' SPECs.

    None where a judge's price is unknown: nothing could be asked under a cap, and a model of one's
    own has no price. Whoever wants such a model held back names a cap.
    """
    return CAP_USD if all(map(_is_priced, judges)) else None


def judge_specs(judge: str | Sequence[str] | Judge) -> list[str]:
    """The SPECs of a judge, a panel, or an open Judge."""
    if isinstance(judge, str):
        return [judge]
    return list(judge) if isinstance(judge, Sequence) else [judge.spec]


def _is_priced(spec: str) -> bool:
    kind = spec.partition(":")[0]
    return kind in ("local", "nli", "scripted", "handoff") or find_price(spec) is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a run has come; one is sent whenever a count changes.

    Citations are counted as the finished run counts them: without quotes and statistics, which
    belong to the markers beside them.
    """

    found: int
    linked: int
    fetched: int
    """Sources that were retrieved: given, stored or fetched."""
    read: int
    judged: int
    """Citations that are done, whatever came out."""
    sources: int
    """Different sources that the citations name."""
    cost_usd: float
    """What is known of the cost."""
    elapsed_s: float
    current: str
    """The source or citation last worked on."""
    waiting: str = ""
    """What the run waits for, in a sentence: a batch that is away; empty otherwise."""
    missing: int = 0
    """Sources that were requested and not retrieved."""
    unpriced_calls: int = 0
    """Calls to models whose price is unknown."""

    @property
    def cost_text(self) -> str:
        """The cost so far, for people."""
        return format_cost(Spending(settled_usd=self.cost_usd, unpriced_calls=self.unpriced_calls))


class OtherKeywords(TypedDict, total=False):
    """The fields of `VerifyOptions` that `verify` takes by keyword alone."""

    allowed_domains: Sequence[str]
    offline: bool
    snapshots: Path | SnapshotFolder | None
    max_citations: int | None
    max_cost_usd: float | None
    purse: CostBudget | None
    spending: Callable[[str, float], SpendingRecord] | None
    judgments_at_once: int
    panel: PanelRule
    together: Together
    prompt: Prompt | None
    standalone: bool
    scope: ScopeChoice
    question: str
    keep_costs: bool
    batch: bool
    batch_poll_s: float
    on_start: Callable[[Run], None] | None
    on_source: Callable[[Source], None] | None
    on_verdict: Callable[[str, CitationResult], None] | None
    on_progress: Callable[[Progress], None] | None
    on_config: Callable[[Run], None] | None
    cancel: threading.Event | None
    recall: Callable[[str], Judgment | None] | None
    remember: Callable[[str, Judgment], None] | None
    resume: Run | None
    accepted: frozenset[str]
    reach: RetrievalOptions | None
    limits: Limits | None
    references: ReferenceOptions | None
    on_reference: Callable[[str, int, ReferenceCheck], None] | None
    trace_id: str | None
    threshold: Mapping[str, Json] | None
    fetch_refused: str


class VerifyKeywords(OtherKeywords, total=False):
    """The fields of `VerifyOptions` as keyword arguments."""

    judge: str | Sequence[str] | Judge
    sources: Sources
    allow_fetch: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyOptions(CheckOptions):
    """What a run is asked to do, checked when it is built.

    Without `allow_fetch` only given sources and snapshots answer; `allowed_domains` that are empty
    allow any public host.

    Raises:
        UsageError: An option has a value that it does not know.
    """

    judge: str | Sequence[str] | Judge = "local"
    """A judge SPEC, several (a panel), or a Judge."""
    sources: Sources = None
    """Given sources or a Fetcher; a citation that matches none gets `no_source`."""
    fetch_refused: str = ""
    """Why a wish to fetch was refused, in a sentence: what cannot be fetched says it then."""
    snapshots: Path | SnapshotFolder | None = None
    purse: CostBudget | None = None
    """Money that this run shares with others, in place of a cap of its own."""
    spending: Callable[[str, float], SpendingRecord] | None = None
    """Opens the record of a run's calls by the run's id and what it had cost before; without one a
    kill forgets what was spent."""
    judgments_at_once: int = JUDGMENTS_AT_ONCE
    prompt: Prompt | None = None
    """Asks the language models among the judges; the shipped `strict` where it is None."""
    keep_costs: bool = False
    """Kept judgments come with what they cost when they were paid for, not as free: to compare."""
    batch_poll_s: float = BATCH_POLL_S
    on_start: Callable[[Run], None] | None = None
    on_source: Callable[[Source], None] | None = None
    on_verdict: Callable[[str, CitationResult], None] | None = None
    on_progress: Callable[[Progress], None] | None = None
    on_config: Callable[[Run], None] | None = None
    """Is told that the run's config changed: a batch was handed in."""
    cancel: threading.Event | None = None
    """Ends the run early with what it has."""
    recall: Callable[[str], Judgment | None] | None = None
    """Finds a paid judgment by key; `remember` keeps one."""
    remember: Callable[[str, Judgment], None] | None = None
    resume: Run | None = None
    """An interrupted run of this text whose finished citations are taken over."""
    accepted: frozenset[str] = frozenset()
    """Hashes of bodies that a reviewer calls the source although they look like a wall or an error
    page."""
    reach: RetrievalOptions | None = None
    """Where else sources may be looked for."""
    limits: Limits | None = None
    references: ReferenceOptions | None = None
    """Who is asked whether the entries of the reference list exist; nobody where it is None."""
    on_reference: Callable[[str, int, ReferenceCheck], None] | None = None
    """Is told each check of an entry: the run's id, the entry's position, the check."""
    trace_id: str | None = None
    threshold: Mapping[str, Json] | None = None
    """A saved threshold that the run refers to: kept with the run, it decides nothing here."""

    @classmethod
    def from_keywords(cls, **options: Unpack[VerifyKeywords]) -> "VerifyOptions":
        """The options that a caller of the library wrote.

        Without a cap or a purse the cap is that of `default_cap_usd`.

        Raises:
            UsageError: An option is unknown, or has a value that it does not know.
        """
        unknown = set(options) - set(cls.__dataclass_fields__)
        if unknown:
            names = ", ".join(sorted(cls.__dataclass_fields__))
            raise UsageError(f"Unknown option {', '.join(sorted(unknown))}; known are {names}.")
        if "max_cost_usd" not in options:
            specs = judge_specs(options.get("judge", "local"))
            shared = options.get("purse") is not None
            options["max_cost_usd"] = None if shared else default_cap_usd(specs)
        return cls(**options)

    @property
    def specs(self) -> list[str]:
        """The judges' SPECs."""
        return judge_specs(self.judge)

    def config(self) -> dict[str, Json]:
        """The options as they are kept with the run."""
        sources = self.sources
        return {
            "sources": str(sources)
            if isinstance(sources, str | Path)
            else None
            if sources is None
            else f"{len(sources)} given"
            if isinstance(sources, Sequence)
            else type(sources).__name__,
            "allow_fetch": self.allow_fetch,
            "allowed_domains": list(self.allowed_domains),
            "offline": self.offline,
            "max_citations": self.max_citations,
            "max_cost_usd": self.max_cost_usd,
            "panel": self.panel,
            "together": self.together,
            "batch": self.batch,
            **({"references": self.references.names()} if self.references else {}),
            **({"standalone": True} if self.standalone else {}),
            **({"scope": self.scope} if self.scope != "guess" else {}),
            **({"question": self.question} if self.question else {}),
            **({"threshold": dict(self.threshold)} if self.threshold else {}),
            **({"trace_id": self.trace_id} if self.trace_id else {}),
        }
