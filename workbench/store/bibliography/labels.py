"""What people decided about the entries of runs; rows are only inserted."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import TYPE_CHECKING

from workbench.errors import NotFoundError
from workbench.records.reference_labels import (
    EntryLabel,
    EntryLabelDecision,
    OverrideReason,
    ReferenceDecision,
)
from workbench.records.review import Role
from workbench.records.reviewers import normalize_reviewer_name
from workbench.records.text import replace_surrogates
from workbench.store.bibliography.checks import read_checks
from workbench.store.row_mapping import ensure_not_erased
from workbench.store.rows import insert_record, read_records, where_of
from workbench.store.store import Repository

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_LABEL_COLUMNS = ", ".join(field.name for field in fields(EntryLabel))


class EntryLabelRepository(Repository):
    """Reviewers' decisions on entries; a later one may replace an earlier one."""

    def add(self, label: EntryLabel) -> None:
        """Keep a label as it is, once.

        Raises:
            StoreError: The run's output was erased.
        """
        with self._store.transaction() as connection:
            ensure_not_erased(connection, label.run_id)
            insert_entry_label(connection, label)

    def give(
        self,
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
            NotFoundError: There is no such run, or nobody looked that entry up.
        """
        seat = EntrySeat(reviewer=normalize_reviewer_name(reviewer), queue_id=queue_id)
        said = EntryLabelDecision(decision=decision, reason=reason, note=note)
        with self._store.transaction() as connection:
            ensure_not_erased(connection, run_id)
            return add_decision(connection, run_id, position, said, seat, self._now())

    def withdraw(self, run_id: str, position: int, reviewer: str) -> EntryLabel | None:
        """The reviewer's current label, taken back; the one it had replaced is current again."""
        reviewer = normalize_reviewer_name(reviewer)
        with self._store.transaction() as connection:
            own = read_entry_labels(
                connection, "current_reference_labels where run_id = ? and position = ? and "
                "reviewer = ?", [run_id, position, reviewer],
            )  # fmt: skip
            if not own:
                return None
            connection.execute(
                "insert into reference_label_withdrawals values (?, ?, ?)",
                [own[-1].id, reviewer, self._now()],
            )
        return own[-1]

    def listed(self, run_id: str | None = None, reviewer: str | None = None) -> list[EntryLabel]:
        """Current labels, oldest first, of all runs or of one."""
        where, values = where_of(run_id=run_id, reviewer=reviewer)
        with self._store.transaction() as connection:
            return read_entry_labels(connection, f"current_reference_labels where {where}", values)


@dataclass(frozen=True, slots=True, kw_only=True)
class EntrySeat:
    """Who decides about an entry, and where."""

    reviewer: str
    role: Role = "review"
    queue_id: str | None = None
    queue_position: int | None = None
    seconds: float | None = None
    finding_hidden: bool = False
    """Whether the reviewer decides without having seen what the check found."""


def add_decision(
    connection: "DuckDBPyConnection",
    run_id: str,
    position: int,
    said: EntryLabelDecision,
    seat: EntrySeat,
    now: datetime,
) -> EntryLabel | None:
    """The label that was added; None where the current one of this seat says the same.

    Raises:
        NotFoundError: There is no such run, or nobody looked that entry up.
    """
    check = read_checks(connection, run_id, position).get(position)
    if check is None:
        raise NotFoundError(
            f"Run {run_id!r} has no checked reference {position}; its label was not stored."
        )
    previous = own_entry_label(read_current_labels(connection, run_id, position), seat)
    note = replace_surrogates(said.note.strip())
    if (
        previous
        and previous.reviewer == seat.reviewer
        and (seat.queue_id is None or previous.queue_id == seat.queue_id)
        and (previous.decision, previous.reason, previous.note)
        == (said.decision, said.reason, note)
    ):
        return None
    label = EntryLabel(
        id=str(uuid.uuid4()),
        run_id=run_id,
        position=position,
        decision=said.decision,
        reviewer=seat.reviewer,
        created_at=now,
        reason=said.reason,
        note=note,
        replaces=previous.id if previous else None,
        status_shown=None if seat.finding_hidden else check.status,
        score_shown=None if seat.finding_hidden else check.score,
        queue_id=seat.queue_id,
        role=seat.role,
        seconds=seat.seconds,
    )
    insert_entry_label(connection, label, seat.queue_position)
    return label


def own_entry_label(labels: Sequence[EntryLabel], seat: EntrySeat) -> EntryLabel | None:
    """The label that a new one from this seat takes the place of; an adjudication is everybody's."""
    own = [
        label
        for label in labels
        if label.role == seat.role
        and (label.reviewer == seat.reviewer or seat.role == "adjudication")
    ]
    return own[-1] if own else None


def read_current_labels(
    connection: "DuckDBPyConnection", run_id: str, position: int
) -> list[EntryLabel]:
    """The current labels of an entry, oldest first."""
    return read_entry_labels(
        connection, "current_reference_labels where run_id = ? and position = ?", [run_id, position]
    )


def insert_entry_label(
    connection: "DuckDBPyConnection", label: EntryLabel, queue_position: int | None = None
) -> None:
    """Add a label of an entry; one whose id is there already is left alone."""
    insert_record(connection, "reference_labels", label, once=True, queue_position=queue_position)


def read_entry_labels(
    connection: "DuckDBPyConnection", source: str, values: Sequence[object] = ()
) -> list[EntryLabel]:
    """The labels of a table or view with its conditions, oldest first."""
    return read_records(
        connection,
        EntryLabel,
        f"select {_LABEL_COLUMNS} from {source} order by created_at, id",
        values,
    )
