"""The words that a rewriting adds to a claim, and where card and report show them."""

from dataclasses import replace

import pytest

from tests.fakes import records as make
from workbench.presentation.citation_card import card_data
from workbench.presentation.corrections import added_words, standalone_claim
from workbench.presentation.run_report import annotated_html
from workbench.presentation.run_view import ReviewState
from workbench.records.corrections import MOST_WORDS
from workbench.records.text import Excerpt, Span


def marked(claim, standalone):
    """The rewriting with the added words in brackets."""
    marked_text, position = "", 0
    for span in added_words(claim, standalone):
        marked_text += f"{standalone[position : span.start]}[{span.of(standalone)}]"
        position = span.end
    return marked_text + standalone[position:]


@pytest.mark.parametrize(
    "claim, marks",
    [
        # a pronoun is replaced
        ("It was opened in 1913 [1].", "[The Ostrau bridge] was opened in 1913."),
        # an omitted subject and a relative time
        ("Was closed that year.", "[The bridge] was closed [in 1913]."),
        # nothing is added: case, markers and punctuation make no difference
        ("The bridge [2] was opened, in 1913", "the bridge was opened in 1913."),
        ("its length is 1,200 m", "[The bridge's] length is 1,200 m"),
        ("它于1913年启用。", "[奥斯特劳大桥]于1913年启用。"),
        ("该书在次年出版了第二版。", "《[桥》一]书在[1914]年出版了第二版。"),
        ("", "[All of it]."),
        ("Something else entirely", "[Naught agrees]."),
    ],
)
def test_added_words_are_marked(claim, marks):
    standalone = marks.replace("[", "").replace("]", "")
    assert marked(claim, standalone) == marks


def test_no_rewriting_adds_nothing():
    assert added_words("The bridge.", "") == []
    assert added_words("", "") == []


def test_of_a_claim_of_five_million_letters_only_the_first_words_are_compared():
    added = added_words("桥" * 5_000_000, "桥梁" * 500)
    assert added == [Span(at, at + 1) for at in range(1, MOST_WORDS, 2)]


HOSTILE = '<script>alert(1)</script> "the bridge" \ud800'


def result_rewritten(text, **fields):
    judgment = make.judgment(standalone=text)
    return make.result(1, judgment=judgment, judgments=(judgment,), **fields)


def card(result):
    run = make.run(results=(result,))
    return card_data(
        ReviewState(run=run, text=make.TEXT, name="", labels={}), result.citation.id, None
    )


def test_card_and_report_show_it_below_the_claim_as_text():
    result = result_rewritten(HOSTILE)
    section = card(result)["standalone"]
    assert section["name"] == "Stands alone as"
    assert "".join(text for text, _ in section["parts"]) == HOSTILE.replace("\ud800", "\ufffd")
    page = annotated_html(make.run(results=(result,)), make.TEXT)
    assert "Stands alone as" in page
    assert "<ins>script&gt;alert(1)&lt;/script" in page
    assert "<script>" not in page


def test_without_a_rewriting_nothing_is_shown():
    assert card(make.result(1))["standalone"] is None
    assert "Stands alone" not in annotated_html(make.run(results=(make.result(1),)), make.TEXT)


def test_a_reviewers_wording_comes_before_the_models():
    result = result_rewritten("The model's bridge was opened.")
    worded = replace(result, citation=replace(result.citation, wording="The Ostrau bridge."))
    section = standalone_claim(worded)
    assert section.name == "Judged as worded by a reviewer"
    assert "".join(text for text, _ in section.parts) == "The Ostrau bridge."


def test_a_citation_without_a_claim_shows_none():
    result = result_rewritten("The bridge.")
    assert standalone_claim(replace(result, citation=replace(result.citation, claim=None))) is None
    claim = Excerpt(span=Span(0, 3), text="The")
    assert standalone_claim(replace(result, citation=replace(result.citation, claim=claim)))


def test_tables_hold_it():
    pytest.importorskip("pandas")
    frame = make.run(
        results=(result_rewritten("The bridge was opened."), make.result(2))
    ).to_frame()
    assert frame["standalone"].iloc[0] == "The bridge was opened."
    assert frame["standalone"].isna().tolist() == [False, True]
