"""Checked entries of reference lists as a data set: rows, tables, and the card."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.datasets.dataset_card import (
    CardMetadata,
    WrittenFile,
    by_count,
    card_line,
    card_table,
)
from workbench.datasets.line_writers import csv_line
from workbench.records.bibliography import csl_text
from workbench.records.reference_labels import LabelledReference
from workbench.records.text import Json, replace_surrogates

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped]

REFERENCE_COLUMNS = (
    "id", "text", "decision", "reason", "reviewer", "note", "created_at", "labels", "status",
    "score", "why", "title", "authors", "authors_complete", "year", "venue", "volume", "issue",
    "pages", "doi", "arxiv", "pmid", "isbn", "url", "type", "court", "differing", "record",
    "record_title", "record_doi", "record_from", "retraction", "run_id", "position", "label",
    "start", "end", "output_name", "output_sha256", "checked_at",
)  # fmt: skip
_ROW_GROUP = 1_000


@dataclass(slots=True)
class ReferenceCounts:
    """Counts of a data set of references that is being written: for its card."""

    rows: int = 0
    decisions: Counter[str] = field(default_factory=Counter)
    """The decisions that stand; `none` where there is none."""
    statuses: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    reviewers: Counter[str] = field(default_factory=Counter)
    """How many labels each gave."""
    lists: set[str] = field(default_factory=set)
    """Hashes of the outputs."""

    def add(self, row: LabelledReference) -> None:
        """Count one entry."""
        gold = row.gold
        self.rows += 1
        self.decisions[gold.decision if gold else "none"] += 1
        self.statuses[row.check.status] += 1
        self.reviewers.update(label.reviewer for label in row.labels)
        if gold and gold.reason:
            self.reasons[gold.reason] += 1
        self.lists.add(row.output_sha256)


def jsonl_references(rows: Iterable[LabelledReference], counts: ReferenceCounts) -> Iterator[str]:
    """One ASCII-escaped JSON object a line: the check, its run, the decision that stands."""
    for row in rows:
        counts.add(row)
        yield json.dumps(row.to_dict()) + "\n"


def csv_references(rows: Iterable[LabelledReference], counts: ReferenceCounts) -> Iterator[str]:
    """CSV with a header; no cell is a formula."""
    yield csv_line(REFERENCE_COLUMNS)
    for row in rows:
        counts.add(row)
        flat = reference_columns(row)
        yield csv_line(_word(flat[name]) for name in REFERENCE_COLUMNS)


def _word(cell: Json) -> Json:
    return ("true" if cell else "false") if isinstance(cell, bool) else cell


ReferenceLines = Callable[[Iterable[LabelledReference], ReferenceCounts], Iterator[str]]
REFERENCE_LINES: Mapping[str, ReferenceLines] = {
    "references": jsonl_references,
    "references-csv": csv_references,
}
"""Formats that are made of lines."""


def reference_columns(row: LabelledReference) -> dict[str, Json]:
    """The cells of a row by column; the record is a CSL-JSON item as text."""
    check, gold = row.check, row.gold
    record = check.record or {}
    differing = [comparison.field for comparison in check.fields if comparison.agrees is False]
    document = row.to_dict()
    return {
        **check.entry.to_dict(),
        **{name: document[name] for name in REFERENCE_COLUMNS if name in document},
        "authors": "; ".join(author.name for author in check.entry.authors) or None,
        "labels": "; ".join(f"{label.reviewer}: {label.decision}" for label in row.labels),
        "note": gold.note if gold else None,
        "differing": ", ".join(differing) or None,
        "record": json.dumps(check.record) if check.record else None,
        "record_title": csl_text(record, "title"),
        "record_doi": csl_text(record, "DOI"),
        "retraction": check.retraction.kind if check.retraction else None,
    }


def reference_schema() -> "pa.Schema":
    """The columns of the table with their types."""
    import pyarrow as pa

    kinds = dict.fromkeys(("start", "end", "position", "year"), pa.int64())
    kinds |= {"score": pa.float64(), "authors_complete": pa.bool_()}
    return pa.schema([(name, kinds.get(name, pa.string())) for name in REFERENCE_COLUMNS])


def write_reference_table(
    rows: Iterable[LabelledReference], path: Path, counts: ReferenceCounts
) -> None:
    """Write the rows as Parquet, a thousand at a time."""
    import pyarrow as pa
    import pyarrow.parquet as pq  # type: ignore[import-untyped]

    schema = reference_schema()
    pending: list[dict[str, Json]] = []
    with pq.ParquetWriter(path, schema, compression="zstd", version="2.6") as writer:
        for row in rows:
            counts.add(row)
            pending.append({name: _whole(cell) for name, cell in reference_columns(row).items()})
            if len(pending) >= _ROW_GROUP:
                writer.write_table(pa.Table.from_pylist(pending, schema=schema))
                pending = []
        if pending:
            writer.write_table(pa.Table.from_pylist(pending, schema=schema))


def _whole(cell: Json) -> Json:
    """Arrow holds no lone surrogates."""
    return replace_surrogates(cell) if isinstance(cell, str) else cell


def preview_reference_lines(rows: Iterable[LabelledReference], format_name: str) -> Iterator[str]:
    """The first lines of an export as text; a table is shown as JSON lines."""
    lines = REFERENCE_LINES.get(format_name, jsonl_references)
    return lines(rows, ReferenceCounts())


def reference_card(
    metadata: CardMetadata, format_name: str, file: WrittenFile, counts: ReferenceCounts
) -> str:
    """The card in Markdown, without anything that changes from one export to the next."""
    parts = [
        f"# {card_line(metadata.title)}\n",
        "Entries of reference lists as they were written, what indexes and registries say of each "
        f"work, and what people decided. Format: `{format_name}`. "
        f"Chosen: {card_line(metadata.selection)}.\n",
        f"## Rows\n\n{counts.rows} entries of {len(counts.lists)} outputs.\n",
        card_table(("active decision", "entries"), by_count(counts.decisions)),
        card_table(("status of the check", "entries"), by_count(counts.statuses)),
    ]
    if counts.reasons:
        parts.append(card_table(("reason of an override", "entries"), by_count(counts.reasons)))
    parts.append(
        "`decision` is empty where nobody labelled the entry, or where its reviewers disagree and "
        "nobody settled it: an adjudication stands, else what more than half of them gave. "
        "`fabricated` means that the work does not exist as described, `exists` that it does, "
        "`differs` that it exists and is described wrongly. `score` is the check's probability "
        "that the work exists.\n"
    )
    parts.append(
        "## Terms\n\nEntries come from the outputs that were checked. Records are those of the "
        "index named in `record_from`, under its terms.\n"
    )
    parts.append(
        "## People\n\n" + card_table(("who labelled", "labels"), by_count(counts.reviewers))
    )
    if metadata.agreement:
        parts.append("Agreement between people on the entries with two labels or more:\n")
        parts.append("".join(f"- {card_line(line)}\n" for line in metadata.agreement))
    else:
        parts.append("No two people labelled the same entry, so their agreement is not known.\n")
    parts.append(
        "## Files\n\n"
        + card_table(("file", "rows", "sha256"), [(file.name, file.rows, file.sha256)])
    )
    return "\n".join(parts)
