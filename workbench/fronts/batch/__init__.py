"""Many outputs at once, for those who check whole folders."""

from workbench.fronts.batch.inputs import Entry, Output, entries, read_entry
from workbench.fronts.batch.reports import write_junit, write_sarif
from workbench.fronts.batch.work import AT_ONCE, FAILED, RUNS, Summary, read_runs, run_batch

__all__ = [
    "AT_ONCE",
    "Entry",
    "FAILED",
    "Output",
    "RUNS",
    "Summary",
    "entries",
    "read_entry",
    "read_runs",
    "run_batch",
    "write_junit",
    "write_sarif",
]
