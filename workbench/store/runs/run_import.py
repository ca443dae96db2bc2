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
from workbench.store.rows import Row, append_new_rows, append_rows, read_column
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
    ids = [external.run.id for external in external_runs]
    return set(read_column(connection, f"{clause} (select unnest(?::varchar[]))", [ids]))


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
    append_new_rows(connection, "outputs", list(outputs.values()))
    append_new_rows(connection, "source_texts", _texts(external_runs))
    append_rows(connection, "runs", runs)
    append_rows(connection, "verdicts", verdicts)
    append_rows(connection, "reference_checks", checks)
    append_rows(connection, "run_completions", ends)


def _texts(external_runs: Sequence[ExternalRun]) -> list[Row]:
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
