"""The true rate behind a judge's rate: by hand, and its intervals over a thousand worlds."""

import numpy as np
import pytest

from workbench.calibration.prevalence import estimate_prevalence


def test_the_correction_by_hand():
    # of ten labelled items the judge calls eight supported and people six; of the other hundred
    # the judge calls seventy supported
    judged = [1] * 8 + [0] * 2
    truth = [True] * 6 + [False] * 4
    estimate = estimate_prevalence(
        judged=judged, truth=truth, groups=range(10), unlabelled=[1] * 70 + [0] * 30
    )
    assert estimate.naive.value == pytest.approx(78 / 110)
    assert estimate.people.value == pytest.approx(0.6)
    # the judge is 0.2 too high on the labelled ones
    assert estimate.ppi.value == pytest.approx(0.7 - 0.2)
    # sensitivity 6 / 6, specificity 2 / 4: (78 / 110 + 0.5 - 1) / 0.5
    assert estimate.rogan_gladen.value == pytest.approx((78 / 110 - 0.5) / 0.5)
    assert 0 < estimate.weight < 1
    assert estimate.tuned.value == pytest.approx(0.6 + estimate.weight * (0.7 - 0.8))


def test_a_judge_that_is_always_right_narrows_the_interval_most():
    world = np.random.default_rng(0)
    truth = world.random(3000) < 0.7
    estimate = estimate_prevalence(
        judged=truth[:100], truth=truth[:100], groups=range(100), unlabelled=truth[100:]
    )
    assert estimate.weight > 0.9
    assert estimate.saved > 4
    assert estimate.tuned.low <= truth.mean() <= estimate.tuned.high


def test_a_judge_that_guesses_is_not_listened_to():
    world = np.random.default_rng(0)
    truth, guesses = world.random(4000) < 0.7, world.random(4000) < 0.5
    estimate = estimate_prevalence(
        judged=guesses[:400], truth=truth[:400], groups=range(400), unlabelled=guesses[400:]
    )
    assert estimate.weight < 0.15
    assert estimate.tuned.value == pytest.approx(estimate.people.value, abs=0.03)


@pytest.mark.parametrize(
    ("judged", "truth", "unlabelled"), [([], [], []), ([], [], [1, 0]), ([1, 0], [True, False], [])]
)
def test_without_enough_to_go_on_there_is_no_value(judged, truth, unlabelled):
    estimate = estimate_prevalence(
        judged=judged, truth=truth, groups=range(len(truth)), unlabelled=unlabelled
    )
    assert estimate.tuned.value is None
    assert estimate.saved is None


WORLDS = {
    "a fair judge": {"n": 100, "rate": 0.7, "hit": 0.9, "spared": 0.8, "each": 1},
    "a lenient judge, few unsupported": {
        "n": 200, "rate": 0.9, "hit": 0.95, "spared": 0.7, "each": 1,
    },
    "pages of five citations": {"n": 200, "rate": 0.7, "hit": 0.9, "spared": 0.8, "each": 5},
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", WORLDS)
def test_the_intervals_cover_the_true_rate(name):
    """1,000 worlds each: 93 % at least; and 97 % at most but for Rogan–Gladen, which is wide."""
    world = WORLDS[name]
    n, per_page, rate = world["n"], world["each"], world["rate"]
    covered = dict.fromkeys(("naive", "people", "ppi", "tuned", "rogan_gladen"), 0)
    draw = np.random.default_rng(11)
    # items of a page are alike: one hidden number a page and one an item make the label
    quantile = {0.7: 0.5244, 0.9: 1.28155}[rate]
    for _ in range(1000):
        pages = (n + 2000) // per_page
        hidden = np.repeat(draw.normal(size=pages), per_page) * (0.3**0.5 if per_page > 1 else 0)
        hidden += draw.normal(size=pages * per_page) * (0.7**0.5 if per_page > 1 else 1)
        truth = hidden < quantile
        chance = np.where(truth, world["hit"], 1 - world["spared"])
        judged = (draw.random(len(truth)) < chance).astype(float)
        groups = np.repeat(np.arange(pages), per_page).tolist()
        estimate = estimate_prevalence(
            judged=judged[:n],
            truth=truth[:n],
            groups=groups[:n],
            unlabelled=judged[n:],
            unlabelled_groups=groups[n:],
        )
        for method in covered:
            figure = getattr(estimate, method)
            covered[method] += figure.low <= rate <= figure.high
    assert covered["naive"] < 900
    for method in ("people", "ppi", "tuned"):
        assert 930 <= covered[method] <= 970, covered
    assert covered["rogan_gladen"] >= 930, covered
