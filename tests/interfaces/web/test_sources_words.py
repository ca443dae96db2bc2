"""Sources in words, in order and in sheets; nothing here draws."""

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fakes import records as make
from workbench.errors import ERROR_KINDS
from workbench.interfaces.web.sources.facts import drift_html, facts_html
from workbench.interfaces.web.sources.outcome import outcome_html
from workbench.interfaces.web.sources.text import (
    SORTS,
    answer_of,
    filtered,
    flags_of,
    parse_sort,
    sort_rows,
    state_text,
    type_word,
    who,
)
from workbench.interfaces.web.sources.text_pages import LONGEST_PAGE, quotes_in, sheets_data
from workbench.records.citation import Target
from workbench.records.format import file_size
from workbench.records.source import Page, Source
from workbench.records.stored_sources import SourceCitation
from workbench.records.text import Span, replace_surrogates
from workbench.records.verdict import Evidence
from workbench.services.sources.actions import ActionResult, RecheckChange
from workbench.services.sources.catalog import ParsedVersion, list_sources
from workbench.sources.snapshots import SnapshotDiff

HOSTILE = "<b onclick=x>&\"'"


def source_citation(number=1, result=None, **fields):
    defaults = {"run_id": "r1", "run_name": "Bridges", "judged_at": make.MOMENT}
    result = result or make.result(1)
    return SourceCitation(**(defaults | {"result": result, "text_sha256": "t" * 64} | fields))


def row(name="a", **facts):
    cited = make.citation(1, target=Target(form="url", value=f"https://{name}.example/x"))
    source = make.source(**({"url": f"https://{name}.example/x", "sha256": name * 64} | facts))
    (only_row,) = list_sources(
        [source_citation(result=make.result(1, citation=cited, source=source))], []
    )
    return only_row


def failed(kind, message="It did not work."):
    failure = make.failure(1, kind)
    error = replace(failure.error, message=message)
    (only_row,) = list_sources(
        [source_citation(result=replace(failure, error=error), text_sha256=None)], []
    )
    return only_row


@pytest.mark.parametrize(
    ("size", "words"),
    [
        (0, "0 B"),
        (1023, "1023 B"),
        (1024, "1 KiB"),
        (14_400, "14 KiB"),
        (1_500_000, "1.4 MiB"),
        (5 * 2**30, "5 GiB"),
        (5000 * 2**30, "5,000 GiB"),
    ],
)
def test_sizes_read_well(size, words):
    assert file_size(size) == words


@pytest.mark.parametrize(
    ("content_type", "word"),
    [
        ("text/html; charset=utf-8", "HTML"),
        ("APPLICATION/PDF", "PDF"),
        ("text/plain", "Text"),
        ("application/vnd.custom", "vnd.custom"),
        ("", "unknown"),
    ],
)
def test_media_types_have_a_word(content_type, word):
    assert type_word(content_type) == word


def test_a_reviewer_without_a_name_is_a_reviewer():
    assert [who("reviewer"), who("Ada")] == ["a reviewer", "Ada"]


@pytest.mark.parametrize("kind", ERROR_KINDS)
def test_every_error_has_words_and_no_code_is_shown(kind):
    words, _ = state_text(failed(kind))
    assert words and "_" not in words


def test_a_status_in_the_message_is_the_answer():
    failed_row = failed("bad_status", "https://x.example is gone (HTTP status 410).")
    assert (answer_of(failed_row), state_text(failed_row)[1]) == ("410", "HTTP 410")
    assert answer_of(failed("timeout")) == "–"
    assert answer_of(row(status=None)) == "given"


def test_a_known_reason_has_words_and_an_unknown_one_is_no_evidence():
    doubted_row = failed("not_evidence")
    assert state_text(doubted_row, ParsedVersion(reason="login_wall", confidence=0.95)) == (
        "Login required",
        "very sure, 0.95",
    )
    assert state_text(doubted_row, ParsedVersion(reason="something_new", confidence=0.5)) == (
        "Not usable as evidence",
        "unsure, 0.50",
    )
    assert state_text(doubted_row) == ("Not usable as evidence", "")


def test_filters_widen_by_state_and_narrow_by_flag():
    rows = [row("a"), row("b", truncated=True), failed("timeout")]
    assert [len(filtered(rows, "", shows)) for shows in ([], ["read"], ["read", "missing"])] == [
        3,
        2,
        3,
    ]
    assert filtered(rows, "", ["read", "cut"]) == [rows[1]]
    assert flags_of(rows[1]) == {"cut"}
    assert filtered(rows, "B.EXAMPLE html") == [rows[1]]
    assert filtered(rows, "b" * 64) == [rows[1]]


@pytest.mark.parametrize("by", SORTS)
def test_every_column_sorts_and_what_has_no_value_comes_last(by):
    rows = [
        row("b", bytes=5, pages=(), page_count=9, content_type="text/html", status=200),
        failed("timeout"),
        row("a", bytes=70, pages=(), page_count=2, content_type="application/pdf", status=404,
            fetched_at=make.MOMENT + timedelta(days=1)),
    ]  # fmt: skip
    ascending, descending = sort_rows(rows, by, False), sort_rows(rows, by, True)
    if by in ("answer", "type", "size", "pages", "fetched", "hash"):
        assert ascending[-1] is rows[1] and descending[-1] is rows[1]
        assert ascending[:2] == descending[1::-1]
    assert {source_row.id for source_row in ascending} == {source_row.id for source_row in rows}


def test_only_known_columns_sort():
    assert parse_sort("-size") == ("size", True)
    assert parse_sort("size") == ("size", False)
    assert parse_sort("--size")[0] is None
    assert parse_sort("")[0] is None


