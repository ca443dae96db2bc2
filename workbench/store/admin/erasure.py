"""Deleting an output with everything that hangs on it; what stays is a trace without content.

Rows that are deleted leave their bytes in the file, so the file is rewritten afterwards. Backups
and exports that were made before are not reached from here.
"""

import json
import os
import uuid
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.errors import StoreError
from workbench.records.review import Erasure, ErasureReason
from workbench.records.reviewers import normalize_reviewer_name
from workbench.records.transfer import ErasurePlan, ErasureResult
from workbench.store.connection import exclusive_access, mark_rewritten
from workbench.store.rows import insert_record, read_column, read_number
from workbench.store.store import Repository

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

GONE = "(select id from gone)"
DELETED: tuple[tuple[str, str], ...] = (
    ("label_withdrawals", f"label_id in (select id from labels where run_id in {GONE})"),
    ("queue_skips", "(queue_id, position) in (select (queue_id, position) from gone_places)"),
    ("reservations", "(queue_id, position) in (select (queue_id, position) from gone_places)"),
    ("queue_items", f"run_id in {GONE}"),
    ("judgment_reveals", f"run_id in {GONE}"),
    ("split_items", f"run_id in {GONE}"),
    ("offline_judgments", f"run_id in {GONE}"),
    ("matrix_cells", f"run_id in {GONE}"),
    ("reference_examples", f"run_id in {GONE}"),
    ("prompt_values", f"prompt_id in (select prompt_id from prompt_items where run_id in {GONE})"),
    ("prompt_items", f"run_id in {GONE}"),
    ("claim_corrections", f"run_id in {GONE}"),
    (
        "correction_decision_withdrawals",
        f"decision_id in (select id from correction_decisions where run_id in {GONE})",
    ),
    ("correction_decisions", f"run_id in {GONE}"),
    (
        "reference_label_withdrawals",
        f"label_id in (select id from reference_labels where run_id in {GONE})",
    ),
    ("reference_labels", f"run_id in {GONE}"),
    ("reference_checks", f"run_id in {GONE}"),
    # questions hold the words of entries, and do not tell of which output
    ("index_answers", f"exists (from {GONE})"),
    ("labels", f"run_id in {GONE}"),
    ("citation_comments", f"run_id in {GONE}"),
    (
        "sentence_correction_withdrawals",
        f"correction_id in (select id from sentence_corrections where run_id in {GONE})",
    ),
    ("sentence_corrections", f"run_id in {GONE}"),
    ("sentence_suggestions", f"run_id in {GONE}"),
    ("run_titles", f"run_id in {GONE}"),
    ("imported_items", f"run_id in {GONE}"),
    # a file of which nothing is left: its name may tell what was in it
    ("imports", "id not in (select import_id from imported_items)"),
    ("source_texts", "(sha256, text_sha256) in (select (sha256, text_sha256) from gone_texts)"),
    (
        "acceptance_withdrawals",
        "acceptance_id in (select id from acceptances where sha256 in "
        "(select sha256 from gone_bodies))",
    ),
    ("acceptances", "sha256 in (select sha256 from gone_bodies)"),
    ("supplied_sources", "sha256 in (select sha256 from gone_bodies)"),
    ("verdicts", f"run_id in {GONE}"),
    ("run_completions", f"run_id in {GONE}"),
    ("spending_calls", f"account_id in (select 'run:' || id from {GONE})"),
    ("spending_accounts", f"id in (select 'run:' || id from {GONE})"),
    ("traces", f"id in (select trace_id from runs where id in {GONE})"),
    ("examples", f"kind = 'run' and id in {GONE}"),
    ("runs", f"id in {GONE}"),
    ("outputs", "sha256 in (select sha256 from gone_outputs)"),
)
"""Which rows of which table go, in this order: rows are found through those further down."""
LOOKED_THROUGH = ("judgments",)
"""Kept by a key that does not tell of which output: those that say what an erased one says go."""
KEPT = (
    "erasures", "guides", "migrations", "optimization_steps", "optimizations", "prompts",
    "queue_assignments", "queue_states", "queues", "reference_evaluations", "reference_registries",
    "reference_sets", "registry_records", "registry_terms", "retractions", "splits", "test_set_accesses", "thresholds",
)  # fmt: skip
"""Tables that hold nothing of an output."""

