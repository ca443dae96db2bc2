"""From numbers to a label: each rule by an example."""

import pytest

from workbench.judging.reading_model import (
    SPEAKING_AGAINST,
    LabelLimits,
    PairScore,
    choose_label,
    is_repeated,
)

PLAIN = {
    "cover_window": 0.8, "cover_sentence": 0.8, "cover_all": 0.8,
    **dict.fromkeys(SPEAKING_AGAINST, 0.0),
}  # fmt: skip
LIMITS = LabelLimits(support_from=0.6, partial_from=0.3, against_from=0.7)


@pytest.mark.parametrize(
    ("changes", "score", "against", "expected"),
    [
        ({}, 0.7, 0.1, "supported"),
        ({}, 0.4, 0.1, "partially_supported"),
        ({}, 0.1, 0.1, "not_supported"),
        ({}, 0.1, 0.8, "contradicted"),
        ({}, 0.9, 0.8, "supported"),
        ({"cover_window": 0.0}, 0.99, 0.1, "not_supported"),  # no word in common
        ({"numbers_missing": 0.3}, 0.7, 0.1, "partially_supported"),
        ({"names_missing": 0.3}, 0.7, 0.1, "partially_supported"),
        ({"names_missing": 0.3}, 0.9, 0.1, "supported"),  # sure all the same
        ({"numbers_rival": 1.0}, 0.7, 0.1, "contradicted"),
        ({"numbers_rival": 1.0, "cover_window": 0.3}, 0.4, 0.1, "partially_supported"),
    ],
)
def test_a_label_follows_its_limits_and_reasons(changes, score, against, expected):
    assert choose_label(PLAIN | changes, score, (1 - score) * against, LIMITS) == expected


def test_confidence_is_that_of_the_label():
    assert PairScore({}, 0.7, 0.9).confidence("supported") == pytest.approx(0.7)
    assert PairScore({}, 0.2, 0.9).confidence("contradicted") == pytest.approx(0.72)
    assert PairScore({}, 0.2, 0.5).confidence("not_supported") == pytest.approx(0.4)


@pytest.mark.parametrize(
    ("changes", "label", "sure"),
    [
        ({"read": 2.1}, "supported", True),
        ({"read": 1.9}, "supported", False),
        ({"read": 2.1, "opposites": 1.0}, "supported", False),
        ({"read": 2.1}, "partially_supported", False),
        ({"read_against": 3.0}, "contradicted", False),
        ({"read": -2.1, "read_against": -2.1, "cover_all": 0.3}, "not_supported", True),
        ({"read": -2.1, "read_against": -2.1, "cover_all": 0.4}, "not_supported", False),
        ({"read": -2.1, "read_against": -1.9, "cover_all": 0.3}, "not_supported", False),
    ],
)
def test_a_verdict_is_sure_where_people_agreed_with_such_ones(changes, label, sure):
    values = {**PLAIN, "read": 0.0, "read_against": 0.0, **changes}
    assert PairScore(values, 0.5, 0.5).sure(label) is sure


def test_without_the_encoder_nothing_is_sure():
    assert not PairScore({**PLAIN, "cover_sentence": 1.0}, 0.99, 0.0).sure("supported")


@pytest.mark.parametrize(
    ("changes", "repeated"),
    [({"run": 0.96}, True), ({"run": 0.9}, False), ({"run": 1.0, "negation_differs": 1.0}, False)],
)
def test_a_claim_is_repeated_where_one_run_of_words_holds_it(changes, repeated):
    assert is_repeated({**PLAIN, **changes}) is repeated
