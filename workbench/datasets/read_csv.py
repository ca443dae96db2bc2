"""CSV files: encoding and dialect are found out, columns are mapped to what they hold."""

import codecs
import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from workbench.datasets.entries import (
    CONTEXT_FIELDS,
    Annotation,
    ImportEntry,
    InvalidEntryError,
    Skipped,
    checked,
    label_of,
    read_context,
    skipped,
    word_of,
)
from workbench.datasets.export import escape_formula
from workbench.datasets.line_reader import encoding_of, opened
from workbench.datasets.read_pairs import text_of
from workbench.errors import UnreadableInput, UsageError
from workbench.records.verdict import HumanLabel

FIELDS = (
    "claim", "source", "label", "id", "group", "annotator", "note", *CONTEXT_FIELDS, "url",
    "origin", "licence",
)  # fmt: skip
"""What a column may hold; claim and source have to be there."""
_USUAL_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "claim": ("claim", "statement", "sentence", "hypothesis", "claim_text"),
    "source": ("source", "source_text", "evidence", "passage", "premise", "context", "document"),
    "label": ("label", "gold", "verdict", "gold_label", "annotation"),
    "id": ("id", "item", "uid"),
    "group": ("group", "question", "topic", "document_id"),
    "annotator": ("annotator", "reviewer", "rater", "coder", "labeller"),
    "note": ("note", "comment", "remark"),
    "url": ("url", "source_url", "link"),
    "context": ("context", "claim_context"),
    "title": ("title", "heading", "claim_title"),
    "question": ("question",),
    "table_header": ("table_header",),
    "table_row": ("table_row",),
    "written": ("written",),
    "source_title": ("source_title",),
    "source_site": ("source_site",),
    "source_author": ("source_author",),
    "source_published": ("source_published",),
    "origin": ("origin", "dataset"),
    "licence": ("licence", "license"),
}
_SAMPLE = 1 << 16
_DELIMITERS = ",;\t|"
csv.field_size_limit(64 * 2**20)


@dataclass(frozen=True, slots=True, kw_only=True)
class CsvDialect:
    """How a CSV file is written, and how it begins."""

    encoding: str
    delimiter: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    """The first few."""
    mapping: Mapping[str, str]
    """For each field the column that probably holds it."""


def sniff_csv(path: Path, rows: int = 5) -> CsvDialect:
    """How a CSV file is written: encoding, delimiter, columns, and which of them hold what.

    Raises:
        UnreadableInput: The file is missing, empty, binary or damaged, or has one column only.
    """
    with opened(path) as file:
        encoding = _encoding(file)
    with _decoded(path, encoding) as text:
        sample = text.read(_SAMPLE)
    delimiter = _delimiter(sample)
    reader = csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter)
    try:
        columns = tuple(name.strip() for name in next(reader, []))
        first = [tuple(row) for row, _ in zip((r for r in reader if r), range(rows), strict=False)]
    except csv.Error as error:
        raise UnreadableInput(f"{path.name} cannot be read as CSV: {error}.") from None
    if len(columns) < 2:
        raise UnreadableInput(
            f"{path.name} has one column; a CSV file to import has a header with at least a claim "
            "and a source, divided by commas, semicolons or tabs."
        )
    return CsvDialect(
        encoding=encoding,
        delimiter=delimiter,
        columns=columns,
        rows=tuple(first),
        mapping=guess_columns(columns),
    )


def guess_columns(columns: Sequence[str]) -> dict[str, str]:
    """For each field the column that has a usual name of it, whatever its case."""
    plain = {name.strip().lower().replace(" ", "_").replace("-", "_"): name for name in columns}
    columns_by_field: dict[str, str] = {}
    for field, usual_names in _USUAL_COLUMNS.items():
        column = next((plain[name] for name in usual_names if name in plain), None)
        if column is not None and column not in columns_by_field.values():
            columns_by_field[field] = column
    return columns_by_field


