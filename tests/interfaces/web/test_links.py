"""Numbers that lead somewhere: the address of a filter, and the tables that show them."""

import json
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.errors import ERROR_KINDS, UsageError
from workbench.interfaces.web.filters import address_of, filter_of, filter_text
from workbench.interfaces.web.links import (
    figures_data,
    items_link,
    links_of,
    queue_link,
    table_data,
)
from workbench.presentation.tables import Cell, Column, Link, Table
from workbench.records.queue import ItemFilter
from workbench.records.verdict import VERDICT_LABELS

filters = st.builds(
    ItemFilter,
    runs=st.lists(st.text(max_size=20), max_size=2).map(tuple),
    verdicts=st.lists(st.sampled_from(VERDICT_LABELS), max_size=2).map(tuple),
    error_kinds=st.lists(st.sampled_from(sorted(ERROR_KINDS)), max_size=2).map(tuple),
    hosts=st.lists(st.text(max_size=20), max_size=2).map(tuple),
    words=st.text(max_size=30),
    reviewed=st.sampled_from([None, True, False]),
    near=st.sampled_from([None, 0.0, 0.5]),
    labelled_from=st.sampled_from(["", "2026-03-01T00:00:00+00:00"]),
)


@given(filters)
def test_a_filter_comes_back_from_its_address(chosen):
    assert filter_of(address_of(chosen)) == chosen
    link = items_link(chosen)
    parameters = parse_qs(urlsplit(link.href()).query, keep_blank_values=True)
    assert filter_of(parameters.get("filter", [""])[0]) == chosen
    assert filter_text(chosen)


def test_every_item_needs_no_address():
    assert items_link(ItemFilter()).href() == "items"
    assert address_of(ItemFilter()) == ""
    assert queue_link(ItemFilter()).query == {"q": ""}


@pytest.mark.parametrize(
    "address",
    ["nonsense", "[1]", '{"colour": "red"}', '{"verdicts": "supported"}', "[" * 100_000]
    + ['{"labelled_from": "yesterday"}', '{"labelled_before": "2026-03-01"}', '{"near": true}'],
)
def test_what_is_no_filter_is_told_in_a_sentence(address):
    with pytest.raises(UsageError, match=r"The filter in the address cannot be used .+\."):
        filter_of(address)


@pytest.mark.parametrize(
    ("chosen", "words"),
    [
        (ItemFilter(), "Everything with a verdict"),
        (ItemFilter(reviewed=False), "Not reviewed yet"),
        (
            ItemFilter(hosts=("",), error_kinds=("timeout", "unlinked")),
            "The source did not answer in time or No source could be linked, from no host",
        ),
        (
            ItemFilter(
                labelled_from="2026-03-01T00:00:00+00:00",
                labelled_before="2026-03-02T00:00:00+00:00",
                reviewers=("Ada",),
            ),
            "Reviewed by Ada, labelled on 2026-03-01",
        ),
    ],
)
def test_filters_in_words(chosen, words):
    assert filter_text(chosen) == words


def test_a_link_carries_who_reviews_to_a_new_tab():
    link = Link(page="review", query={"run": "r 1", "c": "c&1"})
    assert link.href("Ada & Bob") == "./?run=r+1&c=c%261&who=Ada+%26+Bob"
    assert link.href() == "./?run=r+1&c=c%261"
    assert link.file == "pages/review.py"


def test_links_are_numbered_in_reading_order():
    first, second = Link(page="runs"), items_link(ItemFilter(reviewed=True))
    table = Table.of(
        accessible_label="A table",
        columns=(Column(word="A"), Column(word="B", numeric=True)),
        rows=(
            ("plain", Cell(text="3", link=first)),
            (Cell(text="<b>", link=second, bar=7.0, marks=("supported",)), "x\ud800"),
        ),
    )
    data = table_data(table, "Ada")
    (plain, three), (two, odd) = data["rows"]
    assert (plain, odd) == ({"text": "plain"}, {"text": "x\ufffd"})
    assert (three["n"], two["n"]) == (0, 1)
    assert links_of(table.rows) == [first, second]
    assert three["href"] == "runs?who=Ada"
    assert (two["bar"], two["marks"][0]["glyph"]) == (1.0, "●")
    json.dumps(data)


def test_figures_are_numbered_too():
    figures = figures_data([(Cell(text="3", link=Link(page="runs")), "runs")])
    assert figures == {"figures": [{"text": "3", "n": 0, "href": "runs", "word": "runs"}]}
