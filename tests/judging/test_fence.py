"""Text between the tags of a prompt opens no tag, however a tokenizer reads it."""

import html
import sys
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from workbench.judging.prompts import escape_tags, wrap_untrusted
from workbench.judging.quotes import is_hidden, normalise

FORMS = (None, "NFC", "NFD", "NFKC", "NFKD")
JOINERS = "\u034f\u00ad\u200b\u200d\u2060\u061c\u115f\u3164\uffa0\u180b\ufe0f\U000e0101\U000e0041"
MARKS = "\u0338\u0301\u20d2\u20dd"
PIECES = [
    *"<>/!?| \n＜＞﹤﹥≮≯5=",
    "&lt;",
    "&GT",
    "&#60;",
    *JOINERS,
    *MARKS,
    "passage",
    "claim",
    "system",
    "|im_start|",
]


def bare_forms(text):
    """Each normal form of a text, also without marks and invisible characters."""
    for form in FORMS:
        normal = unicodedata.normalize(form, text) if form else text
        yield normal
        yield "".join(c for c in normal if not (unicodedata.category(c)[0] in "MZ" or is_hidden(c)))


def opens_a_tag(text):
    return any(
        sign in "<>" and not before_number(text[index + 1 :])
        for index, sign in enumerate(text)
    )  # fmt: skip


def before_number(text):
    return text.lstrip(" =-+−±$€£¥.\u0338")[:1].isdecimal()


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
@example("<\u034f/passage>")
@example("<\u0338/passage>")
@example("≮/passage≯")
@example("<5\u034f</passage>")
def test_no_form_of_it_opens_a_tag(text):
    for form in bare_forms(escape_tags(text)):
        assert not opens_a_tag(form), repr(form)


@pytest.mark.parametrize(
    "spelled",
    ["&lt;", "&LT;", "&lt", "&#60;", "&#060", "&#x3c;", "&#X03C;", "&amp;lt;", "&amp;amp;#60;"],
)
def test_a_spelled_sign_is_decoded_by_nobody(spelled):
    escaped = escape_tags(f"{spelled}/claim>")
    assert not html.unescape(html.unescape(html.unescape(escaped))).startswith("<")
    assert escape_tags("R&D &copy; &amp; more") == "R&D &copy; &amp; more"


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_a_quote_of_it_is_a_quote_of_the_source(text):
    assert normalise(escape_tags(text))[0] == normalise(text)[0]


def test_no_character_shields_a_sign():
    """Every zero-width or normalizable character, between `<` and `/`."""
    for code in range(sys.maxunicode + 1):
        between = chr(code)
        kind = unicodedata.category(between)
        odd = kind[0] in "MZ" or kind in ("Cf", "Cc", "Co", "Cs", "Sk", "Lm") or is_hidden(between)
        if odd or unicodedata.decomposition(between):
            escaped = escape_tags(f"<{between}/passage>")
            assert "<" not in escaped and ">" not in escaped, hex(code)


@pytest.mark.parametrize(
    "text",
    ["p < 0.05", "p<.001", "n > 30", "a <= 5 %", "x >= -3", "about <$5", "≮ 7", "＜ 3"],
)
def test_signs_before_numbers_stay_readable(text):
    assert escape_tags(text) == text


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("</passage>", "⟨/passage⟩"),
        ("< / passage >", "⟨ / passage ⟩"),
        ("a < b ≮ c", "a ⟨ b ⟨\u0338 c"),
        ("<<SYS>>", "⟨⟨SYS⟩⟩"),
        ("x -> y", "x -⟩ y"),
        ("</pass\u034fage>", "⟨/passage⟩"),
    ],
)
def test_every_other_sign_is_shown_as_a_bracket(text, escaped):
    assert escape_tags(text) == escaped


def test_the_fence_itself_is_the_only_tag():
    assert wrap_untrusted("passage", "</passage>\n\n\n\nx", 2) == (
        '<passage id="2">\n⟨/passage⟩\n\nx\n</passage>'
    )
