"""Overlap of evidence, by hand and against sets of characters."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.calibration.agreement import (
    covered,
    evidence_agreement,
    merged,
    shared,
    span_f1,
    span_jaccard,
)
from workbench.records.review import Rating
from workbench.records.text import Span


def rating(item, rater, *spans, label="supported", text="t", group=""):
    return Rating(
        item=item,
        rater=rater,
        label=label,
        group=group,
        evidence=tuple(Span(*span) for span in spans),
        text=text,
    )


def test_two_overlapping_spans():
    # 0-10 and 5-20: shared 5, either 20, sum 25: F1 = 10/25, Jaccard = 5/20
    first, second = [Span(0, 10)], [Span(5, 20)]
    assert shared(first, second) == 5
    assert span_f1(first, second) == pytest.approx(0.4)
    assert span_jaccard(first, second) == pytest.approx(0.25)


def test_overlaps_within_one_choice_count_once():
    assert merged([Span(5, 9), Span(0, 6), Span(9, 12), Span(3, 3)]) == (Span(0, 12),)
    assert span_f1([Span(0, 6), Span(4, 10)], [Span(0, 10)]) == 1.0


def test_no_evidence_at_all_has_no_overlap():
    assert span_f1([], [Span(2, 2)]) is None
    assert span_jaccard([], []) is None
    assert span_f1([], [Span(0, 1)]) == 0.0


spans = st.lists(
    st.tuples(st.integers(0, 30), st.integers(0, 30)).map(lambda ends: Span(*sorted(ends))),
    max_size=5,
)


@given(spans, spans)
def test_it_is_the_overlap_of_sets_of_characters(first, second):
    covered_first, other = (
        {i for s in some for i in range(s.start, s.end)} for some in (first, second)
    )
    assert covered(first) == len(covered_first)
    assert shared(first, second) == len(covered_first & other)
    f1, jaccard = span_f1(first, second), span_jaccard(first, second)
    if covered_first | other:
        assert jaccard == pytest.approx(len(covered_first & other) / len(covered_first | other))
        assert f1 == pytest.approx(2 * jaccard / (1 + jaccard))
        assert f1 == span_f1(second, first)
    else:
        assert f1 is jaccard is None


def test_evidence_agreement_averages_pairs_then_items():
    result = evidence_agreement(
        [
            # three people: pairs have F1 1, 0 and 0, mean 1/3
            rating("1", "Ada", (0, 10)),
            rating("1", "Bob", (0, 10)),
            rating("1", "Cy", (50, 60)),
            # F1 0.4
            rating("2", "Ada", (0, 10)),
            rating("2", "Bob", (5, 20)),
            # the same label, evidence by one only
            rating("3", "Ada", (0, 10)),
            rating("3", "Bob"),
            # another text: offsets mean nothing to each other
            rating("4", "Ada", (0, 10), text="t"),
            rating("4", "Bob", (0, 10), text="u"),
        ]
    )
    assert (result.items, result.one_sided) == (2, 1)
    assert result.f1.value == pytest.approx((1 / 3 + 0.4) / 2)
    assert result.jaccard.value == pytest.approx((1 / 3 + 0.25) / 2)
    assert result.touching.value == pytest.approx((1 / 3 + 1) / 2)
    assert result.f1.no_interval == "too few independent documents: 2 of at least 3"


def test_without_evidence_there_are_no_figures():
    result = evidence_agreement([rating("1", "Ada"), rating("1", "Bob")])
    assert (result.items, result.f1.value) == (0, None)
