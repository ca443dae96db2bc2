"""Applications that are built while the server already responds."""

import asyncio
import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import AsyncExitStack
from typing import TypeVar

from starlette.applications import Starlette
from starlette.types import Receive, Scope, Send

_LOG = logging.getLogger(__name__)
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


class LateApplication:
    """An ASGI application that is built in a thread once the server runs; its calls wait for it.

    Importing the API and the tools for agents is the slowest part of the start, and the pages do
    not need it.
    """

    def __init__(self, build: Callable[[], Starlette]) -> None:
        self._build = build
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
        await self._settled.wait()
        if self._built is None:
            raise RuntimeError("This part of the server could not be started; see the log.")
        await self._built(scope, receive, send)
