"""Runs that were made elsewhere, taken in with their verdicts and their sources' texts."""

import json
from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

from workbench.records import (
    ExternalRun,
    RunImportResult,
    Source,
    replace_surrogates,
    text_bytes,
    text_sha256,
)
from workbench.store.row_mapping import run_row, verdict_row
from workbench.store.store import Store

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def merge_runs(store: Store, made: Sequence[ExternalRun]) -> RunImportResult:
    """How many of the runs were new; each is kept whole or not at all, and only once.

    Raises:
        StoreError: The database cannot be used.
    """
    with store.transaction() as connection:
        known = _known(connection, "select id from runs where id in", made)
        erased = _known(
            connection, "select id from (select unnest(run_ids) as id from erasures) where id in",
            made,
        )  # fmt: skip
        new = {
            one.run.id: one for one in made if one.run.id not in known and one.run.id not in erased
        }
        _add(connection, list(new.values()))
    return RunImportResult(added=len(new), known=len(known), erased=tuple(sorted(erased - known)))


def _known(connection: "DuckDBPyConnection", clause: str, made: Sequence[ExternalRun]) -> set[str]:
    rows = connection.execute(
        f"{clause} (select unnest(?::varchar[]))", [[one.run.id for one in made]]
    ).fetchall()
    return {row[0] for row in rows}


def _add(connection: "DuckDBPyConnection", made: Sequence[ExternalRun]) -> None:
    if not made:
        return
    outputs = {
        one.run.output_sha256: (
            one.run.output_sha256, replace_surrogates(one.name), text_bytes(one.text), one.run.created_at,
        )
        for one in made
    }  # fmt: skip
    runs = [run_row(one.run, one.name) for one in made]
    ends = [
        (
            one.run.id, one.run.created_at + timedelta(seconds=one.run.timings.get("total", 0.0)),
            one.run.finished, one.run.cost_usd, json.dumps(dict(one.run.timings)),
            one.run.reserved_usd, one.run.unpriced_calls,
        )
        for one in made
    ]  # fmt: skip
    verdicts = [
        verdict_row(one.run.id, result, one.run.created_at)
        for one in made
        for result in one.run.citations
    ]
    _insert(connection, "outputs", list(outputs.values()))
    _insert(connection, "source_texts", _texts(made))
    for table, rows in (("runs", runs), ("verdicts", verdicts), ("run_completions", ends)):
        if rows:
            with connection.appender(table) as appender:
                appender.append_rows(rows)


def _texts(made: Sequence[ExternalRun]) -> list[tuple[object, ...]]:
    found: dict[tuple[str, str], tuple[Source, ExternalRun]] = {}
    for one in made:
        for result in one.run.citations:
            source = result.source
            if source is not None and source.text:
                found.setdefault((source.sha256, text_sha256(source.text)), (source, one))
    return [
        (
            sha256, text_sha, replace_surrogates(source.title or ""), source.content_type,
            text_bytes(source.text),
            json.dumps([{"number": page.number, **page.span.to_dict()} for page in source.pages]),
            one.run.created_at,
        )
        for (sha256, text_sha), (source, one) in found.items()
    ]  # fmt: skip


def _insert(
    connection: "DuckDBPyConnection", table: str, rows: Sequence[tuple[object, ...]]
) -> None:
    """Add rows, all at once; those that are there already are left alone."""
    if not rows:
        return
    connection.execute(f"create or replace temp table new_rows as from {table} limit 0")
    with connection.appender("new_rows") as appender:
        appender.append_rows(rows)
    connection.execute(f"insert into {table} from new_rows on conflict do nothing")
    connection.execute("drop table new_rows")
