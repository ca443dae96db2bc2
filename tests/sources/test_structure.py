"""Headings, lists and tables of a page, over the text that was extracted and stored."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

from workbench.sources.read import read_structure
from workbench.sources.reading.blocks import Block
from workbench.sources.reading.parse import parse, text_structure

DEMO = Path(__file__).parents[2] / "data" / "demo"
PAGE = b"""<html><body><nav>Home</nav><article><h1>The bridge</h1>
<p>It is long enough to be an article that the extractor keeps as the text of the page.</p>
<h2>Its e\xef\xac\x83cient parts</h2>
<ul><li>A deck</li><li>Two towers<ul><li>the north one</li></ul></li></ul>
<table><tr><th>Year</th><th>Length</th></tr><tr><td>1931</td><td>120 m</td></tr>
<tr><td></td><td>125 m</td></tr></table>
<p>It was opened in 1931 by the mayor of the town, who had asked for it for a long time.</p>
</article></body></html>"""


def shown(body, text=None, content_type="text/html; charset=utf-8"):
    if text is None:
        address = "https://a.example/b"
        text = parse(body, content_type=content_type, url=address, asked=address, status=200).text
    blocks = read_structure(body, content_type, text)
    return [(block.kind, block.level, block.span.of(text)) for block in blocks]


def test_headings_items_and_rows_are_spans_of_the_stored_text():
    text = (
        "The bridge\nIt is long.\nIts efficient parts\n- A deck\n- Two towers\n  - the north one\n"
        "| Year | Length | \n|---|---|\n| 1931 | 120 m | \n|  | 125 m | \nIt was opened."
    )
    assert shown(PAGE, text) == [
        ("heading", 1, "The bridge"),
        ("heading", 2, "Its efficient parts"),
        ("item", 1, "- A deck"),
        ("item", 1, "- Two towers"),
        ("item", 2, "  - the north one"),
        ("row", 0, "| Year | Length | "),
        ("cell", 0, "Year"),
        ("cell", 0, "Length"),
        ("rule", 0, "|---|---|"),
        ("row", 0, "| 1931 | 120 m | "),
        ("cell", 0, "1931"),
        ("cell", 0, "120 m"),
        ("row", 0, "|  | 125 m | "),
        ("cell", 0, ""),
        ("cell", 0, "125 m"),
    ]


def test_a_page_read_now_has_its_structure():
    kinds = [kind for kind, _, _ in shown(PAGE)]
    assert (kinds.count("heading"), kinds.count("item"), kinds.count("row")) == (2, 3, 3)


def test_every_page_of_the_demo_has_headings_and_no_sentence_is_one():
    for file in sorted(DEMO.glob("*/*.html")):
        headings = [words for kind, _, words in shown(file.read_bytes()) if kind == "heading"]
        assert headings, file.name
        assert max(map(len, headings)) < 120, file.name


def test_text_that_is_not_on_the_page_has_no_structure():
    assert shown(PAGE, "Pasted by hand.\n- Another list\n| a | b |") == []
    assert shown(b"The bridge", "The bridge", "text/plain") == []
    assert shown(b"\0\1\2", "The bridge") == []
    assert shown(b"<div>" * 100_000, "The bridge") == []


def test_a_heading_that_is_repeated_in_a_sentence_is_one_once():
    body = b"<html><body><h2>Parts</h2><p>Parts</p><p>of it</p></body></html>"
    assert shown(body, "Parts\nParts\nof it") == [("heading", 2, "Parts")]


@pytest.mark.parametrize("line", ["a | b", "| a | b |", "| a | b | "])
def test_rows_with_and_without_outer_bars_have_their_cells(line):
    row, *cells = text_structure(line, [Block("a | b", False, 0, "row")])
    assert row.span.of(line) == line
    assert [cell.span.of(line) for cell in cells] == ["a", "b"]


lines = some.lists(
    some.sampled_from(
        ["a", "b 1", "- c", "  - d", "| a | b |", "|  |", "|---|---|", "", "\ud800", "|"]
    )
)
blocks = some.lists(
    some.builds(
        Block,
        some.sampled_from(["a", "b 1", "c", "d", "a | b", "a|b", "—"]),
        some.just(False),
        some.just(0),
        some.sampled_from(["text", "heading", "item", "row"]),
        some.integers(1, 6),
    )
)


@given(lines, blocks)
def test_blocks_are_in_order_within_their_lines_and_cells_within_their_rows(text_lines, page):
    text = "\n".join(text_lines)
    found = text_structure(text, page)
    whole = [block.span for block in found if block.kind != "cell"]
    assert all(one.end < other.start for one, other in zip(whole, whole[1:], strict=False))
    assert all("\n" not in span.of(text) for span in whole)
    row = None
    for block in found:
        if block.kind == "cell":
            assert row.start <= block.span.start <= block.span.end <= row.end
            assert block.span.of(text) == block.span.of(text).strip()
        else:
            row = block.span
