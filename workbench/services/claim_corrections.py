"""Claims that reviewers corrected: what they make of proposals, and the new claim judged again."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from workbench.calibration.estimates import exact_interval
from workbench.citations import Scopes, with_claim_context
from workbench.errors import UsageError
from workbench.records.citation import Extraction, ScopeKind
from workbench.records.corrections import CorrectionCounts, CorrectionDecision, standing_decisions
from workbench.records.review import ClaimSpanCorrection
from workbench.records.reviewers import normalize_reviewer_name
from workbench.records.source import Fetched, Source
from workbench.records.text import Span
from workbench.records.verdict import CitationResult, Run
from workbench.services.cached_views import cached_view, file_state
from workbench.services.database import Database
from workbench.services.sources.actions import ActionResult, FixedFetcher, RecheckChange, Tell
from workbench.services.verification import rejudge_citations
from workbench.sources.snapshots import SnapshotFolder
from workbench.store.runs.claim_corrections import Corrections
from workbench.store.runs.correction_decisions import CorrectionDecisionRepository
from workbench.store.store import Store


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


@cached_view(state=file_state, max_entries=16)
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


def judge_claim_again(
    store: Store, snapshots: Path, run_id: str, citation_id: str, tell: Tell | None = None
) -> ActionResult:
    """What the judges of the run say of the corrected claim and the source as it was judged.

    Nothing is fetched. The run's cost cap holds for all that was spent on it, earlier
    re-judgments included.

    Raises:
        UsageError: There is no such run or citation, a judge of the run is not available here or
            gave no answer, or the cap is spent; the earlier verdict is kept then.
    """
    run = store.get_run(run_id)
    previous = next((result for result in run.citations if result.citation.id == citation_id), None)
    if previous is None:
        raise UsageError(f"The run {run_id} has no citation {citation_id!r} to judge again.")
    tell = tell or (lambda done, of: None)
    tell(0, 1)
    corrected = _corrected_extraction(store, run_id)
    unreached = {
        result.citation.id
        for result in run.citations
        # what the run has not reached is left for the run
        if result.citation.id != citation_id and result.error and result.error.kind == "cancelled"
    }
    extraction = replace(
        corrected,
        citations=tuple(
            citation for citation in corrected.citations if citation.id not in unreached
        ),
    )
    fetched = _stored_bytes(SnapshotFolder(snapshots), previous.source)
    unjudged: list[CitationResult] = []
    again = rejudge_citations(
        store,
        run_id,
        {citation_id},
        text=extraction,
        on_unjudged=unjudged.append,
        sources=FixedFetcher(fetched) if fetched else _sources_path(run),
        snapshots=None if fetched else snapshots,
        offline=True,
    )
    for result in unjudged:
        why = result.error.message if result.error else "The judge gave no answer."
        raise UsageError(f"{why} The earlier verdict remains.")
    current = next(result for result in again.citations if result.citation.id == citation_id)
    tell(1, 1)
    name = store.get_summary(run_id).name
    return ActionResult(
        did="Judged again.", judged=(RecheckChange.of(run_id, name, previous, current),)
    )


def _corrected_extraction(store: Store, run_id: str) -> Extraction:
    """What the run's output cites, with the claims as reviewers corrected them."""
    corrections = Corrections(store)
    current = corrections.current(run_id)
    # a corrected claim is elsewhere in the text, so its context is another one
    extraction = with_claim_context(corrections.extraction(run_id), current.keys())
    scopes = Scopes(extraction)
    kinds = {name: correction.scope for name, correction in current.items() if correction.scope}
    return replace(
        extraction,
        citations=tuple(
            scopes.with_kind(citation, kinds[citation.id]) if citation.id in kinds else citation
            for citation in extraction.citations
        ),
    )


def _stored_bytes(folder: SnapshotFolder, source: Source | None) -> Fetched | None:
    """The bytes of a source with the facts of their request; None where they are not kept."""
    fetched = folder.get(source.sha256) if source else None
    if fetched is None or source is None:
        return None
    return replace(
        fetched,
        url=source.url,
        final_url=source.final_url,
        status=source.status,
        content_type=source.content_type or fetched.content_type,
        truncated=source.truncated,
        fetched_at=source.fetched_at or fetched.fetched_at,
        title=source.title or fetched.title,
    )


def _sources_path(run: Run) -> str | None:
    """The folder or file of sources that the run was given, where it is there still."""
    sources = run.config.get("sources")
    return sources if isinstance(sources, str) and Path(sources).exists() else None
