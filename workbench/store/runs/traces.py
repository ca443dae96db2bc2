"""What agents logged of their own work, so that a verdict links to the trace it came from."""

import json
import uuid
from collections.abc import Mapping

from workbench.errors import NotFoundError, UsageError
from workbench.records.run_listing import Trace
from workbench.records.text import Json, text_bytes
from workbench.store.rows import stored_text
from workbench.store.store import Repository

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
