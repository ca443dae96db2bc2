"""What reviewers make of the corrections that judges propose, and how often they accept them."""

from dataclasses import replace

from workbench.calibration.binomial import exact_interval
from workbench.records.corrections import (
    CorrectionCounts,
    CorrectionDecision,
    standing_decisions,
)
from workbench.records.reviewers import normalize_reviewer_name
from workbench.services.database import Database
from workbench.store.runs.correction_decisions import CorrectionDecisionRepository


def correction_decisions(database: Database, run_id: str) -> dict[str, CorrectionDecision]:
    """The newest decision on each citation of a run, by citation id."""
    return standing_decisions(CorrectionDecisionRepository(database).listed(run_id))


def own_correction_decisions(
    database: Database, run_id: str, reviewer: str
) -> dict[str, CorrectionDecision]:
    """A reviewer's own current decisions on a run, by citation id.

    Raises:
        UsageError: The reviewer's name cannot be used.
    """
    name = normalize_reviewer_name(reviewer)
    decisions = CorrectionDecisionRepository(database).listed(run_id)
    return standing_decisions(decision for decision in decisions if decision.reviewer == name)


def correction_counts(database: Database, run_id: str | None = None) -> list[CorrectionCounts]:
    """For each judge the corrections proposed, taken, edited and refused, of a run or of all.

    The accepted share, taken or edited of those decided, has the exact interval of a binomial.
    """
    return [
        replace(
            counts,
            accepted_ci95=exact_interval(counts.taken + counts.edited, counts.decided)
            if counts.decided
            else None,
        )
        for counts in CorrectionDecisionRepository(database).counts(run_id)
    ]
