"""The paths of an OpenAPI document."""

from collections.abc import Iterator, Mapping

from workbench.interfaces.docs.tables import code, table
from workbench.interfaces.docs.tools_reference import (
    describe_schema,
    inline_references,
    json_object,
    resolve_reference,
)
from workbench.records.text import Json

_METHODS = ("get", "post", "put", "patch", "delete")


def describe_http(openapi: Mapping[str, Json]) -> str:
    """A heading for each path and method: its sentence, parameters, body and answers."""
    return "\n\n".join(_operations(openapi))


def _operations(openapi: Mapping[str, Json]) -> Iterator[str]:
    for path, methods in json_object(openapi.get("paths")).items():
        for method in _METHODS:
            if method in json_object(methods):
                operation = json_object(json_object(methods)[method])
                yield _operation(openapi, f"{method.upper()} {path}", operation)


def _operation(openapi: Mapping[str, Json], name: str, operation: Mapping[str, Json]) -> str:
    parts = [f"### {name}"]
    parts += [str(operation[key]) for key in ("summary", "description") if operation.get(key)]
    parameters = operation.get("parameters")
    rows = []
    for parameter in parameters if isinstance(parameters, list) else []:
        resolved = resolve_reference(openapi, parameter)
        schema = describe_schema({"properties": {"x": resolved.get("schema")}}, required=False)
        kind = schema.splitlines()[-1].split(" | ")[1] if schema else ""
        description = str(resolved.get("description") or "")
        rows.append([code(str(resolved.get("name"))), str(resolved.get("in")), kind, description])
    if rows:
        parts.append(table(["parameter", "in", "type", "what it is"], rows))
    body = resolve_reference(openapi, operation.get("requestBody"))
    for kind, content in json_object(body.get("content")).items():
        fields = describe_schema(inline_references(openapi, json_object(content).get("schema")))
        parts.append(f"Body ({code(kind)}):" + (f"\n\n{fields}" if fields else ""))
    answers = [
        [code(status), str(resolve_reference(openapi, response).get("description") or "")]
        for status, response in json_object(operation.get("responses")).items()
    ]
    if answers:
        parts.append(table(["status", "answer"], answers))
    return "\n\n".join(parts)
