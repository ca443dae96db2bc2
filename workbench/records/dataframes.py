"""Rows as a table of pandas, which is imported when a table is made."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from workbench.records.text import replace_surrogates

if TYPE_CHECKING:
    from pandas import DataFrame

Cell = str | int | float | bool | None

_WHOLE = frozenset({"start", "end", "reference", "quote_start", "quote_end", "page"})
_REAL = frozenset({"confidence", "score", "cost_usd"})


def to_dataframe(rows: Sequence[Mapping[str, Cell]], columns: Sequence[str]) -> "DataFrame":
    """The rows as a table whose column types do not hang on what the rows happen to hold."""
    import pandas as pd

    return pd.DataFrame(
        {
            name: pd.Series([_cell(row[name]) for row in rows], dtype=_dtype(name))
            for name in columns
        }
    )


def _dtype(name: str) -> str:
    return "Int64" if name in _WHOLE else "float64" if name in _REAL else "str"


def _cell(value: Cell) -> Cell:
    return replace_surrogates(value) if isinstance(value, str) else value
