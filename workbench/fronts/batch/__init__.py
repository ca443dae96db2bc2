"""Many outputs at once, for those who check whole folders."""

from workbench.fronts.batch.folder import FAILED, RUNS, read_runs
from workbench.fronts.batch.inputs import Entry, Output, entries, load_entry, read_entry
from workbench.fronts.batch.ray import run_batch_on_ray
from workbench.fronts.batch.reports import write_junit, write_sarif
from workbench.fronts.batch.summary import Summary
from workbench.fronts.batch.work import AT_ONCE, run_batch

__all__ = [
    "AT_ONCE",
    "Entry",
    "FAILED",
    "Output",
    "RUNS",
    "Summary",
    "entries",
    "load_entry",
    "read_entry",
    "read_runs",
    "run_batch",
    "run_batch_on_ray",
    "write_junit",
    "write_sarif",
]
