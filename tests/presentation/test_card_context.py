"""What a card shows beside a claim and a quote: what the claim is about, and whose page it is."""

from dataclasses import replace

from tests.fakes import records as make
from workbench import extract
from workbench.presentation.citation_card import (
    LONGEST_BEFORE,
    claim_context_data,
    quote_heading,
    scope_data,
    source_description,
)
from workbench.records.citation import ClaimScope
from workbench.records.context import ClaimContext
from workbench.records.text import Span
from workbench.records.verdict import CitationResult, JudgedPart

TEXT = (
    "# Bridges\n\n## The Ostrau bridge\n\nThe Ostrau bridge has two arches. It was opened in 1913 "
    "[1].\n\n| Bridge | Opened |\n| --- | --- |\n| Mill bridge | in 1931 [2] |\n"
)


def shown_for(identifier, text=TEXT):
    extraction = extract(text)
    citation = next(
        citation for citation in extraction.citations if citation.identifier == identifier
    )
    return claim_context_data(citation.claim_context, text)


def test_the_headings_and_the_sentence_before_stand_beside_a_claim():
    data = shown_for("1")
    assert data["headings"] == ["Bridges", "The Ostrau bridge"]
    assert data["before"] == "The Ostrau bridge has two arches."
    assert data["facts"] == []


def test_what_stands_beside_a_claim_is_shown_without_its_syntax():
    text = (
        "# The **mill**\n\nIt *stands* by the [river](https://river.example/a_b), as `2 * 3` and "
        "2*3*4 do.\n\nIt was opened in 1913 [1].\n"
    )
    data = shown_for("1", text)
    assert data["headings"] == ["The mill"]
    assert data["before"] == "It stands by the river, as 2 * 3 and 2*3*4 do."


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
    text_before = claim_context_data(ClaimContext(before=Span(0, len(text))), text)["before"]
    assert text_before.startswith("… ") and text_before.endswith("by the river.")
    assert len(text_before) <= LONGEST_BEFORE + 2


def test_a_quote_is_shown_with_the_heading_it_stands_under():
    page = "# Library\n\nIt is old.\n\n## Opening\n\nIt was opened in 1913."
    source = make.source(text=page)
    start = page.index("It was opened")
    assert quote_heading(source, Span(start, len(page))) == "Opening"
    assert quote_heading(source, Span(0, 9)) == ""
    assert quote_heading(None, Span(0, 1)) == ""


def test_a_source_says_who_published_it_and_when():
    source = make.source(site="Town archive", author="M. Orth", published="1999")
    assert source_description(source) == ["Town archive", "M. Orth", "1999"]
    assert source_description(make.source()) == []
    assert source_description(None) == []


def judged_list(parts):
    text = "Bridges:\n- The first is <b>old</b>.\n- The second is new. [1]"
    citation = make.citation()
    scope = ClaimScope(kind="list", span=Span(0, len(text)), text=text, guess=True)
    judgment = make.judgment()
    return text, CitationResult(
        citation=replace(citation, scope=scope),
        status="ok",
        verdict="partially_supported",
        judgment=replace(judgment, parts=parts),
    )


def test_the_parts_of_a_list_are_shown_each_with_its_verdict():
    parts = (
        JudgedPart(span=Span(11, 35), label="supported", score=0.9),
        JudgedPart(span=Span(38, 56), label="not_supported", score=0.1),
    )
    text, result = judged_list(parts)
    data = scope_data(result, text, hidden=False)
    assert data["name"] == "The citation covers its whole list, guessed from its place"
    assert data["parts"] == [
        ["The first is <b>old</b>.", "supported"],
        ["The second is new.", "not_supported"],
    ]
    hidden = scope_data(result, text, hidden=True)
    assert [label for _, label in hidden["parts"]] == [None, None]


def test_a_list_that_is_not_judged_by_parts_is_shown_whole():
    text, result = judged_list(())
    (only,) = scope_data(result, text, hidden=False)["parts"]
    assert only == [" ".join(text.split()), None]


def test_a_sentence_has_no_scope_to_show():
    assert scope_data(make.result(), TEXT, hidden=False) is None
