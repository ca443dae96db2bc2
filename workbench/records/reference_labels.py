"""What people decide about the entries of a list: is the work real, is it described right?"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args

from workbench.records.bibliography import ReferenceCheck, ReferenceStatus
from workbench.records.review import Role, resolve_decision
from workbench.records.text import JsonDict, format_iso8601

ReferenceDecision = Literal["exists", "differs", "fabricated", "cannot_tell"]
OverrideReason = Literal["exists_elsewhere", "read_wrongly", "outside_indexes", "fabricated"]
REFERENCE_DECISIONS: tuple[ReferenceDecision, ...] = get_args(ReferenceDecision)
OVERRIDE_REASONS: tuple[OverrideReason, ...] = get_args(OverrideReason)
DECISION_OF_REASON: dict[OverrideReason, ReferenceDecision] = {
    "exists_elsewhere": "exists",
    "read_wrongly": "exists",
    "outside_indexes": "exists",
    "fabricated": "fabricated",
}
"""What an override decides: the work exists where no index has it, as the entry was read wrongly,
or because the indexes do not cover it; or it does not exist."""
_AGREED: dict[ReferenceStatus, ReferenceDecision] = {
    "matches": "exists",
    "differs": "differs",
    "not_found": "fabricated",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryLabel:
    """A human decision on one entry of a run; a later one may replace it, none is changed."""

    id: str
    run_id: str
    position: int
    """The entry's index in the run's references."""
    decision: ReferenceDecision
    reviewer: str
    created_at: datetime
    reason: OverrideReason | None = None
    """Why the check is overridden; None where the reviewer agrees or gave no reason."""
    note: str = ""
    replaces: str | None = None
    """Id of the label this one replaces."""
    status_shown: ReferenceStatus | None = None
    """The check's status when the reviewer decided."""
    score_shown: float | None = None
    queue_id: str | None = None
    role: Role = "review"
    """`adjudication` for a label that settles the others."""
    seconds: float | None = None
    """From the entry's opening in a queue to the decision; None where nobody measured it."""

    def to_dict(self) -> JsonDict:
        """The label as exported."""
        return {
            "id": self.id,
            "run_id": self.run_id,
            "position": self.position,
            "decision": self.decision,
            "reason": self.reason,
            "note": self.note,
            "reviewer": self.reviewer,
            "created_at": format_iso8601(self.created_at),
            "replaces": self.replaces,
            "status_shown": self.status_shown,
            "score_shown": self.score_shown,
            "queue_id": self.queue_id,
            "role": self.role,
            "seconds": self.seconds,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryLabelDecision:
    """What a reviewer says of an entry, before the store makes it a label."""

    decision: ReferenceDecision
    reason: OverrideReason | None = None
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledReference:
    """One row of an export: the newest check of an entry, and what people said of it."""

    run_id: str
    position: int
    """The entry's index in the run's references."""
    name: str
    """The name of the output."""
    output_sha256: str
    checked_at: datetime
    check: ReferenceCheck
    labels: tuple[EntryLabel, ...] = ()
    """Current labels, oldest first."""

    @property
    def gold(self) -> EntryLabel | None:
        """The label that stands for the entry; None without labels or while they are at odds."""
        return gold_entry_label(self.labels)

    def to_dict(self) -> JsonDict:
        """The row as one JSON object: the check's own keys, its run, the decision that stands."""
        gold = self.gold
        return {
            "id": f"{self.run_id}/{self.position}",
            **self.check.to_dict(),
            "run_id": self.run_id,
            "position": self.position,
            "output_name": self.name,
            "output_sha256": self.output_sha256,
            "checked_at": format_iso8601(self.checked_at),
            "decision": gold.decision if gold else None,
            "reason": gold.reason if gold else None,
            "reviewer": gold.reviewer if gold else None,
            "note": gold.note if gold else None,
            "created_at": format_iso8601(gold.created_at) if gold else None,
            "labels": [label.to_dict() for label in self.labels],
        }


def agreed_decision(check: ReferenceCheck) -> ReferenceDecision | None:
    """The decision of a reviewer who agrees with a check; None where nothing was checked.

    An identifier of another work leaves open whether the described one exists: it does where the
    check found it.
    """
    if check.status == "other_work":
        described = any(field.field == "title" and field.agrees for field in check.fields)
        return "differs" if described else "fabricated"
    return _AGREED.get(check.status)


def gold_entry_label(labels: Sequence[EntryLabel]) -> EntryLabel | None:
    """The label that stands for an entry among its current ones, as `resolve_gold_label` has it."""
    return resolve_decision(labels, lambda label: label.decision)


def newest_labels(labels: Iterable[EntryLabel]) -> dict[int, EntryLabel]:
    """The newest label of each position."""
    newest: dict[int, EntryLabel] = {}
    for label in sorted(labels, key=lambda label: label.created_at):
        newest[label.position] = label
    return newest
