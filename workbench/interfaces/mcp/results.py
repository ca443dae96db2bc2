"""What the tools return: the types whose schemas agents see, and a run in the published form."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal, NotRequired

from pydantic import BeforeValidator, ConfigDict, Field, with_config
from typing_extensions import TypedDict

from workbench.errors import ErrorKind
from workbench.presentation.coverage import uncited_sentences
from workbench.records.options import WebSearchName as SearchName
from workbench.records.options import interface_options
from workbench.records.providers import WITH_KEY
from workbench.records.text import Json, JsonDict
from workbench.records.verdict import PASS_MARK, CitationResult, Run, Status, VerdictLabel

if TYPE_CHECKING:
    from workbench.services.verification import ClaimReport

MOST_UNCITED = 50
"""Sentences without a citation that a tool tells, of as many as there are."""


def option(name: str, **changes: Any) -> Any:  # noqa: ANN401  # as pydantic's Field
    """Return the field of an option without its default: its limits and description."""
    return Field(**{**interface_options()[name].option.field(), **changes})


def _whole(value: object) -> object:
    """The integer of a number like 20.0, which in JSON is one."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


WHOLE = BeforeValidator(_whole)


_NamedFor = TypedDict(
    "_NamedFor",
    {
        "for": NotRequired[
            Annotated[
                list[str],
                Field(description="The citations it is for, as the text names them: 1, Lee 2020."),
            ]
        ]
    },
)


@with_config(ConfigDict(extra="allow", strict=True))
class SourceText(_NamedFor):
    """A source to check against."""

    content: Annotated[str, Field(description="The source's text.")]
    title: NotRequired[Annotated[str, Field(description="Its title.")]]
    url: NotRequired[Annotated[str, Field(description="Its address.")]]
    label: NotRequired[
        Annotated[str, Field(description="The label that `[n]` or a key refers to.")]
    ]


_SOURCES = (
    "Sources to check against. Each names its citations by `for`, or is matched: by address, "
    "identifier, label, title, authors and year."
)
_MODEL = (
    "The judge's model, such as claude-haiku-4-5 or gpt-4o-mini; `local` for the embedded judge, "
    "which needs no key; `nli:NAME` for a model in the folder of models; `ollama:MODEL`, "
    "`lmstudio:MODEL`, `llamacpp` or `vllm:MODEL` for one that runs on this machine."
)
CLIENT_MODEL = f"{_MODEL} `client` asks your own model, where the client offers sampling."
TRACE_ID = "The trace that the text came from; stored as given, even if it is kept elsewhere."
ENVELOPE = (
    "{claims: [{claim, source, evidence, scope?, confidence}], unverified: [...]}; checked as it "
    "is, nothing is repaired."
)
Sources = Annotated[list[SourceText], Field(description=_SOURCES)]
Provider = Annotated[
    str,
    Field(
        description="Inferred from the model where left out.",
        json_schema_extra={"enum": [*WITH_KEY]},
    ),
]
AllowFetch = Annotated[bool, option("allow_fetch", json_schema_extra={"default": False})]
Domains = Annotated[list[str], option("allowed_domains")]
WebSearchName = Annotated[SearchName, option("web_search")]
SupportedFrom = Annotated[float, option("supported_from")]
WeakFrom = Annotated[float, option("weak_from")]
MostSearches = Annotated[int, option("max_searches"), WHOLE]
CostCap = Annotated[float, option("max_cost_usd")]
Standalone = Annotated[bool, option("standalone")]
Question = Annotated[str, option("question")]
RunId = Annotated[str, Field(description="The run's id.")]
Decider = Annotated[
    str, Field(description="Who decides: a person's name, never a model's.", min_length=1)
]
SentenceStart = Annotated[
    int, Field(description="Where the sentence begins, as get_run tells.", ge=0), WHOLE
]
StatedIn = Annotated[
    str,
    Field(
        description="A citation of the run whose source states the sentence, which cites nothing "
        "there; its kind is cited then."
    ),
]
CheckReferences = Annotated[bool, option("check_references")]
Registry = Annotated[
    Annotated[str, Field(max_length=8_000_000)]
    | Annotated[list[dict[str, Any]], Field(max_length=20_000)],
    option("registry"),
]
IndexNames = Annotated[list[str], option("indexes")]
Entries = Annotated[
    list[str] | list[dict[str, Any]],
    Field(
        description="Entries one by one, as texts or as CSL-JSON items. Give this or `text`.",
        max_length=20_000,
    ),
]
MostCitations = Annotated[int, option("max_citations", ge=1, le=50), WHOLE]
Milliseconds = Annotated[
    int, Field(description="For each source, redirects included.", ge=1, le=120_000), WHOLE
]
Bytes = Annotated[
    int,
    Field(description="Longer bodies are truncated, judged, and flagged.", ge=1, le=50 * 1024**2),
    WHOLE,
]
ClientCalls = Annotated[
    int,
    Field(description="At most so many questions to the model of `client`.", ge=1, le=500),
    WHOLE,
]
Limit = Annotated[int, Field(description="Maximum number.", ge=1, le=200), WHOLE]


