"""Many outputs at once, for those who check whole folders."""

from typing import TYPE_CHECKING

from workbench.lazy import lazy_exports

if TYPE_CHECKING:
    from workbench.interfaces.batch.inputs import Entry, Output, entries, load_entry, read_entry
    from workbench.interfaces.batch.ray import run_batch_on_ray
    from workbench.interfaces.batch.reports import write_junit, write_sarif
    from workbench.interfaces.batch.runner import AT_ONCE, run_batch
    from workbench.services.batch.directory import FAILED, RUNS, Summary, read_runs

__all__ = [
    "AT_ONCE", "Entry", "FAILED", "Output", "RUNS", "Summary", "entries", "load_entry",
    "read_entry", "read_runs", "run_batch", "run_batch_on_ray", "write_junit", "write_sarif",
]  # fmt: skip

__getattr__ = lazy_exports(__name__, __file__)
