"""What do the cited sources say? From a citation to bytes to text with page and character spans."""

from workbench.sources.addresses import label_key, same_source_key, target_key, title_key
from workbench.sources.concurrency import HostLimiter, use_host_limiter
from workbench.sources.fetch import Limits, StatusError
from workbench.sources.fetchers import ChainedFetcher, Fetcher, MemoryFetcher
from workbench.sources.given import (
    GivenSource,
    GivenSources,
    MatchedSources,
    SourceNames,
    list_sources,
    open_sources,
    replacement,
    source_names,
)
from workbench.sources.json_client import post_json
from workbench.sources.local import LocalFetcher, read_memories
from workbench.sources.pages import PageImage, draw_page
from workbench.sources.read import read_source
from workbench.sources.reading.text_structure import SourceBlock
from workbench.sources.search_providers import (
    SEARCH_PROVIDERS,
    SearchProvider,
    WebResult,
    search_web,
)
from workbench.sources.services import Services
from workbench.sources.snapshot_archive import (
    SnapshotImportResult,
    export_snapshots,
    import_snapshots,
    merge_snapshots,
)
from workbench.sources.snapshot_diff import SnapshotDiff, diff_snapshots
from workbench.sources.snapshots import BrokenSnapshot, Snapshot, SnapshotCheck, SnapshotFolder
from workbench.sources.ssrf_guard import domain_name
from workbench.sources.structure import read_structure
from workbench.sources.upload import read_document_json, read_uploaded_text
from workbench.sources.web import WebFetcher, fetch

__all__ = [
    "BrokenSnapshot",
    "ChainedFetcher",
    "Fetcher",
    "GivenSource",
    "GivenSources",
    "HostLimiter",
    "Limits",
    "LocalFetcher",
    "MatchedSources",
    "MemoryFetcher",
    "PageImage",
    "SEARCH_PROVIDERS",
    "SearchProvider",
    "Services",
    "Snapshot",
    "SnapshotCheck",
    "SnapshotDiff",
    "SnapshotFolder",
    "SnapshotImportResult",
    "SourceBlock",
    "SourceNames",
    "StatusError",
    "WebFetcher",
    "WebResult",
    "diff_snapshots",
    "domain_name",
    "draw_page",
    "export_snapshots",
    "fetch",
    "import_snapshots",
    "label_key",
    "list_sources",
    "merge_snapshots",
    "open_sources",
    "post_json",
    "read_document_json",
    "read_memories",
    "read_source",
    "read_structure",
    "read_uploaded_text",
    "replacement",
    "same_source_key",
    "search_web",
    "source_names",
    "target_key",
    "title_key",
    "use_host_limiter",
]
