"""Figures over two classes, worked by hand, and when they get no interval."""

import numpy as np
import pytest

from workbench.calibration.classification_report import judge_table
from workbench.calibration.estimates import exact_interval
from workbench.calibration.metrics import (
    auroc_figure,
    average_precision,
    average_precision_figure,
    precision_parts,
)
from workbench.calibration.two_classes import balanced_accuracy_figure, f1_figure
from workbench.records.review import EvaluationExample


def test_how_far_an_item_moves_average_precision_is_what_leaving_it_out_does():
    world = np.random.default_rng(0)
    scores, positive = world.integers(0, 12, 200) / 12, world.random(200) < 0.6
    parts = precision_parts(scores, positive)
    assert parts.value == pytest.approx(average_precision(scores, positive))
    assert parts.influence.mean() == pytest.approx(0, abs=1e-12)
    for item in range(0, 200, 20):
        others = np.arange(200) != item
        moved = (parts.value - average_precision(scores[others], positive[others])) * 199
        assert parts.influence[item] == pytest.approx(moved, abs=0.02)


def test_balanced_accuracy_adds_the_distances_of_both_shares_in_squares():
    # 18 of 20 supported and 12 of 20 unsupported items decided correctly, each its own document:
    # exact intervals of both; half the root of the summed squares
    decided = np.array([True] * 18 + [False] * 2 + [False] * 12 + [True] * 8)
    positive = np.array([True] * 20 + [False] * 20)
    result = balanced_accuracy_figure(decided, positive, np.arange(40))
    assert result.value == pytest.approx(0.75)
    (low, high), (low_other, high_other) = exact_interval(18, 20), exact_interval(12, 20)
    assert result.low == pytest.approx(0.75 - np.hypot(0.9 - low, 0.6 - low_other) / 2)
    assert result.high == pytest.approx(0.75 + np.hypot(high - 0.9, high_other - 0.6) / 2)


def test_f1_is_carried_over_from_the_share_of_right_ones():
    # 6 found, 2 missed, 2 wrongly called: F1 = 12 / 16; 6 of 10 are right, [.262, .878] exactly
    decided = np.array([True] * 6 + [False] * 2 + [True] * 2 + [False] * 10)
    positive = np.array([True] * 8 + [False] * 12)
    result = f1_figure(decided, positive, np.arange(20))
    assert result.value == pytest.approx(0.75)
    low, high = exact_interval(6, 10)
    assert (result.low, result.high) == pytest.approx((2 * low / (1 + low), 2 * high / (1 + high)))


@pytest.mark.parametrize("figure", [auroc_figure, average_precision_figure])
def test_a_perfect_order_is_no_certainty(figure):
    positive = np.array([True, False] * 6)
    result = figure(positive.astype(float), positive, np.arange(12))
    assert (result.value, result.high) == (1, 1)
    assert result.low < 0.8


@pytest.mark.parametrize("figure", [auroc_figure, average_precision_figure])
@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_a_handful_of_items_has_a_value_and_no_interval(figure, n):
    positive = np.array([True, False] * 3)[:n]
    result = figure(positive.astype(float), positive, np.arange(n))
    assert (result.value, result.low, result.high) == (1, None, None)
    assert result.no_interval.startswith("too few independent documents: ")
    assert result.to_dict()["ci95_missing"] == result.no_interval


def test_ten_unsupported_items_of_one_document_are_one_document():
    positive = np.array([True] * 30 + [False] * 10)
    groups = np.concatenate((np.arange(30), np.full(10, 30)))
    result = auroc_figure(np.random.default_rng(0).random(40), positive, groups)
    assert result.low is None
    assert result.no_interval == (
        "too few independent documents: 1 of at least 3 with an unsupported item"
    )


def judged(human, judge, number):
    return EvaluationExample(
        item=f"i{number}", judge=judge, score=0.5, human=human, group=f"g{number}", slices=()
    )


def test_a_judges_weighted_kappa_counts_steps_on_the_support_scale_by_hand():
    # people s s s n n n, judge s s p n p c: steps 0 0 1 0 1 1 of 3, observed 1/6.
    # People s 3, n 3; judge s 2, p 2, n 1, c 1: expected steps over 36 pairs:
    #   s: p 3*2*1, n 3*1*2, c 3*1*3 = 21; n: s 3*2*2, p 3*2*1, c 3*1*1 = 21; 42 / 3 / 36 = 7/18.
    # Kappa = 1 - (1/6) / (7/18) = 4/7
    s, p, n, c = "supported", "partially_supported", "not_supported", "contradicted"
    pairs = [(s, s), (s, s), (s, p), (n, n), (n, p), (n, c)]
    table = judge_table([judged(*pair, number) for number, pair in enumerate(pairs)])
    assert table.figure("weighted_kappa").value == pytest.approx(4 / 7)
    # what the judge cannot verify has no place on the scale; Cohen's own kappa keeps it
    pairs.append((n, "unverifiable"))
    table = judge_table([judged(*pair, number) for number, pair in enumerate(pairs)])
    assert table.figure("weighted_kappa").value == pytest.approx(4 / 7)
    assert (table.figure("weighted_kappa").n, table.figure("cohen_kappa").n) == (6, 7)
