"""Comments of reviewers on citations: added, listed; none is changed."""

from workbench.records.comments import CitationComment
from workbench.services.database import Database
from workbench.store.labels.comments import CommentRepository


def list_comments(
    database: Database,
    *,
    run_id: str | None = None,
    citation_id: str | None = None,
    limit: int | None = None,
    offset: int = 0,
) -> list[CitationComment]:
    """Comments, oldest first: of all runs, or of what is named, some at a time.

    Raises:
        NotFoundError: There is no such run.
    """
    if run_id:
        database.get_summary(run_id)
    return CommentRepository(database).listed(
        run_id=run_id, citation_id=citation_id, limit=limit, offset=offset
    )


def comments_of_run(database: Database, run_id: str) -> dict[str, tuple[CitationComment, ...]]:
    """The comments on each citation of a run, oldest first; one query."""
    by_citation: dict[str, tuple[CitationComment, ...]] = {}
    for comment in CommentRepository(database).listed(run_id=run_id):
        by_citation[comment.citation_id] = (*by_citation.get(comment.citation_id, ()), comment)
    return by_citation
