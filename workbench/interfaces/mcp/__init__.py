"""The workbench as tools for agents, over the Model Context Protocol."""

from typing import TYPE_CHECKING

from workbench.lazy import lazy_exports

if TYPE_CHECKING:
    from workbench.interfaces.mcp.server import (
        CALLS_A_MINUTE,
        build_server,
        http_app,
        list_tools,
        serve,
    )

__all__ = ["CALLS_A_MINUTE", "build_server", "http_app", "list_tools", "serve"]

__getattr__ = lazy_exports(__name__, __file__)
