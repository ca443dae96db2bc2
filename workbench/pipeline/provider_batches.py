"""The questions of a run that can wait, handed in as batches at the providers' batch price.

A batch goes out when nothing is fetched, read or judged any more that could bring another question.
That it is about to go out is told before, and its ticket at once, so that whoever keeps runs can
keep both: a run that was stopped or killed collects by the ticket what it had submitted, looks at
the provider for what has no ticket yet, and pays for nothing twice.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import cast

from workbench.errors import JudgeError
from workbench.judging.batch import (
    BatchItem,
    BatchJob,
    batch_state,
    collect_batch,
    find_batch,
    intend_batch,
    submit_batch,
)
from workbench.judging.llm import LlmJudge, worst_usage
from workbench.judging.provider import BatchIntent, BatchState
from workbench.pipeline.judge_calls import BudgetedCaller, JudgeCall, PendingRequest, Waiting
from workbench.records.spending import PricedCall, Reservation
from workbench.records.text import Json
from workbench.records.verdict import Judgment

MOST_ITEMS = 5000
"""Questions in one batch; both providers take more."""
ByKey = dict[str, list[PendingRequest[JudgeCall, Judgment]]]


class ProviderBatcher:
    """Hands in what waits in a room, and waits for it."""

    def __init__(
        self,
        paying: BudgetedCaller,
        handed_in: Sequence[BatchJob],
        keep: Callable[[Sequence[BatchJob]], None],
        tell: Callable[[str], None],
    ) -> None:
        """`handed_in` are tickets of an earlier try; `keep` gets all tickets when one is added."""
        self._paying = paying
        self._handed_in = list(handed_in)
        self._tickets = list(handed_in)
        self._keep = keep
        self._tell = tell

    async def serve(self, key: str, seats: Waiting) -> None:
        """Answer every seat, first from batches that were handed in before."""
        by_judge: dict[str, list[PendingRequest[JudgeCall, Judgment]]] = {}
        for seat in seats:
            by_judge.setdefault(seat.item.judge.spec, []).append(seat)
        seats_by_judge = {spec: _by_key(waiting) for spec, waiting in by_judge.items()}
        earlier = [ticket for ticket in self._handed_in if ticket.spec in seats_by_judge]
        # a cascade comes again with the questions of its next judge
        self._handed_in = [
            ticket for ticket in self._handed_in if ticket.spec not in seats_by_judge
        ]
        # all that is owed is counted before anything new is handed in: the cap holds for both
        await asyncio.gather(
            *(
                self._collect_all([ticket for ticket in earlier if ticket.spec == spec], waiting)
                for spec, waiting in seats_by_judge.items()
            )
        )
        await asyncio.gather(
            *(self._submit_all(unanswered) for unanswered in seats_by_judge.values() if unanswered)
        )

    async def _collect_all(self, tickets: Sequence[BatchJob], seats_by_key: ByKey) -> None:
        """Answer from the earlier batches of one judge, and settle what was reserved for them."""
        if not tickets:
            return
        reserved = await self._paying.budget.unsettled(list(seats_by_key))
        open_ones = {key: list(reservations) for key, reservations in reserved.items()}
        fully_read = await asyncio.gather(
            *(self._collect_earlier(ticket, seats_by_key, open_ones) for ticket in tickets)
        )
        if all(fully_read):  # every batch was read: what is in none of them was never billed
            for reservations in open_ones.values():
                for reservation in reservations:
                    self._paying.budget.settle(reservation, 0.0)

    async def _collect_earlier(
        self, ticket: BatchJob, seats_by_key: ByKey, reserved: dict[str, list[Reservation]]
    ) -> bool:
        """Whether all of a ticket's batches were read."""
        judge = _judge(seats_by_key)
        if judge is None or ticket.prompt != judge.prompt.id:
            return False
        batches = await self._known_batches(judge, ticket)
        if batches is None:
            return False
        return all(
            [await self._collect_one(judge, batch, seats_by_key, reserved) for batch in batches]
        )

    async def _known_batches(self, judge: LlmJudge, ticket: BatchJob) -> list[BatchJob] | None:
        """The ticket; for one that was only intended, those of what the provider has of it.

        None where the provider does not say.
        """
        while ticket.intent is not None:
            try:
                known_ids = {batch.id for batch in self._tickets}
                batches = [
                    batch for batch in await find_batch(judge, ticket) if batch.id not in known_ids
                ]
            except JudgeError as error:
                if not error.passing:
                    self._tell(f"A batch may be lost: {error.message}")
                    return None
                self._tell(f"{error.message} It is asked again.")
                await asyncio.sleep(self._paying.options.batch_poll_s)
                continue
            await self._replace(ticket, batches)
            return batches
        return [ticket]

    async def _collect_one(
        self,
        judge: LlmJudge,
        ticket: BatchJob,
        seats_by_key: ByKey,
        reserved: dict[str, list[Reservation]],
    ) -> bool:
        """Whether the batch could be read."""
        if not seats_by_key:
            return True
        try:
            answers = await self._collected(judge, ticket, _items(seats_by_key))
        except JudgeError as error:
            self._tell(f"An earlier batch is lost: {error.message}")
            return False
        for key, answer in answers.items():
            if isinstance(answer, JudgeError) and answer.kind == "llm_judge_error":
                continue  # not in that batch, or it failed there: nothing was billed
            await self._settle_earlier(judge, key, answer.cost_usd, reserved.pop(key, []))
            await self._answer(seats_by_key.pop(key), answer)
        return True

    async def _settle_earlier(
        self, judge: LlmJudge, key: str, cost_usd: float, reserved: Sequence[Reservation]
    ) -> None:
        """Count an answer that an earlier try had asked for."""
        budget = self._paying.budget
        cost = None if judge.price is None else cost_usd
        if reserved:
            # another one for the same question may have been billed in a batch that is lost
            budget.settle(reserved[0], cost)
        else:
            call = PricedCall(judge=judge.spec, key=key, worst_usd=None, billed_usd=cost_usd)
            await budget.charge(call)

    async def _submit_all(self, seats_by_key: ByKey) -> None:
        judge = _judge(seats_by_key)
        if judge is None:
            return
        budget = self._paying.budget
        keys = list(seats_by_key)
        reservations = await asyncio.gather(
            *(budget.reserve(_call(judge, seats_by_key[key][0].item)) for key in keys),
            return_exceptions=True,
        )
        reserved: dict[str, Reservation] = {}
        for key, reservation in zip(keys, reservations, strict=True):
            if isinstance(reservation, Reservation):
                reserved[key] = reservation
            elif isinstance(reservation, JudgeError):
                await self._answer(seats_by_key[key], reservation)
            else:
                raise reservation
        reserved_keys = list(reserved)
        parts = [
            reserved_keys[at : at + MOST_ITEMS] for at in range(0, len(reserved_keys), MOST_ITEMS)
        ]
        try:
            await asyncio.gather(
                *(
                    self._run_batch(judge, {key: seats_by_key[key] for key in part}, reserved)
                    for part in parts
                )
            )
        finally:
            # stopped while it waits: what is still out is settled when it is collected
            for reservation in reserved.values():
                budget.abandon(reservation)

    async def _run_batch(
        self, judge: LlmJudge, seats_by_key: ByKey, reserved: dict[str, Reservation]
    ) -> None:
        items = _items(seats_by_key)
        try:
            ticket = await self._submitted(judge, items)
            answers: Mapping[str, Judgment | JudgeError] = await self._collected(
                judge, ticket, items
            )
        except JudgeError as error:
            answers = dict.fromkeys(seats_by_key, error)
        for key, answer in answers.items():
            self._paying.budget.settle(reserved.pop(key), _cost(judge, answer))
            await self._answer(seats_by_key[key], answer)

    async def _submitted(self, judge: LlmJudge, items: Sequence[BatchItem]) -> BatchJob:
        """The ticket of a batch; that it is on its way is kept before, and the ticket after."""
        intended = intend_batch(judge, items)
        await self._replace(None, [intended])
        try:
            ticket = await submit_batch(judge, items, intended)
        except JudgeError:
            await self._replace(intended, [])
            raise
        await self._replace(intended, [ticket])
        return ticket

    async def _replace(self, old: BatchJob | None, new: Sequence[BatchJob]) -> None:
        self._tickets = [ticket for ticket in self._tickets if ticket != old] + list(new)
        # nothing may come between a batch and its ticket, not even a stop
        await asyncio.shield(asyncio.to_thread(self._keep, tuple(self._tickets)))

    async def _collected(
        self, judge: LlmJudge, ticket: BatchJob, items: Sequence[BatchItem]
    ) -> dict[str, Judgment | JudgeError]:
        """The answers of a batch, once it is done.

        A server that cannot be reached for a while is asked again: what it holds is paid for.
        """
        while True:
            try:
                state = await batch_state(judge, ticket)
                if state.done:
                    answers = await collect_batch(judge, ticket, items)
                    self._tell("")
                    return answers
                self._tell(_waiting_message(judge, state))
            except JudgeError as error:
                if not error.passing:
                    raise
                self._tell(f"{error.message} It is asked again.")
            await asyncio.sleep(self._paying.options.batch_poll_s)

    async def _answer(self, seats: Waiting, answer: Judgment | JudgeError) -> None:
        if isinstance(answer, Judgment):
            await self._paying.remember(seats[0].item, answer)
        for seat in seats:
            if isinstance(answer, Judgment):
                seat.answer(answer)
            else:
                seat.fail(answer)


