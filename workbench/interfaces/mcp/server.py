"""The MCP server: the tools over standard input and output, or over HTTP on this machine."""

import asyncio
import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import anyio
from anyio.streams.memory import MemoryObjectSendStream
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError
from mcp.server.mcpserver.tools import Tool
from mcp.server.mcpserver.utilities.func_metadata import FuncMetadata
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.message import SessionMessage
from mcp_types import (
    CallToolResult,
    InputRequiredResult,
    ToolAnnotations,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError, create_model
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema
from starlette.applications import Starlette

import workbench
from workbench.errors import SourceError, UsageError, storage_error
from workbench.interfaces.http.security import (
    RateLimiter,
    SecurityMiddleware,
    SecurityRules,
    check_address,
)
from workbench.interfaces.mcp.tools import Tools
from workbench.records.text import JsonDict, replace_surrogates
from workbench.services.database import open_database
from workbench.settings import Settings

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
        _tool(tools.correct_sentence, "Correct the kind of a sentence", "idempotent"),
        _tool(tools.check_uncited, "Check sentences without a citation", "open_world"),
        _tool(tools.rename_run, "Rename a run", "idempotent"),
        _tool(tools.source_matrix, "Statements and sources of a run", "idempotent", "open_world"),
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


_LOG = logging.getLogger(__name__)
CALLS_A_MINUTE = 20
INSTRUCTIONS = (
    "Checks whether the citations of a text hold: which sources it names, whether they exist, and "
    "whether they say what is claimed. Call verify_citations on a finished answer; pass the texts "
    "you already have as `sources`. A verdict of unverifiable is not a verdict against the claim."
)


class WorkbenchServer(MCPServer[Any]):
    """The SDK's server with a limit of calls, and with our sentences for what goes wrong."""

    def __init__(self, tools: list[Tool], calls_a_minute: int | None = None) -> None:
        handlers = logging.root.handlers[:]
        super().__init__(
            "citation-workbench",
            version=workbench.__version__,
            title="Citation workbench",
            instructions=INSTRUCTIONS,
            tools=tools,
            log_level="WARNING",
            subscriptions=False,
        )
        # the SDK gives the whole process a log handler, whose tracebacks are not masked
        logging.root.handlers[:] = handlers
        self._tool_names = [tool.name for tool in tools]
        self._calls_a_minute = calls_a_minute
        self._rate_limiter = RateLimiter(calls_a_minute)

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """The tool's answer.

        Raises:
            ToolError: With the sentence that the client reads.
        """
        if name not in self._tool_names:
            names = ", ".join(self._tool_names)
            raise ToolError(f"There is no tool {name[:80]!r}; the tools are {names}.")
        wait = self._rate_limiter.wait_s()
        if wait:
            raise ToolError(
                f"This server accepts {self._calls_a_minute} calls a minute; try again in "
                f"{wait:.0f} s."
            )
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            raise ToolError(_sentence(name, error)) from None

    async def run_stdio_async(self) -> None:
        """Serve over standard input and output; a message with half a character is read, too."""
        async with stdio_server() as (messages, answers), anyio.create_task_group() as tasks:
            writer, reader = anyio.create_memory_object_stream[SessionMessage | Exception]()

            async def repair(repaired: MemoryObjectSendStream[SessionMessage | Exception]) -> None:
                async with messages, repaired:
                    async for message in messages:
                        await repaired.send(_repaired(message))

            tasks.start_soon(repair, writer)
            lowlevel = self._lowlevel_server
            await lowlevel.run(reader, answers, lowlevel.create_initialization_options())


def _repaired(message: SessionMessage | Exception) -> SessionMessage | Exception:
    """The message of a line that the SDK refused for a lone surrogate, which it does not answer."""
    if not isinstance(message, ValidationError) or message.errors()[0]["type"] != "json_invalid":
        return message
    try:
        line = json.dumps(json.loads(message.errors()[0]["input"]), ensure_ascii=False)
        return SessionMessage(
            jsonrpc_message_adapter.validate_json(replace_surrogates(line), by_name=False)
        )
    except (ValueError, RecursionError):
        return message


def _sentence(tool: str, error: ToolError) -> str:
    """What the client reads of an error, which the SDK has wrapped."""
    cause = error.__cause__ or error
    if isinstance(cause, ValidationError) and not isinstance(error, UnexpectedToolError):
        return f"{tool}: {describe_mistake(cause)}"
    refusal = cause if isinstance(cause, UsageError | SourceError) else storage_error(cause)
    if refusal is not None:
        return str(refusal)
    _LOG.error("A tool broke off", exc_info=cause)
    return (
        "The workbench could not finish this call because of an internal error. Finished verdicts "
        "are stored."
    )


def build_server(
    settings: Settings,
    db: Path | None = None,
    calls_a_minute: int | None = None,
    *,
    one_caller: bool = False,
) -> WorkbenchServer:
    """The server with its tools; it opens the database for each call and holds nothing.

    Args:
        settings: What may be fetched and spent.
        db: The database; that of the settings where None.
        calls_a_minute: At most so many; None for any number.
        one_caller: Whether the process belongs to its caller (standard input and output), whose
            wish to fetch is then enough; otherwise calls only narrow what the settings allow.
    """
    database = open_database(db or settings.database)
    tools = Tools(settings=settings, database=database, one_caller=one_caller)
    return WorkbenchServer(register_tools(tools), calls_a_minute)


def list_tools() -> list[JsonDict]:
    """The tools as agents see them: name, title, description, schemas and annotations."""
    server = build_server(Settings(data_dir=Path()))
    tools = asyncio.run(server.list_tools())
    return [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools]


def serve(
    settings: Settings,
    *,
    transport: str = "stdio",
    db: Path | None = None,
    host: str = "127.0.0.1",
    port: int = 8765,
    token: str | None = None,
    calls_a_minute: int | None = CALLS_A_MINUTE,
) -> None:
    """Serve until the client leaves (stdio) or the process is stopped (http).

    Raises:
        UsageError: The host is no loopback address.
    """
    if transport == "stdio":
        build_server(settings, db, one_caller=True).run("stdio")
        return
    check_address(host)
    import uvicorn

    app = SecurityMiddleware(
        http_app(build_server(settings, db, calls_a_minute)), SecurityRules(token=token)
    )
    uvicorn.run(app, host=host, port=port, log_level="warning", access_log=False)


def http_app(server: WorkbenchServer) -> Starlette:
    """The ASGI application at `/mcp`, to be served behind `SecurityMiddleware`.

    That checks `Host` and `Origin`; the SDK would check them a second time, by another rule. Its
    lifespan has to run around it.
    """
    unchecked = TransportSecuritySettings(enable_dns_rebinding_protection=False)
    return server.streamable_http_app(transport_security=unchecked)
