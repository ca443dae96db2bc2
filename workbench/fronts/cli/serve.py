"""The command that serves agents: `mcp`."""

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

from workbench.errors import UsageError
from workbench.settings import Settings

Server = Callable[..., None]
"""Serves until it is stopped: `server(settings, db, **options)`."""
_Sort = TypeVar("_Sort", bound=argparse.ArgumentParser)


def add_commands(
    commands: "argparse._SubParsersAction[_Sort]", shared: _Sort, servers: Mapping[str, Server]
) -> None:
    """Add the command to a parser; `shared` holds the options of every command."""
    mcp = commands.add_parser(
        "mcp", parents=[shared], help="serve the workbench's tools to agents (MCP)"
    )
    mcp.add_argument("--transport", choices=["stdio", "http"], default="stdio")
    mcp.add_argument("--host", default="127.0.0.1", help="loopback only (http)")
    mcp.add_argument("--port", type=int, default=8765, help="(http; default 8765, path /mcp)")
    mcp.add_argument(
        "--token-file", type=Path, metavar="FILE",
        help="callers must send what stands in it as Authorization: Bearer (http)",
    )  # fmt: skip
    mcp.add_argument(
        "--calls-per-minute", type=int, default=20, metavar="N", help="(http; default 20)"
    )

    def start(arguments: argparse.Namespace, settings: Settings) -> int:
        if "mcp" not in servers:
            raise UsageError("This command line was started without servers; use `workbench mcp`.")
        servers["mcp"](
            settings,
            arguments.db,
            transport=arguments.transport,
            host=arguments.host,
            port=arguments.port,
            token=_token(arguments.token_file),
            calls_a_minute=arguments.calls_per_minute,
        )
        return 0

    mcp.set_defaults(verb=start)


def _token(path: Path | None) -> str | None:
    if path is None:
        return None
    try:
        token = path.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"The token file {path} cannot be read ({type(error).__name__})."
        ) from None
    if len(token) < 16 or not token.isprintable() or not token.isascii():
        raise UsageError(f"The token in {path} needs at least 16 plain letters and no blanks.")
    return token
