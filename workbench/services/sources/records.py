"""What the database knows of sources: the runs that cite them, and what reviewers decided."""

from dataclasses import dataclass

from workbench.records.stored_sources import (
    RunVersion,
    SourceOverride,
    SuppliedSource,
)
from workbench.store.sources.repository import SourceRepository
from workbench.store.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceRecords:
    """All runs by their versions, and every decision of a reviewer on a source."""

    runs: tuple[RunVersion, ...]
    """Newest first; a run that changed has another version."""
    overrides: tuple[SourceOverride, ...]
    """Those taken back too, oldest first."""
    supplied: tuple[SuppliedSource, ...]
    """Oldest first."""


def source_records(store: Store) -> SourceRecords:
    """What is known of sources without reading the citations."""
    repository = SourceRepository(store)
    return SourceRecords(
        runs=tuple(repository.run_versions()),
        overrides=tuple(repository.acceptances()),
        supplied=tuple(repository.supplied()),
    )
