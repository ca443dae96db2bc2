"""The methods of `Tools` as tools of the SDK, with arguments that are checked strictly."""

from collections.abc import Callable
from typing import Any

from mcp.server.mcpserver.tools import Tool
from mcp_types import ToolAnnotations
from pydantic import ValidationError, create_model
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from workbench.interfaces.mcp.tools import Tools


def register_tools(tools: Tools) -> list[Tool]:
    """The tools in the order in which they are listed."""
    return [
        _tool(tools.verify_citations, "Verify citations", web=True),
        _tool(tools.extract_citations, "Extract citations", reads=True, repeatable=True),
        _tool(tools.verify_claims, "Verify claims against sources", reads=True),
        _tool(
            tools.check_envelope, "Check a claims envelope", reads=True, repeatable=True, web=True
        ),
        _tool(tools.get_run, "Get a run", reads=True, repeatable=True),
        _tool(tools.list_runs, "List runs", reads=True, repeatable=True),
        _tool(tools.submit_label, "Submit a human label", repeatable=True),
        _tool(tools.log_trace, "Log a trace"),
        _tool(tools.get_traces, "Get traces", reads=True, repeatable=True),
        _tool(tools.delete_trace, "Delete a trace", deletes=True, repeatable=True),
    ]


def _tool(
    method: Callable[..., Any],
    title: str,
    *,
    reads: bool = False,
    deletes: bool = False,
    repeatable: bool = False,
    web: bool = False,
) -> Tool:
    hints = ToolAnnotations(
        title=title,
        read_only_hint=reads,
        destructive_hint=deletes,
        idempotent_hint=repeatable,
        open_world_hint=web,
    )
    description = " ".join((method.__doc__ or "").split())
    tool = Tool.from_function(method, title=title, description=description, annotations=hints)
    arguments = create_model(
        tool.name,
        __base__=tool.fn_metadata.arg_model,
        __cls_kwargs__={"extra": "forbid", "strict": True},
    )
    tool.fn_metadata.arg_model = arguments
    tool.parameters = arguments.model_json_schema(schema_generator=_ArgumentSchema)
    return tool


class _ArgumentSchema(GenerateJsonSchema):
    """Without titles; what is not required is left out, so that null need not be named."""

    def field_title_should_be_set(self, schema: object) -> bool:
        return False

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        empty = schema.get("default", ...) in (None, "")
        return self.generate_inner(schema["schema"]) if empty else super().default_schema(schema)


def describe_mistake(error: ValidationError) -> str:
    """The first wrong argument, and what is wrong with it."""
    first = error.errors(include_url=False)[0]
    argument, kind, value = ".".join(map(str, first["loc"])), first["type"], first["input"]
    if kind == "missing":
        return f"{argument}: this argument is required."
    if kind == "extra_forbidden":
        return f"{argument}: there is no such argument."
    shown = f", not {repr(value)[:100]}" if isinstance(value, str | int | float) else ""
    return f"{argument}: {first['msg']}{shown}."