_FIND = """
create or replace temp table gone as select id from runs where output_sha256 = $output
"""
_FIND_HANGING = """
create or replace temp table gone_outputs as
    select distinct output_sha256 as sha256 from runs where id in (select id from gone)
    except select output_sha256 from runs where id not in (select id from gone);
create or replace temp table gone_places as
    select queue_id, position from queue_items where run_id in (select id from gone);
create or replace temp table gone_texts as
    select distinct source_sha256 as sha256, text_sha256 from verdicts
    where run_id in (select id from gone) and text_sha256 is not null
    except select source_sha256, text_sha256 from verdicts
    where run_id not in (select id from gone);
create or replace temp table gone_bodies as
    select distinct source_sha256 as sha256 from verdicts
    where run_id in (select id from gone) and source_sha256 is not null
    except select source_sha256 from verdicts where run_id not in (select id from gone)
"""
FIND_HANGING = tuple(_FIND_HANGING.split(";\n"))
"""Put what hangs on the runs in the temporary table `gone` into more of them."""


class Erasures(Repository):
    """Deleting outputs, and the traces of it."""

    def output_of(self, name: str) -> str:
        """The hash of the output that a run's id, or the hash or its beginning, names.

        Raises:
            StoreError: Nothing or more than one output has that name, or it was erased.
        """
        outputs = self._column(
            "select output_sha256 from runs where id = $name union select sha256 from outputs "
            "where length($name) >= 8 and starts_with(sha256, lower($name))",
            {"name": name},
        )
        if len(outputs) == 1:
            return str(outputs[0])
        if outputs:
            raise StoreError(f"{name} matches {len(outputs)} outputs; type more of the name.")
        trace = self.trace_of(name)
        if trace:
            raise StoreError(f"{name} was erased on {trace.created_at:%Y-%m-%d} already.")
        raise StoreError(
            f"There is no run and no output {name!r} in {self._store.path}; see the list of runs."
        )

    def plan(self, output_sha256: str) -> ErasurePlan:
        """What would go with an output; nothing is changed.

        Raises:
            StoreError: No output has that hash.
        """
        with self._store.transaction() as connection:
            self._find(connection, output_sha256)
            ((name, created_at),) = connection.execute(
                "select name, created_at from outputs where sha256 = ?", [output_sha256]
            ).fetchall()
            records = read_column(connection, f"select record from verdicts where run_id in {GONE}")
            configs = read_column(connection, f"select config from runs where id in {GONE}")
            open_runs = read_number(
                connection,
                "select count(*) from gone where id not in (select run_id from last_run_completions "
                "where finished)",
            )
            labels = f"from labels where run_id in {GONE}"
            return ErasurePlan(
                output_sha256=output_sha256,
                name=name,
                created_at=created_at,
                run_ids=read_column(connection, "select id from gone order by id"),
                ended=open_runs == 0,
                verdicts=len(records),
                labels=read_number(connection, f"select count(*) {labels}"),
                notes=read_number(connection, f"select count(*) {labels} and note <> ''"),
                places=read_number(connection, "select count(*) from gone_places"),
                sources=read_number(connection, "select count(*) from gone_texts"),
                bodies=read_column(connection, "select sha256 from gone_bodies order by sha256"),
                addresses=tuple(sorted(_addresses(records))),
                folders=tuple(sorted(_folders(configs))),
            )

    def bodies_in_use(self) -> frozenset[str]:
        """Hashes of the source bodies that any verdict uses."""
        return frozenset(
            self._column(
                "select distinct source_sha256 from verdicts where source_sha256 is not null"
            )
        )

    def _find(self, connection: "DuckDBPyConnection", output_sha256: str) -> None:
        """Put what goes with an output into temporary tables."""
        if not read_number(
            connection, "select count(*) from outputs where sha256 = ?", [output_sha256]
        ):
            raise StoreError(f"There is no output {output_sha256[:12]} in {self._store.path}.")
        connection.execute(_FIND, {"output": output_sha256})
        for statement in FIND_HANGING:
            connection.execute(statement)

    def erase(self, output_sha256: str, reviewer: str, reason: ErasureReason) -> ErasureResult:
        """What was deleted of an output and all that hangs on it.

        That is its runs, their verdicts, labels and notes, its queue items, kept judgments
        that say the same, and the texts of sources that nothing else uses.

        Raises:
            StoreError: No output has that hash; or all was deleted, and the file could not be
                rewritten: `rewrite` does that later.
        """
        now, reviewer_name = self._now(), normalize_reviewer_name(reviewer)
        with exclusive_access(self._store.path):
            with self._store.transaction() as connection:
                self._find(connection, output_sha256)
                bodies = read_column(connection, "select sha256 from gone_bodies order by sha256")
                verdicts, labels, sources = (
                    read_number(connection, f"select count(*) from {table}")
                    for table in (
                        f"verdicts where run_id in {GONE}",
                        f"labels where run_id in {GONE}",
                        "gone_texts",
                    )
                )
                trace = Erasure(
                    id=str(uuid.uuid4()),
                    reviewer=reviewer_name,
                    reason=reason,
                    created_at=now,
                    run_ids=read_column(connection, "select id from gone order by id"),
                    verdicts=verdicts,
                    labels=labels,
                    sources=sources,
                )
                delete_judgments(connection)
                for table, where in DELETED:
                    connection.execute(f"delete from {table} where {where}")
                insert_record(connection, "erasures", trace)
            self.rewrite()
        return ErasureResult(trace=trace, bodies=bodies)

    def traces(self) -> list[Erasure]:
        """Every erasure, newest first."""
        return self._records(Erasure, "from erasures order by created_at desc, id")

    def trace_of(self, run_id: str) -> Erasure | None:
        """The erasure that took a run; None for a run that was never erased."""
        return next((trace for trace in self.traces() if run_id in trace.run_ids), None)

    def rewrite(self) -> None:
        """Rewrite the file, so that it holds no bytes of what was deleted.

        Raises:
            StoreError: There is no room for a second copy beside the file.
        """
        path = Path(os.path.realpath(self._store.path))
        fresh = path.with_name(path.name + ".rewritten")
        with exclusive_access(path):
            try:
                fresh.unlink(missing_ok=True)
                _copy(path, fresh)
                os.replace(fresh, path)
                mark_rewritten(path)
            except OSError as error:
                raise _not_rewritten(path, error) from None
            finally:
                fresh.unlink(missing_ok=True)


