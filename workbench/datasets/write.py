"""A data set to a file or a folder, with its card: same rows in, same bytes out."""

import hashlib
import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.datasets.answers import GIVEN, STANDING, flat_answers
from workbench.datasets.corrections import CorrectionTally, correction_card
from workbench.datasets.dataset_card import (
    SPLITS,
    CardMetadata,
    Contents,
    WrittenFile,
    card_text,
    front_matter,
)
from workbench.datasets.export import COLUMNS, HERE, ExportCounts, exclusion_reason, row_flat
from workbench.datasets.line_writers import LINES, ExportOptions, label_studio_config
from workbench.datasets.references import (
    REFERENCE_LINES,
    ReferenceCounts,
    reference_card,
    write_reference_table,
)
from workbench.errors import UsageError, WorkbenchError, storage_error
from workbench.records.export_formats import (
    ASKED,
    CORRECTION_FORMATS,
    FORMATS,
    REFERENCE_FORMATS,
    Example,
)
from workbench.records.fields import ReviewField
from workbench.records.reference_labels import LabelledReference
from workbench.records.text import Json, JsonDict

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped]


ROW_GROUP = 1_000
"""Rows held in memory at a time."""
NUMBERS = ("start", "end")
SHARES = ("judge_score", "judge_confidence")


def schema(fields: Sequence[ReviewField] = ()) -> "pa.Schema":
    """The columns with their types, two for each field; nothing in it depends on the rows."""
    import pyarrow as pa

    quote = pa.list_(
        pa.struct(
            [("quote", pa.string()), ("start", pa.int64()), ("end", pa.int64()),
             ("page", pa.int64())]
        )
    )  # fmt: skip
    labels = pa.list_(
        pa.struct(
            [("reviewer", pa.string()), ("label", pa.string()), ("role", pa.string()),
             ("note", pa.string()), ("created_at", pa.string()), ("guide", pa.int64()),
             ("saw_judge", pa.bool_()), ("by_person", pa.bool_()), ("evidence", quote)]
        )
    )  # fmt: skip
    kinds = {"labels": labels, "evidence": quote}
    kinds |= dict.fromkeys(NUMBERS, pa.int64()) | dict.fromkeys(SHARES, pa.float64())
    answers = {"score": pa.int64(), "choices": pa.list_(pa.string())}
    given = pa.list_(pa.struct([("reviewer", pa.string()), ("answer", pa.string())]))
    columns = [(name, kinds.get(name, pa.string())) for name in COLUMNS]
    for field in fields:
        columns.append((STANDING + field.name, answers.get(field.kind, pa.string())))
        columns.append((GIVEN + field.name, given))
    return pa.schema(columns)


class TableFile:
    """A Parquet file that is written a thousand rows at a time."""

    def __init__(self, path: Path, fields: Sequence[ReviewField] = ()) -> None:
        import pyarrow.parquet as pq  # type: ignore[import-untyped]

        self._schema = schema(fields)
        self._writer = pq.ParquetWriter(
            path, self._schema, compression="zstd", version="2.6", write_statistics=True,
            store_schema=True, use_dictionary=True,
        )  # fmt: skip
        self._fields = tuple(fields)
        self._pending: list[dict[str, Json]] = []

    def add(self, example: Example, *, source_text: bool) -> None:
        """Take one row."""
        row = row_flat(example, source_text=source_text)
        self._pending.append(row | flat_answers(example.row.labels, self._fields))
        if len(self._pending) >= ROW_GROUP:
            self._write()

    def close(self) -> None:
        """Write what is held and end the file."""
        try:
            self._write()
        finally:
            self._writer.close()

    def _write(self) -> None:
        import pyarrow as pa

        if self._pending:
            self._writer.write_table(pa.Table.from_pylist(self._pending, schema=self._schema))
            self._pending = []


def write_parquet(
    rows: Iterable[Example], path: Path, shape: ExportOptions, tally: ExportCounts
) -> None:
    """Write the rows; `labels` and `evidence` are lists of structs."""
    file = TableFile(path, shape.fields)
    try:
        for row in rows:
            tally.add(row)
            file.add(row, source_text=shape.source_text)
    finally:
        file.close()


