"""Deleting an output with everything that hangs on it; what stays is a trace without content.

Rows that are deleted leave their bytes in the file, so the file is written anew afterwards. Backups
and exports that were made before are not reached from here.
"""

import json
import os
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.errors import StoreError
from workbench.records import Erasure, ErasureReason
from workbench.store.connection import alone
from workbench.store.people import reviewer_name
from workbench.store.queues import Clock, utc_now
from workbench.store.store import Store

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

GONE = "(select id from gone)"
DELETED: tuple[tuple[str, str], ...] = (
    # in this order: rows are found through those further down
    ("withdrawals", f"label_id in (select id from labels where run_id in {GONE})"),
    ("skips", "(queue_id, position) in (select (queue_id, position) from gone_places)"),
    ("reservations", "(queue_id, position) in (select (queue_id, position) from gone_places)"),
    ("queue_items", f"run_id in {GONE}"),
    ("reveals", f"run_id in {GONE}"),
    ("claim_corrections", f"run_id in {GONE}"),
    ("labels", f"run_id in {GONE}"),
    ("source_texts", "(sha256, text_sha256) in (select (sha256, text_sha256) from gone_texts)"),
    (
        "acceptance_withdrawals",
        "acceptance_id in (select id from acceptances where sha256 in "
        "(select sha256 from gone_bodies))",
    ),
    ("acceptances", "sha256 in (select sha256 from gone_bodies)"),
    ("handed_over", "sha256 in (select sha256 from gone_bodies)"),
    ("verdicts", f"run_id in {GONE}"),
    ("run_ends", f"run_id in {GONE}"),
    ("runs", f"id in {GONE}"),
    ("outputs", "sha256 = $output"),
)
"""Which rows of which table go."""
LOOKED_THROUGH = ("judgments",)
"""Kept by a key that does not tell of which output: those that say what an erased one says go."""
KEPT = ("erasures", "guides", "migrations", "queue_assignments", "queue_states", "queues")
"""Tables that hold nothing of an output."""

