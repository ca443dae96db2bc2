"""The paths of an OpenAPI document."""

import json
from collections.abc import Iterator, Mapping

from workbench.interfaces.docs.describe_tools import describe_schema
from workbench.interfaces.docs.tables import code, table
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
                one = _object(_object(methods)[method])
                yield _operation(openapi, f"{method.upper()} {path}", one)


def _operation(openapi: Mapping[str, Json], name: str, one: Mapping[str, Json]) -> str:
    parts = [f"### {name}"]
    parts += [str(one[key]) for key in ("summary", "description") if one.get(key)]
    parameters = one.get("parameters")
    rows = []
    for given in parameters if isinstance(parameters, list) else []:
        found = _resolved(openapi, given)
        schema = describe_schema({"properties": {"x": found.get("schema")}}, required=False)
        kind = schema.splitlines()[-1].split(" | ")[1] if schema else ""
        said = str(found.get("description") or "")
        rows.append([code(str(found.get("name"))), str(found.get("in")), kind, said])
    if rows:
        parts.append(table(["parameter", "in", "type", "what it is"], rows))
    body = _resolved(openapi, one.get("requestBody"))
    for kind, content in _object(body.get("content")).items():
        fields = describe_schema(_inlined(openapi, _object(content).get("schema")))
        parts.append(f"Body ({code(kind)}):" + (f"\n\n{fields}" if fields else ""))
    answers = [
        [code(status), str(_resolved(openapi, said).get("description") or "")]
        for status, said in _object(one.get("responses")).items()
    ]
    if answers:
        parts.append(table(["status", "answer"], answers))
    return "\n\n".join(parts)


def _resolved(openapi: Mapping[str, Json], given: Json, depth: int = 0) -> dict[str, Json]:
    """What a reference inside the document stands for; what is no reference as it is."""
    found = _object(given)
    reference = found.get("$ref")
    if not isinstance(reference, str) or depth > _DEEPEST:
        return found
    place: Json = dict(openapi)
    for part in reference.removeprefix("#/").split("/"):
        place = _object(place).get(part)
    return _resolved(openapi, place, depth + 1)


def _inlined(openapi: Mapping[str, Json], given: Json, depth: int = 0) -> dict[str, Json]:
    """A schema with what it refers to in its place."""

    def whole(value: Json) -> Json:
        if isinstance(value, dict):
            return _inlined(openapi, value, depth + 1)
        return [whole(one) for one in value] if isinstance(value, list) else value

    found = _resolved(openapi, given)
    return found if depth > _DEEPEST else {name: whole(value) for name, value in found.items()}


def _object(given: Json) -> dict[str, Json]:
    return given if isinstance(given, dict) else json.loads("{}")
