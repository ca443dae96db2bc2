"""What a card shows beside a claim and a quote: what the claim is about, and whose page it is."""

from tests.fakes import records as make
from workbench import extract
from workbench.fronts.ui.card_context import (
    LONGEST_BEFORE,
    claim_context_data,
    quote_heading,
    source_description,
)
from workbench.records import ClaimContext, Span

TEXT = (
    "# Bridges\n\n## The Ostrau bridge\n\nThe Ostrau bridge has two arches. It was opened in 1913 "
    "[1].\n\n| Bridge | Opened |\n| --- | --- |\n| Mill bridge | in 1931 [2] |\n"
)


def shown_for(identifier, text=TEXT):
    extraction = extract(text)
    citation = next(one for one in extraction.citations if one.identifier == identifier)
    return claim_context_data(citation.claim_context, text)


def test_the_headings_and_the_sentence_before_stand_beside_a_claim():
    shown = shown_for("1")
    assert shown["headings"] == ["Bridges", "The Ostrau bridge"]
    assert shown["before"] == "The Ostrau bridge has two arches."
    assert shown["facts"] == []


def test_a_cell_is_shown_with_its_header_and_its_row():
    assert ["Row", "Mill bridge"] in shown_for("2")["facts"]
    assert any(name == "Header" and "Opened" in value for name, value in shown_for("2")["facts"])


def test_a_question_and_a_date_are_shown_on_one_line_each():
    context = ClaimContext(question="Which\n\nbridges?", date="2026-03-01")
    facts = claim_context_data(context, "")["facts"]
    assert facts == [["Question", "Which bridges?"], ["Date", "2026-03-01"]]


def test_nothing_known_takes_no_place():
    assert claim_context_data(None, TEXT) is None
    assert claim_context_data(ClaimContext(), TEXT) is None


def test_of_a_long_text_before_a_claim_the_last_words_are_shown():
    text = "The mill stands by the river. " * 30
    before = claim_context_data(ClaimContext(before=Span(0, len(text))), text)["before"]
    assert before.startswith("… ") and before.endswith("by the river.")
    assert len(before) <= LONGEST_BEFORE + 2


def test_a_quote_is_shown_with_the_heading_it_stands_under():
    page = "# Library\n\nIt is old.\n\n## Opening\n\nIt was opened in 1913."
    source = make.source(text=page)
    at = page.index("It was opened")
    assert quote_heading(source, Span(at, len(page))) == "Opening"
    assert quote_heading(source, Span(0, 9)) == ""
    assert quote_heading(None, Span(0, 1)) == ""


def test_a_source_says_who_published_it_and_when():
    source = make.source(site="Town archive", author="M. Orth", published="1999")
    assert source_description(source) == ["Town archive", "M. Orth", "1999"]
    assert source_description(make.source()) == []
    assert source_description(None) == []
