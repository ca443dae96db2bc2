"""The methods of `Tools` as tools of the SDK, with arguments that are checked strictly."""

from collections.abc import Callable
from typing import Any, Literal

from mcp.server.mcpserver.tools import Tool
from mcp.server.mcpserver.utilities.func_metadata import FuncMetadata
from mcp_types import ToolAnnotations
from pydantic import ValidationError, create_model
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from workbench.interfaces.mcp.tools import Tools

_Hint = Literal["read_only", "destructive", "idempotent", "open_world"]


def register_tools(tools: Tools) -> list[Tool]:
    """The tools in the order in which they are listed, each with the hints that hold for it."""
    return [
        _tool(tools.verify_citations, "Verify citations", "open_world"),
        _tool(tools.check_references, "Check references", "read_only", "idempotent", "open_world"),
        _tool(tools.extract_citations, "Extract citations", "read_only", "idempotent"),
        _tool(tools.verify_claims, "Verify claims against sources", "read_only", "open_world"),
        _tool(tools.fact_check, "Check one statement", "read_only", "open_world"),
        _tool(tools.extract_claims, "Extract claims", "read_only", "idempotent"),
        _tool(
            tools.check_envelope, "Check a claims envelope", "read_only", "idempotent", "open_world"
        ),
        _tool(tools.get_run, "Get a run", "read_only", "idempotent"),
        _tool(tools.list_runs, "List runs", "read_only", "idempotent"),
        _tool(tools.submit_label, "Submit a human label", "idempotent"),
        _tool(tools.rename_run, "Rename a run", "idempotent"),
        _tool(tools.export_handoff, "Questions of a run for a chat", "read_only", "idempotent"),
        _tool(tools.import_handoff, "Take a chat's answers back"),
        _tool(tools.add_comment, "Comment on a citation"),
        _tool(tools.get_comments, "Get comments", "read_only", "idempotent"),
        _tool(tools.log_trace, "Log a trace"),
        _tool(tools.get_traces, "Get traces", "read_only", "idempotent"),
        _tool(tools.delete_trace, "Delete a trace", "destructive", "idempotent"),
    ]


def _tool(method: Callable[..., Any], title: str, *hints: _Hint) -> Tool:
    tool = Tool.from_function(
        method,
        title=title,
        description=" ".join((method.__doc__ or "").split()),
        annotations=ToolAnnotations(
            title=title,
            read_only_hint="read_only" in hints,
            destructive_hint="destructive" in hints,
            idempotent_hint="idempotent" in hints,
            open_world_hint="open_world" in hints,
        ),
    )
    derived = tool.fn_metadata
    arguments = create_model(
        tool.name, __base__=derived.arg_model, __cls_kwargs__={"extra": "forbid", "strict": True}
    )
    tool.parameters = arguments.model_json_schema(schema_generator=_ArgumentSchema)
    tool.fn_metadata = _ArgumentsAsSent(
        arg_model=arguments, output_model=derived.output_model, output_schema=derived.output_schema
    )
    return tool


class _ArgumentsAsSent(FuncMetadata):
    """The SDK would read a text that looks like JSON as JSON; here nothing is repaired."""

    def pre_parse_json(self, data: dict[str, Any]) -> dict[str, Any]:
        return data


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
