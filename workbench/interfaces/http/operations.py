"""What the operations of the API work with, and how their work is done beside the event loop."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from starlette.requests import Request

from workbench.interfaces.http.responses import ApiError
from workbench.interfaces.http.upstream import Upstream
from workbench.services.database import Database
from workbench.services.judges import use_judges
from workbench.settings import Settings

if TYPE_CHECKING:
    from anyio import CapacityLimiter

T = TypeVar("T")
AT_ONCE = 8
"""Runs of the API that go on at the same time; others wait in line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AppContext:
    """What every operation works with."""

    settings: Settings
    store: Database
    line: "CapacityLimiter"
    """Where runs wait for their turn."""
    upstream: Upstream
    """Where the pass-through asks."""

    def __post_init__(self) -> None:
        use_judges(self.settings.models_folder, self.settings.local_servers)


async def in_thread(work: Callable[[], T]) -> T:
    """What a piece of blocking work gives, done beside the event loop."""
    from anyio import to_thread

    return await to_thread.run_sync(work)


async def run_limited(context: AppContext, work: Callable[[], T]) -> T:
    """The same for work that takes a processor: a few at a time."""
    async with context.line:
        return await in_thread(work)


async def cancel_on_disconnect(request: Request, work: Callable[[], Awaitable[T]]) -> T:
    """What a piece of work gives; it is broken off when the caller leaves.

    Raises:
        Refusal: The caller left.
    """
    from anyio import create_task_group

    results: list[T] = []
    failed: list[Exception] = []

    async def watch() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass
        group.cancel_scope.cancel()

    async with create_task_group() as group:
        group.start_soon(watch)
        try:
            results.append(await work())
        except Exception as error:
            # raised after the group, which would wrap it
            failed.append(error)
        group.cancel_scope.cancel()
    if failed:
        raise failed[0]
    if not results:
        raise ApiError("left", "The client disconnected before there was an answer.", 499)
    return results[0]
