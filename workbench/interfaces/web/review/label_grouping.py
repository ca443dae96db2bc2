"""A reviewer's decisions on the page of a run: given, noted, taken back; each a new entry."""

from collections.abc import Sequence

from workbench.presentation.run_view import ReviewState
from workbench.records import Label, normalize_reviewer_name
from workbench.store import LabelRepository, Store


def split_by_reviewer(
    labels: Sequence[Label], reviewer: str
) -> tuple[dict[str, Label], dict[str, tuple[Label, ...]]]:
    """The reviewer's own label of each citation id, and what others say of it, oldest first.

    Raises:
        UsageError: The reviewer's name cannot be used.
    """
    me = normalize_reviewer_name(reviewer)
    mine: dict[str, Label] = {}
    others: dict[str, tuple[Label, ...]] = {}
    for label in sorted(labels, key=lambda one: one.created_at):
        name = label.citation_id
        if label.reviewer == me and label.role == "review":
            mine[name] = label
        else:
            others[name] = (*others.get(name, ()), label)
    return mine, others


def take_back(store: Store, desk: ReviewState, citation_id: str, reviewer: str) -> bool:
    """Whether the reviewer had a label to take back; the one it had replaced is current again.

    Raises:
        StoreError: The database cannot be used.
    """
    return LabelRepository(store).withdraw(desk.run.id, citation_id, reviewer) is not None
