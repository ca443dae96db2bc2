"""The server front: the pages, an HTTP API, a pass-through and `/mcp` in one process."""

from workbench.interfaces.http.serve import PORT, Mount, describe_api, serve
from workbench.interfaces.http.streamlit_run import door

__all__ = ["Mount", "PORT", "describe_api", "door", "serve"]
