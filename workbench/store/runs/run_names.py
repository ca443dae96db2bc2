"""Names of runs: their titles, of which each change is stored, and the newest by name."""

import uuid

from workbench.errors import NotFoundError
from workbench.records.comments import checked_title
from workbench.records.reviewers import normalize_reviewer_name
from workbench.records.run_listing import NamedRef
from workbench.store.store import Repository


class RunNames(Repository):
    """Renaming runs, and what a reviewer jumps to by name."""

    def rename(self, run_id: str, title: str, reviewer: str) -> str:
        """The new title of the run; an empty one restores the original name.

        Raises:
            NotFoundError: There is no such run.
            UsageError: The title is too long, or the name cannot be used.
        """
        typed, renamed_by = checked_title(title), normalize_reviewer_name(reviewer)
        with self._store.transaction() as connection:
            rows = connection.execute("select name from runs where id = ?", [run_id]).fetchall()
            if not rows:
                raise NotFoundError(
                    f"There is no run {run_id!r} in {self._store.path}; see the list of runs."
                )
            before = rows[0][0]
            first = connection.execute(
                "select before from run_titles where run_id = ? order by created_at, id limit 1",
                [run_id],
            ).fetchall()
            after = typed or (first[0][0] if first else before)
            if after == before:
                return str(before)
            connection.execute(
                "insert into run_titles values (?, ?, ?, ?, ?, ?)",
                [str(uuid.uuid4()), run_id, after, before, renamed_by, self._now()],
            )
            connection.execute("update runs set name = ? where id = ?", [after, run_id])
        return str(after)

    def current(self, run_id: str) -> str:
        """The current title of a run; empty if it has none or does not exist."""
        return "".join(self._column("select name from runs where id = ?", [run_id]))

    def newest(self, limit: int = 300) -> tuple[list[NamedRef], list[NamedRef]]:
        """The newest runs and the newest open queues, newest first, without their figures."""
        runs, queues = (
            self._records(
                NamedRef,
                f"select id, name, created_at from {table} order by created_at desc, id limit ?",
                [limit],
            )
            for table in (
                "runs",
                "queues where id not in (select queue_id from queue_states group by queue_id "
                "having not arg_max(is_open, created_at))",
            )
        )
        return runs, queues
