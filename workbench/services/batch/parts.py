"""The results of a batch as Parquet parts, which `import parts` merges into a database elsewhere.

    parts/part-00001.runs.parquet        one row an output: its text, its run, references, claims
    parts/part-00001.sources.parquet     the sources' texts as the judge read them
    parts/part-00001.snapshots.parquet   the fetched bytes with the facts of their requests
    parts/parts.jsonl                    one line a finished part: its files with rows and SHA-256

A part is finished when its line is in `parts.jsonl`; what was begun and has no line was cut
off, and its outputs are in a later part. Documents are ASCII-escaped JSON, texts `surrogatepass`
bytes.
"""

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, cast, get_args

from workbench.errors import UsageError
from workbench.records.text import Json, JsonDict, text_sha256
from workbench.records.transfer import ExternalRun
from workbench.records.verdict import CitationResult, parse_run, parse_source
from workbench.services.batch.directory import append_line
from workbench.sources.snapshots import SnapshotFolder, merge_snapshots
from workbench.store.runs.runs import merge_runs
from workbench.store.store import Store

PARTS, LIST = "parts", "parts.jsonl"
Kind = Literal["runs", "sources", "snapshots"]
KINDS: tuple[Kind, ...] = get_args(Kind)
COLUMNS: Mapping[Kind, tuple[tuple[str, str], ...]] = {
    "runs": (
        ("input", "string"), ("input_key", "string"), ("run_id", "string"), ("record", "string"),
        ("output", "binary"), ("references", "string"), ("claims", "string"),
        ("texts", "string"),
    ),
    "sources": (
        ("sha256", "string"), ("text_sha256", "string"), ("text", "binary"), ("pages", "string"),
    ),
    "snapshots": (("sha256", "string"), ("facts", "string"), ("body", "binary")),
}  # fmt: skip
"""The columns of each file."""
Row = Mapping[str, str | bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """What one output brings to a part."""

    runs: tuple[Row, ...] = ()
    sources: tuple[Row, ...] = ()
    snapshots: tuple[Row, ...] = ()

    def of(self, kind: Kind) -> tuple[Row, ...]:
        """The rows of one file."""
        return {"runs": self.runs, "sources": self.sources, "snapshots": self.snapshots}[kind]

    @property
    def bytes(self) -> int:
        """How much they hold, about."""
        return sum(len(value) for kind in KINDS for row in self.of(kind) for value in row.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One finished part, as its line says."""

    number: int
    files: Mapping[Kind, tuple[str, str, int]]
    """Name, SHA-256 and rows of each file; a kind without rows has none."""


@dataclass(slots=True, kw_only=True)
class Writer:
    """Writes the parts of one batch, one after another; continues after existing ones."""

    folder: Path
    last: int = 0

    def __post_init__(self) -> None:
        """Find the number to go on with; a part that was cut off keeps its number and its files."""
        self.folder.mkdir(parents=True, exist_ok=True)
        end_cut_line(self.folder / LIST)
        self.last = max((_number(path.name) for path in self.folder.glob("part-*")), default=0)

    def write(self, many: Sequence[Rows]) -> None:
        """Write one part; once this returns it is finished and on the disk."""
        self.last += 1
        files: JsonDict = {}
        for kind in KINDS:
            rows = [row for run_rows in many for row in run_rows.of(kind)]
            if kind != "runs":
                rows = _without_duplicates(kind, rows)
            if rows:
                name = f"part-{self.last:05d}.{kind}.parquet"
                digest = _write(self.folder / name, kind, rows)
                files[kind] = {"name": name, "sha256": digest, "rows": len(rows)}
        append_line(self.folder / LIST, {"part": self.last, "files": files})


def _without_duplicates(kind: Kind, rows: Iterable[Row]) -> list[Row]:
    """The rows without those that say the same: many outputs of a part cite one page."""
    mark = "facts" if kind == "snapshots" else "text"
    return list({(row["sha256"], row[mark]): row for row in rows}.values())


def finished_parts(folder: Path) -> list[Part]:
    """The finished parts of a folder, in order.

    Raises:
        UsageError: There is no list of parts, or it is not one.
    """
    path = folder / LIST
    try:
        lines = path.read_bytes().splitlines(keepends=True)
    except OSError:
        raise UsageError(
            f"{folder} contains no parts: there is no {LIST}. Name the folder that a batch with "
            f"--engine ray wrote, or the parts folder in it."
        ) from None
    parts = []
    for number, line in enumerate(lines, 1):
        if line.endswith(b"\n") and line.strip():
            try:
                parts.append(_part(json.loads(line)))
            except (ValueError, TypeError, KeyError):
                raise UsageError(f"Line {number} of {path} is not the line of a part.") from None
    return parts


def unfinished_files(folder: Path, parts: Iterable[Part]) -> list[str]:
    """The files of parts that were begun and not finished, by name."""
    listed = {name for part in parts for name, _, _ in part.files.values()}
    return sorted(path.name for path in folder.glob("part-*") if path.name not in listed)


def fault_of(folder: Path, part: Part) -> str | None:
    """What is wrong with a part's files, in a sentence; None where they are as they were written.

    Every byte is read and hashed.
    """
    for name, sha256, _ in part.files.values():
        path = folder / name
        if Path(name).name != name or not path.is_file():
            return f"{name} is missing: copy it beside {LIST}."
        with path.open("rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() != sha256:
                return f"{name} is damaged: its SHA-256 is not the one in {LIST}."
    return None


def read_rows(folder: Path, part: Part, kind: Kind, at_once: int = 64) -> Iterator[Row]:
    """The rows of one file of a part, a few in memory at a time.

    Raises:
        UsageError: It is no Parquet file with these columns.
    """
    import pyarrow as arrow  # type: ignore[import-untyped]  # has no stubs
    import pyarrow.parquet as parquet  # type: ignore[import-untyped]

    if kind not in part.files:
        return
    names = [name for name, _ in COLUMNS[kind]]
    try:
        with parquet.ParquetFile(folder / part.files[kind][0]) as file:
            for batch in file.iter_batches(batch_size=at_once, columns=names):
                yield from cast("list[Row]", batch.to_pylist())
    except (arrow.ArrowException, OSError) as error:
        raise UsageError(
            f"{part.files[kind][0]} cannot be read as a part ({type(error).__name__})."
        ) from None


def end_cut_line(path: Path) -> None:
    """Take away the half line that a kill left at the end of a file."""
    if not path.exists():
        return
    with path.open("rb+") as file:
        data = file.read()
        file.truncate(data.rfind(b"\n") + 1)


def _write(path: Path, kind: Kind, rows: Sequence[Row]) -> str:
    """The SHA-256 of a file that was written and has reached the disk."""
    import pyarrow as arrow
    import pyarrow.parquet as parquet

    types = {"string": arrow.string(), "binary": arrow.binary()}
    schema = arrow.schema([(name, types[type_name]) for name, type_name in COLUMNS[kind]])
    parquet.write_table(
        arrow.Table.from_pylist([dict(row) for row in rows], schema=schema), path,
        compression="zstd",
    )  # fmt: skip
    with path.open("rb+") as file:
        os.fsync(file.fileno())
        return hashlib.file_digest(file, "sha256").hexdigest()


def _part(line: Json) -> Part:
    if not isinstance(line, dict) or not isinstance(line["files"], dict):
        raise TypeError
    files: dict[Kind, tuple[str, str, int]] = {}
    for kind in KINDS:
        file = line["files"].get(kind)
        if isinstance(file, dict):
            files[kind] = (str(file["name"]), str(file["sha256"]), int(str(file["rows"])))
    return Part(number=int(str(line["part"])), files=files)


def _number(name: str) -> int:
    digits = name.removeprefix("part-").partition(".")[0]
    return int(digits) if digits.isdecimal() else 0


RUNS_A_UNIT = 64
"""So many runs are added at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchImportResult:
    """What came in of the parts of a batch."""

    imported: int
    """New runs."""
    known: int
    """Runs that were there already; they stay as they are."""
    snapshots: int
    """New snapshots."""
    skipped: tuple[tuple[int, str], ...]
    """The line of a part in the list (0 for what has none), and why something was left out."""
    damaged: int
    """Parts that were left out since they are not what was written."""

    def to_dict(self) -> JsonDict:
        """The published JSON of `workbench import parts`."""
        return {
            "imported": self.imported,
            "skipped": [{"line": line, "reason": reason} for line, reason in self.skipped],
            "known": self.known,
            "snapshots": self.snapshots,
            "damaged": self.damaged,
        }


def merge_parts(
    store: Store,
    snapshots: SnapshotFolder,
    path: Path,
    *,
    on_progress: Callable[[int], None] | None = None,
) -> BatchImportResult:
    """What came in of a batch's folder, its parts folder, or its list; a second time nothing does.

    Each part is hashed before it is imported. A damaged one is reported and left out, and so is
    what was begun and not finished.

    Args:
        store: Where the runs, verdicts and sources' texts go.
        snapshots: Where the fetched bytes go.
        path: Of the folder or the list.
        on_progress: Called with the number of runs read so far.

    Raises:
        UsageError: There are no parts; StoreError when the database cannot be used.
    """
    folder = _folder(path)
    parts = finished_parts(folder)
    cut = (
        "was started but not finished: its outputs are in a later part, or have yet to be resumed."
    )
    skipped = [(0, f"{name} {cut}") for name in unfinished_files(folder, parts)]
    imported = already_there = snapshots_added = damaged = 0
    for line, part in enumerate(parts, 1):
        fault = fault_of(folder, part)
        if fault:
            damaged += 1
            skipped.append((line, fault))
            continue
        merged = merge_snapshots(
            snapshots,
            (
                (str(row["facts"]).encode("ascii"), bytes_of(row["body"]))
                for row in read_rows(folder, part, "snapshots")
            ),
        )
        snapshots_added += merged.imported
        skipped += [(line, reason) for reason in merged.skipped]
        for runs in _run_batches(folder, part):
            merge_result = merge_runs(store, runs)
            imported += merge_result.added
            already_there += merge_result.known
            skipped += [
                (line, f"the output of run {run_id} was erased here")
                for run_id in merge_result.erased
            ]
            if on_progress:
                on_progress(imported + already_there)
    return BatchImportResult(
        imported=imported,
        known=already_there,
        snapshots=snapshots_added,
        skipped=tuple(skipped),
        damaged=damaged,
    )


def _folder(path: Path) -> Path:
    if not path.exists():
        raise UsageError(f"There is no folder {path}; name the folder of a batch on a cluster.")
    if path.name == LIST:
        return path.parent
    return path / PARTS if (path / PARTS / LIST).exists() else path


def _run_batches(folder: Path, part: Part) -> "list[list[ExternalRun]]":
    """The runs of a part with their sources' texts, in small batches."""
    texts = {
        (str(row["sha256"]), str(row["text_sha256"])): row
        for row in read_rows(folder, part, "sources")
    }
    runs = [_run(row, texts) for row in read_rows(folder, part, "runs")]
    return [runs[at : at + RUNS_A_UNIT] for at in range(0, len(runs), RUNS_A_UNIT)]


def _run(row: Row, texts: Mapping[tuple[str, str], Row]) -> ExternalRun:
    try:
        record = json.loads(row["record"])
        run = parse_run(
            record, references=json.loads(row["references"]), claims=json.loads(row["claims"])
        )
        hashes = json.loads(row["texts"])
        text = bytes_of(row["output"]).decode("utf-8", "surrogatepass")
        if text_sha256(text) != run.output_sha256:
            raise ValueError("the output has another hash")
        citations = tuple(_with_text(result, hashes, texts) for result in run.citations)
    except (KeyError, TypeError, ValueError) as error:
        raise UsageError(
            f"The run {str(row.get('run_id'))[:40]} in a part cannot be read "
            f"({type(error).__name__}): it was written by another version of the workbench."
        ) from None
    return ExternalRun(run=replace(run, citations=citations), text=text, name=str(row["input"]))


def _with_text(
    result: CitationResult, hashes: Mapping[str, str], texts: Mapping[tuple[str, str], Row]
) -> CitationResult:
    source = result.source
    digest = hashes.get(source.sha256) if source else None
    if source is None or digest is None:
        return result
    row = texts[source.sha256, digest]
    text = bytes_of(row["text"]).decode("utf-8", "surrogatepass")
    pages: Json = json.loads(row["pages"])
    with_text = parse_source(source.to_dict(), text=text, pages=pages)
    return replace(result, source=with_text)


def bytes_of(value: str | bytes) -> bytes:
    """A binary cell."""
    return value if isinstance(value, bytes) else value.encode("utf-8", "surrogatepass")
