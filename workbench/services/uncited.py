"""Sentences of a run without a citation, compared with the run's own sources."""

import uuid
from dataclasses import dataclass
from datetime import UTC, datetime

from workbench.errors import UsageError
from workbench.judging.claim_comparison import OnJudged
from workbench.judging.ground_report import ClaimReport, ReferenceDocument
from workbench.judging.handoff import HANDOFF
from workbench.judging.judge_factory import takes_prompt
from workbench.pipeline.claim import check_sentences
from workbench.pipeline.estimate import Estimate, estimate_claims
from workbench.records.citation import Coverage, Extraction, SentenceSuggestion
from workbench.records.format import count_of, usd
from workbench.records.text import JsonDict, Span
from workbench.records.verdict import Run
from workbench.services.database import Database
from workbench.services.runs import citation_source, output_text, stored_run
from workbench.services.spending import LAPSES_AFTER, attempt_budget
from workbench.services.verification import VerifyOptions, claims_purpose
from workbench.store.runs.sentences import SentenceKinds


@dataclass(frozen=True, slots=True, kw_only=True)
class UncitedCheck:
    """What the sources of a run say of its sentences without a citation."""

    report: ClaimReport
    suggestions: tuple[SentenceSuggestion, ...]
    """Sentences that a source of the run states or contradicts, for a reviewer to decide on."""
    coverage: Coverage
    """As it was before anybody decided."""

    def to_dict(self) -> JsonDict:
        """Return the published JSON: that of the report, with the suggestions and the coverage."""
        return {
            **self.report.to_dict(),
            "suggestions": [suggestion.to_dict() for suggestion in self.suggestions],
            "coverage": self.coverage.to_dict(),
        }


def check_uncited(
    database: Database, run_id: str, options: VerifyOptions, on_judged: OnJudged | None = None
) -> UncitedCheck:
    """Return what the run's own sources say of its sentences that need a citation and have none.

    The first judge of the options is asked, within their cost cap. Where a source states such a
    sentence, or contradicts it, that is kept as a suggestion.

    Raises:
        NotFoundError: There is no such run.
        UsageError: None of its sources has a text, or the judge cannot be used.
    """
    asked = _uncited(database, run_id)
    (judge,) = options.specs[:1]
    purpose = claims_purpose([run_id, *asked.sentences], judge, None)
    store = database if takes_prompt(judge) else None
    with attempt_budget(store, purpose, options.max_cost_usd, LAPSES_AFTER) as budget:
        report = check_sentences(
            asked.cited, asked.spans, [*asked.sources.values()], judge,
            budget=budget, on_judged=on_judged,
        )  # fmt: skip
    citations, suggestions = [*asked.sources], []
    for claim in report.claims:
        judgment = dict(claim.judgments).get(
            -1 if claim.source_index is None else claim.source_index
        )
        if judgment is None or claim.source_index is None or claim.span is None:
            continue
        if judgment.label in ("supported", "contradicted") and judgment.evidence:
            suggestions.append(
                SentenceSuggestion(
                    id=str(uuid.uuid4()),
                    run_id=run_id,
                    start_at=claim.span.start,
                    end_at=claim.span.end,
                    citation_id=citations[claim.source_index],
                    label="supported" if judgment.label == "supported" else "contradicted",
                    score=judgment.score,
                    quote=judgment.evidence[0].quote,
                    judge=judge,
                    created_at=datetime.now(UTC),
                    sure=judgment.sure,
                )
            )
    SentenceKinds(database).suggest(suggestions)
    return UncitedCheck(report=report, suggestions=tuple(suggestions), coverage=asked.run.coverage)


def estimate_uncited(database: Database, run_id: str, judge: str) -> Estimate:
    """Return what `check_uncited` can cost at most.

    Raises:
        NotFoundError: There is no such run.
        UsageError: None of its sources has a text, or the judge cannot be used.
    """
    asked = _uncited(database, run_id)
    return estimate_claims(asked.sentences, len(asked.sources), judge)


def estimate_text(guess: Estimate, judge: str) -> str:
    """Return in a sentence what `check_uncited` asks for and can cost.

    >>> guess = Estimate(citations=4, sources=1, calls=4, cost_usd=0.0, seconds=0.1)
    >>> estimate_text(guess, "local")
    'local compares 4 sentences with 1 source of the run: at most 4 judgments, at no cost.'
    """
    cost = "at no cost"
    if guess.cost_usd is None or guess.usual_usd is None:
        cost = "at an unknown price"
    elif guess.cost_usd:
        cost = f"usually {usd(guess.usual_usd)}, at most {usd(guess.cost_usd)}"
    return (
        f"{judge} compares {count_of(guess.citations, 'sentence')} with "
        f"{count_of(guess.sources, 'source')} of the run: at most "
        f"{count_of(guess.calls, 'judgment')}, {cost}."
    )


def judge_of_uncited(run: Run, named: str | None = None) -> str:
    """Return who is asked about sentences without a citation: who is named, else the run's judge."""
    if named:
        return named
    first = run.judge[0] if run.judge else "local"
    return "local" if first.startswith(f"{HANDOFF}:") else first


@dataclass(frozen=True, slots=True, kw_only=True)
class _Uncited:
    """The sentences of a run without a citation, and the run's sources by one of their citations."""

    run: Run
    cited: Extraction
    spans: list[Span]
    sources: dict[str, ReferenceDocument]

    @property
    def sentences(self) -> list[str]:
        return [span.of(self.cited.text) for span in self.spans]


def _uncited(database: Database, run_id: str) -> _Uncited:
    run = stored_run(database, run_id)
    firsts: dict[str, str] = {}
    for result in run.counted or run.citations:
        if result.source is not None:
            firsts.setdefault(result.source.sha256, result.citation.id)
    sources = {}
    for name in firsts.values():
        source = citation_source(database, run_id, name)
        if source is not None and source.text:
            url = source.final_url or source.url
            sources[name] = ReferenceDocument(
                content=source.text, title=source.title, url=url or None
            )
    if not sources:
        raise UsageError(
            f"None of the sources of run {run_id} has a text, so its sentences without a citation "
            "cannot be compared with them."
        )
    return _Uncited(
        run=run,
        cited=Extraction(
            text=output_text(database, run.output_sha256),
            citations=tuple(result.citation for result in run.citations),
        ),
        spans=[sentence.span for sentence in run.sentences if sentence.is_uncited],
        sources=sources,
    )
