"""A decision as the label that is kept: what it replaces, what was seen, what it rests on."""

import uuid
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from workbench.errors import UsageError
from workbench.records import Decision, Label, shown
from workbench.store.sight import Seat, Sight, quoted, source_of

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

LONGEST_TAG = 40


def make_label(
    *,
    connection: "DuckDBPyConnection",
    seat: Seat,
    sight: Sight,
    decision: Decision,
    now: datetime,
    seconds: float | None,
) -> Label | None:
    """The label to add, within a unit of work; None where the same decision stands already.

    Raises:
        UsageError: Evidence lies outside the source's text.
    """
    before, result = sight.mine, sight.result
    spans = (decision.evidence, decision.wrong_evidence)
    source = source_of(connection, sight) if any(spans) else None
    evidence, wrong = (quoted(source, some) for some in spans)
    if evidence is None or wrong is None:
        raise UsageError(
            "The evidence lies outside the text of this item's source; select it again."
        )
    saw = sight.saw_judge or not seat.blind
    given = Label(
        id=decision.id or str(uuid.uuid4()),
        run_id=sight.run_id,
        citation_id=sight.citation_id,
        label=decision.label,
        reviewer=seat.reviewer,
        created_at=now,
        note=shown(decision.note.strip()),
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
    )
    if before and before.queue_id == seat.queue_id and _said(before) == _said(given):
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


def _tags(typed: Sequence[str]) -> tuple[str, ...]:
    """Each tag once, in one line, cut to forty characters."""
    cleaned = (" ".join(shown(tag).split())[:LONGEST_TAG].strip() for tag in typed)
    return tuple(dict.fromkeys(tag for tag in cleaned if tag))
