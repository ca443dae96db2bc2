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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast, get_args

from workbench.errors import UsageError
from workbench.records.text import Json, JsonDict
from workbench.services.batch.directory import append_line

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
