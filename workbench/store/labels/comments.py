"""Comments of reviewers on citations; they are only added."""

import uuid
from collections.abc import Sequence
from typing import TYPE_CHECKING

from workbench.records.comments import CitationComment, checked_comment
from workbench.records.reviewers import normalize_reviewer_name, utc_now
from workbench.store.labels.label_rules import ensure_citation_exists
from workbench.store.queues.queues import Clock
from workbench.store.row_mapping import ensure_not_erased
from workbench.store.store import Store

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_COLUMNS = "id, run_id, citation_id, body, author, created_at"


class CommentRepository:
    """Adding and reading comments.

    All methods raise StoreError when the file cannot be used.
    """

    def __init__(self, store: Store, now: Clock = utc_now) -> None:
        self._store = store
        self._now = now

    def add(self, run_id: str, citation_id: str, author: str, body: str) -> CitationComment:
        """The comment that was added.

        Raises:
            NotFoundError: There is no such run.
            StoreError: Its output was erased.
            UsageError: The run has no such citation, the comment is empty or too long, or the name
                cannot be used.
        """
        comment = CitationComment(
            id=str(uuid.uuid4()),
            run_id=run_id,
            citation_id=citation_id,
            body=checked_comment(body),
            author=normalize_reviewer_name(author),
            created_at=self._now(),
        )
        with self._store.transaction() as connection:
            ensure_not_erased(connection, run_id)
            ensure_citation_exists(connection, self._store.path, run_id, citation_id)
            connection.execute(
                f"insert into citation_comments ({_COLUMNS}) values (?, ?, ?, ?, ?, ?)",
                [
                    comment.id,
                    comment.run_id,
                    comment.citation_id,
                    comment.body,
                    comment.author,
                    comment.created_at,
                ],
            )
        return comment

    def listed(
        self,
        *,
        run_id: str | None = None,
        citation_id: str | None = None,
        limit: int | None = None,
        offset: int = 0,
    ) -> list[CitationComment]:
        """Comments, oldest first: of all runs, or of what is named, some at a time."""
        filters = {"run_id": run_id, "citation_id": citation_id}
        chosen = {name: value for name, value in filters.items() if value is not None}
        where = f"where {' and '.join(f'{name} = ?' for name in chosen)} " if chosen else ""
        with self._store.transaction() as connection:
            return read_comments(
                connection,
                f"{where}order by created_at, id limit ? offset ?",
                [*chosen.values(), limit, offset],
            )


def read_comments(
    connection: "DuckDBPyConnection", clause: str, values: Sequence[str | int | None]
) -> list[CitationComment]:
    """The comments that match a clause of the query, within a transaction."""
    rows = connection.execute(
        f"select {_COLUMNS} from citation_comments {clause}", list(values)
    ).fetchall()
    return [CitationComment(**dict(zip(_COLUMNS.split(", "), row, strict=True))) for row in rows]
