"""A judge against people, worked by hand."""

import numpy as np
import pytest

from workbench.calibration.classification_report import (
    by_slice,
    judge_table,
    majority_baseline,
    reliability,
)
from workbench.calibration.estimates import ClusterBootstrap, share_of
from workbench.records.review import EvaluationExample


def judged(human, judge, score, *, group=None, **slices):
    judged.count += 1
    return EvaluationExample(
        item=f"i{judged.count}",
        judge=judge,
        score=score,
        human=human,
        group=group or f"g{judged.count}",
        slices=tuple(slices.items()),
    )


judged.count = 0
YES, NO, PART = "supported", "not_supported", "partially_supported"


def ten():
    """Six supported, of which four are found; four not, of which one is called supported."""
    return [
        *(judged(YES, YES, 0.9) for _ in range(4)),
        *(judged(YES, PART, 0.4) for _ in range(2)),
        judged(NO, YES, 0.8),
        *(judged(NO, NO, 0.1) for _ in range(3)),
    ]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("accuracy", 7 / 10),
        ("precision", 4 / 5),
        ("recall", 4 / 6),
        ("balanced_accuracy", (4 / 6 + 3 / 4) / 2),
        ("f1", 8 / 11),
        # 24 pairs: 4 x 4 - right; 2 x 3 right and 2 x 1 wrong
        ("auroc", (16 + 6) / 24),
        ("mcc", (4 * 3 - 1 * 2) / (5 * 6 * 4 * 5) ** 0.5),
        ("brier", (4 * 0.01 + 2 * 0.36 + 0.64 + 3 * 0.01) / 10),
        # of the labels 7 agree; by chance (6 x 5 + 4 x 3) / 100
        ("cohen_kappa", (0.7 - 0.42) / (1 - 0.42)),
    ],
)
def test_each_figure_by_hand(name, value):
    figure = judge_table(ten()).figure(name)
    assert figure.value == pytest.approx(value)
    assert figure.low <= value <= figure.high
    assert figure.method


def test_the_confusion_table_holds_every_item():
    table = judge_table([*ten(), judged("cannot_tell", YES, 0.7), judged("unverifiable", NO, 0.2)])
    counts = {(human, judge): n for human, judge, n in table.confusion}
    assert counts[YES, YES] == 4
    assert counts[YES, PART] == 2
    assert counts["cannot_tell", YES] == 1
    assert sum(counts.values()) == 12
    assert (table.n, table.excluded) == (10, 2)


def test_a_threshold_takes_the_place_of_the_label():
    table = judge_table(ten(), threshold=0.3)
    assert table.figure("recall").value == 1
    assert table.figure("precision").value == pytest.approx(6 / 7)


def test_always_supported_is_a_yardstick():
    table = majority_baseline(ten())
    assert table.figure("recall").value == 1
    assert table.figure("accuracy").value == pytest.approx(0.6)
    assert table.figure("balanced_accuracy").value == pytest.approx(0.5)
    assert table.figure("auroc").value == pytest.approx(0.5)


@pytest.mark.parametrize("items", [[], [judged(YES, YES, 0.9)], [judged(NO, NO, 0.1)] * 3])
def test_what_is_not_defined_has_no_value(items):
    table = judge_table(items)
    assert table.figure("auroc").value is None
    assert table.figure("mcc").value is None
    assert table.n == len(items)


def test_slices_are_told_apart_and_small_ones_left_out():
    items = [judged(YES, YES, 0.9, kind="url", host="a.example") for _ in range(12)]
    items += [judged(NO, YES, 0.9, kind="doi", host=f"{n}.example") for n in range(11)]
    tables = by_slice(items)
    assert [(value, table.n) for value, table in tables["kind"]] == [("url", 12), ("doi", 11)]
    assert [value for value, _ in tables["host"]] == ["a.example"]
    assert tables["kind"][1][1].figure("accuracy").value == 0


def test_errors_are_counted():
    items = [*ten(), EvaluationExample(item="x", judge="unverifiable", score=0, human=YES,
                            group="x", error="timeout")]  # fmt: skip
    assert judge_table(items).errors == (("timeout", 1),)


def test_the_reliability_curve_meets_the_scores_of_a_calibrated_judge():
    world = np.random.default_rng(0)
    scores = world.random(5000)
    truth = world.random(5000) < scores
    curve = reliability(scores.tolist(), truth.tolist(), [str(n) for n in range(5000)])
    assert len(curve) == 10
    assert sum(bucket.share.n for bucket in curve) == 5000
    bins_covering_score = sum(
        bucket.share.low <= bucket.mean_score <= bucket.share.high for bucket in curve
    )
    assert bins_covering_score >= 8


@pytest.mark.slow
def test_intervals_cover_the_true_figures():
    """1,000 worlds of 40 pages with 5 items each, whose items are alike."""
    rate, hit, spared = 0.6, 0.85, 0.75
    figures = {
        "accuracy": rate * hit + (1 - rate) * spared,
        "precision": rate * hit / (rate * hit + (1 - rate) * (1 - spared)),
        "recall": hit,
        "balanced_accuracy": (hit + spared) / 2,
    }
    covered = dict.fromkeys(figures, 0)
    world, groups = np.random.default_rng(5), (np.arange(200) // 5).tolist()
    for _ in range(1000):
        hidden = np.repeat(world.normal(size=40), 5) * 0.4**0.5 + world.normal(size=200) * 0.6**0.5
        truth = hidden < 0.25335
        accepted = world.random(200) < np.where(truth, hit, 1 - spared)
        cells = np.stack(
            [accepted & truth, accepted & ~truth, ~accepted & truth, ~accepted & ~truth], axis=1
        )
        intervals = {
            "accuracy": share_of(accepted == truth, groups).figure,
            "precision": share_of(truth[accepted], (np.arange(200) // 5)[accepted].tolist()).figure,
            "recall": share_of(accepted[truth], (np.arange(200) // 5)[truth].tolist()).figure,
            "balanced_accuracy": ClusterBootstrap(groups, cells.astype(float)).figure(balanced),
        }
        for name, value in figures.items():
            covered[name] += intervals[name].low <= value <= intervals[name].high
    assert all(930 <= count <= 970 for count in covered.values()), covered


def balanced(r):
    return (r[:, 0] / (r[:, 0] + r[:, 2]) + r[:, 3] / (r[:, 3] + r[:, 1])) / 2
