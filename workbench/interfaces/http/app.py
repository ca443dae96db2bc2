"""One application: the pages, the API, the pass-through and `/mcp` behind the same checks."""

import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from workbench.interfaces.http.api import DOCUMENT, build_api
from workbench.interfaces.http.operations import AT_ONCE, AppContext
from workbench.interfaces.http.routes import ROUTERS
from workbench.interfaces.http.security import SecurityMiddleware, SecurityRules
from workbench.interfaces.http.upstream import Upstream
from workbench.services.database import open_database
from workbench.settings import SHIPPED_DATA, Settings

if TYPE_CHECKING:
    from streamlit import App

PAGES = SHIPPED_DATA.parent / "app.py"


def _quiet_logs() -> None:
    """Warnings and errors only: a line for each request says nothing, and could tell addresses."""
    for name in ("uvicorn", "uvicorn.access", "uvicorn.error", "uvicorn.asgi", "websockets"):
        logging.getLogger(name).setLevel(logging.WARNING)


async def to_review(request: Request) -> Response:
    """A redirect from `/review` to `/`, where Streamlit serves its default page; the query stays.

    A redirect inside the page would leave `/review` in the browser's history and break Back.
    """
    up = "../" if request.url.path.endswith("/") else "./"
    query = request.url.query
    return RedirectResponse(up + (f"?{query}" if query else ""), 307)


def build_app(
    settings: Settings,
    *,
    rules: SecurityRules,
    upstream: Upstream,
    mounted: Sequence[Starlette] = (),
    pages: Path = PAGES,
) -> "App":
    """The application; what is mounted brings its own routes and its lifespan."""
    import anyio
    import streamlit as st

    context = AppContext(
        settings=settings,
        store=open_database(settings.database),
        line=anyio.CapacityLimiter(AT_ONCE),
        upstream=upstream,
    )

    @asynccontextmanager
    async def lifespan(app: object) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            for mounted_app in mounted:
                await stack.enter_async_context(mounted_app.router.lifespan_context(mounted_app))
            _quiet_logs()
            yield

    routes = [route for mounted_app in mounted for route in mounted_app.routes]
    return st.App(
        pages,
        routes=[
            *routes,
            *api_routes(context),
            *(Route(path, to_review) for path in ("/review", "/review/")),
        ],
        middleware=[Middleware(SecurityMiddleware, rules=rules)],
        lifespan=lifespan,
    )


def api_routes(context: AppContext) -> list[BaseRoute]:
    """Every path of the API and of its document; anything else is refused in JSON."""
    api = build_api(ROUTERS, context)
    paths = (DOCUMENT, "/api", "/api/{rest:path}", "/v1/{rest:path}")
    return [Route(path, api) for path in paths]
