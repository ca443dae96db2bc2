"""The review of a run by its id, from the running job or the database.

Ended runs, outputs and sources are cached (`cached_views`); labels are read each time,
so that several reviewers and the command line see each other's labels.
"""

from workbench.presentation.run_view import ReviewState
from workbench.records import Source, active_labels
from workbench.services import jobs
from workbench.services.database import Database
from workbench.services.labels import split_by_reviewer
from workbench.services.runs import (
    citation_source,
    output_text,
    run_labels,
    run_summary,
    stored_run,
    unjudged_citations,
)


def load_review(database: Database, run_id: str, reviewer: str | None = None) -> ReviewState:
    """A run prepared for review, as far as it has come; a reviewer's own labels separately.

    Raises:
        StoreError: No run has that id, or the database cannot be used.
    """
    job = jobs.find(run_id)
    if job is not None:
        run, pending = job.partial()
        text, name = job.output, job.name
    else:
        run, name = stored_run(database, run_id), run_summary(database, run_id).name
        text = output_text(database, run.output_sha256)
        pending = frozenset() if run.finished else unjudged_citations(run)
    labels = run_labels(database, run_id)
    own_labels, others = split_by_reviewer(labels, reviewer) if reviewer else ({}, {})
    return ReviewState(
        run=run,
        text=text,
        name=name,
        pending=pending,
        labels=active_labels(labels) | own_labels,
        own_labels=own_labels,
        others=others,
    )


def open_source(database: Database, review: ReviewState, citation_id: str) -> Source | None:
    """The source of a citation with its text; None if the run has none for it."""
    result = review.results[citation_id]
    if result.source is None:
        return None
    if result.source.text:
        return result.source
    if citation_id in review.pending:
        return None
    return citation_source(database, review.run.id, citation_id)
