"""What do the cited sources say? From a citation to bytes to text with page and character spans."""

from workbench.sources.addresses import label_key, same_source_key, target_key, title_key
from workbench.sources.fetch import Limits
from workbench.sources.fetchers import Fetcher, FirstOf, MemoryFetcher
from workbench.sources.given import GivenSource, GivenSources, open_sources
from workbench.sources.read import read_source
from workbench.sources.services import Services
from workbench.sources.snapshots import BrokenSnapshot, Snapshot, SnapshotCheck, SnapshotFolder
from workbench.sources.upload import read_document_text
from workbench.sources.web import WebFetcher, fetch

__all__ = [
    "BrokenSnapshot",
    "Fetcher",
    "FirstOf",
    "GivenSource",
    "GivenSources",
    "Limits",
    "MemoryFetcher",
    "Services",
    "Snapshot",
    "SnapshotCheck",
    "SnapshotFolder",
    "WebFetcher",
    "fetch",
    "label_key",
    "open_sources",
    "read_document_text",
    "read_source",
    "same_source_key",
    "target_key",
    "title_key",
]