# -- sheets -----------------------------------------------------------------------------------


def text_of(data):
    return "".join(piece["t"] for sheet in data["sheets"] for piece in sheet["pieces"])


def paged(*pages):
    text, spans, at = "", [], 0
    for number, page in enumerate(pages, start=1):
        spans.append(Page(number=number, span=Span(at, at + len(page))))
        text += page + "\n\n"
        at = len(text)
    return make.source(text=text, pages=tuple(spans), page_count=len(pages))


@given(st.lists(st.text(max_size=60), min_size=1, max_size=12))
def test_sheets_hold_every_page_letter_for_letter(pages):
    data = sheets_data(paged(*pages), ())
    assert [sheet["n"] for sheet in data["sheets"]] == list(range(1, len(pages) + 1))
    assert text_of(data) == replace_surrogates("".join(pages))


def test_a_page_is_never_torn_and_every_part_can_be_reached():
    source = paged(*(f"Page {number}. " + "word " * 3_000 for number in range(1, 9)))
    first = sheets_data(source, ())
    assert first["parts"] > 1
    page_numbers = []
    for part in range(first["parts"]):
        data = sheets_data(source, (), part)
        for sheet in data["sheets"]:
            page_numbers.append(sheet["n"])
            assert first["pages"][sheet["n"] - 1] == part
            page = source.pages[sheet["n"] - 1]
            assert "".join(p["t"] for p in sheet["pieces"]) == page.span.of(source.text)
    assert page_numbers == list(range(1, 9))


def test_a_page_that_is_too_long_for_a_part_is_cut_like_a_text():
    source = paged("a " * LONGEST_PAGE, "the end")
    parts = sheets_data(source, ())["parts"]
    assert parts > 2
    joined_text = "".join(text_of(sheets_data(source, (), part)) for part in range(parts))
    assert joined_text == "a " * LONGEST_PAGE + "the end"


def test_quotes_are_marked_where_they_stand_and_the_chosen_one_opens_its_part():
    source = make.source(text="Nothing. " * 6_000 + "Here it is. " + "Nothing. " * 10, pages=())
    start = source.text.index("Here it is.")
    judged = make.judgment(evidence=(Evidence(quote="Here it is.", span=Span(start, start + 11)),))
    quotes = quotes_in([source_citation(result=make.result(1, judgment=judged))], source)
    data = sheets_data(source, quotes, None, quotes[0].id)
    assert data["part"] == data["parts"] - 1
    assert data["selected"] == "q0"
    marked_pieces = [piece for sheet in data["sheets"] for piece in sheet["pieces"] if "m" in piece]
    assert [piece["t"] for piece in marked_pieces] == ["Here it is."]
    assert data["marks"]["q0"] == {"m": "supported", "d": "Quoted for [1], supported"}
    assert sheets_data(source, quotes)["marks"] == {}


def test_evidence_of_another_text_is_not_marked():
    other = make.judgment(evidence=(Evidence(quote="120 metres", span=Span(0, 10)),))
    assert quotes_in([source_citation(result=make.result(1, judgment=other))], make.source()) == ()


def test_a_part_out_of_range_is_the_last_one():
    assert sheets_data(make.source(pages=()), (), 99)["part"] == 0
    assert sheets_data(make.source(pages=()), (), -3)["part"] == 0


# -- markup -----------------------------------------------------------------------------------


def test_nothing_of_a_source_becomes_markup():
    source_row = row(
        url=f"https://x.example/{HOSTILE}", final_url=HOSTILE, content_type=HOSTILE, title=HOSTILE
    )
    source = replace(make.source(), author=HOSTILE, published=HOSTILE, site=HOSTILE)
    html = facts_html(source_row, source_row.versions[0], source)
    drift = SnapshotDiff(
        older="a", newer="b", same_bytes=False, same_text=False, likeness=0.5,
        removed=(HOSTILE,), new=(HOSTILE,),
    )  # fmt: skip
    html += drift_html(drift, {"r1:c1": [HOSTILE]}, 1)
    assert "<b onclick" not in html
    assert "&lt;b onclick=x&gt;" in html
    assert isinstance(source, Source)


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"same_bytes": True, "same_text": True, "likeness": 1.0}, "Identical files."),
        ({"same_bytes": False, "same_text": True, "likeness": 1.0}, "the same text"),
        ({"same_bytes": False, "same_text": False, "likeness": 0.73}, "73% of the lines"),
    ],
)
def test_drift_is_told_in_a_sentence(fields, sentence):
    assert sentence in drift_html(SnapshotDiff(older="a", newer="b", **fields), {}, 2)


def test_equal_changes_are_counted_together():
    def change(number, after="supported", **fields):
        cited = make.citation(1, id=f"c{number}", span=Span(number, number + 1), claim=None)
        defaults = {"run_id": "r1", "run_name": "", "citation": cited, "before": "unverifiable"}
        return RecheckChange(
            **(defaults | {"before_error": "timeout", "after": after, "after_error": None} | fields)
        )

    html = outcome_html(
        ActionResult(
            did="Fetched <again>.",
            judged=(change(1), change(2), change(3, "contradicted"),
                    change(4, "unverifiable", after_error="timeout")),
        )
    )  # fmt: skip
    assert "Fetched &lt;again&gt;. 4 citations re-judged, 3 changed." in html
    assert html.count("<li>") == 2
    assert html.index("<b>2</b>") < html.index("<b>1</b>")
    assert "none changed" in outcome_html(
        ActionResult(did="Done.", judged=(change(1, "unverifiable", after_error="timeout"),))
    )
    assert "judged" not in outcome_html(ActionResult(did="Done."))
