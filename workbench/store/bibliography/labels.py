"""What people decided about the entries of runs; rows are only inserted."""

import json
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import TYPE_CHECKING

from workbench.errors import NotFoundError
from workbench.records.bibliography import ReferenceCheck
from workbench.records.reference_labels import (
    EntryLabel,
    EntryLabelDecision,
    LabelledReference,
    OverrideReason,
    ReferenceDecision,
)
from workbench.records.review import Rating, Role
from workbench.records.reviewers import normalize_reviewer_name
from workbench.records.text import replace_surrogates
from workbench.store.bibliography.checks import read_checks
from workbench.store.labels.label_rules import LabelScope, active_view, current_view
from workbench.store.queues.queues import Queues
from workbench.store.rows import ensure_not_erased, insert_record, read_records, where_of
from workbench.store.store import Repository, Store

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


EACH = 500
"""So many entries are read in one unit of work."""
_EXAMPLE_RUN = "c.run_id in (select id from examples where kind = 'run')"
_IN_SCOPE = {
    "real": f"(not {_EXAMPLE_RUN} or (c.run_id, c.position) in "
    "(select (run_id, position) from real_current_reference_labels))",
    "examples": _EXAMPLE_RUN,
}
EntryKey = tuple[str, int]
"""A run's id and the entry's index in its references."""


class LabelledReferenceQueries(Repository):
    """Reading the newest checks of entries with their current labels."""

    def __init__(self, store: Store, labels: LabelScope = "counted") -> None:
        """`labels` are those that are read; entries of other scopes are left out."""
        super().__init__(store)
        self._scope = labels
        self._active = active_view(labels, "reference_labels")
        self._current = current_view(labels, "reference_labels")

    def state(self) -> str:
        """Something else after each new check, label or withdrawal."""
        return self._state(
            "reference_checks", "reference_labels", "reference_label_withdrawals", "runs"
        )

    def any_checked(self) -> bool:
        """Whether any entry was checked."""
        return bool(self._rows("from reference_checks limit 1"))

    def keys(
        self,
        *,
        run_ids: Sequence[str] = (),
        queue_id: str | None = None,
        labelled: bool = False,
    ) -> list[EntryKey]:
        """The checked entries of some runs, of a queue, or all; in run and list order.

        With `labelled` only those that have a label.

        Raises:
            StoreError: There is no such run or queue.
        """
        for run_id in run_ids:
            self._store.get_summary(run_id)
        if queue_id:
            Queues(self._store).get(queue_id)
        conditions = {
            "c.run_id in (select unnest($runs::varchar[]))": bool(run_ids),
            "(c.run_id, 'reference:' || c.position) in (select (run_id, citation_id) "
            "from queue_items where queue_id = $queue)": bool(queue_id),
            f"(c.run_id, c.position) in (select (run_id, position) from {self._current})": labelled,
            _IN_SCOPE.get(self._scope, ""): not labelled and self._scope != "counted",
        }
        chosen = [condition for condition, wanted in conditions.items() if wanted]
        values: dict[str, str | list[str]] = {}
        if run_ids:
            values["runs"] = list(run_ids)
        if queue_id:
            values["queue"] = queue_id
        keys: list[EntryKey] = self._rows(
            "select c.run_id, c.position from current_reference_checks c "
            "join runs r on r.id = c.run_id "
            f"{'where ' if chosen else ''}{' and '.join(chosen)} "
            "order by r.created_at, r.id, c.position",
            values,
        )
        return keys

    def read(self, keys: Sequence[EntryKey]) -> Iterator[LabelledReference]:
        """The entries behind the keys, in their order, some at a time."""
        for start in range(0, len(keys), EACH):
            yield from self._batch(keys[start : start + EACH])

    def ratings(
        self,
        *,
        run_ids: Sequence[str] = (),
        queue_id: str | None = None,
        first: bool = True,
        since: datetime | None = None,
    ) -> list[Rating]:
        """One rating of each entry by each reviewer; adjudication is left out.

        Args:
            run_ids: Of these runs; empty for all.
            queue_id: Given in one queue only.
            first: The reviewer's first decision; False for the current one.
            since: Only labels given at or after this moment.
        """
        return self._records(
            Rating,
            "select l.run_id || '/' || l.position as item, l.reviewer as rater, "
            'l.decision as label, r.output_sha256 as "group" from ('
            f"select * from {self._active} where role = 'review' "
            "and ($all or run_id in (select unnest($runs::varchar[]))) "
            "and ($queue is null or queue_id = $queue) "
            "and ($since::timestamptz is null or created_at >= $since::timestamptz) "
            "qualify row_number() over (partition by run_id, position, reviewer "
            f"order by created_at {'' if first else 'desc'}, id) = 1"
            ") l join runs r on r.id = l.run_id order by l.run_id, l.position, l.reviewer",
            {"all": not run_ids, "runs": list(run_ids), "queue": queue_id, "since": since},
        )

    def _batch(self, keys: Sequence[EntryKey]) -> list[LabelledReference]:
        run_ids = sorted({run_id for run_id, _ in keys})
        with self._store.transaction() as connection:
            rows = connection.execute(
                "select c.run_id, c.position, c.record, r.name, r.output_sha256, r.created_at "
                "from current_reference_checks c join runs r on r.id = c.run_id "
                "semi join (select unnest($runs) as run_id, unnest($positions) as position) k "
                "on k.run_id = c.run_id and k.position = c.position",
                {
                    "runs": [run_id for run_id, _ in keys],
                    "positions": [position for _, position in keys],
                },
            ).fetchall()
            labels: dict[EntryKey, list[EntryLabel]] = {}
            for label in read_entry_labels(
                connection,
                f"{self._current} where run_id in (select unnest(?::varchar[]))",
                [run_ids],
            ):
                labels.setdefault((label.run_id, label.position), []).append(label)
        items = {
            (run_id, position): LabelledReference(
                run_id=run_id,
                position=position,
                name=name,
                output_sha256=output_sha256,
                checked_at=created_at,
                check=ReferenceCheck.from_dict(json.loads(record)),
                labels=tuple(labels.get((run_id, position), ())),
            )
            for run_id, position, record, name, output_sha256, created_at in rows
        }
        return [items[key] for key in keys if key in items]
