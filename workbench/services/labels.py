"""Labels and comments given outside of queues, and what a decision rests on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from workbench.errors import NotFoundError
from workbench.records.comments import CitationComment
from workbench.records.review import Fault, Label, LabelDecision
from workbench.records.reviewers import normalize_reviewer_name
from workbench.records.source import Source
from workbench.records.text import Span
from workbench.records.verdict import CitationResult, Evidence, HumanLabel
from workbench.services.cached_views import cached_view
from workbench.services.database import Database
from workbench.store.labels.repository import CommentRepository, LabelRepository
from workbench.store.queues.queues import Queues
from workbench.store.queues.review_tasks import ReviewTaskService


def newest_label(own_labels: Mapping[str, Label]) -> Label | None:
    """The label that an undo takes back: the newest that was given outside of queues, if any.

    `own_labels` are a reviewer's current labels in a run by citation id.
    """
    given_here = [label for label in own_labels.values() if label.queue_id is None]
    return max(given_here, key=lambda label: (label.created_at, label.id), default=None)


def submit_label(
    database: Database,
    run_id: str,
    citation_id: str,
    reviewer: str,
    decision: LabelDecision,
    *,
    blind: bool = False,
    queue_id: str | None = None,
) -> tuple[Label | None, Label]:
    """The label that was added, None where nothing changed, and the reviewer's current one.

    With `queue_id` the label counts as given in that queue, whose fields it has to answer; whether
    the judge was seen is then as the queue shows it.

    Raises:
        UsageError: Evidence lies outside the source's text, the name cannot be used, the queue does
            not contain the citation or is not the reviewer's, or an answer does not fit its field.
        NotFoundError: There is no such run, or no such citation in it.
    """
    reviewer = normalize_reviewer_name(reviewer)
    run = database.get_run(run_id)
    if citation_id not in {result.citation.id for result in run.citations}:
        raise NotFoundError(f"The run {run_id} has no citation {citation_id[:80]!r}.")
    labels = LabelRepository(database)
    added = (
        ReviewTaskService(database).label_item(queue_id, reviewer, run_id, citation_id, decision)
        if queue_id
        else labels.give(run_id, citation_id, reviewer, decision, blind=blind)
    )
    current = labels.listed(run_id=run_id, citation_id=citation_id, reviewer=reviewer)
    return added, added or current[-1]


def list_labels(
    database: Database,
    *,
    run_id: str | None = None,
    citation_id: str | None = None,
    reviewer: str | None = None,
    limit: int = 100,
    offset: int = 0,
) -> list[Label]:
    """Current labels, oldest first: of all runs, or of what is named, some at a time.

    Raises:
        NotFoundError: There is no such run.
    """
    if run_id:
        database.get_summary(run_id)
    return LabelRepository(database).listed(
        run_id=run_id, citation_id=citation_id, reviewer=reviewer, limit=limit, offset=offset
    )


def answered_questions(
    database: Database, labels: Sequence[Label]
) -> Mapping[tuple[str, str], str]:
    """The question behind each answer of some labels, by queue and field."""
    if not any(label.answers for label in labels):
        return {}
    return Queues(database).questions(labels)


@cached_view(max_age_s=60)
def tags_in_use(database: Database) -> tuple[str, ...]:
    """Tags of the current labels, most used first; up to a minute old."""
    return tuple(LabelRepository(database).tags())


def split_by_reviewer(
    labels: Sequence[Label], reviewer: str
) -> tuple[dict[str, Label], dict[str, tuple[Label, ...]]]:
    """The reviewer's own label of each citation id, and the labels of others, oldest first.

    Raises:
        UsageError: The reviewer's name cannot be used.
    """
    reviewer = normalize_reviewer_name(reviewer)
    own_labels: dict[str, Label] = {}
    others: dict[str, tuple[Label, ...]] = {}
    for label in sorted(labels, key=lambda label: label.created_at):
        citation_id = label.citation_id
        if label.reviewer == reviewer and label.role == "review":
            own_labels[citation_id] = label
        else:
            others[citation_id] = (*others.get(citation_id, ()), label)
    return own_labels, others


def list_comments(
    database: Database,
    *,
    run_id: str | None = None,
    citation_id: str | None = None,
    limit: int | None = None,
    offset: int = 0,
) -> list[CitationComment]:
    """Comments, oldest first: of all runs, or of what is named, some at a time.

    Raises:
        NotFoundError: There is no such run.
    """
    if run_id:
        database.get_summary(run_id)
    return CommentRepository(database).listed(
        run_id=run_id, citation_id=citation_id, limit=limit, offset=offset
    )


def comments_of_run(database: Database, run_id: str) -> dict[str, tuple[CitationComment, ...]]:
    """The comments on each citation of a run, oldest first; one query."""
    by_citation: dict[str, tuple[CitationComment, ...]] = {}
    for comment in CommentRepository(database).listed(run_id=run_id):
        by_citation[comment.citation_id] = (*by_citation.get(comment.citation_id, ()), comment)
    return by_citation


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionDetails:
    """Own evidence, the judge's wrong quotes, the fault, tags."""

    evidence: tuple[Span, ...] = ()
    """In the text of the item's source, in text order, not overlapping."""
    wrong_evidence: tuple[Span, ...] = ()
    """Spans of the judge's own evidence."""
    fault: Fault | None = None
    tags: tuple[str, ...] = ()

    def with_piece(self, span: Span) -> "DecisionDetails":
        """With one more piece of evidence; adjacent or overlapping pieces are merged."""
        separate = [
            piece for piece in self.evidence if piece.end < span.start or piece.start > span.end
        ]
        joined = [piece for piece in self.evidence if piece not in separate]
        start = min([span.start, *(piece.start for piece in joined)])
        end = max([span.end, *(piece.end for piece in joined)])
        return replace(self, evidence=tuple(sorted([*separate, Span(start, end)])))

    def without_piece(self, span: Span) -> "DecisionDetails":
        """Without one piece of evidence; unchanged if there is no such piece."""
        return replace(self, evidence=tuple(piece for piece in self.evidence if piece != span))

    def with_wrong(self, span: Span, wrong: bool) -> "DecisionDetails":
        """With a quote of the judge marked as wrong or not."""
        others = tuple(quote for quote in self.wrong_evidence if quote != span)
        return replace(self, wrong_evidence=tuple(sorted((*others, span))) if wrong else others)

    def decision(
        self, label: HumanLabel, note: str = "", label_id: str | None = None
    ) -> LabelDecision:
        """The details with a label and a note, ready to be stored."""
        return LabelDecision(
            label=label,
            note=note,
            evidence=self.evidence,
            wrong_evidence=self.wrong_evidence,
            fault=self.fault,
            tags=self.tags,
            id=label_id,
        )


def details_of_label(
    label: Label | None, result: CitationResult, source: Source | None
) -> DecisionDetails:
    """The details of a label, as far as they still fit the item.

    Evidence whose words are no longer at its place, and marks on quotes that the judge no longer
    gives, belong to an earlier verdict: they stay with the label in its history.
    """
    if label is None:
        return DecisionDetails()
    judged = {evidence.span for evidence in result.judgment.evidence} if result.judgment else set()
    return DecisionDetails(
        evidence=tuple(piece.span for piece in fitting(label.evidence, source)),
        wrong_evidence=tuple(span for span in label.wrong_evidence if span in judged),
        fault=label.fault,
        tags=label.tags,
    )


def fitting(evidence: Sequence[Evidence], source: Source | None) -> tuple[Evidence, ...]:
    """The pieces whose words are at their place in the source's text, in text order."""
    if source is None or not source.text:
        return ()
    pieces = [
        piece for piece in evidence if piece.quote and piece.span.of(source.text) == piece.quote
    ]
    return tuple(sorted(pieces, key=lambda piece: piece.span))
