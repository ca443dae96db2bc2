"""A row of a data set as JSON, and as the flat columns of tables."""

from collections.abc import Sequence

from workbench.datasets.answers import standing_json
from workbench.datasets.context_fields import CONTEXT_FIELDS, context_fields
from workbench.datasets.export_counts import terms_of
from workbench.records.example import Example
from workbench.records.review import Label
from workbench.records.text import Json, JsonDict, replace_surrogates

_LEAST_QUOTE = 12
"""A quote of fewer characters says nothing of its source."""

COLUMNS = (
    "id", "claim", "source_text", "label", "label_by", "label_note", "labels", "split", "group",
    "judge_label", "judge_score", "judge_confidence", "judge", "prompt", "rationale", "evidence",
    "run_id", "citation_id", "output_name", "output_sha256", "checked_at", "kind", "raw", "start",
    "end", "target", "status", "error", "source_url", "source_title", "source_sha256", "origin",
    "licence", *(name for name in CONTEXT_FIELDS if name != "source_title"),
)  # fmt: skip


def row_json(example: Example, *, source_text: bool) -> JsonDict:
    """The row with all that is known of it; the label that stands apart from those given."""
    record = example.row.to_dict()
    origin, licence = terms_of(example)
    record |= {
        "id": example.id,
        "group": example.group_key or None,
        "split": example.part,
        "origin": origin,
        "licence": licence,
        "source_text": example.source_text if source_text else None,
    }
    context = record.get("claim_context")
    if example.before and isinstance(context, dict) and isinstance(context["before"], dict):
        record["claim_context"] = {
            **context,
            "before": context["before"] | {"text": example.before},
        }
    answers = standing_json(example.row.labels)
    if answers:
        record["answers"] = answers
    if example.opinion:
        record["opinion"] = example.opinion.to_dict()
    if source_text:
        return record
    return {name: _without_quotes(value) for name, value in record.items()}


def _without_quotes(value: Json) -> Json:
    """The same value with the words of quotes left out; where they stand remains."""
    if isinstance(value, dict):
        quotes = _quotes(value.get("evidence"))
        blank: JsonDict = {}
        for name, item in value.items():
            if name == "quote":
                blank[name] = ""
            elif name == "rationale" and isinstance(item, str):
                blank[name] = without(item, quotes)
            else:
                blank[name] = _without_quotes(item)
        return blank
    if isinstance(value, list):
        return [_without_quotes(item) for item in value]
    return value


def _quotes(evidence: Json) -> list[str]:
    if not isinstance(evidence, list):
        return []
    return [
        str(quote["quote"]) for quote in evidence if isinstance(quote, dict) and quote.get("quote")
    ]


def without(text: str, quotes: Sequence[str]) -> str:
    """A text in which the quotes are replaced by an ellipsis."""
    for quote in quotes:
        if len(quote) >= _LEAST_QUOTE:
            text = text.replace(quote, "…")
    return text


def row_flat(example: Example, *, source_text: bool) -> dict[str, Json]:
    """The columns of a table; `labels` and `evidence` are lists of objects."""
    row, result = example.row, example.row.result
    citation, source, judgment = result.citation, result.source, example.judgment
    gold = row.gold
    origin, licence = terms_of(example)
    quotes = [evidence.quote for evidence in judgment.evidence] if judgment else []
    rationale = judgment.rationale if judgment else None
    columns: dict[str, Json] = {
        "id": example.id,
        "claim": citation.labelled_claim.text if citation.labelled_claim else None,
        "source_text": example.source_text if source_text else None,
        "label": gold.label if gold else None,
        "label_by": gold.reviewer if gold and gold.by_person else None,
        "label_note": gold.note if gold else None,
        "labels": [label_flat(label, source_text=source_text) for label in row.labels],
        "split": example.part,
        "group": example.group_key or None,
        "judge_label": judgment.label if judgment else None,
        "judge_score": judgment.score if judgment else None,
        "judge_confidence": judgment.confidence if judgment else None,
        "judge": judgment.judge if judgment else None,
        "prompt": judgment.prompt if judgment else None,
        "rationale": rationale if source_text else without(rationale or "", quotes) or None,
        "evidence": [
            evidence.to_dict() | ({} if source_text else {"quote": ""})
            for evidence in (judgment.evidence if judgment else ())
        ],
        "run_id": row.run_id,
        "citation_id": citation.id,
        "output_name": row.name,
        "output_sha256": row.output_sha256,
        "checked_at": row.created_at.isoformat(),
        "kind": citation.kind,
        "raw": citation.raw,
        "start": citation.start,
        "end": citation.end,
        "target": citation.target.value if citation.target else None,
        "status": result.status,
        "error": result.error.kind if result.error else None,
        "source_url": (source.final_url or None) if source else None,
        "source_title": source.title if source else None,
        "source_sha256": source.sha256 if source else None,
        "origin": origin,
        "licence": licence,
    }
    context = context_fields(example.context)
    columns |= {name: context.get(name) for name in CONTEXT_FIELDS}
    return {
        name: replace_surrogates(value) if isinstance(value, str) else value
        for name, value in columns.items()
    }


def label_flat(label: Label, *, source_text: bool) -> JsonDict:
    """What one person said, with the evidence they chose."""
    return {
        "reviewer": replace_surrogates(label.reviewer),
        "label": label.label,
        "role": label.role,
        "note": replace_surrogates(label.note),
        "created_at": label.created_at.isoformat(),
        "guide": label.guide,
        "saw_judge": label.saw_judge,
        "by_person": label.by_person,
        "evidence": [
            evidence.to_dict()
            | {"quote": replace_surrogates(evidence.quote) if source_text else ""}
            for evidence in label.evidence
        ],
    }
