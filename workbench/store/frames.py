"""Queries of a notebook: they read, and nothing else."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from workbench.errors import UsageError
from workbench.records import shown

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection
    from pandas import DataFrame

_READING = ("SELECT", "EXPLAIN")


def read_frame(
    connection: "DuckDBPyConnection", sql: str, values: Sequence[str | int | float | None]
) -> "DataFrame":
    """What one reading query gives, within a unit of work.

    The transaction is made a read-only one, so that a write hidden in a query is refused too.

    Raises:
        UsageError: The query would write, is several statements, or cannot be run.
    """
    import duckdb

    try:
        sql.encode()  # what is no Unicode has no wire form
        statements = duckdb.extract_statements(sql)
    except (duckdb.Error, UnicodeError) as error:
        raise UsageError(f"The query is no SQL that can be read: {_said(error)}") from None
    if len(statements) != 1:
        raise UsageError(
            f"A table comes from one query; there are {len(statements)} statements here."
        )
    if statements[0].type.name not in _READING:
        raise _writes(statements[0].type.name)
    connection.rollback()
    connection.execute("begin transaction read only")
    try:
        given = [shown(one) if isinstance(one, str) else one for one in values]
        relation = connection.execute(statements[0], given)
        names = [column[0] for column in relation.description or ()]
        rows = relation.fetchall()
    except duckdb.TransactionException:
        raise _writes("writing") from None
    except (duckdb.Error, UnicodeError) as error:
        raise UsageError(f"The query cannot be run: {_said(error)}") from None
    return _frame(names, rows)


def _frame(names: Sequence[str], rows: Sequence[Sequence[object]]) -> "DataFrame":
    """The rows with their columns; two columns of one name stay two."""
    import pandas as pd

    columns = [pd.Series([row[at] for row in rows]) for at in range(len(names))]
    frame = pd.concat(columns, axis=1) if columns else pd.DataFrame()
    frame.columns = pd.Index(names)
    return frame


def _writes(kind: str) -> UsageError:
    return UsageError(
        f"Store.frame only reads, and this is a {kind.lower()} statement; labels are given with "
        "Store.label, everything else through the workbench's own verbs."
    )


def _said(error: Exception) -> str:
    """The first line of what DuckDB says; what follows draws an arrow under the query."""
    return shown(str(error)).strip().split("\n")[0].rstrip(".") + "."
