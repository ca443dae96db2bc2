"""What a policy makes of an answer: pass it on, flag it, redact it or block it; with a report.

Order (the published one): citations of the wanted kinds, presence, groundedness against the context
documents, the resolver's answers, source match, references, action, report.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from workbench.policy.fields import Pattern, Policy
from workbench.policy.references import (
    ReferenceViolation,
    looks_at_references,
    reference_fact,
    reference_removals,
    reference_steps,
    reference_violations,
)
from workbench.records.citation import NO_COVERAGE, Citation, CitationKind, Coverage, TargetForm
from workbench.records.text import JsonDict, Span
from workbench.records.verdict import CitationResult, Run, VerdictLabel

_ENDS = ".!?。！？…"
_CLOSERS = "\"'”’)]»」』"


def redacted(text: str, remove: Sequence[tuple[Span, str]]) -> str:
    """The text with each span replaced by its mark.

    Spans that overlap, or have only blanks between them, become one with the first one's mark. The
    blanks around a span stay; the full stop that ended the last removed sentence is kept after the
    mark. Cost: linear in the text and n log n in the spans.
    """
    parts: list[str] = []
    at = 0
    for start, end, mark in _merged(text, remove):
        parts.append(text[at:start])
        parts.append(mark)
        parts.append(_ending(text, start, end))
        at = end
    parts.append(text[at:])
    return "".join(parts)


def _merged(text: str, remove: Sequence[tuple[Span, str]]) -> list[tuple[int, int, str]]:
    merged: list[tuple[int, int, str]] = []
    for span, mark in sorted(remove, key=lambda removal: (removal[0].start, removal[0].end)):
        start, end = max(0, span.start), min(len(text), span.end)
        if start >= end:
            continue
        if merged:
            before, until, first = merged[-1]
            between = text[until:start]
            # one mark for a run of sentences, but not across a paragraph
            if start <= until or (not between.strip() and "\n" not in between):
                merged[-1] = (before, max(until, end), first)
                continue
        merged.append((start, end, mark))
    return merged


def _ending(text: str, start: int, end: int) -> str:
    """The full stop of what was removed, where the text does not go on with one."""
    if (start, end) == (0, len(text)) or (end < len(text) and text[end] in _ENDS):
        return ""
    inner = text[start:end].rstrip().rstrip(_CLOSERS)
    return inner[-1] if inner and inner[-1] in _ENDS else ""


Status = Literal["verified", "unverified", "inconclusive"]
Outcome = Literal["pass", "flag", "redact", "block"]
Step = tuple[Outcome, str]
"""An outcome and why."""
_SEVERITY: dict[Outcome, int] = {"pass": 0, "flag": 1, "redact": 2, "block": 3}

NO_SOURCES = "[response removed: it names no source]"
UNVERIFIED = "[removed: source not confirmed]"
UNGROUNDED = "[removed: not found in the context]"
UNCITED = "[removed: no source given]"

_ACADEMIC = ("doi", "arxiv", "pmid", "author_year")
_ACADEMIC_TARGETS = ("doi", "arxiv", "pmid")


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolverAnswer:
    """What the external resolver said of one citation."""

    citation_id: str
    verified: bool
    confidence: float
    source: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextClaim:
    """A factual claim of the answer, and how well the context documents carry it."""

    text: str
    span: Span | None
    """In the answer."""
    overlap: float
    """The score of its best document, 0 to 1."""
    source: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationCheck:
    """One citation in the report."""

    citation: Citation
    pattern: Pattern
    status: Status
    confidence: float | None
    matched_source: str | None
    by: Literal["context", "resolver"] | None
    reason: str

    def to_dict(self) -> JsonDict:
        """The citation as the report lists it."""
        return {
            "id": self.citation.id,
            "raw": self.citation.raw,
            "start": self.citation.start,
            "end": self.citation.end,
            "type": self.pattern,
            "status": self.status,
            "confidence": self.confidence,
            "matched_source": self.matched_source,
            "by": self.by,
            "reason": self.reason,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyDecision:
    """What happens to the answer, and why."""

    action: Outcome
    text: str
    """What may be passed on: as given, or redacted, or empty where it is blocked."""
    reasons: tuple[str, ...]
    citations: tuple[CitationCheck, ...] = ()
    groundedness: float | None = None
    """The share of claims that the context carries; None where that was not checked."""
    ungrounded: tuple[ContextClaim, ...] = ()
    coverage: Coverage = NO_COVERAGE
    references: tuple[ReferenceViolation, ...] | None = None
    """Entries of the reference list that the policy does not let pass; None where it says nothing
    about them."""
    removed: tuple[Span, ...] = ()
    """Of the answer as given."""
    resolver: Literal["unused", "answered", "inconclusive"] = "unused"
    with_report: bool = True
    cost_usd: float = 0.0
    """What judging the claims against the documents cost, on top of the run."""

    def report(self) -> JsonDict:
        """Each citation with its status, confidence and source; groundedness and its warnings."""
        return {
            "action": self.action,
            "reasons": list(self.reasons),
            "citations": [check.to_dict() for check in self.citations],
            "verified": sum(check.status == "verified" for check in self.citations),
            "unverified": sum(check.status == "unverified" for check in self.citations),
            "inconclusive": sum(check.status == "inconclusive" for check in self.citations),
            "resolver": self.resolver,
            "groundedness": self.groundedness,
            "coverage": self.coverage.to_dict(),
            "groundedness_cost_usd": round(self.cost_usd, 6),
            "groundedness_warnings": [
                {
                    "claim": check.text,
                    "start": check.span.start if check.span else None,
                    "end": check.span.end if check.span else None,
                    "overlap": round(check.overlap, 4),
                    "closest_source": check.source,
                }
                for check in self.ungrounded
            ],
            **(
                {"references": [violation.to_dict() for violation in self.references]}
                if self.references is not None
                else {}
            ),
            "removed": [span.to_dict() for span in self.removed],
        }

    def to_dict(self) -> JsonDict:
        """The answer of the gateway: action, text, and the report where the policy wants it."""
        answer: JsonDict = {"action": self.action, "text": self.text}
        if self.action == "block":
            answer["error"] = "Blocked by the citation policy: " + "; ".join(self.reasons)
        if self.with_report:
            answer["report"] = self.report()
        return answer


def pattern_of(citation: Citation) -> Pattern:
    """Which of the policy's five kinds a citation is.

    A marker such as `[3]` is what it points at: `academic` where its entry has a DOI or the like or
    no address at all, else `url`.
    """
    return pattern_for(citation.kind, citation.target.form if citation.target else None)


def pattern_for(kind: CitationKind, form: TargetForm | None) -> Pattern:
    """The same from a citation's kind and the form of what it points at."""
    if kind in ("case_law", "quote", "statistic"):
        return kind
    if kind in _ACADEMIC or form in _ACADEMIC_TARGETS:
        return "academic"
    if kind == "url" or form in ("url", "file", "git", "memory"):
        return "url"
    return "academic"


