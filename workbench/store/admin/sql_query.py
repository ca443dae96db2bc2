"""Queries of a notebook: they read this database, and nothing else.

A query runs in a process of its own (`query_process`), which has the file open for reading and is
killed past its limits. Meanwhile this process keeps the workbench's other threads and processes
away from the file, so a query may take no longer than they wait for it.
"""

import pickle
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict
from os import environ, pathsep
from pathlib import Path
from typing import TYPE_CHECKING, cast

from workbench.errors import StoreError, UsageError
from workbench.records.text import replace_surrogates
from workbench.store.admin import query_process
from workbench.store.admin.query_process import QueryLimits, Value
from workbench.store.connection import PATIENCE_S, exclusive_access

if TYPE_CHECKING:
    from pandas import DataFrame

LIMITS = QueryLimits(
    seconds=10,
    memory_bytes=1024 * 2**20,
    address_space_bytes=3 * 1024 * 2**20,
    rows=1_000_000,
    table_bytes=256 * 2**20,
)
_START_S = 60
"""For the interpreter and its imports, which a busy machine makes slow."""
_PASSED_ON = ("PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "TZ", "SYSTEMROOT")
assert LIMITS.seconds < PATIENCE_S, "whoever waits for the file would give up during a query"


def read_frame(
    path: Path, sql: str, values: Sequence[Value], limits: QueryLimits = LIMITS
) -> "DataFrame":
    """What one reading query over a database file gives.

    Raises:
        UsageError: The query is no single SELECT, cannot be run, reaches for anything but the
            database, or breaks a limit.
        StoreError: The file stays locked.
    """
    parameters = [
        replace_surrogates(value) if isinstance(value, str) else value for value in values
    ]
    try:
        sql.encode()  # what is no Unicode has no wire form
    except UnicodeError as error:
        raise UsageError(f"The query is not valid SQL: {_sentence(error)}") from None
    with exclusive_access(path):
        kind, detail = _ask((str(path), sql, parameters, asdict(limits)), limits)
    if kind != "table":
        raise UsageError(_refusal(kind, detail, limits))
    names, rows = cast("tuple[list[str], list[tuple[object, ...]]]", detail)
    return _frame(names, rows)


def _ask(request: tuple[object, ...], limits: QueryLimits) -> query_process.Answer:
    """The child's answer; `time` or `memory` where it was killed."""
    try:
        process = subprocess.run(
            # -P: the folder of the script holds modules that are called like others
            [sys.executable, "-P", query_process.__file__],
            input=pickle.dumps(request),
            capture_output=True,
            timeout=_START_S + limits.seconds,
            # no key of any service travels to a process that runs foreign SQL
            env={name: environ[name] for name in _PASSED_ON if name in environ}
            | {"PYTHONPATH": pathsep.join(filter(None, sys.path))},
            check=False,
        )
    except subprocess.TimeoutExpired:
        return "time", None
    except OSError as error:
        raise StoreError(
            f"The process that runs queries cannot be started ({error.strerror}): free some "
            "memory, and try again."
        ) from None
    if process.returncode == -getattr(signal, "SIGALRM", 0):
        return "time", None
    if process.returncode or not process.stdout:
        return "memory", None
    answer: query_process.Answer = pickle.loads(process.stdout)
    return answer


def _refusal(kind: str, detail: object, limits: QueryLimits) -> str:
    """The sentence for a query that gave no table."""
    if kind == "writes":
        return (
            f"Store.frame only reads: it takes one SELECT statement, and this is {detail}. Labels "
            "are given with Store.label, everything else through the workbench's own verbs."
        )
    return {
        "no_sql": f"The query is not valid SQL: {_sentence(detail)}",
        "statements": f"A table comes from a single query; there are {detail} statements here.",
        "outside": "Store.frame reads this database only, and the query reaches for something "
        "else: a file, an address, another database, an extension or a secret. Read files with "
        "pandas.",
        "time": (
            f"The query was stopped after {limits.seconds} s, the time limit: query less at a time."
        ),
        "memory": (
            f"The query needs more than {limits.memory_bytes / 2**30:g} GiB of memory and was "
            f"stopped: query less at a time."
        ),
        "rows": f"The query gives more than {limits.rows:,} rows or "
        f"{limits.table_bytes // 2**20} MiB: add a LIMIT, or choose fewer columns.",
    }.get(kind, f"The query cannot be run: {_sentence(detail)}")


def _frame(names: Sequence[str], rows: Sequence[Sequence[object]]) -> "DataFrame":
    """The rows with their columns; two columns of one name stay two."""
    import pandas as pd

    columns = [pd.Series([row[at] for row in rows]) for at in range(len(names))]
    frame = pd.concat(columns, axis=1) if columns else pd.DataFrame()
    frame.columns = pd.Index(names)
    return frame


def _sentence(error: object) -> str:
    """The first line of what DuckDB says; what follows draws an arrow under the query."""
    return replace_surrogates(str(error)).strip().split("\n")[0].rstrip(".") + "."