def _copy(path: Path, fresh: Path) -> None:
    import duckdb

    try:
        connection = duckdb.connect(str(path))
        try:
            ((name,),) = connection.execute("select current_database()").fetchall()
            source = '"' + name.replace('"', '""') + '"'
            place = str(fresh).replace("'", "''")
            connection.execute(f"attach '{place}' as rewritten")
            connection.execute(f"copy from database {source} to rewritten")
            connection.execute("detach rewritten")
        finally:
            connection.close()
    except duckdb.Error as error:
        raise _not_rewritten(path, error) from None


def _not_rewritten(path: Path, error: Exception) -> StoreError:
    return StoreError(
        f"Everything was deleted, but {path} could not be rewritten and may still contain bytes of "
        f"it ({type(error).__name__}); free as much disk space as the file uses, then run "
        "`workbench erase --rewrite`."
    )


def delete_judgments(connection: "DuckDBPyConnection") -> None:
    """Forget kept judgments that may say what a gone run says.

    Those are the ones that a verdict of it repeats word for word, and those that were paid for
    since it began and that no verdict of another run repeats: it may have been cut off before it
    could keep its own.
    """
    gone = _judgment_texts(connection, f"run_id in {GONE}")
    judgments = connection.execute(
        "select key, record, created_at >= (select min(created_at) from runs where id in "
        f"{GONE}) from judgments"
    ).fetchall()
    others: set[str] = set()
    if any(late for *_, late in judgments):
        others = _judgment_texts(connection, f"run_id not in {GONE} and status = 'ok'")
    keys = [
        key
        for key, record, late in judgments
        if (text := _judgment_text(json.loads(record))) in gone or (late and text not in others)
    ]
    connection.execute("delete from judgments where key in (select unnest(?::varchar[]))", [keys])


def _judgment_texts(connection: "DuckDBPyConnection", where: str) -> set[str]:
    records = read_column(connection, f"select record from verdicts where {where}")
    return {
        _judgment_text(judgment)
        for record in records
        for judgment in json.loads(record)["judgments"]
    }


def _judgment_text(judgment: dict[str, object]) -> str:
    evidence = judgment.get("evidence")
    quotes = [passage.get("quote") for passage in evidence] if isinstance(evidence, list) else []
    return json.dumps([judgment.get("judge"), judgment.get("rationale"), quotes])


def _addresses(records: Iterable[str]) -> set[str]:
    addresses: set[str | None] = set()
    for record in records:
        result = json.loads(record)
        source, target = result.get("source") or {}, result.get("target") or {}
        addresses |= {source.get("url"), source.get("final_url")}
        if target.get("form") == "url":
            addresses.add(target.get("value"))
    return {address for address in addresses if address}


def _folders(configs: Iterable[str]) -> set[str]:
    sources = (json.loads(config).get("sources") for config in configs)
    return {folder for folder in sources if isinstance(folder, str)}
