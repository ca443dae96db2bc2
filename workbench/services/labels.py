"""Labels given outside of queues: on the page of a run, where the judge is seen."""

from collections.abc import Sequence

from workbench.errors import NotFoundError
from workbench.records import Label, LabelDecision, normalize_reviewer_name
from workbench.services.cached_views import cached_view
from workbench.services.database import Database
from workbench.store import LabelRepository


def give_label(
    database: Database, run_id: str, citation_id: str, reviewer: str, decision: LabelDecision
) -> Label | None:
    """The label that was added; None where the reviewer's current one says the same.

    Raises:
        UsageError: Evidence lies outside the source's text, or the name cannot be used.
        StoreError: There is no such run, or the database cannot be used.
    """
    return LabelRepository(database).give(run_id, citation_id, reviewer, decision)


def withdraw_label(
    database: Database, run_id: str, citation_id: str, reviewer: str
) -> Label | None:
    """The reviewer's label that was withdrawn; the one it had replaced is current again.

    Raises:
        StoreError: The database cannot be used.
    """
    return LabelRepository(database).withdraw(run_id, citation_id, reviewer)


def submit_label(
    database: Database,
    run_id: str,
    citation_id: str,
    reviewer: str,
    decision: LabelDecision,
    *,
    blind: bool = False,
) -> tuple[Label | None, Label]:
    """The label that was added, None where nothing changed, and the reviewer's current one.

    Raises:
        UsageError: Evidence lies outside the source's text, or the name cannot be used.
        NotFoundError: There is no such run, or no such citation in it.
        StoreError: The database cannot be used.
    """
    reviewer = normalize_reviewer_name(reviewer)
    run = database.get_run(run_id)
    if citation_id not in {result.citation.id for result in run.citations}:
        raise NotFoundError(f"The run {run_id} has no citation {citation_id[:80]!r}.")
    labels = LabelRepository(database)
    added = labels.give(run_id, citation_id, reviewer, decision, blind=blind)
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
        StoreError: The database cannot be used.
    """
    if run_id:
        database.get_summary(run_id)
    return LabelRepository(database).listed(
        run_id=run_id, citation_id=citation_id, reviewer=reviewer, limit=limit, offset=offset
    )


@cached_view(max_age_s=60)
def tags_in_use(database: Database) -> tuple[str, ...]:
    """Tags of the current labels, most used first; up to a minute old.

    Raises:
        StoreError: The database cannot be used.
    """
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
