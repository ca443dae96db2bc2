"""Human labels between records and rows."""

import json
from collections.abc import Sequence
from dataclasses import fields
from typing import TYPE_CHECKING

from workbench.records.fields import FieldAnswer, parse_answers
from workbench.records.review import Label
from workbench.store.row_mapping import ensure_not_erased
from workbench.store.rows import insert_record, read_records

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

COLUMNS = ", ".join(field.name for field in fields(Label))
"""Those of the tables and views of labels that a label is made of."""


def insert_label(
    connection: "DuckDBPyConnection", label: Label, position: int | None = None
) -> None:
    """Add a label, at a position of its queue; one whose id is there already is left alone.

    Raises:
        StoreError: The label's output was erased.
    """
    ensure_not_erased(connection, label.run_id)
    insert_record(connection, "labels", label, once=True, queue_position=position)


def read_labels(
    connection: "DuckDBPyConnection",
    source: str,
    values: Sequence[object] = (),
) -> list[Label]:
    """The labels of a table or view with its conditions, oldest first."""
    return read_records(
        connection,
        Label,
        f"select {COLUMNS} from {source} order by created_at, id",
        values,
        answers=_answers,
    )


def _answers(stored: str) -> tuple[FieldAnswer, ...]:
    return parse_answers(json.loads(stored)) if stored != "[]" else ()
