"""A run in the shape that callers of `verify_citations` know, with all that is ours beside it."""

from workbench.errors import ErrorKind, UsageError
from workbench.records import PASS_MARK, CitationResult, Json, JsonDict, Run

DEFAULT_COST_USD = 1.0
DEFAULT_CITATIONS = 20
MOST_CITATIONS = 50
DEFAULT_TIMEOUT_MS = 10_000
DEFAULT_BYTES = 5 * 1024 * 1024

PUBLISHED_KINDS = ("numbered", "author_year", "url", "doi")
PUBLISHED_ERRORS: tuple[str, ...] = (
    "bad_scheme", "ssrf", "not_allowed_domain", "timeout", "too_large", "bad_status",
    "redirect_loop", "not_text", "fetch_disabled", "malformed_judge_response", "llm_judge_error",
    "cost_cap_reached", "unresolvable_kind",
)  # fmt: skip
_NEAREST_ERROR_KINDS: dict[ErrorKind, ErrorKind] = {
    "unverified_quote": "malformed_judge_response",
    "not_evidence": "not_text",
    "unlinked": "unresolvable_kind",
    "no_source": "unresolvable_kind",
    "unreadable": "not_text",
    "no_such_host": "bad_status",
    "cancelled": "timeout",
}
_KINDS = {
    "key": "numbered", "native": "numbered", "arxiv": "doi", "pmid": "doi",
    "case_law": "author_year", "provenance": "url",
}  # fmt: skip
PROVIDERS = ("anthropic", "openai")


def judge_spec(model: str, provider: str | None) -> str:
    """The SPEC of a model's judge; the provider is inferred from the model where none is named.

    Raises:
        UsageError: The model is empty or of no known provider.
    """
    name = model.strip()
    if name == "local" or name.partition(":")[0] in (*PROVIDERS, "scripted"):
        return name
    if provider:
        return f"{provider}:{name}"
    if name.startswith("claude"):
        return f"anthropic:{name}"
    if name.startswith(("gpt-", "o1", "o3", "o4", "chatgpt")):
        return f"openai:{name}"
    raise UsageError(
        f"Unknown model {name!r}: name a claude-… or gpt-… model, give `provider`, or use `local`, "
        "the embedded judge that needs no key."
    )


def run_document(
    run: Run, shown: int, trace_id: str | None, trace_known: bool | None = None
) -> JsonDict:
    """The result of `verify_citations`.

    A source that was read and not judged (the judge was away, the cost cap is reached) counts as
    resolved and not as supported, so that a judge that gives no answer passes nothing. Citations
    beyond the first `shown` that are counted were skipped silently: they are in the totals and in
    `extensions.skipped`. Quotes and statistics are in `extensions.asides`.
    """
    counted = run.counted
    listed, unlisted = counted[:shown], counted[shown:]
    asides = [result for result in run.citations if result not in counted]
    resolved = run.total_resolved + run.total_unjudged
    score = round(run.total_supported / resolved, 2) if resolved else None
    return {
        "id": run.id,
        "overall_score": score,
        "passed": score is None or score >= PASS_MARK,
        "total_citations_found": run.total_citations_found,
        "total_resolved": resolved,
        "total_supported": run.total_supported,
        "total_cost_usd": round(run.cost_usd, 6),
        "citations": [citation_document(result) for result in listed],
        "extensions": {
            "complete": run.complete,
            "judge": list(run.judge),
            "errors": dict(run.errors),
            "skipped": [result.citation.id for result in unlisted],
            "asides": [citation_document(result) for result in asides],
            "unjudged": run.total_unjudged,
            "trace_id": trace_id,
            "trace_known": trace_known,
            "reserved_usd": run.reserved_usd,
            "price_unknown": run.unpriced_calls > 0,
        },
    }


def citation_document(result: CitationResult) -> JsonDict:
    """One citation of the result."""
    citation = result.citation
    document: JsonDict = {
        "citation": {
            "raw": citation.raw,
            "kind": _KINDS.get(citation.kind, citation.kind),
            "identifier": citation.identifier,
            "offset_start": citation.start,
            "offset_end": citation.end,
        },
        "resolve_status": "ok" if result.judge_failed else result.status,
    }
    if result.error:
        document["resolve_error"] = {
            "kind": _NEAREST_ERROR_KINDS.get(result.error.kind, result.error.kind),
            "message": result.error.message,
        }
    if result.source:
        source = result.source
        document["source"] = {
            "url": source.final_url or source.url or "",
            "status": source.status,
            "content_type": source.content_type,
            "bytes_fetched": source.bytes,
            "truncated": source.truncated,
        }
    judgment = result.judgment
    if judgment:
        document["judge"] = {
            "supported": result.verdict == "supported",
            "confidence": judgment.confidence,
            "rationale": judgment.rationale,
            "cost_usd": judgment.cost_usd,
            "latency_ms": judgment.latency_ms,
            "input_tokens": judgment.input_tokens,
            "output_tokens": judgment.output_tokens,
        }
    evidence: list[Json] = [passage.to_dict() for passage in judgment.evidence] if judgment else []
    document["extensions"] = {
        "id": citation.id,
        "kind": citation.kind,
        "verdict": result.verdict,
        "score": judgment.score if judgment else None,
        "price_unknown": bool(judgment and judgment.price_unknown),
        "error_kind": result.error.kind if result.error else None,
        "claim": citation.claim.to_dict() if citation.claim else None,
        "target": citation.target.to_dict() if citation.target else None,
        "evidence": evidence,
        "layers": result.layers.to_dict(),
        "source_sha256": result.source.sha256 if result.source else None,
        "scope": citation.scope.to_dict() if citation.scope else None,
        **({"standalone": judgment.standalone} if judgment and judgment.standalone else {}),
        **(
            {"parts": [part.to_dict() for part in judgment.parts]}
            if judgment and judgment.parts
            else {}
        ),
    }
    return document