def confirmed_score(
    policy: Policy, verdict: VerdictLabel, score: float | None, unsure: bool
) -> float | None:
    """How surely the context confirms a citation; None where it does not, however low the bar."""
    stands = verdict == "supported" and not (unsure and policy.on_unsure == "unverified")
    return score if policy.verify_against_context and stands else None


def presence_step(policy: Policy, citations: int) -> list[Step]:
    """What follows from an answer's having no citation of the wanted kinds."""
    if citations or not policy.require_sources:
        return []
    return [(policy.unverified_action, "the answer names no source")]


def match_step(policy: Policy, citations: int, unconfirmed: int) -> list[Step]:
    """What follows from citations that are not confirmed."""
    if not unconfirmed:
        return []
    action: Outcome = policy.unverified_action if policy.require_source_match else "flag"
    return [(action, f"{unconfirmed} of {citations} citations are not confirmed")]


def coverage_step(policy: Policy, coverage: Coverage) -> list[Step]:
    """What follows from sentences that need a citation and have none."""
    least, share = policy.min_coverage, coverage.share
    if least is None or share is None or share >= least or policy.on_uncited == "ignore":
        return []
    reason = (
        f"{coverage.cited} of {coverage.needing} sentences that need a citation have one "
        f"({share:.0%}), {least:.0%} must"
    )
    return [(policy.on_uncited, reason)]


