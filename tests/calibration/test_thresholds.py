"""What thresholds decide, worked by hand, and what they cost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.calibration.thresholds import select_operating_point, sweep_thresholds
from workbench.errors import UsageError

SCORES = [0.95, 0.85, 0.75, 0.65, 0.45, 0.25]
TRUTH = [True, True, False, True, False, False]
ALONE = list("abcdef")
GRID = (0.3, 0.5, 0.7, 0.9)


def test_each_threshold_by_hand():
    strict, third, half, loosest = sweep_thresholds(SCORES, TRUTH, ALONE, grid=GRID)
    assert [point.threshold for point in (strict, third, half, loosest)] == [0.9, 0.7, 0.5, 0.3]
    assert (strict.accepted, strict.right) == (1, 1)
    assert (third.accepted, third.right) == (3, 2)
    assert third.precision.figure.value == pytest.approx(2 / 3)
    assert third.recall.figure.value == pytest.approx(2 / 3)
    # of 0.65, 0.45 and 0.25 two are not supported
    assert (third.rejection.hits, third.rejection.n) == (2, 3)
    assert (half.accepted, half.right, half.accuracy) == (4, 3, pytest.approx(5 / 6))
    assert (loosest.rejection.hits, loosest.rejection.n) == (1, 1)


def test_costs_weigh_the_two_errors():
    cuts = sweep_thresholds(SCORES, TRUTH, ALONE, grid=GRID, wrong_accept=10, wrong_reject=1)
    assert [point.cost for point in cuts] == pytest.approx([2 / 6, 11 / 6, 10 / 6, 20 / 6])
    assert select_operating_point(cuts, "cost").threshold == 0.9
    cuts = sweep_thresholds(SCORES, TRUTH, ALONE, grid=GRID, wrong_accept=1, wrong_reject=10)
    assert select_operating_point(cuts, "cost").threshold == 0.5


@pytest.mark.parametrize(
    ("aim", "target", "threshold"),
    [("precision", 0.75, 0.5), ("precision", 0.9, 0.9), ("recall", 1.0, 0.5), ("recall", 0.3, 0.9)],
)
def test_a_threshold_for_a_target(aim, target, threshold):
    assert (
        select_operating_point(
            sweep_thresholds(SCORES, TRUTH, ALONE, grid=GRID), aim, target
        ).threshold
        == threshold
    )


def test_a_target_that_nothing_reaches():
    assert (
        select_operating_point(sweep_thresholds([0.9, 0.8], [False, False], "ab"), "precision", 0.5)
        is None
    )
    assert sweep_thresholds([], [], []) == []
    with pytest.raises(UsageError, match="target of precision"):
        select_operating_point([], "precision", 0.0)


def test_scores_beyond_0_and_1_are_refused():
    with pytest.raises(UsageError, match="from 0 to 1"):
        sweep_thresholds([1.2], [True], ["a"])


def test_groups_widen_the_intervals_where_items_err_together():
    truth = [number % 10 < 7 for number in range(100)]
    scores = [0.9] * 100
    (separate,) = sweep_thresholds(scores, truth, range(100), grid=[0.5])
    # ten groups, each right or wrong as a whole: 70 hits again
    together = [number // 10 < 7 for number in range(100)]
    (by_group,) = sweep_thresholds(scores, together, [n // 10 for n in range(100)], grid=[0.5])
    assert by_group.precision.hits == separate.precision.hits == 70
    assert by_group.precision.effective_n < 10 < separate.precision.effective_n == 100
    assert by_group.precision.low < separate.precision.low


@given(
    st.lists(
        st.tuples(st.integers(0, 100), st.booleans(), st.integers(0, 5)), min_size=1, max_size=80
    )
)
def test_one_pass_finds_what_counting_finds(items):
    scores = [score / 100 for score, _, _ in items]
    truth = [hit for _, hit, _ in items]
    for point in sweep_thresholds(scores, truth, [group for *_, group in items], grid=GRID):
        accepted = [
            hit for score, hit in zip(scores, truth, strict=True) if score >= point.threshold
        ]
        rejected = [
            hit for score, hit in zip(scores, truth, strict=True) if score < point.threshold
        ]
        assert (point.accepted, point.right) == (len(accepted), sum(accepted))
        if rejected:
            assert (point.rejection.hits, point.rejection.n) == (
                len(rejected) - sum(rejected),
                len(rejected),
            )
        if any(truth):
            assert (point.recall.hits, point.recall.n) == (sum(accepted), sum(truth))
        for share in (point.precision, point.recall, point.rejection):
            if share:
                assert 0 <= share.low <= share.hits / share.n + 1e-9
                assert share.hits / share.n <= share.high + 1e-9
                assert 1 <= share.effective_n <= max(share.n, 1)
