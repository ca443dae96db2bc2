"""What do we remember? One DuckDB file of outputs, runs, sources, verdicts and labels."""

from workbench.store.store import RunSummary, Store

__all__ = ["RunSummary", "Store"]
