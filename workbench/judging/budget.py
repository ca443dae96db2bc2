"""The cost cap: what a call may cost at worst is reserved, and written down, before it is sent.

A budget with a `SpendingRecord` survives a kill: reservations are on the disk before their calls
go out, and one that was never settled counts in full from then on. Writes are made in groups: what
is asked for while one write is under way goes into the next, so that many calls at once wait for
about two writes (20 ms each in the store), however many they are.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Protocol, TypeVar

from workbench.errors import JudgeError
from workbench.records.format import usd
from workbench.records.spending import (
    NO_SPENDING,
    PricedCall,
    Reservation,
    Spending,
    SpendingUpdate,
    checked_cost_cap,
)

Answer = TypeVar("Answer")


class SpendingRecord(Protocol):
    """One account of calls and their costs that outlives the process."""

    def write(
        self, costs: Mapping[int, float | None], calls: Sequence[PricedCall], cap_usd: float | None
    ) -> SpendingUpdate:
        """Settle reservations and make new ones, all or nothing, and on the disk on return.

        `costs` are USD by reservation: None for a call at an unknown price, 0 for one that was
        never made. A call whose worst case does not fit under the cap, over all processes, gets no
        reservation.
        """

    def unsettled(self, keys: Collection[str]) -> Mapping[str, Sequence[Reservation]]:
        """The account's reservations without a cost, by the key of their judgment."""


class CostBudget(Protocol):
    """Money that is set aside before it is spent."""

    async def reserve(self, call: PricedCall) -> Reservation:
        """Set aside what a call costs at worst; raises JudgeError where it does not fit."""

    async def reserve_in_turn(self, call: PricedCall) -> Reservation:
        """`reserve`, but wait where only running calls block it."""

    def settle(self, reservation: Reservation, cost_usd: float | None) -> None:
        """Replace a reservation by what the call cost; None for an unknown price."""

    def abandon(self, reservation: Reservation) -> None:
        """Leave a reservation as it is: the call was cut off, and nobody knows what it cost."""


SLACK_USD = 1e-8
"""A hundredth of a microdollar: sums of floats are not exact."""


