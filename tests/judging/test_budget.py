"""The cost cap holds under concurrency, and does not stop a run that could still pay."""

import asyncio
import random
from datetime import timedelta

import pytest

from workbench.errors import JudgeError, UsageError
from workbench.judging.budget import Budget
from workbench.records.format import usd
from workbench.records.spending import PricedCall, Spending
from workbench.services.spending import LAPSES_AFTER, attempt_budget
from workbench.store.admin.spending import attempt_account, run_account
from workbench.store.store import Store


async def spend(budget, worst, real, log):
    try:
        reserved = await budget.reserve_in_turn(PricedCall(worst_usd=worst))
    except JudgeError as error:
        log.append(error.kind)
        return
    await asyncio.sleep(0)
    budget.settle(reserved, real)
    log.append(real)


def test_waiting_spends_what_the_cap_allows():
    async def run():
        budget, log = Budget(1.0), []
        # ten calls at once, each at worst 0.5 and in truth 0.1
        await asyncio.gather(*(spend(budget, 0.5, 0.1, log) for _ in range(10)))
        return budget, log

    budget, log = asyncio.run(run())
    # after five the spent 0.5 and a worst 0.5 just fit; the sixth makes it 0.6
    assert budget.spent_usd == pytest.approx(0.6)
    assert log.count("cost_cap_reached") == 4


@pytest.mark.parametrize("seed", range(5))
def test_the_cap_is_never_passed_at_concurrency_32(seed):
    generator = random.Random(seed)

    async def run():
        budget, log = Budget(0.2), []
        calls = []
        for _ in range(300):
            worst = generator.uniform(0.001, 0.02)
            calls.append(spend(budget, worst, generator.uniform(0, worst), log))
        for start in range(0, 300, 32):
            await asyncio.gather(*calls[start : start + 32])
        return budget.spent_usd

    assert asyncio.run(run()) <= 0.2 + 1e-8


@pytest.mark.parametrize("worst", [None, 2.0])
def test_what_can_never_fit_is_refused_at_once(worst):
    with pytest.raises(JudgeError, match="cost cap|could cost"):
        asyncio.run(Budget(1.0).reserve_in_turn(PricedCall(worst_usd=worst)))


def test_without_a_cap_everything_fits():
    budget = Budget(None)
    asyncio.run(budget.reserve_in_turn(PricedCall(worst_usd=None)))
    assert budget.unpriced_calls == 1


def refusal(budget, worst):
    with pytest.raises(JudgeError) as refused:
        asyncio.run(budget.reserve_in_turn(PricedCall(worst_usd=worst)))
    return refused.value.message


def test_a_refusal_says_what_the_next_call_could_cost_and_what_is_left():
    message = refusal(Budget(0.012, before=Spending(settled_usd=0.0102)), 0.0037)
    assert "the next call could cost up to $0.0037, $0.0018 of $0.012 is left" in message
    assert "reached" not in message


def test_the_cap_is_called_reached_only_when_it_is():
    assert "the cost cap of $0.012 is reached" in refusal(
        Budget(0.012, before=Spending(settled_usd=0.012)), 0.0037
    )


def test_a_reservation_of_a_killed_process_is_named():
    message = refusal(Budget(1.0, before=Spending(settled_usd=0.1, reserved_usd=0.8)), 0.2)
    assert "$0.10 of $1.00 is left ($0.80 is reserved, outcome unknown)" in message


@pytest.mark.parametrize("cap", [float("nan"), float("inf"), -0.01, "1", True])
def test_a_cap_is_a_finite_amount_of_at_least_nothing(cap):
    with pytest.raises(UsageError, match="max_cost_usd is"):
        Budget(cap)


@pytest.mark.parametrize(
    ("amount", "expected"),
    [(0, "$0"), (1.5, "$1.50"), (0.012, "$0.012"), (0.00372, "$0.00372"), (4.2e-5, "$0.000042")],
)  # fmt: skip
def test_amounts_keep_their_first_digits(amount, expected):
    assert usd(amount) == expected


