"""A limit fitted to labels and admitted by others: who passes, who does not, and what is missing."""

from dataclasses import replace
from statistics import NormalDist

import numpy as np
import pytest

from workbench.calibration.estimates import lower_bound
from workbench.calibration.fitted_limits import best_limit, fit_limits, held_out_rates
from workbench.presentation.calibration.fitted_limits import (
    limits_document,
    limits_sections,
    limits_text,
    status_text,
)
from workbench.records.evaluation import JudgeKey
from workbench.records.review import EvaluationExample

LOCAL = JudgeKey(specs=("local",))


def example(number, score, supported, *, group="", kind="", judge=None):
    return EvaluationExample(
        item=str(number),
        judge="supported" if (score >= 0.9 if judge is None else judge) else "not_supported",
        score=score,
        human="supported" if supported else "not_supported",
        group=group or f"q{number}",
        slices=(("source type", kind),) if kind else (),
    )


def labels(count, wrong=(), *, start=0, **more):
    """Supported ones score 0.6 to 0.7, others 0.3 to 0.4; the numbers in `wrong` the other way."""
    made = []
    for number in range(count):
        supported = number % 2 == 0
        high = supported != (number in wrong)
        score = (0.6 if high else 0.3) + number / count / 10
        made.append(example(start + number, score, supported, **more))
    return made


def sentence(limits):
    (one,) = limits_text(limits)
    return one


@pytest.mark.parametrize(
    ("k", "n", "low"),
    [(0, 9, 0.0), (7, 7, 0.1 ** (1 / 7)), (1, 1, 0.1), (8, 10, 0.5504), (4.5, 6.3, 0.3845)],
)
def test_the_lower_bound_is_that_of_clopper_and_pearson(k, n, low):
    assert lower_bound(k, n, 0.9) == pytest.approx(low, abs=5e-5)


@pytest.mark.parametrize(("power", "least", "most"), [(0.93, 0.6, 1.0), (0.66, 0.0, 0.1)])
def test_good_judges_pass_and_those_below_the_target_hardly_ever(power, least, most):
    """Scores of both classes are normal; at the middle a judge is right in `power` of each.

    Below the target no cut has both rates above it, so every admission there is a false one.
    """
    admitted = 0
    for seed in range(60):
        draw = np.random.default_rng(seed)
        truth = draw.random(200) < 0.5
        shift = NormalDist().inv_cdf(power) * np.where(truth, 1, -1)
        scores = 1 / (1 + np.exp(-(draw.normal(size=200) + shift)))
        limit, _ = best_limit(list(scores[:115]), list(truth[:115]))
        assert limit is not None
        rates = held_out_rates(scores[115:] >= limit, truth[115:], [str(n) for n in range(85)])
        admitted += min(rate.low for rate in rates) >= 0.7
    assert least <= admitted / 60 <= most


def test_an_admitted_limit_says_what_it_holds_and_what_it_gains():
    limits = fit_limits(LOCAL, labels(40), labels(40, start=40))
    joint = limits.joint
    assert joint.admitted
    assert 0.4 < joint.limit < 0.6
    # 20 of 20 right: .1 ** (1 / 20)
    assert joint.sensitivity.low == joint.specificity.low == pytest.approx(0.891, abs=1e-3)
    assert (joint.as_judged.value, joint.with_limit.value, joint.gain.value) == (0.5, 1.0, 0.5)
    said = sentence(limits)
    assert "is admitted: on the 40 labels kept apart it accepts at least 89%" in said
    assert "Balanced accuracy there: 0.500 as the judge came, 1.000 with the limit, +0.500" in said
    assert "more label" not in said and "not used" not in said
    assert status_text(joint) == "admitted"


@pytest.mark.parametrize(
    ("fitting", "apart", "expected"),
    [
        (labels(16), labels(8, start=40), "has 24 (train + dev); about 2 more labels would do"),
        (labels(40), labels(12, start=40),
         "7 more labels would decide if the rates stay as seen: 1 supported and 1 not supported"),
        (labels(40), [e for e in labels(40, start=40) if e.human == "supported"],
         "specificity unknown (no such label); the target is 70%. 47 more labels would decide"),
        (labels(40), labels(40, wrong=range(0, 20, 2), start=40),
         "More labels would not help: the sensitivity seen, 50%, is not above the target."),
        (labels(40), labels(40, start=40, group="one"),
         "come from a single question: labels of other questions would say more"),
        (labels(40), labels(400, wrong=range(0, 118, 2), start=40),
         "More than 1,000 more labels would be needed: a rate seen is close to the target."),
        (labels(40), [], "no label is kept apart to test it"),
        ([], labels(40), "all labels are among those kept apart"),
        ([e for e in labels(40) if e.human == "supported"], labels(40, start=40),
         "all of the 20 labels to fit it on say supported. Label citations that are not."),
        ([replace(e, score=0.5) for e in labels(40)], labels(40, start=40),
         "the judge gives all of the 40 labels to fit it on the same score"),
        (labels(40, wrong=range(40)), labels(40, start=40),
         "none does better than chance on the 40 labels to fit it on"),
    ],
)  # fmt: skip
def test_what_is_not_admitted_says_what_is_missing(fitting, apart, expected):
    limits = fit_limits(LOCAL, fitting, apart)
    assert not limits.admitted
    assert expected in sentence(limits)
    (one,) = limits_document([limits])
    assert not any(limit["admitted"] for limit in one["limits"])


def test_the_labels_that_are_asked_for_decide_if_the_rates_stay():
    few, many = labels(24, wrong=(0, 1, 2, 3), start=40), labels(400, start=100)
    joint = fit_limits(LOCAL, labels(40), few).joint
    # of ten new labels three are kept apart, half of them supported
    assert joint.labels_needed == -(-max(joint.missing) * 20 // 3)
    more, others = joint.missing
    assert more > 0
    rates = {is_supported: [e for e in few if (e.human == "supported") == is_supported]
             for is_supported in (True, False)}  # fmt: skip
    for count, is_supported in ((more, True), (others, False)):
        n = len(rates[is_supported])
        assert lower_bound(10 / 12 * (n + count), n + count, 0.9) >= 0.7
        assert lower_bound(10 / 12 * (n + count - 1), n + count - 1, 0.9) < 0.7
    assert fit_limits(LOCAL, labels(40), many).joint.labels_needed is None


def test_equal_scores_are_decided_alike_and_the_limit_lies_between_two_scores():
    scores = [0.2, 0.4, 0.4, 0.4, 0.8]
    limit, _ = best_limit(scores, [False, False, False, True, True])
    assert limit in (pytest.approx(0.3), pytest.approx(0.6))


def test_a_kind_of_source_gets_its_own_limit_only_with_enough_labels_on_each_side():
    def shifted(count, kind, start):
        return [replace(e, score=e.score - 0.25) for e in labels(count, start=start, kind=kind)]

    fitting = labels(40, kind="HTML") + shifted(20, "PDF", 100) + shifted(18, "plain text", 200)
    apart = [replace(e, item=f"a{e.item}", group=f"a{e.group}") for e in fitting]
    limits = fit_limits(LOCAL, fitting, apart)
    assert [one.kind for one in limits.limits] == ["", "HTML", "PDF"]
    by_kind = {one.kind: one.limit for one in limits.limits}
    assert by_kind["PDF"] < 0.35 < by_kind["HTML"]
    (section,) = limits_sections([limits])
    assert [line[0] for line in section.table.lines] == ["local", "local · HTML", "local · PDF"]
    # with one kind alone the joint limit is its own
    assert len(fit_limits(LOCAL, fitting[:40], apart[:40]).limits) == 1
