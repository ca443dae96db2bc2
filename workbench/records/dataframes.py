"""Records as tables of pandas, one row a citation; pandas is imported when a table is made."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from workbench.records.text import replace_surrogates

if TYPE_CHECKING:
    from pandas import DataFrame

    from workbench.records.citation import Citation, Extraction
    from workbench.records.verdict import CitationResult, Run

Cell = str | int | float | bool | None

CITATION_COLUMNS = (
    "id", "kind", "raw", "start", "end", "identifier", "claim", "target_form", "target",
    "reference", "unlinked",
)  # fmt: skip
RESULT_COLUMNS = (
    "status", "verdict", "confidence", "score", "judge", "quote", "quote_start", "quote_end",
    "page", "rationale", "error", "message", "source_url", "source_title", "source_sha256",
    "cost_usd", "standalone",
)  # fmt: skip
_WHOLE = frozenset({"start", "end", "reference", "quote_start", "quote_end", "page"})
_REAL = frozenset({"confidence", "score", "cost_usd"})


def extraction_frame(extraction: "Extraction") -> "DataFrame":
    """The citations of a text in its order; offsets are code points of the text as given."""
    return _frame([_citation(one) for one in extraction.citations], CITATION_COLUMNS)


def run_frame(run: "Run") -> "DataFrame":
    """The results of a run in text order; offsets of quotes are in their source's text."""
    rows = [{**_citation(one.citation), **_result(one)} for one in run.citations]
    return _frame(rows, (*CITATION_COLUMNS, *RESULT_COLUMNS))


def _citation(citation: "Citation") -> dict[str, Cell]:
    target = citation.target
    return {
        "id": citation.id,
        "kind": citation.kind,
        "raw": citation.raw,
        "start": citation.start,
        "end": citation.end,
        "identifier": citation.identifier,
        "claim": citation.claim.text if citation.claim else None,
        "target_form": target.form if target else None,
        "target": target.value if target else None,
        "reference": citation.reference if target is None else target.reference,
        "unlinked": citation.unlinked,
    }


def _result(result: "CitationResult") -> dict[str, Cell]:
    judgment, source = result.judgment, result.source
    quote = judgment.evidence[0] if judgment and judgment.evidence else None
    return {
        "status": result.status,
        "verdict": result.verdict,
        "confidence": judgment.confidence if judgment else None,
        "score": judgment.score if judgment else None,
        "judge": judgment.judge if judgment else None,
        "quote": quote.quote if quote else None,
        "quote_start": quote.start if quote else None,
        "quote_end": quote.end if quote else None,
        "page": quote.page if quote else None,
        "rationale": judgment.rationale if judgment else None,
        "error": result.error.kind if result.error else None,
        "message": result.error.message if result.error else None,
        "source_url": (source.final_url or source.url) if source else None,
        "source_title": source.title if source else None,
        "source_sha256": source.sha256 if source else None,
        "cost_usd": sum(one.cost_usd for one in result.judgments),
        "standalone": judgment.standalone if judgment else None,
    }


def _frame(rows: Sequence[Mapping[str, Cell]], columns: Sequence[str]) -> "DataFrame":
    """The rows as a table whose column types do not hang on what the rows happen to hold."""
    import pandas as pd

    return pd.DataFrame(
        {
            name: pd.Series([_cell(row[name]) for row in rows], dtype=_dtype(name))
            for name in columns
        }
    )


def _dtype(name: str) -> str:
    return "Int64" if name in _WHOLE else "float64" if name in _REAL else "str"


def _cell(value: Cell) -> Cell:
    return replace_surrogates(value) if isinstance(value, str) else value
