"""`streamlit run app.py`: the pages alone, behind the same checks as all of `serve`."""

import sys
from typing import TYPE_CHECKING

from workbench.errors import WorkbenchError
from workbench.interfaces.http.security import SecurityMiddleware, check_address
from workbench.interfaces.http.server import security_rules
from workbench.settings import load_settings

if TYPE_CHECKING:
    from starlette.middleware import Middleware


def page_middleware() -> "list[Middleware]":
    """The checks of `Host`, `Origin` and token in front of the pages, as ASGI middleware.

    Ends the process with a sentence and exit code 2 where the server would listen beyond this
    machine, or the settings cannot be used: it runs while Streamlit's own command starts, which
    would show a traceback.
    """
    import streamlit as st
    from starlette.middleware import Middleware

    try:
        check_address(st.get_option("server.address") or "")
        return [Middleware(SecurityMiddleware, rules=security_rules(load_settings()))]
    except WorkbenchError as error:
        print(error, file=sys.stderr)
        sys.exit(2)
