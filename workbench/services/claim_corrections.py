"""Claims that reviewers corrected, and what they make of the corrections that judges propose."""

from collections.abc import Mapping
from dataclasses import replace

from workbench.calibration.estimates import exact_interval
from workbench.records.citation import ScopeKind
from workbench.records.corrections import (
    CorrectionCounts,
    CorrectionDecision,
    standing_decisions,
)
from workbench.records.review import ClaimSpanCorrection
from workbench.records.reviewers import normalize_reviewer_name
from workbench.records.text import Span
from workbench.services.cached_views import cached_view
from workbench.services.database import Database
from workbench.store.runs.claim_corrections import Corrections
from workbench.store.runs.correction_decisions import CorrectionDecisionRepository


@cached_view(max_entries=64, max_age_s=10)
def corrected_claims(database: Database, run_id: str) -> Mapping[str, ClaimSpanCorrection]:
    """The corrected claims of a run by citation id; of another process up to ten seconds late.

    Raises:
        StoreError: There is no such run.
    """
    return Corrections(database).current(run_id)


def correct_claim(
    database: Database,
    run_id: str,
    citation_id: str,
    span: Span,
    reviewer: str,
    wording: str | None = None,
    scope: ScopeKind | None = None,
) -> ClaimSpanCorrection:
    """The correction that holds from now on; offsets are into the output's text.

    What a later correction leaves out no longer holds.

    Raises:
        UsageError: The span holds no words of the text, or the wording is empty or too long.
        StoreError: The run has no such citation.
    """
    correction = Corrections(database).correct(run_id, citation_id, span, reviewer, wording, scope)
    corrected_claims.clear()
    return correction


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
