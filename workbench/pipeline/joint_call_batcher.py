"""The questions about one source that wait together: asked alone or jointly, what is cheaper."""

import asyncio
from collections.abc import Sequence

from workbench.errors import JudgeError
from workbench.judging.budget import paid_call
from workbench.judging.joint_calls import PlannedCall, joint_question, judge_jointly, plan_calls
from workbench.judging.llm import LlmJudge, most_usd
from workbench.pipeline.budgeted_calls import BudgetedCaller, JudgeCall
from workbench.pipeline.request_coalescing import PendingRequest
from workbench.records.spending import PricedCall
from workbench.records.verdict import Judgment

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
