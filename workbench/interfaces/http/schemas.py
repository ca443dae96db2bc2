"""The JSON of the API as JSON Schema: what it gives is read off the records themselves."""

import types
from collections.abc import Mapping, Sequence
from dataclasses import is_dataclass
from datetime import datetime
from types import NoneType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from workbench.records.bibliography import (
    Author,
    FieldComparison,
    IndexAnswer,
    ReferenceCheck,
    ReferenceEntry,
    RetractionNotice,
)
from workbench.records.citation import (
    Citation,
    Claim,
    ClaimScope,
    Coverage,
    Extraction,
    Reference,
    Sentence,
    SentenceChange,
    SentenceSuggestion,
    Target,
)
from workbench.records.codec import published_fields
from workbench.records.comments import CitationComment
from workbench.records.context import ClaimContext, TableCell
from workbench.records.corrections import ProposedCorrection, TextEdit
from workbench.records.fields import FieldAnswer
from workbench.records.matrix import (
    Contradiction,
    ContradictionSide,
    Matrix,
    MatrixCell,
    MatrixSource,
    MatrixStatement,
    SourceLoad,
)
from workbench.records.reference_labels import EntryLabel
from workbench.records.review import Label
from workbench.records.source import Source, SourceMatch
from workbench.records.text import Excerpt, Json, JsonDict, Span
from workbench.records.verdict import (
    Calculation,
    CitationResult,
    ErrorInfo,
    Evidence,
    JudgedPart,
    Judgment,
    Layers,
    Note,
    Operand,
    Run,
)
from workbench.services.matrix import JudgingCost
from workbench.services.verification import Progress

RECORDS: tuple[type, ...] = (
    Extraction, Citation, Reference, Claim, Target, Excerpt, Run, CitationResult, Source, Judgment,
    Evidence, Layers, Note, ErrorInfo, Label, Progress, ClaimContext, ClaimScope, TableCell,
    JudgedPart, ReferenceCheck, ReferenceEntry, Author, FieldComparison, IndexAnswer,
    RetractionNotice, EntryLabel, ProposedCorrection, TextEdit, FieldAnswer,
    CitationComment, SourceMatch, Sentence, Coverage, Matrix, MatrixSource, MatrixStatement,
    MatrixCell, Contradiction, ContradictionSide, SourceLoad, JudgingCost,
    SentenceChange, SentenceSuggestion,
    Calculation, Operand,
)  # fmt: skip
_COMPUTED_FIGURES = (
    "overall_score", "passed", "complete", "total_citations_found", "total_resolved",
    "total_supported", "total_unsure", "total_cost_usd", "errors", "coverage",
)  # fmt: skip
_NOT_IN_A_RUN = {
    "cost_usd", "reserved_usd", "unpriced_calls", "finished", "references", "claims", "text",
    "reference_checks", "notices",
}  # fmt: skip
_TEXT_OR_NULL: JsonDict = {"type": ["string", "null"]}
_SPAN_OR_NULL: JsonDict = {
    "type": ["object", "null"],
    "properties": {"start": {"type": "integer"}, "end": {"type": "integer"}},
    "required": ["start", "end"],
}
_COMPUTED: dict[type, dict[str, Json]] = {
    Extraction: {
        "text_sha256": {"type": "string"},
        "counts": {"type": "object", "additionalProperties": {"type": "integer"}},
        "coverage": {"$ref": "#/components/schemas/Coverage"},
    },
    Run: {
        "references": {"type": "array", "items": {"$ref": "#/components/schemas/ReferenceCheck"}},
    },
    Judgment: {
        "cost_usd": {
            "anyOf": [{"type": "number"}, {"type": "null"}],
            "description": "Null where it is not known.",
        }
    },
    TableCell: {
        "header": _TEXT_OR_NULL, "row": _TEXT_OR_NULL,
        "header_span": _SPAN_OR_NULL, "row_span": _SPAN_OR_NULL,
    },
}  # fmt: skip
"""Keys that `to_dict` writes beside the fields, or in another way."""
_DESCRIPTIONS = {
    "notices": "What was not read, in sentences, such as marks of an unknown kind; omitted if all "
    "was.",
    "wording": "The claim as worded by a reviewer, which was judged.",
    "from": "Who says so.",
    "pages": "How many it has.",
    "scanned": "True for recognized text under a scanned page; omitted otherwise.",
    "standalone": "The claim rewritten to stand alone; omitted if no model was asked for it or "
    "none was returned.",
    "calculation": "What the claim's figure is by figures of the source; omitted if it follows from "
    "none, or is stated there.",
    "parts": "The verdict on each part, if a claim, a list or a paragraph was judged part by part; "
    "offsets count in the output's text.",
    "limits": "Words of the source that limit what the claim states flatly; omitted if there are none "
    "or no model was asked for them.",
}
_SCALAR_SCHEMAS: dict[object, JsonDict] = {
    str: {"type": "string"}, int: {"type": "integer"}, float: {"type": "number"},
    bool: {"type": "boolean"}, type(None): {"type": "null"}, Json: {},
    datetime: {"type": "string", "format": "date-time"},
}  # fmt: skip


