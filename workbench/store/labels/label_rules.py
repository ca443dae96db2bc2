"""A decision as the label that is kept: what it replaces, what was seen, what it rests on.

Which labels a query uses: those that count, those of real work, or the examples.

The rule stands in `schema/m030_examples.sql`: example labels count in figures only as long as
there is no other label. Exports take real work alone, or the examples where they are asked for.
"""

import json
import uuid
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from workbench.errors import NotFoundError, UsageError
from workbench.records.evaluation import UNKNOWN_GUIDE, LabelFilter
from workbench.records.fields import FieldAnswer, ReviewField, checked_answers
from workbench.records.review import Label, LabelDecision
from workbench.records.text import replace_surrogates
from workbench.records.verdict import HUMAN_LABELS
from workbench.store.labels.review_context import (
    ItemView,
    ReviewerContext,
    evidence_from_spans,
    load_item_view,
    load_source,
)
from workbench.store.rows import insert_label, read_number

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


LONGEST_TAG = 40


def decision_of(label: str, note: str) -> LabelDecision:
    """A decision as a reviewer types it.

    Raises:
        UsageError: There is no such label.
    """
    human_label = next((choice for choice in HUMAN_LABELS if choice == label), None)
    if human_label is None:
        raise UsageError(f"There is no label {label!r}; give one of {', '.join(HUMAN_LABELS)}.")
    return LabelDecision(label=human_label, note=note)


def knows_run(connection: "DuckDBPyConnection", run_id: str) -> bool:
    """Whether a run is kept."""
    return bool(connection.execute("select 1 from runs where id = ?", [run_id]).fetchall())


def ensure_citation_exists(
    connection: "DuckDBPyConnection", path: Path, run_id: str, citation_id: str
) -> None:
    """Nothing, unless the run or its citation is not kept in the database at `path`.

    Raises:
        NotFoundError: There is no such run.
        UsageError: The run has no such citation.
    """
    rows = connection.execute("select placeholders from runs where id = ?", [run_id]).fetchall()
    if not rows:
        raise NotFoundError(f"There is no run {run_id!r} in {path}; nothing was saved on it.")
    citation_ids = [str(load["id"]) for load in json.loads(rows[0][0])]
    if citation_id not in citation_ids and not _judged(connection, run_id, citation_id):
        some = ", ".join(citation_ids[:5]) + (", …" if len(citation_ids) > 5 else "")
        raise UsageError(
            f"The run {run_id} has no citation {citation_id!r}; its citations are {some or 'none'}."
        )


def _judged(connection: "DuckDBPyConnection", run_id: str, citation_id: str) -> bool:
    return bool(
        connection.execute(
            "select 1 from verdicts where run_id = ? and citation_id = ? limit 1",
            [run_id, citation_id],
        ).fetchall()
    )


def give_label(
    connection: "DuckDBPyConnection",
    seat: ReviewerContext,
    run_id: str,
    citation_id: str,
    decision: LabelDecision,
    now: datetime,
) -> Label | None:
    """The label that was added outside of queues, within a unit of work; None where it exists.

    Raises:
        UsageError: Evidence lies outside the source's text.
        StoreError: The label's output was erased.
    """
    added = build_label(
        connection=connection,
        seat=seat,
        sight=load_item_view(connection, run_id, citation_id, seat),
        decision=decision,
        now=now,
        seconds=None,
    )
    if added:
        insert_label(connection, added)
    return added


def build_label(
    *,
    connection: "DuckDBPyConnection",
    seat: ReviewerContext,
    sight: ItemView,
    decision: LabelDecision,
    now: datetime,
    seconds: float | None,
    fields: Sequence[ReviewField] = (),
) -> Label | None:
    """The label to add, within a unit of work; None where the same decision was made already.

    Raises:
        UsageError: Evidence lies outside the source's text, or an answer does not fit the queue's
            `fields`.
    """
    before, result = sight.own_label, sight.result
    spans = (decision.evidence, decision.wrong_evidence)
    source = load_source(connection, sight) if any(spans) else None
    evidence, wrong = (evidence_from_spans(source, some) for some in spans)
    if evidence is None or wrong is None:
        raise UsageError(
            "The evidence lies outside the text of this item's source; select it again."
        )
    saw = sight.saw_judge or not seat.blind
    built = Label(
        id=decision.id or str(uuid.uuid4()),
        run_id=sight.run_id,
        citation_id=sight.citation_id,
        label=decision.label,
        reviewer=seat.reviewer,
        created_at=now,
        note=replace_surrogates(decision.note.strip()),
        replaces=before.id if before else None,
        judge_label=result.verdict if result and saw else None,
        role=seat.role,
        saw_judge=saw and result is not None,
        verdict_version=sight.version,
        evidence=evidence,
        wrong_evidence=decision.wrong_evidence,
        fault=decision.fault,
        tags=_tags(decision.tags),
        guide=_guide_version(connection),
        queue_id=seat.queue_id,
        seconds=seconds,
        answers=_answers(seat, before, decision, fields),
    )
    if (
        before
        and before.queue_id == seat.queue_id
        and _decision_fields(before) == _decision_fields(built)
    ):
        return None
    return built


