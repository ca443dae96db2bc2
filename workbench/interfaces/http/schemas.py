"""The JSON of the API as JSON Schema: what it gives is read off the records themselves."""

import types
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import datetime
from typing import Literal, Union, get_args, get_origin, get_type_hints

from workbench.pipeline import Progress
from workbench.records import (
    FAULTS,
    HUMAN_LABELS,
    LONGEST_NAME,
    Citation,
    CitationResult,
    Claim,
    ClaimContext,
    ClaimScope,
    Evidence,
    Excerpt,
    Extraction,
    Json,
    JsonDict,
    JudgedPart,
    Judgment,
    Label,
    Layers,
    Note,
    Reference,
    Run,
    Source,
    Span,
    TableCell,
    Target,
)
from workbench.records.verdict import ErrorInfo
from workbench.services.option_specs import option_schema

RECORDS: tuple[type, ...] = (
    Extraction, Citation, Reference, Claim, Target, Excerpt, Run, CitationResult, Source, Judgment,
    Evidence, Layers, Note, ErrorInfo, Label, Progress, ClaimContext, ClaimScope, TableCell,
    JudgedPart,
)  # fmt: skip
_FIGURES = (
    "overall_score", "passed", "complete", "total_citations_found", "total_resolved",
    "total_supported", "total_cost_usd", "errors",
)  # fmt: skip
_UNPUBLISHED = {
    Run: {"cost_usd", "reserved_usd", "unpriced_calls", "finished", "references", "claims", "text"},
    Source: {"text", "pages", "page_count", "author", "published", "site"},
    Judgment: {"price_unknown", "standalone", "parts"},
    Citation: {"wording", "scope"},
}
"""Fields of a record that its JSON leaves out, or gives under another name."""
_WORDS_OR_NULL: JsonDict = {"type": ["string", "null"]}
_SPAN_OR_NULL: JsonDict = {
    "type": ["object", "null"],
    "properties": {"start": {"type": "integer"}, "end": {"type": "integer"}},
    "required": ["start", "end"],
}
_MORE: dict[type, dict[str, Json]] = {
    TableCell: {
        "header": _WORDS_OR_NULL,
        "row": _WORDS_OR_NULL,
        "header_span": _SPAN_OR_NULL,
        "row_span": _SPAN_OR_NULL,
    },
    Extraction: {
        "text_sha256": {"type": "string"},
        "counts": {"type": "object", "additionalProperties": {"type": "integer"}},
    },
    Source: {"pages": {"type": ["integer", "null"], "description": "How many it has."}},
    Judgment: {
        "cost_usd": {"type": ["number", "null"], "description": "Null where it is not known."},
    },
}
_WORDING_AND_SCOPE: dict[str, Json] = {
    "wording": {
        "type": "string",
        "description": "The claim in a reviewer's words, which the judge was asked about.",
    },
    "scope": {"$ref": "#/components/schemas/ClaimScope"},
}
_SOMETIMES: dict[type, dict[str, Json]] = {
    Citation: _WORDING_AND_SCOPE,
    CitationResult: _WORDING_AND_SCOPE,
    Judgment: {
        "standalone": {
            "type": "string",
            "description": "The claim rewritten to stand alone; left "
            "out where no model was asked for it or gave none.",
        },
        "parts": {
            "type": "array",
            "items": {"$ref": "#/components/schemas/JudgedPart"},
            "description": "The verdict on each part, where a list or a paragraph was judged part "
            "by part; offsets count in the output's text.",
        },
    },
}
"""Keys that are there only where there is something to say."""
_PLAIN: dict[object, JsonDict] = {
    str: {"type": "string"}, int: {"type": "integer"}, float: {"type": "number"},
    bool: {"type": "boolean"}, type(None): {"type": "null"}, Json: {},
    datetime: {"type": "string", "format": "date-time"},
}  # fmt: skip


def ref(name: str) -> JsonDict:
    """A reference to a schema of the document."""
    return {"$ref": f"#/components/schemas/{name}"}


