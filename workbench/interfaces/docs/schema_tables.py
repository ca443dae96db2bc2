"""A JSON Schema as a table of its fields."""

import json
from collections.abc import Iterator, Mapping

from workbench.interfaces.docs.tables import code, table
from workbench.records import Json

_DEEPEST = 8


def describe_schema(schema: Mapping[str, Json], *, required: bool = True) -> str:
    """A table of an object's fields, inner ones with a dot, those of a list's items with `[]`."""
    rows = [
        [code(name), kind, *(["yes" if must else ""] if required else []), says]
        for name, kind, must, says in _fields(schema, "")
    ]
    return table(["field", "type", *(["required"] if required else []), "what it is"], rows)


def resolved(document: Mapping[str, Json], schema: Json, depth: int = 0) -> dict[str, Json]:
    """What a reference inside the document stands for; what is no reference as it is."""
    named = json_object(schema)
    reference = named.get("$ref")
    if not isinstance(reference, str) or depth > _DEEPEST:
        return named
    place: Json = dict(document)
    for part in reference.removeprefix("#/").split("/"):
        place = json_object(place).get(part)
    return resolved(document, place, depth + 1)


def inlined(document: Mapping[str, Json], schema: Json, depth: int = 0) -> dict[str, Json]:
    """A schema with what it refers to in its place."""

    def inline(value: Json) -> Json:
        if isinstance(value, dict):
            return inlined(document, value, depth + 1)
        return [inline(item) for item in value] if isinstance(value, list) else value

    whole = resolved(document, schema)
    return whole if depth > _DEEPEST else {name: inline(value) for name, value in whole.items()}


def json_object(value: Json) -> dict[str, Json]:
    """The value where it is an object, else an empty one."""
    return value if isinstance(value, dict) else json.loads("{}")


def _fields(schema: Mapping[str, Json], before: str) -> Iterator[tuple[str, str, bool, str]]:
    properties, must = schema.get("properties"), schema.get("required")
    for name, one in properties.items() if isinstance(properties, dict) else ():
        if not isinstance(one, dict):
            continue
        full = f"{before}{name}"
        needed = isinstance(must, list) and name in must
        yield full, _kind(one), needed, _says(one)
        items = one.get("items")
        yield from _fields(one, f"{full}.")
        if isinstance(items, dict):
            yield from _fields(items, f"{full}[].")


def _kind(one: Mapping[str, Json]) -> str:
    choices, kind = one.get("enum"), one.get("type")
    if isinstance(choices, list):
        return " · ".join(code(json.dumps(choice)) for choice in choices)
    reference = one.get("$ref")
    if isinstance(reference, str):
        return reference.rsplit("/", 1)[-1]
    for word in ("anyOf", "oneOf"):
        listed = one.get(word)
        if isinstance(listed, list):
            return " or ".join(_kind(part) for part in listed if isinstance(part, dict))
    items = one.get("items")
    if kind == "array" and isinstance(items, dict):
        inner = _kind(items)
        return f"array of {inner}" if inner and "enum" not in items else f"array: {inner}"
    if isinstance(kind, list):
        return " or ".join(map(str, kind))
    return str(kind) if kind else "any"


def _says(one: Mapping[str, Json]) -> str:
    said = [str(one["description"])] if one.get("description") else []
    low, high = one.get("minimum"), one.get("maximum")
    if low is not None and high is not None:
        said.append(f"{_number(low)} to {_number(high)}.")
    elif low is not None:
        said.append(f"At least {_number(low)}.")
    elif high is not None:
        said.append(f"At most {_number(high)}.")
    if "default" in one:
        said.append(f"Default: `{json.dumps(one['default'])}`.")
    return " ".join(said)


def _number(limit: Json) -> str:
    """A limit as it is written; OpenAPI has whole ones as 0.0."""
    whole = isinstance(limit, float) and limit.is_integer()
    return str(int(limit) if whole and isinstance(limit, float) else limit)
