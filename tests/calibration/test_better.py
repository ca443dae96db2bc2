"""Is a second judge better beyond chance, when one may look several times?"""

import numpy as np
import pytest

from workbench.calibration.compare import better, corrected_confidence, min_groups, swap_test
from workbench.errors import UsageError

ROUNDS = 5


def test_the_chance_is_shared_among_the_looks():
    assert corrected_confidence(1) == pytest.approx(0.95)
    assert corrected_confidence(5) == pytest.approx(0.99)
    assert [min_groups(looks) for looks in (1, 5, 20)] == [6, 8, 10]
    for looks, alpha in ((0, 0.05), (1, 0), (1, 1)):
        with pytest.raises(UsageError, match="cannot be shared"):
            corrected_confidence(looks, alpha)


@pytest.mark.parametrize(
    ("first", "second", "p"),
    [
        ([1, 1, 1, 1], [1, 1, 1, 1], 1.0),  # nothing differs
        ([0, 0, 0, 1, 1, 1], [1, 1, 1, 0, 0, 0], 1 / 64),  # six right in place of six wrong
        ([1, 1, 1, 0, 0, 0], [0, 0, 0, 1, 1, 1], 1.0),
        ([0, 1, 1, 0], [1, 1, 1, 0], 1 / 2),  # one swap in two gains as much
    ],
)
def test_swaps_by_hand(first, second, p):
    many = len(first)
    truth = [True] * (many // 2) + [False] * (many // 2)
    result = swap_test(list(map(bool, first)), list(map(bool, second)), truth, range(many))
    assert result == pytest.approx(p)


def test_items_of_one_group_are_swapped_together():
    truth = [True, True, True, False, False, False]
    wrong, right = [not is_true for is_true in truth], truth
    assert swap_test(wrong, right, truth, ["a", "a", "a", "b", "b", "b"]) == pytest.approx(1 / 4)


def test_few_differing_groups_never_hold_though_the_bootstrap_is_sure():
    truth = [True, False] * 30
    first = [not is_true for is_true in truth[:6]] + truth[6:]
    result = better(first, truth, truth, range(60), looks=ROUNDS)
    assert result.swap_p == pytest.approx(1 / 64)
    assert not result.holds
    longer = [not is_true for is_true in truth[:20]] + truth[20:]
    assert better(longer, truth, truth, range(60), looks=ROUNDS).holds
    assert not better(truth, truth, truth, range(60), looks=ROUNDS).holds


def keeps_any(world, gain, alike):
    """Whether a series of candidates keeps any; 40 pages of 3, judges err on the same pages."""
    groups = np.repeat(np.arange(40), 3)
    page = np.repeat(world.beta(8, 2, 40), 3)
    truth = world.random(120) < 0.5
    first = np.where(world.random(120) < page, truth, ~truth)
    level = (1 - corrected_confidence(ROUNDS)) / 2
    for _ in range(ROUNDS):
        fresh = world.random(120) < page + gain
        right = np.where(world.random(120) < alike, first == truth, fresh)
        second = np.where(right, truth, ~truth)
        # both have to hold: the cheap one is tested first
        if swap_test(first, second, truth, groups, draws=4000) > level:
            continue
        if better(first, second, truth, groups, looks=ROUNDS).holds:
            return True
    return False


@pytest.mark.slow
def test_a_series_of_noise_keeps_anything_in_the_stated_share_at_most():
    """1,000 series of five candidates that are as good as the prompt they were made from."""
    world = np.random.default_rng(11)
    wrong = sum(keeps_any(world, 0.0, alike=0.3) for _ in range(1000))
    assert wrong <= 50


def test_a_series_of_much_better_candidates_keeps_one_mostly():
    world = np.random.default_rng(12)
    assert sum(keeps_any(world, 0.18, alike=0.0) for _ in range(100)) >= 80
