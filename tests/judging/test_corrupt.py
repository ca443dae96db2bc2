"""Corruptions change exactly one thing, checked by hand."""

import random

import pytest

from workbench.judging.features import polarity_conflict
from workbench.judging.training.pairs import find_names, make_negative, negate

CLAIM = "In 1932 the bridge of Sydney was opened, 503 metres long [3]."


@pytest.mark.parametrize("seed", range(20))
def test_a_number_changes_and_nothing_else_and_never_a_marker(seed):
    negative = make_negative(CLAIM, "number", random.Random(seed))
    assert negative != CLAIM
    assert negative.endswith("[3].")
    old, new = CLAIM.split(), negative.split()
    assert sum(a != b for a, b in zip(old, new, strict=True)) == 1


def test_a_name_is_swapped_for_another_one():
    negative = make_negative(CLAIM, "name", random.Random(1), ["Sydney", "Perth"])
    assert negative == CLAIM.replace("Sydney", "Perth")
    assert make_negative(CLAIM, "name", random.Random(1), ["Sydney"]) is None


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("It was opened.", "It was not opened."),
        ("It was not opened.", "It was opened."),
        ("Bridges rust.", None),
    ],
)
def test_negation(claim, expected):
    assert negate(claim) == expected


def test_opposites_and_places_that_offer_nothing():
    assert make_negative("Prices rose.", "opposite", random.Random(0)) == "Prices fell."
    assert make_negative("Prices stayed.", "opposite", random.Random(0)) is None
    assert make_negative("No figures.", "number", random.Random(0)) is None


def test_names_are_found_inside_sentences():
    assert find_names("The mayor Anna Berg met Lee in Oslo.") == ["Anna Berg", "Lee", "Oslo"]


@pytest.mark.parametrize(
    ("claim", "evidence", "expected"),
    [
        ("It was not opened in spring.", "It was opened in spring.", 1.0),
        ("It was not opened in spring.", "It was not opened in spring.", 0.0),
        ("It was opened.", "It wasn't opened.", 1.0),
        ("It is not only big.", "It is big.", 0.0),
        ("It was opened.", "Nothing about that.", 0.0),
    ],
)
def test_polarity(claim, evidence, expected):
    assert polarity_conflict(claim, evidence) == expected
