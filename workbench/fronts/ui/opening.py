"""From a run's id to its desk, out of the running job or the store; keeps the last few at hand.

What is cached never changes: ended runs, outputs, sources. Labels are read anew each time, so that
several reviewers and the command line see one another.
"""

from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from workbench.citations import extract
from workbench.errors import StoreError
from workbench.fronts.ui import jobs
from workbench.fronts.ui.desk import Desk
from workbench.fronts.ui.verdicts import current_labels
from workbench.records import CitationResult, ErrorInfo, Layers, Run, Source
from workbench.store import RunSummary, Store


@lru_cache(maxsize=8)
def open_store(path: Path) -> Store:
    """The store of a database file; it holds no connection."""
    return Store(path)


def open_desk(store: Store, run_id: str) -> Desk:
    """A run laid out for review, as far as it has come.

    Raises:
        StoreError: No run has that id, or the database cannot be used.
    """
    job = jobs.find(run_id)
    if job is not None:
        run, pending = job.partial()
        text, name = job.order.output, job.order.name
    else:
        summary = run_summary(store, run_id)
        run = _ended_run(store.path, run_id) if summary.ended_at else store.get_run(run_id)
        text, name = _output(store.path, run.output_sha256), summary.name
        run, pending = _completed(run, text, summary)
    labels = current_labels(store.labels(run_id))
    return Desk(run=run, text=text, name=name, pending=pending, labels=labels)


def run_summary(store: Store, run_id: str) -> RunSummary:
    """The line of a run in the list of runs.

    Raises:
        StoreError: No run has that id, or the database cannot be used.
    """
    kept = _SUMMARIES.get((store.path, run_id))
    if kept:
        return kept
    for summary in store.list_runs(limit=100_000):
        if summary.id == run_id:
            if summary.ended_at:
                _SUMMARIES[store.path, run_id] = summary
            return summary
    raise StoreError("There is no run of that address here. The list of runs names those there.")


def open_source(store: Store, desk: Desk, citation_id: str) -> Source | None:
    """The source of a citation with its text; None when the run has none for it."""
    result = desk.results[citation_id]
    if result.source is None:
        return None
    if result.source.text:
        return result.source
    if citation_id in desk.pending:
        return None
    return _source(store.path, desk.run.id, citation_id)


def forget() -> None:
    """Drop everything kept at hand."""
    for cached in (_ended_run, _output, _source, _extracted):
        cached.cache_clear()
    _SUMMARIES.clear()


_SUMMARIES: dict[tuple[Path, str], RunSummary] = {}
"""Of ended runs: their name and end stay as they are, which is all that is read here."""


@lru_cache(maxsize=8)
def _ended_run(path: Path, run_id: str) -> Run:
    return open_store(path).get_run(run_id)


@lru_cache(maxsize=8)
def _output(path: Path, sha256: str) -> str:
    return open_store(path).get_output(sha256)


@lru_cache(maxsize=24)
def _source(path: Path, run_id: str, citation_id: str) -> Source | None:
    return open_store(path).get_source(run_id, citation_id)


@lru_cache(maxsize=2)
def _extracted(text: str) -> tuple[CitationResult, ...]:
    return tuple(
        CitationResult(
            citation=citation,
            status="skipped",
            verdict="unverifiable",
            error=ErrorInfo(kind="cancelled", message="Not checked: the run was cut off."),
            layers=Layers(exists=citation.target is not None),
        )
        for citation in extract(text).citations
    )


def _completed(run: Run, text: str, summary: RunSummary) -> tuple[Run, frozenset[str]]:
    """A run with the citations it never reached, found again in the text, and their ids."""
    if summary.ended_at:
        return run, frozenset()
    known = {result.citation.id for result in run.citations}
    missing = [one for one in _extracted(text) if one.citation.id not in known]
    return (
        replace(run, citations=(*run.citations, *missing)),
        frozenset(one.citation.id for one in missing),
    )
