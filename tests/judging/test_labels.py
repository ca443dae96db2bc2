"""From numbers to a label: each rule by an example."""

import math
from dataclasses import replace

import pytest

from workbench.judging.embedded_model import PairScore
from workbench.judging.labels import LabelLimits, choose_label

PLAIN = {
    "like_sentence": 0.8,
    "like_window": 0.8,
    "cover_sentence": 0.8,
    "polarity_sentence": 0.0,
    "opposites": 0.0,
    "numbers_rival": 0.0,
    "numbers_missing": 0.0,
    "names_missing": 0.0,
}
PAGE, EXTRACT = 0.0, 1.0


@pytest.mark.parametrize(
    ("changes", "score", "against", "share", "expected"),
    [
        ({}, 0.45, 0.1, PAGE, "supported"),
        ({}, 0.45, 0.1, EXTRACT, "not_supported"),
        ({}, 0.55, 0.1, EXTRACT, "partially_supported"),
        ({}, 0.65, 0.1, EXTRACT, "supported"),
        ({}, 0.30, 0.1, PAGE, "partially_supported"),
        ({}, 0.10, 0.1, PAGE, "not_supported"),
        ({"like_sentence": 0.0}, 0.99, 0.1, PAGE, "not_supported"),  # no word in common
        ({"numbers_missing": 0.3}, 0.60, 0.1, PAGE, "partially_supported"),
        ({"names_missing": 0.3}, 0.90, 0.1, PAGE, "supported"),  # sure all the same
        ({"numbers_rival": 1.0}, 0.60, 0.1, PAGE, "contradicted"),
        ({"numbers_rival": 1.0, "like_window": 0.3}, 0.30, 0.9, PAGE, "partially_supported"),
        ({"polarity_sentence": 1.0}, 0.90, 0.1, PAGE, "contradicted"),  # most of the claim
        ({"polarity_sentence": 1.0, "cover_sentence": 0.6}, 0.6, 0.6, PAGE, "contradicted"),
        ({"polarity_sentence": 1.0, "cover_sentence": 0.6}, 0.6, 0.3, PAGE, "partially_supported"),
        ({"opposites": 0.5}, 0.30, 0.7, PAGE, "contradicted"),
        ({"opposites": 0.5, "like_sentence": 0.6}, 0.60, 0.9, PAGE, "supported"),
        ({}, 0.01, 0.99, PAGE, "not_supported"),  # nothing to show
    ],
)
def test_a_label_needs_its_reasons(changes, score, against, share, expected):
    assert choose_label(PLAIN | changes, score, against, share) == expected


def test_confidence_is_that_of_the_label():
    def pair(supported, against, shift=0.0):
        odds = math.log(supported / (1 - supported))
        return PairScore({}, odds, against, extracts=0.0, limits=None, shift=shift)

    assert pair(0.7, 0.9).confidence("supported") == pytest.approx(0.7)
    assert pair(0.2, 0.9).confidence("contradicted") == pytest.approx(0.72)
    assert pair(0.2, 0.5).confidence("not_supported") == pytest.approx(0.4)
    # a source about something else supports less, and denies no more
    assert pair(0.7, 0.9, shift=-2.0).confidence("supported") < 0.5
    assert pair(0.2, 0.9, shift=-2.0).confidence("contradicted") == pytest.approx(0.72)


READ = PairScore(
    PLAIN, odds=0.5, against=0.9, extracts=0.0,
    limits=LabelLimits(support_from=0.3, partial_from=0.1, against_from=0.4),
)  # fmt: skip


@pytest.mark.parametrize(
    ("odds", "shift", "expected"),
    [
        (0.5, 0.0, "supported"),  # P(supported) .62
        (0.5, -1.0, "supported"),  # .38, which is enough where the source is not doubted
        (0.5, -1.5, "partially_supported"),  # .27
        (1.0, -1.5, "partially_supported"),  # .38, not enough where it is
        (2.0, -1.5, "supported"),  # .62
        (-1.0, 0.0, "contradicted"),  # P(contradicted) .73 * .9
        (0.5, -4.0, "not_supported"),  # by itself .38 * .9: another subject denies nothing
    ],
)
def test_what_the_source_is_about_lowers_support_and_denies_nothing(odds, shift, expected):
    assert replace(READ, odds=odds).shifted(shift).label == expected
