"""Budgets whose spending is kept in the database, for what has no run to keep it."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from workbench.judging.budget import Budget
from workbench.records.spending import NO_SPENDING
from workbench.store.admin.spending import SpendingAccount, attempt_account
from workbench.store.store import Store

LAPSES_AFTER = timedelta(minutes=15)
"""No call goes on for so long: what a check of claims that was cut off spent counts no longer."""


@contextmanager
def attempt_budget(
    store: Store | None,
    purpose: str,
    max_cost_usd: float | None,
    lapses_after: timedelta | None = None,
) -> Iterator[Budget]:
    """The money of one attempt at something; what an attempt that was cut off spent counts.

    An attempt is over when the block ends well. One that was killed, or ended by an error, is gone
    on with by the next attempts at the same thing, until one of them is not held up by the cap:
    together they have no more than the cap. With `lapses_after` one that reserved nothing for so
    long is not gone on with: nothing of its answers is kept, and it would hold the cap for ever.
    Without a store nothing outlives the process.

    Raises:
        UsageError: The cap is no finite amount of at least 0, or the database cannot be used.
    """
    budget = Budget(max_cost_usd)
    if store is None:
        yield budget
        return
    account = attempt_account(store, purpose, lapses_after)
    before = account.spending()
    budget = Budget(max_cost_usd, account, before, lapses_after)
    yield budget
    held_up = budget.refused > 0 and before != NO_SPENDING
    if budget.used and not held_up:
        account.close()


def lasting_budget(
    store: Store, account_id: str, max_cost_usd: float | None, before_usd: float = 0.0
) -> Budget:
    """The money of something that has one cap for good: a batch, a series.

    `before_usd` is its cost before it had an account.

    Raises:
        UsageError: The cap is no finite amount of at least 0, or the database cannot be used.
    """
    account = SpendingAccount(store, account_id, before_usd=before_usd)
    account.settle_kept()
    return Budget(max_cost_usd, account, account.opened())
