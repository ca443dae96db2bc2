"""Labelled examples that judges are measured on, and what is told of them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, NamedTuple, overload

from workbench.errors import ErrorKind
from workbench.records.bibliography import ReferenceStatus, RetractionKind
from workbench.records.citation import Citation, CitationKind, TargetForm
from workbench.records.codec import HIDDEN, Record
from workbench.records.reference_sets import ReferenceExample
from workbench.records.review import EvaluationExample
from workbench.records.source import Source
from workbench.records.verdict import CitationResult, HumanLabel, Judgment, VerdictLabel

SLICES = ("domain", "kind", "source type", "length", "language")
"""Told of every item; a file may have told more of an imported one, or another domain."""
SOURCE_TYPES = (("pdf", "PDF"), ("html", "HTML"))
"""Kinds of source: what stands in the content type, and how the slice names them."""
OTHER_SOURCE_TYPE = "plain text"


def source_type(content_type: str) -> str:
    """The kind of a source by its content type, as the slice of that name tells it."""
    found = (name for mark, name in SOURCE_TYPES if mark in content_type.lower())
    return next(found, OTHER_SOURCE_TYPE)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeKey:
    """Whose verdicts are looked at."""

    specs: tuple[str, ...]
    """One SPEC, or those of a panel."""
    prompt: str = ""
    """Id of the prompt that its language models are asked by; empty for a judge without one."""
    rule: str = "majority"
    """How a panel decides; a single judge has none."""

    @classmethod
    def of(cls, name: str, prompt: str = "") -> "JudgeKey":
        """The judge whose opinions are kept under a name."""
        for rule in JOINT_RULES:
            if name.endswith(f" ({rule})"):
                panel = name.removesuffix(f" ({rule})")
                return cls(specs=tuple(panel.split(" + ")), prompt=prompt, rule=rule)
        return cls(specs=tuple(name.split(" + ")), prompt=prompt)

    @property
    def name(self) -> str:
        """Under which its opinions are kept, beside its prompt."""
        several = len(self.specs) > 1 and self.rule != "majority"
        return " + ".join(self.specs) + (f" ({self.rule})" if several else "")

    @property
    def description(self) -> str:
        """In words; the default prompt is not named."""
        title = self.prompt.partition(":")[0]
        return self.name + (
            f" with {title}" if title and not title.startswith(DEFAULT_PROMPT_PREFIX) else ""
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelFilter:
    """Which labels a judge is measured by; all of them where nothing is named."""

    guides: tuple[int, ...] = ()
    """Only those given with these versions of the labelling guide."""
    data_set: str | None = None
    """Id of an import: only labels on its items; empty for those that were not imported."""
    queue: str | None = None
    """Id of a queue: only labels given in it."""
    run: str | None = None
    """Id of a run: only labels on its items."""
    name: str = ""
    """What reports call the items."""


ALL_LABELS = LabelFilter()


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationSet:
    """The labelled items of some parts that a judge has looked at, and what was left out."""

    items: Sequence[EvaluationExample]
    humans: int
    """People who labelled the items of these parts with a gold label.

    A data set that names no annotator is nobody.
    """
    from_data_sets: int
    """Of these items, those whose labels all came with such a data set."""
    labelled: int
    """Items of these parts, and those in no part, that have a gold label."""
    no_gold_label: int
    """Items of the same that have labels and no gold label: they disagree, nobody adjudicated."""
    unjudged: int
    """Of them, those that the judge has not been asked about."""
    unread: int
    """Of them, those whose source was not available: no judge looked at them."""
    in_no_part: int
    """Items that tie several parts together."""


class CitationOutcome(NamedTuple):
    """One citation: what it is, what the judge says of it, and the label that stands."""

    kind: CitationKind
    form: TargetForm | None
    verdict: VerdictLabel
    score: float | None
    unsure: bool | None
    """Whether the judge is not sure of its verdict; None where it was not told."""
    label: HumanLabel | None


class ReferenceOutcome(NamedTuple):
    """One entry of a reference list: the check's status, and whether its work was retracted."""

    status: ReferenceStatus
    retraction: RetractionKind | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOutcomes:
    """A run that came to its end, and how its citations stand."""

    id: str
    name: str
    output_sha256: str
    created_at: datetime
    stances: Sequence[CitationOutcome]
    references: Sequence[ReferenceOutcome] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceCandidate:
    """A labelled item with a readable source, as it would be frozen now."""

    anchor: ReferenceExample
    domain: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitCandidate:
    """A labelled item with what it has in common with others."""

    run_id: str
    citation_id: str
    question: str
    page: str | None
    """Hash of its source's body; None where it has none."""
    domain: str | None
    part: str | None
    """Where it stands already."""
    placed: bool

    @property
    def item(self) -> str:
        """The item's name in statistics."""
        return f"{self.run_id}/{self.citation_id}"


