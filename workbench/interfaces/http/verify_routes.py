"""The operations that look into texts: extract, verify, and the jobs that verify goes on in."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import asdict, replace
from typing import cast

from fastapi import Request, Response
from sse_starlette import EventSourceResponse

from workbench.errors import WorkbenchError
from workbench.interfaces.http.api import Context, RunId, refusals, reply, router
from workbench.interfaces.http.models import Asked, Permitted, TextBody, VerifyBody
from workbench.interfaces.http.operations import (
    AppContext,
    cancel_on_disconnect,
    in_thread,
    run_limited,
)
from workbench.interfaces.http.policies import named_policy
from workbench.interfaces.http.responses import ApiError, answer
from workbench.interfaces.http.schemas import ref
from workbench.records.citation import Extraction
from workbench.records.options import CheckOptions, chosen
from workbench.records.text import Json, JsonDict
from workbench.records.verdict import Run
from workbench.services import jobs
from workbench.services.inputs import read_output
from workbench.services.jobs import Job
from workbench.services.judges import open_judge
from workbench.services.permissions import Permissions, caller_permissions
from workbench.services.policies import apply_policy_to_run
from workbench.services.references.requests import references_of_verify, registry_of_call
from workbench.services.runs import get_traces, run_summary, stored_run
from workbench.services.verification import VerifyOptions
from workbench.settings import Settings

MOST_JOBS = 16
"""Runs in the background, those of the pages included."""
POLL_S = 0.1
KEEPALIVE_S = 10
VERIFY_PATH = "/api/v1/verify"
RUNS_PATH = "/api/v1/runs"
ROUTER = router()


@ROUTER.post(
    "/api/v1/extract",
    operation_id="extract",
    responses={200: reply("What the text cites.", ref("Extraction"))},
)
async def extract_text(context: Context, body: TextBody) -> Response:
    """Every citation, reference entry and claim of a text, with exact offsets."""
    return answer(await run_limited(context, lambda: read_text(body).to_dict()))


@ROUTER.post(
    "/api/v1/verify",
    operation_id="verify",
    responses={
        200: reply("The run; its `policy` is the decision.", ref("Run")),
        202: reply("The job, where it runs in the background.", ref("Job")),
        **refusals(404, 409),
    },
)
async def verify_text(context: Context, request: Request, body: VerifyBody) -> Response:
    """Check every citation against its source; the run is kept."""
    policy = await in_thread(lambda: named_policy(context.settings, body.policy))
    text, options = await run_limited(
        context, lambda: (read_text(body), read_options(context, body))
    )
    name = body.name or "API"
    if body.background:
        job = await in_thread(lambda: begin(context, text, name, options))
        assert job.begun
        state = job_state(job.begun.id, job)
        return answer(state, 202, {"location": str(state["url"])})
    run = await checked(context, text, name, options, request)
    document = run.to_dict()
    if body.policy:
        decision = await in_thread(
            lambda: apply_policy_to_run(
                policy,
                run,
                text.text,
                sources=options.sources,
                judge=options.specs,
                settings=context.settings,
                max_cost_usd=options.max_cost_usd,
            )
        )
        document["policy"] = decision.to_dict()
    return answer(document)


@ROUTER.get(
    "/api/v1/verify/{run_id}", responses={200: reply("Its state.", ref("Job")), **refusals(404)}
)
async def get_job(context: Context, run_id: RunId) -> Response:
    """How far a run has come."""
    return answer(await in_thread(lambda: state_of(context, run_id)))


@ROUTER.delete(
    "/api/v1/verify/{run_id}",
    status_code=202,
    responses={202: reply("It stops.", ref("Job")), **refusals(404, 409)},
)
async def stop_job(context: Context, run_id: RunId) -> Response:
    """Stop a run; what is done stays."""
    job = jobs.find(run_id)
    if job is None:
        state = await in_thread(lambda: state_of(context, run_id))
        raise ApiError("conflict", f"The run {run_id} is {state['state']}: nothing to stop.", 409)
    job.cancel.set()
    return answer(job_state(run_id, job), 202)


@ROUTER.get(
    "/api/v1/verify/{run_id}/events",
    responses={200: reply("Events.", kind="text/event-stream"), **refusals(404)},
)
async def follow_job(context: Context, run_id: RunId) -> Response:
    """A run's progress as server-sent events: `progress` until `done`, `stopped` or `failed`."""
    first = await in_thread(lambda: state_of(context, run_id))

    async def events() -> AsyncIterator[dict[str, str]]:
        last: Json = None
        state = first
        while state["state"] == "running":
            if state["progress"] != last:
                last = state["progress"]
                yield {"event": "progress", "data": json.dumps(state)}
            await asyncio.sleep(POLL_S)
            job = jobs.find(run_id)
            if job is not None:
                state = job_state(run_id, job)
            else:
                state = await in_thread(lambda: state_of(context, run_id))
        yield {"event": str(state["state"]), "data": json.dumps(state)}

    return EventSourceResponse(events(), ping=KEEPALIVE_S, sep="\n")


