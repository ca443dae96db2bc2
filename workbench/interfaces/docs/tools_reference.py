"""Tools and their JSON Schemas as tables."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from workbench.interfaces.docs.tables import code, table
from workbench.records import Json, JsonDict


class Tool(Protocol):
    """What is known of a tool."""

    @property
    def name(self) -> str:
        """What it is called by."""

    @property
    def says(self) -> str:
        """What it does."""

    @property
    def takes(self) -> JsonDict:
        """The schema of its arguments."""

    @property
    def gives(self) -> JsonDict:
        """The schema of its result."""

    @property
    def reads_only(self) -> bool:
        """Whether it changes nothing."""

    @property
    def destroys(self) -> bool:
        """Whether it takes something away for good."""

    @property
    def open_world(self) -> bool:
        """Whether it may reach the web."""


def describe_tools(tools: Sequence[Tool]) -> str:
    """A heading, a sentence, and tables of what goes in and comes out, for each tool."""
    return "\n\n".join(_tool(tool) for tool in tools)


def _tool(tool: Tool) -> str:
    marks = [
        note
        for holds, note in (
            (tool.reads_only, "changes nothing"),
            (tool.destroys, "deletes for good"),
            (tool.open_world, "may reach the web where fetching is allowed"),
        )
        if holds
    ]
    parts = [f"### {tool.name}", tool.says + (f" ({'; '.join(marks)})" if marks else "")]
    parts += ["Takes:", describe_schema(tool.takes) or "nothing."]
    parts += ["Gives:", describe_schema(tool.gives, required=False) or "an object."]
    return "\n\n".join(parts)


def describe_schema(schema: Mapping[str, Json], *, required: bool = True) -> str:
    """A table of an object's fields, inner ones with a dot, those of a list's items with `[]`."""
    rows = [
        [code(name), kind, *(["yes" if must else ""] if required else []), description]
        for name, kind, must, description in _fields(schema, "")
    ]
    return table(["field", "type", *(["required"] if required else []), "what it is"], rows)


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
