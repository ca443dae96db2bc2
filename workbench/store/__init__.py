"""What do we remember? One DuckDB file of outputs, runs, sources, verdicts and labels."""

from workbench.store.recording import Recording
from workbench.store.sources import Acceptance, HandedAs, HandedOver, RunStamp, SourceBook, Use
from workbench.store.store import RunSummary, Store

__all__ = [
    "Acceptance",
    "HandedAs",
    "HandedOver",
    "Recording",
    "RunStamp",
    "RunSummary",
    "SourceBook",
    "Store",
    "Use",
]
