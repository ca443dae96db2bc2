"""The operations that look into texts: extract, verify, and the jobs that verify goes on in."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import asdict

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from workbench.errors import WorkbenchError
from workbench.interfaces.http.operations import (
    AppContext,
    cancel_on_disconnect,
    in_thread,
    run_limited,
)
from workbench.interfaces.http.policies import named_policy
from workbench.interfaces.http.request import ApiRequest
from workbench.interfaces.http.responses import ApiError, answer
from workbench.judging import open_judge
from workbench.pipeline import VerifyOptions, check_choice, given_sources, read_output
from workbench.records import PANEL_RULES, SCOPE_CHOICES, Extraction, Json, JsonDict, Run
from workbench.services import jobs
from workbench.services.jobs import Job
from workbench.services.permissions import Permissions, caller_permissions
from workbench.services.policies import apply_policy_to_run
from workbench.settings import Settings
from workbench.store import Traces

MOST_JOBS = 16
"""Runs in the background, those of the pages included."""
POLL_S = 0.1
KEEPALIVE_S = 10.0
VERIFY_PATH = "/api/v1/verify"
RUNS_PATH = "/api/v1/runs"


async def extract_text(desk: AppContext, asked: ApiRequest) -> Response:
    """What a text cites."""
    found = await run_limited(desk, lambda: read_text(asked).to_dict())
    return answer(found)


async def verify_text(desk: AppContext, asked: ApiRequest) -> Response:
    """A run over what a text cites, or the job that it goes on in."""
    policy = await in_thread(lambda: named_policy(desk.settings, asked.word("policy")))
    text, options = await run_limited(desk, lambda: (read_text(asked), read_options(desk, asked)))
    name = asked.word("name") or "API"
    if asked.flag("background"):
        job = await in_thread(lambda: begin(desk, text, name, options))
        assert job.begun
        state = job_state(job.begun.id, job)
        return answer(state, 202, {"location": str(state["url"])})
    run = await checked(desk, text, name, options, asked.request)
    document = run.to_dict()
    if asked.word("policy"):
        decision = await in_thread(
            lambda: apply_policy_to_run(
                policy,
                run,
                text.text,
                sources=options.sources,
                judge=options.specs,
                settings=desk.settings,
                max_cost_usd=options.max_cost_usd,
            )
        )
        document["policy"] = decision.to_dict()
    return answer(document)


async def get_job(desk: AppContext, asked: ApiRequest) -> Response:
    """How far a run has come."""
    return answer(await in_thread(lambda: state_of(desk, asked.path["run_id"])))


async def stop_job(desk: AppContext, asked: ApiRequest) -> Response:
    """Stop a run; what is done stays, and the run can be continued."""
    run_id = asked.path["run_id"]
    job = jobs.find(run_id)
    if job is None:
        state = await in_thread(lambda: state_of(desk, run_id))
        raise ApiError("conflict", f"The run {run_id} is {state['state']}: nothing to stop.", 409)
    job.cancel.set()
    return answer(job_state(run_id, job), 202)


async def job_events(desk: AppContext, asked: ApiRequest) -> Response:
    """The progress of a run as server-sent events, until it has ended."""
    run_id = asked.path["run_id"]
    first = await in_thread(lambda: state_of(desk, run_id))

    async def events() -> AsyncIterator[bytes]:
        last: JsonDict = {}
        quiet = 0.0
        state = first
        while state["state"] == "running":
            if state["progress"] != last:
                last = state["progress"] if isinstance(state["progress"], dict) else {}
                quiet = 0.0
                yield event("progress", state)
            await asyncio.sleep(POLL_S)
            quiet += POLL_S
            if quiet >= KEEPALIVE_S:
                quiet = 0.0
                yield b": the run goes on\n\n"
            job = jobs.find(run_id)
            if job is not None:
                state = job_state(run_id, job)
            else:
                state = await in_thread(lambda: state_of(desk, run_id))
        yield event(str(state["state"]), state)

    return StreamingResponse(
        events(), headers={"cache-control": "no-store"}, media_type="text/event-stream"
    )


def event(name: str, document: JsonDict) -> bytes:
    """One server-sent event."""
    return f"event: {name}\ndata: {json.dumps(document)}\n\n".encode()


def state_of(desk: AppContext, run_id: str) -> JsonDict:
    """A job's state: of a run that goes on here, or of a stored one.

    Raises:
        NotKept: There is no such run.
    """
    job = jobs.find(run_id)
    if job is not None:
        return job_state(run_id, job)
    summary = desk.store.get_summary(run_id)
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


def read_text(asked: ApiRequest) -> Extraction:
    """What the text of a request cites, native citations included.

    Raises:
        UnreadableInput: The `output` is of no known shape.
    """
    from workbench.citations import extract

    native = asked.body.get("output")
    if isinstance(native, dict):
        found = read_output(native)
        return found if isinstance(found, Extraction) else extract(found)
    return extract(str(asked.body["text"]))


def read_options(desk: AppContext, asked: ApiRequest) -> VerifyOptions:
    """What a request wants to have checked, within what the settings allow.

    Raises:
        UsageError: A judge cannot be opened, or there is no such trace.
    """
    settings, judges = desk.settings, asked.words("judge") or [desk.settings.server.judge]
    for spec in judges:
        open_judge(spec)
    trace_id = asked.word("trace_id")
    if trace_id:
        Traces(desk.store).get(trace_id)
    sources = asked.body.get("sources")
    options = VerifyOptions(
        judge=judges,
        sources=given_sources(sources) if isinstance(sources, list) else None,
        offline=asked.flag("offline"),
        max_citations=asked.whole("max_citations", 0) if "max_citations" in asked.body else None,
        panel=check_choice("panel", asked.word("panel") or "majority", PANEL_RULES),
        standalone=asked.flag("standalone"),
        scope=check_choice("scope", asked.word("scope") or "guess", SCOPE_CHOICES),
        snapshots=settings.snapshots,
        reach=settings.reach,
        trace_id=trace_id,
    )
    return asked_permissions(settings, asked.body).applied_to(options)


def asked_permissions(settings: Settings, body: Mapping[str, Json]) -> Permissions:
    """What a call may do, within what the settings allow; it fetches only where it asks for it.

    Raises:
        UsageError: The cap is no amount.
    """
    domains = body.get("allowed_domains")
    return caller_permissions(
        settings,
        allow_fetch=body.get("allow_fetch") is True,
        domains=[one for one in domains if isinstance(one, str)]
        if isinstance(domains, list)
        else (),
        max_cost_usd=body.get("max_cost_usd"),
    )


async def checked(
    desk: AppContext,
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

    async with desk.line:
        job = await in_thread(lambda: jobs.start(desk.store, text, name, options))
        try:
            await (cancel_on_disconnect(request, ended) if request is not None else ended())
        finally:
            job.cancel.set()
    _raise_mistake(job)
    assert job.begun
    run_id = job.begun.id
    return await in_thread(lambda: desk.store.get_run(run_id))


def begin(desk: AppContext, text: Extraction, name: str, options: VerifyOptions) -> Job:
    """A job that goes on by itself, once its run has begun.

    Raises:
        Refusal: Too many runs go on already.
        WorkbenchError: What the run was refused for.
    """
    if len(jobs.running()) >= MOST_JOBS:
        raise ApiError(
            "busy", f"{MOST_JOBS} runs go on already; try again in a while.", 429,
            {"retry-after": "5"},
        )  # fmt: skip
    job = jobs.start(desk.store, text, name, options)
    job.known.wait()
    _raise_mistake(job)
    return job


def _raise_mistake(job: Job) -> None:
    if job.mistake:
        raise job.mistake
    if job.error:
        raise WorkbenchError(job.error)