def tickets_in(config: Mapping[str, Json]) -> list[BatchJob]:
    """The tickets that a run's config holds under `batches`."""
    entries = config.get("batches")
    return [
        BatchJob(
            id=str(entry["id"]),
            spec=str(entry["spec"]),
            prompt=str(entry["prompt"]),
            intent=_intent(entry.get("intent")),
        )
        for entry in (entries if isinstance(entries, list) else [])
        if isinstance(entry, dict) and {"id", "spec", "prompt"} <= set(entry)
    ]


def _intent(raw: Json) -> BatchIntent | None:
    if not isinstance(raw, dict):
        return None
    items = raw["items"]
    return BatchIntent(
        mark=str(raw["mark"]),
        items=items if isinstance(items, int) else 0,
        at=datetime.fromisoformat(str(raw["at"])),
    )


def _by_key(seats: Waiting) -> ByKey:
    by_key: ByKey = {}
    for seat in seats:
        by_key.setdefault(seat.item.key, []).append(seat)
    return by_key


def _judge(seats_by_key: ByKey) -> LlmJudge | None:
    first = next(iter(seats_by_key.values()), None)
    return cast("LlmJudge", first[0].item.judge) if first else None


def _items(seats_by_key: ByKey) -> list[BatchItem]:
    return [
        BatchItem(
            id=key,
            claim=seats[0].item.claim,
            passages=seats[0].item.passages,
            context=seats[0].item.context,
        )
        for key, seats in seats_by_key.items()
    ]


def _call(judge: LlmJudge, question: JudgeCall) -> PricedCall:
    """The most that one question of a batch can cost."""
    worst = None
    if judge.price is not None:
        usage = worst_usage(judge.question(question.claim, question.passages, question.context))
        worst = judge.price.cost_usd(usage, batch=True)
    return PricedCall(judge=judge.spec, key=question.key, worst_usd=worst)


def _cost(judge: LlmJudge, answer: Judgment | JudgeError) -> float | None:
    """What an answer cost; None where the price is unknown, 0 where there is none."""
    failed = isinstance(answer, JudgeError) and answer.kind == "llm_judge_error"
    return None if judge.price is None and not failed else answer.cost_usd


def _waiting_message(judge: LlmJudge, state: BatchState) -> str:
    waiting = {"processing", "total"}
    counts = ", ".join(
        f"{count} {name}" for name, count in state.counts.items() if count and name not in waiting
    )
    return (
        f"Waiting for the batch at {judge.spec}"
        + (f" ({counts})" if counts else "")
        + ": it may take up to a day; the run can be stopped and resumed later"
    )
