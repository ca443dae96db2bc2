"""An answer before a policy: its claims against the context, its citations before the resolver."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from workbench.errors import FetchError
from workbench.judging.ground_report import GroundedClaim, ReferenceDocument
from workbench.judging.judge import Judge, run_sync
from workbench.masking import mask_known
from workbench.pipeline.claim import aground_documents
from workbench.policy import (
    ContextClaim,
    Policy,
    PolicyDecision,
    ResolverAnswer,
    apply_policy,
    pattern_of,
)
from workbench.records.options import CAP_USD
from workbench.records.text import Json, JsonDict
from workbench.records.verdict import CitationResult, Run
from workbench.sources.json_client import post_json

Documents = Sequence[ReferenceDocument | Mapping[str, str | None]]
"""`{"content", "title"?, "url"?}`: the context that the answer was made from."""

_CONFIRMS = frozenset({"verified", "confirmed", "found", "supported", "valid", "ok", "true"})


def gate(
    policy: Policy,
    run: Run,
    text: str,
    *,
    documents: Documents = (),
    judge: str | Judge = "local",
    internal_hosts: Collection[str] = (),
    max_cost_usd: float | None = CAP_USD,
) -> PolicyDecision:
    """What a policy makes of an answer that was verified.

    Args:
        policy: The policy.
        run: The verdicts on the answer's citations.
        text: The answer.
        documents: The context documents; without them groundedness is not checked.
        judge: Of the claims against the documents.
        internal_hosts: Hosts of resolvers that may lie on a private address.
        max_cost_usd: A cap for judging the claims; one that it leaves unjudged counts as not
            found in the documents.

    Raises:
        UsageError: A document is no text, or the judge cannot be used.
    """
    return run_sync(
        agate(
            policy, run, text, documents=documents, judge=judge, internal_hosts=internal_hosts,
            max_cost_usd=max_cost_usd,
        )
    )  # fmt: skip


async def agate(
    policy: Policy,
    run: Run,
    text: str,
    *,
    documents: Documents = (),
    judge: str | Judge = "local",
    internal_hosts: Collection[str] = (),
    max_cost_usd: float | None = CAP_USD,
) -> PolicyDecision:
    """The awaitable twin of `gate`."""
    claims: list[ContextClaim] | None = None
    spent = 0.0
    if policy.enabled and policy.verify_against_context and documents:
        report = await aground_documents(text, documents, judge, max_cost_usd=max_cost_usd)
        spent = report.cost_usd
        claims = [_overlap(claim) for claim in report.claims]
    resolved: Mapping[str, ResolverAnswer] | None = None
    if policy.enabled and policy.resolver:
        resolved = await _ask(policy, run, internal_hosts)
    decision = apply_policy(policy, run, text, claims=claims, resolved=resolved)
    return replace(decision, cost_usd=spent)


def _overlap(claim: GroundedClaim) -> ContextClaim:
    """The claim with its confidence on the scale of claim mode; a contradicted one has none."""
    overlap = 0.0 if claim.verdict == "contradicted" else claim.confidence
    return ContextClaim(text=claim.text, span=claim.span, overlap=overlap, source=claim.source_ref)


async def _ask(
    policy: Policy, run: Run, internal_hosts: Collection[str]
) -> Mapping[str, ResolverAnswer] | None:
    """The resolver's answers by citation id; None where it gave none in time."""
    assert policy.resolver
    matching = [
        result for result in run.citations if pattern_of(result.citation) in policy.extract_patterns
    ]
    if not matching:
        return {}
    question: JsonDict = {"citations": [_question(result) for result in matching]}
    try:
        answer = await post_json(
            policy.resolver.endpoint,
            question,
            authorization=policy.resolver.api_key,
            seconds=policy.resolver.timeout_ms / 1000,
            internal_hosts=internal_hosts,
        )
    except FetchError:
        return None
    return read_answers(answer, matching)


def _question(result: CitationResult) -> Json:
    citation = result.citation
    return {
        "id": citation.id,
        "type": citation.kind,
        "text": citation.raw,
        "identifier": citation.identifier,
        "target": citation.target.value if citation.target else None,
        "claim": citation.claim.text if citation.claim else None,
    }


def read_answers(
    answer: Json, results: Sequence[CitationResult]
) -> dict[str, ResolverAnswer] | None:
    """A resolver's answer by citation id; None for one that is no such answer.

    `{"citations": [{"id", "status", "confidence"?, "source"?}]}`, or the list alone; without ids
    the order is that of the question. What is malformed is left out: it confirms nothing.
    """
    entries = answer.get("citations", answer.get("results")) if isinstance(answer, dict) else answer
    if not isinstance(entries, list):
        return None
    citation_ids = [result.citation.id for result in results]
    answers: dict[str, ResolverAnswer] = {}
    for number, entry in enumerate(entries):
        if not isinstance(entry, dict):
            continue
        citation_id = entry.get("id")
        if citation_id is None and number < len(citation_ids):
            citation_id = citation_ids[number]
        if not isinstance(citation_id, str) or citation_id not in citation_ids:
            continue
        sure, source = entry.get("confidence", 1.0), entry.get("source")
        status = str(entry.get("status", "")).lower()
        if isinstance(sure, bool) or not isinstance(sure, int | float) or not 0 <= sure <= 1:
            continue
        answers[citation_id] = ResolverAnswer(
            citation_id=citation_id,
            verified=status in _CONFIRMS,
            confidence=float(sure),
            source=mask_known(source)[:500] if isinstance(source, str) else None,
        )
    return answers
