"""Records of a series that improves a prompt: what was asked for, and every step that was taken."""

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from workbench.records.codec import Record
from workbench.records.prompts import PromptVersion
from workbench.records.text import JsonDict

OptimisationStage = Literal["proposal", "train", "dev"]
StepState = Literal[
    "measured",
    "proposed",
    "refused",
    "malformed",
    "failed",
    "exhausted",
    "passed",
    "worse",
    "kept",
    "not_kept",
]
"""`measured`: the prompt that the series began with. Of a proposal: `proposed`, `refused` (it is no
usable template), `malformed` (the reply was none), `failed` (nobody answered; the round is tried
again), `exhausted` (nothing more to propose). On train: `passed` or `worse`. On dev: `kept` or
`not_kept`."""

StopOutcome = Literal["done", "stopped", "cost_cap", "failed", "impossible"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricInterval(Record):
    """A figure with its interval."""

    value: float | None = None
    low: float | None = None
    high: float | None = None

    @property
    def text(self) -> str:
        """As tables show it: `0.71 (0.64 to 0.77)`."""
        if self.value is None:
            return "–"
        if self.low is None or self.high is None:
            return _signed(self.value)
        return f"{_signed(self.value)} ({_signed(self.low)} to {_signed(self.high)})"


@dataclass(frozen=True, slots=True, kw_only=True)
class StepFigures(Record):
    """Two prompts on the items of one part, by balanced accuracy; intervals are drawn by groups."""

    n: int
    """Items that the judge was asked about by both."""
    groups: int
    left_out: int = 0
    """Items that the judge was not asked about by one of them."""
    no_verdict: int = 0
    """Items to which the candidate gave no usable verdict; they count as wrong."""
    failed: int = 0
    """Items to which no reply came from either: with many of them nothing is kept."""
    incumbent: MetricInterval = MetricInterval()
    """With its 95 % interval."""
    candidate: MetricInterval = MetricInterval()
    """With its 95 % interval; empty where only one prompt was measured."""
    difference: MetricInterval = MetricInterval()
    """Candidate less incumbent, with its 95 % interval."""
    corrected: MetricInterval = MetricInterval()
    """The same with its interval at `confidence`."""
    confidence: float = 0.95
    """Corrected for how often dev may be looked at in the series."""
    swap_p: float | None = None
    """One-sided p of the swap test."""
    put_right: int = 0
    broken: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class OptimisationStep(Record):
    """One step of a series; it is kept as it happened."""

    round: int
    """From 1; 0 for the prompt that the series began with."""
    stage: OptimisationStage
    state: StepState
    incumbent: str
    """Id of the prompt that was to be beaten."""
    candidate: str = ""
    """Id of the candidate; for one that is not kept no version is made."""
    version: int = 0
    """The candidate's version, should it be kept."""
    template: str = ""
    """Of the candidate; only in the step that proposes it."""
    reason: str = ""
    """Why the proposer proposes it, in one line."""
    why: str = ""
    """Why it was refused, kept or not kept, in one sentence."""
    items: tuple[str, ...] = ()
    """Items (`run/citation`) of the train part that were shown to the proposer."""
    figures: StepFigures | None = None
    cost_usd: float = 0.0
    seconds: float = 0.0
    created_at: datetime | None = None
    """None until it is kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Optimisation(Record):
    """What a series was asked to do; none of it changes while it goes on."""

    id: str
    """`o1`, `o2` and so on."""
    judge: tuple[str, ...]
    """SPECs of who is asked by the prompt."""
    rule: str
    """How a panel decides."""
    prompt: str
    """Id of the prompt that it begins with."""
    name: str
    """Under which improved versions are kept."""
    proposer: str
    """SPEC of who proposes edits."""
    split_id: str
    rounds: int
    """How many proposals there are at most, and so how often dev is looked at."""
    alpha: float
    """The chance, over all rounds, that a candidate that is no better is kept."""
    shown: int
    """How many disagreements the proposer sees at most."""
    screen: bool
    """Whether candidates that are worse on train stay away from dev."""
    seed: int
    max_cost_usd: float | None
    """For everything in the series; None without a cap."""
    created_by: str
    created_at: datetime


def parse_step(record: str) -> OptimisationStep:
    """Return the step in its kept JSON."""
    return OptimisationStep.from_dict(json.loads(record))


def parse_optimisation(record: str) -> Optimisation:
    """Return the series in its kept JSON."""
    return Optimisation.from_dict(json.loads(record))


def _signed(value: float) -> str:
    return f"{value:.3f}".replace("-", "\u2212")


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffLine(Record):
    """One line of either version."""

    kind: Literal["same", "added", "removed", "gap"]
    """`gap` stands for lines that are alike in both and left out."""
    text: str
    old: int | None
    """Its number in the first version, from 1; None for a line that is not in it."""
    new: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptDiff:
    """The second of two versions against the first."""

    first: str
    """Id of the version."""
    second: str
    lines: tuple[DiffLine, ...]
    """Of the templates; with the lines around them, gaps marked."""
    values: tuple[tuple[str, tuple[DiffLine, ...]], ...]
    """The same for each variable whose value changed, by its name."""

    @property
    def added(self) -> int:
        """Lines of the template that are new."""
        return sum(line.kind == "added" for line in self.lines)

    @property
    def removed(self) -> int:
        """Lines of the template that are gone."""
        return sum(line.kind == "removed" for line in self.lines)

    @property
    def same(self) -> bool:
        """Whether nothing changed."""
        return not self.lines and not self.values

    @property
    def text(self) -> str:
        """As a unified diff without line numbers; empty where nothing changed."""
        if self.same:
            return ""
        parts = [f"--- {self.first}", f"+++ {self.second}", *map(_marked, self.lines)]
        for name, lines in self.values:
            parts += [f"@@ {{{{{name}}}}} @@", *map(_marked, lines)]
        return "\n".join(parts)

    def to_dict(self) -> JsonDict:
        """The diff as shown, with its text."""
        return {
            "first": self.first,
            "second": self.second,
            "added": self.added,
            "removed": self.removed,
            "lines": [line.to_dict() for line in self.lines],
            "values": {name: [line.to_dict() for line in lines] for name, lines in self.values},
            "text": self.text,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """One round of a series: what was proposed and what came of it."""

    number: int
    proposal: OptimisationStep
    train: OptimisationStep | None
    dev: OptimisationStep | None
    diff: PromptDiff | None
    """Against the prompt that was to be beaten; None where nothing usable was proposed."""
    cost_usd: float
    seconds: float

    @property
    def state(self) -> str:
        """What came of it: the state of its last step."""
        return (self.dev or self.train or self.proposal).state

    @property
    def why(self) -> str:
        """The sentence that says why."""
        return (self.dev or self.train or self.proposal).why


@dataclass(frozen=True, slots=True, kw_only=True)
class StopReason:
    """Why a series ended, or paused."""

    outcome: StopOutcome
    """`stopped`, `cost_cap` and `failed` can be gone on with."""
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesReport:
    """A series as it stands."""

    series: Optimisation
    begin: tuple[OptimisationStep, ...]
    """The prompt that it began with, on train and on dev."""
    rounds: tuple[Round, ...]
    best: PromptVersion
    """The prompt that stands now; the one it began with where nothing was kept."""
    kept: int
    cost_usd: float
    """What is known of it: answers taken over from earlier are counted at their price."""
    reserved_usd: float
    """Reserved for calls that were cut off, outcome unknown."""
    unpriced_calls: int
    """Calls to models whose price is unknown."""
    looks_before: int
    """How often earlier series looked at dev of the same split."""
    ending: StopReason | None = None
    """None where it is only looked at."""

    @property
    def finished(self) -> bool:
        """Whether all its rounds were run."""
        over = [step for step in self.rounds if step.state not in ("proposed", "passed", "failed")]
        return any(step.state == "exhausted" for step in over) or len(over) >= self.series.rounds


def _marked(line: DiffLine) -> str:
    marks = {"same": " ", "added": "+", "removed": "-", "gap": "@@ … @@"}
    return marks[line.kind] + line.text