def record_schema(record: type) -> JsonDict:
    """What a record's `to_dict` gives."""
    hints = get_type_hints(record)
    left_out = _UNPUBLISHED.get(record, set())
    found: dict[str, Json] = {}
    for field in fields(record):
        if field.name in left_out:
            continue
        if field.name == "span" and hints["span"] is Span:
            found |= {"start": {"type": "integer"}, "end": {"type": "integer"}}
        elif record is CitationResult and field.name == "citation":
            citation = record_schema(Citation)["properties"]
            assert isinstance(citation, dict)
            found |= {n: kind for n, kind in citation.items() if n not in _SOMETIMES[Citation]}
        else:
            found[field.name] = of_type(hints[field.name])
    if record is Run:
        for name in _FIGURES:
            figure = getattr(Run, name).fget
            found[name] = of_type(get_type_hints(figure)["return"])
    found |= _MORE.get(record, {})
    some = _SOMETIMES.get(record, {})
    return {"type": "object", "properties": found | some, "required": list(found)}


def of_type(hint: object) -> JsonDict:
    """The schema of a type as it stands in a record."""
    if hint in _PLAIN:
        return _PLAIN[hint]
    if hint is Span:
        place: JsonDict = {"start": {"type": "integer"}, "end": {"type": "integer"}}
        return {"type": "object", "properties": place, "required": ["start", "end"]}
    if isinstance(hint, type) and is_dataclass(hint):
        return ref(hint.__name__)
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Literal:
        return {"type": "string", "enum": list(inner)}
    if origin in (Union, types.UnionType):
        if any(get_origin(part) is Mapping for part in inner):  # any JSON
            return {}
        words: list[Json] = [
            one for part in inner if get_origin(part) is Literal for one in get_args(part)
        ]
        others = [of_type(part) for part in inner if get_origin(part) is not Literal]
        spelled: list[JsonDict] = [{"type": "string", "enum": words}] if words else []
        listed = [*spelled, *others]
        return listed[0] if len(listed) == 1 else {"anyOf": list[Json](listed)}
    if origin in (tuple, list, Sequence):
        return {"type": "array", "items": of_type(inner[0])}
    if origin in (dict, Mapping):
        return {"type": "object", "additionalProperties": of_type(inner[1])}
    raise TypeError(f"no schema for {hint!r}")


def closed(required: Sequence[str] = (), **properties: Json) -> JsonDict:
    """An object that holds nothing but these."""
    needed: list[Json] = list(required)
    return {
        "type": "object", "properties": properties, "required": needed,
        "additionalProperties": False,
    }  # fmt: skip


def text(says: str, **more: Json) -> JsonDict:
    """A string."""
    return {"type": "string", "description": says, **more}


TEXT = text("The text to look through.", minLength=1, maxLength=2_000_000)
NATIVE: JsonDict = {
    "type": "object",
    "description": "What a provider returned, in place of text; its native citations count.",
}
ONE_TEXT: list[Json] = [{"required": ["text"]}, {"required": ["output"]}]
SPEC = text(
    "local, anthropic:MODEL or openai:MODEL.",
    pattern=r"^(local|(anthropic|openai):[A-Za-z0-9][A-Za-z0-9._:/-]{0,199})$",
)
SOURCE = closed(
    ["content"],
    content=text("The source's text."),
    title=text("Its title."),
    url=text("Its address."),
    label=text("The label that [n] or a key refers to."),
)
SOURCES: JsonDict = {
    "type": "array", "maxItems": 500, "items": SOURCE,
    "description": "A citation takes the one with its address, else its label, else its title.",
}  # fmt: skip
DOCUMENT: JsonDict = {
    "anyOf": [
        {"type": "string"},
        {
            "type": "object", "required": ["content"],
            "properties": {
                "content": {"type": "string"}, "title": {"type": ["string", "null"]},
                "url": {"type": ["string", "null"]}, "label": {"type": ["string", "null"]},
            },
        },
    ]
}  # fmt: skip
DOCUMENTS: JsonDict = {
    "description": "What the answer was made from: texts, or objects with content, title, url and "
    "label. Those without a label count as [1], [2], … in their order where the answer has no "
    "reference list of its own.",
    "anyOf": [{"type": "string"}, {"type": "array", "maxItems": 500, "items": DOCUMENT}],
}
POLICY_NAME = text(
    "A ready-made policy, or NAME for policies/NAME.yaml in the data directory.",
    pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$",
)
ALLOW_FETCH = option_schema("allow_fetch")
DOMAINS = option_schema("allowed_domains", maxItems=200, items={"type": "string", "minLength": 1})
CAP = option_schema("max_cost_usd")
STANDALONE = option_schema("standalone")
SCOPE = option_schema("scope")

