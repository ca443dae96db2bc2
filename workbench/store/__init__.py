"""What do we remember? One DuckDB file of outputs, runs, sources, verdicts and labels."""

from workbench.store.recording import Recording
from workbench.store.store import RunSummary, Store

__all__ = ["Recording", "RunSummary", "Store"]
