"""The review of a run by its id, from the running job or, read again after each write, the database."""

from dataclasses import replace

from workbench.presentation.reference_list import EntryList, entry_list
from workbench.presentation.run_view import ReviewState
from workbench.records.citation import with_corrections as corrected_sentences
from workbench.records.review import active_labels
from workbench.records.source import Source
from workbench.services import jobs
from workbench.services.cached_views import cached_view, file_state
from workbench.services.claim_corrections import correction_decisions, own_correction_decisions
from workbench.services.database import Database
from workbench.services.labels import answered_questions, comments_of_run, split_by_reviewer
from workbench.services.repositories import OfflineJudgmentRepository, RunNames, SentenceKinds
from workbench.services.runs import (
    citation_source,
    output_text,
    run_labels,
    stored_run,
    unjudged_citations,
)


def load_review(database: Database, run_id: str, reviewer: str | None = None) -> ReviewState:
    """A run prepared for review, as far as it has come; a reviewer's own labels separately.

    Raises:
        StoreError: No run has that id, or the database cannot be used.
    """
    job = jobs.find(run_id)
    if job is None:
        return _stored_review(database, run_id, reviewer)
    run, pending = job.partial()
    corrections = SentenceKinds(database).corrections([run_id])
    run = replace(run, sentences=corrected_sentences(run.sentences, corrections))
    review = ReviewState(run=run, text=job.output, name=job.name, pending=pending, labels={})
    return _with_labels(database, review, reviewer)


@cached_view(state=file_state)
def _stored_review(database: Database, run_id: str, reviewer: str | None) -> ReviewState:
    run = stored_run(database, run_id)
    review = ReviewState(
        run=run,
        text=output_text(database, run.output_sha256),
        name=RunNames(database).current(run_id),
        pending=frozenset() if run.finished else unjudged_citations(run),
        labels={},
    )
    return _with_labels(database, review, reviewer)


def _with_labels(database: Database, review: ReviewState, reviewer: str | None) -> ReviewState:
    run_id, labels = review.run.id, run_labels(database, review.run.id)
    own_labels, others = split_by_reviewer(labels, reviewer) if reviewer else ({}, {})
    active = active_labels(labels)
    review = replace(
        review,
        labels=active | own_labels,
        active=active,
        own_labels=own_labels,
        others=others,
        questions=answered_questions(database, labels),
        comments=comments_of_run(database, run_id),
        beside=OfflineJudgmentRepository(database).of_chats(run_id),
        suggestions={
            suggestion.start_at: suggestion
            for suggestion in SentenceKinds(database).suggestions(run_id)
        },
    )
    return with_corrections(database, review, reviewer)


def with_corrections(
    database: Database, review: ReviewState, reviewer: str | None = None
) -> ReviewState:
    """The review with what was decided about proposed corrections, the reviewer's own first.

    Raises:
        StoreError: The database cannot be used.
    """
    decided = correction_decisions(database, review.run.id)
    if not decided:
        return review
    own = own_correction_decisions(database, review.run.id, reviewer) if reviewer else {}
    return replace(review, corrections=decided | own, own_corrections=own)


def load_entries(database: Database, run_id: str) -> EntryList:
    """The references of a run with what was found about them, as far as it has come.

    Raises:
        StoreError: No run has that id, or the database cannot be used.
    """
    job = jobs.find(run_id)
    if job is not None:
        return entry_list(job.partial()[0])
    if not stored_run(database, run_id).finished:
        return entry_list(stored_run(database, run_id))
    return _stored_entries(database, run_id)


@cached_view()
def _stored_entries(database: Database, run_id: str) -> EntryList:
    return entry_list(stored_run(database, run_id))


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
