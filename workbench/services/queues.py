"""Queues of citations to review: made from a filter, listed, closed, reopened."""

from collections.abc import Sequence

from workbench.records.fields import ReviewField
from workbench.records.queue import ItemFilter, Queue, QueueOrder, QueueSummary, ReferenceFilter
from workbench.records.review import Role
from workbench.records.run_listing import FilterFacets
from workbench.services.database import Database
from workbench.store.labels.repository import LabelRepository
from workbench.store.queues.queues import Queues
from workbench.store.runs.items import CitationQuery


def list_queues(database: Database, *, closed: bool = False) -> list[QueueSummary]:
    """The open queues, or with `closed` all, newest first, each with its progress."""
    return Queues(database).list_queues(closed=closed)


def create_queue(
    database: Database,
    name: str,
    chosen: ItemFilter,
    *,
    created_by: str,
    order: QueueOrder = "uncertain_first",
    seed: int = 0,
    blind: bool = False,
    reviews: int = 1,
    reviewers: Sequence[str] = (),
    role: Role = "review",
    limit: int | None = None,
    references: ReferenceFilter | None = None,
    fields: Sequence[ReviewField] = (),
) -> Queue:
    """A new queue of the citations that a filter leaves now.

    Args:
        database: Where it is stored.
        name: What people call it.
        chosen: The filter.
        created_by: Its author.
        order: In which order citations are offered.
        seed: Of the random order.
        blind: Hide the judge and other reviewers until the reviewer has decided.
        reviews: How many reviewers each citation needs.
        reviewers: Who may work on it; empty for everyone.
        role: `adjudication` for a queue whose labels settle the others.
        limit: At most so many citations, from the front of the order.
        references: The filter of a queue of entries of reference lists, in place of citations.
        fields: What it asks beside the label.

    Raises:
        UsageError: No citation fits, a field cannot be asked, or the queue cannot be worked off as planned.
    """
    return Queues(database).build(
        name,
        chosen,
        created_by=created_by,
        order=order,
        seed=seed,
        blind=blind,
        reviews=reviews,
        reviewers=reviewers,
        role=role,
        limit=limit,
        references=references,
        fields=fields,
    )


def count_queue_references(database: Database, chosen: ReferenceFilter) -> int:
    """How many checked entries a filter of references lets through now."""
    return Queues(database).count_references(chosen)


def take_queue(database: Database, queue_id: str, reviewer: str) -> Queue:
    """The queue, assigned by name to a reviewer too: they settle what they labelled themselves.

    Raises:
        UsageError: Each item needs more reviewers than would be assigned.
        StoreError: There is no such queue.
    """
    queues = Queues(database)
    return queues.assign(queue_id, [*queues.get(queue_id).reviewers, reviewer])


def close_queue(database: Database, queue_id: str, reviewer: str) -> None:
    """Take a queue off the list; what was labelled in it stays.

    Raises:
        StoreError: There is no such queue.
    """
    Queues(database).close(queue_id, reviewer)


def reopen_queue(database: Database, queue_id: str, reviewer: str) -> None:
    """Put a closed queue back on the list.

    Raises:
        StoreError: There is no such queue.
    """
    Queues(database).reopen(queue_id, reviewer)


def filter_facets(database: Database, chosen: ItemFilter) -> FilterFacets:
    """What the citations of a filter can be narrowed by, with the number of each."""
    return CitationQuery(database).choices(chosen)


def reviewer_names(database: Database) -> list[str]:
    """Everyone who labelled or was assigned to a queue, in alphabetical order."""
    return LabelRepository(database).reviewers()
