"""Compatibility characters are folded one for one: equal to readers, equal to comparisons."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.records.text import compatible_variants, fold_compatible


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("⼈⼯智能", "人工智能"),
        ("⻋⻓⻔⻅⻢⻰", "车长门见马龙"),
        ("豈更車", "豈更車"),
        ("ＡＩ ２０２４ ９８％", "AI 2024 98%"),
        ("ｱｲｳ", "アイウ"),
        ("𝐇𝐞𝐚𝐭", "Heat"),
        ("桥！长１２０米，宽？", "桥！长120米，宽？"),
        ("ﬁve ㎞", "ﬁve ㎞"),
    ],
)
def test_letters_become_plain_and_punctuation_stays(text, plain):
    assert fold_compatible(text) == plain


@given(st.text())
def test_offsets_hold_for_any_text(text):
    folded = fold_compatible(text)
    assert len(folded) == len(text)
    assert fold_compatible(folded) == folded


def test_every_variant_folds_back():
    for plain, variants in compatible_variants().items():
        assert {fold_compatible(variant) for variant in variants} == {plain}
    assert unicodedata.normalize("NFKC", "⼈") in compatible_variants()