def read_csv(
    path: Path,
    names: Mapping[str, HumanLabel] | None = None,
    columns: Mapping[str, str] | None = None,
) -> Iterator[ImportEntry | Skipped]:
    """The rows of a CSV file, and those that cannot be used; lines are where a row begins.

    An item may stand in several rows, one for each annotator. A row without a label is an item
    that nobody labelled.

    Args:
        path: The file; encoding and delimiter are found out.
        names: What the file's own labels stand for.
        columns: For each field the column that holds it; what is left out is guessed.

    Raises:
        UnreadableInput: As `sniff_csv`.
        UsageError: A column is not there, or none holds the claim or the source.
    """
    sniffed = sniff_csv(path)
    mapping = _mapping(path, sniffed, columns or {})
    with _decoded(path, sniffed.encoding) as text:
        lines = _Counted(text)
        reader = csv.reader(lines, delimiter=sniffed.delimiter)
        next(reader)
        while True:
            begun = lines.number + 1
            try:
                row = next(reader, None)
            except csv.Error as error:
                yield Skipped(line=begun, reason=f"it is not CSV ({error})")
                continue
            if row is None:
                return
            if not any(cell.strip() for cell in row):
                continue
            try:
                yield checked(_entry(begun, row, sniffed.columns, mapping, names))
            except InvalidEntryError as error:
                yield skipped(begun, error)


def _entry(
    line: int,
    row: Sequence[str],
    columns: Sequence[str],
    mapping: Mapping[str, str],
    names: Mapping[str, HumanLabel] | None,
) -> ImportEntry:
    if len(row) > len(columns):
        raise InvalidEntryError(f"it has {len(row)} cells, and the header has {len(columns)}")
    cells = dict(zip(columns, row, strict=False))
    values = {field: cells.get(column, "") for field, column in mapping.items()}
    if "\ufffd" in values["claim"] + values["source"]:
        raise InvalidEntryError("it contains bytes that are not in the file's encoding")
    short = {field: text_of(values, field) for field in FIELDS}
    label = short["label"]
    opinions = (
        (
            Annotation(
                annotator=short["annotator"],
                label=label_of(label, names),
                word=word_of(label),
                note=short["note"],
            ),
        )
        if label
        else ()
    )
    return ImportEntry(
        line=line,
        id=short["id"],
        claim=values["claim"],
        source=values["source"],
        opinions=opinions,
        group=short["group"],
        context=read_context(
            {name: _plain(values[name]) for name in CONTEXT_FIELDS if name in values}
        ),
        url=short["url"],
        origin=short["origin"],
        licence=short["licence"],
    )


def _plain(cell: str) -> str:
    """A cell without the quote that keeps a spreadsheet from running it."""
    return cell[1:] if cell[:1] == "'" and escape_formula(cell[1:]) == cell else cell


def _mapping(path: Path, sniffed: CsvDialect, columns: Mapping[str, str]) -> dict[str, str]:
    for field, column in columns.items():
        if field not in FIELDS:
            raise UsageError(f"{field!r} cannot be mapped; the fields are {', '.join(FIELDS)}.")
        if column and column not in sniffed.columns:
            raise UsageError(
                f"{path.name} has no column {column!r}; it has {', '.join(sniffed.columns)[:300]}."
            )
    mapping = {**sniffed.mapping, **columns}
    for field in ("claim", "source"):
        if not mapping.get(field):
            raise UsageError(
                f"No column of {path.name} contains the {field}: choose it with --map "
                f"{field}=COLUMN. "
                f"It has {', '.join(sniffed.columns)[:300]}."
            )
    return {field: column for field, column in mapping.items() if column}


class _Counted:
    """Lines of a text, counted."""

    def __init__(self, lines: io.TextIOWrapper) -> None:
        self._lines = lines
        self.number = 0

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = next(self._lines)
        self.number += 1
        return line.replace("\x00", "\ufffd")


@contextmanager
def _decoded(path: Path, encoding: str) -> Iterator[io.TextIOWrapper]:
    with opened(path) as file:
        encoding_of(file)
        text = io.TextIOWrapper(file, encoding=encoding, errors="replace", newline="")
        try:
            yield text
        finally:
            text.detach()  # or it would close the file a second time


def _encoding(file: BinaryIO) -> str:
    """By the first bytes; without a mark UTF-8 where the beginning is, else the likely one."""
    marked = encoding_of(file)
    if marked != "utf-8":
        return marked
    sample = file.read(_SAMPLE)
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample, final=False)
    except UnicodeDecodeError:
        from charset_normalizer import from_bytes

        best = from_bytes(sample).best()
        return best.encoding if best else "cp1252"
    return "utf-8"


def _delimiter(sample: str) -> str:
    """The one that divides the first line into most cells, by the same number in the next ones."""
    lines = sample.splitlines()[:20] or [""]
    counts = {mark: len(next(csv.reader([lines[0]], delimiter=mark), [])) for mark in _DELIMITERS}
    best = max(counts, key=lambda mark: (counts[mark], -_DELIMITERS.index(mark)))
    return best if counts[best] > 1 else ","
