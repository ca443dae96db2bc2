"""What do the cited sources say? From a citation to bytes to text with page and character spans."""

from workbench.sources.addresses import label_key, same_source_key, target_key, title_key
from workbench.sources.drift import Drift, drift
from workbench.sources.fetch import Limits
from workbench.sources.fetchers import Fetcher, FirstOf, MemoryFetcher
from workbench.sources.given import GivenSource, GivenSources, open_sources, replacement
from workbench.sources.guard import domain_name
from workbench.sources.lanes import Lanes, use_lanes
from workbench.sources.local import LocalFetcher, read_memories
from workbench.sources.post import post_json
from workbench.sources.read import read_source
from workbench.sources.services import Services
from workbench.sources.snapshots import BrokenSnapshot, Snapshot, SnapshotCheck, SnapshotFolder
from workbench.sources.transfer import (
    Imported,
    export_snapshots,
    import_snapshots,
    merge_snapshots,
)
from workbench.sources.upload import read_document_json, read_document_text
from workbench.sources.web import WebFetcher, fetch

__all__ = [
    "BrokenSnapshot",
    "Drift",
    "Fetcher",
    "FirstOf",
    "GivenSource",
    "GivenSources",
    "Imported",
    "Lanes",
    "Limits",
    "LocalFetcher",
    "MemoryFetcher",
    "Services",
    "Snapshot",
    "SnapshotCheck",
    "SnapshotFolder",
    "WebFetcher",
    "domain_name",
    "drift",
    "export_snapshots",
    "fetch",
    "import_snapshots",
    "label_key",
    "merge_snapshots",
    "open_sources",
    "post_json",
    "read_document_json",
    "read_document_text",
    "read_memories",
    "read_source",
    "replacement",
    "same_source_key",
    "target_key",
    "title_key",
    "use_lanes",
]
