"""What was found about the entries of runs; a later check of an entry is a new row."""

import json
import uuid
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from workbench.records.bibliography import ReferenceCheck
from workbench.store.row_mapping import ensure_not_erased, record_json
from workbench.store.rows import Row, append_rows
from workbench.store.store import Repository

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


class ReferenceCheckRepository(Repository):
    """Checks of the entries of runs; only added, the newest one of an entry counts."""

    def add(self, run_id: str, checks: Sequence[tuple[int, ReferenceCheck]]) -> None:
        """Keep checks by the position of their entry in the run's references.

        Raises:
            StoreError: The run's output was erased.
        """
        now = self._now()
        rows = [check_row(run_id, position, check, now) for position, check in checks]
        with self._store.transaction() as connection:
            ensure_not_erased(connection, run_id)
            append_rows(connection, "reference_checks", rows)

    def of_run(self, run_id: str) -> dict[int, ReferenceCheck]:
        """The newest check of each entry of a run, by position."""
        with self._store.transaction() as connection:
            return read_checks(connection, run_id)

    def current(
        self, run_ids: Sequence[str] | None = None
    ) -> list[tuple[str, int, ReferenceCheck]]:
        """The newest checks of some runs, or of all: run, position, check, in their order."""
        where = "" if run_ids is None else "where run_id in (select unnest(?::varchar[])) "
        rows = self._rows(
            f"select run_id, position, record from current_reference_checks {where}"
            "order by run_id, position",
            [] if run_ids is None else [list(run_ids)],
        )
        return [
            (run_id, position, ReferenceCheck.from_dict(json.loads(record)))
            for run_id, position, record in rows
        ]


def check_row(run_id: str, position: int, check: ReferenceCheck, now: datetime) -> Row:
    """The row of a new check of a run's entry."""
    return (
        str(uuid.uuid4()),
        run_id,
        position,
        check.status,
        check.score,
        record_json(check.to_dict()),
        now,
        check.retraction.kind if check.retraction else None,
    )


def read_checks(
    connection: "DuckDBPyConnection", run_id: str, position: int | None = None
) -> dict[int, ReferenceCheck]:
    """The newest checks of a run's entries, or of one, by position."""
    one_entry = "" if position is None else " and position = ?"
    rows = connection.execute(
        f"select position, record from current_reference_checks where run_id = ?{one_entry} "
        "order by position",
        [run_id] if position is None else [run_id, position],
    ).fetchall()
    return {place: ReferenceCheck.from_dict(json.loads(record)) for place, record in rows}
