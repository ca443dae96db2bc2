"""Where questions wait for those that may still come, so that they can be asked together.

Whoever may still bring a question of a key is a guest of that key. When no guest of a key is on the
way any more, all its questions are served at once: no clock decides, and no guest waits in vain.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

Item = TypeVar("Item")
Reply = TypeVar("Reply")


class PendingProducer:
    """A producer that may still bring a question; meant for one event loop."""

    def __init__(self, key: str, moved: Callable[[str, int], None]) -> None:
        self.key = key
        self._moved = moved
        self._moving = False
        self.enter()

    def enter(self) -> None:
        """Be on the way (again)."""
        if not self._moving:
            self._moving = True
            self._moved(self.key, 1)

    def leave(self) -> None:
        """Be done, or wait for an answer; once too often does no harm."""
        if self._moving:
            self._moving = False
            self._moved(self.key, -1)


class PendingRequest(Generic[Item, Reply]):
    """One waiting question."""

    def __init__(self, guest: PendingProducer, item: Item) -> None:
        self.item = item
        self._guest = guest
        self.reply: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()

    def answer(self, reply: Reply) -> None:
        """Give the answer; its guest is on the way again."""
        if not self.reply.done():
            self._guest.enter()
            self.reply.set_result(reply)

    def fail(self, error: BaseException) -> None:
        """Say why there is no answer; its guest is on the way again."""
        if not self.reply.done():
            self._guest.enter()
            self.reply.set_exception(error)


class RequestCoalescer(Generic[Item, Reply]):
    """The waiting questions of a run."""

    def __init__(
        self, serve: Callable[[str, Sequence[PendingRequest[Item, Reply]]], Awaitable[None]]
    ) -> None:
        """`serve` gets a key and all its questions and has to answer each."""
        self._serve = serve
        self._moving: Counter[str] = Counter()
        self._seats: dict[str, list[PendingRequest[Item, Reply]]] = {}
        self._closed = False
        self.tasks: set[asyncio.Task[None]] = set()

    def guest(self, key: str) -> PendingProducer:
        """A guest who is on the way to a key's questions."""
        return PendingProducer(key, self._moved)

    def close(self) -> None:
        """Serve no more questions: the run is stopped."""
        self._closed = True

    async def wait(self, guest: PendingProducer, item: Item) -> Reply:
        """The answer to a question, which is asked as soon as no other can come."""
        seat: PendingRequest[Item, Reply] = PendingRequest(guest, item)
        self._seats.setdefault(guest.key, []).append(seat)
        guest.leave()
        return await seat.reply

    def _moved(self, key: str, by: int) -> None:
        self._moving[key] += by
        if self._moving[key] or self._closed or not self._seats.get(key):
            return
        task = asyncio.get_running_loop().create_task(self._served(key, self._seats.pop(key)))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def _served(self, key: str, seats: Sequence[PendingRequest[Item, Reply]]) -> None:
        try:
            await self._serve(key, [seat for seat in seats if not seat.reply.done()])
        except asyncio.CancelledError:
            for seat in seats:
                seat.reply.cancel()
            raise
        except BaseException as error:
            for seat in seats:
                seat.fail(error)
