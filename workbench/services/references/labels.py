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
        UsageError, NotFoundError, StoreError: As `EntryLabelRepository.give`.
    """
    added = EntryLabelRepository(database).give(
        run_id, position, reviewer, decision, reason=reason, note=note
    )
    if added is not None:
        return True, added
    own = EntryLabelRepository(database).listed(run_id, normalize_reviewer_name(reviewer))
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
        UsageError, NotFoundError, StoreError: As `EntryLabelRepository.give`.
    """
    decision = DECISION_OF_REASON[reason]
    return EntryLabelRepository(database).give(
        run_id, position, reviewer, decision, reason=reason, note=note, queue_id=queue_id
    )
