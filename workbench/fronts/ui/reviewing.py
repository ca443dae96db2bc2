"""A reviewer's decisions: given, noted, taken back; each is a new label in the store."""

import uuid
from datetime import UTC, datetime

from workbench.fronts.ui.desk import Desk
from workbench.records import HumanLabel, Label
from workbench.store import Store


def decide(
    store: Store, desk: Desk, citation_id: str, label: HumanLabel, reviewer: str, note: str = ""
) -> Label | None:
    """The label that was added; None where the same decision with the same note stands already.

    Raises:
        StoreError: The database cannot be used.
    """
    before = desk.labels.get(citation_id)
    said = note.strip()
    if before and (before.label, before.note, before.reviewer) == (label, said, reviewer):
        return None
    given = Label(
        id=str(uuid.uuid4()),
        run_id=desk.run.id,
        citation_id=citation_id,
        label=label,
        reviewer=reviewer,
        created_at=datetime.now(UTC),
        note=said,
        replaces=before.id if before else None,
        judge_label=desk.results[citation_id].verdict,
    )
    store.add_label(given)
    return given


def take_back(store: Store, desk: Desk, citation_id: str, reviewer: str) -> bool:
    """Whether there was a label to take back; the one it had replaced is current again.

    Raises:
        StoreError: The database cannot be used.
    """
    label = desk.labels.get(citation_id)
    if label is None:
        return False
    store.withdraw_label(label.id, reviewer)
    return True
