"""The paths of an OpenAPI document."""

from collections.abc import Iterator, Mapping

from workbench.interfaces.docs.schema_tables import (
    describe_schema,
    inlined,
    json_object,
    resolved,
)
from workbench.interfaces.docs.tables import code, table
from workbench.records import Json

_METHODS = ("get", "post", "put", "patch", "delete")


def describe_http(openapi: Mapping[str, Json]) -> str:
    """A heading for each path and method: its sentence, parameters, body and answers."""
    return "\n\n".join(_operations(openapi))


def _operations(openapi: Mapping[str, Json]) -> Iterator[str]:
    for path, methods in json_object(openapi.get("paths")).items():
        for method in _METHODS:
            if method in json_object(methods):
                one = json_object(json_object(methods)[method])
                yield _operation(openapi, f"{method.upper()} {path}", one)


def _operation(openapi: Mapping[str, Json], name: str, one: Mapping[str, Json]) -> str:
    parts = [f"### {name}"]
    parts += [str(one[key]) for key in ("summary", "description") if one.get(key)]
    parameters = one.get("parameters")
    rows = []
    for given in parameters if isinstance(parameters, list) else []:
        found = resolved(openapi, given)
        schema = describe_schema({"properties": {"x": found.get("schema")}}, required=False)
        kind = schema.splitlines()[-1].split(" | ")[1] if schema else ""
        said = str(found.get("description") or "")
        rows.append([code(str(found.get("name"))), str(found.get("in")), kind, said])
    if rows:
        parts.append(table(["parameter", "in", "type", "what it is"], rows))
    body = resolved(openapi, one.get("requestBody"))
    for kind, content in json_object(body.get("content")).items():
        fields = describe_schema(inlined(openapi, json_object(content).get("schema")))
        parts.append(f"Body ({code(kind)}):" + (f"\n\n{fields}" if fields else ""))
    answers = [
        [code(status), str(resolved(openapi, said).get("description") or "")]
        for status, said in json_object(one.get("responses")).items()
    ]
    if answers:
        parts.append(table(["status", "answer"], answers))
    return "\n\n".join(parts)
