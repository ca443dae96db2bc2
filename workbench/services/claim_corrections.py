"""Claims that a reviewer corrected: their boundaries, their wording, their scope."""

from collections.abc import Mapping

from workbench.records.citation import ScopeKind
from workbench.records.review import ClaimSpanCorrection
from workbench.records.text import Span
from workbench.services.cached_views import cached_view
from workbench.services.database import Database
from workbench.store.runs.claim_corrections import Corrections


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
