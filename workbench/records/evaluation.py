"""Labelled examples that judges are measured on, and what is told of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from workbench.records.bibliography import ReferenceStatus, RetractionKind
from workbench.records.citation import CitationKind, TargetForm
from workbench.records.reference_sets import ReferenceExample
from workbench.records.review import EvaluationExample
from workbench.records.verdict import HumanLabel, VerdictLabel

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
