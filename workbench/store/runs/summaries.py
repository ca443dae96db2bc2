"""One line of the list of runs, as a view of the database has it."""

import json
from collections.abc import Sequence
from dataclasses import fields
from typing import TYPE_CHECKING

from workbench.records.run_listing import RunSummary

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


SUMMARY_COLUMNS = tuple(column.name for column in fields(RunSummary))
"""Each field is a column of `_LISTED`."""
_LISTED = """
(select s.*, coalesce(d.data_set, '') as data_set
    from run_summaries s left join imported_runs d on d.run_id = s.id)
"""


def read_summaries(
    connection: "DuckDBPyConnection", clause: str, values: Sequence[str | int]
) -> list[RunSummary]:
    """The summaries that a clause of the query lets through, in its order."""
    # `references` is a word of SQL
    columns = ", ".join(f'"{name}"' for name in SUMMARY_COLUMNS)
    rows = connection.execute(f"select {columns} from {_LISTED} {clause}", list(values)).fetchall()
    return [
        RunSummary(**(dict(zip(SUMMARY_COLUMNS, row, strict=True)) | {"judge": _judges(row)}))
        for row in rows
    ]


def _judges(row: Sequence[str]) -> tuple[str, ...]:
    return tuple(json.loads(row[SUMMARY_COLUMNS.index("judge")]))
