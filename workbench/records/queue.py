"""Work laid out for reviewers: which items, in which order, for whom, and how far they are."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Literal, get_args

from workbench.errors import ErrorKind
from workbench.records.bibliography import REFERENCE_STATUSES, ReferenceCheck, ReferenceStatus
from workbench.records.citation import (
    CitationKind,
    Reference,
    Sentence,
    SentenceCorrection,
    SentenceSuggestion,
)
from workbench.records.comments import CitationComment
from workbench.records.fields import ReviewField
from workbench.records.reference_labels import EntryLabel
from workbench.records.review import Fault, Label, Role
from workbench.records.source import Source
from workbench.records.text import Json, JsonDict, Span
from workbench.records.verdict import CitationResult, HumanLabel, VerdictLabel

QueueItemKind = Literal["citations", "references", "sentences"]
QueueOrder = Literal["uncertain_first", "random", "document"]
QUEUE_ORDERS: tuple[QueueOrder, ...] = get_args(QueueOrder)


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemFilter:
    """Which citations of which runs; every condition that is set must hold."""

    runs: tuple[str, ...] = ()
    """Of these runs; empty for all, as everywhere here."""
    kinds: tuple[CitationKind, ...] = ()
    """Without them quotes and statistics are left out: another marker cites for them."""
    verdicts: tuple[VerdictLabel, ...] = ()
    error_kinds: tuple[ErrorKind, ...] = ()
    hosts: tuple[str, ...] = ()
    """Of the source; `*.example.org` is that host and all below it, `""` is none at all."""
    words: str = ""
    """All of them stand in the claim or the rationale."""
    reviewed: bool | None = None
    """Whether there is a current human label."""
    confidence_below: float | None = None
    """The judge's confidence in its label, 0 to 1."""
    near: float | None = None
    """A threshold on P(supported); the score is within `band` of it."""
    band: float = 0.1
    judges_differ: bool = False
    """Two judges of a panel gave different labels."""
    judge_differs: bool = False
    """A current human label is another than the judge's."""
    reviewers_differ: bool = False
    """Two reviewers gave different labels, and no adjudicator has decided."""
    own_labels: bool = False
    """Labels that came in files count in no condition on labels."""
    labels: tuple[HumanLabel, ...] = ()
    reviewers: tuple[str, ...] = ()
    faults: tuple[Fault, ...] = ()
    tags: tuple[str, ...] = ()
    imported: bool | None = None
    """Whether it came in a data set that was imported."""
    examples: bool | None = None
    """Whether it belongs to the example workspace of the first start."""
    adjudicated: bool | None = None
    """Whether an adjudicator has decided."""
    queue: str = ""
    """Of this queue."""
    said: tuple[str, ...] = ()
    """`first|LABEL|REVIEWER` is what a reviewer said first, `now|…` what they say now; all hold.
    Only labels that were given in `queue`, from `labelled_from` and before `labelled_before`."""
    labelled_from: str = ""
    """A label that was not taken back was given at or after this moment, ISO 8601; by one of
    `reviewers` where they are named."""
    labelled_before: str = ""
    """… and before this one."""
    gold: tuple[HumanLabel, ...] = ()
    """The label that stands for the item, whoever gave others."""
    split: str = ""
    """Id of a split of the labelled items; the item stands in one of its `parts`."""
    parts: tuple[str, ...] = ()
    """Of `split`."""
    judge: str = ""
    """SPEC of a judge: verdicts and scores are what it said, in its runs or when it was asked about
    labelled items; items that it has not looked at are left out."""
    prompt: str = ""
    """Id of that judge's prompt."""

    @property
    def reveals_verdict(self) -> bool:
        """Whether being among its citations gives away what the judge said."""
        return bool(self.verdicts) or self.judge_differs

    def to_dict(self) -> JsonDict:
        """Only the conditions that are set, so that a filter fits an address."""
        return _set_conditions(self)


def _set_conditions(chosen: "ItemFilter | ReferenceFilter | SentenceFilter") -> JsonDict:
    blank = type(chosen)()
    conditions: JsonDict = {}
    for condition in fields(chosen):
        value = getattr(chosen, condition.name)
        if value != getattr(blank, condition.name):
            conditions[condition.name] = list(value) if isinstance(value, tuple) else value
    return conditions


