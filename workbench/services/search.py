"""Words found in everything that is stored, and citations listed by a filter."""

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.records.queue import ItemFilter
from workbench.records.run_listing import HIT_KINDS, FilterFacets, HitKind, SearchResults
from workbench.services.database import Database
from workbench.store.labels.repository import LabelRepository
from workbench.store.runs.items import CitationQuery
from workbench.store.runs.search import Search


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
