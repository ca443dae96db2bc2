"""Labelled citations for data sets, read some at a time: their number takes no more room."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from workbench.records.corrections import CorrectionDecision
from workbench.records.evaluation import ExampleKey
from workbench.records.export_formats import Example
from workbench.records.fields import ReviewField, parse_fields
from workbench.records.queue import ItemFilter
from workbench.records.review import Label, LabelledCitation
from workbench.records.text import Span
from workbench.records.verdict import CitationResult, Judgment
from workbench.store.labels.imports import Place, facts_of_row
from workbench.store.labels.label_rules import LabelScope, current_view
from workbench.store.queues.queues import Queues
from workbench.store.rows import read_chat_judgments, read_labels, stored_text
from workbench.store.runs.correction_decisions import read_correction_decisions
from workbench.store.runs.items import Values, selection
from workbench.store.store import Repository, Store

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

EACH = 500
MOST_BYTES = 8 * 2**20
"""So many rows, and so much of source texts, are read in one unit of work. Reviewers who label
meanwhile wait for it, about 0.1 s; reading in smaller units takes longer in all."""
_CHOSEN = "(run_id, citation_id) in (select (run_id, citation_id) from chosen)"
# an example run's citations are examples too, but for those that real work labelled
_EXAMPLE_RUN = "v.run_id in (select id from examples where kind = 'run')"
_IN_SCOPE = {
    "real": f"(not {_EXAMPLE_RUN} or (v.run_id, v.citation_id) in "
    "(select (run_id, citation_id) from real_current_labels))",
    "examples": _EXAMPLE_RUN,
}
Row = tuple[Any, ...]
"""Columns of a verdict with its run, source text, newest opinion and import, as the query names."""
Terms = tuple[str | None, str | None]
"""Origin and licence; None for what was checked here."""


class Examples(Repository):
    """Reading verdicts with their labels, source texts and what files said of them."""

    def __init__(self, store: Store, labels: LabelScope = "counted") -> None:
        """`labels` are those that are read; items of other scopes are left out."""
        super().__init__(store)
        self._scope = labels

    def keys(
        self,
        *,
        run_id: str | None = None,
        queue_id: str | None = None,
        within: ItemFilter | None = None,
        labelled: bool = False,
    ) -> list[ExampleKey]:
        """The items of a run, a queue or a filter, else all; in run and text order.

        With `labelled` only those that have a label.

        Raises:
            StoreError: There is no such run or queue.
        """
        body, values = self._body(run_id, queue_id, within, labelled)
        return self._rows(
            "select run_id, citation_id, version, coalesce(octet_length(t.body), 0) from ("
            "select v.run_id, v.citation_id, v.version, v.source_sha256, v.text_sha256, "
            "row_number() over (order by r.created_at, r.id, v.position, v.citation_id) "
            f"as place {body}) c left join source_texts t on t.sha256 = c.source_sha256 "
            "and t.text_sha256 = c.text_sha256 order by place",
            values,
        )

    def terms(
        self,
        *,
        run_id: str | None = None,
        queue_id: str | None = None,
        within: ItemFilter | None = None,
        labelled: bool = False,
    ) -> dict[Terms, int]:
        """How many items come from which origin under which licence; most first.

        With `labelled` only those that have a label.

        Raises:
            StoreError: There is no such run or queue.
        """
        body, values = self._body(run_id, queue_id, within, labelled)
        rows = self._rows(
            "select i.origin, i.licence, count(*) from (select v.run_id, v.citation_id "
            f"{body}) c left join imported_items i using (run_id, citation_id) "
            "group by all order by count(*) desc, i.origin nulls last, i.licence",
            values,
        )
        return {(row[0], row[1]): row[2] for row in rows}

    def _body(
        self, run_id: str | None, queue_id: str | None, within: ItemFilter | None, labelled: bool
    ) -> tuple[str, Values]:
        """The `from … where …` of a choice over verdicts `v` and runs `r`, and its values."""
        if run_id:
            self._store.get_summary(run_id)
        if queue_id:
            Queues(self._store).get(queue_id)
        body, values = (
            selection(within)
            if within
            else ("from current_verdicts v join runs r on r.id = v.run_id where true", {})
        )
        if run_id:
            body, values = f"{body} and v.run_id = $run", values | {"run": run_id}
        if queue_id:
            body = (
                f"{body} and (v.run_id, v.citation_id) in (select (run_id, citation_id) "
                "from queue_items where queue_id = $queue)"
            )
            values = values | {"queue": queue_id}
        if labelled:
            body = (
                f"{body} and (v.run_id, v.citation_id) in "
                f"(select (run_id, citation_id) from {current_view(self._scope)})"
            )
        elif self._scope != "counted":
            body = f"{body} and {_IN_SCOPE[self._scope]}"
        return body, values

    def fields(self, run_id: str | None = None, queue_id: str | None = None) -> list[ReviewField]:
        """The fields that current labels of a run or queue answer, else all; each name once.

        Of two queues that ask by one name, that which was made first says what is asked.
        """
        where, values = "", dict[str, str]()
        if run_id:
            where, values = f"{where} and run_id = $run", values | {"run": run_id}
        if queue_id:
            where = (
                f"{where} and (run_id, citation_id) in (select (run_id, citation_id) "
                "from queue_items where queue_id = $queue)"
            )
            values |= {"queue": queue_id}
        rows = self._rows(
            "select fields from queues where id in (select distinct unnest("
            "json_extract_string(answers, '$[*].queue_id')) from current_labels "
            f"where answers <> '[]'{where}) order by created_at, id",
            values,
        )
        by_name: dict[str, ReviewField] = {}
        for (raw,) in rows:
            for field in parse_fields(json.loads(raw)):
                by_name.setdefault(field.name, field)
        return list(by_name.values())

    def read(self, keys: Sequence[ExampleKey], *, texts: bool = True) -> Iterator[Example]:
        """The items behind the keys, in their order; with their sources' texts if asked for.

        The file is let go of before rows become records, which takes twice as long as reading them.
        """
        for batch in _batches(keys):
            with self._store.transaction() as connection:
                rows, labels, corrections, beside = _read_rows(
                    connection, batch, texts, current_view(self._scope)
                )
            examples = {
                place: _example(
                    row, labels.get(place, ()), corrections.get(place), beside.get(place, ())
                )
                for row in rows
                for place in [(row[0], row[1])]
            }
            rows.clear()
            if texts:
                examples |= self._with_before(examples)
            yield from (examples[key[:2]] for key in batch if key[:2] in examples)

    def _with_before(self, examples: Mapping[Place, Example]) -> dict[Place, Example]:
        """The items whose claims have text before them, with its words; one output at a time."""
        spans_by_output: dict[str, list[tuple[Place, Span]]] = {}
        for key, example in examples.items():
            context = example.row.result.citation.claim_context
            if context and context.before:
                place = (key, context.before)
                spans_by_output.setdefault(example.row.output_sha256, []).append(place)
        if not spans_by_output:
            return {}
        with_before: dict[Place, Example] = {}
        with self._store.transaction() as connection:
            for sha256, places in spans_by_output.items():
                rows = connection.execute(
                    "select body from outputs where sha256 = ?", [sha256]
                ).fetchall()
                text = stored_text(rows[0][0]) if rows else ""
                for key, span in places:
                    with_before[key] = replace(examples[key], before=span.of(text))
        return with_before


def _batches(keys: Sequence[ExampleKey]) -> Iterator[Sequence[ExampleKey]]:
    start = batch_bytes = 0
    for number, key in enumerate(keys):
        if number > start and (number - start == EACH or batch_bytes + key[3] > MOST_BYTES):
            yield keys[start:number]
            start, batch_bytes = number, 0
        batch_bytes += key[3]
    if start < len(keys):
        yield keys[start:]


def _read_rows(
    connection: "DuckDBPyConnection", keys: Sequence[ExampleKey], texts: bool, view: str
) -> tuple[
    list[Row],
    dict[Place, tuple[Label, ...]],
    dict[Place, CorrectionDecision],
    dict[Place, tuple[Judgment, ...]],
]:
    parameters = {
        "runs": [key[0] for key in keys],
        "citations": [key[1] for key in keys],
        "versions": [key[2] for key in keys],
    }
    connection.execute(
        "create or replace temp table chosen as select unnest($runs::varchar[]) as run_id, "
        "unnest($citations::varchar[]) as citation_id, unnest($versions::integer[]) as version",
        parameters,
    )
    text = "t.body" if texts else "null"
    rows = connection.execute(
        "select c.run_id, c.citation_id, r.name, r.output_sha256, r.created_at, v.record, "
        f"{text}, o.said, i.key, i.item, i.group_key, i.origin, i.licence, i.slices from chosen c "
        "join verdicts v using (run_id, citation_id, version) join runs r on r.id = c.run_id "
        "left join source_texts t on t.sha256 = v.source_sha256 "
        "and t.text_sha256 = v.text_sha256 "
        "left join imported_items i on i.run_id = c.run_id and i.citation_id = c.citation_id "
        # the newest word of a judge that was asked outside of the run
        "left join (select run_id, citation_id, arg_max(record, created_at) as said from offline_judgments "
        "semi join chosen using (run_id, citation_id) where record is not null group by all) o "
        "on o.run_id = c.run_id and o.citation_id = c.citation_id"
    ).fetchall()
    labels = _labels(connection, view)
    beside = read_chat_judgments(connection, _CHOSEN, {})
    # in the order in which they were made: the newest of several reviewers' stays
    decisions = {
        (decision.run_id, decision.citation_id): decision
        for decision in read_correction_decisions(connection, _CHOSEN)
    }
    connection.execute("drop table chosen")
    return rows, labels, decisions, beside


def _example(
    row: Row,
    labels: tuple[Label, ...],
    correction: CorrectionDecision | None,
    beside: tuple[Judgment, ...],
) -> Example:
    return Example(
        row=LabelledCitation(
            run_id=row[0],
            name=row[2],
            output_sha256=row[3],
            created_at=row[4],
            result=CitationResult.from_dict(json.loads(row[5])),
            labels=labels,
            beside=beside,
        ),
        source_text=None if row[6] is None else stored_text(row[6]),
        opinion=Judgment.from_dict(json.loads(row[7])) if row[7] else None,
        facts=None if row[8] is None else facts_of_row(row[9:]),
        correction=correction,
    )


def _labels(connection: "DuckDBPyConnection", view: str) -> dict[Place, tuple[Label, ...]]:
    by_place: dict[Place, list[Label]] = {}
    for label in read_labels(connection, f"{view} where {_CHOSEN}"):
        by_place.setdefault((label.run_id, label.citation_id), []).append(label)
    return {
        place: tuple(sorted(labels, key=lambda label: label.role == "adjudication"))
        for place, labels in by_place.items()
    }