@dataclass(frozen=True, slots=True, kw_only=True)
class DisagreementCounts:
    """Items whose labels differ."""

    doubly: int
    """Items with the labels of two people or more."""
    differ: int
    """Items with two different labels or more, those that came with a data set among them."""
    settled: int
    """Of these, by an adjudicator."""
    between_people: int = 0
    """Of these, not settled and with different labels of two people."""


ExampleKey = tuple[str, str, int, int]
"""Ids of a run and a citation, which verdict, and the bytes of its source's text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedByReviewer:
    """What a judge says of the items of some parts, beside the label of each single reviewer."""

    reviewers: tuple[tuple[str, Sequence[EvaluationExample]], ...]
    """By name, those with most labels first."""
    majority: Sequence[EvaluationExample]
    """Beside the label that more than half of an item's reviewers gave; without tied items."""
    ties: int
    """Items whose reviewers gave no label more than half of the time."""
    single: int
    """Items of the majority that one reviewer labelled."""


UNKNOWN_GUIDE = -1
"""Stands for labels of which nobody knows by which version of the guide they were given."""


DEFAULT_PROMPT_PREFIX = "strict@"
"""How the ids of the prompt begin that language models are asked by where none is named."""


JOINT_RULES = ("unanimous", "cascade")
"""How a panel may decide besides by majority; named behind its judges."""


Slices = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationColumns(Sequence[EvaluationExample]):
    """A sequence of judged items whose columns are available as they are."""

    items: Sequence[str]
    judges: Sequence[VerdictLabel]
    scores: Sequence[float]
    humans: Sequence[HumanLabel]
    groups: Sequence[str]
    errors: Sequence[str | None]
    slices: Sequence[Slices] = ()
    """Of each item; empty where they were not asked for."""

    def __len__(self) -> int:
        return len(self.items)

    @overload
    def __getitem__(self, at: int) -> EvaluationExample: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[EvaluationExample, ...]: ...

    def __getitem__(self, at: int | slice) -> EvaluationExample | tuple[EvaluationExample, ...]:
        if isinstance(at, slice):
            return tuple(self._example_at(number) for number in range(len(self))[at])
        return self._example_at(range(len(self))[at])

    def __iter__(self) -> Iterator[EvaluationExample]:
        return (self._example_at(number) for number in range(len(self)))

    def _example_at(self, number: int) -> EvaluationExample:
        return EvaluationExample(
            item=self.items[number],
            judge=self.judges[number],
            score=self.scores[number],
            human=self.humans[number],
            group=self.groups[number],
            error=self.errors[number],
            slices=self.slices[number] if self.slices else (),
        )


def to_columns(judged: Sequence[EvaluationExample]) -> EvaluationColumns:
    """The same items by column."""
    if isinstance(judged, EvaluationColumns):
        return judged
    return EvaluationColumns(
        items=[example.item for example in judged],
        judges=[example.judge for example in judged],
        scores=[example.score for example in judged],
        humans=[example.human for example in judged],
        groups=[example.group for example in judged],
        errors=[example.error for example in judged],
        slices=[example.slices for example in judged],
    )


Tie = Literal["question", "page", "domain"]


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
