"""The server front: the pages, an HTTP API, a pass-through and `/mcp` in one process."""

from workbench.fronts.server.serve import PORT, Mount, serve
from workbench.fronts.server.streamlit_run import door
from workbench.fronts.server.table import describe_api

__all__ = ["Mount", "PORT", "describe_api", "door", "serve"]
