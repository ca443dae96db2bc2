"""Two judges on the same items."""

import numpy as np
import pytest

from workbench.calibration.compare import PredictionSet, compare, grouped_mcnemar, mcnemar
from workbench.errors import UsageError


def decided(supported, scores=None):
    return PredictionSet(
        supported=supported, scores=scores or [0.9 if accepted else 0.1 for accepted in supported]
    )


def test_differences_by_hand():
    truth = [True, True, True, False, False, False]
    first = decided([True, False, False, False, True, False])  # right: 1, 4, 6
    second = decided([True, True, False, False, False, True])  # right: 1, 2, 4, 5
    result = compare(first, second, truth, range(6))
    assert result.accuracy.value == pytest.approx(4 / 6 - 3 / 6)
    assert (result.only_first, result.only_second) == (1, 2)
    assert result.balanced_accuracy.value == pytest.approx(
        (2 / 3 + 2 / 3) / 2 - (1 / 3 + 2 / 3) / 2
    )
    assert not result.better


@pytest.mark.parametrize(
    ("first", "second", "p"),
    [(0, 0, 1.0), (1, 1, 1.0), (0, 5, 0.0625), (1, 9, 22 / 1024), (9, 1, 22 / 1024)],
)
def test_mcnemar_by_hand(first, second, p):
    assert mcnemar(first, second) == pytest.approx(p)


def test_mcnemar_swaps_whole_groups_by_hand():
    # two pages of three items on which only the second is right, one page the other way round:
    # swaps give 3 + 3 - 1 = 5, 7, 1, -1 and their negatives; 4 of 8 are 5 or more apart
    assert grouped_mcnemar([1, 1, 1, 1, 1, 1, -1], [1, 1, 1, 2, 2, 2, 3]) == pytest.approx(0.5)
    # as independent items, 6 to 1: 2 * (1 + 7) / 128
    assert mcnemar(1, 6) == pytest.approx(0.125)
    assert grouped_mcnemar([1, 1, 1, 1, 1, 1, -1], range(7)) == pytest.approx(0.125)
    assert grouped_mcnemar([], []) == 1
    assert grouped_mcnemar([1, -1], [1, 1]) == 1


def test_two_judges_that_err_alike_are_told_apart_no_more_often_than_allowed():
    """2,000 worlds of 30 pages of 5 where both judges err equally often, each on its own pages."""
    world, groups = np.random.default_rng(8), np.repeat(np.arange(30), 5)
    by_groups = by_items = 0
    for _ in range(2000):
        a, b = (world.random(150) < np.repeat(world.beta(1.4, 5.6, 30), 5) for _ in range(2))
        steps = a.astype(int) - b.astype(int)
        by_groups += grouped_mcnemar(steps, groups) <= 0.05
        by_items += mcnemar(int((steps < 0).sum()), int((steps > 0).sum())) <= 0.05
    assert by_groups <= 2000 * 0.05 + 3 * (2000 * 0.05 * 0.95) ** 0.5
    assert by_items > 2000 * 0.08


def test_a_clearly_better_judge_is_called_better():
    world = np.random.default_rng(0)
    truth = world.random(500) < 0.5
    weak = np.where(world.random(500) < 0.65, truth, ~truth).tolist()
    strong = np.where(world.random(500) < 0.9, truth, ~truth).tolist()
    result = compare(decided(weak), decided(strong), truth.tolist(), range(500))
    assert result.better
    assert result.auroc.low > 0
    assert result.mcnemar_p < 0.001
    back = compare(decided(strong), decided(weak), truth.tolist(), range(500))
    assert back.accuracy.value == pytest.approx(-result.accuracy.value)
    assert not back.better


def test_a_judge_is_no_better_than_itself():
    truth = [True, False] * 20
    decisions = decided([True] * 40)
    result = compare(decisions, decisions, truth, range(40))
    # of 40 documents none tells them apart: with 1 - .025 ** (1 / 40) of them it could be otherwise
    assert result.accuracy.value == 0
    assert (result.accuracy.low, result.accuracy.high) == pytest.approx((-0.0881, 0.0881), abs=1e-4)
    assert result.auroc.low is None
    assert "no document changes the difference" in result.auroc.no_interval
    assert result.mcnemar_p == 1


@pytest.mark.slow
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
        result = compare(
            decided(a.tolist()), decided(b.tolist()), truth.tolist(), groups, rounds=300
        )
        covered += result.accuracy.low <= 0.1 <= result.accuracy.high
    assert 930 <= covered <= 970


def test_different_items_cannot_be_compared():
    with pytest.raises(UsageError, match="same items"):
        compare(decided([True]), decided([True, False]), [True, False], [1, 2])
