"""What a policy makes of the entries of a reference list: do their works exist, were they retracted?"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from workbench.policy.fields import Handling, Policy
from workbench.records.bibliography import (
    FAILED_REFERENCE_STATUSES,
    ReferenceCheck,
    ReferenceStatus,
    RetractionKind,
)
from workbench.records.text import JsonDict, Span
from workbench.records.verdict import Run

ReferenceAction = Literal["pass", "flag", "redact", "block"]
NO_SUCH_WORK = "[removed: no such reference is known]"
NOT_LOOKED_UP = "[removed: reference not checked]"
RETRACTED = "[removed: the cited work was retracted]"
_SEVERITY: dict[ReferenceAction, int] = {"pass": 0, "flag": 1, "redact": 2, "block": 3}


class ReferenceFact(NamedTuple):
    """How one entry stands."""

    status: ReferenceStatus
    retraction: RetractionKind | None


class ReferenceStep(NamedTuple):
    """What follows from one entry, and why."""

    action: ReferenceAction
    reason: str
    replacement: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceViolation:
    """An entry that the policy does not let pass."""

    position: int
    """Its index in the run's references."""
    check: ReferenceCheck
    step: ReferenceStep

    def to_dict(self) -> JsonDict:
        """The entry as the report lists it."""
        check = self.check
        return {
            "position": self.position,
            "label": check.label,
            "start": check.start,
            "end": check.end,
            "status": check.status,
            "retraction": check.retraction.kind if check.retraction else None,
            "action": self.step.action,
            "reason": self.step.reason,
            "why": check.why,
        }


def looks_at_references(policy: Policy) -> bool:
    """Whether a policy says anything about the entries of a reference list."""
    return policy.require_existing_reference or policy.on_retracted != "ignore"


def reference_step(policy: Policy, fact: ReferenceFact) -> ReferenceStep | None:
    """The gravest of what follows from an entry; None where nothing does."""
    steps: list[ReferenceStep] = []

    def add(action: Handling, reason: str, replacement: str) -> None:
        if action != "ignore":
            steps.append(ReferenceStep(action, reason, replacement))

    if policy.require_existing_reference and fact.status in FAILED_REFERENCE_STATUSES:
        reason = "not found" if fact.status == "not_found" else "another work"
        add(policy.unverified_action, reason, NO_SUCH_WORK)
    if policy.require_existing_reference and fact.status == "not_checked":
        add(policy.on_unchecked_reference, "not checked", NOT_LOOKED_UP)
    if fact.retraction == "retracted":
        add(policy.on_retracted, "retracted", RETRACTED)
    if fact.retraction == "concern" and policy.on_retracted != "ignore":
        add("flag", "in doubt", RETRACTED)
    return max(steps, key=lambda step: _SEVERITY[step.action], default=None)


def reference_steps(
    policy: Policy, facts: Sequence[ReferenceFact]
) -> list[tuple[ReferenceAction, str]]:
    """What follows from all entries: an action for each reason, with its number of entries."""
    if not looks_at_references(policy):
        return []
    numbers: dict[tuple[ReferenceAction, str], int] = {}
    for fact in facts:
        step = reference_step(policy, fact)
        if step is not None:
            key = (step.action, step.reason)
            numbers[key] = numbers.get(key, 0) + 1
    return [
        (action, f"{number} of {len(facts)} references: {reason}")
        for (action, reason), number in numbers.items()
    ]


def reference_violations(policy: Policy, run: Run) -> tuple[ReferenceViolation, ...]:
    """The entries of a run that the policy does not let pass, in their order."""
    if not looks_at_references(policy):
        return ()
    return tuple(
        ReferenceViolation(position=position, check=check, step=step)
        for position, check in enumerate(run.reference_checks)
        if (step := reference_step(policy, reference_fact(check))) is not None
    )


def reference_fact(check: ReferenceCheck) -> ReferenceFact:
    """How an entry stands, as far as a policy needs it."""
    return ReferenceFact(check.status, check.retraction.kind if check.retraction else None)


def reference_removals(
    violations: Sequence[ReferenceViolation], run: Run
) -> list[tuple[Span, str]]:
    """The entries to be taken out, with every claim that cites one and its marker."""
    removed = {
        violation.position: violation.step.replacement
        for violation in violations
        if violation.step.action == "redact"
    }
    removals: list[tuple[Span, str]] = []
    for violation in violations:
        span = violation.check.span
        if violation.position in removed and span.start < span.end:
            removals.append((span, violation.step.replacement))
    for result in run.citations:
        citation = result.citation
        position = citation.target.reference if citation.target else citation.reference
        if position in removed:
            claim = citation.claim.span if citation.claim else citation.span
            start, end = min(claim.start, citation.start), max(claim.end, citation.end)
            removals.append((Span(start=start, end=end), removed[position]))
    return removals
