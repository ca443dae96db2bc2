"""Quotes are found verbatim after normalisation, with exact offsets, or rejected with a reason."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from workbench.judging.quotes import locate_quotes, normalise
from workbench.records.source import Passage
from workbench.records.text import Span


def passage(text, start=0):
    return Passage(span=Span(start, start + len(text)), text=text)


@pytest.mark.parametrize(
    ("quote", "source", "expected"),
    [
        ("opened in 1932", "It opened in 1932 again.", "opened in 1932"),
        ("opened  in\n1932", "It opened in 1932.", "opened in 1932"),
        ("opened in 1932", "It opened\n   in 1932.", "opened\n   in 1932"),
        ('He said "no thanks"', "He said “no thanks” twice", "He said “no thanks”"),
        ("the 1914-1918 war", "the 1914–1918 war", "the 1914–1918 war"),
        ("official fields", "the oﬃcial ﬁelds", "oﬃcial ﬁelds"),
        ("p < 0.05 overall", "with p < 0.05 overall", "p < 0.05 overall"),
        ("<b>bold claim</b>", "a ＜b>bold claim＜/b＞ here", "＜b>bold claim＜/b＞"),
        ("⟨b⟩bold claim⟨/b⟩", "a <b>bold claim</b> here", "<b>bold claim</b>"),
        ("a ⟨\u0338 b of them all", "so a ≮ b of them all", "a ≮ b of them all"),
        ("opened in 1932", "it op\u034fened in\ufe0f 1932", "op\u034fened in\ufe0f 1932"),
        (
            "sky is blue today",
            "the sky\u200b is blue to\u00adday.",
            "sky\u200b is blue to\u00adday",
        ),
        ("“opened in 1932.”", "It opened in 1932. Then", "opened in 1932."),
        ("全长1149米", "该桥全长1149米。", "全长1149米"),
    ],
)
def test_found(quote, source, expected):
    located = locate_quotes([quote], [passage(source, 100)])
    (evidence,) = located.evidence
    assert evidence.quote == expected
    assert source[evidence.start - 100 : evidence.end - 100] == expected
    assert located.rejected == ()


@pytest.mark.parametrize(
    ("quote", "reason"),
    [
        ("it was opened by the queen", "does not stand"),
        ("It OPENED in 1932", "does not stand"),
        ("", "empty"),
        (" “” ", "empty"),
        ("...", "empty"),
        ("in 1932", "shorter than"),
        ("opened ... in 1999", "does not stand"),
        ("again. ... It opened", "does not stand"),  # the parts are not in that order
    ],
)
def test_rejected_with_a_reason(quote, reason):
    located = locate_quotes([quote], [passage("It opened in 1932 to cars, never again.")])
    assert located.evidence == ()
    ((rejected_quote, why),) = located.rejected
    assert rejected_quote == quote
    assert reason in why


def test_an_ellipsis_gives_its_parts_in_order():
    source = "It opened in 1932 to cars, and in 1935 to trains."
    located = locate_quotes(["opened in 1932 […] to trains"], [passage(source)])
    assert [e.quote for e in located.evidence] == ["opened in 1932", "to trains"]


def test_a_short_source_may_be_quoted_whole():
    located = locate_quotes(["Yes."], [passage("Yes.")])
    assert len(located.evidence) == 1


def test_the_same_place_is_given_once():
    located = locate_quotes(["opened in 1932", "opened  in 1932"], [passage("It opened in 1932.")])
    assert len(located.evidence) == 1


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=80), st.text(max_size=60), st.text(max_size=80))
def test_a_verbatim_quote_is_always_found_at_its_offsets(text_before, middle, text_after):
    quote = f"evidence {middle} stands"
    assume("..." not in normalise(quote)[0])
    source = f"{text_before} {quote} {text_after}"
    located = locate_quotes([quote], [passage(source, 7)])
    states_nothing = [reason for _, reason in located.rejected if "is only a" in reason]
    assert located.evidence or states_nothing
    for evidence in located.evidence:
        assert source[evidence.start - 7 : evidence.end - 7] == evidence.quote
        assert normalise(evidence.quote)[0].strip() in normalise(source)[0]


@settings(deadline=None)
@given(st.text(max_size=200))
def test_normalised_text_maps_back_in_order(text):
    form, places = normalise(text)
    assert len(form) == len(places)
    assert places == sorted(places)
    assert all(0 <= place < len(text) for place in places)
    assert normalise(form)[0].strip() == form.strip()
