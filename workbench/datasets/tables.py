"""Data sets as Parquet: one fixed schema, so that every file of a set has the same columns."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.datasets.answers import GIVEN, STANDING, flat_answers
from workbench.datasets.export_counts import ExportCounts
from workbench.datasets.line_writers import ExportOptions
from workbench.datasets.row_format import COLUMNS, row_flat
from workbench.records.example import Example
from workbench.records.fields import ReviewField
from workbench.records.text import Json

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped]

ROW_GROUP = 1_000
"""Rows held in memory at a time."""
NUMBERS = ("start", "end")
SHARES = ("judge_score", "judge_confidence")


def schema(fields: Sequence[ReviewField] = ()) -> "pa.Schema":
    """The columns with their types, two for each field; nothing in it depends on the rows."""
    import pyarrow as pa

    quote = pa.list_(
        pa.struct(
            [("quote", pa.string()), ("start", pa.int64()), ("end", pa.int64()),
             ("page", pa.int64())]
        )
    )  # fmt: skip
    labels = pa.list_(
        pa.struct(
            [("reviewer", pa.string()), ("label", pa.string()), ("role", pa.string()),
             ("note", pa.string()), ("created_at", pa.string()), ("guide", pa.int64()),
             ("saw_judge", pa.bool_()), ("by_person", pa.bool_()), ("evidence", quote)]
        )
    )  # fmt: skip
    kinds = {"labels": labels, "evidence": quote}
    kinds |= dict.fromkeys(NUMBERS, pa.int64()) | dict.fromkeys(SHARES, pa.float64())
    answers = {"score": pa.int64(), "choices": pa.list_(pa.string())}
    given = pa.list_(pa.struct([("reviewer", pa.string()), ("answer", pa.string())]))
    columns = [(name, kinds.get(name, pa.string())) for name in COLUMNS]
    for field in fields:
        columns.append((STANDING + field.name, answers.get(field.kind, pa.string())))
        columns.append((GIVEN + field.name, given))
    return pa.schema(columns)


class TableFile:
    """A Parquet file that is written a thousand rows at a time."""

    def __init__(self, path: Path, fields: Sequence[ReviewField] = ()) -> None:
        import pyarrow.parquet as pq  # type: ignore[import-untyped]

        self._schema = schema(fields)
        self._writer = pq.ParquetWriter(
            path, self._schema, compression="zstd", version="2.6", write_statistics=True,
            store_schema=True, use_dictionary=True,
        )  # fmt: skip
        self._fields = tuple(fields)
        self._pending: list[dict[str, Json]] = []

    def add(self, example: Example, *, source_text: bool) -> None:
        """Take one row."""
        row = row_flat(example, source_text=source_text)
        self._pending.append(row | flat_answers(example.row.labels, self._fields))
        if len(self._pending) >= ROW_GROUP:
            self._write()

    def close(self) -> None:
        """Write what is held and end the file."""
        try:
            self._write()
        finally:
            self._writer.close()

    def _write(self) -> None:
        import pyarrow as pa

        if self._pending:
            self._writer.write_table(pa.Table.from_pylist(self._pending, schema=self._schema))
            self._pending = []


def write_parquet(
    rows: Iterable[Example], path: Path, shape: ExportOptions, tally: ExportCounts
) -> None:
    """Write the rows; `labels` and `evidence` are lists of structs."""
    file = TableFile(path, shape.fields)
    try:
        for row in rows:
            tally.add(row)
            file.add(row, source_text=shape.source_text)
    finally:
        file.close()
