"""The operations over what is kept: runs, labels, exports."""

import re
import shutil
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

from starlette.background import BackgroundTask
from starlette.responses import Response, StreamingResponse

from workbench.datasets import EXPORT_FORMATS, Dataset
from workbench.errors import NotFoundError
from workbench.interfaces.http.operations import AppContext, in_thread, run_limited
from workbench.interfaces.http.request import ApiRequest
from workbench.interfaces.http.responses import answer
from workbench.presentation.run_summary import run_summary_json
from workbench.records import (
    FAULTS,
    HUMAN_LABELS,
    Json,
    JsonDict,
    Label,
    LabelDecision,
    Span,
    normalize_reviewer_name,
)
from workbench.services.export import ExportSelection, export_dataset, known_parts, plan_export
from workbench.store import LabelRepository

PAGE = 100
MOST = 1000
PIECE = 1 << 20
ENDINGS = {
    "jsonl": ("jsonl", "application/x-ndjson"),
    "csv": ("csv", "text/csv; charset=utf-8"),
    "parquet": ("parquet", "application/vnd.apache.parquet"),
    "huggingface": ("zip", "application/zip"),
    "label-studio": ("json", "application/json"),
    "chat-anthropic": ("jsonl", "application/x-ndjson"),
    "chat-openai": ("jsonl", "application/x-ndjson"),
    "preference": ("jsonl", "application/x-ndjson"),
    "pairs": ("jsonl", "application/x-ndjson"),
}
"""By format: the file's ending and its content type."""
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


async def list_runs(desk: AppContext, asked: ApiRequest) -> Response:
    """The newest runs."""
    limit, offset = asked.whole("limit", PAGE), asked.whole("offset", 0)
    found = await in_thread(lambda: desk.store.list_runs(limit + offset + 1))
    shown = found[offset : offset + limit]
    lines: list[Json] = [run_summary_json(one) for one in shown]
    return answer({"runs": lines, "next_offset": _next(len(found), limit, offset)})


async def get_run(desk: AppContext, asked: ApiRequest) -> Response:
    """A stored run."""
    run = await in_thread(lambda: desk.store.get_run(asked.path["run_id"]))
    return answer(run.to_dict())


async def get_output(desk: AppContext, asked: ApiRequest) -> Response:
    """What a run was about."""

    def read() -> JsonDict:
        run = desk.store.get_run(asked.path["run_id"])
        return {
            "text": desk.store.get_output(run.output_sha256),
            "text_sha256": run.output_sha256,
            "references": [one.to_dict() for one in run.references],
            "claims": [one.to_dict() for one in run.claims],
        }

    return answer(await in_thread(read))


async def list_labels(desk: AppContext, asked: ApiRequest) -> Response:
    """Labels that stand."""
    limit, offset = asked.whole("limit", PAGE), asked.whole("offset", 0)

    def read() -> list[Label]:
        run_id = asked.word("run_id")
        if run_id:
            desk.store.get_summary(run_id)
        return LabelRepository(desk.store).listed(
            run_id=run_id,
            citation_id=asked.word("citation_id"),
            reviewer=asked.word("reviewer"),
            limit=limit + 1,
            offset=offset,
        )

    found = await in_thread(read)
    listed: list[Json] = [one.to_dict() for one in found[:limit]]
    following = _next(offset + len(found), limit, offset)
    return answer({"labels": listed, "next_offset": following})


async def add_label(desk: AppContext, asked: ApiRequest) -> Response:
    """A label that was added: 201; 200 with the one that stands where it says the same."""

    def give() -> tuple[Label | None, Label]:
        run_id, citation_id = str(asked.body["run_id"]), str(asked.body["citation_id"])
        reviewer = normalize_reviewer_name(str(asked.body["reviewer"]))
        run = desk.store.get_run(run_id)
        if citation_id not in {one.citation.id for one in run.citations}:
            raise NotFoundError(f"The run {run_id} has no citation {citation_id[:80]!r}.")
        labelling = LabelRepository(desk.store)
        added = labelling.give(
            run_id, citation_id, reviewer, _decision(asked), blind=asked.flag("blind")
        )
        standing = labelling.listed(run_id=run_id, citation_id=citation_id, reviewer=reviewer)
        return added, added or standing[-1]

    added, label = await in_thread(give)
    return answer(label.to_dict(), 201 if added else 200)


