"""Start the server on this machine: one process for people, programs and agents."""

import os
import socket
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.errors import UsageError
from workbench.interfaces.http.security import SecurityRules, check_address, read_token
from workbench.records.text import JsonDict
from workbench.settings import Serving, Settings

if TYPE_CHECKING:
    from starlette.applications import Starlette

PORT = 8501
LEAVE_S = 3
"""How long a stop waits for answers under way."""
LARGEST_MESSAGE = 200 * 1024 * 1024
"""Of a page's websocket: what Streamlit sends at most."""
GUARDED = ("/api", "/v1", "/mcp", "/openapi.json")
"""Paths behind the token and the limits."""

Mount = Callable[[], "Starlette"]
"""Makes an application that is served beside the pages."""


def serve(
    settings: Settings,
    *,
    host: str = "127.0.0.1",
    port: int = PORT,
    token_file: Path | None = None,
    calls_a_minute: int | None = None,
    mounts: Mapping[str, Mount] | None = None,
    warm_up: Sequence[str] = (),
) -> None:
    """Serve pages, API and, by path, what is mounted until the process is stopped; port 0 is a free one.

    The modules `warm_up` are imported once the server answers, while no page is drawn.

    Raises:
        UsageError: The host is no loopback address, the port is taken, or the token file cannot
            be used.
        UnknownJudge, MissingKey: The judge that the settings name cannot be opened.
        UnreadableInput, InvalidPolicy: Nor can their policy.
    """
    check_address(host)
    rules = security_rules(settings, token_file, calls_a_minute)
    _check_choices(settings)
    listening = _listen(host, port)
    port = listening.getsockname()[1]
    # read by Streamlit wherever it is asked for its own address
    os.environ["STREAMLIT_SERVER_ADDRESS"] = host
    os.environ["STREAMLIT_SERVER_PORT"] = str(port)
    os.environ.setdefault("STREAMLIT_SERVER_HEADLESS", "true")
    import uvicorn

    from workbench.interfaces.http.app import build_app
    from workbench.interfaces.http.upstream import open_upstream

    app = build_app(
        settings,
        rules=rules,
        upstream=open_upstream(os.environ, port, rules.token),
        mounted=mounts or {},
        warm_up=warm_up,
    )
    config = uvicorn.Config(
        app,
        log_config=None,
        log_level="warning",
        access_log=False,
        ws="websockets-sansio",
        ws_max_size=LARGEST_MESSAGE,
        server_header=False,
        timeout_graceful_shutdown=LEAVE_S,
    )
    address = f"http://{'[::1]' if host == '::1' else host}:{port}"
    print(
        f"The workbench is at {address} (pages). Programs: /api/v1 and /v1, described in "
        "/openapi.json; agents: /mcp. Stop it with Ctrl+C.",
        flush=True,
    )
    # a stop by Ctrl+C is how this ends, no failure
    with suppress(KeyboardInterrupt):
        uvicorn.Server(config).run(sockets=[listening])


def _check_choices(settings: Settings) -> None:
    """Refuse a judge or policy that cannot be opened before anybody waits for it.

    The built-in ones always can: opening them would import most of the program first.
    """
    if settings.server.judge != Serving().judge:
        from workbench.services.judges import open_judge

        open_judge(settings.server.judge)
    if settings.server.policy:
        from workbench.interfaces.http.policies import named_policy

        named_policy(settings, None)


def describe_api() -> JsonDict:
    """The OpenAPI document of all operations."""
    # FastAPI is imported by those who serve or describe the API, not with this package
    from workbench.interfaces.http.api import build_api, document
    from workbench.interfaces.http.routes import ROUTERS

    return document(build_api(ROUTERS))


def security_rules(
    settings: Settings, token_file: Path | None = None, calls_a_minute: int | None = None
) -> SecurityRules:
    """Who may call the server, and how much, by the settings and what a call overrides.

    Raises:
        UsageError: The token file cannot be used.
    """
    served = settings.server
    return SecurityRules(
        hosts=served.hosts,
        origins=tuple(origin.lower().rstrip("/") for origin in served.origins),
        token=read_token(token_file or (Path(served.token_file) if served.token_file else None)),
        guarded=GUARDED,
        calls_a_minute=calls_a_minute or served.calls_a_minute,
        max_body=served.max_body_mb * 1024 * 1024,
    )


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if host == "::1" else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        if os.name != "nt":
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
    except (OSError, OverflowError) as error:
        listening.close()
        why = getattr(error, "strerror", None) or str(error)
        raise UsageError(
            f"Port {port} of {host} cannot be used ({why}): stop the process that is using it, or "
            f"choose another port with --port (with make: PORT=9000)."
        ) from None
    listening.listen(128)
    listening.setblocking(False)
    return listening
