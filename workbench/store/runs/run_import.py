"""Runs that were made elsewhere, taken in with their verdicts and their sources' texts."""

import json
from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

from workbench.records.source import Source
from workbench.records.text import replace_surrogates, text_bytes, text_sha256
from workbench.records.transfer import ExternalRun, RunImportResult
from workbench.store.bibliography.checks import check_row
from workbench.store.row_mapping import run_row, verdict_row
from workbench.store.store import Store

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def merge_runs(store: Store, external_runs: Sequence[ExternalRun]) -> RunImportResult:
    """How many of the runs were new; each is kept whole or not at all, and only once.

    Raises:
        StoreError: The database cannot be used.
    """
    with store.transaction() as connection:
        known_ids = _existing_ids(connection, "select id from runs where id in", external_runs)
        erased = _existing_ids(
            connection, "select id from (select unnest(run_ids) as id from erasures) where id in",
            external_runs,
        )  # fmt: skip
        new = {
            external.run.id: external
            for external in external_runs
            if external.run.id not in known_ids and external.run.id not in erased
        }
        _add(connection, list(new.values()))
    return RunImportResult(
        added=len(new), known=len(known_ids), erased=tuple(sorted(erased - known_ids))
    )


def _existing_ids(
    connection: "DuckDBPyConnection", clause: str, external_runs: Sequence[ExternalRun]
) -> set[str]:
    rows = connection.execute(
        f"{clause} (select unnest(?::varchar[]))", [[external.run.id for external in external_runs]]
    ).fetchall()
    return {row[0] for row in rows}


def _add(connection: "DuckDBPyConnection", external_runs: Sequence[ExternalRun]) -> None:
    if not external_runs:
        return
    outputs = {
        external.run.output_sha256: (
            external.run.output_sha256, replace_surrogates(external.name),
            text_bytes(external.text), external.run.created_at,
        )
        for external in external_runs
    }  # fmt: skip
    runs = [run_row(external.run, external.name) for external in external_runs]
    ends = [
        (
            external.run.id, external.run.created_at + timedelta(seconds=external.run.timings.get("total", 0.0)),
            external.run.finished, external.run.cost_usd, json.dumps(dict(external.run.timings)),
            external.run.reserved_usd, external.run.unpriced_calls,
        )
        for external in external_runs
    ]  # fmt: skip
    verdicts = [
        verdict_row(external.run.id, result, external.run.created_at)
        for external in external_runs
        for result in external.run.citations
    ]
    checks = [
        check_row(external.run.id, position, check, external.run.created_at)
        for external in external_runs
        for position, check in enumerate(external.run.reference_checks)
    ]
    _insert(connection, "outputs", list(outputs.values()))
    _insert(connection, "source_texts", _texts(external_runs))
    for table, rows in (
        ("runs", runs),
        ("verdicts", verdicts),
        ("reference_checks", checks),
        ("run_completions", ends),
    ):
        if rows:
            with connection.appender(table) as appender:
                appender.append_rows(rows)


def _texts(external_runs: Sequence[ExternalRun]) -> list[tuple[object, ...]]:
    texts: dict[tuple[str, str], tuple[Source, ExternalRun]] = {}
    for external in external_runs:
        for result in external.run.citations:
            source = result.source
            if source is not None and source.text:
                texts.setdefault((source.sha256, text_sha256(source.text)), (source, external))
    return [
        (
            sha256, text_sha, replace_surrogates(source.title or ""), source.content_type,
            text_bytes(source.text),
            json.dumps([{"number": page.number, **page.span.to_dict()} for page in source.pages]),
            external.run.created_at,
        )
        for (sha256, text_sha), (source, external) in texts.items()
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
