"""The cost cap holds under concurrency, and does not stop a run that could still pay."""

import asyncio
import random

import pytest

from workbench.errors import JudgeError
from workbench.judging.budget import Budget


async def spend(budget, worst, real, log):
    try:
        reserved = await budget.reserve_in_turn(worst)
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
        for at in range(0, 300, 32):
            await asyncio.gather(*calls[at : at + 32])
        return budget.spent_usd

    assert asyncio.run(run()) <= 0.2 + 1e-8


@pytest.mark.parametrize("worst", [None, 2.0])
def test_what_can_never_fit_is_refused_at_once(worst):
    with pytest.raises(JudgeError, match="cost cap"):
        asyncio.run(Budget(1.0).reserve_in_turn(worst))


def test_without_a_cap_everything_fits():
    assert asyncio.run(Budget(None).reserve_in_turn(None)) == 0.0