class Budget:
    """Money for one run; reservations and spendings together never exceed the cap.

    Meant for one event loop at a time: nothing awaits between asking and taking, so concurrent
    calls cannot both take the last cent. What other processes take is seen through the record.
    """

    def __init__(
        self,
        cap_usd: float | None = None,
        record: SpendingRecord | None = None,
        before: Spending = NO_SPENDING,
        lapses_after: timedelta | None = None,
    ) -> None:
        """`before` is what was spent and reserved when the budget was opened.

        `lapses_after` says when that ends to count, for those whom the cap refuses.

        Raises:
            UsageError: The cap is not a finite number of at least 0.
        """
        self.cap_usd = checked_cost_cap(cap_usd)
        """None is "no cap"."""
        self._record = record
        self._lapses_after = lapses_after if before != NO_SPENDING else None
        self._before = before
        """What is not this budget's own: earlier attempts, and other processes."""
        self._settled_usd = self._live_usd = self._unknown_usd = 0.0
        self._unpriced = 0
        self._written = Spending()
        """The part of the record that is this budget's own."""
        self._costs: dict[int, float | None] = {}
        self._amounts: dict[int, float | None] = {}
        """What is reserved under each id of this budget's own."""
        self._calls: list[tuple[PricedCall, asyncio.Future[int | None]]] = []
        self._writer: asyncio.Task[None] | None = None
        self._waiting: list[asyncio.Future[None]] = []
        self.refused = 0
        """Calls that the cap did not let through."""

    @property
    def spent_usd(self) -> float:
        """What calls with an answer cost, those of earlier attempts included."""
        return self._before.settled_usd + self._settled_usd

    @property
    def reserved_usd(self) -> float:
        """What is reserved for calls whose outcome is unknown; running calls are left out."""
        return self._before.reserved_usd + self._unknown_usd

    @property
    def unpriced_calls(self) -> int:
        """Calls to models whose price is unknown."""
        return self._before.unpriced_calls + self._unpriced

    @property
    def used(self) -> bool:
        """Whether anything was ever reserved or spent."""
        return self.spending != NO_SPENDING or self._live_usd > 0

    @property
    def spending(self) -> Spending:
        """All three."""
        return Spending(
            settled_usd=self.spent_usd,
            reserved_usd=self.reserved_usd,
            unpriced_calls=self.unpriced_calls,
        )

    async def reserve(self, call: PricedCall) -> Reservation:
        """Set aside what a call costs at worst; on return it is written down.

        Raises:
            JudgeError: `cost_cap_reached` when it does not fit, or when there is a cap and the
                call's price is unknown.
            StoreError: It cannot be written down.
        """
        worst = call.worst_usd
        if worst == 0:
            return Reservation(worst_usd=0.0)
        if self.cap_usd is not None and (worst is None or not self._fits(worst)):
            raise self._refusal(worst)
        self._take(worst, 1)
        if self._record is None:
            return Reservation(worst_usd=worst)
        try:
            identifier = await self._record_call(call)
        except BaseException:
            self._take(worst, -1)
            raise
        if identifier is None:
            self._take(worst, -1)
            raise self._refusal(worst)
        return Reservation(worst_usd=worst, id=identifier)

    async def reserve_in_turn(self, call: PricedCall) -> Reservation:
        """`reserve`, but wait for running calls to settle where only they block it.

        A worst case is several times what a call costs: with many calls at once reservations fill
        the cap long before the money is spent.

        Raises:
            JudgeError: `cost_cap_reached` when it would not fit with no other call running.
            StoreError: It cannot be written down.
        """
        while True:
            try:
                return await self.reserve(call)
            except JudgeError:
                worst = call.worst_usd
                if worst is None or self._live_usd <= 1e-12:
                    raise
                if not self._fits(worst - self._live_usd):
                    raise
            self.refused -= 1  # it only waits
            turn = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            await turn

    def settle(self, reservation: Reservation, cost_usd: float | None) -> None:
        """Replace a reservation by what the call cost; None for an unknown price."""
        worst = reservation.worst_usd
        if reservation.earlier:
            self._before = replace(
                self._before, reserved_usd=max(0.0, self._before.reserved_usd - (worst or 0.0))
            )
        else:
            self._live_usd -= worst or 0.0
            if worst is None and cost_usd is not None:
                self._unpriced -= 1  # it was never made
        self._settled_usd += cost_usd or 0.0
        if reservation.id is not None:
            self._costs[reservation.id] = cost_usd
            self._start_writing()
        self._wake()

    def abandon(self, reservation: Reservation) -> None:
        """Leave a reservation as it is: the call was cut off, and nobody knows what it cost."""
        self._live_usd -= reservation.worst_usd or 0.0
        self._unknown_usd += reservation.worst_usd or 0.0
        self._wake()

    async def charge(self, call: PricedCall) -> None:
        """Record a call that was already billed, regardless of the cap.

        Raises:
            StoreError: It cannot be written down.
        """
        self._settled_usd += call.billed_usd or 0.0
        if self._record is not None and call.billed_usd:
            await self._record_call(call)

    async def unsettled(self, keys: Collection[str]) -> Mapping[str, Sequence[Reservation]]:
        """Reservations of earlier attempts without a cost, by the key of their judgment."""
        if self._record is None or not keys:
            return {}
        return await asyncio.to_thread(self._record.unsettled, keys)

    async def aclose(self) -> None:
        """Wait until all is written down; the budget may be used again.

        Raises:
            StoreError: It cannot be written down.
        """
        await asyncio.sleep(0)  # a waiter that was cancelled gives back in the next turn
        while self._costs or self._calls or (self._writer and not self._writer.done()):
            self._start_writing()
            assert self._writer is not None
            await self._writer
            if self._costs:
                self._write_costs()

    # -- counting -------------------------------------------------------------------------------

    def _fits(self, worst_usd: float) -> bool:
        counted = self.spent_usd + self.reserved_usd + self._live_usd
        return self.cap_usd is None or counted + worst_usd <= self.cap_usd + SLACK_USD

    def _take(self, worst_usd: float | None, sign: int) -> None:
        self._live_usd += sign * (worst_usd or 0.0)
        self._unpriced += sign * (worst_usd is None)
        if sign < 0:
            self._wake()

    def _wake(self) -> None:
        waiting, self._waiting = self._waiting, []
        for turn in waiting:
            if not turn.done():
                turn.set_result(None)

    def _refusal(self, worst_usd: float | None) -> JudgeError:
        self.refused += 1
        if worst_usd is None:
            return JudgeError(
                "cost_cap_reached",
                "Not judged: the price of this model is unknown, so the cost cap cannot be "
                "enforced; add its price to the price table or run without a cap.",
            )
        cap = self.cap_usd or 0.0
        left_usd = max(0.0, cap - self.spent_usd - self.reserved_usd - self._live_usd)
        reason = (
            f"the next call could cost up to {usd(worst_usd)}, {usd(left_usd)} of {usd(cap)} is left"
            if self.spent_usd + SLACK_USD < cap
            else f"the cost cap of {usd(cap)} is reached"
        )
        unknown = self.reserved_usd
        reserved_note = (
            f" ({usd(unknown)} is reserved, outcome unknown)" if unknown > SLACK_USD else ""
        )
        later = ""
        if self._lapses_after is not None:
            minutes = self._lapses_after // timedelta(minutes=1)
            later = (
                f", or ask again in {minutes} minutes: until then what an earlier attempt that was "
                "cut off spent and reserved counts"
            )
        return JudgeError(
            "cost_cap_reached",
            f"Not judged: {reason}{reserved_note}; raise the cap to continue{later}.",
        )

    # -- writing down ---------------------------------------------------------------------------

    async def _record_call(self, call: PricedCall) -> int | None:
        future: asyncio.Future[int | None] = asyncio.get_running_loop().create_future()
        self._calls.append((call, future))
        self._start_writing()
        try:
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            future.add_done_callback(self._give_back)
            raise

    def _give_back(self, future: asyncio.Future[int | None]) -> None:
        """Release what was written down for a call that is not made any more."""
        if future.cancelled() or future.exception() is not None:
            return
        identifier = future.result()
        if identifier is not None:
            self._costs[identifier] = 0.0
            self._start_writing()

    def _start_writing(self) -> None:
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:  # between two loops: whoever settles waits for the write
            self._write_costs()
            return
        if self._writer is None or self._writer.done():
            self._writer = loop.create_task(self._write_all())

    async def _write_all(self) -> None:
        assert self._record is not None
        while self._calls or self._costs:
            requests, self._calls = self._calls, []
            costs, self._costs = self._costs, {}
            calls = [call for call, _ in requests]
            try:
                update = await asyncio.to_thread(self._record.write, costs, calls, self.cap_usd)
            except Exception as error:
                self._costs = {**costs, **self._costs}
                for _, future in requests:
                    future.set_exception(error)
                return
            self._note(costs, calls, update)
            for (_, future), identifier in zip(requests, update.ids, strict=True):
                future.set_result(identifier)

    def _write_costs(self) -> None:
        assert self._record is not None
        costs, self._costs = self._costs, {}
        self._note(costs, (), self._record.write(costs, (), self.cap_usd))

    def _note(
        self, costs: Mapping[int, float | None], calls: Sequence[PricedCall], update: SpendingUpdate
    ) -> None:
        """Separate this budget's own amounts in the record from those of others."""
        written = self._written
        settled, reserved, unpriced = (
            written.settled_usd,
            written.reserved_usd,
            written.unpriced_calls,
        )
        for identifier, cost in costs.items():
            settled += cost or 0.0
            if identifier in self._amounts:
                amount = self._amounts.pop(identifier)
                reserved -= amount or 0.0
                unpriced -= amount is None and cost is not None
        for call, call_id in zip(calls, update.ids, strict=True):
            if call.billed_usd is not None:
                settled += call.billed_usd
            elif call_id is not None:
                self._amounts[call_id] = call.worst_usd
                reserved += call.worst_usd or 0.0
                unpriced += call.worst_usd is None
        self._written = Spending(
            settled_usd=settled, reserved_usd=reserved, unpriced_calls=unpriced
        )
        spending = update.spending
        self._before = Spending(
            settled_usd=max(0.0, spending.settled_usd - settled),
            reserved_usd=max(0.0, spending.reserved_usd - reserved),
            unpriced_calls=max(0, spending.unpriced_calls - unpriced),
        )


