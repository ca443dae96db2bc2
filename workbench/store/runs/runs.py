"""Names of runs, their traces, and runs imported with all that belongs to them."""

import json
import uuid
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

from workbench.errors import NotFoundError, UsageError
from workbench.records.comments import checked_title
from workbench.records.reviewers import normalize_reviewer_name
from workbench.records.run_listing import NamedRef, Trace
from workbench.records.source import Source
from workbench.records.text import Json, replace_surrogates, text_bytes, text_sha256
from workbench.records.transfer import ExternalRun, RunImportResult
from workbench.store.bibliography.checks import check_row
from workbench.store.rows import (
    Row,
    append_new_rows,
    append_rows,
    read_column,
    run_row,
    stored_text,
    verdict_row,
)
from workbench.store.store import Repository, Store

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


class RunNames(Repository):
    """Renaming runs, and what a reviewer jumps to by name."""

    def rename(self, run_id: str, title: str, reviewer: str) -> str:
        """The new title of the run; an empty one restores the original name.

        Raises:
            NotFoundError: There is no such run.
            UsageError: The title is too long, or the name cannot be used.
        """
        typed, renamed_by = checked_title(title), normalize_reviewer_name(reviewer)
        with self._store.transaction() as connection:
            rows = connection.execute("select name from runs where id = ?", [run_id]).fetchall()
            if not rows:
                raise NotFoundError(
                    f"There is no run {run_id!r} in {self._store.path}; see the list of runs."
                )
            before = rows[0][0]
            first = connection.execute(
                "select before from run_titles where run_id = ? order by created_at, id limit 1",
                [run_id],
            ).fetchall()
            after = typed or (first[0][0] if first else before)
            if after == before:
                return str(before)
            connection.execute(
                "insert into run_titles values (?, ?, ?, ?, ?, ?)",
                [str(uuid.uuid4()), run_id, after, before, renamed_by, self._now()],
            )
            connection.execute("update runs set name = ? where id = ?", [after, run_id])
        return str(after)

    def current(self, run_id: str) -> str:
        """The current title of a run; empty if it has none or does not exist."""
        return "".join(self._column("select name from runs where id = ?", [run_id]))

    def newest(self, limit: int = 300) -> tuple[list[NamedRef], list[NamedRef]]:
        """The newest runs and the newest open queues, newest first, without their figures."""
        runs, queues = (
            self._records(
                NamedRef,
                f"select id, name, created_at from {table} order by created_at desc, id limit ?",
                [limit],
            )
            for table in (
                "runs",
                "queues where id not in (select queue_id from queue_states group by queue_id "
                "having not arg_max(is_open, created_at))",
            )
        )
        return runs, queues


LONGEST = 5_000_000
"""Characters of one trace, all parts together."""


class Traces(Repository):
    """Traces, logged, read and deleted."""

    def log(
        self,
        output: str,
        *,
        input: str = "",
        name: str = "",
        model: str = "",
        metadata: Mapping[str, Json] | None = None,
    ) -> Trace:
        """The trace that was added.

        Raises:
            UsageError: It is longer than `LONGEST` characters, or its metadata are no JSON.
        """
        try:
            metadata_json = json.dumps(dict(metadata or {}))
        except (TypeError, ValueError) as error:
            raise UsageError("The metadata of a trace are a JSON object.") from error
        if len(output) + len(input) + len(metadata_json) > LONGEST:
            raise UsageError(
                f"A trace has at most {LONGEST:,} characters; log the answer without its context."
            )
        trace = Trace(
            id=str(uuid.uuid4()),
            name=name[:200],
            input=input,
            output=output,
            model=model[:200],
            metadata=dict(metadata or {}),
            created_at=self._now(),
        )
        self._insert(
            "traces", trace, omit=("runs",), input=text_bytes(input), output=text_bytes(output)
        )
        return trace

    def get(self, trace_id: str) -> Trace:
        """One trace.

        Raises:
            NotKept: There is no such trace.
        """
        traces = self._read("where t.id = ?", [trace_id], 1)
        if not traces:
            raise NotFoundError(f"There is no trace {trace_id!r} in {self._store.path}.")
        return traces[0]

    def has(self, trace_id: str) -> bool:
        """Whether there is such a trace."""
        return bool(self._read("where t.id = ?", [trace_id], 1))

    def newest(self, limit: int = 50) -> list[Trace]:
        """The newest traces, newest first."""
        return self._read("", [], limit)

    def delete(self, trace_id: str) -> bool:
        """Whether there was such a trace; its content is gone, the runs that verified it stay."""
        return bool(self._rows("delete from traces where id = ? returning id", [trace_id]))

    def _read(self, where: str, values: list[str], limit: int) -> list[Trace]:
        return self._records(
            Trace,
            "select t.*, (select list(r.id order by r.created_at) from runs r "
            f"where r.trace_id = t.id) as runs from traces t {where} "
            f"order by t.created_at desc, t.id limit {int(limit)}",
            values,
            input=stored_text,
            output=stored_text,
        )


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
