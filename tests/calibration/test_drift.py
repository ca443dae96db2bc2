"""Drift by hand and by simulation: intervals cover, and a steady judge is rarely accused."""

from math import isclose

import numpy as np
import pytest

from workbench.calibration.drift import (
    AnchorCandidate,
    alpha_spending,
    change,
    choose_anchors,
    detect_drift,
    flips,
    paired_interval,
)
from workbench.errors import UsageError
from workbench.records.reference_sets import Prediction

Z = 1.959964


def prediction(item, label, human="supported", group="", **fields):
    score = 0.9 if label == "supported" else 0.1
    return Prediction(
        item=str(item), group=group or str(item), human=human, label=label, score=score, **fields
    )


def test_without_a_change_the_interval_is_that_of_a_share_of_none():
    # Tango's statistic is then sqrt(n d / (1 - d)), so that d = z^2 / (n + z^2)
    low, high = paired_interval(0, 0, 200)
    assert isclose(high, Z**2 / (200 + Z**2), abs_tol=1e-6)
    assert isclose(low, -high, abs_tol=1e-9)


@pytest.mark.parametrize(("gained", "lost", "beyond"), [(6, 0, True), (3, 0, False), (9, 2, True)])
def test_the_interval_leaves_out_0_where_mcnemars_z_is_beyond(gained, lost, beyond):
    # at a difference of 0 the statistic is (gained - lost) / sqrt(gained + lost)
    assert ((gained - lost) / (gained + lost) ** 0.5 > Z) == beyond
    assert (paired_interval(gained, lost, 100)[0] > 0) == beyond


def test_the_shares_of_all_looks_add_up_to_the_rate_of_the_series():
    assert isclose(alpha_spending(1), 0.025)
    assert isclose(alpha_spending(3), 0.05 / 12)
    assert sum(alpha_spending(look) for look in range(1, 10_000)) < 0.05


def test_looks_by_hand():
    first = [prediction(n, "supported") for n in range(40)]
    worse = [prediction(n, "not_supported" if n < 12 else "supported") for n in range(40)]
    other = [prediction(n, "partially_supported" if n == 0 else "supported") for n in range(40)]
    looks = detect_drift([("a1.1", first), ("a1.2", other), ("a1.3", worse)], tolerance=0.2)
    assert [look.verdict for look in looks] == ["baseline", "none seen", "drift"]
    assert looks[2].since_baseline.value == -0.3
    assert (looks[2].since_baseline.lost, looks[2].since_baseline.gained) == (12, 0)
    assert (looks[2].since_last.same.hits, looks[2].since_last.same.n) == (28, 40)
    assert isclose(looks[2].since_baseline.confidence, 1 - 0.05 / 6)
    # the same change on a tenth of the items, and with a tolerance too small for so few items
    assert detect_drift([("1", first[:4]), ("2", worse[:4])])[1].verdict == "too few"
    assert detect_drift([("1", first), ("2", other)], tolerance=0.01)[1].verdict == "too few"


def test_an_item_without_a_verdict_is_counted_and_compared_with_nothing():
    first = [prediction(n, "supported") for n in range(3)]
    second = [prediction(0, "unverifiable", error="llm_judge_error"), *first[1:]]
    look = detect_drift([("1", first), ("2", second)])[1]
    assert look.unanswered == 1
    assert look.agreement.n == 2
    assert look.since_baseline.n == 2
    nothing = [prediction(0, "unverifiable", error="llm_judge_error")]
    assert detect_drift([("1", first), ("2", nothing)])[1].verdict == "too few"
    assert detect_drift([]) == []
    with pytest.raises(UsageError):
        detect_drift([], tolerance=0)


