"""Where questions wait for those that may still come, so that they can be asked together.

Whoever may still bring a question of a key is a guest of that key. When no guest of a key is on the
way any more, all its questions are served at once: no clock decides, and no guest waits in vain.
"""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from workbench.errors import JudgeError
from workbench.judging.budget import Budget, SharedBudget, paid_call
from workbench.judging.embedded import LocalJudge
from workbench.judging.joint_calls import PlannedCall, joint_question, judge_jointly, plan_calls
from workbench.judging.judge import (
    Judge,
    as_cached,
    ask_judge,
    context_read_by,
    judgment_key,
    worst_cost_of,
)
from workbench.judging.llm import LlmJudge, most_usd
from workbench.masking import mask_known
from workbench.pipeline.options import VerifyOptions
from workbench.records.context import NO_CONTEXT, JudgeContext
from workbench.records.source import Passage
from workbench.records.spending import PricedCall
from workbench.records.verdict import Judgment

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


Waiting = Sequence[PendingRequest[JudgeCall, Judgment]]


class JointCallBatcher:
    """Asks what waits in a room, source by source."""

    def __init__(self, paying: BudgetedCaller) -> None:
        self._paying = paying
        self._wayward: set[str] = set()
        """Judges whose reply to a joint call was of no use: the run asks them one by one."""

    async def serve(self, key: str, seats: Waiting) -> None:
        """Answer every seat; `key` names the source and is the same for all of them."""
        by_judge: dict[int, list[PendingRequest[JudgeCall, Judgment]]] = {}
        for seat in seats:
            by_judge.setdefault(id(seat.item.judge), []).append(seat)
        await asyncio.gather(*(self._one_judge(judge_seats) for judge_seats in by_judge.values()))

    async def _one_judge(self, seats: Waiting) -> None:
        judge = seats[0].item.judge
        if not isinstance(judge, LlmJudge):
            await asyncio.gather(*(self._ask_alone(seat) for seat in seats))
            return
        joint = self._paying.options.together == "auto" and judge.spec not in self._wayward
        calls = await asyncio.to_thread(
            plan_calls,
            judge,
            [seat.item.claim for seat in seats],
            [seat.item.passages for seat in seats],
            [seat.item.context for seat in seats],
            joint=joint,
        )
        begun = {call.passages: call for call in reversed(calls) if call.shared}
        first = list(begun.values())
        # what a cache keeps can be read by the calls that come after the first one has ended
        await asyncio.gather(
            *(self._call(judge, call, seats) for call in calls if not call.shared),
            *(
                self._in_turn(
                    judge, planned, [c for c in calls if c.passages == planned.passages], seats
                )
                for planned in first
            ),
        )

    async def _in_turn(
        self, judge: LlmJudge, first: PlannedCall, calls: Sequence[PlannedCall], seats: Waiting
    ) -> None:
        await self._call(judge, first, seats)
        rest = [call for call in calls if call is not first and call.shared]
        await asyncio.gather(*(self._call(judge, call, seats) for call in rest))

    async def _call(self, judge: LlmJudge, call: PlannedCall, seats: Waiting) -> None:
        call_seats = [seats[index] for index in call.claims]
        if len(call_seats) == 1:
            await self._ask_alone(call_seats[0], shared=call.shared)
            return
        answers = await self._ask_jointly(judge, call, [seat.item for seat in call_seats])
        again: list[PendingRequest[JudgeCall, Judgment]] = []
        for seat, answer in zip(call_seats, answers, strict=True):
            if isinstance(answer, Judgment):
                seat.answer(answer)
            elif answer is None or not _is_verdict(answer):
                again.append(seat)
            else:
                seat.fail(answer)
        await asyncio.gather(*(self._ask_alone(seat) for seat in again))

    async def _ask_jointly(
        self, judge: LlmJudge, call: PlannedCall, questions: Sequence[JudgeCall]
    ) -> Sequence[Judgment | JudgeError | None]:
        """The results of a joint call, None for all claims where none was made."""
        claims, contexts = (
            [question.claim for question in questions],
            [question.context for question in questions],
        )
        question = joint_question(judge, claims, call.passages, contexts, shared=call.shared)
        worst = most_usd(judge.price, question)
        priced = PricedCall(judge=judge.spec, key=questions[0].key, worst_usd=worst)
        try:
            async with self._paying.turn():
                if judge.spec in self._wayward:
                    return [None] * len(claims)

                async def answers() -> Sequence[Judgment | JudgeError]:
                    return await judge_jointly(
                        judge, claims, call.passages, contexts, shared=call.shared
                    )

                async def keep(answered: Sequence[Judgment | JudgeError]) -> None:
                    for question, answer in zip(questions, answered, strict=True):
                        if isinstance(answer, Judgment):
                            await self._paying.remember(question, answer)

                results = await paid_call(
                    self._paying.budget,
                    priced,
                    answers,
                    lambda answered: sum(answer.cost_usd for answer in answered),
                    keep,
                )
        except JudgeError:
            # the whole call does not fit under the cap: single ones may
            return [None] * len(claims)
        if not any(_is_verdict(result) for result in results):
            self._wayward.add(judge.spec)
        return results

    async def _ask_alone(
        self, seat: PendingRequest[JudgeCall, Judgment], *, shared: bool = False
    ) -> None:
        try:
            async with self._paying.turn():
                seat.answer(await self._paying.ask(seat.item, shared=shared))
        except JudgeError as error:
            seat.fail(error)


def _is_verdict(answer: Judgment | JudgeError) -> bool:
    return isinstance(answer, Judgment) or answer.kind == "unverified_quote"