# ruff: noqa: D101  # a result is described with its tool


PublishedKind = Literal["numbered", "author_year", "url", "doi"]
PublishedError = Literal[
    "bad_scheme", "ssrf", "not_allowed_domain", "timeout", "too_large", "bad_status",
    "redirect_loop", "not_text", "fetch_disabled", "malformed_judge_response", "llm_judge_error",
    "cost_cap_reached", "unresolvable_kind",
]  # fmt: skip
_NEAREST_ERROR: Mapping[ErrorKind, PublishedError] = {
    "unverified_quote": "malformed_judge_response",
    "not_evidence": "not_text",
    "unlinked": "unresolvable_kind",
    "no_source": "unresolvable_kind",
    "unreadable": "not_text",
    "no_such_host": "bad_status",
    "cancelled": "timeout",
}
_NEAREST_KIND: Mapping[str, PublishedKind] = {
    "key": "numbered", "native": "numbered", "arxiv": "doi", "pmid": "doi",
    "case_law": "author_year", "provenance": "url",
}  # fmt: skip
Document = dict[str, Any]
_SCORE = "Supported over resolved; null when nothing was resolved."
_UNVERIFIED = "Items that the envelope itself lists as unverified."


class PublishedCitation(TypedDict):
    raw: str
    kind: PublishedKind
    identifier: str | None
    offset_start: int
    offset_end: int


class ResolveError(TypedDict):
    kind: PublishedError
    message: str


class CitedSource(TypedDict):
    url: str
    status: int | None
    content_type: str | None
    bytes_fetched: int | None
    truncated: bool


class JudgeAnswer(TypedDict):
    supported: bool
    confidence: float
    rationale: str
    cost_usd: float
    latency_ms: int
    input_tokens: int
    output_tokens: int


class CitationExtensions(TypedDict):
    verdict: VerdictLabel
    error_kind: ErrorKind | None


class CheckedCitation(TypedDict):
    citation: PublishedCitation
    resolve_status: Status
    resolve_error: NotRequired[ResolveError]
    source: NotRequired[CitedSource]
    judge: NotRequired[JudgeAnswer]
    extensions: CitationExtensions


class VerifiedText(TypedDict):
    id: str
    overall_score: Annotated[float | None, Field(description=_SCORE)]
    passed: Annotated[bool, Field(description="Score of at least 0.5; true without one.")]
    total_citations_found: int
    total_resolved: int
    total_supported: int
    total_cost_usd: float
    citations: list[CheckedCitation]
    extensions: Document


