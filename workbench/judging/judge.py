"""What every judge offers, and how it runs where a loop is running already."""

import asyncio
import threading
from collections.abc import Coroutine, Sequence
from typing import Protocol, TypeVar, runtime_checkable

from workbench.records import Judgment, Passage

Result = TypeVar("Result")


@runtime_checkable
class Judge(Protocol):
    """Says whether passages of a source support a claim."""

    @property
    def spec(self) -> str:
        """The SPEC that opens this judge: `local`, `anthropic:MODEL` and so on."""
        ...

    async def ajudge(self, claim: str, passages: Sequence[Passage]) -> Judgment:
        """The judgment; raises `JudgeError`, which carries the usage, when there is none."""
        ...

    def judge(self, claim: str, passages: Sequence[Passage]) -> Judgment:
        """What `ajudge` gives, for callers that do not await."""
        ...

    def worst_cost_usd(self, claim: str, passages: Sequence[Passage]) -> float | None:
        """The most one call can cost, in US dollars; None when the price is unknown."""
        ...

    async def aclose(self) -> None:
        """Give back connections; the judge is not used afterwards."""
        ...


def run_sync(work: Coroutine[None, None, Result]) -> Result:
    """The result of a coroutine, also where an event loop is running already (a notebook)."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    results: list[Result] = []
    failures: list[BaseException] = []

    def runner() -> None:
        try:
            results.append(asyncio.run(work))
        except BaseException as failure:
            failures.append(failure)

    thread = threading.Thread(target=runner, name="judge")
    thread.start()
    thread.join()
    if failures:
        raise failures[0]
    return results[0]
