"""Tools and their JSON Schemas as tables."""

from collections.abc import Mapping, Sequence

from workbench.interfaces.docs.schema_tables import describe_schema, inlined, json_object
from workbench.records import Json


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
            ("openWorldHint", "may reach the web where fetching is allowed"),
        )
        if hints.get(hint)
    ]
    arguments, result = (
        describe_schema(inlined(json_object(tool.get(name)), tool.get(name)), required=required)
        for name, required in (("inputSchema", True), ("outputSchema", False))
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
