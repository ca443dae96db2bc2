"""Outputs that an agent logged to be checked later, with what it says of them."""

from workbench.records.run_listing import Trace
from workbench.services.database import Database
from workbench.store.runs.traces import Traces


def get_traces(database: Database, trace_id: str | None = None, limit: int = 20) -> list[Trace]:
    """The named trace alone, else the newest ones first.

    Raises:
        NotFoundError: There is no such trace.
    """
    traces = Traces(database)
    return [traces.get(trace_id)] if trace_id else traces.newest(limit)