def ref(name: str) -> JsonDict:
    """A reference to a schema of the document."""
    return {"$ref": f"#/components/schemas/{name}"}


def record_schema(record: type) -> JsonDict:
    """Return what a record's `to_dict` gives, by what its fields declare."""
    hints = get_type_hints(record)
    required: dict[str, Json] = {}
    optional: dict[str, Json] = {}
    for name, key, how in published_fields(record):
        if record is Run and name in _NOT_IN_A_RUN:
            continue
        if how == "inline":
            inner: Any = of_type(Span) if hints[name] is Span else record_schema(hints[name])
            for inner_key, schema in inner["properties"].items():
                (required if inner_key in inner["required"] else optional)[inner_key] = schema
        elif how == "if given":
            given = [part for part in get_args(hints[name]) if part is not NoneType]
            optional[key] = of_type(given[0] if NoneType in get_args(hints[name]) else hints[name])
        else:
            required[key] = of_type(hints[name])
    if record is Run:
        figures = ((name, getattr(Run, name).fget) for name in _COMPUTED_FIGURES)
        required |= {name: of_type(get_type_hints(figure)["return"]) for name, figure in figures}
    required |= _COMPUTED.get(record, {})
    if record in (Run, Extraction):
        optional["notices"] = {"type": "array", "items": {"type": "string"}}
        required.pop("notices", None)
    properties = {
        key: {**schema, "description": _DESCRIPTIONS[key]}
        if key in _DESCRIPTIONS and isinstance(schema, dict) and "$ref" not in schema
        else schema
        for key, schema in (required | optional).items()
    }
    return {"type": "object", "properties": properties, "required": list(required)}


def of_type(hint: object) -> JsonDict:
    """The schema of a type as it appears in a record."""
    if hint in _SCALAR_SCHEMAS:
        return _SCALAR_SCHEMAS[hint]
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
            word for part in inner if get_origin(part) is Literal for word in get_args(part)
        ]
        others = [of_type(part) for part in inner if get_origin(part) is not Literal]
        spelled: list[JsonDict] = [{"type": "string", "enum": words}] if words else []
        alternatives = [*spelled, *others]
        return alternatives[0] if len(alternatives) == 1 else {"anyOf": list[Json](alternatives)}
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


