"""The parts of a batch that ran on a cluster into the database and the snapshots of this place."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from workbench.errors import UsageError
from workbench.records.parse import parse_run, parse_source
from workbench.records.text import Json, JsonDict, text_sha256
from workbench.records.transfer import ExternalRun
from workbench.records.verdict import CitationResult
from workbench.services.batch.parts import (
    LIST,
    PARTS,
    Part,
    Row,
    fault_of,
    finished_parts,
    read_rows,
    unfinished_files,
)
from workbench.sources.snapshots import SnapshotFolder, merge_snapshots
from workbench.store.runs.run_import import merge_runs
from workbench.store.store import Store

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
            record,
            references=json.loads(row["references"]),
            claims=json.loads(row["claims"]),
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
