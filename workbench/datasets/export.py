"""Labelled citations of a run as JSONL and CSV, for a download from its page."""

import csv
import io
import json
from collections.abc import Iterable, Iterator

from workbench.records.review import LabelledCitation
from workbench.records.text import replace_surrogates

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def to_jsonl(rows: Iterable[LabelledCitation]) -> Iterator[str]:
    """One ASCII-escaped JSON object a line, the citation's published keys and its labels."""
    for row in rows:
        yield json.dumps(row.to_dict()) + "\n"


CSV_COLUMNS = (
    "run_id", "name", "output_sha256", "created_at", "citation_id", "kind", "raw", "start", "end",
    "claim", "target", "status", "verdict", "confidence", "score", "error", "evidence", "page",
    "rationale", "source_url", "source_title", "source_sha256", "judge", "label", "reviewer",
    "note", "labels", "standalone", "wording", "scope", "proposed_correction",
    "beside",
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
