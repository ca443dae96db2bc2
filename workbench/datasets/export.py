"""Labelled citations as rows: the fields of each, which formats they fit, and what is counted."""

import csv
import hashlib
import io
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from workbench.datasets.answers import standing_json
from workbench.datasets.entries import CONTEXT_FIELDS, context_fields
from workbench.records.export_formats import PAIRED, Example
from workbench.records.review import Label, LabelledCitation
from workbench.records.text import Json, JsonDict, replace_surrogates
from workbench.records.verdict import HumanLabel

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def to_jsonl(rows: Iterable[LabelledCitation]) -> Iterator[str]:
    """One ASCII-escaped JSON object a line, the citation's published keys and its labels."""
    for row in rows:
        yield json.dumps(row.to_dict()) + "\n"


CSV_COLUMNS = (
    "run_id", "name", "output_sha256", "created_at", "citation_id", "kind", "raw", "start", "end",
    "claim", "target", "status", "verdict", "confidence", "score", "error", "evidence", "page",
    "rationale", "source_url", "source_title", "source_sha256", "judge", "label", "reviewer",
    "note", "labels", "standalone", "wording", "scope", "proposed_correction", "calculation",
    "limits", "beside",
)  # fmt: skip


def to_csv(rows: Iterable[LabelledCitation]) -> Iterator[str]:
    """CSV lines with a header; a cell that a spreadsheet would run as a formula gets a quote.

    `label`, `reviewer` and `note` are those of the label that stands for the item: empty while its
    reviewers disagree; `labels` has what each of them said.
    """
    yield _csv_line(CSV_COLUMNS)
    for row in rows:
        result, judgment, source = row.result, row.result.judgment, row.result.source
        citation = result.citation
        evidence = judgment.evidence if judgment else ()
        label = row.gold
        yield _csv_line(
            (
                row.run_id,
                row.name,
                row.output_sha256,
                row.created_at.isoformat(),
                citation.id,
                citation.kind,
                citation.raw,
                citation.start,
                citation.end,
                citation.claim.text if citation.claim else None,
                citation.target.value if citation.target else None,
                result.status,
                result.verdict,
                judgment.confidence if judgment else None,
                judgment.score if judgment else None,
                result.error.kind if result.error else None,
                " … ".join(quote.quote for quote in evidence),
                evidence[0].page if evidence else None,
                judgment.rationale if judgment else None,
                source.final_url if source else None,
                source.title if source else None,
                source.sha256 if source else None,
                judgment.judge if judgment else None,
                label.label if label else None,
                label.reviewer if label and label.by_person else None,
                label.note if label else None,
                "; ".join(f"{rating.author}: {rating.label}" for rating in row.labels),
                judgment.standalone if judgment else None,
                citation.wording,
                citation.scope.kind if citation.scope else None,
                judgment.proposed_correction.text
                if judgment and judgment.proposed_correction
                else None,
                judgment.calculation.line if judgment and judgment.calculation else None,
                " … ".join(limit.quote for limit in judgment.limits) or None if judgment else None,
                "; ".join(f"{other.judge}: {other.label}" for other in row.beside) or None,
            )
        )


