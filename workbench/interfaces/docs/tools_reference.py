"""Tools, HTTP operations and their JSON Schemas as tables."""

import json
from collections.abc import Iterator, Mapping, Sequence

from workbench.interfaces.docs.fields_reference import code, table
from workbench.records.text import Json

_DEEPEST = 8


def describe_tools(tools: Sequence[Mapping[str, Json]]) -> str:
    """A heading, a sentence, and tables of what goes in and comes out, for each listed tool."""
    return "\n\n".join(map(_tool, tools))


def _tool(tool: Mapping[str, Json]) -> str:
    hints = json_object(tool.get("annotations"))
    notes = [
        note
        for hint, note in (
            ("readOnlyHint", "changes nothing"),
            ("destructiveHint", "deletes for good"),
            ("openWorldHint", "may access the web if fetching is allowed"),
        )
        if hints.get(hint)
    ]
    arguments, result = (
        describe_schema(inline_references(schema, schema), required=required)
        for schema, required in (
            (json_object(tool.get("inputSchema")), True),
            (json_object(tool.get("outputSchema")), False),
        )
    )
    parts = [
        f"### {tool['name']}",
        str(tool["description"]) + (f" ({'; '.join(notes)})" if notes else ""),
        "Takes:",
        arguments or "nothing.",
        "Gives:",
        result or "an object.",
    ]
    return "\n\n".join(parts)


def describe_schema(schema: Mapping[str, Json], *, required: bool = True) -> str:
    """A table of an object's fields, inner ones with a dot, those of a list's items with `[]`."""
    rows = [
        [code(name), kind, *(["yes" if must else ""] if required else []), description]
        for name, kind, must, description in _fields(schema, "")
    ]
    return table(["field", "type", *(["required"] if required else []), "what it is"], rows)


def resolve_reference(document: Mapping[str, Json], value: Json, depth: int = 0) -> dict[str, Json]:
    """The target of a reference inside the document; anything else unchanged."""
    resolved = json_object(value)
    reference = resolved.get("$ref")
    if not isinstance(reference, str) or depth > _DEEPEST:
        return resolved
    place: Json = dict(document)
    for part in reference.removeprefix("#/").split("/"):
        place = json_object(place).get(part)
    return resolve_reference(document, place, depth + 1)


def inline_references(
    document: Mapping[str, Json], schema: Json, depth: int = 0
) -> dict[str, Json]:
    """A schema with what it refers to in its place."""

    def inlined(value: Json) -> Json:
        if isinstance(value, dict):
            return inline_references(document, value, depth + 1)
        return [inlined(item) for item in value] if isinstance(value, list) else value

    resolved = resolve_reference(document, schema)
    return (
        resolved if depth > _DEEPEST else {name: inlined(value) for name, value in resolved.items()}
    )


def json_object(value: Json) -> dict[str, Json]:
    """The value where it is an object, else an empty one."""
    return value if isinstance(value, dict) else json.loads("{}")


def _fields(schema: Mapping[str, Json], prefix: str) -> Iterator[tuple[str, str, bool, str]]:
    properties, must = schema.get("properties"), schema.get("required")
    for name, field in properties.items() if isinstance(properties, dict) else ():
        if not isinstance(field, dict):
            continue
        full = f"{prefix}{name}"
        needed = isinstance(must, list) and name in must
        yield full, _kind(field), needed, _description(field)
        items = field.get("items")
        yield from _fields(field, f"{full}.")
        if isinstance(items, dict):
            yield from _fields(items, f"{full}[].")


def _kind(schema: Mapping[str, Json]) -> str:
    choices, kind = schema.get("enum"), schema.get("type")
    if isinstance(choices, list):
        return " · ".join(code(json.dumps(choice)) for choice in choices)
    reference = schema.get("$ref")
    if isinstance(reference, str):
        return reference.rsplit("/", 1)[-1]
    for word in ("anyOf", "oneOf"):
        alternatives = schema.get(word)
        if isinstance(alternatives, list):
            return " or ".join(_kind(part) for part in alternatives if isinstance(part, dict))
    items = schema.get("items")
    if kind == "array" and isinstance(items, dict):
        inner = _kind(items)
        return f"array of {inner}" if inner and "enum" not in items else f"array: {inner}"
    if isinstance(kind, list):
        return " or ".join(map(str, kind))
    return str(kind) if kind else "any"


def _description(schema: Mapping[str, Json]) -> str:
    sentences = [str(schema["description"])] if schema.get("description") else []
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and high is not None:
        sentences.append(f"{_number(low)} to {_number(high)}.")
    elif low is not None:
        sentences.append(f"At least {_number(low)}.")
    elif high is not None:
        sentences.append(f"At most {_number(high)}.")
    if "default" in schema:
        sentences.append(f"Default: `{json.dumps(schema['default'])}`.")
    return " ".join(sentences)


def _number(limit: Json) -> str:
    """A limit as it is written; OpenAPI has whole ones as 0.0."""
    is_whole = isinstance(limit, float) and limit.is_integer()
    return str(int(limit) if is_whole and isinstance(limit, float) else limit)


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
