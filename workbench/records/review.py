"""What people decided: labels, the guide they followed, claims they corrected, what was erased."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol, TypeVar, get_args

from workbench.records.citation import ScopeKind
from workbench.records.codec import Record
from workbench.records.fields import AnswerValue, FieldAnswer
from workbench.records.notebook_display import NotebookDisplayMixin
from workbench.records.text import JsonDict, Span, Spanned, format_iso8601
from workbench.records.verdict import (
    CitationResult,
    Evidence,
    HumanLabel,
    Judgment,
    VerdictLabel,
)

Role = Literal["review", "adjudication"]
Fault = Literal[
    "extraction",
    "linking",
    "fetch",
    "text_extraction",
    "claim_split",
    "passage_choice",
    "judge",
]
FAULTS: tuple[Fault, ...] = get_args(Fault)
"""Where in the chain a wrong verdict went wrong, first place first."""
ErasureReason = Literal["personal_data", "copyright", "mistake", "other"]
ERASURE_REASONS: tuple[ErasureReason, ...] = get_args(ErasureReason)
"""A closed set: a free reason could hold the very content that is to go."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Label(NotebookDisplayMixin, Record):
    """A human decision on one citation of a run; a later one may replace it, none is changed."""

    id: str
    run_id: str
    citation_id: str
    label: HumanLabel
    reviewer: str
    created_at: datetime
    note: str = ""
    replaces: str | None = None
    """Id of the label this one replaces."""
    judge_label: VerdictLabel | None = None
    """The verdict that the reviewer saw when deciding; None when none was shown."""
    role: Role = "review"
    saw_judge: bool | None = None
    """Whether the judge's verdict was shown before the decision; None where nobody recorded it."""
    verdict_version: int | None = None
    """Which of the citation's verdicts was the current one, counted from 1."""
    evidence: tuple[Evidence, ...] = ()
    """Chosen by hand; spans are in the text of that verdict's source."""
    wrong_evidence: tuple[Span, ...] = ()
    """Spans of the judge's evidence that the reviewer rejects."""
    fault: Fault | None = None
    """Where the chain failed, when the reviewer said so."""
    tags: tuple[str, ...] = ()
    guide: int | None = None
    """Version of the label guide that was current, 0 for the guide as shipped; None: not known."""
    queue_id: str | None = None
    seconds: float | None = None
    """From the item's opening to the decision; None where nobody measured it."""
    by_person: bool = True
    """False for a label that a data set came with and whose annotator it does not name; `reviewer`
    then names the data set."""
    answers: tuple[FieldAnswer, ...] = ()
    """To the fields of queues, each with the queue that asked."""

    def answers_to(self, queue_id: str) -> dict[str, AnswerValue]:
        """What it answers to the fields of one queue, by field."""
        return {answer.name: answer.value for answer in self.answers if answer.queue_id == queue_id}

    @property
    def author(self) -> str:
        """Who gave it, in words: the reviewer, or the data set where that names no annotator."""
        return self.reviewer if self.by_person else "the data set"


@dataclass(frozen=True, slots=True, kw_only=True)
class BulkLabels:
    """What one decision on several citations came to."""

    added: tuple[Label, ...]
    unchanged: tuple[tuple[str, str], ...]
    """Run and citation ids that the reviewer had already given this label; nothing was added."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelDecision:
    """What a reviewer says of an item, before the store makes it a label."""

    label: HumanLabel
    note: str = ""
    evidence: tuple[Span, ...] = ()
    """Selected in the text of the item's source."""
    wrong_evidence: tuple[Span, ...] = ()
    fault: Fault | None = None
    tags: tuple[str, ...] = ()
    id: str | None = None
    """The label's id; the same one sent twice is kept once. Made up when None."""
    answers: Mapping[str, object] | None = None
    """To the queue's fields, by field, as they were sent; None where nothing is said of them, and
    the answers of the label that this one replaces stay."""


class Decided(Protocol):
    """A label of any kind of item: whether it settles the others."""

    @property
    def role(self) -> Role:
        """`adjudication` for one that does."""


_Decision = TypeVar("_Decision", bound=Decided)
_Name = TypeVar("_Name", bound=str)


def resolve_gold_label(labels: Sequence[Label]) -> Label | None:
    """The label that stands for an item among its current ones, given oldest first.

    That is the newest adjudicated one; without one, the newest of those that more than half of the
    reviewers gave; None when no label has more than half.
    """
    return resolve_decision(labels, lambda label: label.label)


