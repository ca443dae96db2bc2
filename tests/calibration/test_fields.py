"""Agreement on the fields of queues, by the kind of their answers."""

import pytest

from workbench.calibration.agreement import field_agreement
from workbench.records.fields import AnswerRating, parse_fields

SCORE, CAUSES, DOMAIN, REMARK = parse_fields(
    [
        {"name": "score", "question": "How bad?", "kind": "score", "low": 1, "high": 5},
        {"name": "causes", "question": "Why?", "kind": "choices", "options": ["typo", "old"]},
        {"name": "domain", "question": "Where?", "kind": "choice", "options": ["law", "health"]},
        {"name": "remark", "question": "In words?", "kind": "text"},
    ]
)


def given(table, read=str):
    """From `{rater: "answer per item, . for none"}`; each item in an output of its own."""
    return [
        AnswerRating(item=str(item), rater=rater, value=read(answer), group=str(item))
        for rater, answers in table.items()
        for item, answer in enumerate(answers.split())
        if answer != "."
    ]


KRIPPENDORFF = {
    "A": "1 2 3 3 2 1 4 1 2 . . .",
    "B": "1 2 3 3 2 2 4 1 2 5 . 3",
    "C": ". 3 3 3 2 3 4 2 2 5 1 .",
    "D": "1 2 3 3 2 4 4 1 2 5 1 .",
}


def test_scores_have_krippendorffs_ordinal_and_interval_alpha():
    # "Computing Krippendorff's Alpha-Reliability" (2011), example C: ordinal .815, interval .849
    field = field_agreement(SCORE, "q", given(KRIPPENDORFF, int))
    (measure,) = field.measures
    assert measure.ordinal_alpha.value == pytest.approx(0.815, abs=0.0005)
    assert measure.interval_alpha.value == pytest.approx(0.849, abs=0.0005)
    assert measure.alpha is None
    assert (field.items, field.raters, measure.given) == (11, 4, 40)
    low, high = measure.interval_alpha.interval
    assert low < 0.849 < high < 1


def test_scores_that_nobody_gave_change_nothing():
    near, far = (field_agreement(SCORE, "q", given({"A": "1 2 1 2", "B": "1 2 2 2"}, read))
                 for read in (int, lambda text: int(text) * 10))  # fmt: skip
    assert near.measures == far.measures


def test_one_option_is_nominal_as_a_label():
    # items aa, ab, bb, bb: alpha = 8/15, raw = 3/4, as in test_agreement
    words = {"a": "law", "b": "health"}
    (measure,) = field_agreement(
        DOMAIN, "q", given({"A": "a a b b", "B": "a b b b"}, words.get)
    ).measures
    assert measure.alpha.value == pytest.approx(8 / 15)
    assert measure.raw.value == pytest.approx(3 / 4)
    assert measure.ordinal_alpha is None


def test_several_options_are_compared_one_by_one():
    sets = {"t": ("typo",), "b": ("typo", "old"), "n": ()}
    typo, old = field_agreement(
        CAUSES, "q", given({"A": "t t n b", "B": "t b n b"}, sets.get)
    ).measures
    # typo: chosen by both on items 0, 1 and 3, by nobody on 2: full agreement
    assert (typo.option, typo.given, typo.alpha.value) == ("typo", 6, 1.0)
    # old: n n / n y / n n / y y: coincidences nn 4, ny 1, yn 1, yy 2; n = 5, y = 3 of 8
    # D_o = 2/8, D_e = 1 - (5*4 + 3*2) / (8*7) = 30/56
    assert (old.given, old.alpha.value) == (3, pytest.approx(1 - (1 / 4) / (30 / 56)))


def test_texts_and_single_answers_have_no_figure():
    assert field_agreement(REMARK, "q", given({"A": "x y", "B": "x z"})).measures == ()
    alone = field_agreement(SCORE, "q", given({"A": "1 2", "B": ". ."}, int))
    assert (alone.items, alone.measures) == (0, ())
