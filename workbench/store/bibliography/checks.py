"""What was found about the entries of runs, and what indexes of works answered."""

import json
import uuid
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from workbench.records.bibliography import ReferenceCheck
from workbench.store.rows import Row, append_rows, ensure_not_erased, record_json
from workbench.store.store import Repository

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection
from workbench.records.bibliography import CachedAnswer
from workbench.records.text import text_sha256


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


class IndexAnswerRepository(Repository):
    """Answers by service and question; a newer one takes the place of an older one."""

    def find(self, service: str, question: str) -> CachedAnswer | None:
        """The answer to a question, of any age; None where there is none."""
        answers = self._records(
            CachedAnswer,
            "select service, question, status, body, asked_at from index_answers "
            "where service = ? and question_sha256 = ? and question = ?",
            [service, text_sha256(question), question],
            body=bytes,
            asked_at=datetime.isoformat,
        )
        return answers[0] if answers else None

    def keep(self, answer: CachedAnswer) -> None:
        """Keep an answer, unless a newer one to its question is there."""
        self._rows(
            "insert into index_answers values (?, ?, ?, ?, ?, ?) "
            "on conflict (service, question_sha256) do update set status = excluded.status, "
            "body = excluded.body, asked_at = excluded.asked_at, question = excluded.question "
            "where index_answers.asked_at <= excluded.asked_at",
            [
                answer.service,
                text_sha256(answer.question),
                answer.question,
                answer.status,
                answer.body,
                datetime.fromisoformat(answer.asked_at),
            ],
        )

    def forget(self) -> int:
        """How many answers there were; none is kept any longer."""
        return len(self._rows("delete from index_answers returning 1"))