class CheckedReferences(TypedDict):
    references: Annotated[list[Document], Field(description="Each entry with its finding.")]
    counts: Annotated[Document, Field(description="Entries in each status that occurs.")]
    indexes: Annotated[
        list[Document],
        Field(description="The indexes that were asked: `name`, `asked`, `answered`, `failed`."),
    ]


class ExtractedCitations(TypedDict):
    text_sha256: str
    citations: list[Document]
    references: list[Document]
    claims: list[Document]
    counts: Document
    notices: NotRequired[list[str]]


class ClaimSideOfSource(TypedDict):
    stance: Literal["supports", "contradicts"]
    source_index: int | None
    source_ref: str | None
    source_snippet: str | None
    confidence: float


class ListedClaim(TypedDict):
    text: str
    verdict: Literal["supported", "weak", "unverifiable", "contradicted"]
    confidence: float
    source_index: NotRequired[int | None]
    source_snippet: NotRequired[str | None]
    source_ref: NotRequired[str | None]
    web_verified: NotRequired[bool]
    web_search: NotRequired[str]
    sides: NotRequired[list[ClaimSideOfSource]]


class CheckedClaims(TypedDict):
    claims: list[ListedClaim]
    overall_grounded: bool
    supported_ratio: float
    total_claims: int
    supported_count: int
    weak_count: int
    unverifiable_count: int
    contradicted_count: int
    summary: str
    marked_text: NotRequired[
        Annotated[str, Field(description="The text with its marks, if requested.")]
    ]


class ExtractedClaims(TypedDict):
    claims: list[str]


class EnvelopeProblem(TypedDict):
    path: str
    message: str


class EnvelopeLayers(TypedDict):
    exists: bool | None
    derivable: bool | None
    in_scope: bool | None
    resolves: bool | None


class EnvelopeClaim(TypedDict):
    index: int
    layers: EnvelopeLayers
    passed: bool
    reasons: list[str]


class CheckedEnvelope(TypedDict):
    valid: bool
    problems: list[EnvelopeProblem]
    claims: list[EnvelopeClaim]
    unverified: Annotated[Any, Field(description=_UNVERIFIED)]


class RunDocument(TypedDict):
    id: str
    citations: list[Document]


class ListedRun(TypedDict):
    id: str
    name: str
    data_set: Annotated[
        str, Field(description="The imported data set that it keeps; empty for a run.")
    ]


class RunList(TypedDict):
    runs: list[ListedRun]


class AddedLabel(TypedDict):
    added: Annotated[bool, Field(description="False if the same label already existed.")]
    label: Document | None


class CorrectedSentence(TypedDict):
    changed: Annotated[bool, Field(description="False if the same was said already.")]
    sentence: Document | None
    coverage: Document


class CheckedUncited(CheckedClaims):
    suggestions: Annotated[
        list[Document],
        Field(description="Sentences that a source of the run states or contradicts."),
    ]
    coverage: Document


class RenamedRun(TypedDict):
    id: str
    name: Annotated[str, Field(description="What the run is called now.")]


class HandoffQuestions(TypedDict):
    run_id: str
    questions: int
    pieces: int
    parts: Annotated[list[str], Field(description="Texts for a chat, one by one.")]


class MatrixDocument(TypedDict, total=False):
    run_id: str
    finished: Annotated[bool, Field(description="Whether the run has ended.")]
    statements: list[Document]
    sources: Annotated[list[Document], Field(description="Number 0 is the text itself.")]
    cells: Annotated[list[Document], Field(description="By statement, then by source.")]
    contradictions: list[Document]
    load: Annotated[Document, Field(description="How much rests on how few sources.")]
    estimate: Annotated[Document, Field(description="Instead of all else, if asked for.")]


class OpenHandoffQuestion(TypedDict):
    key: str
    claim: str
    reason: str


class HandoffOutcome(TypedDict):
    judge: str
    taken: int
    refused: Annotated[
        list[OpenHandoffQuestion], Field(description="Answers that cannot be taken, and why.")
    ]
    unanswered: int
    open: Annotated[
        list[OpenHandoffQuestion], Field(description="Questions without an answer that counts.")
    ]


