"""Boundaries and words that reviewers set for claims, and the text as it reads with them."""

import uuid
from dataclasses import replace

from workbench.errors import StoreError, UsageError
from workbench.records.citation import Citation, Claim, Extraction, ScopeKind
from workbench.records.review import ClaimSpanCorrection
from workbench.records.reviewers import LONGEST_WORDING, normalize_reviewer_name
from workbench.records.text import Excerpt, Span, replace_surrogates
from workbench.store.rows import SPAN
from workbench.store.store import Repository


class Corrections(Repository):
    """Corrected claims; a correction appends, the newest one of a citation counts.

    All methods raise StoreError where there is no such run.
    """

    def correct(
        self,
        run_id: str,
        citation_id: str,
        span: Span,
        reviewer: str,
        wording: str | None = None,
        scope: ScopeKind | None = None,
    ) -> ClaimSpanCorrection:
        """The boundaries that hold from now on; offsets are into the output's text.

        With a `wording` judges are asked about that instead of the text's own words; with a `scope`
        about that much of the text, part by part. What a later call leaves out no longer holds.

        Raises:
            UsageError: The span lies outside the text or holds no words, or the wording has none or
                is too long.
            StoreError: The run has no such citation.
        """
        run = self._store.get_run(run_id)
        if citation_id not in {result.citation.id for result in run.citations}:
            raise StoreError(f"The run {run_id} has no citation {citation_id!r}.")
        text = self._store.get_output(run.output_sha256)
        if not 0 <= span.start < span.end <= len(text) or not span.of(text).strip():
            raise UsageError(
                "The selection holds no words of the output; select the claim's words again."
            )
        worded = None if wording is None else " ".join(replace_surrogates(wording).split())
        if worded is not None and not 0 < len(worded) <= LONGEST_WORDING:
            raise UsageError(
                f"A claim's wording has 1 to {LONGEST_WORDING:,} characters; write one sentence."
            )
        correction = ClaimSpanCorrection(
            id=str(uuid.uuid4()),
            run_id=run_id,
            citation_id=citation_id,
            span=span,
            reviewer=normalize_reviewer_name(reviewer),
            created_at=self._now(),
            wording=worded,
            scope=scope,
        )
        self._insert(
            "claim_corrections",
            correction,
            omit=("span",),
            start_at=span.start,
            end_at=span.end,
        )
        return correction

    def history(self, run_id: str) -> list[ClaimSpanCorrection]:
        """Every correction in a run, oldest first."""
        return self._records(
            ClaimSpanCorrection,
            f"select * exclude (start_at, end_at), {SPAN} from claim_corrections "
            "where run_id = ? order by created_at, id",
            [run_id],
        )

    def current(self, run_id: str) -> dict[str, ClaimSpanCorrection]:
        """The newest correction of each citation that has one."""
        return {correction.citation_id: correction for correction in self.history(run_id)}

    def extraction(self, run_id: str) -> Extraction:
        """What the run's output cites, with the corrected claims: what a re-check takes as text.

        A scope that was set is left to the caller: it takes reading the text.
        """
        run = self._store.get_run(run_id)
        text = self._store.get_output(run.output_sha256)
        current = self.current(run_id)
        judged = [result.citation for result in run.citations]
        corrected = {
            citation.id: Excerpt(span=span, text=span.of(text))
            for citation in judged
            if (span := current[citation.id].span if citation.id in current else None)
            # who sets the scope or the words alone leaves the claim in its place
            and not (citation.claim and citation.claim.span == span)
        }
        citations = tuple(
            replace(
                citation,
                claim=corrected.get(citation.id, citation.claim),
                wording=current[citation.id].wording,
                scope=None,
            )
            if citation.id in current
            else citation
            for citation in judged
        )
        return Extraction(
            text=text,
            citations=citations,
            references=run.references,
            claims=_claims(run.claims, citations, corrected),
        )


def _claims(
    claims: tuple[Claim, ...], citations: tuple[Citation, ...], corrected: dict[str, Excerpt]
) -> tuple[Claim, ...]:
    """The claims in text order: corrected ones are separate, with the citations they belong to."""
    unchanged = [
        replace(
            claim,
            citations=tuple(
                citation_id for citation_id in claim.citations if citation_id not in corrected
            ),
        )
        for claim in claims
        if not claim.citations
        or not all(citation_id in corrected for citation_id in claim.citations)
    ]
    added: dict[Span, Claim] = {}
    for citation in citations:
        claim = corrected.get(citation.id)
        if claim is None:
            continue
        existing = added.get(claim.span)
        ids = (*existing.citations, citation.id) if existing else (citation.id,)
        name = f"corrected-{claim.start}-{claim.end}"
        added[claim.span] = Claim(id=name, span=claim.span, text=claim.text, citations=ids)
    return tuple(sorted([*unchanged, *added.values()], key=lambda claim: claim.span))