class SharedBudget(Budget):
    """One run's part in money that several runs have together: the whole decides, this counts."""

    def __init__(self, budget: CostBudget) -> None:
        super().__init__()
        self._budget = budget

    async def reserve(self, call: PricedCall) -> Reservation:
        """Set the amount aside in the whole.

        Raises:
            JudgeError: As the whole does.
        """
        return self._counted(await self._budget.reserve(call))

    async def reserve_in_turn(self, call: PricedCall) -> Reservation:
        """Set the amount aside in the whole, in turn with the other runs.

        Raises:
            JudgeError: As the whole does.
        """
        return self._counted(await self._budget.reserve_in_turn(call))

    def settle(self, reservation: Reservation, cost_usd: float | None) -> None:
        """Settle it in the whole, and count it as this run's."""
        self._budget.settle(reservation, cost_usd)
        super().settle(replace(reservation, id=None), cost_usd)

    def abandon(self, reservation: Reservation) -> None:
        """Leave it reserved in the whole, and count it as this run's."""
        self._budget.abandon(reservation)
        super().abandon(replace(reservation, id=None))

    def _counted(self, reservation: Reservation) -> Reservation:
        self._take(reservation.worst_usd, 1)
        return reservation


async def paid_call(
    purse: CostBudget,
    call: PricedCall,
    ask: Callable[[], Awaitable[Answer]],
    cost_usd: Callable[[Answer], float],
    keep: Callable[[Answer], Awaitable[None]] | None = None,
) -> Answer:
    """The answer of a call whose worst case was reserved before, and settled by what it cost.

    It is settled once `keep` has the answer: a process killed in between has it, and the reservation
    counts in full; the other way round an answer would be paid for and gone.

    Raises:
        JudgeError: `cost_cap_reached`, before the call; or what `ask` raised.
    """
    reservation = await purse.reserve_in_turn(call)
    unknown = call.worst_usd is None
    try:
        answer = await ask()
    except JudgeError as error:
        # without any text no call was made
        was_sent = error.kind != "not_evidence"
        purse.settle(reservation, None if unknown and was_sent else error.cost_usd)
        raise
    except BaseException:
        purse.abandon(reservation)  # interrupted: nobody knows what was billed
        raise
    try:
        if keep is not None:
            await keep(answer)
    finally:
        purse.settle(reservation, None if unknown else cost_usd(answer))
    return answer
