"""What each tool takes and gives, as JSON Schema."""

from workbench.errors import ERROR_KINDS
from workbench.interfaces.mcp.contract import (
    DEFAULT_BYTES,
    DEFAULT_CITATIONS,
    DEFAULT_COST_USD,
    DEFAULT_TIMEOUT_MS,
    MOST_CITATIONS,
    PROVIDERS,
    PUBLISHED_ERRORS,
    PUBLISHED_KINDS,
)
from workbench.records import HUMAN_LABELS, VERDICT_LABELS, Json, JsonDict
from workbench.services.option_specs import option_schema


def _object(required: list[str], **properties: Json) -> JsonDict:
    names: list[Json] = list(required)
    return {"type": "object", "properties": properties, "required": names}


def _closed(required: list[str], **properties: Json) -> JsonDict:
    return {**_object(required, **properties), "additionalProperties": False}


def _text(says: str, **more: Json) -> JsonDict:
    return {"type": "string", "description": says, **more}


def _list(of: JsonDict, says: str = "") -> JsonDict:
    return {"type": "array", "items": of, **({"description": says} if says else {})}


def _one_of(words: tuple[str, ...]) -> JsonDict:
    return {"type": "string", "enum": list(words)}


def _or_null(kind: str) -> JsonDict:
    return {"type": [kind, "null"]}


NUMBER: JsonDict = {"type": "number"}
WHOLE: JsonDict = {"type": "integer"}
YES_OR_NO: JsonDict = {"type": "boolean"}
ANYTHING: JsonDict = {"type": "object"}

SOURCES = _list(
    _object(["content"], content=_text("The source's text."), title=_text("Its title."),
            url=_text("Its address."), label=_text("The label that `[n]` or a key refers to.")),
    "Sources to check against. A citation takes the one with its address, else its label, "
    "else its title.",
)  # fmt: skip

COST_CAP = option_schema("max_cost_usd", default=DEFAULT_COST_USD)
ALLOW_FETCH = option_schema("allow_fetch")
STANDALONE = option_schema("standalone")
SCOPE = option_schema("scope")
DOMAINS = option_schema("allowed_domains")

VERIFY_CITATIONS_INPUT = _closed(
    ["output", "model"],
    output=_text("The text whose citations are checked.", minLength=1),
    model=_text(
        "The judge's model, such as claude-haiku-4-5 or gpt-4o-mini; `local` for the embedded "
        "judge, which needs no key."
    ),
    provider={**_one_of(PROVIDERS), "description": "Inferred from the model where left out."},
    allow_fetch=ALLOW_FETCH,
    domain_allowlist=DOMAINS,
    max_cost_usd_total=COST_CAP,
    max_citations=option_schema(
        "max_citations", minimum=1, maximum=MOST_CITATIONS, default=DEFAULT_CITATIONS
    ),
    per_source_timeout_ms={"type": "integer", "minimum": 1, "maximum": 120_000,
                           "default": DEFAULT_TIMEOUT_MS,
                           "description": "For each source, redirects included."},
    per_source_max_bytes={"type": "integer", "minimum": 1, "maximum": 50 * 1024 * 1024,
                          "default": DEFAULT_BYTES,
                          "description": "Longer bodies are cut, judged, and flagged."},
    standalone=STANDALONE,
    scope=SCOPE,
    trace_id=_text("The trace that the text came from; linked as given, whoever keeps it.",
                   maxLength=500),
    sources=SOURCES,
)  # fmt: skip

_CITATION = _object(
    ["citation", "resolve_status"],
    citation=_object(
        ["raw", "kind", "identifier", "offset_start", "offset_end"],
        raw={"type": "string"}, kind=_one_of(PUBLISHED_KINDS), identifier=_or_null("string"),
        offset_start=WHOLE, offset_end=WHOLE,
    ),
    resolve_status=_one_of(("ok", "skipped", "error")),
    resolve_error=_object(["kind", "message"], kind=_one_of(PUBLISHED_ERRORS),
                          message={"type": "string"}),
    source=_object(
        ["url", "status", "content_type", "bytes_fetched", "truncated"],
        url={"type": "string"}, status=_or_null("integer"), content_type=_or_null("string"),
        bytes_fetched=_or_null("integer"), truncated=YES_OR_NO,
    ),
    judge=_object(
        ["supported", "confidence", "rationale", "cost_usd", "latency_ms", "input_tokens",
         "output_tokens"],
        supported=YES_OR_NO, confidence=NUMBER, rationale={"type": "string"}, cost_usd=NUMBER,
        latency_ms=WHOLE, input_tokens=WHOLE, output_tokens=WHOLE,
    ),
    extensions=_object(["verdict"], verdict=_one_of(VERDICT_LABELS),
                       error_kind={"enum": [*ERROR_KINDS, None]}),
)  # fmt: skip

VERIFY_CITATIONS_OUTPUT = _object(
    ["id", "overall_score", "passed", "total_citations_found", "total_resolved",
     "total_supported", "total_cost_usd", "citations"],
    id={"type": "string"},
    overall_score={**_or_null("number"),
                   "description": "Supported over resolved; null when nothing was resolved."},
    passed={**YES_OR_NO, "description": "Score of at least 0.5; true without one."},
    total_citations_found=WHOLE, total_resolved=WHOLE, total_supported=WHOLE,
    total_cost_usd=NUMBER, citations=_list(_CITATION), extensions=ANYTHING,
)  # fmt: skip