def test_items_of_one_question_count_for_less():
    def predictions(label, group):
        return [prediction(n, label if n < 6 else "supported", group=group(n)) for n in range(60)]

    separate = change(predictions("supported", str), predictions("contradicted", str), 0.05)
    together = change(
        predictions("supported", lambda n: str(n // 6)), predictions("contradicted", lambda n: str(n // 6)),
        0.05,
    )  # fmt: skip
    assert separate.value == together.value == -0.1
    assert separate.high < 0 < together.high
    assert together.mcnemar_p > separate.mcnemar_p


def series(chance, n, size, looks, lost=0.0, gained=0.0, noise=0.0):
    """Runs of a judge that is right in 80 %; its answers may change by chance, or for good."""
    right = chance.random(n) < 0.8
    # items of a group tend to change together
    heat = np.repeat(np.where(chance.random(n // size) < 0.2, 3.0, 0.5), size)
    askings = []
    for number in range(looks):
        draw = chance.random(n)
        flipped = draw < (np.where(right, lost, gained) * heat if number else 0) + noise
        askings.append(
            [
                prediction(
                    i,
                    "supported" if ok != turned else "contradicted",
                    group=str(i // size),
                )
                for i, (ok, turned) in enumerate(zip(right, flipped, strict=True))
            ]
        )
    return askings


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "size", "lost", "gained"),
    [(200, 1, 0.05, 0.05), (200, 1, 0.02, 0.1), (200, 5, 0.1, 0.1), (60, 1, 0.1, 0.05)],
)
def test_the_interval_of_a_change_covers(n, size, lost, gained):
    chance = np.random.default_rng(11)
    covered = 0
    for _ in range(1000):
        first, second = series(chance, n, size, 2, lost, gained)
        result = change(first, second, 0.05)
        covered += result.low95 <= 0.2 * gained - 0.8 * lost <= result.high95
    assert covered >= 930


@pytest.mark.slow
@pytest.mark.parametrize("size", [1, 4])
def test_a_judge_that_only_wavers_is_said_to_drift_in_one_series_of_twenty_at_most(size):
    chance = np.random.default_rng(5)
    accused = 0
    for _ in range(400):
        askings = series(chance, 120, size, 8, noise=0.04)
        looks = detect_drift([(str(n), scores) for n, scores in enumerate(askings)])
        accused += any(look.verdict == "drift" for look in looks)
    assert accused <= 20


def test_a_real_change_is_seen():
    chance = np.random.default_rng(6)
    detected = 0
    for _ in range(100):
        first, second = series(chance, 200, 1, 2, lost=0.15)
        detected += detect_drift([("1", first), ("2", second)])[1].verdict == "drift"
    assert detected >= 95


def candidate(number, label, question="", domain="a"):
    return AnchorCandidate(
        item=f"r/{number}", label=label, question=question or str(number), domain=domain
    )


def test_anchors_are_as_even_over_labels_as_can_be_and_the_same_each_time():
    candidates = [candidate(n, "supported") for n in range(50)]
    candidates += [candidate(n, "contradicted") for n in range(50, 54)]
    candidates += [candidate(n, "not_supported") for n in range(60, 90)]
    chosen = choose_anchors(candidates, 24, seed=3)
    labels = [anchor.label for anchor in chosen]
    assert {label: labels.count(label) for label in labels} == {
        "contradicted": 4, "not_supported": 10, "supported": 10,
    }  # fmt: skip
    assert choose_anchors(list(reversed(candidates)), 24, seed=3) == chosen
    assert choose_anchors(candidates, 24, seed=4) != chosen
    assert len(choose_anchors(candidates, 1000)) == len(candidates)
    assert choose_anchors([], 5) == []
    with pytest.raises(UsageError):
        choose_anchors(candidates, 0)


def test_within_a_label_every_question_comes_before_any_comes_twice_and_domains_take_turns():
    candidates = [candidate(n, "supported", question="long") for n in range(20)]
    candidates += [candidate(20 + n, "supported", domain="b") for n in range(3)]
    chosen = choose_anchors(candidates, 4)
    assert sorted(anchor.question for anchor in chosen) == ["20", "21", "22", "long"]
    wide = [candidate(n, "supported", domain="big" if n < 30 else f"d{n}") for n in range(33)]
    assert {anchor.domain for anchor in choose_anchors(wide, 4)} == {"big", "d30", "d31", "d32"}


def test_flips_tell_fixed_from_broken_and_what_changed_without_a_difference():
    first = [
        prediction(1, "supported"), prediction(2, "supported", human="contradicted"),
        prediction(3, "not_supported", human="contradicted"), prediction(4, "supported"),
        prediction(5, "supported", human="cannot_tell"), prediction(6, "supported"),
    ]  # fmt: skip
    second = [
        prediction(1, "not_supported"), prediction(2, "contradicted", human="contradicted"),
        prediction(3, "contradicted", human="contradicted"), prediction(4, "supported"),
        prediction(5, "contradicted", human="cannot_tell"),
        prediction(6, "unverifiable", error="llm_judge_error"), prediction(7, "supported"),
    ]  # fmt: skip
    result = flips(first, second)
    assert result.counts == {"broken": 1, "fixed": 1, "still_wrong": 0, "still_right": 2}
    assert [(flip.item, flip.kind) for flip in result.changed] == [
        ("1", "broken"), ("2", "fixed"), ("3", "still_right"),
    ]  # fmt: skip
    assert result.comparison.n == 4
    assert (result.comparison.only_first, result.comparison.only_second) == (1, 1)
    assert result.comparison.mcnemar_p == 1
    assert flips([], second).items == ()
