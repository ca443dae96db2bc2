"""One question to one judge: looked up first, money set aside, kept once it is paid for."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from workbench.judging.budget import Budget, SharedBudget, paid_call
from workbench.judging.embedded import LocalJudge
from workbench.judging.judge import (
    Judge,
    as_cached,
    ask_judge,
    context_read_by,
    judgment_key,
    worst_cost_of,
)
from workbench.judging.llm import LlmJudge
from workbench.masking import mask_known
from workbench.pipeline.options import VerifyOptions
from workbench.records.context import NO_CONTEXT, JudgeContext
from workbench.records.source import Passage
from workbench.records.spending import PricedCall
from workbench.records.verdict import Judgment


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeCall:
    """A claim, the passages it is judged by, their context, and the judge."""

    judge: Judge
    claim: str
    passages: tuple[Passage, ...]
    key: str
    """Under which its judgment is kept; empty for a judge that costs nothing."""
    context: JudgeContext = NO_CONTEXT


class BudgetedCaller:
    """The money, the turns and the kept judgments of one run."""

    def __init__(
        self, options: VerifyOptions, spend: Callable[[float], None], budget: Budget | None = None
    ) -> None:
        """`budget` is used in place of a cap or a purse of the options."""
        self.options = options
        self.budget = budget or (
            SharedBudget(options.purse) if options.purse else Budget(options.max_cost_usd)
        )
        self.turns = asyncio.Semaphore(max(1, options.judgments_at_once))
        self._spend = spend

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """A place among the calls that are made at once; its time is counted."""
        async with self.turns:
            since = time.perf_counter()
            try:
                yield
            finally:
                self._spend(since)

    def question(
        self, judge: Judge, claim: str, passages: Sequence[Passage], context: JudgeContext
    ) -> JudgeCall:
        """The question with its key; of the context as much as the judge takes in."""
        read = context_read_by(judge, context)
        # a free judge answers faster than a database
        priced = isinstance(judge, LlmJudge) or worst_cost_of(judge, claim, passages, read) != 0
        key = judgment_key(judge, claim, passages, read) if priced else ""
        return JudgeCall(judge=judge, claim=claim, passages=tuple(passages), key=key, context=read)

    async def recall(self, question: JudgeCall) -> Judgment | None:
        """The judgment that is kept, as one that cost nothing; None when there is none."""
        if not question.key or not self.options.recall:
            return None
        stored = await asyncio.to_thread(self.options.recall, question.key)
        return stored if stored is None or self.options.keep_costs else as_cached(stored)

    async def remember(self, question: JudgeCall, judgment: Judgment) -> None:
        """Keep a judgment that was paid for."""
        if question.key and self.options.remember:
            await asyncio.to_thread(self.options.remember, question.key, judgment)

    async def ask(self, question: JudgeCall, *, shared: bool = False) -> Judgment:
        """The judgment, asked for alone and kept; it needs a turn.

        Raises:
            JudgeError: The judge gave none, or the cost cap is reached.
        """
        judge, claim, passages, context = (
            question.judge,
            question.claim,
            question.passages,
            question.context,
        )
        if isinstance(judge, LocalJudge):
            # it computes: on a thread of its own it does not hold up what others wait for
            judgment = await asyncio.to_thread(judge.judge, claim, passages, context)
        else:
            model = judge if isinstance(judge, LlmJudge) else None
            worst = (
                model.worst_cost_usd(claim, passages, context, shared=shared)
                if model
                else worst_cost_of(judge, claim, passages, context)
            )

            async def answer() -> Judgment:
                if model:
                    return await model.ajudge(claim, passages, context, shared=shared)
                judgment = await ask_judge(judge, claim, passages, context)
                # a judge of the user's own may say what its service said
                return replace(
                    judgment,
                    rationale=mask_known(judgment.rationale),
                    reason=mask_known(judgment.reason),
                    standalone=judgment.standalone and mask_known(judgment.standalone),
                )

            call = PricedCall(judge=judge.spec, key=question.key, worst_usd=worst)

            async def keep(judgment: Judgment) -> None:
                await self.remember(question, judgment)

            return await paid_call(
                self.budget, call, answer, lambda judgment: judgment.cost_usd, keep
            )
        await self.remember(question, judgment)
        return judgment
