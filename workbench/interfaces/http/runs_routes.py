"""The operations over what is kept: runs, labels, exports."""

import pathlib
import re
import shutil
import tempfile
from collections.abc import AsyncIterator, Sequence
from typing import Annotated

from fastapi import Path, Query, Response
from fastapi.responses import StreamingResponse
from starlette.background import BackgroundTask

from workbench.errors import NotFoundError
from workbench.interfaces.http.api import Context, RunId, refusals, reply, router
from workbench.interfaces.http.models import (
    CommentBody,
    CommentQuery,
    ExportQuery,
    HandoffBody,
    HandoffQuery,
    LabelBody,
    LabelQuery,
    MatrixBody,
    MatrixQuery,
    PageQuery,
    PlaceBody,
    SentenceBody,
    TitleBody,
    UncitedBody,
)
from workbench.interfaces.http.operations import AppContext, in_thread, run_limited
from workbench.interfaces.http.responses import answer
from workbench.interfaces.http.schemas import (
    EXPORT_PLAN,
    EXPORTS,
    HANDOFF_OUTCOME,
    HANDOFF_QUESTIONS,
    MATRIX_OR_COST,
    OUTPUT,
    UNCITED_REPORT,
    page,
    ref,
)
from workbench.presentation.matrix import matrix_html
from workbench.presentation.run_totals import run_summary_json
from workbench.records.export_formats import EXPORT_FORMATS, FORMATS
from workbench.records.review import Label, LabelDecision
from workbench.records.text import Json, JsonDict, Span
from workbench.services import labels, repositories, sentences, uncited
from workbench.services.export import (
    Dataset,
    ExportSelection,
    export_dataset,
    known_parts,
    plan_export,
)
from workbench.services.handoff import export_handoff, import_handoff
from workbench.services.matrix import estimate_matrix, matrix_csv, run_matrix, source_matrix
from workbench.services.permissions import caller_permissions
from workbench.services.runs import list_runs as stored_runs
from workbench.services.runs import output_text, rename_run, stored_run
from workbench.services.verification import VerifyOptions

ROUTER = router()
Format = Annotated[str, Path(description=f"One of {', '.join(EXPORT_FORMATS)}.", min_length=1)]
PIECE = 1 << 20
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


@ROUTER.get("/api/v1/runs", responses={200: reply("A page of runs.", page("runs", "RunLine"))})
async def list_runs(context: Context, query: Annotated[PageQuery, Query()]) -> Response:
    """Runs, newest first."""
    limit, offset = query.limit, query.offset
    runs = await in_thread(lambda: stored_runs(context.store, limit + offset + 1))
    page = runs[offset : offset + limit]
    lines: list[Json] = [run_summary_json(run) for run in page]
    return answer({"runs": lines, "next_offset": _next_offset(len(runs), limit, offset)})


@ROUTER.get(
    "/api/v1/runs/{run_id}", responses={200: reply("The run.", ref("Run")), **refusals(404)}
)
async def get_run(context: Context, run_id: RunId) -> Response:
    """A run with every citation and verdict."""
    run = await in_thread(lambda: stored_run(context.store, run_id))
    return answer(run.to_dict())


@ROUTER.get(
    "/api/v1/runs/{run_id}/output", responses={200: reply("The text.", OUTPUT), **refusals(404)}
)
async def get_output(context: Context, run_id: RunId) -> Response:
    """The text that a run was about, its reference entries and claims."""

    def read() -> JsonDict:
        run = stored_run(context.store, run_id)
        return {
            "text": output_text(context.store, run.output_sha256),
            "text_sha256": run.output_sha256,
            "references": [reference.to_dict() for reference in run.references],
            "claims": [claim.to_dict() for claim in run.claims],
        }

    return answer(await in_thread(read))


