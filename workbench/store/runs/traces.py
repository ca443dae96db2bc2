"""What agents logged of their own work, so that a verdict links to the trace it came from."""

import json
import uuid
from collections.abc import Mapping

from workbench.errors import NotFoundError, UsageError
from workbench.records.reviewers import utc_now
from workbench.records.run_listing import Trace
from workbench.records.text import Json
from workbench.store.queues.queues import Clock
from workbench.store.store import Store

LONGEST = 5_000_000
"""Characters of one trace, all parts together."""


class Traces:
    """Traces, logged, read and deleted.

    All methods raise StoreError when the file cannot be used.
    """

    def __init__(self, store: Store, now: Clock = utc_now) -> None:
        self._store = store
        self._now = now

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
        with self._store.transaction() as connection:
            connection.execute(
                "insert into traces values (?, ?, ?, ?, ?, ?, ?)",
                [trace.id, trace.name, _bytes(input), _bytes(output), trace.model, metadata_json,
                 trace.created_at],
            )  # fmt: skip
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
        with self._store.transaction() as connection:
            rows = connection.execute(
                "delete from traces where id = ? returning id", [trace_id]
            ).fetchall()
        return bool(rows)

    def _read(self, where: str, values: list[str], limit: int) -> list[Trace]:
        with self._store.transaction() as connection:
            rows = connection.execute(
                f"""
                select t.id, t.name, t.input, t.output, t.model, t.metadata, t.created_at,
                    (select list(r.id order by r.created_at) from runs r where r.trace_id = t.id)
                from traces t {where} order by t.created_at desc, t.id limit {int(limit)}
                """,
                values,
            ).fetchall()
        return [
            Trace(
                id=row[0],
                name=row[1],
                input=_text(row[2]),
                output=_text(row[3]),
                model=row[4],
                metadata=json.loads(row[5]),
                created_at=row[6],
                runs=tuple(row[7] or ()),
            )
            for row in rows
        ]


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _text(body: bytes) -> str:
    return bytes(body).decode("utf-8", "surrogatepass")
