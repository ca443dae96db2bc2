"""Outputs that an agent logged to be checked later, with what it says of them."""

from collections.abc import Mapping

from workbench.records.run_listing import Trace
from workbench.records.text import Json
from workbench.services.database import Database
from workbench.store.runs.traces import Traces


def log_trace(
    database: Database,
    output: str,
    *,
    input: str = "",
    name: str = "",
    model: str = "",
    metadata: Mapping[str, Json] | None = None,
) -> Trace:
    """The trace that was added.

    Raises:
        UsageError: The output is too long, or the metadata are no JSON.
    """
    return Traces(database).log(output, input=input, name=name, model=model, metadata=metadata)


def get_traces(database: Database, trace_id: str | None = None, limit: int = 20) -> list[Trace]:
    """The named trace alone, else the newest ones first.

    Raises:
        NotFoundError: There is no such trace.
    """
    traces = Traces(database)
    return [traces.get(trace_id)] if trace_id else traces.newest(limit)


def has_trace(database: Database, trace_id: str) -> bool:
    """Whether there is such a trace."""
    return Traces(database).has(trace_id)


def delete_trace(database: Database, trace_id: str) -> bool:
    """Whether there was such a trace; it is gone now."""
    return Traces(database).delete(trace_id)
