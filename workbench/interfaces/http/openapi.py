"""The OpenAPI document, written from the operations and the records."""

from collections.abc import Mapping, Sequence
from functools import cache

import workbench
from workbench.interfaces.http import schemas
from workbench.interfaces.http.operations import Operation
from workbench.records import Json, JsonDict

PATH = "/openapi.json"
_ALWAYS = {401: "The token is missing or wrong.", 403: "`Host` or `Origin` is not allowed.",
           413: "The request is too large.", 429: "Too many calls in this minute."}  # fmt: skip
_BODY = {400: "The body is no JSON.", 408: "The body did not come in time.",
         415: "The body is not sent as application/json.",
         422: "The body or a parameter is not of the form that is taken."}  # fmt: skip
_REST = {404: "There is no such thing.", 409: "It is not in the state for that.",
         422: "A parameter is not of the form that is taken.",
         502: "The server behind gave no answer.", 503: "The database cannot be used.",
         504: "The server behind took too long.",
         508: "The call would come back here."}  # fmt: skip


def document(operations: Sequence[Operation]) -> JsonDict:
    """The OpenAPI 3.1 document of the operations."""
    paths: dict[str, dict[str, Json]] = {}
    for one in operations:
        paths.setdefault(one.path, {})[one.method.lower()] = _operation(one)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Citation workbench",
            "version": workbench.__version__,
            "description": "Checks whether an AI's citations hold. The server listens on its own "
            "machine only and answers no page of another site. Offsets are half-open and count "
            "Unicode code points of the text as given. Errors are "
            '`{"error": {"kind", "message", "type", "code"}}`.',
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "security": [{}, {"token": []}, {"header": []}],
        "paths": dict[str, Json](paths),
        "components": {
            "schemas": _schemas(),
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer",
                          "description": "Where the server was started with a token."},
                "header": {"type": "apiKey", "in": "header", "name": "X-Workbench-Token",
                           "description": "The same, where Authorization is for another server."},
            },
        },
    }  # fmt: skip


def _operation(one: Operation) -> JsonDict:
    answers: dict[str, Json] = {}
    for status, gives in one.gives.items():
        content: dict[str, Json] = {gives.kind: {"schema": gives.schema or {}}}
        if gives.streamed:
            content["text/event-stream"] = {}
        answers[str(status)] = {"description": gives.says, "content": content}
    mistakes = {**_ALWAYS, **(_BODY if one.takes else {})}
    if one.query:
        mistakes[422] = _REST[422]
    mistakes |= {status: _REST[status] for status in (*one.mistakes, 503)}
    told: Json = {"application/json": {"schema": schemas.ref("Error")}}
    for status, says in sorted(mistakes.items()):
        answers[str(status)] = {"description": says, "content": told}
    answers["default"] = {"description": "An error of the workbench's own.", "content": told}
    found: JsonDict = {
        "operationId": one.name,
        "summary": one.says,
        "tags": [one.path.split("/")[3] if one.path.startswith("/api/") else "pass-through"],
        "responses": answers,
    }
    parameters = _parameters(one)
    if parameters:
        found["parameters"] = parameters
    if one.takes:
        content = {"application/json": {"schema": one.takes}}
        found["requestBody"] = {"required": True, "content": content}
    return found


def _parameters(one: Operation) -> list[Json]:
    named: list[Json] = [
        {"name": name, "in": "path", "required": True, "description": says,
         "schema": {"type": "string", "minLength": 1}}
        for name, says in one.path_names.items()
    ]  # fmt: skip
    asked: list[Json] = [
        {"name": name, "in": "query", "required": False, "schema": schema,
         "description": str(schema.get("description", ""))}
        for name, schema in one.query.items()
    ]  # fmt: skip
    return named + asked


@cache
def _schemas() -> Mapping[str, Json]:
    found: dict[str, Json] = {
        record.__name__: schemas.record_schema(record) for record in schemas.RECORDS
    }
    found |= {
        "Job": schemas.JOB,
        "RunLine": schemas.RUN_LINE,
        "Decision": schemas.DECISION,
        "Error": schemas.ERROR,
    }
    return found
