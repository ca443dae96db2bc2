"""The commands that start servers: `serve` for everybody, `mcp` for agents."""

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
    """Add the commands to a parser; `shared` holds the options of every command."""
    mcp = commands.add_parser("mcp", parents=[shared])
    mcp.add_argument(
        "--transport",
        choices=["stdio", "http"],
        default="stdio",
        help="over standard input and output, or over HTTP on this machine",
    )
    mcp.add_argument("--host", default="127.0.0.1", help="must be a loopback address (http)")
    mcp.add_argument("--port", type=int, default=8765, help="(http; default 8765, path /mcp)")
    mcp.add_argument(
        "--token-file", type=Path, metavar="FILE",
        help="file with the token that callers must send as Authorization: Bearer (http)",
    )  # fmt: skip
    mcp.add_argument(
        "--calls-per-minute", type=int, default=20, metavar="N", help="(http; default 20)"
    )

    def start(arguments: argparse.Namespace, settings: Settings) -> int:
        from workbench.interfaces.http.security import read_token

        _server(servers, "mcp")(
            settings,
            arguments.db,
            transport=arguments.transport,
            host=arguments.host,
            port=arguments.port,
            token=read_token(arguments.token_file),
            calls_a_minute=arguments.calls_per_minute,
        )
        return 0

    mcp.set_defaults(verb=start)
    _add_serve(commands, shared, servers)


def _add_serve(
    commands: "argparse._SubParsersAction[_Sort]", shared: _Sort, servers: Mapping[str, Server]
) -> None:
    everything = commands.add_parser(
        "serve",
        parents=[shared],
    )
    everything.add_argument("--host", default="127.0.0.1", help="loopback only")
    everything.add_argument("--port", type=int, default=8501, help="(default 8501; 0: a free one)")
    everything.add_argument(
        "--token-file", type=Path, metavar="FILE",
        help="file with the token that API callers must send as Authorization: Bearer",
    )  # fmt: skip
    everything.add_argument(
        "--calls-per-minute", type=_positive_integer, metavar="N", help="of the API (default 120)"
    )

    def start(arguments: argparse.Namespace, settings: Settings) -> int:
        _server(servers, "serve")(
            settings,
            arguments.db,
            host=arguments.host,
            port=arguments.port,
            token_file=arguments.token_file,
            calls_a_minute=arguments.calls_per_minute,
        )
        return 0

    everything.set_defaults(verb=start)


def _server(servers: Mapping[str, Server], name: str) -> Server:
    if name not in servers:
        raise UsageError(f"This command line was started without servers; use `workbench {name}`.")
    return servers[name]


def _positive_integer(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is below 1")
    return number