def parse_filter(raw: Mapping[str, Json]) -> ItemFilter:
    """A filter from its JSON; what this version does not know is refused.

    Raises:
        ValueError: A condition is unknown or of another type.
    """
    blank = ItemFilter()
    conditions: dict[str, object] = {}
    names = {condition.name for condition in fields(ItemFilter)}
    for name, value in raw.items():
        if name not in names:
            raise ValueError(f"{name!r} is not a filter condition")
        usual = getattr(blank, name)
        if isinstance(usual, tuple):
            if not isinstance(value, list | tuple) or not all(isinstance(v, str) for v in value):
                raise ValueError(f"{name!r} is a list of words, not {value!r}")
            if name == "said" and not all(_is_saying(str(saying)) for saying in value):
                raise ValueError(f"{name!r} holds first|LABEL|REVIEWER, not {value!r}")
            conditions[name] = tuple(value)
        elif isinstance(usual, float) or name in ("confidence_below", "near"):
            if not isinstance(value, int | float) or isinstance(value, bool):
                raise ValueError(f"{name!r} is a number, not {value!r}")
            conditions[name] = float(value)
        elif isinstance(usual, str) != isinstance(value, str) or not isinstance(value, bool | str):
            raise ValueError(f"{name!r} cannot be {value!r}")
        elif name in _MOMENTS and not _is_moment(str(value)):
            raise ValueError(f"{name!r} is a moment like 2026-03-01T00:00:00+00:00, not {value!r}")
        else:
            conditions[name] = value
    return ItemFilter(**conditions)  # type: ignore[arg-type]  # each was checked against its default


_MOMENTS = ("labelled_from", "labelled_before")


def _is_saying(value: str) -> bool:
    return value.startswith(("first|", "now|")) and value.count("|") >= 2


def _is_moment(value: str) -> bool:
    try:
        return not value or datetime.fromisoformat(value).tzinfo is not None
    except ValueError:
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceFilter:
    """Which checked entries of reference lists; every condition that is set must hold."""

    runs: tuple[str, ...] = ()
    """Of these runs; empty for all."""
    statuses: tuple[ReferenceStatus, ...] = ()
    retracted: bool = False
    """Only works that were retracted."""
    labelled: bool | None = None
    """Whether there is a current label."""
    reviewers_differ: bool = False
    """Two reviewers decided differently, and no adjudicator has decided."""
    examples: bool | None = None
    """Whether the run is one of the examples."""

    @property
    def reveals_finding(self) -> bool:
        """Whether being among its entries gives away what the check found."""
        return bool(self.statuses) or self.retracted

    def to_dict(self) -> JsonDict:
        """Only the conditions that are set."""
        return _set_conditions(self)


def parse_reference_filter(raw: Mapping[str, Json]) -> ReferenceFilter:
    """A filter of references from its JSON; what this version does not know is refused.

    Raises:
        ValueError: A condition is unknown or of another type.
    """
    names = {condition.name for condition in fields(ReferenceFilter)}
    for name, value in raw.items():
        if name not in names:
            raise ValueError(f"{name!r} is not a filter condition for references")
        if name in ("retracted", "labelled", "reviewers_differ", "examples"):
            if not isinstance(value, bool):
                raise ValueError(f"{name!r} is true or false, not {value!r}")
        elif not isinstance(value, list | tuple) or not all(isinstance(v, str) for v in value):
            raise ValueError(f"{name!r} is a list of words, not {value!r}")
        elif name == "statuses" and not set(value) <= set(REFERENCE_STATUSES):
            raise ValueError(f"{name!r} holds {', '.join(REFERENCE_STATUSES)}, not {value!r}")
    conditions = {
        name: tuple(value) if isinstance(value, list) else value for name, value in raw.items()
    }
    return ReferenceFilter(**conditions)  # type: ignore[arg-type]  # each was checked above


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceFilter:
    """Which sentences: those that need a citation and have none, as they count now."""

    runs: tuple[str, ...] = ()
    """Of these runs; empty for all."""
    examples: bool | None = None
    """Whether the run is one of the examples."""

    def to_dict(self) -> JsonDict:
        """Only the conditions that are set."""
        return _set_conditions(self)


