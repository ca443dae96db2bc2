"""Comments of reviewers on citations; they are only added."""

import uuid

from workbench.records.comments import CitationComment, checked_comment
from workbench.records.reviewers import normalize_reviewer_name
from workbench.store.labels.label_rules import ensure_citation_exists
from workbench.store.row_mapping import ensure_not_erased
from workbench.store.rows import insert_record, where_of
from workbench.store.store import Repository


class CommentRepository(Repository):
    """Adding and reading comments."""

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
            insert_record(connection, "citation_comments", comment)
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
        where, values = where_of(run_id=run_id, citation_id=citation_id)
        return self._records(
            CitationComment,
            f"from citation_comments where {where} order by created_at, id limit ? offset ?",
            [*values, limit, offset],
        )