@ROUTER.patch(
    "/api/v1/runs/{run_id}",
    operation_id="renameRun",
    responses={200: reply("The run's line of the list.", ref("RunLine")), **refusals(404)},
)
async def rename(context: Context, run_id: RunId, body: TitleBody) -> Response:
    """Give a run a title; the earlier ones stay in the history."""
    summary = await in_thread(lambda: rename_run(context.store, run_id, body.title, body.reviewer))
    return answer(run_summary_json(summary))


@ROUTER.get(
    "/api/v1/runs/{run_id}/handoff",
    operation_id="exportHandoff",
    responses={200: reply("The questions.", HANDOFF_QUESTIONS), **refusals(404, 422)},
)
async def handoff_questions(
    context: Context, run_id: RunId, query: Annotated[HandoffQuery, Query()]
) -> Response:
    """The questions of a run in parts that fit a chat window; nothing is sent anywhere."""
    exported = await run_limited(
        context,
        lambda: export_handoff(
            context.store, run_id, query.part_chars, query.name, matrix=query.matrix
        ),
    )
    return answer(exported.to_dict())


@ROUTER.post(
    "/api/v1/runs/{run_id}/handoff",
    operation_id="importHandoff",
    responses={200: reply("What became of the answers.", HANDOFF_OUTCOME), **refusals(404)},
)
async def handoff_answers(context: Context, run_id: RunId, body: HandoffBody) -> Response:
    """Take a chat's answers back; each quote is looked up in its source."""
    taken = await run_limited(
        context, lambda: import_handoff(context.store, run_id, body.answers, body.name)
    )
    return answer(taken.to_dict())


@ROUTER.get(
    "/api/v1/runs/{run_id}/matrix",
    responses={200: reply("The matrix.", ref("Matrix")), **refusals(404)},
)
async def get_matrix(
    context: Context, run_id: RunId, query: Annotated[MatrixQuery, Query()]
) -> Response:
    """Which source of a run says what about which statement, and contradictions; nobody is asked."""

    def read() -> Response:
        matrix = run_matrix(context.store, run_id)
        if query.format == "json":
            return answer(matrix.to_dict())
        if query.format == "csv":
            return Response("".join(matrix_csv(matrix)), media_type="text/csv; charset=utf-8")
        return Response(matrix_html(matrix, run_id), media_type="text/html; charset=utf-8")

    return await in_thread(read)


@ROUTER.post(
    "/api/v1/runs/{run_id}/matrix",
    operation_id="fillMatrix",
    responses={200: reply("The matrix, or the estimate.", MATRIX_OR_COST), **refusals(404)},
)
async def fill(context: Context, run_id: RunId, body: MatrixBody) -> Response:
    """Ask a judge about the statements and sources of a run that nobody judged for sure."""

    def ask() -> JsonDict:
        if body.estimate:
            return estimate_matrix(context.store, run_id, body.judge).to_dict()
        allowed = caller_permissions(context.settings, max_cost_usd=body.max_cost_usd)
        return source_matrix(
            context.store,
            run_id,
            body.judge,
            max_cost_usd=allowed.max_cost_usd,
            max_calls=body.max_calls,
        ).to_dict()

    return answer(await run_limited(context, ask))


@ROUTER.get(
    "/api/v1/comments",
    responses={
        200: reply("A page of comments.", page("comments", "CitationComment")),
        **refusals(404),
    },
)
async def list_comments(context: Context, query: Annotated[CommentQuery, Query()]) -> Response:
    """Comments of reviewers on citations, oldest first."""
    limit, offset = query.limit, query.offset
    found = await in_thread(
        lambda: labels.list_comments(
            context.store,
            run_id=query.run_id or None,
            citation_id=query.citation_id or None,
            limit=limit + 1,
            offset=offset,
        )
    )
    documents: list[Json] = [comment.to_dict() for comment in found[:limit]]
    following = _next_offset(offset + len(found), limit, offset)
    return answer({"comments": documents, "next_offset": following})


