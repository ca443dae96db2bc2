"""The operations over reference lists: checked by themselves, of a run, and decided by people."""

import threading
from typing import Annotated, cast

from fastapi import Path, Request, Response

from workbench.errors import NotFoundError
from workbench.interfaces.http.api import Context, RunId, refusals, reply, router
from workbench.interfaces.http.models import ReferenceLabelBody, ReferencesBody
from workbench.interfaces.http.operations import AppContext, cancel_on_disconnect, in_thread
from workbench.interfaces.http.responses import answer
from workbench.interfaces.http.schemas import REFERENCE_LABELS, ref
from workbench.records.bibliography import ReferenceReport
from workbench.records.reference_labels import EntryLabel
from workbench.records.text import JsonDict
from workbench.services.permissions import caller_permissions
from workbench.services.references.checking import check_list, run_report
from workbench.services.references.labels import submit_reference_label
from workbench.services.references.requests import (
    read_references,
    references_of_list,
    registry_of_call,
)
from workbench.services.repositories import EntryLabelRepository
from workbench.services.runs import stored_run

ROUTER = router()
Position = Annotated[
    str, Path(description="The entry's index in the run's references.", pattern="^[0-9]{1,6}$")
]


@ROUTER.post(
    "/api/v1/references",
    operation_id="checkReferences",
    responses={200: reply("Each entry with its finding.", ref("ReferenceReport"))},
)
async def check_references(context: Context, request: Request, body: ReferencesBody) -> Response:
    """Whether each reference of a list exists and is described right; nothing is kept of it."""
    from anyio import to_thread

    cancel = threading.Event()

    async def report() -> ReferenceReport:
        # a caller who leaves is not waited for; the look-ups stop by the event
        return await to_thread.run_sync(
            lambda: _checked(context, body, cancel), abandon_on_cancel=True
        )

    async with context.line:
        try:
            checked = await cancel_on_disconnect(request, report)
        finally:
            cancel.set()
    return answer(checked.to_dict())


def _checked(context: AppContext, body: ReferencesBody, cancel: threading.Event) -> ReferenceReport:
    permissions = caller_permissions(
        context.settings, allow_fetch=body.look_up, domains=body.allowed_domains
    )
    options = references_of_list(
        context.settings,
        permissions,
        indexes=body.indexes,
        registry_files=registry_of_call(cast("str | list[JsonDict] | None", body.registry)),
        offline=body.offline,
        database=context.store,
    )
    entries = cast("list[str] | list[JsonDict]", body.entries)
    output = read_references(body.text or entries)
    return check_list(output, options, cancel=cancel)


@ROUTER.get(
    "/api/v1/runs/{run_id}/references",
    responses={200: reply("Each entry with its finding.", ref("ReferenceReport")), **refusals(404)},
)
async def get_run_references(context: Context, run_id: RunId) -> Response:
    """What was found out about the entries of a run's reference list."""
    run = await in_thread(lambda: stored_run(context.store, run_id))
    return answer(run_report(run).to_dict())


@ROUTER.get(
    "/api/v1/runs/{run_id}/references/{position}/labels",
    responses={200: reply("The active labels.", REFERENCE_LABELS), **refusals(404)},
)
async def list_reference_labels(context: Context, run_id: RunId, position: Position) -> Response:
    """What people decided about an entry, oldest first."""

    def read() -> list[EntryLabel]:
        _check_position(context, run_id, int(position))
        labels = EntryLabelRepository(context.store).listed(run_id)
        return [label for label in labels if label.position == int(position)]

    return answer({"labels": [label.to_dict() for label in await in_thread(read)]})


@ROUTER.post(
    "/api/v1/runs/{run_id}/references/{position}/labels",
    responses={
        201: reply("The label that was added.", ref("EntryLabel")),
        200: reply("The reviewer's label that says the same.", ref("EntryLabel")),
        **refusals(404),
    },
)
async def add_reference_label(
    context: Context, run_id: RunId, position: Position, body: ReferenceLabelBody
) -> Response:
    """Record what a person decided about an entry; earlier labels stay in the history."""

    def give() -> tuple[bool, EntryLabel]:
        _check_position(context, run_id, int(position))
        return submit_reference_label(
            context.store,
            run_id,
            int(position),
            body.reviewer,
            body.decision,
            reason=body.reason,
            note=body.note,
        )

    added, label = await in_thread(give)
    return answer(label.to_dict(), 201 if added else 200)


def _check_position(context: AppContext, run_id: str, position: int) -> None:
    """Raise NotFoundError where the run has no such entry."""
    number = len(stored_run(context.store, run_id).reference_checks)
    if position >= number:
        raise NotFoundError(f"Run {run_id!r} has {number} references; there is no {position}.")
