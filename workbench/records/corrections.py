"""Sentences as their sources bear them out: what judges propose, and what reviewers make of it.

A proposed correction changes the output's claim where the source does not bear it out. It is not
the `ClaimSpanCorrection` by which a reviewer says where a claim stands or how it is meant: that one
is judged again, while this one leaves the claim and its verdict as they are.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, get_args

from workbench.records.codec import INLINE, Record
from workbench.records.text import JsonDict, Span, Spanned
from workbench.records.text_edits import TextEdit, apply_edits

LONGEST_CORRECTION = 1000
"""Code points of a corrected claim."""
LONGEST_WHY = 500
CORRECTED_LABELS: frozenset[str] = frozenset({"partially_supported", "contradicted"})
"""Labels for which judges may propose the claim as the source bears it out."""

CorrectionChoice = Literal["taken", "edited", "refused"]
CORRECTION_CHOICES: tuple[CorrectionChoice, ...] = get_args(CorrectionChoice)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedCorrection(Record):
    """A claim as the source bears it out, in a judge's words."""

    text: str
    """The claim's text with the edits made."""
    edits: tuple[TextEdit, ...]
    """Offsets are into the claim's text; in order, not overlapping, at least one."""
    why: str
    judge: str
    """The SPEC of the judge that proposes it."""

    def of_claim(self, claim: str) -> "ProposedCorrection | None":
        """The same edits of the claim as it stands in the text; None where they do not fit it."""
        if any(edit.end > len(claim) for edit in self.edits):
            return None
        text = apply_edits(claim, self.edits)
        return ProposedCorrection(text=text, edits=self.edits, why=self.why, judge=self.judge)


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectionDecision(Spanned, Record):
    """What a reviewer made of a proposed correction; a later decision replaces an earlier one."""

    id: str
    run_id: str
    citation_id: str
    choice: CorrectionChoice
    span: Span = field(metadata=INLINE)
    """The claim's place in the output's text."""
    claim: str
    """What stands there."""
    proposed: str
    text: str | None
    """The claim as it should read; None where the proposal was refused."""
    judge: str
    """The SPEC of the judge that proposed it."""
    reviewer: str
    created_at: datetime
    reason: str = ""
    """Why it was refused, where the reviewer says so."""
    replaces: str | None = None
    """Id of the reviewer's earlier decision on the same citation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectionCounts:
    """How many corrections a judge proposed, and what reviewers made of them."""

    judge: str
    proposed: int = 0
    taken: int = 0
    edited: int = 0
    refused: int = 0
    accepted_ci95: tuple[float, float] | None = None
    """The exact 95 % interval of the accepted share (Clopper and Pearson 1934); None without
    decisions."""

    @property
    def decided(self) -> int:
        """Proposals that a reviewer decided on."""
        return self.taken + self.edited + self.refused

    @property
    def accepted_share(self) -> float | None:
        """Taken or edited, of those decided; None without decisions."""
        return (self.taken + self.edited) / self.decided if self.decided else None

    def to_dict(self) -> JsonDict:
        """The published JSON of the counts."""
        share = self.accepted_share
        return {
            "judge": self.judge,
            "proposed": self.proposed,
            "taken": self.taken,
            "edited": self.edited,
            "refused": self.refused,
            "accepted_share": None if share is None else round(share, 4),
            "accepted_ci95": [round(bound, 4) for bound in self.accepted_ci95]
            if self.accepted_ci95
            else None,
        }


def standing_decisions(decisions: Iterable[CorrectionDecision]) -> dict[str, CorrectionDecision]:
    """The newest current decision on each citation of a run, whoever made it."""
    ordered = sorted(decisions, key=lambda decision: (decision.created_at, decision.id))
    return {decision.citation_id: decision for decision in ordered}
