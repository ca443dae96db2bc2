"""One line of the list of runs, as a view of the database has it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSummary:
    """One line of the list of runs."""

    id: str
    name: str
    output_sha256: str
    created_at: datetime
    judge: tuple[str, ...]
    finished: bool
    ended_at: datetime | None
    """None while the run goes on, and for good when its process died."""
    cost_usd: float
    """What is known of it: 0 where a model's price is unknown."""
    reserved_usd: float
    """Reserved for calls without an answer: under way, or cut off."""
    unpriced_calls: int
    """Calls to models whose price is unknown."""
    found: int
    done: int
    resolved: int
    supported: int
    errors: int
    labelled: int


SUMMARY_COLUMNS = tuple(column.name for column in fields(RunSummary))
"""The view of run summaries has a column for each field."""


def read_summaries(
    connection: "DuckDBPyConnection", clause: str, values: Sequence[str | int]
) -> list[RunSummary]:
    """The summaries that a clause of the query lets through, in its order."""
    rows = connection.execute(
        f"select {', '.join(SUMMARY_COLUMNS)} from run_summaries {clause}", list(values)
    ).fetchall()
    return [
        RunSummary(**(dict(zip(SUMMARY_COLUMNS, row, strict=True)) | {"judge": _judges(row)}))
        for row in rows
    ]


def _judges(row: Sequence[str]) -> tuple[str, ...]:
    return tuple(json.loads(row[SUMMARY_COLUMNS.index("judge")]))
