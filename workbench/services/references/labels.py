"""Reviewers' decisions on the entries of a run's reference list."""

from workbench.records.reference_labels import (
    DECISION_OF_REASON,
    EntryLabel,
    OverrideReason,
    ReferenceDecision,
)
from workbench.records.reviewers import normalize_reviewer_name
from workbench.services.database import Database
from workbench.store.bibliography.labels import EntryLabelRepository


def decide_reference(
    database: Database,
    run_id: str,
    position: int,
    reviewer: str,
    decision: ReferenceDecision,
    *,
    reason: OverrideReason | None = None,
    note: str = "",
    queue_id: str | None = None,
) -> EntryLabel | None:
    """The label that was added; None where the reviewer's current one says the same.

    Raises:
        UsageError: The name cannot be used.
        NotFoundError: There is no such run, or nobody looked that entry up.
    """
    return EntryLabelRepository(database).give(
        run_id, position, reviewer, decision, reason=reason, note=note, queue_id=queue_id
    )


def submit_reference_label(
    database: Database,
    run_id: str,
    position: int,
    reviewer: str,
    decision: ReferenceDecision,
    *,
    reason: OverrideReason | None = None,
    note: str = "",
) -> tuple[bool, EntryLabel]:
    """Whether a label was added, and the reviewer's label that stands now.

    Raises:
        UsageError, NotFoundError, StoreError: As `decide_reference`.
    """
    added = decide_reference(
        database, run_id, position, reviewer, decision, reason=reason, note=note
    )
    if added is not None:
        return True, added
    own = entry_labels(database, run_id, normalize_reviewer_name(reviewer))
    return False, [label for label in own if label.position == position][-1]


def override_reference(
    database: Database,
    run_id: str,
    position: int,
    reviewer: str,
    reason: OverrideReason,
    *,
    note: str = "",
    queue_id: str | None = None,
) -> EntryLabel | None:
    """The label of a reviewer who overrides a check for a reason, which says what is decided.

    Raises:
        UsageError, NotFoundError, StoreError: As `decide_reference`.
    """
    decision = DECISION_OF_REASON[reason]
    return decide_reference(
        database, run_id, position, reviewer, decision, reason=reason, note=note, queue_id=queue_id
    )


def withdraw_decision(
    database: Database, run_id: str, position: int, reviewer: str
) -> EntryLabel | None:
    """The reviewer's label that was withdrawn; the one it had replaced is current again."""
    return EntryLabelRepository(database).withdraw(run_id, position, reviewer)


def entry_labels(
    database: Database, run_id: str | None = None, reviewer: str | None = None
) -> list[EntryLabel]:
    """Current labels of entries, oldest first."""
    return EntryLabelRepository(database).listed(run_id=run_id, reviewer=reviewer)
