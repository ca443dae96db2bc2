"""A search in the address and on the page, as examples."""

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.interfaces.web.search.page import (
    PARAMS,
    asked_of,
    hits_data,
    narrowed_text,
    queue_address,
    review_address,
)
from workbench.records.queue import ItemFilter, parse_filter
from workbench.records.run_listing import SearchHit, SearchResults
from workbench.records.text import Excerpt, Span

MOMENT = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)


def hit(text="a bridge is long", matches=((2, 8),), start=0, **fields):
    defaults = {
        "kind": "claim",
        "name": "Report",
        "run_id": "r1",
        "citation_id": "c1",
        "excerpt": Excerpt(span=Span(start, start + len(text)), text=text),
        "matches": tuple(Span(*bounds) for bounds in matches),
        "author": "",
        "at": MOMENT,
        "verdict": "supported",
    }
    return SearchHit(**(defaults | fields))


@pytest.mark.parametrize(
    ("address", "kind", "page", "chosen"),
    [
        ({"q": [" bridge "]}, None, 1, {}),
        ({"in": ["note"], "page": ["3"]}, "note", 3, {}),
        ({"in": ["nonsense"], "page": ["-1"]}, None, 1, {}),
        ({"page": ["99999999999"]}, None, 1, {}),
        ({"page": ["²"]}, None, 1, {}),
        ({"verdict": ["supported", "nonsense"]}, None, 1, {"verdicts": ["supported"]}),
        ({"label": ["cannot_tell"], "reviewer": ["Ada", "Ada", ""]}, None, 1,
         {"labels": ["cannot_tell"], "reviewers": ["Ada"]}),
        ({"run": ["r1"], "host": ["a.example", ""]}, None, 1,
         {"runs": ["r1"], "hosts": ["a.example", ""]}),
        ({"cited": ["doi", "x"], "error": ["timeout", "y"]}, None, 1,
         {"kinds": ["doi"], "error_kinds": ["timeout"]}),
    ],
)  # fmt: skip
def test_what_an_address_asks(address, kind, page, chosen):
    search = asked_of(address)
    assert (search.kind, search.page, search.chosen.to_dict()) == (kind, page, chosen)


@given(st.dictionaries(st.sampled_from([*PARAMS, "q", "in", "page"]), st.lists(st.text())))
def test_any_address_asks_something(address):
    search = asked_of(address)
    assert search.page >= 1
    assert parse_filter(search.chosen.to_dict()) == search.chosen


def test_a_queue_is_made_of_what_was_found():
    search = asked_of({"q": ['"a b"'], "verdict": ["contradicted"]})
    queue_filter = parse_filter(json.loads(queue_address(search)["q"]))
    assert queue_filter == ItemFilter(words='"a b"', verdicts=("contradicted",))


@pytest.mark.parametrize(
    ("hit", "parts"),
    [
        (hit(), [["a ", 0], ["bridge", 1], [" is long", 0]]),
        (hit(start=7), [["… ", 0], ["a ", 0], ["bridge", 1], [" is long", 0]]),
        (hit(matches=((0, 4), (2, 8))), [["a br", 1], ["idge", 1], [" is long", 0]]),
        (hit(matches=((0, 8), (2, 4))), [["a bridge", 1], [" is long", 0]]),
        (hit(matches=()), [["a bridge is long", 0]]),
        (hit("<b>\ud800", ((0, 3),)), [["<b>", 1], ["\ufffd", 0]]),
    ],
)
def test_the_words_are_marked(hit, parts):
    (group,) = hits_data(SearchResults(hits=(hit,), counts={"claim": 1}))["groups"]
    assert group["hits"][0]["parts"] == parts


def test_hits_are_grouped_and_lead_to_review():
    hits = (
        hit(kind="output", citation_id=None, verdict=None),
        hit(kind="source", run_id=None, citation_id=None, verdict=None),
    )
    data = hits_data(
        SearchResults(hits=hits, counts={"output": 12, "claim": 0, "source": 1}), "Ada B"
    )
    assert [(g["head"], g.get("more")) for g in data["groups"]] == [
        ("Outputs 12", "All 12"),
        ("Sources 1", None),
    ]
    assert data["groups"][0]["hits"][0]["href"] == "./?run=r1&who=Ada+B"
    assert "href" not in data["groups"][1]["hits"][0]
    assert review_address(hit()) == {"run": "r1", "c": "c1"}
    assert review_address(hits[1]) == {}


def test_what_narrows_is_said_in_words():
    chosen = ItemFilter(
        verdicts=("supported",), labels=("contradicted",), reviewers=("Ada",), runs=("r1",),
        hosts=("",), kinds=("case_law",), error_kinds=("timeout",),
    )  # fmt: skip
    assert narrowed_text(chosen, {"r1": "Bridges"}) == (
        "supported, labelled contradicted, by Ada, in Bridges, from no address, case law, timeout"
    )
    assert narrowed_text(ItemFilter(), {}) == ""