CARD = ".card.md"
_LOADING = (
    '## Load it\n\n```python\nfrom datasets import load_dataset\n\nload_dataset("FOLDER")\n```\n'
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """What was written."""

    path: Path
    rows: int
    sha256: str
    """Of the file; of a folder, that of the list of its files and their hashes."""
    card: Path
    excluded: dict[str, int]
    """Why items were left out, and how many."""
    licences: JsonDict
    """How many items each licence covers."""
    parts: dict[str, int]
    """How many rows are of each part; `none` for what is in no part."""

    @property
    def test_rows(self) -> int:
        """Rows of the test part."""
        return self.parts["test"]

    def to_dict(self) -> JsonDict:
        """The published JSON of `workbench export`."""
        return {
            "path": str(self.path),
            "rows": self.rows,
            "sha256": self.sha256,
            "card": str(self.card),
            "left_out": dict(self.excluded),
            "licences": self.licences,
            "parts": dict(self.parts),
        }


def write_dataset(
    examples: Iterable[Example],
    format_name: str,
    path: Path,
    *,
    about: CardMetadata,
    shape: ExportOptions,
) -> Dataset:
    """Write the rows in a named format and return what was written.

    The card stands beside a file as `NAME.card.md`, and in a folder as its `README.md`. What was
    at the path gives way only when everything is written; a folder has to be empty or an earlier
    export.

    Raises:
        UsageError: The format is unknown, or the path cannot be written.
    """
    refuse_format(format_name)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if format_name == "huggingface":
            return _folder(examples, path, about, shape)
        return _file(examples, format_name, path, about, shape)
    except OSError as error:
        raise _unwritable(error, path) from None


def refuse_format(format_name: str) -> None:
    """Nothing, where there is such an export format.

    Raises:
        UsageError: There is no such format.
    """
    if format_name not in FORMATS:
        raise UsageError(
            f"There is no export format {format_name!r}; choose one of {', '.join(FORMATS)}."
        )


def preview_lines(
    examples: Iterable[Example], format_name: str, shape: ExportOptions
) -> Iterator[str]:
    """The first lines of an export as text; tables and folders are shown as JSON lines."""
    name = format_name if format_name in LINES else "jsonl"
    return LINES[name](examples, shape, ExportCounts())


def count_rows(
    examples: Iterable[Example], format_name: str
) -> tuple[dict[str, int], dict[str, int]]:
    """How many rows of each part would be written, and how many items would be left out, and why.

    Nothing is written and no prompt is made; the cost is that of reading the items.
    """
    parts, left_out = Counter(dict.fromkeys(SPLITS, 0)), Counter[str]()
    for example in examples:
        reason = exclusion_reason(example, format_name)
        if reason:
            left_out[reason] += 1
        else:
            parts[example.part or "none"] += 1
    return dict(parts), dict(left_out)


def write_references(
    rows: Iterable[LabelledReference], format_name: str, path: Path, *, about: CardMetadata
) -> Dataset:
    """Write checked entries in one of `REFERENCE_FORMATS` and return what was written.

    The card stands beside the file, as with `write_dataset`.

    Raises:
        UsageError: The format is unknown, or the path cannot be written.
    """
    if format_name not in REFERENCE_FORMATS:
        raise UsageError(f"{format_name!r} is not a format for references.")
    counts = ReferenceCounts()
    return _unsplit(
        path,
        format_name,
        lambda draft: (
            write_reference_table(rows, draft, counts)
            if format_name == "references-parquet"
            else _write_lines(draft, REFERENCE_LINES[format_name](rows, counts))
        ),
        lambda file: reference_card(about, format_name, file, counts),
        lambda: counts.rows,
    )


def write_corrections(
    lines: Iterable[str],
    format_name: str,
    path: Path,
    *,
    about: CardMetadata,
    tally: CorrectionTally,
) -> Dataset:
    """Write lines of decided corrections in one of `CORRECTION_FORMATS` and return what was written.

    The card stands beside the file, as with `write_dataset`; `tally` counts while lines are read.

    Raises:
        UsageError: The format is unknown, or the path cannot be written.
    """
    if format_name not in CORRECTION_FORMATS:
        raise UsageError(f"{format_name!r} is not a format for corrections.")
    return _unsplit(
        path,
        format_name,
        lambda draft: _write_lines(draft, lines),
        lambda file: correction_card(about, format_name, file, tally),
        lambda: tally.rows,
    )


def _unsplit(
    path: Path,
    format_name: str,
    write: Callable[[Path], None],
    card_of: Callable[[WrittenFile], str],
    count: Callable[[], int],
) -> Dataset:
    """A file of rows that were all made here and stand in no split, with its card beside it.

    `count` is asked once the rows are written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        sha256 = _put_file(path, format_name, write)
        rows = count()
        card = path.with_name(path.name + CARD)
        file = WrittenFile(name=path.name, sha256=sha256, rows=rows)
        card.write_text(card_of(file), encoding="utf-8")
    except OSError as error:
        raise _unwritable(error, path) from None
    return Dataset(
        path=path,
        rows=rows,
        sha256=sha256,
        card=card,
        excluded={},
        licences={HERE: rows} if rows else {},
        parts={part: rows if part == "none" else 0 for part in SPLITS},
    )


def _unwritable(error: OSError, path: Path) -> WorkbenchError:
    reason = error.strerror or "unknown reason"
    return storage_error(error, path) or UsageError(f"{path} cannot be written: {reason}.")


def _write_lines(draft: Path, lines: Iterable[str]) -> None:
    with draft.open("wb") as file:
        for line in lines:
            file.write(line.encode("utf-8"))


def _put_file(path: Path, format_name: str, write: Callable[[Path], None]) -> str:
    """The hash of a file that is put in its place once `write` has written all of it."""
    if path.is_dir():
        raise UsageError(f"{path} is a folder; name a file for the format {format_name}.")
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    os.close(handle)
    draft = Path(name)
    try:
        write(draft)
        sha256 = _hash(draft)
        draft.chmod(0o644)
        draft.replace(path)
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
    return sha256


def _file(
    examples: Iterable[Example],
    format_name: str,
    path: Path,
    about: CardMetadata,
    shape: ExportOptions,
) -> Dataset:
    tally = ExportCounts()
    sha256 = _put_file(
        path,
        format_name,
        lambda draft: (
            write_parquet(examples, draft, shape, tally)
            if format_name == "parquet"
            else _write_lines(draft, LINES[format_name](examples, shape, tally))
        ),
    )
    card = path.with_name(path.name + CARD)
    contents = Contents(
        format=format_name,
        files=(WrittenFile(name=path.name, sha256=sha256, rows=tally.rows),),
        source_text=shape.source_text,
        prompt=shape.prompting.prompt if shape.prompting and format_name in ASKED else None,
        extra=_labelling_interface(shape) if format_name == "label-studio" else "",
        fields=shape.fields,
    )
    card.write_text(card_text(about, contents, tally), encoding="utf-8")
    return _dataset_of(path, card, sha256, tally)


def _labelling_interface(shape: ExportOptions) -> str:
    return f"## Labelling interface\n\n```xml\n{label_studio_config(shape.fields)}```\n"


def _folder(
    examples: Iterable[Example], path: Path, about: CardMetadata, shape: ExportOptions
) -> Dataset:
    if path.exists() and not _may_replace(path):
        raise UsageError(
            f"{path} already exists and is not an exported data set; choose an empty or new folder."
        )
    tally = ExportCounts()
    draft = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name}."))
    try:
        (draft / "data").mkdir()
        counts = _tables(examples, draft / "data", shape, tally)
        files = tuple(
            WrittenFile(
                name=f"data/{split}.parquet",
                sha256=_hash(draft / "data" / f"{split}.parquet"),
                rows=counts[split],
                split=split,
            )
            for split in SPLITS.values()
            if split in counts
        )
        contents = Contents(
            format="huggingface",
            files=files,
            source_text=shape.source_text,
            extra=_LOADING,
            fields=shape.fields,
        )
        card = front_matter(about, contents, tally) + card_text(about, contents, tally)
        (draft / "README.md").write_text(card, encoding="utf-8")
        listed = "".join(f"{file.sha256}  {file.name}\n" for file in files)
        listed += f"{_hash(draft / 'README.md')}  README.md\n"
        (draft / "SHA256SUMS").write_text(listed, encoding="utf-8")
        draft.chmod(0o755)
        if path.exists():
            shutil.rmtree(path)
        draft.replace(path)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    sha256 = hashlib.sha256(listed.encode()).hexdigest()
    return _dataset_of(path, path / "README.md", sha256, tally)


def _tables(
    examples: Iterable[Example], folder: Path, shape: ExportOptions, tally: ExportCounts
) -> dict[str, int]:
    files: dict[str, TableFile] = {}
    counts: dict[str, int] = {}
    try:
        for row in examples:
            tally.add(row)
            split = SPLITS[row.part or "none"]
            if split not in files:
                files[split] = TableFile(folder / f"{split}.parquet", shape.fields)
            files[split].add(row, source_text=shape.source_text)
            counts[split] = counts.get(split, 0) + 1
    finally:
        for file in files.values():
            file.close()
    return counts


def _may_replace(path: Path) -> bool:
    if not path.is_dir():
        return False
    names = {child.name for child in path.iterdir()}
    return not names or names == {"README.md", "SHA256SUMS", "data"}


def _dataset_of(path: Path, card: Path, sha256: str, tally: ExportCounts) -> Dataset:
    return Dataset(
        path=path,
        rows=tally.rows,
        sha256=sha256,
        card=card,
        excluded=dict(tally.excluded),
        licences=tally.licences(),
        parts={part: tally.parts[part] for part in SPLITS},
    )


def _hash(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()