def _csv_line(cells: Iterable[str | float | None]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\r\n").writerow([escape_formula(cell) for cell in cells])
    return line.getvalue()


def escape_formula(cell: str | float | None) -> str:
    """A cell's text that no spreadsheet takes for a formula; numbers stay as they are."""
    if cell is None:
        return ""
    if not isinstance(cell, str):
        return str(cell)
    text = replace_surrogates(cell)
    # blanks before the sign do not stop every spreadsheet
    return "'" + text if text.lstrip(" \u00a0\n").startswith(_FORMULA_STARTS) else text


NOT_STATED = "not stated"
HERE = "checked with this workbench"
SOURCES_TERMS = "not stated: sources stay under the terms of their publishers"


@dataclass(slots=True)
class ExportCounts:
    """Counts of a data set that is being written."""

    rows: int = 0
    excluded: Counter[str] = field(default_factory=Counter)
    """Why, and how many items."""
    parts: Counter[str] = field(default_factory=Counter)
    labels: Counter[str] = field(default_factory=Counter)
    """The active labels."""
    reviewers: Counter[str] = field(default_factory=Counter)
    """How many labels each gave."""
    from_data_sets: int = 0
    """Labels that came with a data set which names no annotator."""
    judges: Counter[str] = field(default_factory=Counter)
    origins: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Origin and licence."""
    quotes: Counter[str] = field(default_factory=Counter)
    """Where the quotes of fine-tuning answers come from."""
    context_counts: Counter[str] = field(default_factory=Counter)
    """How many items have each field of a context: `context`, `title`, `source_title`, …"""
    groups: set[bytes] = field(default_factory=set)
    """Hashes, so that long names take no room."""

    def add(self, example: Example) -> None:
        """Count one item that goes in."""
        self.rows += 1
        self.parts[example.part or "none"] += 1
        gold = example.row.gold
        self.labels[gold.label if gold else "none"] += 1
        for label in example.row.labels:
            if label.by_person:
                self.reviewers[label.reviewer] += 1
            else:
                self.from_data_sets += 1
        if example.judgment:
            self.judges[example.judgment.judge] += 1
        self.origins[terms_of(example)] += 1
        self.context_counts.update(
            name for name, text in context_fields(example.context).items() if text
        )
        name = example.group_key or example.id
        self.groups.add(hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()[:8])

    def leave_out(self, reason: str) -> None:
        """Count one item that does not go in."""
        self.excluded[reason] += 1

    def licences(self) -> JsonDict:
        """For each licence how many items are under it, by name."""
        counts: Counter[str] = Counter()
        for (_, licence), number in self.origins.items():
            counts[licence] += number
        return dict(sorted(counts.items()))


def terms_of(example: Example) -> tuple[str, str]:
    """Where an item comes from and under which licence, in words."""
    if example.facts is None:
        return HERE, SOURCES_TERMS
    return example.origin or NOT_STATED, example.licence or NOT_STATED


PAIR_LABELS: tuple[HumanLabel, ...] = (
    "supported",
    "partially_supported",
    "not_supported",
    "contradicted",
)
"""Labels that tell how a source bears on a claim; the others tell that nobody could say."""
UNJUDGED = "without a verdict of a judge"


def takes_all(format_name: str) -> bool:
    """Whether a format leaves no item out."""
    return format_name not in (*PAIRED, "label-studio")


def needs_source_text(format_name: str) -> bool:
    """Whether what a format leaves out hangs on the source's text."""
    return format_name in PAIRED


def exclusion_reason(example: Example, format_name: str) -> str:
    """Why a format leaves an item out; empty where the item goes in."""
    if format_name == "label-studio":
        return "" if example.row.result.citation.claim else "without a claim"
    if format_name not in PAIRED:
        return ""
    if format_name == "preference":
        return _uncorrected(example) or _incomplete(example) or _unanswered(example)
    return _incomplete(example)


def _incomplete(example: Example) -> str:
    gold, claim = example.row.gold, example.row.result.citation.claim
    if gold is None:
        return "without an active label"
    if gold.label not in PAIR_LABELS:
        return f"labelled {gold.label}"
    if claim is None or not claim.text.strip():
        return "without a claim"
    return "" if (example.source_text or "").strip() else "without a readable source"


def _uncorrected(example: Example) -> str:
    gold, judgment = example.row.gold, example.judgment
    if gold is None:
        return ""
    if judgment is None:
        return UNJUDGED
    return "on which the judge was right" if gold.label == judgment.label else ""


def _unanswered(example: Example) -> str:
    judgment = example.judgment
    return "" if judgment and judgment.label in PAIR_LABELS else UNJUDGED


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