def resolve_decision(
    labels: Sequence[_Decision], name_of: Callable[[_Decision], str]
) -> _Decision | None:
    """As `resolve_gold_label`, of labels of any kind; `name_of` says what one decides."""
    settled = [label for label in labels if label.role == "adjudication"]
    if settled:
        return settled[-1]
    winner = majority_label([name_of(label) for label in labels])
    return next((label for label in reversed(labels) if name_of(label) == winner), None)


def active_labels(labels: Iterable[Label]) -> dict[str, Label]:
    """The label that counts for each citation id: what pages mark it with and evaluation goes by.

    That is the gold label (`resolve_gold_label`, of the newest label of each reviewer). Where they
    differ and nobody settled it there is none to evaluate by; then the newest one is shown.
    """
    newest: dict[str, dict[tuple[str, Role], Label]] = {}
    for label in sorted(labels, key=lambda label: label.created_at):
        of_citation = newest.setdefault(label.citation_id, {})
        # inserted again, so that they are ordered oldest first
        of_citation.pop((label.reviewer, label.role), None)
        of_citation[label.reviewer, label.role] = label
    ordered = {citation_id: list(by_author.values()) for citation_id, by_author in newest.items()}
    return {
        citation_id: resolve_gold_label(current) or current[-1]
        for citation_id, current in ordered.items()
    }


def majority_label(labels: Sequence[_Name]) -> _Name | None:
    """The label that is more than half of these; None where none is."""
    winner, number = next(iter(Counter(labels).most_common(1)), (None, 0))
    return winner if 2 * number > len(labels) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledCitation:
    """One row of an export: a citation's result in its run, and what people said of it."""

    run_id: str
    name: str
    """The name of the output."""
    output_sha256: str
    created_at: datetime
    result: CitationResult
    labels: tuple[Label, ...] = ()
    """Current labels, oldest first, an adjudicated one last."""
    beside: tuple[Judgment, ...] = ()
    """What chats (`handoff:NAME`) said of it beside the run's own judge."""

    @property
    def gold(self) -> Label | None:
        """The label that stands for the item; None without labels or while they are at odds."""
        return resolve_gold_label(self.labels)

    def to_dict(self) -> JsonDict:
        """The row as one JSON object: the result's own keys, its run, `label` and `labels`."""
        standing = self.gold
        return {
            "run_id": self.run_id,
            "name": self.name,
            "output_sha256": self.output_sha256,
            "created_at": format_iso8601(self.created_at),
            **self.result.to_dict(),
            "label": standing.label if standing else None,
            "labels": [label.to_dict() for label in self.labels],
            **({"beside": [judgment.to_dict() for judgment in self.beside]} if self.beside else {}),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Rating:
    """One person's word on one item, as agreement is computed from it."""

    item: str
    rater: str
    label: str
    group: str = ""
    """What items have in common that makes them dependent: the output they stand in."""
    evidence: tuple[Span, ...] = ()
    """Chosen by hand; comparable where `text` is the same."""
    text: str | None = None
    """Hash of the text that the evidence is in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationExample:
    """An item that a judge and people have both looked at, as calibration counts it."""

    item: str
    judge: VerdictLabel
    score: float
    """The judge's P(supported), 0 to 1; 0 where it gave no verdict."""
    human: HumanLabel
    """The label that stands."""
    group: str
    """What items have in common that makes them dependent."""
    slices: tuple[tuple[str, str], ...] = ()
    """Name and value of what figures can be told apart by: domain, kind, language …"""
    error: str | None = None
    """The reason code where the judge gave no verdict."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BlindDecision:
    """A reviewer's decision before the judge was shown to them, and what became of it after."""

    item: str
    rater: str
    group: str
    judge: VerdictLabel
    """What the judge said when the reviewer decided."""
    first: HumanLabel
    after: HumanLabel | None
    """The label that stands now that the judge was shown; None while it was not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotationGuideline:
    """One version of the text that tells reviewers what each label means."""

    version: int
    """Counted from 1."""
    body: str
    author: str
    note: str
    """What changed, in the author's words."""
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimSpanCorrection(Spanned):
    """A reviewer's boundaries or words for a citation's claim; a later one takes its place."""

    id: str
    run_id: str
    citation_id: str
    span: Span
    """In the output's text."""
    reviewer: str
    created_at: datetime
    wording: str | None = None
    """The claim as it stands alone, in the reviewer's words; None where the text's words stand."""
    scope: ScopeKind | None = None
    """How much of the text the citation stands for; None where it is the span alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Erasure(Record):
    """The trace of an output that was deleted: when, by whom, how much, and none of its content."""

    id: str
    reviewer: str
    reason: ErasureReason
    created_at: datetime
    run_ids: tuple[str, ...]
    """Random, so they tell nothing of the content; a link to one of them can be explained."""
    verdicts: int
    labels: int
    sources: int
    """Source texts that nothing else leaned on."""