class AddedComment(TypedDict):
    comment: Document


class CommentList(TypedDict):
    comments: list[Document]


class LoggedTrace(TypedDict):
    id: str


class StoredTrace(TypedDict):
    id: str
    output: str
    created_at: str
    runs: Annotated[list[str], Field(description="The runs that verified it.")]


class TraceList(TypedDict):
    traces: list[StoredTrace]


class DeletedTrace(TypedDict):
    deleted: Annotated[bool, Field(description="False where there was no such trace.")]


def run_document(
    run: Run, shown: int, trace_id: str | None, trace_known: bool | None = None
) -> JsonDict:
    """The result of `verify_citations`.

    A source that was read and not judged (the judge was away, the cost cap is reached) counts as
    resolved and not as supported, so that a judge that gives no answer passes nothing. Citations
    beyond the first `shown` that are counted were skipped silently: they are in the totals and in
    `extensions.skipped`. Quotes and statistics stand in `extensions.asides`, the entries of the
    reference list in `extensions.references`.
    """
    counted = run.counted
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
        "citations": [citation_document(result) for result in counted[:shown]],
        "extensions": {
            "complete": run.complete,
            "judge": list(run.judge),
            "errors": dict(run.errors),
            "notices": list(run.notices),
            "skipped": [result.citation.id for result in counted[shown:]],
            "asides": [citation_document(result) for result in asides],
            "unjudged": run.total_unjudged,
            "trace_id": trace_id,
            "trace_known": trace_known,
            "reserved_usd": run.reserved_usd,
            "price_unknown": run.unpriced_calls > 0,
            "references": [check.to_dict() for check in run.reference_checks],
            "source_matches": [match.to_dict() for match in run.source_matches],
            "coverage": run.coverage.to_dict(),
            "uncited": uncited_sentences(run.sentences, run.text)[:MOST_UNCITED],
        },
    }


def citation_document(result: CitationResult) -> JsonDict:
    """One citation of the result."""
    citation = result.citation
    document: JsonDict = {
        "citation": {
            "raw": citation.raw,
            "kind": _NEAREST_KIND.get(citation.kind, citation.kind),
            "identifier": citation.identifier,
            "offset_start": citation.start,
            "offset_end": citation.end,
        },
        "resolve_status": "ok" if result.judge_failed else result.status,
    }
    if result.error:
        document["resolve_error"] = {
            "kind": _NEAREST_ERROR.get(result.error.kind, result.error.kind),
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
    evidence: list[Json] = [quote.to_dict() for quote in judgment.evidence] if judgment else []
    document["extensions"] = {
        "id": citation.id,
        "kind": citation.kind,
        "verdict": result.verdict,
        "sure": judgment.sure if judgment else None,
        "reason": judgment.reason if judgment else None,
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
            {"proposed_correction": judgment.proposed_correction.to_dict()}
            if judgment and judgment.proposed_correction
            else {}
        ),
        **(
            {"calculation": judgment.calculation.to_dict()}
            if judgment and judgment.calculation
            else {}
        ),
        **(
            {"parts": [part.to_dict() for part in judgment.parts]}
            if judgment and judgment.parts
            else {}
        ),
        **(
            {"limits": [limit.to_dict() for limit in judgment.limits]}
            if judgment and judgment.limits
            else {}
        ),
    }
    return document


def claim_document(
    report: "ClaimReport", *, marked: bool = False, cite_sources: bool = False, sides: bool = True
) -> JsonDict:
    """The result of `verify_claims`."""
    document = report.to_dict()
    listed = document["claims"]
    if not sides and isinstance(listed, list):
        for claim in listed:
            if isinstance(claim, dict):
                claim.pop("sides", None)
    if marked:
        document["marked_text"] = report.mark(cite_sources=cite_sources)
    return document