def _decision_fields(label: Label) -> tuple[object, ...]:
    return (
        label.reviewer,
        label.label,
        label.note,
        [evidence.span for evidence in label.evidence],
        label.wrong_evidence,
        label.fault,
        label.tags,
        label.answers,
    )


def _answers(
    seat: ReviewerContext,
    before: Label | None,
    decision: LabelDecision,
    fields: Sequence[ReviewField],
) -> tuple[FieldAnswer, ...]:
    """What the label answers to its queue, after what its author answered to other queues."""
    own_before = before.answers if before and before.reviewer == seat.reviewer else ()
    if seat.queue_id is None:
        if decision.answers:
            raise UsageError("Answers belong to the fields of a queue; specify the queue too.")
        return own_before
    answers = decision.answers
    if answers is None:
        answers = before.answers_to(seat.queue_id) if before and own_before else {}
    elsewhere = tuple(answer for answer in own_before if answer.queue_id != seat.queue_id)
    return (*elsewhere, *checked_answers(fields, answers, seat.queue_id))


def _guide_version(connection: "DuckDBPyConnection") -> int:
    """The current version of the label guide; 0 is the guide as shipped."""
    return read_number(connection, "select coalesce(max(version), 0) from guides")


def _tags(typed: Sequence[str]) -> tuple[str, ...]:
    """Each tag once, in one line, cut to forty characters."""
    cleaned = (" ".join(replace_surrogates(tag).split())[:LONGEST_TAG].strip() for tag in typed)
    return tuple(dict.fromkeys(tag for tag in cleaned if tag))


LabelScope = Literal["counted", "real", "examples"]


def current_view(scope: LabelScope, kind: Literal["labels", "reference_labels"] = "labels") -> str:
    """The view of the labels that no later one replaces."""
    return f"example_current_{kind}" if scope == "examples" else f"{scope}_current_{kind}"


def active_view(scope: LabelScope, kind: Literal["labels", "reference_labels"] = "labels") -> str:
    """The view of the labels that were not withdrawn, replaced ones among them."""
    return f"example_active_{kind}" if scope == "examples" else f"{scope}_active_{kind}"


_GOLD = """with votes as (
        select run_id, citation_id, label, count(*) as n from current_labels group by all
    ),
    counted as (
        select run_id, citation_id, arg_max(label, n) as label, max(n) as most, sum(n) as given
        from votes group by run_id, citation_id
    ),
    settled as (
        select run_id, citation_id, arg_max(label, created_at) as label
        from current_labels where role = 'adjudication' group by run_id, citation_id
    )
    select run_id, citation_id, coalesce(s.label, c.label) as label
    from counted c left join settled s using (run_id, citation_id)
    where s.label is not null or 2 * c.most > c.given"""
# the same query as the view in schema/m030_examples.sql, of the labels of a scope

CHOSEN_LABELS = f"""
current_labels as (
    select * from counted_current_labels
    where (len($guides::integer[]) = 0
            or list_contains($guides::integer[], coalesce(guide, {UNKNOWN_GUIDE})))
        and ($labels_run is null or run_id = $labels_run)
        and ($labels_queue is null or queue_id = $labels_queue)
        and case when $data_set is null then true
            when $data_set = '' then (run_id, citation_id) not in (
                select (run_id, citation_id) from imported_items)
            else (run_id, citation_id) in (
                select (run_id, citation_id) from imported_items where import_id = $data_set) end
),
gold_labels as (
    {_GOLD}
)
"""
"""Takes the place of the views of these names in the query that it opens; `filter_values` holds what it needs."""
VOTES = """
votes as (
    select run_id, citation_id, reviewer, arg_max(label, (created_at, id)) as label
    from current_labels where role = 'review' and by_person
    group by run_id, citation_id, reviewer
)
"""
"""Each reviewer's own latest label on each item, adjudications apart, out of `current_labels`."""


def filter_values(labels: LabelFilter) -> dict[str, str | list[int] | None]:
    """What `CHOSEN_LABELS` needs to choose the labels of a scope."""
    return {
        "guides": list(labels.guides),
        "labels_run": labels.run,
        "labels_queue": labels.queue,
        "data_set": labels.data_set,
    }
