"""The operations of the API, all in one list: routes and document are made from it."""

from workbench.datasets import EXPORT_FORMATS
from workbench.interfaces.http import chat, gateway, openapi, runs_routes, schemas, verify_routes
from workbench.interfaces.http.operations import Operation, ResponseSpec
from workbench.interfaces.http.schemas import ref, text
from workbench.records import JsonDict

_RUN = "The run's id."
_PAGES: dict[str, JsonDict] = {
    "limit": {
        "type": "integer",
        "minimum": 1,
        "maximum": runs_routes.MOST,
        "default": runs_routes.PAGE,
    },
    "offset": {"type": "integer", "minimum": 0, "maximum": 10_000_000, "default": 0},
}
_NEXT: JsonDict = {
    "type": ["integer", "null"], "description": "The next page's offset; null on the last one."
}  # fmt: skip


def _page(name: str, of: str) -> JsonDict:
    return {
        "type": "object",
        "properties": {name: {"type": "array", "items": ref(of)}, "next_offset": _NEXT},
        "required": [name, "next_offset"],
    }


OPERATIONS: tuple[Operation, ...] = (
    Operation(
        method="POST", path="/api/v1/extract", name="extract",
        says="Every citation, reference entry and claim of a text, with exact offsets",
        run=verify_routes.extract_text, takes=schemas.EXTRACT,
        gives={200: ResponseSpec(says="What the text cites.", schema=ref("Extraction"))},
    ),
    Operation(
        method="POST", path="/api/v1/verify", name="verify",
        says="Check every citation against its source; the run is kept",
        run=verify_routes.verify_text, takes=schemas.VERIFY, mistakes=(404, 409),
        gives={
            200: ResponseSpec(says="The run; its `policy` is the decision.", schema=ref("Run")),
            202: ResponseSpec(says="The job, where it runs in the background.", schema=ref("Job")),
        },
    ),
    Operation(
        method="GET", path="/api/v1/verify/{run_id}", name="getJob",
        says="How far a run has come", run=verify_routes.get_job, path_names={"run_id": _RUN},
        gives={200: ResponseSpec(says="Its state.", schema=ref("Job"))}, mistakes=(404,),
    ),
    Operation(
        method="DELETE", path="/api/v1/verify/{run_id}", name="stopJob",
        says="Stop a run; what is done stays", run=verify_routes.stop_job,
        path_names={"run_id": _RUN},
        gives={202: ResponseSpec(says="It stops.", schema=ref("Job"))}, mistakes=(404, 409),
    ),
    Operation(
        method="GET", path="/api/v1/verify/{run_id}/events", name="followJob",
        says="A run's progress as server-sent events: `progress` until `done`, `stopped` or "
        "`failed`, each with the job",
        run=verify_routes.job_events, path_names={"run_id": _RUN}, mistakes=(404,),
        gives={200: ResponseSpec(says="Events.", kind="text/event-stream")},
    ),
    Operation(
        method="GET", path="/api/v1/runs", name="listRuns", says="Runs, newest first",
        run=runs_routes.list_runs, query=_PAGES,
        gives={200: ResponseSpec(says="A page of runs.", schema=_page("runs", "RunLine"))},
    ),
    Operation(
        method="GET", path="/api/v1/runs/{run_id}", name="getRun",
        says="A run with every citation and verdict", run=runs_routes.get_run,
        path_names={"run_id": _RUN}, mistakes=(404,),
        gives={200: ResponseSpec(says="The run.", schema=ref("Run"))},
    ),
    Operation(
        method="GET", path="/api/v1/runs/{run_id}/output", name="getOutput",
        says="The text that a run was about, its reference entries and claims",
        run=runs_routes.get_output, path_names={"run_id": _RUN}, mistakes=(404,),
        gives={200: ResponseSpec(says="The text.", schema={
            "type": "object", "required": ["text", "text_sha256", "references", "claims"],
            "properties": {
                "text": {"type": "string"}, "text_sha256": {"type": "string"},
                "references": {"type": "array", "items": ref("Reference")},
                "claims": {"type": "array", "items": ref("Claim")},
            },
        })},
    ),
    Operation(
        method="GET", path="/api/v1/labels", name="listLabels",
        says="Labels that stand, oldest first", run=runs_routes.list_labels, mistakes=(404,),
        query={**_PAGES, "run_id": text("Of this run."), "citation_id": text("Of this citation."),
               "reviewer": text("Of this reviewer.")},
        gives={200: ResponseSpec(says="A page of labels.", schema=_page("labels", "Label"))},
    ),
    Operation(
        method="POST", path="/api/v1/labels", name="addLabel",
        says="Record what a person decided about a citation; earlier labels stay in the history",
        run=runs_routes.add_label, takes=schemas.LABEL, mistakes=(404,),
        gives={
            201: ResponseSpec(says="The label that was added.", schema=ref("Label")),
            200: ResponseSpec(says="The reviewer's label that says the same.", schema=ref("Label")),
        },
    ),
    Operation(
        method="GET", path="/api/v1/exports", name="listExports", says="The formats of exports",
        run=runs_routes.list_exports,
        gives={200: ResponseSpec(says="The formats.", schema={
            "type": "object", "required": ["exports"],
            "properties": {"exports": {"type": "array", "items": {"type": "object"}}},
        })},
    ),
    Operation(
        method="GET", path="/api/v1/exports/{format}", name="export",
        says="Verdicts and labels as a data set: one of " + ", ".join(EXPORT_FORMATS),
        run=runs_routes.export_file, path_names={"format": "The format."}, mistakes=(404,),
        query=schemas.EXPORT_CHOICE,
        gives={200: ResponseSpec(says="The file.", kind="*/*")},
    ),
    Operation(
        method="GET", path="/api/v1/exports/{format}/plan", name="planExport",
        says="How many rows of each part an export would write; nothing is written",
        run=runs_routes.plan_file, path_names={"format": "The format."}, mistakes=(404,),
        query=schemas.EXPORT_CHOICE,
        gives={200: ResponseSpec(says="Rows by part, what is left out.", schema=schemas.EXPORT_PLAN)},
    ),
    Operation(
        method="POST", path="/api/v1/gateway", name="gateway",
        says="What a citation policy makes of an answer and the documents it was made from",
        run=gateway.decide_text, takes=schemas.GATEWAY, mistakes=(404, 409),
        gives={200: ResponseSpec(says="Action, text and report.", schema=ref("Decision"))},
    ),
    Operation(
        method="POST", path="/v1/chat/completions", name="chatCompletions",
        says="A chat completion of the server behind, verified on its way back",
        run=chat.complete, takes=schemas.CHAT, mistakes=(404, 409, 502, 504, 508),
        gives={200: ResponseSpec(
            streamed=True,
            says="The completion with `citation_report`; `x-workbench-action` has the action.",
            schema={"type": "object", "properties": {"citation_report": {"type": "object"}}},
        )},
    ),
)  # fmt: skip


def describe_api() -> JsonDict:
    """The OpenAPI document of all operations."""
    return openapi.document(OPERATIONS)