EXTRACT_INPUT = _closed(["text"], text=_text("The text to look through.", minLength=1))
EXTRACT_OUTPUT = _object(
    ["text_sha256", "citations", "references", "claims", "counts"],
    text_sha256={"type": "string"}, citations=_list(ANYTHING), references=_list(ANYTHING),
    claims=_list(ANYTHING), counts=ANYTHING,
)  # fmt: skip

VERIFY_CLAIMS_INPUT = _closed(
    ["sources"],
    text=_text("A text; it is split into claims. Give this or `claims`."),
    claims=_list({"type": "string"}, "Claims, checked as they are and in their order."),
    sources=SOURCES,
    model=_text("The judge's model; the embedded judge where left out."),
    provider={**_one_of(PROVIDERS), "description": "Inferred from the model where left out."},
    max_cost_usd_total=COST_CAP,
    standalone=STANDALONE,
)
VERIFY_CLAIMS_OUTPUT = _object(
    ["claims", "overall_grounded", "supported_ratio", "total_claims", "supported_count",
     "weak_count", "unverifiable_count", "contradicted_count", "summary"],
    claims=_list(_object(
        ["text", "verdict", "confidence"],
        text={"type": "string"},
        verdict=_one_of(("supported", "weak", "unverifiable", "contradicted")),
        confidence=NUMBER, source_index=_or_null("integer"), source_snippet=_or_null("string"),
        source_ref=_or_null("string"),
    )),
    overall_grounded=YES_OR_NO, supported_ratio=NUMBER, total_claims=WHOLE,
    supported_count=WHOLE, weak_count=WHOLE, unverifiable_count=WHOLE, contradicted_count=WHOLE,
    summary={"type": "string"},
)  # fmt: skip

ENVELOPE_INPUT = _closed(
    ["envelope"],
    envelope={"description": "{claims: [{claim, source, evidence, scope?, confidence}], "
                             "unverified: [...]}; checked as it is, nothing is repaired."},
    allow_fetch=ALLOW_FETCH,
    domain_allowlist=DOMAINS,
    sources=SOURCES,
)  # fmt: skip
ENVELOPE_OUTPUT = _object(
    ["valid", "problems", "claims", "unverified"],
    valid=YES_OR_NO,
    problems=_list(_object(["path", "message"], path={"type": "string"},
                           message={"type": "string"})),
    claims=_list(_object(
        ["index", "layers", "passed", "reasons"],
        index=WHOLE, passed=YES_OR_NO,
        layers=_object(["exists", "derivable", "in_scope", "resolves"],
                       exists=_or_null("boolean"), derivable=_or_null("boolean"),
                       in_scope=_or_null("boolean"), resolves=_or_null("boolean")),
        reasons=_list({"type": "string"}),
    )),
    unverified={"description": "What the envelope lists as unverified, as given."},
)  # fmt: skip

GET_RUN_INPUT = _closed(["run_id"], run_id=_text("The run's id."))
RUN_OUTPUT = _object(["id", "citations"], id={"type": "string"}, citations=_list(ANYTHING))
LIST_RUNS_INPUT = _closed([], limit={"type": "integer", "minimum": 1, "maximum": 200,
                                     "default": 20, "description": "So many at most."})  # fmt: skip
LIST_RUNS_OUTPUT = _object(["runs"], runs=_list(_object(["id", "name"], id={"type": "string"},
                                                        name={"type": "string"})))  # fmt: skip

LABEL_INPUT = _closed(
    ["run_id", "citation_id", "label", "reviewer"],
    run_id=_text("The run's id."),
    citation_id=_text("The citation's id in that run."),
    label={**_one_of(HUMAN_LABELS), "description": "What the person decided."},
    reviewer=_text("Who decides: a person's name, never a model's.", minLength=1),
    note=_text("Why."),
)
LABEL_OUTPUT = _object(
    ["added"],
    added={**YES_OR_NO, "description": "False where the same label stood already."},
    label={"type": ["object", "null"]},
)

LOG_TRACE_INPUT = _closed(
    ["output"],
    output=_text("The agent's answer."),
    input=_text("What it was asked."),
    name=_text("The agent or the step."),
    model=_text("The model that answered."),
    metadata={"type": "object", "description": "Anything else, as JSON."},
)
_TRACE = _object(
    ["id", "output", "created_at", "runs"],
    id={"type": "string"}, output={"type": "string"}, created_at={"type": "string"},
    runs=_list({"type": "string"}, "The runs that verified it."),
)  # fmt: skip
LOG_TRACE_OUTPUT = _object(["id"], id={"type": "string"})
GET_TRACES_INPUT = _closed(
    [],
    trace_id=_text("One trace; left out, the newest ones."),
    limit={
        "type": "integer",
        "minimum": 1,
        "maximum": 200,
        "default": 20,
        "description": "So many at most.",
    },
)
GET_TRACES_OUTPUT = _object(["traces"], traces=_list(_TRACE))
DELETE_TRACE_INPUT = _closed(["trace_id"], trace_id=_text("The trace's id."))
DELETE_TRACE_OUTPUT = _object(
    ["deleted"], deleted={**YES_OR_NO, "description": "False where there was no such trace."}
)