def parse_sentence_filter(raw: Mapping[str, Json]) -> SentenceFilter:
    """A filter of sentences from its JSON."""
    runs, examples = raw.get("runs"), raw.get("examples")
    return SentenceFilter(
        runs=tuple(map(str, runs)) if isinstance(runs, list) else (),
        examples=examples if isinstance(examples, bool) else None,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationListItem:
    """One citation in a list, with what a line about it shows."""

    run_id: str
    citation_id: str
    name: str
    """Of the output."""
    kind: CitationKind
    raw: str
    claim: str
    verdict: VerdictLabel
    confidence: float | None
    score: float | None
    error_kind: ErrorKind | None
    host: str | None
    labels: tuple[HumanLabel, ...]
    """The different labels it has now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """A list of items that was drawn up once, and how it is to be worked on."""

    id: str
    name: str
    filter: ItemFilter
    order: QueueOrder
    seed: int
    """Of the random order."""
    blind: bool
    """The judge and the other reviewers are hidden until the reviewer has decided."""
    reviews: int
    """How many reviewers each item needs."""
    reviewers: tuple[str, ...]
    """Who may work on it; empty for anybody."""
    role: Role
    created_by: str
    created_at: datetime
    open: bool = True
    references: ReferenceFilter | None = None
    """The filter of a queue of entries of reference lists; None where its items are citations."""
    sentences: SentenceFilter | None = None
    """The filter of a queue of sentences without a citation; None for other items."""
    fields: tuple[ReviewField, ...] = ()
    """What it asks beside the label."""

    @property
    def item_kind(self) -> QueueItemKind:
        """What its items are."""
        if self.sentences is not None:
            return "sentences"
        return "citations" if self.references is None else "references"

    def admits(self, reviewer: str) -> bool:
        """Whether a reviewer may work on it."""
        return not self.reviewers or reviewer in self.reviewers


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueProgress:
    """How far a queue is, for one reviewer and for all."""

    items: int
    done: int
    """Items that have all the reviews they need."""
    reviews_given: int
    """Reviews given, at most as many for an item as it needs."""
    reviews_needed: int
    """Reviews needed in all."""
    assigned: int
    """Items that others have open."""
    own_reviews: int
    skipped: int
    """By this reviewer, and still undecided by them."""
    available: int
    """Items that are free for this reviewer now, skipped ones left out."""
    barred: int = 0
    """Items to settle that this reviewer labelled: somebody else settles them, unless the queue is
    assigned to this reviewer by name."""
    recent_s: tuple[float, ...] = ()
    """What the newest decisions took, newest first: this reviewer's, or else anybody's."""

    @property
    def share(self) -> float:
        """The part of the wanted reviews that is given, 0 to 1."""
        return self.reviews_given / self.reviews_needed if self.reviews_needed else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueSummary:
    """One line of the list of queues."""

    queue: Queue
    items: int
    done: int
    reviews_given: int
    reviews_needed: int
    at_work: tuple[str, ...]
    """Who has an item open now."""
    last_at: datetime | None
    """When the newest label was given."""
    recent_s: tuple[float, ...] = ()
    """What its newest labels took, newest first."""

    @property
    def share(self) -> float:
        """The part of the wanted reviews that is given, 0 to 1."""
        return self.reviews_given / self.reviews_needed if self.reviews_needed else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueItem:
    """One place of a queue."""

    queue_id: str
    position: int
    """Counted from 0, in the queue's order."""
    run_id: str
    citation_id: str
    """Of an entry of a reference list `reference:POSITION`, of a sentence `sentence:START-END`."""

    @property
    def entry_position(self) -> int | None:
        """The entry's index in its run's references; None for a citation."""
        head, _, position = self.citation_id.partition(":")
        return int(position) if head == "reference" and position.isdecimal() else None

    @property
    def sentence(self) -> Span | None:
        """The place of a sentence in its run's text; None for other items."""
        head, _, place = self.citation_id.partition(":")
        start, _, end = place.partition("-")
        return Span(int(start), int(end)) if head == "sentence" else None


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceTask:
    """A sentence without a citation as a reviewer sees it in a queue."""

    sentence: Sentence
    """With the kind that counts now."""
    suggestion: SentenceSuggestion | None = None
    """What a source of the run says of it, where nobody decided on that."""
    cited: str = ""
    """The citation of that source as the text has it."""
    mine: SentenceCorrection | None = None
    """What the reviewer said of it in this queue."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceTask:
    """An entry of a reference list as a reviewer sees it in a queue."""

    check: ReferenceCheck
    """While the finding is hidden, as if nobody had looked the entry up."""
    mine: EntryLabel | None = None
    """The reviewer's current label."""
    others: tuple[EntryLabel, ...] = ()
    """The other reviewers' current labels; none while they are hidden."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewTask:
    """What a reviewer has before them: an item and all that they may see of it."""

    queue: Queue
    reviewer: str
    progress: QueueProgress
    item: QueueItem | None = None
    """None when nothing is left for this reviewer."""
    name: str = ""
    """Of the output."""
    output_sha256: str = ""
    text: str = ""
    """The output, exactly as given."""
    imported: bool = False
    """Whether the output only lists imported claims, which have nothing to do with each other."""
    references: tuple[Reference, ...] = ()
    """The entries of the output's list of references."""
    result: CitationResult | None = None
    """While the judge is hidden, as if it had not been judged."""
    source: Source | None = None
    """With its text."""
    judge_hidden: bool = False
    mine: Label | None = None
    """The reviewer's current label."""
    others: tuple[Label, ...] = field(default=())
    """The other reviewers' current labels; none while they are hidden."""
    questions: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """What the others' answers are to, by queue and field."""
    comments: tuple[CitationComment, ...] = ()
    """On the citation, oldest first; only the reviewer's own while others are hidden."""
    given: Label | None = None
    """The label that was given on the way here."""
    given_entry: EntryLabel | None = None
    """… of an entry."""
    sentence: SentenceTask | None = None
    """What there is to see of a sentence, in place of `result` and labels."""
    reference: ReferenceTask | None = None
    """What there is to see of an entry of a reference list, in place of `result` and labels."""

    @property
    def own_label(self) -> Label | None:
        """The reviewer's label; in a blind queue only the one that they gave in it."""
        elsewhere = self.mine and self.queue.blind and self.mine.queue_id != self.queue.id
        return None if elsewhere else self.mine
