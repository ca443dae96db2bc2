"""Labels given outside of queues: on the page of a run, where the judge is seen."""

from collections.abc import Sequence

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
    return LabelRepository(database).take_back(run_id, citation_id, reviewer)


@cached_view(max_age_s=60)
def tags_in_use(database: Database) -> tuple[str, ...]:
    """Tags of the labels that stand, most used first; up to a minute old.

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
    own: dict[str, Label] = {}
    others: dict[str, tuple[Label, ...]] = {}
    for label in sorted(labels, key=lambda label: label.created_at):
        citation_id = label.citation_id
        if label.reviewer == reviewer and label.role == "review":
            own[citation_id] = label
        else:
            others[citation_id] = (*others.get(citation_id, ()), label)
    return own, others
