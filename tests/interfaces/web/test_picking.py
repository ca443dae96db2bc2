"""Selecting a part of a text: what the browser gets, and what it may send back."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fakes import records as make
from workbench.interfaces.web.components.text_selection import (
    PickPart,
    TextHighlight,
    picking_data,
    selected_span,
    sentences_of,
    span_id,
)
from workbench.interfaces.web.page_images import NO_PLACES, page_data
from workbench.interfaces.web.review.decision_details import DecisionItem
from workbench.interfaces.web.review.source_view import source_data
from workbench.interfaces.web.text_structure import structure_data
from workbench.records.source import Page
from workbench.records.text import Span
from workbench.records.verdict import Evidence
from workbench.services.labels import DecisionDetails
from workbench.services.sources.page_images import SourcePage
from workbench.services.sources.structure import SourceBlock
from workbench.sources.read import PageImage
from workbench.sources.reading.page_text import Box, PlacedText
from workbench.store.store import Store

SMILE = "It opened 🙂 in 1931. 它在一九三一年开放。It is \ud800 long."


def picking(text, start=0, end=None, marks=(), **fields):
    part = PickPart(span=Span(start, len(text) if end is None else end))
    return picking_data(text, part, marks, doc="d", act="Take", name="Text", **fields)


def test_sentences_are_counted_in_code_points():
    data = picking(SMILE)
    places = data["sentences"]
    cut = [data["text"][a:b] for a, b in zip(places[::2], places[1::2], strict=True)]
    assert cut == ["It opened 🙂 in 1931.", "它在一九三一年开放。", "It is \ufffd long."]
    json.dumps(data).encode("ascii")


@given(st.text(max_size=400), st.integers(0, 400), st.integers(0, 400))
def test_any_part_of_any_text_can_be_drawn(text, first, second):
    start, end = sorted((min(first, len(text)), min(second, len(text))))
    mark = TextHighlight(id="m", span=Span(first, first + 5), kind="mine", who="you")
    data = picking(text, start, end, [mark])
    assert len(data["text"]) == end - start
    places = data["sentences"]
    assert places == sorted(places)
    assert all(0 <= at <= end - start for at in places)
    assert all(0 <= m["s"] < m["e"] <= end - start for m in data["marks"])
    covered = {at for a, b in zip(places[::2], places[1::2], strict=True) for at in range(a, b)}
    letter_positions = {at for at, letter in enumerate(data["text"]) if letter.strip()}
    assert letter_positions <= covered


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        (
            "The main result is that the highest flow temperature\nexplains more. Next one.",
            ["The main result is that the highest flow temperature\nexplains more.", "Next one."],
        ),
        ("A heading\nA sentence after it.", ["A heading", "A sentence after it."]),
        (
            "The main result is that the highest flow temperature\n\nA paragraph.",
            ["The main result is that the highest flow temperature", "A paragraph."],
        ),
        (
            "| a cell that is long enough to be a full line | 2 |\n| b | 3 |",
            ["| a cell that is long enough to be a full line | 2 |", "| b | 3 |"],
        ),
        ("", []),
        (" \n ", []),
    ],
)
def test_wrapped_lines_are_one_sentence(text, sentences):
    assert [span.of(text) for span in sentences_of(text)] == sentences


@pytest.mark.parametrize(
    ("selection", "words"),
    [
        ("0-9", "It opened"),
        ("10-11", "🙂"),
        ("9-12", "🙂"),
        (f"0-{len(SMILE)}", SMILE),
        ("9-10", None),
        ("5-5", None),
        ("7-3", None),
        (f"0-{len(SMILE) + 1}", None),
        ("-3-4", None),
        ("1-2; drop", None),
        ("9999999999999999999-1", None),
        (None, None),
    ],
)
def test_only_a_place_in_the_text_comes_back(selection, words):
    span = selected_span(selection, SMILE)
    assert (span and span.of(SMILE)) == words
    if span:
        assert selected_span(span_id(span), SMILE) == span


def test_marks_and_pages_are_placed_in_their_part():
    text = "x" * 100
    mark = TextHighlight(id="m", span=Span(15, 45), kind="quote", who="judge", wrong=True)
    far_mark = TextHighlight(id="far", span=Span(80, 90), kind="mine", who="you")
    pages = [
        Page(number=1, span=Span(0, 18)),
        Page(number=2, span=Span(18, 18)),
        Page(number=3, span=Span(18, 60)),
    ]
    data = picking(text, 10, 40, [mark, far_mark], pages=pages, preset=Span(12, 20))
    assert data["marks"] == [{"id": "m", "s": 5, "e": 30, "k": "quote", "d": "judge", "w": True}]
    assert data["pages"] == [[0, 1], [8, 3]]
    assert (data["start"], data["preset"]) == (10, [2, 10])


def item(tmp_path, **fields):
    defaults = {
        "database": Store(tmp_path / "w.duckdb"),
        "run_id": "r1",
        "result": make.result(1),
        "source": make.source(),
        "reviewer": "Ada",
    }
    return DecisionItem(**(defaults | fields))


def test_a_source_shows_whose_evidence_is_what(tmp_path):
    other = make.label(reviewer="Ben", evidence=(Evidence(quote="1931", span=Span(14, 18)),))
    details = DecisionDetails(evidence=(Span(0, 12),), wrong_evidence=(Span(40, 50),))
    data = source_data(make.source(), item(tmp_path, others=(other,)), details)
    assert [(m["id"], m["k"], m["d"], m["w"]) for m in data["marks"]] == [
        ("quote-40-50", "quote", "judge", True),
        ("mine-0-12", "mine", "you", False),
        ("other-0-14-18", "other", "Ben", False),
    ]
    assert data["chosen"] == "quote-40-50"
    groups = {group["name"]: group["rows"] for group in data["lists"]}
    assert groups["Your evidence"][0]["t"] == "Opening year"
    assert groups["Your evidence"][0]["p"] == "page 1"
    assert groups["The judge's quotes"][0]["p"] == "page 2"


def test_a_source_s_own_reference_list_is_marked(tmp_path):
    text = make.SOURCE_TEXT + "\n\nReferences\n1. Kim P. Heat. J Heat. 2012;1:2-3.\n"
    data = source_data(make.source(text=text, pages=()), item(tmp_path), DecisionDetails())
    (listed,) = [mark for mark in data["marks"] if mark["k"] == "listed"]
    assert data["text"][listed["s"] : listed["e"]].startswith("References\n1. Kim")
    assert "reference list: not usable as evidence" in listed["d"]
    assert data["lists"][-1]["rows"][0]["k"] == "listed"


def test_without_the_judge_the_first_evidence_is_in_view(tmp_path):
    blind = item(tmp_path, result=make.result(1, judgment=None, judgments=()))
    data = source_data(make.source(), blind, DecisionDetails(evidence=(Span(14, 18),)))
    assert [mark["k"] for mark in data["marks"]] == ["mine"]
    assert data["chosen"] == "mine-14-18"
    assert source_data(make.source(), blind, DecisionDetails())["chosen"] is None


def test_a_long_source_comes_in_parts_that_join_without_a_gap(tmp_path):
    text = "A sentence of some length stands here 🙂. " * 4_000
    source = make.source(text=text, pages=())
    long = item(tmp_path, source=source, result=make.result(1, judgment=None, judgments=()))
    first = source_data(source, long, DecisionDetails(evidence=(Span(100_000, 100_040),)))
    parts = [source_data(source, long, DecisionDetails(), n) for n in range(first["parts"])]
    assert "".join(part["text"] for part in parts) == text
    assert first["part"] > 0
    assert max(len(part["text"]) for part in parts) <= 24_000
    (row,) = first["lists"][0]["rows"]
    assert row["part"] == first["part"]
    assert "of 164,000 characters" in first["where"]


def page_of(source, number, problem=""):
    """A page, or why it was not drawn; each of its letters stands in the same place."""
    page = source.pages[number - 1]
    text = page.span.of(source.text)
    places = [None if letter.isspace() else Box(10, 10, 20, 20) for letter in text]
    image = PageImage(
        number=number, png=b"png", width=12, height=17,
        text=PlacedText(start=page.start, text=text, places=tuple(places)),
    )  # fmt: skip
    return SourcePage(number=number, image=None if problem else image, problem=problem)


def test_beside_an_image_the_parts_are_pages_and_the_one_with_the_quote_is_drawn(tmp_path):
    drawn = []

    def draw(source, number):
        drawn.append(number)
        return page_of(source, number)

    source = make.source()
    data = source_data(source, item(tmp_path), DecisionDetails(), look="both", draw_page=draw)
    assert drawn == [2]
    assert (data["part"], data["parts"], data["page"]["n"]) == (1, 2, 2)
    assert data["text"] == source.pages[1].span.of(source.text)
    assert data["page"]["boxes"] == {"quote-40-50": [[10, 10, 20, 20]]}
    assert data["page"]["src"] == "data:image/png;base64,cG5n"
    start, end, *box = data["page"]["words"][0]
    assert data["text"][start:end] == data["text"].split()[0]
    assert box == [10, 10, 20, 20]
    source_data(source, item(tmp_path), DecisionDetails(), part=0, look="page", draw_page=draw)
    assert drawn == [2, 1]


def test_a_page_that_cannot_be_drawn_and_a_quote_without_a_place_are_told(tmp_path):
    source = make.source()
    stopped = source_data(
        source, item(tmp_path), DecisionDetails(), look="both",
        draw_page=lambda source, number: page_of(source, number, problem="It was stopped."),
    )["page"]  # fmt: skip
    assert (stopped["problem"], "src" in stopped) == ("It was stopped.", False)
    page = page_of(source, 2)
    nowhere = replace(page.image.text, places=(None,) * len(page.image.text.text))
    page = replace(page, image=replace(page.image, text=nowhere))
    data = page_data(page, source, {"q": Span(40, 50), "elsewhere": Span(0, 5)})
    assert (data["boxes"], data["missing"], data["note"]) == ({}, ["q"], NO_PLACES)


def test_the_structure_of_a_part_is_counted_from_its_start(tmp_path):
    source = make.source(text="Parts\nA deck", pages=())
    blocks = (SourceBlock(Span(0, 5), "heading", 2), SourceBlock(Span(6, 12), "item", 1))
    blind = item(tmp_path, source=source, result=make.result(1, judgment=None, judgments=()))
    data = source_data(source, blind, DecisionDetails(), structure=blocks)
    assert data["structure"] == [[0, 5, "heading", 2], [6, 12, "item", 1]]
    assert structure_data(blocks, Span(6, 12)) == [[0, 6, "item", 1]]
