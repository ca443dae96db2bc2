"""Two judges on the same items."""

import numpy as np
import pytest

from workbench.calibration import Decided, compare, mcnemar
from workbench.errors import UsageError


def decided(supported, scores=None):
    return Decided(supported=supported, scores=scores or [0.9 if one else 0.1 for one in supported])


def test_differences_by_hand():
    truth = [True, True, True, False, False, False]
    first = decided([True, False, False, False, True, False])  # right: 1, 4, 6
    second = decided([True, True, False, False, False, True])  # right: 1, 2, 4, 5
    found = compare(first, second, truth, range(6))
    assert found.accuracy.value == pytest.approx(4 / 6 - 3 / 6)
    assert (found.only_first, found.only_second) == (1, 2)
    assert found.balanced_accuracy.value == pytest.approx((2 / 3 + 2 / 3) / 2 - (1 / 3 + 2 / 3) / 2)
    assert not found.better


@pytest.mark.parametrize(
    ("first", "second", "p"),
    [(0, 0, 1.0), (1, 1, 1.0), (0, 5, 0.0625), (1, 9, 22 / 1024), (9, 1, 22 / 1024)],
)
def test_mcnemar_by_hand(first, second, p):
    assert mcnemar(first, second) == pytest.approx(p)


def test_a_clearly_better_judge_is_called_better():
    world = np.random.default_rng(0)
    truth = world.random(500) < 0.5
    weak = np.where(world.random(500) < 0.65, truth, ~truth).tolist()
    strong = np.where(world.random(500) < 0.9, truth, ~truth).tolist()
    found = compare(decided(weak), decided(strong), truth.tolist(), range(500))
    assert found.better
    assert found.auroc.low > 0
    assert found.mcnemar_p < 0.001
    back = compare(decided(strong), decided(weak), truth.tolist(), range(500))
    assert back.accuracy.value == pytest.approx(-found.accuracy.value)
    assert not back.better


def test_a_judge_is_no_better_than_itself():
    truth = [True, False] * 20
    one = decided([True] * 40)
    found = compare(one, one, truth, range(40))
    assert (found.accuracy.value, found.accuracy.low, found.accuracy.high) == (0, 0, 0)
    assert found.mcnemar_p == 1


def test_the_interval_of_a_difference_covers_it():
    """1,000 worlds of 30 pages of 5; the judges err on the same pages."""
    world = np.random.default_rng(3)
    covered = 0
    for _ in range(1000):
        page = np.repeat(world.beta(8, 2, 30), 5)
        truth = world.random(150) < 0.5
        a = np.where(world.random(150) < page - 0.1, truth, ~truth)
        b = np.where(world.random(150) < page, truth, ~truth)
        groups = np.repeat(np.arange(30), 5).tolist()
        found = compare(
            decided(a.tolist()), decided(b.tolist()), truth.tolist(), groups, rounds=300
        )
        covered += found.accuracy.low <= 0.1 <= found.accuracy.high
    assert 930 <= covered <= 970


def test_different_items_cannot_be_compared():
    with pytest.raises(UsageError, match="same items"):
        compare(decided([True]), decided([True, False]), [True, False], [1, 2])