def most_severe(steps: Sequence[Step]) -> Outcome:
    """The gravest of several outcomes; `pass` for none."""
    return max((step for step, _ in steps), key=_SEVERITY.__getitem__, default="pass")


def apply_policy(
    policy: Policy,
    run: Run,
    text: str,
    *,
    claims: Sequence[ContextClaim] | None = None,
    resolved: Mapping[str, ResolverAnswer] | None = None,
) -> PolicyDecision:
    """What the policy makes of an answer and the run that checked it.

    Args:
        policy: A switched-off one lets everything pass.
        run: Its verdicts are the match against the context documents.
        text: The answer, which the run's offsets are in.
        claims: Of the answer, with their overlap; None where no context was given.
        resolved: The resolver's answers by citation id; None where it was called and gave none
            in time (every check by it is then inconclusive), or the policy has none.
    """
    if not policy.enabled:
        reason = "The policy is switched off."
        return PolicyDecision(action="pass", text=text, reasons=(reason,), with_report=True)
    selected = [
        (result, kind)
        for result in run.citations
        if (kind := pattern_of(result.citation)) in policy.extract_patterns
    ]
    checked = tuple(_check_citation(policy, result, kind, resolved) for result, kind in selected)
    unconfirmed = [check for check in checked if check.status != "verified"]
    overlap = claims if claims is not None and policy.verify_against_context else ()
    ungrounded = tuple(c for c in overlap if c.overlap < policy.min_context_overlap)
    groundedness = 1 - len(ungrounded) / len(overlap) if overlap else None
    steps: list[Step] = []
    missing = policy.require_sources and not checked
    steps += presence_step(policy, len(checked))
    too_few_grounded = (
        groundedness is not None
        and policy.min_groundedness is not None
        and groundedness < policy.min_groundedness
    )
    if too_few_grounded and groundedness is not None:
        shortfall = (
            f"{groundedness:.0%} of its claims are in the context, "
            f"{policy.min_groundedness:.0%} must be"
        )
        steps.append((policy.hallucination_action, shortfall))
    steps += match_step(policy, len(checked), len(unconfirmed))
    too_few_cited = coverage_step(policy, run.coverage)
    steps += too_few_cited
    steps += reference_steps(policy, [reference_fact(check) for check in run.reference_checks])
    violations = reference_violations(policy, run)
    outcome = most_severe(steps)
    remove: list[tuple[Span, str]] = []
    if outcome == "redact":
        remove = _removals(policy, text, missing, too_few_grounded, unconfirmed, ungrounded)
        if not missing:
            remove += reference_removals(violations, run)
            if too_few_cited and policy.on_uncited == "redact":
                remove += [
                    (sentence.span, UNCITED) for sentence in run.sentences if sentence.is_uncited
                ]
    return PolicyDecision(
        action=outcome,
        text="" if outcome == "block" else redacted(text, remove),
        reasons=tuple(reason for _, reason in steps),
        citations=checked,
        groundedness=None if groundedness is None else round(groundedness, 4),
        ungrounded=ungrounded,
        coverage=run.coverage,
        references=violations if looks_at_references(policy) else None,
        removed=tuple(span for span, _ in remove),
        resolver=_resolver_state(policy, resolved),
        with_report=policy.include_verification_report,
    )


