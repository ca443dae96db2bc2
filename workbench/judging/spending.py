"""What a budget offers, where it is recorded, and the only way to make a paid call."""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import Protocol, TypeVar

from workbench.errors import JudgeError
from workbench.records import PricedCall, Reservation, SpendingUpdate

Answer = TypeVar("Answer")


class SpendingRecord(Protocol):
    """One account of calls and their costs that outlives the process."""

    def write(
        self,
        costs: Mapping[int, float | None],
        calls: Sequence[PricedCall],
        cap_usd: float | None,
    ) -> SpendingUpdate:
        """Settle reservations and make new ones, all or nothing, and on the disk on return.

        `costs` are USD by reservation: None for a call at an unknown price, 0 for one that was
        never made. A call whose worst case does not fit under the cap, over all processes, gets no
        reservation.
        """
        ...

    def unsettled(self, keys: Collection[str]) -> Mapping[str, Sequence[Reservation]]:
        """The account's reservations without a cost, by the key of their judgment."""
        ...


class CostBudget(Protocol):
    """Money that is set aside before it is spent."""

    async def reserve(self, call: PricedCall) -> Reservation:
        """Set aside what a call costs at worst; raises JudgeError where it does not fit."""
        ...

    async def reserve_in_turn(self, call: PricedCall) -> Reservation:
        """`reserve`, but wait where only running calls block it."""
        ...

    def settle(self, reservation: Reservation, cost_usd: float | None) -> None:
        """Replace a reservation by what the call cost; None for an unknown price."""
        ...

    def abandon(self, reservation: Reservation) -> None:
        """Leave a reservation as it is: the call was cut off, and nobody knows what it cost."""
        ...


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
