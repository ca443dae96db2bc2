"""One application: the pages, the API, the pass-through and `/mcp` behind the same door."""

import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from workbench.interfaces.http import openapi
from workbench.interfaces.http.operations import AT_ONCE, AppContext, Operation, endpoint
from workbench.interfaces.http.responses import ApiError, answer, refuse
from workbench.interfaces.http.routes import OPERATIONS
from workbench.interfaces.http.security import SecurityMiddleware, SecurityRules
from workbench.interfaces.http.upstream import Upstream
from workbench.settings import SHIPPED_DATA, Settings
from workbench.store import Store

if TYPE_CHECKING:
    from streamlit import App

PAGES = SHIPPED_DATA.parent / "app.py"
Called = Callable[[Request], Awaitable[Response]]


def _be_quiet() -> None:
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


class ByMethod:
    """One path: each method that is known there, and a refusal in JSON for every other."""

    def __init__(self, known: Mapping[str, Called]) -> None:
        self._known = dict(known)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        request = Request(scope, receive, send)
        called = self._known.get(request.method)
        if called is None:
            allowed = ", ".join(self._known)
            said = f"{request.url.path[:200]} takes {allowed}, not {request.method[:20]}."
            given = refuse(ApiError("wrong_method", said, 405, {"allow": allowed}))
        else:
            given = await called(request)
        await given(scope, receive, send)


class NotFound:
    """The answer under the API's own paths where nothing is."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Say so."""
        said = f"There is nothing at {str(scope['path'])[:200]}; {openapi.PATH} lists what is."
        await refuse(ApiError("not_found", said, 404))(scope, receive, send)


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

    desk = AppContext(
        settings=settings,
        store=Store(settings.database),
        line=anyio.CapacityLimiter(AT_ONCE),
        upstream=upstream,
    )

    @asynccontextmanager
    async def lifespan(app: object) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            for one in mounted:
                await stack.enter_async_context(one.router.lifespan_context(one))
            _be_quiet()
            yield

    routes = [route for one in mounted for route in one.routes]
    return st.App(
        pages,
        routes=[
            *routes,
            *api_routes(desk, OPERATIONS),
            *(Route(path, to_review) for path in ("/review", "/review/")),
        ],
        middleware=[Middleware(SecurityMiddleware, rules=rules)],
        lifespan=lifespan,
    )


def api_routes(desk: AppContext, operations: Sequence[Operation]) -> list[BaseRoute]:
    """The routes of the operations and of their document; every other path is told in JSON."""
    whole = openapi.document(operations)

    async def written(request: Request) -> Response:
        return answer(whole)

    by_path: dict[str, dict[str, Called]] = {openapi.PATH: {"GET": written}}
    for one in operations:
        by_path.setdefault(one.path, {})[one.method] = endpoint(desk, one)
    known: list[BaseRoute] = [Route(path, ByMethod(found)) for path, found in by_path.items()]
    nothing = [Route(path, NotFound()) for path in ("/api", "/api/{rest:path}", "/v1/{rest:path}")]
    return [*known, *nothing]
