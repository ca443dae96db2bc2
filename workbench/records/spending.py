"""Money: amounts in words, the cost cap's one validator, calls reserved and settled."""

import math
from dataclasses import dataclass

from workbench.errors import UsageError
from workbench.records.format import usd


def checked_cost_cap(value: object, name: str = "max_cost_usd") -> float | None:
    """The cost cap in USD; None for no cap.

    Raises:
        UsageError: It is no finite number of at least 0.
    """
    if value is None:
        return None
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not math.isfinite(value) or value < 0:  # type: ignore[operator,arg-type]
        raise UsageError(
            f"{name} is {value!r}: give an amount in US dollars of at least 0, like 0.5."
        )
    return float(value)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True, kw_only=True)
class PricedCall:
    """A call that is about to be made, or one that was billed already."""

    worst_usd: float | None
    """The most it can cost; None where the model's price is unknown."""
    judge: str = ""
    """The SPEC of who is asked."""
    key: str = ""
    """Of the judgment that is asked for, where it has one."""
    billed_usd: float | None = None
    """What it cost, for a call that was made elsewhere and is only entered: no cap refuses it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reservation:
    """Money set aside for one call until its cost is known."""

    worst_usd: float | None
    id: int | None = None
    """In the spending record; None where none is kept."""
    earlier: bool = False
    """Made by an earlier process, or by another one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spending:
    """What an account has come to."""

    settled_usd: float = 0.0
    """What calls with an answer cost."""
    reserved_usd: float = 0.0
    """Set aside for calls without an answer: under way, or cut off, their outcome unknown."""
    unpriced_calls: int = 0
    """Calls to models whose price is unknown."""


NO_SPENDING = Spending()


def format_cost(spending: Spending) -> str:
    """What something cost, for people: the amount, what is reserved, and that a price is unknown."""
    settled = usd(spending.settled_usd)
    words = settled
    if spending.unpriced_calls:
        words = f"price unknown, {settled} besides" if spending.settled_usd else "price unknown"
    if spending.reserved_usd:
        words += f" ({usd(spending.reserved_usd)} reserved, outcome unknown)"
    return words


@dataclass(frozen=True, slots=True, kw_only=True)
class SpendingUpdate:
    """What came of writing to a spending record."""

    ids: tuple[int | None, ...]
    """Of the reservations, in the order of the calls; None for a call that the cap refused."""
    spending: Spending
    """The account afterwards."""