def state_of(context: AppContext, run_id: str) -> JsonDict:
    """A job's state: of a run that goes on here, or of a stored one.

    Raises:
        NotKept: There is no such run.
    """
    job = jobs.find(run_id)
    if job is not None:
        return job_state(run_id, job)
    summary = run_summary(context.store, run_id)
    failure = jobs.error_of(run_id)
    state = "done" if summary.finished else "failed" if failure else "stopped"
    return _state(run_id, state, None, failure)


def job_state(run_id: str, job: Job) -> JsonDict:
    """The state of a job that goes on in this process."""
    progress = asdict(job.progress) if job.progress else None
    return _state(run_id, "running", progress, "")


def _state(run_id: str, state: str, progress: Mapping[str, Json] | None, error: str) -> JsonDict:
    return {
        "id": run_id,
        "state": state,
        "progress": progress,
        "error": error or None,
        "url": f"{VERIFY_PATH}/{run_id}",
        "events": f"{VERIFY_PATH}/{run_id}/events",
        "run": f"{RUNS_PATH}/{run_id}",
    }


def read_text(body: TextBody) -> Extraction:
    """What the text of a request cites, native citations included.

    Raises:
        UnreadableInput: The `output` is of no known shape.
    """
    from workbench.services.inputs import extract, with_question

    output = cast("JsonDict", body.output)
    read = read_output(output) if "output" in body.model_fields_set else body.text
    return with_question(read if isinstance(read, Extraction) else extract(read), body.question)


def read_options(context: AppContext, body: VerifyBody) -> VerifyOptions:
    """What a request wants to have checked, within what the settings allow.

    Raises:
        UsageError: A judge cannot be opened, or there is no such trace.
    """
    settings = context.settings
    judges = [body.judge] if isinstance(body.judge, str) else body.judge
    judges = judges or [settings.server.judge]
    for spec in judges:
        open_judge(spec)
    if body.trace_id:
        get_traces(context.store, body.trace_id)
    sources = body.sources
    options = VerifyOptions(
        judge=judges,
        sources=None
        if sources is None
        else [source.model_dump(exclude_unset=True, by_alias=True) for source in sources],
        snapshots=settings.snapshots,
        reach=settings.reach,
        trace_id=body.trace_id or None,
        **chosen(CheckOptions, body),
    )
    return with_references(context, body, options, offline=body.offline)


def with_references(
    context: AppContext, body: Asked, options: VerifyOptions, *, offline: bool = False
) -> VerifyOptions:
    """The options with what a call may do, and with who is asked about the reference list.

    Raises:
        UsageError: There is no such index.
        UnreadableInput: The registry holds no records.
    """
    permissions = requested_permissions(context.settings, body)
    registry = cast("str | list[JsonDict] | None", body.registry)
    references = references_of_verify(
        context.settings,
        permissions,
        check_references=body.check_references,
        indexes=body.indexes,
        registry_files=registry_of_call(registry),
        offline=offline,
        database=context.store,
    )
    return replace(permissions.applied_to(options), references=references)


def requested_permissions(settings: Settings, body: Permitted) -> Permissions:
    """What a call may do, within what the settings allow; it fetches only where it asks for it."""
    return caller_permissions(
        settings,
        allow_fetch=body.allow_fetch,
        domains=body.allowed_domains,
        max_cost_usd=body.max_cost_usd,
    )


async def checked(
    context: AppContext,
    text: Extraction,
    name: str,
    options: VerifyOptions,
    request: Request | None,
) -> Run:
    """The finished run over a text; it is stopped when the caller leaves.

    Raises:
        WorkbenchError: What the run was refused for.
    """
    from anyio import to_thread

    async def ended() -> None:
        await to_thread.run_sync(job.ended.wait, abandon_on_cancel=True)

    async with context.line:
        job = await in_thread(lambda: jobs.start(context.store, text, name, options))
        try:
            await (cancel_on_disconnect(request, ended) if request is not None else ended())
        finally:
            job.cancel.set()
    _raise_mistake(job)
    assert job.begun
    run_id = job.begun.id
    return await in_thread(lambda: stored_run(context.store, run_id))


def begin(context: AppContext, text: Extraction, name: str, options: VerifyOptions) -> Job:
    """A job that goes on by itself, once its run has begun.

    Raises:
        Refusal: Too many runs go on already.
        WorkbenchError: What the run was refused for.
    """
    if len(jobs.running()) >= MOST_JOBS:
        raise ApiError(
            "busy", f"{MOST_JOBS} runs are already in progress; try again later.", 429,
            {"retry-after": "5"},
        )  # fmt: skip
    job = jobs.start(context.store, text, name, options)
    job.known.wait()
    _raise_mistake(job)
    return job


def _raise_mistake(job: Job) -> None:
    if job.mistake:
        raise job.mistake
    if job.error:
        raise WorkbenchError(job.error)