@ROUTER.post(
    "/api/v1/comments",
    responses={201: reply("The comment.", ref("CitationComment")), **refusals(404)},
)
async def add_comment(context: Context, body: CommentBody) -> Response:
    """Comment on a citation for the other reviewers; a comment is never changed."""
    comment = await in_thread(
        lambda: repositories.CommentRepository(context.store).add(
            body.run_id, body.citation_id, body.author, body.body
        )
    )
    return answer(comment.to_dict(), 201)


@ROUTER.get(
    "/api/v1/labels",
    responses={200: reply("A page of labels.", page("labels", "Label")), **refusals(404)},
)
async def list_labels(context: Context, query: Annotated[LabelQuery, Query()]) -> Response:
    """Labels that stand, oldest first."""
    limit, offset = query.limit, query.offset

    def read() -> list[Label]:
        return labels.list_labels(
            context.store,
            run_id=query.run_id or None,
            citation_id=query.citation_id or None,
            reviewer=query.reviewer or None,
            limit=limit + 1,
            offset=offset,
        )

    labels_found = await in_thread(read)
    label_documents: list[Json] = [label.to_dict() for label in labels_found[:limit]]
    following = _next_offset(offset + len(labels_found), limit, offset)
    return answer({"labels": label_documents, "next_offset": following})


@ROUTER.post(
    "/api/v1/labels",
    responses={
        201: reply("The label that was added.", ref("Label")),
        200: reply("The reviewer's label that says the same.", ref("Label")),
        **refusals(404),
    },
)
async def add_label(context: Context, body: LabelBody) -> Response:
    """Record what a person decided about a citation; earlier labels stay in the history."""

    def give() -> tuple[Label | None, Label]:
        return labels.submit_label(
            context.store,
            body.run_id,
            body.citation_id,
            body.reviewer,
            _decision(body),
            blind=body.blind,
            queue_id=body.queue_id or None,
        )

    added, label = await in_thread(give)
    return answer(label.to_dict(), 201 if added else 200)


@ROUTER.post(
    "/api/v1/sentences",
    responses={
        201: reply("The sentence with its new kind.", ref("SentenceChange")),
        200: reply("The same was said already.", ref("SentenceChange")),
        **refusals(404),
    },
)
async def correct_sentence(context: Context, body: SentenceBody) -> Response:
    """Record what a person says that a sentence is there for; earlier kinds stay in the history."""
    change = await in_thread(
        lambda: sentences.correct_sentence(
            context.store,
            body.run_id,
            body.start,
            body.kind,
            body.reviewer,
            stated_in=body.stated_in or None,
        )
    )
    return answer(change.to_dict(), 201 if change.changed else 200)


@ROUTER.post(
    "/api/v1/runs/{run_id}/uncited",
    responses={
        200: reply("Each sentence with its verdict, and what can be taken.", UNCITED_REPORT),
        **refusals(404),
    },
)
async def check_uncited(context: Context, run_id: RunId, body: UncitedBody) -> Response:
    """Check a run's sentences without a citation against the run's own sources.

    Where one is stated there, that is kept as a suggestion; a person takes it by POST
    /api/v1/sentences with `stated_in`.
    """

    def check() -> JsonDict:
        judge = uncited.judge_of_uncited(stored_run(context.store, run_id), body.judge)
        permissions = caller_permissions(
            context.settings, allow_fetch=False, domains=(), max_cost_usd=body.max_cost_usd
        )
        options = permissions.applied_to(VerifyOptions(judge=judge))
        return uncited.check_uncited(context.store, run_id, options).to_dict()

    return answer(await run_limited(context, check))


@ROUTER.get("/api/v1/exports", responses={200: reply("The formats.", EXPORTS)})
async def list_exports(context: Context) -> Response:
    """The formats of exports."""
    formats: list[Json] = [
        {
            "format": name,
            "content_type": FORMATS[name].content_type,
            "url": f"/api/v1/exports/{name}",
            "plan_url": f"/api/v1/exports/{name}/plan",
        }
        for name in FORMATS
    ]
    return answer({"exports": formats})


