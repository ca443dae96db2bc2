"""Stored runs: the list, one run with its texts and labels, what is left to judge, and the search."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from workbench.errors import NotFoundError
from workbench.records.queue import ItemFilter
from workbench.records.review import Label, LabelledCitation
from workbench.records.run_listing import (
    HIT_KINDS,
    FilterFacets,
    HitKind,
    NamedRef,
    RunSummary,
    SearchResults,
    Trace,
)
from workbench.records.source import Source
from workbench.records.verdict import CitationResult, Judgment, Run
from workbench.services.cached_views import cached_view, file_state
from workbench.services.database import Database
from workbench.store.labels.repository import LabelRepository
from workbench.store.runs.items import CitationQuery
from workbench.store.runs.runs import RunNames, Traces
from workbench.store.runs.search import Search
from workbench.store.runs.sentences import SentenceKinds


def list_runs(database: Database, limit: int = 500, shas: Sequence[str] = ()) -> list[RunSummary]:
    """The newest runs first, each with its totals; of some outputs, where their hashes are named."""
    return database.list_runs(limit, shas)


def run_names(database: Database) -> dict[str, str]:
    """The names of the newest runs by id; runs without a name are left out."""
    return {run.id: run.name for run in database.list_runs() if run.name}


def recent_runs(database: Database, limit: int = 300) -> list[NamedRef]:
    """The newest runs by name, newest first."""
    return RunNames(database).newest(limit)[0]


@cached_view(state=file_state, max_entries=1)
def _sentence_decisions(database: Database) -> str:
    return SentenceKinds(database).state()


@cached_view(final=lambda run: run.finished, state=_sentence_decisions)
def stored_run(database: Database, run_id: str) -> Run:
    """A run as far as it is stored; sources come without their text.

    Raises:
        StoreError: No run has that id.
    """
    return database.get_run(run_id)


@cached_view(final=lambda summary: summary.finished)
def run_summary(database: Database, run_id: str) -> RunSummary:
    """A run's line of the list; of an ended run, as it was when it was first read.

    Raises:
        StoreError: No run has that id.
    """
    return database.get_summary(run_id)


def rename_run(database: Database, run_id: str, title: str, reviewer: str) -> RunSummary:
    """The run under its new title; an empty one brings back what it was called at first.

    Raises:
        NotFoundError: There is no such run.
        UsageError: The title is too long, or the name cannot be used.
    """
    RunNames(database).rename(run_id, title, reviewer)
    return database.get_summary(run_id)


def is_stored(database: Database, run_id: str) -> bool:
    """Whether the database holds a run."""
    try:
        database.get_summary(run_id)
    except NotFoundError:
        return False
    return True


def store_run(database: Database, run: Run) -> None:
    """Store a run that was made elsewhere, with its text and its verdicts.

    Raises:
        StoreError: The run was deleted from the database, or it cannot be used.
    """
    database.add_run(run, run.text)
    database.finish_run(run)


def run_labels(database: Database, run_id: str) -> list[Label]:
    """The current labels of a run, read again each time: several reviewers see one another."""
    return database.labels(run_id)


@cached_view()
def output_text(database: Database, sha256: str) -> str:
    """The text of an output.

    Raises:
        StoreError: There is no such output.
    """
    return database.get_output(sha256)


@cached_view(max_entries=24)
def citation_source(database: Database, run_id: str, citation_id: str) -> Source | None:
    """The source of a citation with its text; None where it has none."""
    return database.get_source(run_id, citation_id)


def unjudged_citations(run: Run) -> frozenset[str]:
    """Ids of the citations that a run has not reached."""
    return frozenset(
        result.citation.id
        for result in run.citations
        if result.status == "error" and result.error and result.error.kind == "cancelled"
    )


def earlier_verdicts(database: Database, run_id: str, citation_id: str) -> list[CitationResult]:
    """The verdicts before the current one of a citation, oldest first; sources without text."""
    return database.verdict_history(run_id, citation_id)[:-1]


def labelled_citations(database: Database, run_id: str | None = None) -> Iterable[LabelledCitation]:
    """The citations of a run, or of all, each with its labels."""
    return database.labelled_citations(run_id)


def find_judgment(database: Database, key: str) -> Judgment | None:
    """The judgment under a key."""
    return database.get_judgment(key)


def keep_judgment(database: Database, key: str, judgment: Judgment) -> None:
    """Keep a judgment; the first one under a key stays."""
    database.add_judgment(key, judgment)


def get_traces(database: Database, trace_id: str | None = None, limit: int = 20) -> list[Trace]:
    """The named trace alone, else the newest ones first.

    Raises:
        NotFoundError: There is no such trace.
    """
    traces = Traces(database)
    return [traces.get(trace_id)] if trace_id else traces.newest(limit)


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchFilters:
    """What a search can be narrowed by, with the number of citations that each value leaves."""

    facets: FilterFacets
    reviewers: tuple[str, ...]
    """Everybody who labelled, in alphabetical order."""


def search_texts(
    database: Database,
    query: str,
    kinds: Sequence[HitKind] = HIT_KINDS,
    *,
    within: ItemFilter | None = None,
    limit: int = 50,
    offset: int = 0,
    each: int | None = None,
) -> SearchResults:
    """Where all words of a query occur; with `each`, so many of every kind.

    Case, accents and white space do not matter; a query without words finds nothing.
    """
    return Search(database).find(
        query, kinds, within=within or ItemFilter(), limit=limit, offset=offset, each=each
    )


def search_filters(database: Database, query: str) -> SearchFilters:
    """What a search for a query can be narrowed by."""
    return SearchFilters(
        facets=CitationQuery(database).choices(ItemFilter(words=query)),
        reviewers=tuple(LabelRepository(database).reviewers()),
    )