_COUNT: JsonDict = {"type": "integer", "minimum": 0}
OUTPUT: JsonDict = {
    "type": "object", "required": ["text", "text_sha256", "references", "claims"],
    "properties": {
        "text": {"type": "string"}, "text_sha256": {"type": "string"},
        "references": {"type": "array", "items": ref("Reference")},
        "claims": {"type": "array", "items": ref("Claim")},
    },
}  # fmt: skip
REFERENCE_LABELS: JsonDict = {
    "type": "object", "required": ["labels"],
    "properties": {"labels": {"type": "array", "items": ref("EntryLabel")}},
}  # fmt: skip
CLAIM_REPORT: JsonDict = {
    "description": "What the sources say of claims without citations.",
    "type": "object",
    "required": ["claims", "overall_grounded", "supported_ratio", "total_claims", "summary"],
    "properties": {
        "claims": {
            "type": "array",
            "items": {
                "type": "object", "required": ["text", "verdict", "confidence"],
                "properties": {
                    "text": {"type": "string"},
                    "verdict": {"enum": ["supported", "weak", "unverifiable", "contradicted"]},
                    "confidence": {"type": "number", "minimum": 0, "maximum": 1},
                    "source_index": {"type": ["integer", "null"]},
                    "source_snippet": _TEXT_OR_NULL, "source_ref": _TEXT_OR_NULL,
                    "web_verified": {"type": "boolean"}, "web_search": {"type": "string"},
                    "sides": {"type": "array", "items": {
                        "type": "object", "required": ["stance", "source_ref", "source_snippet"],
                        "properties": {"stance": {"enum": ["supports", "contradicts"]}},
                    }},
                },
            },
        },
        "overall_grounded": {"type": "boolean"},
        "supported_ratio": {"type": "number", "minimum": 0, "maximum": 1},
        "total_claims": _COUNT, "supported_count": _COUNT, "weak_count": _COUNT,
        "unverifiable_count": _COUNT, "contradicted_count": _COUNT,
        "summary": {"type": "string"}, "marked_text": {"type": "string"},
        "notes": {"type": "array", "items": {"type": "string"}},
    },
}  # fmt: skip
UNCITED_REPORT: JsonDict = {
    "allOf": [
        ref("ClaimReport"),
        {
            "type": "object", "required": ["suggestions", "coverage"],
            "properties": {
                "suggestions": {"type": "array", "items": ref("SentenceSuggestion")},
                "coverage": ref("Coverage"),
            },
        },
    ]
}  # fmt: skip
REFERENCE_REPORT: JsonDict = {
    "type": "object", "required": ["references", "counts", "indexes"],
    "properties": {
        "references": {"type": "array", "items": ref("ReferenceCheck")},
        "counts": {"type": "object", "additionalProperties": _COUNT},
        "indexes": {
            "type": "array",
            "items": closed(["name", "asked", "answered", "failed"], name={"type": "string"},
                            asked=_COUNT, answered=_COUNT, failed=_COUNT),
        },
    },
}  # fmt: skip
EXPORTS: JsonDict = {
    "type": "object", "required": ["exports"],
    "properties": {"exports": {"type": "array", "items": {"type": "object"}}},
}  # fmt: skip
_OPEN_QUESTIONS: JsonDict = {
    "type": "array",
    "items": closed(["key", "claim", "reason"], key={"type": "string"}, claim={"type": "string"},
                    reason={"type": "string"}),
}  # fmt: skip
HANDOFF_QUESTIONS = closed(
    ["run_id", "questions", "pieces", "parts"], run_id={"type": "string"}, questions=_COUNT,
    pieces=_COUNT, parts={"type": "array", "items": {"type": "string"},
                          "description": "Texts to copy into a chat, one by one."},
)  # fmt: skip
MATRIX_OR_COST: JsonDict = {"oneOf": [ref("Matrix"), ref("JudgingCost")]}
HANDOFF_OUTCOME = closed(
    ["judge", "taken", "refused", "unanswered", "open"], judge={"type": "string"}, taken=_COUNT,
    refused={**_OPEN_QUESTIONS, "description": "Answers that cannot be taken."}, unanswered=_COUNT,
    open={**_OPEN_QUESTIONS, "description": "Questions without an answer that counts."},
)  # fmt: skip
EXPORT_PLAN: JsonDict = {
    "type": "object",
    "required": ["format", "rows", "total", "locked_test_items", "left_out"],
    "properties": {
        "format": {"type": "string"},
        "rows": closed(["train", "dev", "test", "none"], train=_COUNT, dev=_COUNT, test=_COUNT,
                       none={**_COUNT, "description": "In no part of the split."}),
        "total": _COUNT,
        "locked_test_items": {
            **_COUNT,
            "description": "Labelled items of the test set that are left out because it is locked.",
        },
        "left_out": {"type": "object", "additionalProperties": _COUNT,
                     "description": "Items that the format cannot represent, by reason."},
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
        run=text("URL of the run, which contains the results so far."),
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
        "labelled": {"type": "integer"},
        "data_set": text("The imported data set that it keeps; empty for a run."),
        "references": {"type": "integer"}, "reference_problems": {"type": "integer"},
        "total_cost_usd": {"type": ["number", "null"]},
        "reserved_usd": {"type": "number"}, "price_unknown": {"type": "boolean"},
    },
}  # fmt: skip
DECISION: JsonDict = {
    "type": "object",
    "properties": {
        "action": {"type": "string", "enum": ["pass", "flag", "redact", "block"]},
        "text": text("The text that may be passed on; empty if it is blocked."),
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
            kind=text("The kind of error, as listed in the documentation."),
            message=text("What happened, to what, and what to do."),
            type=text("The kind again, where clients of OpenAI's API expect it."),
            code=text("The kind again, where clients of OpenAI's API expect it."),
        )
    },
    "required": ["error"],
}


def components() -> dict[str, Json]:
    """The schemas of everything that the API gives, by name."""
    of_records: dict[str, Json] = {record.__name__: record_schema(record) for record in RECORDS}
    return {
        **of_records,
        "Job": JOB,
        "RunLine": RUN_LINE,
        "ReferenceReport": REFERENCE_REPORT,
        "ClaimReport": CLAIM_REPORT,
        "Decision": DECISION,
        "Error": ERROR,
    }


def page(name: str, of: str) -> JsonDict:
    """A page of a list and where the next one begins."""
    following: JsonDict = {
        "type": ["integer", "null"],
        "description": "The next page's offset; null on the last one.",
    }
    return {
        "type": "object",
        "properties": {name: {"type": "array", "items": ref(of)}, "next_offset": following},
        "required": [name, "next_offset"],
    }
