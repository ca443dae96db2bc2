"""A guarantee keeps its promise: by hand, and over a thousand simulated worlds."""

import numpy as np
import pytest

from workbench.calibration.risk_control import abstain_band, guarantee
from workbench.calibration.thresholds import sweep_thresholds
from workbench.errors import UsageError


def labelled(seed, n, chance):
    """Scores spread evenly, supported with `chance(score)`."""
    world = np.random.default_rng(seed)
    scores = world.random(n)
    return scores, world.random(n) < chance(scores)


def test_enough_right_items_hold_a_target():
    # of 200 accepted items 2 are wrong: P(Bin(200, 5 %) <= 2) = 0.2 %
    scores = [0.9] * 200 + [0.2] * 50
    truth = [True] * 198 + [False] * 2 + [False] * 50
    result = guarantee(sweep_thresholds(scores, truth, range(250)), 0.95)
    assert result.holds
    assert (result.decided, result.right) == (200, 198)
    assert result.threshold == pytest.approx(0.21)  # the loosest that accepts the same
    assert "at least 95%" in result.sentence


def test_too_few_labels_are_named_with_how_many_more():
    scores, truth = [0.9] * 30, [True] * 30
    result = guarantee(sweep_thresholds(scores, truth, range(30)), 0.95)
    assert not result.holds
    assert 50 < result.labels_needed < 400
    assert f"About {result.labels_needed:,} more labels" in result.sentence
    # with so many more, all right again, it holds
    n = 30 + result.labels_needed
    assert guarantee(sweep_thresholds([0.9] * n, [True] * n, range(n)), 0.95).holds


def test_a_judge_that_never_reaches_the_target_needs_no_more_labels():
    scores, truth = labelled(1, 2000, lambda s: 0.5 + 0 * s)
    result = guarantee(sweep_thresholds(scores, truth, range(2000)), 0.95)
    assert (result.holds, result.labels_needed) == (False, None)
    assert "no number of labels" in result.sentence


def test_a_good_judge_on_few_labels_needs_hundreds_more_and_not_thousands():
    world = np.random.default_rng(0)
    truth = world.random(40) < 0.5
    scores = np.where(truth, world.normal(0.72, 0.1, 40), world.normal(0.25, 0.1, 40)).clip(0, 1)
    result = guarantee(sweep_thresholds(scores, truth, range(40)), 0.95)
    assert not result.holds
    assert 100 < result.labels_needed < 900


def test_a_handful_of_labels_is_not_said_to_be_beyond_help():
    result = guarantee(sweep_thresholds([0.9] * 6, [True] * 6, range(6)), 0.95)
    assert "too few to say how many" in result.sentence


def test_the_reject_side_mirrors_the_accept_side():
    scores, truth = labelled(2, 3000, lambda s: s)
    accept = guarantee(sweep_thresholds(scores, truth, range(3000)), 0.85)
    reject = guarantee(sweep_thresholds(1 - scores, ~truth, range(3000)), 0.85, side="reject")
    assert accept.holds
    assert reject.holds
    assert accept.threshold == pytest.approx(1 - reject.threshold, abs=0.011)


def test_an_abstain_band_leaves_the_middle_to_people():
    scores, truth = labelled(3, 5000, lambda s: s)
    accept, reject = abstain_band(sweep_thresholds(scores, truth, range(5000)), 0.85)
    assert accept.holds
    assert reject.holds
    assert reject.threshold < accept.threshold


@pytest.mark.slow
@pytest.mark.parametrize("chance", [lambda s: 0.3 + 0.69 * s, lambda s: 0.8995 + 0 * s])
def test_a_guarantee_is_broken_no_more_often_than_it_says(chance):
    """1,000 worlds; the second is the hardest one: every threshold just misses the target."""
    target, confidence, worlds = 0.9, 0.9, 1000
    s = np.linspace(0, 1, 100_001)[::-1]
    truth_above = np.cumsum(chance(s)) / np.arange(1, len(s) + 1)
    broken = 0
    for seed in range(worlds):
        scores, truth = labelled(seed, 500, chance)
        result = guarantee(sweep_thresholds(scores, truth, range(500)), target, confidence)
        if result.holds:
            broken += truth_above[int((1 - result.threshold) * 100_000)] < target
    assert broken <= worlds * (1 - confidence)


@pytest.mark.slow
def test_groups_that_err_together_are_not_counted_as_independent():
    """300 worlds of 50 groups of 10, one share of right ones a group, just missing the target."""
    worlds, broken = 300, 0
    for seed in range(worlds):
        world = np.random.default_rng(seed)
        rate = world.beta(3.6, 0.405, 50)  # mean 0.8989
        truth = (world.random((50, 10)) < rate[:, None]).ravel()
        groups = np.repeat(np.arange(50), 10).tolist()
        result = guarantee(sweep_thresholds(world.random(500), truth, groups), 0.9, 0.9)
        broken += result.holds
    assert broken <= worlds * 0.1


@pytest.mark.parametrize(("target", "confidence"), [(1.0, 0.95), (0.9, 1.0), (0, 0.9)])
def test_what_cannot_be_guaranteed_is_refused(target, confidence):
    with pytest.raises(UsageError, match="between 0 and 1"):
        guarantee([], target, confidence)


def test_without_labels_nothing_holds():
    assert not guarantee([], 0.9).holds
