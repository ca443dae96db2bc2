"""Which items to label next, and what more labels would bring."""

import pytest

from workbench.calibration.active_learning import (
    UnlabelledExample,
    forecast,
    select_for_labelling,
)
from workbench.calibration.estimates import IntervalEstimate


def test_the_uncertain_come_first():
    suggestions = select_for_labelling(
        [
            UnlabelledExample(item=name, score=score)
            for name, score in (("sure", 0.99), ("half", 0.5))
        ],
        labelled=[()],
    )
    assert [suggestion.item for suggestion in suggestions] == ["half", "sure"]
    assert suggestions[0].reason == "uncertain"


def test_uncertain_means_near_the_threshold():
    items = [
        UnlabelledExample(item="at 0.8", score=0.8),
        UnlabelledExample(item="at 0.5", score=0.5),
    ]
    assert select_for_labelling(items, [()], threshold=0.8)[0].item == "at 0.8"


def test_judges_that_differ_are_worth_a_look():
    suggestions = select_for_labelling(
        [
            UnlabelledExample(item="alike", score=0.9, verdicts=("supported", "supported")),
            UnlabelledExample(item="apart", score=0.9, verdicts=("supported", "contradicted")),
        ],
        labelled=[()],
    )
    assert (suggestions[0].item, suggestions[0].reason) == ("apart", "judges differ")


def test_a_slice_without_labels_is_not_forgotten_and_does_not_fill_the_list():
    common, rare = (("kind", "url"),), (("kind", "doi"),)
    items = [UnlabelledExample(item=f"u{n}", score=0.7, slices=common) for n in range(20)]
    items += [UnlabelledExample(item=f"d{n}", score=0.7, slices=rare) for n in range(5)]
    suggestions = select_for_labelling(items, labelled=[common] * 10, many=10)
    assert suggestions[0].item == "d0"
    assert suggestions[0].reason == "slice with few labels"
    assert {suggestion.item[0] for suggestion in suggestions} == {"d", "u"}


def test_four_times_the_labels_halve_an_interval():
    figure = IntervalEstimate(value=0.8, low=0.7, high=0.9, n=40, groups=40)
    half = next(step for step in forecast(figure) if step.half_width == pytest.approx(0.05))
    assert half.more == 120


def test_without_an_interval_nothing_is_foretold():
    assert forecast(IntervalEstimate(value=None, n=0, groups=0)) == []


def test_a_figure_that_rounds_to_zero_has_no_sign():
    figure = IntervalEstimate(value=-0.001, low=-0.981, high=0.98, n=235, groups=40)
    assert figure.text == "0.00 (−0.98–0.98, n = 235)"