# -- a budget that is stored ----------------------------------------------------------------------


@pytest.fixture
def account(tmp_path):
    return run_account(Store(tmp_path / "w.duckdb"), "r1")


def test_a_reservation_is_on_the_disk_before_the_call_and_its_cost_after(account):
    async def run():
        budget = Budget(1.0, account)
        reserved = await budget.reserve_in_turn(PricedCall(worst_usd=0.5, judge="j", key="k"))
        spent_before = account.spending()
        budget.settle(reserved, 0.1)
        await budget.aclose()
        return spent_before, account.spending()

    spent_before, spent_after = asyncio.run(run())
    assert spent_before == Spending(reserved_usd=0.5)
    assert spent_after == Spending(settled_usd=0.1)


def test_what_a_killed_process_reserved_counts_in_full(account, tmp_path):
    asyncio.run(Budget(1.0, account).reserve_in_turn(PricedCall(worst_usd=0.7)))
    again = run_account(Store(tmp_path / "w.duckdb"), "r1")
    budget = Budget(1.0, again, again.spending())
    assert budget.reserved_usd == 0.7
    message = refusal(budget, 0.4)
    assert "$0.30 of $1.00 is left ($0.70 is reserved, outcome unknown)" in message


def test_two_budgets_of_one_account_never_take_the_same_cent(account, tmp_path):
    async def run():
        # neither has seen what the other does: only the account knows
        budgets = [Budget(1.0, run_account(Store(tmp_path / "w.duckdb"), "r1")) for _ in range(2)]
        log = []
        await asyncio.gather(*(spend(budgets[n % 2], 0.3, 0.3, log) for n in range(10)))
        for budget in budgets:
            await budget.aclose()
        return log

    log = asyncio.run(run())
    assert log.count(0.3) == 3
    assert account.spending() == Spending(settled_usd=pytest.approx(0.9))


def test_many_calls_at_once_are_written_down_together(account):
    writes = []

    class Counted:
        def write(self, costs, calls, cap_usd):
            writes.append(len(calls))
            return account.write(costs, calls, cap_usd)

    async def run():
        budget, log = Budget(None, Counted()), []
        await asyncio.gather(*(spend(budget, 0.01, 0.001, log) for _ in range(50)))
        await budget.aclose()

    asyncio.run(run())
    assert sum(writes) == 50
    assert len(writes) <= 5
    assert account.spending().settled_usd == pytest.approx(0.05)


def test_a_call_that_was_stopped_before_it_was_made_gives_its_money_back(account):
    async def run():
        budget = Budget(1.0, account)
        waiting = asyncio.create_task(budget.reserve_in_turn(PricedCall(worst_usd=0.5)))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        await budget.aclose()
        return budget

    budget = asyncio.run(run())
    assert account.spending() == Spending()
    assert budget.reserved_usd == 0


def test_the_higher_cost_stands_where_two_processes_settle_one_call(account):
    (first,) = account.write({}, [PricedCall(worst_usd=0.5)], None).ids
    account.write({first: 0.0}, (), None)
    account.write({first: 0.2}, (), None)
    account.write({first: 0.1}, (), None)
    assert account.spending() == Spending(settled_usd=0.2)


def test_a_check_that_was_cut_off_holds_its_cap_for_a_time_that_is_told(tmp_path):
    store = Store(tmp_path / "workbench.duckdb")
    attempt_account(store, "claims").write({}, [PricedCall(worst_usd=0.9)], 1.0)
    with attempt_budget(store, "claims", 1.0, LAPSES_AFTER) as budget:
        assert "or ask again in 15 minutes" in refusal(budget, 0.2)
        assert budget.reserved_usd == 0.9
    with attempt_budget(store, "claims", 1.0, timedelta(0)) as budget:
        asyncio.run(budget.reserve(PricedCall(worst_usd=0.2)))
        assert budget.reserved_usd == 0
