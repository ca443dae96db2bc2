"""Labels and comments that are given outside of queues: on the page of a run."""

from collections.abc import Mapping, Sequence

from workbench.errors import NotFoundError
from workbench.records.comments import CitationComment
from workbench.records.review import Label, LabelDecision
from workbench.records.reviewers import normalize_reviewer_name
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
