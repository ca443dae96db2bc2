"""A decision as the label that is kept: what it replaces, what was seen, what it rests on."""

import uuid
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from workbench.errors import UsageError
from workbench.records import Decision, Label, Queue, QueueItem, shown
from workbench.store.sight import Sight, quoted, source_of

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

LONGEST_TAG = 40


def make_label(
    *,
    connection: "DuckDBPyConnection",
    queue: Queue,
    item: QueueItem,
    sight: Sight,
    reviewer: str,
    now: datetime,
    decision: Decision,
) -> Label | None:
    """The label to add, within a unit of work; None where the same decision stands in the queue.

    Raises:
        UsageError: Evidence lies outside the source's text.
    """
    before = sight.mine
    spans = (decision.evidence, decision.wrong_evidence)
    source = source_of(connection, sight) if any(spans) else None
    evidence, wrong = (quoted(source, some) for some in spans)
    if evidence is None or wrong is None:
        raise UsageError(
            "The evidence lies outside the text of this item's source; select it again."
        )
    saw = sight.saw_judge or not queue.blind
    given = Label(
        id=decision.id or str(uuid.uuid4()),
        run_id=item.run_id,
        citation_id=item.citation_id,
        label=decision.label,
        reviewer=reviewer,
        created_at=now,
        note=shown(decision.note.strip()),
        replaces=before.id if before else None,
        judge_label=sight.result.verdict if saw else None,
        role=queue.role,
        saw_judge=saw,
        verdict_version=sight.version,
        evidence=evidence,
        wrong_evidence=decision.wrong_evidence,
        fault=decision.fault,
        tags=_tags(decision.tags),
        guide=_guide_version(connection),
        queue_id=queue.id,
        seconds=_since_opened(connection, item, reviewer, now),
    )
    if before and before.queue_id == queue.id and _said(before) == _said(given):
        return None
    return given


def _said(label: Label) -> tuple[object, ...]:
    return (
        label.reviewer,
        label.label,
        label.note,
        [evidence.span for evidence in label.evidence],
        label.wrong_evidence,
        label.fault,
        label.tags,
    )


def _guide_version(connection: "DuckDBPyConnection") -> int | None:
    ((version,),) = connection.execute("select max(version) from guides").fetchall()
    return version if isinstance(version, int) else None


def _since_opened(
    connection: "DuckDBPyConnection", item: QueueItem, reviewer: str, now: datetime
) -> float | None:
    rows = connection.execute(
        "select opened_at from reservations where queue_id = ? and reviewer = ? and position = ?",
        [item.queue_id, reviewer, item.position],
    ).fetchall()
    return max(0.0, (now - rows[0][0]).total_seconds()) if rows else None


def _tags(typed: Sequence[str]) -> tuple[str, ...]:
    """Each tag once, in one line, cut to forty characters."""
    cleaned = (" ".join(shown(tag).split())[:LONGEST_TAG].strip() for tag in typed)
    return tuple(dict.fromkeys(tag for tag in cleaned if tag))