async def list_exports(desk: AppContext, asked: ApiRequest) -> Response:
    """The formats."""
    formats: list[Json] = [
        {
            "format": name,
            "content_type": kind,
            "url": f"/api/v1/exports/{name}",
            "plan_url": f"/api/v1/exports/{name}/plan",
        }
        for name, (_, kind) in ENDINGS.items()
    ]
    return answer({"exports": formats})


async def plan_file(desk: AppContext, asked: ApiRequest) -> Response:
    """How many rows of each part a data set would have."""
    name, choice = _export_of(asked)
    plan = await run_limited(desk, lambda: plan_export(desk.store, name, choice))
    return answer({"format": name, **plan.to_dict()})


def _export_of(asked: ApiRequest) -> tuple[str, ExportSelection]:
    name = asked.path["format"]
    if name not in EXPORT_FORMATS:
        raise NotFoundError(
            f"There is no export {name[:40]!r}; there are {', '.join(EXPORT_FORMATS)}."
        )
    return name, ExportSelection(
        run_id=asked.word("run_id"),
        queue_id=asked.word("queue_id"),
        parts=known_parts(asked.words("part")),
        labelled=asked.flag("labelled", True),
        source_text=asked.flag("source_text", True),
    )


async def export_file(desk: AppContext, asked: ApiRequest) -> Response:
    """A data set as a file."""
    name, choice = _export_of(asked)
    folder = Path(await in_thread(lambda: tempfile.mkdtemp(prefix="workbench-export-")))
    try:
        path, made = await run_limited(desk, lambda: _written(desk, name, folder, choice))
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    ending, kind = ENDINGS[name]
    about = _UNSAFE.sub("-", choice.run_id or choice.queue_id or "all")[:60].strip(".-") or "all"
    headers = {
        "content-disposition": f'attachment; filename="{name}-{about}.{ending}"',
        "content-length": str(path.stat().st_size),
        "cache-control": "no-store",
        "x-workbench-rows": str(made.rows),
        "x-workbench-rows-by-part": ", ".join(f"{part}={n}" for part, n in made.parts.items()),
        "x-workbench-sha256": made.sha256,
    }
    gone = BackgroundTask(shutil.rmtree, folder, ignore_errors=True)
    return StreamingResponse(_pieces(path), headers=headers, media_type=kind, background=gone)


def _written(
    desk: AppContext, name: str, folder: Path, choice: ExportSelection
) -> tuple[Path, Dataset]:
    """The one file that is sent, and what is in it; a folder is packed."""
    place = folder / "dataset"
    made = export_dataset(desk.store, name, place, choice)
    if not place.is_dir():
        return place, made
    packed = shutil.make_archive(str(folder / "packed"), "zip", place)
    return Path(packed), made


async def _pieces(path: Path) -> AsyncIterator[bytes]:
    with path.open("rb") as file:
        while piece := await in_thread(lambda: file.read(PIECE)):
            yield piece


def _next(known: int, limit: int, offset: int) -> int | None:
    """Where the next page begins; None on the last one. `known` counts one beyond the page."""
    return offset + limit if known > offset + limit else None


def _decision(asked: ApiRequest) -> LabelDecision:
    body = asked.body
    label = next(one for one in HUMAN_LABELS if one == body["label"])
    return LabelDecision(
        label=label,
        note=str(body.get("note", "")),
        evidence=_spans(body.get("evidence")),
        wrong_evidence=_spans(body.get("wrong_evidence")),
        fault=next((one for one in FAULTS if one == body.get("fault")), None),
        tags=tuple(asked.words("tags")),
    )


def _spans(value: Json) -> tuple[Span, ...]:
    listed = value if isinstance(value, list) else []
    return tuple(
        Span(int(one["start"]), int(one["end"])) for one in listed if isinstance(one, dict)
    )
