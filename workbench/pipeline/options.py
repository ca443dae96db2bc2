"""What a run is asked to do, and what it tells while it works."""

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from workbench.errors import UsageError
from workbench.judging import PanelRule
from workbench.judging.prices import find_price
from workbench.judging.spending import CostBudget, SpendingRecord
from workbench.records import (
    SCOPE_KINDS,
    CitationResult,
    Json,
    Judgment,
    Prompt,
    RetrievalOptions,
    Run,
    ScopeKind,
    Source,
    Spending,
    cost_words,
)
from workbench.sources import Fetcher, Limits, SnapshotFolder

Sources = None | str | Path | Sequence[Mapping[str, str]] | Fetcher
"""Given sources: a directory, a JSON file, a list of `{"content", "title"?, "url"?, "label"?}`."""

Together = Literal["auto", "never"]
"""Whether several claims of one source may share a call: where that is cheaper, or never."""
TOGETHER_WAYS: tuple[Together, ...] = get_args(Together)
ScopeChoice = ScopeKind | Literal["guess"]
"""How much of the text citations stand for: one kind for all, or what is known of each."""
SCOPE_CHOICES: tuple[ScopeChoice, ...] = ("guess", *SCOPE_KINDS)


def scope_choice(value: object) -> ScopeChoice:
    """A choice of scope as a caller wrote it; `guess` for None.

    Raises:
        UsageError: There is no such choice.
    """
    if value is None:
        return "guess"
    for choice in SCOPE_CHOICES:
        if value == choice:
            return choice
    raise UsageError(f"scope is {', '.join(SCOPE_CHOICES)}, not {value!r}.")


CAP_USD = 1.0
"""What a run may cost where nobody says."""
JUDGMENTS_AT_ONCE = 20
BATCH_POLL_S = 20.0
"""How often a batch is asked whether it is done."""


def default_cap_usd(judges: Sequence[str]) -> float | None:
    """The cap of a run of which nobody said what it may cost, in USD, by its judges' SPECs.

    None where a judge's price is unknown: nothing could be asked under a cap, and a model of one's
    own has no price. Whoever wants such a model held back names a cap.
    """
    return CAP_USD if all(map(_is_priced, judges)) else None


def _is_priced(spec: str) -> bool:
    kind = spec.partition(":")[0]
    return kind in ("local", "nli", "scripted") or find_price(spec) is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a run has come; one is sent whenever a count changes.

    Citations are counted as the finished run counts them: without quotes and statistics, which
    stand on the markers beside them.
    """

    found: int
    linked: int
    fetched: int
    """Sources that were had: given, kept or fetched."""
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
    """Sources that were asked for and not had."""
    unpriced_calls: int = 0
    """Calls to models whose price is unknown."""

    @property
    def cost_words(self) -> str:
        """The cost so far, for people."""
        return cost_words(Spending(settled_usd=self.cost_usd, unpriced_calls=self.unpriced_calls))


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyOptions:
    """What a run was asked to do; `averify` documents each."""

    sources: Sources = None
    allow_fetch: bool = False
    fetch_refused: str = ""
    """Why a wish to fetch was refused, in a sentence: what cannot be fetched says it then."""
    allowed_domains: tuple[str, ...] = ()
    offline: bool = False
    snapshots: Path | SnapshotFolder | None = None
    max_citations: int | None = None
    max_cost_usd: float | None = None
    purse: CostBudget | None = None
    """Money that this run shares with others, in place of a cap of its own."""
    spending: Callable[[str, float], SpendingRecord] | None = None
    """Opens the record of a run's calls by the run's id and what it had cost before; without one a
    kill forgets what was spent."""
    judgments_at_once: int = JUDGMENTS_AT_ONCE
    panel: PanelRule = "majority"
    together: Together = "never"
    """Joint calls cost 13 to 45 % less where sources are cited several times, and take 1.2 to 2.7
    times as long (`tests/bench/bench_together.py`); and a judge is calibrated by the prompt that
    asks one claim alone. So they are for those who ask for them."""
    prompt: Prompt | None = None
    """Asks the language models among the judges; the shipped `strict` where it is None."""
    standalone: bool = False
    """Language models also rewrite each claim to be understood without its context, in the call
    that judges it; other judges give none."""
    scope: ScopeChoice = "guess"
    """How much of the text a citation stands for: what was guessed for each or set by a reviewer,
    or the same for all where it has one. A list or a paragraph is judged part by part."""
    keep_costs: bool = False
    """Kept judgments come with what they cost when they were paid for, not as free: to compare."""
    batch: bool = False
    batch_poll_s: float = BATCH_POLL_S
    on_start: Callable[[Run], None] | None = None
    on_source: Callable[[Source], None] | None = None
    on_verdict: Callable[[str, CitationResult], None] | None = None
    on_progress: Callable[[Progress], None] | None = None
    on_config: Callable[[Run], None] | None = None
    cancel: threading.Event | None = None
    recall: Callable[[str], Judgment | None] | None = None
    remember: Callable[[str, Judgment], None] | None = None
    resume: Run | None = None
    accepted: frozenset[str] = frozenset()
    reach: RetrievalOptions | None = None
    limits: Limits | None = None
    trace_id: str | None = None
    threshold: Mapping[str, Json] | None = None
    """A saved threshold that the run refers to: kept with the run, it decides nothing here."""

    def config(self) -> dict[str, Json]:
        """The options as they are kept with the run."""
        given = self.sources
        return {
            "sources": str(given)
            if isinstance(given, str | Path)
            else None
            if given is None
            else f"{len(given)} given"
            if isinstance(given, Sequence)
            else type(given).__name__,
            "allow_fetch": self.allow_fetch,
            "allowed_domains": list(self.allowed_domains),
            "offline": self.offline,
            "max_citations": self.max_citations,
            "max_cost_usd": self.max_cost_usd,
            "panel": self.panel,
            "together": self.together,
            "batch": self.batch,
            **({"standalone": True} if self.standalone else {}),
            **({"scope": self.scope} if self.scope != "guess" else {}),
            **({"threshold": dict(self.threshold)} if self.threshold else {}),
            **({"trace_id": self.trace_id} if self.trace_id else {}),
        }
