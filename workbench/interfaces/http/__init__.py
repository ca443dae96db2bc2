"""The server front: the pages, an HTTP API, a pass-through and `/mcp` in one process."""

from typing import TYPE_CHECKING

from workbench.lazy import lazy_exports

if TYPE_CHECKING:
    from workbench.interfaces.http.security import SecurityRules
    from workbench.interfaces.http.server import PORT, Mount, describe_api, serve
    from workbench.interfaces.http.streamlit_run import page_middleware

__all__ = ["Mount", "PORT", "SecurityRules", "describe_api", "page_middleware", "serve"]

__getattr__ = lazy_exports(__name__, __file__)
