"""The process that runs one query of `Store.frame`; it may be killed at any moment.

It has the file open for reading, and nothing else: no other file, no address, no extension. A
process of its own, because DuckDB cannot be interrupted within one function over one huge value,
and does not count such a value towards its memory limit. It imports nothing of the workbench, so
that it starts fast (about 0.2 s).

What goes in and out over the standard streams is pickled, by this process and its parent alone.
"""

import pickle
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

SEALED = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
}
"""DuckDB's settings under which a database reaches no other file, address or extension: what stands
in one, a view of a restored backup for instance, need not be the workbench's own."""
Value = str | int | float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryLimits:
    """What one query may take."""

    seconds: int
    """Of wall time, from the moment that the process is ready."""
    memory_bytes: int
    """Of DuckDB's buffers."""
    address_space_bytes: int
    """Of the whole process, the rows that it hands back included."""
    rows: int
    """Of the table that comes back."""
    table_bytes: int
    """Of the table that comes back, pickled."""


Answer = tuple[str, object]
"""`("table", (names, rows))`, or one of the refusals below with its detail."""


def answer(path: str, sql: str, values: Sequence[Value], limits: QueryLimits) -> Answer:
    """The table that a query gives, or why it gives none.

    Refusals: `no_sql` and `failed` (DuckDB's words), `statements` (their number), `writes` (the
    kind of statement, in capitals), `outside`, `memory` and `rows` (None).
    """
    import duckdb

    try:
        statements = duckdb.extract_statements(sql)
    except duckdb.Error as error:
        return "no_sql", str(error)
    if len(statements) != 1:
        return "statements", len(statements)
    if statements[0].type.name != "SELECT":
        return "writes", statements[0].type.name
    try:
        with _read_only(path, limits) as connection:
            result = connection.execute(statements[0], list(values))
            names = [column[0] for column in result.description or ()]
            rows = result.fetchmany(limits.rows + 1)
    except duckdb.PermissionException:
        return "outside", None
    except (duckdb.OutOfMemoryException, MemoryError):
        return "memory", None
    except duckdb.Error as error:
        words = str(error)
        return ("writes", "a write") if "read-only mode" in words else ("failed", words)
    if len(rows) > limits.rows:
        return "rows", None
    return "table", (names, rows)


def _read_only(path: str, limits: QueryLimits) -> "DuckDBPyConnection":
    """A connection that reads this file alone; what is set here cannot be set back by a query."""
    import duckdb

    return duckdb.connect(
        path,
        read_only=True,
        config={
            **SEALED,
            "python_enable_replacements": "false",
            "memory_limit": f"{limits.memory_bytes // 2**20}MiB",
            "temp_directory": "",  # what does not fit into memory is refused, not written
            "threads": "2",
            "lock_configuration": "true",
        },
    )


def main() -> None:
    """Answer one request on standard input; the alarm ends the process, even inside a C call."""
    import duckdb  # noqa: F401  # the clock starts after the import

    path, sql, values, limit_values = pickle.load(sys.stdin.buffer)
    limits = QueryLimits(**limit_values)
    with suppress(ImportError, ValueError, OSError):  # a platform without such limits
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        space = (limits.address_space_bytes, limits.address_space_bytes)
        resource.setrlimit(resource.RLIMIT_AS, space)
    if hasattr(signal, "alarm"):
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
        signal.alarm(limits.seconds)
    try:
        reply = pickle.dumps(answer(path, sql, values, limits))
    except MemoryError:
        reply = pickle.dumps(("memory", None))
    if len(reply) > limits.table_bytes:
        reply = pickle.dumps(("rows", None))
    sys.stdout.buffer.write(reply)


if __name__ == "__main__":
    main()
