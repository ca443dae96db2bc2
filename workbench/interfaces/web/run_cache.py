"""From a run's id to its desk, out of the running job or the store; keeps the last few at hand.

What is cached never changes: ended runs, outputs, sources. Labels are read anew each time, so that
several reviewers and the command line see one another.
"""

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from workbench.interfaces.web.review.label_grouping import split_by_reviewer
from workbench.presentation.run_view import ReviewState
from workbench.records import Run, RunSummary, Source, active_labels
from workbench.services import jobs
from workbench.store import Store, rewrite_stamp


@lru_cache(maxsize=8)
def open_store(path: Path) -> Store:
    """The store of a database file; it holds no connection."""
    return Store(path)


def load_review(store: Store, run_id: str, reviewer: str | None = None) -> ReviewState:
    """A run laid out for review, as far as it has come; by name, a reviewer's own labels apart.

    Raises:
        StoreError: No run has that id, or the database cannot be used.
    """
    job = jobs.find(run_id)
    if job is not None:
        run, pending = job.partial()
        text, name = job.output, job.name
    else:
        summary = _summary(store, run_id)
        run = _ended_run(store.path, run_id) if summary.finished else store.get_run(run_id)
        text, name = _output(store.path, run.output_sha256), summary.name
        pending = frozenset() if run.finished else unjudged(run)
    given = store.labels(run_id)
    mine, others = split_by_reviewer(given, reviewer) if reviewer else ({}, {})
    return ReviewState(
        run=run,
        text=text,
        name=name,
        pending=pending,
        labels=active_labels(given) | mine,
        mine=mine,
        others=others,
    )


def unjudged(run: Run) -> frozenset[str]:
    """Ids of the citations that a run has not reached."""
    return frozenset(
        result.citation.id
        for result in run.citations
        if result.status == "error" and result.error and result.error.kind == "cancelled"
    )


def open_source(store: Store, desk: ReviewState, citation_id: str) -> Source | None:
    """The source of a citation with its text; None when the run has none for it."""
    result = desk.results[citation_id]
    if result.source is None:
        return None
    if result.source.text:
        return result.source
    if citation_id in desk.pending:
        return None
    return _source(store.path, desk.run.id, citation_id)


def clear_caches() -> None:
    """Drop everything kept at hand."""
    for cached in (_ended_run, _output, _source):
        cached.cache_clear()
    _SUMMARIES.clear()
    for drop in _FORGET:
        drop()


def register_cache(drop: Callable[[], None]) -> Callable[[], None]:
    """Have something else dropped whenever everything kept at hand is."""
    _FORGET.append(drop)
    return drop


def invalidate_if_rewritten(path: Path) -> None:
    """Drop everything kept at hand if things went out of a database since the last look.

    Another process may have erased an output or restored a backup; this costs no opening.
    """
    found = rewrite_stamp(path)
    if _GENERATIONS.setdefault(path, found) != found:
        _GENERATIONS[path] = found
        clear_caches()


_FORGET: list[Callable[[], None]] = []
_GENERATIONS: dict[Path, int] = {}
_SUMMARIES: dict[tuple[Path, str], RunSummary] = {}
"""Of finished runs: their name and end stay as they are, which is all that is read here."""


def _summary(store: Store, run_id: str) -> RunSummary:
    kept = _SUMMARIES.get((store.path, run_id))
    if kept is None:
        kept = store.get_summary(run_id)
        if kept.finished:
            _SUMMARIES[store.path, run_id] = kept
    return kept


@lru_cache(maxsize=8)
def _ended_run(path: Path, run_id: str) -> Run:
    return open_store(path).get_run(run_id)


@lru_cache(maxsize=8)
def _output(path: Path, sha256: str) -> str:
    return open_store(path).get_output(sha256)


@lru_cache(maxsize=24)
def _source(path: Path, run_id: str, citation_id: str) -> Source | None:
    return open_store(path).get_source(run_id, citation_id)
