"""The MCP server: the tools over standard input and output, or over HTTP on this machine."""

import json
import logging
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import workbench
from workbench.errors import SourceError, UsageError, storage_error
from workbench.interfaces.http.security import (
    LOOPBACK_HOSTNAMES,
    RateLimiter,
    SecurityMiddleware,
    SecurityRules,
    check_address,
)
from workbench.interfaces.mcp.tools import TOOLS, Arguments, ToolContext, ToolSpec, database
from workbench.records import JsonDict
from workbench.services.verification import Progress
from workbench.settings import Settings

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext
    from mcp.server.lowlevel import Server
    from mcp_types import CallToolResult
    from starlette.applications import Starlette

_LOG = logging.getLogger(__name__)
CALLS_A_MINUTE = 20
INSTRUCTIONS = (
    "Checks whether the citations of a text hold: which sources it names, whether they exist, and "
    "whether they say what is claimed. Call verify_citations on a finished answer; pass the texts "
    "you already have as `sources`. A verdict of unverifiable is not a verdict against the claim."
)


def build_server(
    settings: Settings,
    db: Path | None = None,
    calls_a_minute: int | None = None,
    *,
    one_caller: bool = False,
) -> "Server[Any]":
    """The server with its tools; it opens the database for each call and holds nothing.

    Args:
        settings: What may be fetched and spent.
        db: The database; that of the settings where None.
        calls_a_minute: At most so many; None for any number.
        one_caller: Whether the process belongs to its caller (standard input and output), whose
            wish to fetch is then enough; otherwise calls only narrow what the settings allow.
    """
    import mcp_types as types
    from mcp.server.lowlevel import Server

    store = database(settings, db)
    meter = RateLimiter(calls_a_minute)
    known = {tool.name: tool for tool in TOOLS}

    async def list_tools(
        context: "ServerRequestContext[Any]", asked: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_listed(tool) for tool in TOOLS])

    async def call_tool(
        context: "ServerRequestContext[Any]", asked: types.CallToolRequestParams
    ) -> types.CallToolResult:
        tool = known.get(asked.name)
        if tool is None:
            names = ", ".join(known)
            return _failed(f"There is no tool {asked.name[:80]!r}; the tools are {names}.")
        wait = meter.wait_s()
        if wait:
            return _failed(
                f"This server takes {calls_a_minute} calls a minute; try again in {wait:.0f} s."
            )
        given: Arguments = asked.arguments or {}
        wrong = _mismatch(tool, given)
        if wrong:
            return _failed(wrong)
        return await _answer(
            tool, ToolContext(settings=settings, store=store, one_caller=one_caller), given, context
        )

    return Server(
        "citation-workbench",
        version=workbench.__version__,
        title="Citation workbench",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


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
    import anyio

    if transport == "stdio":
        anyio.run(_over_stdio, build_server(settings, db, one_caller=True))
        return
    check_address(host)
    import uvicorn

    app = SecurityMiddleware(
        http_app(build_server(settings, db, calls_a_minute)), SecurityRules(token=token)
    )
    uvicorn.run(app, host=host, port=port, log_level="warning", access_log=False)


def http_app(
    server: "Server[Any]", hosts: Sequence[str] = (), origins: Sequence[str] = ()
) -> "Starlette":
    """The ASGI application at `/mcp`, for names of this machine and those given besides.

    Its lifespan has to run around it.
    """
    from mcp.server.transport_security import TransportSecuritySettings

    names = [way for name in (*LOOPBACK_HOSTNAMES, *hosts) for way in (name, f"{name}:*")]
    own = [f"{scheme}://{host}" for host in names for scheme in ("http", "https")]
    security = TransportSecuritySettings(
        enable_dns_rebinding_protection=True, allowed_hosts=names, allowed_origins=[*own, *origins]
    )
    return server.streamable_http_app(transport_security=security)


async def _over_stdio(server: "Server[Any]") -> None:
    from mcp.server.stdio import stdio_server

    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


async def _answer(
    tool: ToolSpec, call: ToolContext, given: Arguments, context: "ServerRequestContext[Any]"
) -> "CallToolResult":
    """The tool's answer; its work is in a thread, is told about, and ends when the call does."""
    import anyio
    import mcp_types as types
    from anyio import from_thread, to_thread

    async def send(progress: Progress) -> None:
        await context.session.report_progress(
            progress.judged, progress.found, progress.current[:200]
        )

    def tell(progress: Progress) -> None:
        if call.cancel.is_set():
            return
        # where nobody listens any more, nobody needs to be told
        with suppress(RuntimeError, anyio.ClosedResourceError, anyio.BrokenResourceError):
            from_thread.run(send, progress)

    working = replace(call, tell=tell)
    try:
        found: JsonDict = await to_thread.run_sync(tool.run, working, given, abandon_on_cancel=True)
    except anyio.get_cancelled_exc_class():
        call.cancel.set()
        raise
    except (UsageError, SourceError) as error:
        return _failed(str(error))
    except Exception as error:
        refused = storage_error(error)
        if refused is not None:
            return _failed(str(refused))
        _LOG.exception("A tool broke off")
        return _failed(
            "The workbench could not finish this call because of an error of its own; what was "
            "judged until then is kept."
        )
    text = json.dumps(found)
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text)], structured_content=found
    )


def _failed(message: str) -> "CallToolResult":
    import mcp_types as types

    return types.CallToolResult(
        content=[types.TextContent(type="text", text=message)], is_error=True
    )


def _listed(tool: ToolSpec) -> Any:  # noqa: ANN401
    import mcp_types as types

    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.says,
        input_schema=tool.takes,
        output_schema=tool.gives,
        annotations=types.ToolAnnotations(
            title=tool.title,
            read_only_hint=tool.reads_only,
            destructive_hint=tool.destroys,
            idempotent_hint=tool.repeatable,
            open_world_hint=tool.open_world,
        ),
    )


def _mismatch(tool: ToolSpec, given: Arguments) -> str | None:
    """What is wrong with the arguments, in a sentence; None where nothing is."""
    from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # has none

    for error in Draft202012Validator(tool.takes).iter_errors(dict(given)):
        where = ".".join(str(part) for part in error.absolute_path) or "the arguments"
        return f"{tool.name}: {where}: {error.message[:300]}."
    return None