_FIND = """
create temp table gone as select id from runs where output_sha256 = $output;
create temp table gone_places as
    select queue_id, position from queue_items where run_id in (select id from gone);
create temp table gone_texts as
    select distinct source_sha256 as sha256, text_sha256 from verdicts
    where run_id in (select id from gone) and text_sha256 is not null
    except select source_sha256, text_sha256 from verdicts
    where run_id not in (select id from gone);
create temp table gone_bodies as
    select distinct source_sha256 as sha256 from verdicts
    where run_id in (select id from gone) and source_sha256 is not null
    except select source_sha256 from verdicts where run_id not in (select id from gone);
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Erased:
    """What was deleted."""

    trace: Erasure
    bodies: tuple[str, ...]
    """Hashes of source bodies that no verdict leans on any more: their snapshots can go too."""


class Erasures:
    """Deleting outputs, and the traces of it.

    All methods raise StoreError when the file cannot be used.
    """

    def __init__(self, store: Store, now: Clock = utc_now) -> None:
        self._store = store
        self._now = now

    def erase(self, output_sha256: str, reviewer: str, reason: ErasureReason) -> Erased:
        """What was deleted of an output and all that hangs on it.

        That is its runs, their verdicts, labels and notes, its places in queues, kept judgments
        that say the same, and the texts of sources that nothing else leans on.

        Raises:
            StoreError: No output has that hash; or all was deleted, and the file could not be
                written anew: `rewrite` does that later.
        """
        trace_id, now, who = str(uuid.uuid4()), self._now(), reviewer_name(reviewer)
        with alone(self._store.path):
            with self._store._unit() as connection:
                self._store_has(connection, output_sha256)
                for statement in _FIND.split(";\n"):
                    if statement.strip():
                        named = {"output": output_sha256} if "$output" in statement else {}
                        connection.execute(statement, named)
                bodies = _column(connection, "select sha256 from gone_bodies order by sha256")
                counts = [
                    _number(connection, f"select count(*) from {table}")
                    for table in (
                        f"verdicts where run_id in {GONE}",
                        f"labels where run_id in {GONE}",
                        "gone_texts",
                    )
                ]
                run_ids = _column(connection, "select id from gone order by id")
                _delete_judgments(connection)
                for table, where in DELETED:
                    named = {"output": output_sha256} if "$output" in where else {}
                    connection.execute(f"delete from {table} where {where}", named)
                connection.execute(
                    "insert into erasures values (?, ?, ?, ?, ?, ?, ?, ?)",
                    [trace_id, who, reason, now, list(run_ids), *counts],
                )
            self.rewrite()
        trace = Erasure(
            id=trace_id,
            reviewer=who,
            reason=reason,
            created_at=now,
            run_ids=run_ids,
            verdicts=counts[0],
            labels=counts[1],
            sources=counts[2],
        )
        return Erased(trace=trace, bodies=bodies)

    def traces(self) -> list[Erasure]:
        """Every erasure, newest first."""
        with self._store._unit() as connection:
            rows = connection.execute(
                "select id, reviewer, reason, created_at, run_ids, verdicts, labels, sources "
                "from erasures order by created_at desc, id"
            ).fetchall()
        return [
            Erasure(
                id=row[0],
                reviewer=row[1],
                reason=row[2],
                created_at=row[3],
                run_ids=tuple(row[4]),
                verdicts=row[5],
                labels=row[6],
                sources=row[7],
            )
            for row in rows
        ]

    def trace_of(self, run_id: str) -> Erasure | None:
        """The erasure that took a run; None for a run that was never erased."""
        return next((trace for trace in self.traces() if run_id in trace.run_ids), None)

    def rewrite(self) -> None:
        """Write the file anew, so that it holds no bytes of what was deleted.

        Raises:
            StoreError: There is no room for a second copy beside the file.
        """
        path = Path(os.path.realpath(self._store.path))
        fresh = path.with_name(path.name + ".rewritten")
        with alone(path):
            try:
                fresh.unlink(missing_ok=True)
                _copy(path, fresh)
                os.replace(fresh, path)
            except OSError as error:
                raise _not_rewritten(path, error) from None
            finally:
                fresh.unlink(missing_ok=True)

    def _store_has(self, connection: "DuckDBPyConnection", output_sha256: str) -> None:
        if not _number(connection, "select count(*) from outputs where sha256 = ?", output_sha256):
            raise StoreError(f"There is no output {output_sha256[:12]} in {self._store.path}.")


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
        f"Everything was deleted, but {path} could not be written anew and may still hold bytes of "
        f"it ({type(error).__name__}); free as much disk space as it takes, then rewrite it."
    )


def _delete_judgments(connection: "DuckDBPyConnection") -> None:
    """Forget kept judgments that say, word for word, what a verdict of a gone run says."""
    records = _column(connection, f"select record from verdicts where run_id in {GONE}")
    said = {_words(judgment) for record in records for judgment in json.loads(record)["judgments"]}
    keys = [
        key
        for key, record in connection.execute("select key, record from judgments").fetchall()
        if _words(json.loads(record)) in said
    ]
    connection.execute("delete from judgments where key in (select unnest(?::varchar[]))", [keys])


def _words(judgment: dict[str, object]) -> str:
    evidence = judgment.get("evidence")
    quotes = [one.get("quote") for one in evidence] if isinstance(evidence, list) else []
    return json.dumps([judgment.get("judge"), judgment.get("rationale"), quotes])


def _column(connection: "DuckDBPyConnection", query: str) -> tuple[str, ...]:
    return tuple(value for (value,) in connection.execute(query).fetchall())


def _number(connection: "DuckDBPyConnection", query: str, *values: str) -> int:
    ((number,),) = connection.execute(query, list(values)).fetchall()
    return int(number)
