"""One application: the pages, the API, the pass-through and `/mcp` behind the same checks.

The pages answer first; the rest is imported and built while none of them is being drawn.
"""

import asyncio
import logging
import math
import threading
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, TypeVar

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from workbench.interfaces.http.security import SecurityMiddleware, SecurityRules
from workbench.interfaces.http.upstream import Upstream
from workbench.settings import Settings
from workbench.shipped import APP

if TYPE_CHECKING:
    from streamlit import App


_LOG = logging.getLogger(__name__)
QUIET_S = 0.5
"""How long no page is drawn before more is imported: one that was drawn is soon drawn again."""
PATIENCE_S = 15.0
"""How long after its start a server lets pages go first."""
_Result = TypeVar("_Result")


async def in_background(work: Callable[[], _Result]) -> _Result:
    """The result of a function that runs in a thread; stopping the server does not wait for it.

    Raises:
        Exception: What the work raises.
    """
    outcome: Future[_Result] = Future()

    def run() -> None:
        outcome.set_running_or_notify_cancel()
        try:
            outcome.set_result(work())
        except Exception as error:
            outcome.set_exception(error)

    threading.Thread(target=run, name="workbench-start", daemon=True).start()
    return await asyncio.wrap_future(outcome)


def draws_a_page() -> bool:
    """Whether Streamlit runs a page's script, for which it starts a thread of this name."""
    return any(thread.name == "ScriptRunner.scriptThread" for thread in threading.enumerate())


async def let_pages_go_first(hurry: asyncio.Event, until: float) -> None:
    """Wait while pages are drawn: not in a hurry, and not beyond that time of the monotonic clock."""
    drawn = -math.inf
    while not hurry.is_set() and (now := time.monotonic()) < until:
        drawn = now if draws_a_page() else drawn
        if now - drawn >= QUIET_S:
            return
        await asyncio.sleep(QUIET_S / 20)


class LateApplication:
    """An ASGI application that is built in a thread once the server runs; its calls wait for it.

    Importing the API and the tools for agents is the slowest part of the start, and the pages do
    not need it. A call sets `hurry`.
    """

    def __init__(self, build: Callable[[], Starlette], hurry: asyncio.Event) -> None:
        self._build, self._hurry = build, hurry
        self._settled = asyncio.Event()
        self._built: Starlette | None = None

    async def start(self, stack: AsyncExitStack) -> None:
        """Build it and enter its lifespan, which ends with the stack."""
        try:
            built = await in_background(self._build)
            await stack.enter_async_context(built.router.lifespan_context(built))
            self._built = built
        except Exception:
            _LOG.exception("A part of the server could not be started")
        finally:
            self._settled.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Forward a call once the application is built."""
        self._hurry.set()
        await self._settled.wait()
        if self._built is None:
            raise RuntimeError("This part of the server could not be started; see the log.")
        await self._built(scope, receive, send)


def _with_all_below(path: str) -> tuple[str, str]:
    """The routes of a path and of all below it, which Streamlit would answer with a page."""
    return path, path + "/{rest:path}"


API_PATHS = tuple(
    route for path in ("/openapi.json", "/api", "/v1") for route in _with_all_below(path)
)
"""Every path of the API and of its document; what it does not know is refused in JSON."""


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


def open_api(settings: Settings, upstream: Upstream) -> Starlette:
    """The API, working on the settings' database; the paths it is served at are `API_PATHS`."""
    import anyio

    from workbench.interfaces.http.api import build_api
    from workbench.interfaces.http.operations import AT_ONCE, AppContext
    from workbench.interfaces.http.routes import ROUTERS
    from workbench.services.database import open_database

    context = AppContext(
        settings=settings,
        store=open_database(settings.database),
        line=anyio.CapacityLimiter(AT_ONCE),
        upstream=upstream,
    )
    return build_api(ROUTERS, context)


def build_app(
    settings: Settings,
    *,
    rules: SecurityRules,
    upstream: Upstream,
    mounted: Mapping[str, Callable[[], Starlette]],
    warm_up: Sequence[str] = (),
) -> "App":
    """The application; `mounted` builds by path what is served beside pages and API.

    The modules `warm_up` are imported in a thread while no page is drawn, before the rest is built.
    """
    import streamlit as st

    hurry = asyncio.Event()
    late_api = LateApplication(lambda: open_api(settings, upstream), hurry)
    late_mounts = {path: LateApplication(build, hurry) for path, build in mounted.items()}

    async def start_rest(stack: AsyncExitStack) -> None:
        # one after the other: threads that import at the same time slow each other
        until = time.monotonic() + PATIENCE_S
        for module in warm_up:
            await let_pages_go_first(hurry, until)
            try:
                await in_background(partial(import_module, module))
            except Exception:
                # what needs it says so; the rest starts nevertheless
                _LOG.exception("%s could not be imported", module)
        for late in (late_api, *late_mounts.values()):
            await let_pages_go_first(hurry, until)
            await late.start(stack)
        _quiet_logs()

    @asynccontextmanager
    async def lifespan(app: object) -> AsyncIterator[None]:
        _quiet_logs()
        stopping = asyncio.Event()

        started = asyncio.Event()

        async def run() -> None:
            # a lifespan is left by the task that entered it
            async with AsyncExitStack() as stack:
                await start_rest(stack)
                started.set()
                await stopping.wait()

        task = asyncio.create_task(run())
        yield
        stopping.set()
        if not started.is_set():
            task.cancel()
        with suppress(asyncio.CancelledError):
            await task

    return st.App(
        APP,
        routes=[
            *(
                Route(route, late)
                for path, late in late_mounts.items()
                for route in _with_all_below(path)
            ),
            *(Route(path, late_api) for path in API_PATHS),
            *(Route(path, to_review) for path in ("/review", "/review/")),
        ],
        middleware=[Middleware(SecurityMiddleware, rules=rules)],
        lifespan=lifespan,
    )
