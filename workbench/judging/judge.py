"""What every judge offers, how it runs where a loop runs already, and under which key an answer is kept."""

import asyncio
import hashlib
import inspect
import json
import threading
from collections.abc import Coroutine, Sequence
from dataclasses import replace
from typing import Protocol, TypeVar, runtime_checkable

from workbench.judging.calculation_checks import with_calculation
from workbench.records.context import NO_CONTEXT, JudgeContext
from workbench.records.source import Passage
from workbench.records.text import Json
from workbench.records.verdict import Judgment

Result = TypeVar("Result")


@runtime_checkable
class Judge(Protocol):
    """Says whether passages of a source support a claim."""

    @property
    def spec(self) -> str:
        """The SPEC that opens this judge: `local`, `anthropic:MODEL` and so on."""

    async def ajudge(
        self, claim: str, passages: Sequence[Passage], context: JudgeContext = NO_CONTEXT
    ) -> Judgment:
        """The judgment; raises `JudgeError`, which carries the usage, when there is none."""

    def judge(
        self, claim: str, passages: Sequence[Passage], context: JudgeContext = NO_CONTEXT
    ) -> Judgment:
        """What `ajudge` gives, for callers that do not await."""

    def worst_cost_usd(
        self, claim: str, passages: Sequence[Passage], context: JudgeContext = NO_CONTEXT
    ) -> float | None:
        """The most one call can cost, in US dollars; None when the price is unknown."""

    async def aclose(self) -> None:
        """Give back connections; the judge is not used afterwards."""


class FreeJudge:
    """What judges have in common that cost nothing and hold no connections."""

    def worst_cost_usd(
        self, claim: str, passages: Sequence[Passage], context: JudgeContext = NO_CONTEXT
    ) -> float | None:
        """Nothing."""
        return 0.0

    async def aclose(self) -> None:
        """Nothing to close."""


def context_read_by(judge: Judge, context: JudgeContext) -> JudgeContext:
    """The part of a context that a judge reads.

    None of it where its `ajudge` has no such parameter (a judge of the user's own), or its prompt
    no place for it.
    """
    context_shown = getattr(judge, "context_shown", None)
    if callable(context_shown):
        part: JudgeContext = context_shown(context)
        return part
    return context if "context" in inspect.signature(judge.ajudge).parameters else NO_CONTEXT


async def ask_judge(
    judge: Judge, claim: str, passages: Sequence[Passage], context: JudgeContext
) -> Judgment:
    """The judgment of any judge, also of one that takes no context; raises `JudgeError`.

    A judge that does not calculate (`calculates`) gets the calculation as a check of its answer.
    """
    read_context = context_read_by(judge, context)
    # a judge without the parameter gets none, so that older ones of the user's own work
    arguments = () if read_context == NO_CONTEXT else (read_context,)
    judgment = await judge.ajudge(claim, passages, *arguments)
    return judgment if hasattr(judge, "calculates") else with_calculation(judgment, claim, passages)


def worst_cost_of(
    judge: Judge, claim: str, passages: Sequence[Passage], context: JudgeContext
) -> float | None:
    """`worst_cost_usd` of any judge, also of one that takes no context."""
    takes = "context" in inspect.signature(judge.worst_cost_usd).parameters
    arguments = (context_read_by(judge, context),) if takes else ()
    return judge.worst_cost_usd(claim, passages, *arguments)


def run_sync(work: Coroutine[None, None, Result]) -> Result:
    """The result of a coroutine, also where an event loop is running already (a notebook)."""
    results: list[Result] = []

    async def keep_result() -> None:
        # not as the result of asyncio's task, whose whole text asyncio builds as it ends
        results.append(await work)

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        asyncio.run(keep_result())
        return results[0]
    failures: list[BaseException] = []

    def runner() -> None:
        try:
            asyncio.run(keep_result())
        except BaseException as failure:
            failures.append(failure)

    thread = threading.Thread(target=runner, name="judge")
    thread.start()
    thread.join()
    if failures:
        raise failures[0]
    return results[0]


def judgment_key(
    judge: Judge, claim: str, passages: Sequence[Passage], context: JudgeContext = NO_CONTEXT
) -> str:
    """The SHA-256, in hexadecimal, of all that a judgment depends on.

    That is the claim, the passages with their places, the judge's SPEC (which names the model; where
    it does not, nothing is found again), its prompt, and what the judge takes in of the context: the
    same claim elsewhere is another question. Canonical form: ASCII-escaped JSON of
    `[1, spec, prompt, claim, passages]`, with a context, or headings that the judge reads without
    one, of `[2, spec, prompt, claim, passages, headings, source, context]`.
    """
    prompt = getattr(getattr(judge, "prompt", None), "id", None)
    passage_values: list[Json] = [[passage.start, passage.text] for passage in passages]
    name = getattr(judge, "name_in_keys", judge.spec)
    parts: list[Json] = [1, name, prompt, claim, passage_values]
    read = context_read_by(judge, context)
    is_headed = any(passage.heading or passage.table_header for passage in passages)
    if read != NO_CONTEXT or (is_headed and getattr(judge, "reads_headings", False)):
        headings: list[Json] = [[passage.heading, passage.table_header] for passage in passages]
        parts = [2, *parts[1:], headings, read.of_source, read.of_claim]
    return hashlib.sha256(json.dumps(parts).encode("ascii")).hexdigest()


def as_cached(judgment: Judgment) -> Judgment:
    """A kept judgment as a run that did not pay for it counts it: without tokens, cost or wait."""
    return replace(
        judgment, input_tokens=0, output_tokens=0, cost_usd=0.0, price_unknown=False, latency_ms=0
    )