EXTRACT: JsonDict = {**closed(text=TEXT, output=NATIVE), "oneOf": ONE_TEXT}
VERIFY: JsonDict = {
    **closed(
        text=TEXT,
        output=NATIVE,
        judge={"anyOf": [SPEC, {"type": "array", "items": SPEC, "minItems": 1, "maxItems": 5}],
               "description": "One judge, or several as a panel."},
        panel=option_schema("panel"),
        sources=SOURCES,
        allow_fetch=ALLOW_FETCH,
        allowed_domains=DOMAINS,
        standalone=STANDALONE,
        scope=SCOPE,
        offline=option_schema("offline"),
        max_citations=option_schema("max_citations", maximum=100_000),
        max_cost_usd=CAP,
        policy=POLICY_NAME,
        name=text("What the run is called in lists.", maxLength=200),
        trace_id=text("The trace that the text came from."),
        background={"type": "boolean", "default": False,
                    "description": "Answer at once with a job; not together with a policy."},
    ),
    "oneOf": ONE_TEXT,
    "not": {"required": ["policy", "background"], "properties": {"background": {"const": True}}},
}  # fmt: skip
GATEWAY = closed(
    ["response"],
    response=text("The answer that the policy decides about.", maxLength=2_000_000),
    documents=DOCUMENTS,
    context=DOCUMENTS,
    policy=POLICY_NAME,
    policy_yaml=text("A policy sent along; it may name no resolver and no variable.",
                     maxLength=200_000),
    judge=SPEC,
    standalone=STANDALONE,
    scope=SCOPE,
    allow_fetch=ALLOW_FETCH,
    allowed_domains=DOMAINS,
    max_cost_usd=CAP,
)  # fmt: skip
CHAT: JsonDict = {
    "type": "object",
    "required": ["messages"],
    "description": "A call of Chat Completions; fields that are not named here pass as they are.",
    "properties": {
        "model": {"description": "Of the server behind."},
        "messages": {"type": "array", "description": "What tools gave back counts as documents."},
        "stream": {"type": ["boolean", "null"],
                   "description": "Held until the verdict where the policy can redact or block."},
        "documents": {"description": "As for the gateway; not handed on."},
        "context": {"description": "The same."},
        "workbench": {
            "description": "For this server alone; not handed on.",
            **closed(
            documents=DOCUMENTS,
            policy=POLICY_NAME,
            judge=SPEC,
            standalone=STANDALONE,
            scope=SCOPE,
            allow_fetch=ALLOW_FETCH,
            allowed_domains=DOMAINS,
            max_cost_usd=CAP,
            context_from={
                "type": "array", "items": {"type": "string"}, "maxItems": 10,
                "description": "Roles of messages that count as documents; tool and function "
                "where left out.",
            },
            forward_documents={"type": "boolean", "default": False,
                               "description": "Hand `documents` and `context` on as well."},
            ),
        },
    },
}  # fmt: skip
_PLACE = closed(
    ["start", "end"],
    start={"type": "integer", "minimum": 0, "description": "In code points, counted from 0."},
    end={"type": "integer", "minimum": 0, "description": "The code point after the last."},
)
_PLACES: JsonDict = {"type": "array", "maxItems": 100, "items": _PLACE}
LABEL = closed(
    ["run_id", "citation_id", "label", "reviewer"],
    run_id=text("The run's id."),
    citation_id=text("The citation's id in that run."),
    label={"type": "string", "enum": list(HUMAN_LABELS), "description": "What the person decided."},
    reviewer=text("Who decides: a person's name, never a model's.", minLength=1,
                  maxLength=LONGEST_NAME, pattern=r"\S"),
    note=text("Why.", maxLength=20_000),
    evidence={**_PLACES, "description": "Chosen by hand, as offsets in the source's text."},
    wrong_evidence={**_PLACES, "description": "Quotes of the judge that the reviewer rejects."},
    fault={"type": "string", "enum": list(FAULTS), "description": "Where the fault lies."},
    tags={"type": "array", "maxItems": 50, "items": {"type": "string", "maxLength": 200},
          "description": "Words of the team's own."},
    blind={"type": "boolean", "default": False,
           "description": "The judge's verdict was not shown to the reviewer."},
)  # fmt: skip
EXPORT_CHOICE: dict[str, JsonDict] = {
    "run_id": text("This run only."),
    "queue_id": text("The items of this queue only."),
    "labelled": {"type": "boolean", "default": True,
                 "description": "False takes along citations that nobody labelled."},
    "source_text": {"type": "boolean", "default": True,
                    "description": "False leaves out the sources' texts and quotes from them."},
    "part": {"type": "array", "items": {"type": "string", "enum": ["train", "dev", "test"]},
             "description": "Only items of these parts of the split. Without any the test part "
             "stays out as long as nobody has opened it."},
}  # fmt: skip

