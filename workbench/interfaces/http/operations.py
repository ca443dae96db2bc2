"""What an operation of the API is: its path, what it takes and gives, and what it does."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from starlette.requests import Request
from starlette.responses import Response

from workbench.interfaces.http.request import ApiRequest, read_body, read_query
from workbench.interfaces.http.responses import ApiError, refuse
from workbench.interfaces.http.upstream import Upstream
from workbench.records import JsonDict
from workbench.settings import Settings
from workbench.store import Store

if TYPE_CHECKING:
    from anyio import CapacityLimiter

T = TypeVar("T")
AT_ONCE = 8
"""Runs of the API that go on at the same time; others wait in line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AppContext:
    """What every operation works with."""

    settings: Settings
    store: Store
    line: "CapacityLimiter"
    """Where runs wait for their turn."""
    upstream: Upstream
    """Where the pass-through asks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseSpec:
    """One kind of answer."""

    says: str
    schema: JsonDict | None = None
    kind: str = "application/json"
    streamed: bool = False
    """Whether it may come as server-sent events instead."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One operation of the API."""

    method: str
    path: str
    name: str
    says: str
    run: Callable[[AppContext, ApiRequest], Awaitable[Response]]
    gives: Mapping[int, ResponseSpec]
    takes: JsonDict | None = None
    query: Mapping[str, JsonDict] = field(default_factory=dict)
    path_names: Mapping[str, str] = field(default_factory=dict)
    """What each name in the path stands for."""
    mistakes: tuple[int, ...] = ()
    """Statuses of refusals besides those that every operation knows."""


async def in_thread(work: Callable[[], T]) -> T:
    """What a piece of blocking work gives, done beside the event loop."""
    from anyio import to_thread

    return await to_thread.run_sync(work)


async def run_limited(desk: AppContext, work: Callable[[], T]) -> T:
    """The same for work that takes a processor: a few at a time."""
    async with desk.line:
        return await in_thread(work)


async def cancel_on_disconnect(request: Request, work: Callable[[], Awaitable[T]]) -> T:
    """What a piece of work gives; it is broken off when the caller leaves.

    Raises:
        Refusal: The caller left.
    """
    from anyio import create_task_group

    found: list[T] = []
    failed: list[Exception] = []

    async def watch() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass
        group.cancel_scope.cancel()

    async with create_task_group() as group:
        group.start_soon(watch)
        try:
            found.append(await work())
        except Exception as error:
            # told after the group, which would wrap it
            failed.append(error)
        group.cancel_scope.cancel()
    if failed:
        raise failed[0]
    if not found:
        raise ApiError("left", "The caller left before there was an answer.", 499)
    return found[0]


def endpoint(desk: AppContext, operation: Operation) -> Callable[[Request], Awaitable[Response]]:
    """The operation as the server calls it; whatever goes wrong becomes an answer."""

    async def called(request: Request) -> Response:
        try:
            raw, body = await read_body(request, operation.takes)
            asked = ApiRequest(
                request=request,
                raw=raw,
                body=body,
                query=read_query(request, operation.query),
                path={name: str(value) for name, value in request.path_params.items()},
            )
            return await operation.run(desk, asked)
        except Exception as error:
            return refuse(error)

    return called