@ROUTER.get(
    "/api/v1/exports/{format}/plan",
    operation_id="planExport",
    responses={200: reply("Rows by part, what is left out.", EXPORT_PLAN), **refusals(404)},
)
async def plan_file(
    context: Context, format: Format, query: Annotated[ExportQuery, Query()]
) -> Response:
    """How many rows of each part an export would write; nothing is written."""
    name, choice = _export_selection(format, query)
    plan = await run_limited(context, lambda: plan_export(context.store, name, choice))
    return answer({"format": name, **plan.to_dict()})


def _export_selection(name: str, query: ExportQuery) -> tuple[str, ExportSelection]:
    if name not in EXPORT_FORMATS:
        raise NotFoundError(
            f"There is no export {name[:40]!r}; there are {', '.join(EXPORT_FORMATS)}."
        )
    return name, ExportSelection(
        run_id=query.run_id or None,
        queue_id=query.queue_id or None,
        parts=known_parts(query.part),
        labelled=query.labelled,
        source_text=query.source_text,
        examples=query.examples,
    )


@ROUTER.get(
    "/api/v1/exports/{format}",
    operation_id="export",
    responses={200: reply("The file.", kind="*/*"), **refusals(404)},
)
async def export_file(
    context: Context, format: Format, query: Annotated[ExportQuery, Query()]
) -> Response:
    """Verdicts and labels as a data set."""
    name, choice = _export_selection(format, query)
    folder = pathlib.Path(await in_thread(lambda: tempfile.mkdtemp(prefix="workbench-export-")))
    try:
        path, dataset = await run_limited(
            context, lambda: _write_export(context, name, folder, choice)
        )
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    about = _UNSAFE.sub("-", choice.run_id or choice.queue_id or "all")[:60].strip(".-") or "all"
    headers = {
        "content-disposition": f'attachment; filename="{name}-{about}.{FORMATS[name].ending}"',
        "content-length": str(path.stat().st_size),
        "cache-control": "no-store",
        "x-workbench-rows": str(dataset.rows),
        "x-workbench-rows-by-part": ", ".join(f"{part}={n}" for part, n in dataset.parts.items()),
        "x-workbench-sha256": dataset.sha256,
    }
    gone = BackgroundTask(shutil.rmtree, folder, ignore_errors=True)
    kind = FORMATS[name].content_type
    return StreamingResponse(_file_chunks(path), headers=headers, media_type=kind, background=gone)


def _write_export(
    context: AppContext, name: str, folder: pathlib.Path, choice: ExportSelection
) -> tuple[pathlib.Path, Dataset]:
    """The one file that is sent, and what is in it; a folder is packed."""
    place = folder / "dataset"
    dataset = export_dataset(context.store, name, place, choice)
    if not place.is_dir():
        return place, dataset
    packed = shutil.make_archive(str(folder / "packed"), "zip", place)
    return pathlib.Path(packed), dataset


async def _file_chunks(path: pathlib.Path) -> AsyncIterator[bytes]:
    with path.open("rb") as file:
        while piece := await in_thread(lambda: file.read(PIECE)):
            yield piece


def _next_offset(count: int, limit: int, offset: int) -> int | None:
    """Where the next page begins; None on the last one. `count` includes one beyond the page."""
    return offset + limit if count > offset + limit else None


def _decision(body: LabelBody) -> LabelDecision:
    return LabelDecision(
        label=body.label,
        note=body.note,
        evidence=_spans(body.evidence),
        wrong_evidence=_spans(body.wrong_evidence),
        fault=body.fault,
        tags=tuple(body.tags),
        answers=body.answers,
    )


def _spans(places: Sequence[PlaceBody]) -> tuple[Span, ...]:
    return tuple(Span(place.start, place.end) for place in places)
