"""The paths of an OpenAPI document."""

import json
from collections.abc import Iterator, Mapping

from workbench.interfaces.docs.tables import code, table
from workbench.interfaces.docs.tools_reference import describe_schema
from workbench.records import Json

_METHODS = ("get", "post", "put", "patch", "delete")
_DEEPEST = 8


def describe_http(openapi: Mapping[str, Json]) -> str:
    """A heading for each path and method: its sentence, parameters, body and answers."""
    return "\n\n".join(_operations(openapi))


def _operations(openapi: Mapping[str, Json]) -> Iterator[str]:
    for path, methods in _object(openapi.get("paths")).items():
        for method in _METHODS:
            if method in _object(methods):
                operation = _object(_object(methods)[method])
                yield _operation(openapi, f"{method.upper()} {path}", operation)


def _operation(openapi: Mapping[str, Json], name: str, operation: Mapping[str, Json]) -> str:
    parts = [f"### {name}"]
    parts += [str(operation[key]) for key in ("summary", "description") if operation.get(key)]
    parameters = operation.get("parameters")
    rows = []
    for parameter in parameters if isinstance(parameters, list) else []:
        resolved = _resolve_reference(openapi, parameter)
        schema = describe_schema({"properties": {"x": resolved.get("schema")}}, required=False)
        kind = schema.splitlines()[-1].split(" | ")[1] if schema else ""
        description = str(resolved.get("description") or "")
        rows.append([code(str(resolved.get("name"))), str(resolved.get("in")), kind, description])
    if rows:
        parts.append(table(["parameter", "in", "type", "what it is"], rows))
    body = _resolve_reference(openapi, operation.get("requestBody"))
    for kind, content in _object(body.get("content")).items():
        fields = describe_schema(_inline_references(openapi, _object(content).get("schema")))
        parts.append(f"Body ({code(kind)}):" + (f"\n\n{fields}" if fields else ""))
    answers = [
        [code(status), str(_resolve_reference(openapi, response).get("description") or "")]
        for status, response in _object(operation.get("responses")).items()
    ]
    if answers:
        parts.append(table(["status", "answer"], answers))
    return "\n\n".join(parts)


def _resolve_reference(openapi: Mapping[str, Json], value: Json, depth: int = 0) -> dict[str, Json]:
    """The target of a reference inside the document; anything else unchanged."""
    resolved = _object(value)
    reference = resolved.get("$ref")
    if not isinstance(reference, str) or depth > _DEEPEST:
        return resolved
    place: Json = dict(openapi)
    for part in reference.removeprefix("#/").split("/"):
        place = _object(place).get(part)
    return _resolve_reference(openapi, place, depth + 1)


def _inline_references(
    openapi: Mapping[str, Json], schema: Json, depth: int = 0
) -> dict[str, Json]:
    """A schema with what it refers to in its place."""

    def inlined(value: Json) -> Json:
        if isinstance(value, dict):
            return _inline_references(openapi, value, depth + 1)
        return [inlined(item) for item in value] if isinstance(value, list) else value

    resolved = _resolve_reference(openapi, schema)
    return (
        resolved if depth > _DEEPEST else {name: inlined(value) for name, value in resolved.items()}
    )


def _object(value: Json) -> dict[str, Json]:
    return value if isinstance(value, dict) else json.loads("{}")
