"""The cost cap: what a call may cost at worst is reserved before it is made."""

import asyncio
from typing import Protocol

from workbench.errors import JudgeError


class Purse(Protocol):
    """Money that is set aside before it is spent."""

    def reserve(self, worst_usd: float | None) -> float:
        """Set aside what a call costs at worst; raises JudgeError where it does not fit."""
        ...

    async def reserve_in_turn(self, worst_usd: float | None) -> float:
        """`reserve`, but wait where only calls under way stand in the way."""
        ...

    def settle(self, reserved_usd: float, spent_usd: float) -> None:
        """Replace a reservation by what the call really cost."""
        ...


class Budget:
    """Money for one run; reservations and spendings together never exceed the cap.

    Meant for one event loop: nothing awaits between asking and taking, so concurrent calls cannot
    both take the last cent.
    """

    def __init__(self, cap_usd: float | None = None) -> None:
        self.cap_usd = cap_usd
        """None is "no cap"."""
        self.spent_usd = 0.0
        self._reserved_usd = 0.0
        self._waiting: list[asyncio.Future[None]] = []

    def reserve(self, worst_usd: float | None) -> float:
        """Set aside what a call costs at worst and return that amount, in USD.

        Raises:
            JudgeError: `cost_cap_reached` when it does not fit, or when there is a cap and the
                call's price is unknown (None).
        """
        if self.cap_usd is None:
            return 0.0
        if worst_usd is None:
            raise JudgeError(
                "cost_cap_reached",
                "Not judged: the price of this model is unknown, so the cost cap cannot be held; "
                "add its price to the price table or run without a cap.",
            )
        # a hundredth of a microdollar of slack: sums of floats are not exact
        if self.spent_usd + self._reserved_usd + worst_usd > self.cap_usd + 1e-8:
            raise JudgeError(
                "cost_cap_reached",
                f"Not judged: the cost cap of ${self.cap_usd:.2f} is reached; raise it to go on.",
            )
        self._reserved_usd += worst_usd
        return worst_usd

    async def reserve_in_turn(self, worst_usd: float | None) -> float:
        """`reserve`, but wait for calls under way to settle where only they stand in the way.

        A worst case is several times what a call costs: with many calls at once reservations fill
        the cap long before the money is spent.

        Raises:
            JudgeError: `cost_cap_reached` when it would not fit with nothing else under way.
        """
        while True:
            try:
                return self.reserve(worst_usd)
            except JudgeError:
                if worst_usd is None or self._reserved_usd <= 1e-12:
                    raise
                if self.spent_usd + worst_usd > (self.cap_usd or 0.0) + 1e-8:
                    raise
            turn = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            await turn

    def settle(self, reserved_usd: float, spent_usd: float) -> None:
        """Replace a reservation by what the call really cost."""
        self._reserved_usd -= reserved_usd
        self.spent_usd += spent_usd
        waiting, self._waiting = self._waiting, []
        for turn in waiting:
            if not turn.done():
                turn.set_result(None)


class SharedBudget(Budget):
    """One run's part in money that several runs have together: the whole decides, this counts."""

    def __init__(self, whole: Purse) -> None:
        super().__init__()
        self._whole = whole

    def reserve(self, worst_usd: float | None) -> float:
        """Set the amount aside in the whole.

        Raises:
            JudgeError: As the whole does.
        """
        return self._whole.reserve(worst_usd)

    async def reserve_in_turn(self, worst_usd: float | None) -> float:
        """Set the amount aside in the whole, in turn with the other runs.

        Raises:
            JudgeError: As the whole does.
        """
        return await self._whole.reserve_in_turn(worst_usd)

    def settle(self, reserved_usd: float, spent_usd: float) -> None:
        """Settle it in the whole, and count it as this run's."""
        self._whole.settle(reserved_usd, spent_usd)
        self.spent_usd += spent_usd
