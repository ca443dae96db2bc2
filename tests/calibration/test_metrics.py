"""Statistics with their hand calculation beside them."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.calibration.metrics import (
    auroc,
    average_precision,
    balanced_accuracy,
    best_threshold,
    brier,
    calibration_error,
    f1,
    group_folds,
)

T, F = True, False


@pytest.mark.parametrize(
    ("scores", "truth", "expected"),
    [
        ([0.9, 0.8, 0.2, 0.1], [T, T, F, F], 1.0),
        ([0.1, 0.2, 0.8, 0.9], [T, T, F, F], 0.0),
        ([0.5, 0.5, 0.5], [T, F, F], 0.5),
        # pairs (positive, negative): .9>.4 yes, .9>.6 yes, .5>.4 yes, .5>.6 no: 3 of 4
        ([0.9, 0.5, 0.4, 0.6], [T, T, F, F], 0.75),
        # .5 against .5 counts half: (1 + .5) of 2
        ([0.5, 0.5, 0.1], [T, F, F], 0.75),
        ([0.5], [T], None),
        ([], [], None),
    ],
)
def test_auroc(scores, truth, expected):
    assert auroc(scores, truth) == expected


@pytest.mark.parametrize(
    ("scores", "truth", "expected"),
    [
        # recall steps at ranks 1 and 3: (1/1 + 2/3) / 2
        ([0.9, 0.8, 0.7, 0.6], [T, F, T, F], (1 + 2 / 3) / 2),
        # a tie of one positive and one negative is one step: precision 1/2
        ([0.5, 0.5], [T, F], 0.5),
        ([0.9, 0.1], [T, T], None),
    ],
)
def test_average_precision(scores, truth, expected):
    assert average_precision(scores, truth) == pytest.approx(expected)


def test_decisions():
    decided, truth = [T, T, F, F, T], [T, F, T, F, F]
    # positives: 1 of 2 found; negatives: 1 of 3 found
    assert balanced_accuracy(decided, truth) == pytest.approx((1 / 2 + 1 / 3) / 2)
    # precision 1/3, recall 1/2: 2 * 1 / (3 + 2)
    assert f1(decided, truth) == pytest.approx(0.4)
    assert f1([F, F], [T, F]) == 0.0
    assert f1([T], [F]) is None
    assert balanced_accuracy([T], [T]) is None


def test_best_threshold_lies_between_two_scores():
    assert best_threshold([0.1, 0.2, 0.6, 0.9], [F, F, T, T]) == pytest.approx(0.4)
    assert best_threshold([0.1, 0.2], [T, T]) is None
    # reversed scores: the best cut decides everything alike, which is worth 0.5
    threshold = best_threshold([0.9, 0.1], [F, T])
    assert threshold in (0.1,) or threshold > 0.9


@settings(deadline=None)
@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=2, max_size=40))
def test_no_threshold_beats_the_best(items):
    scores, truth = [s for s, _ in items], [t for _, t in items]
    threshold = best_threshold(scores, truth)
    if threshold is None:
        assert len(set(truth)) == 1
        return
    best = balanced_accuracy([s >= threshold for s in scores], truth)
    for other in [*scores, -1.0, 2.0]:
        assert best >= balanced_accuracy([s >= other for s in scores], truth) - 1e-9


def test_brier():
    assert brier([0.8, 0.4], [T, F]) == pytest.approx((0.04 + 0.16) / 2)
    assert brier([], []) is None


def test_a_calibrated_judge_has_a_small_debiased_error():
    generator = random.Random(1)
    scores = [generator.random() for _ in range(4000)]
    truth = [generator.random() < s for s in scores]
    raw, debiased = calibration_error(scores, truth)
    assert raw > 0
    assert debiased < 0.02
    _, overconfident = calibration_error([min(1.0, s + 0.2) for s in scores], truth)
    assert overconfident == pytest.approx(0.18, abs=0.03)
    assert calibration_error([0.5], [T]) is None


def test_groups_stay_together_and_folds_are_even():
    groups = ["a"] * 4 + ["b"] * 3 + ["c"] * 3 + ["d", "e"]
    folds = group_folds(groups, 3)
    assert len({(g, f) for g, f in zip(groups, folds, strict=True)}) == 5
    assert sorted(folds.count(i) for i in range(3)) == [4, 4, 4]
    assert set(group_folds(["x", "y"], 5)) == {0, 1}
