"""Titles of runs; each change is stored with the previous title."""

import uuid

from workbench.errors import NotFoundError
from workbench.records.comments import checked_title
from workbench.records.reviewers import normalize_reviewer_name, utc_now
from workbench.store.queues.queues import Clock
from workbench.store.store import Store


class RunTitles:
    """Renaming runs.

    All methods raise StoreError when the file cannot be used.
    """

    def __init__(self, store: Store, now: Clock = utc_now) -> None:
        self._store = store
        self._now = now

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
        with self._store.transaction() as connection:
            rows = connection.execute("select name from runs where id = ?", [run_id]).fetchall()
        return str(rows[0][0]) if rows else ""