def _check_citation(
    policy: Policy,
    result: CitationResult,
    pattern: Pattern,
    resolved: Mapping[str, ResolverAnswer] | None,
) -> CitationCheck:
    """A citation is verified where the context or the resolver confirms it surely enough."""
    score = result.judgment.score if result.judgment else None
    confirmed = confirmed_score(policy, result.verdict, score, result.unsure)
    if confirmed is not None and confirmed >= policy.min_confidence:
        return _citation_check(
            result, pattern, "verified", confirmed, "context", _source(result), "confirmed"
        )
    answer = resolved.get(result.citation.id) if resolved else None
    if answer and answer.verified and answer.confidence >= policy.min_confidence:
        source = answer.source or _source(result)
        return _citation_check(
            result, pattern, "verified", answer.confidence, "resolver", source, "confirmed"
        )
    if policy.resolver and answer is None and result.verdict != "contradicted":
        return _citation_check(
            result, pattern, "inconclusive", score, None, _source(result),
            "the resolver gave no answer in time",
        )  # fmt: skip
    if answer and not answer.verified:
        reason = "the resolver does not know it"
        return _citation_check(
            result, pattern, "unverified", answer.confidence, "resolver", answer.source, reason
        )
    if answer:
        reason = f"the resolver is only {answer.confidence:.0%} sure"
        return _citation_check(
            result, pattern, "unverified", answer.confidence, "resolver", answer.source, reason
        )
    reason = _unconfirmed_reason(result, score)
    return _citation_check(result, pattern, "unverified", score, None, _source(result), reason)


def _citation_check(
    result: CitationResult,
    pattern: Pattern,
    status: Status,
    confidence: float | None,
    by: Literal["context", "resolver"] | None,
    source: str | None,
    reason: str,
) -> CitationCheck:
    return CitationCheck(
        citation=result.citation,
        pattern=pattern,
        status=status,
        confidence=None if confidence is None else round(confidence, 4),
        matched_source=source,
        by=by,
        reason=reason,
    )


def _unconfirmed_reason(result: CitationResult, score: float | None) -> str:
    if result.error:
        return result.error.message
    if result.verdict == "supported" and result.unsure:
        return "the judge leans to supported and is not sure"
    if result.verdict == "supported" and score is not None:
        return f"the source supports it, but only with {score:.0%}"
    return f"the source says otherwise: {result.verdict.replace('_', ' ')}"


def _source(result: CitationResult) -> str | None:
    if result.source:
        # a document without address and title is known by its place: [1], [2], …
        place = result.citation.identifier
        unnamed = f"[{place}]" if result.citation.kind == "numbered" and place else None
        return result.source.final_url or result.source.title or unnamed
    target = result.citation.target
    return target.value if target else None


def _removals(
    policy: Policy,
    text: str,
    missing: bool,
    too_few_grounded: bool,
    unconfirmed: Sequence[CitationCheck],
    ungrounded: Sequence[ContextClaim],
) -> list[tuple[Span, str]]:
    """What is removed, and what replaces it."""
    if missing and policy.unverified_action == "redact":
        return [(Span(start=0, end=len(text)), NO_SOURCES)]
    removals: list[tuple[Span, str]] = []
    if policy.unverified_action == "redact" and policy.require_source_match:
        for check in unconfirmed:
            claim = check.citation.claim
            span = claim.span if claim else check.citation.span
            # the marker goes with its claim, or it would vouch for the sentence before
            claim_and_marker = Span(
                start=min(span.start, check.citation.start), end=max(span.end, check.citation.end)
            )
            removals.append((claim_and_marker, UNVERIFIED))
    if too_few_grounded and policy.hallucination_action == "redact":
        removals += [(claim.span, UNGROUNDED) for claim in ungrounded if claim.span]
    return removals


def _resolver_state(
    policy: Policy, resolved: Mapping[str, ResolverAnswer] | None
) -> Literal["unused", "answered", "inconclusive"]:
    if policy.resolver is None:
        return "unused"
    return "inconclusive" if resolved is None else "answered"