_COUNT: JsonDict = {"type": "integer", "minimum": 0}
EXPORT_PLAN: JsonDict = {
    "type": "object",
    "required": ["format", "rows", "total", "locked_test_items", "left_out"],
    "properties": {
        "format": {"type": "string"},
        "rows": closed(["train", "dev", "test", "none"], train=_COUNT, dev=_COUNT, test=_COUNT,
                       none={**_COUNT, "description": "In no part of the split."}),
        "total": _COUNT,
        "locked_test_items": {**_COUNT, "description": "Labelled items of the test part that stay "
                              "out because nobody has opened it."},
        "left_out": {"type": "object", "additionalProperties": _COUNT,
                     "description": "By reason, items that the format does not take."},
    },
}  # fmt: skip

STATES = ("running", "done", "stopped", "failed")
JOB: JsonDict = {
    **closed(
        ["id", "state", "progress", "error", "url", "events", "run"],
        id=text("The run's id."),
        state={"type": "string", "enum": list(STATES)},
        progress={"anyOf": [ref("Progress"), {"type": "null"}]},
        error={"anyOf": [text("Why it broke off."), {"type": "null"}]},
        url=text("Of this job."),
        events=text("Of its events."),
        run=text("Of the run, which holds what is done already."),
    )
}
RUN_LINE: JsonDict = {
    "type": "object",
    "properties": {
        "id": {"type": "string"}, "name": {"type": "string"},
        "output_sha256": {"type": "string"},
        "created_at": {"type": "string", "format": "date-time"},
        "judge": {"type": "array", "items": {"type": "string"}},
        "finished": {"type": "boolean"}, "total_citations_found": {"type": "integer"},
        "total_resolved": {"type": "integer"}, "total_supported": {"type": "integer"},
        "labelled": {"type": "integer"}, "total_cost_usd": {"type": ["number", "null"]},
        "reserved_usd": {"type": "number"}, "price_unknown": {"type": "boolean"},
    },
}  # fmt: skip
DECISION: JsonDict = {
    "type": "object",
    "properties": {
        "action": {"type": "string", "enum": ["pass", "flag", "redact", "block"]},
        "text": text("What may be handed on; empty where it is blocked."),
        "error": text("Why it is blocked."),
        "report": {"type": "object"}, "run_id": {"type": "string"},
    },
    "required": ["action", "text"],
}  # fmt: skip
ERROR: JsonDict = {
    "type": "object",
    "properties": {
        "error": closed(
            ["kind", "message", "type", "code"],
            kind=text("What went wrong, as one of the names in the documentation."),
            message=text("What happened, to what, and what to do."),
            type=text("The kind again, where clients of OpenAI's API look for it."),
            code=text("The kind again, where clients of OpenAI's API look for it."),
        )
    },
    "required": ["error"],
}
