"""The judge's pull and the pace, by hand."""

import pytest

from workbench.calibration.reviewing import automation_bias, labelling_rate, remaining
from workbench.records.review import BlindDecision


def blind(number, first, judge, second):
    return BlindDecision(
        item=str(number), rater="Ada", group=str(number), judge=judge, first=first, after=second
    )


def test_pull_of_ten_decisions():
    # 4 agree and stay; 1 agrees and leaves; 3 disagree and take over; 2 disagree and stay
    decisions = [
        *(blind(n, "supported", "supported", "supported") for n in range(4)),
        blind(4, "supported", "supported", "contradicted"),
        *(blind(n, "not_supported", "supported", "supported") for n in range(5, 8)),
        *(blind(n, "not_supported", "supported", "not_supported") for n in range(8, 10)),
        blind(10, "supported", "supported", None),
    ]
    bias = automation_bias(decisions)
    assert (bias.shown, bias.unshown) == (10, 1)
    assert bias.before.value == pytest.approx(5 / 10)
    assert bias.after.value == pytest.approx(7 / 10)
    assert bias.shift.value == pytest.approx(2 / 10)
    assert (bias.taken_over.value, bias.taken_over.n) == (pytest.approx(3 / 5), 5)
    assert (bias.turned_away.value, bias.turned_away.n) == (pytest.approx(1 / 5), 5)
    # shift is +1 three times, -1 once, 0 six times: s.d. of the mean sqrt((.4 - .04) / 9) = .2,
    # and t with 9 degrees of freedom is 2.262
    assert bias.shift.high - bias.shift.low == pytest.approx(2 * 2.262 * 0.2, abs=0.15)


def test_no_decision_has_no_pull():
    bias = automation_bias([])
    assert (bias.shown, bias.shift.value, bias.taken_over.value) == (0, None, None)


def test_nobody_disagreed_so_nobody_could_be_drawn():
    bias = automation_bias([blind(n, "supported", "supported", "supported") for n in range(5)])
    assert bias.taken_over.value is None
    assert bias.turned_away.value == 0.0


def test_pace_cuts_breaks():
    # 10, 20 and 3000 cut at 4 times 20: mean 110/3, deviation sqrt((80² + 50² + 130²) / 9 / 2)
    rate = labelling_rate([10, 20, 3000])
    assert rate.mean_s == pytest.approx(110 / 3)
    assert rate.deviation_s == pytest.approx((25_800 / 9 / 2) ** 0.5)
    assert labelling_rate([200, 200, 3000]).mean_s == pytest.approx(700 / 3)  # cut at 300
    assert labelling_rate([0.0]).mean_s == 0.0
    assert labelling_rate([]) is None


def test_remaining_time():
    # 8, 10, 12: mean 10, deviation 2; 12 left: 120 ± 12 * 1.96 * 2 * sqrt(1/3 + 1/12)
    estimate = remaining(12, [8, 10, 12])
    assert estimate.seconds == pytest.approx(120)
    assert estimate.high - estimate.seconds == pytest.approx(
        12 * 1.96 * 2 * (1 / 3 + 1 / 12) ** 0.5, 1e-4
    )
    assert remaining(0, [8]).high == 0.0
    assert remaining(5, []) is None
