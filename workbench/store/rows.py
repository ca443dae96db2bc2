"""Records as rows and back, by the fields that they declare."""

import json
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import fields
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, cast, get_args, get_origin, get_type_hints

from workbench.records.codec import Record, reader_of, to_json
from workbench.records.text import replace_surrogates

if TYPE_CHECKING:
    from _typeshed import DataclassInstance
    from duckdb import DuckDBPyConnection

Row = tuple[Any, ...]
Values = Sequence[object] | Mapping[str, object]
Convert = Callable[[Any], object]
_Record = TypeVar("_Record")

PAIRS = "(select unnest($runs::varchar[]) as run_id, unnest($citations::varchar[]) as citation_id)"
"""The table of some citations; `pair_values` holds what it needs."""


SPAN = "{'start': start_at, 'end': end_at} as span"
"""The columns of a span."""


def pair_values(items: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """What `PAIRS` needs: the ids of runs and of citations in them."""
    pairs = list(items)
    return {"runs": [run_id for run_id, _ in pairs], "citations": [name for _, name in pairs]}


def read_records(
    connection: "DuckDBPyConnection",
    record: type[_Record],
    query: str,
    values: Values = (),
    **readers: Convert,
) -> list[_Record]:
    """The rows of a query as records: each column is the field of its name.

    Lists and JSON become what the field's type says; `readers` convert columns of another form.
    """
    result = connection.execute(query, values)
    names = [column[0] for column in result.description or ()]
    known = {**_readers(cast(Hashable, record)), **readers}
    converted = [(name, known[name]) for name in names if name in known]
    records = []
    for row in result.fetchall():
        cells = dict(zip(names, row, strict=True))
        for name, convert in converted:
            cells[name] = convert(cells[name])
        records.append(record(**cells))
    return records


@cache
def _readers(record: Any) -> Mapping[str, Convert]:  # noqa: ANN401  # a dataclass
    hints = get_type_hints(record)
    return {
        field.name: _cell_reader(hints[field.name])
        for field in fields(record)
        if _is_structured(hints[field.name])
    }


def _is_structured(hint: object) -> bool:
    """Whether a type is none that the database has: a list, a mapping or a record."""
    kinds = [kind for part in (hint, *get_args(hint)) for kind in (get_origin(part), part)]
    return any(
        isinstance(kind, type) and issubclass(kind, (tuple, Mapping, Record)) for kind in kinds
    )


def _cell_reader(hint: object) -> Convert:
    read, empty = reader_of(hint), () if get_origin(hint) is tuple else None

    def read_cell(value: Any) -> object:  # noqa: ANN401  # of any column
        if value is None or value == "[]":
            return empty
        return read(json.loads(value) if isinstance(value, str) else value)

    return read_cell


def insert_record(
    connection: "DuckDBPyConnection",
    table: str,
    record: "DataclassInstance",
    *,
    omit: Collection[str] = (),
    once: bool = False,
    **others: object,
) -> None:
    """Add a record as a row: each field is the column of its name, but for those to `omit`.

    `others` are further columns, or other values; with `once` a row whose key is there is kept.
    """
    row = {
        name: others[name] if name in others else write(getattr(record, name))
        for name, write in _writers(type(record))
        if name not in omit
    } | others
    connection.execute(
        f"insert into {table} ({', '.join(row)}) values ({', '.join('?' * len(row))})"
        f"{' on conflict do nothing' if once else ''}",
        list(row.values()),
    )


@cache
def _writers(record: Any) -> tuple[tuple[str, Convert], ...]:  # noqa: ANN401  # a dataclass
    hints = get_type_hints(record)
    return tuple((field.name, _cell_writer(hints[field.name])) for field in fields(record))


def _cell_writer(hint: object) -> Convert:
    if not _is_structured(hint):
        return lambda value: replace_surrogates(value) if isinstance(value, str) else value
    inside = get_args(hint)[:1]
    if get_origin(hint) is tuple and (inside == (str,) or not isinstance(inside[0], type)):
        return lambda value: [replace_surrogates(part) for part in value]
    return lambda value: json.dumps(to_json(value))


def stored_text(body: bytes | None) -> str:
    """The text of its stored bytes, as `text_bytes` gives them; empty for none."""
    return bytes(body or b"").decode("utf-8", "surrogatepass")


def where_of(**filters: object) -> tuple[str, list[object]]:
    """The condition on columns that rows with these values meet, and the values; None is any."""
    chosen = {name: value for name, value in filters.items() if value is not None}
    return " and ".join(f"{name} = ?" for name in chosen) or "true", list(chosen.values())


def read_column(
    connection: "DuckDBPyConnection", query: str, values: Values = ()
) -> tuple[Any, ...]:
    """The only column of a query."""
    return tuple(value for (value,) in connection.execute(query, values).fetchall())


def read_number(connection: "DuckDBPyConnection", query: str, values: Values = ()) -> int:
    """The only value of a query, a whole number."""
    ((number,),) = connection.execute(query, values).fetchall()
    return int(number)


def append_rows(
    connection: "DuckDBPyConnection", table: str, rows: Sequence[tuple[object, ...]]
) -> None:
    """Add rows of all columns of a table, all at once; none of them is there yet."""
    if rows:
        with connection.appender(table) as appender:
            appender.append_rows(rows)


def append_new_rows(
    connection: "DuckDBPyConnection", table: str, rows: Sequence[tuple[object, ...]]
) -> None:
    """Add rows of all columns of a table, all at once; those that are there are left alone."""
    if rows:
        connection.execute(f"create or replace temp table new_rows as from {table} limit 0")
        append_rows(connection, "new_rows", rows)
        connection.execute(f"insert into {table} from new_rows on conflict do nothing")
        connection.execute("drop table new_rows")
