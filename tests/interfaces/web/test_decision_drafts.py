"""What a reviewer adds to a label: evidence pieces, marks, drafts, and what a label restores."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fakes import records as make
from workbench.interfaces.web.review import decision_details
from workbench.interfaces.web.review.decision_details import (
    DecisionItem,
    change_details,
    details_of,
    discard_draft,
)
from workbench.interfaces.web.review.text import FAULT_CHOICES
from workbench.records.review import FAULTS
from workbench.records.text import Span
from workbench.records.verdict import Evidence
from workbench.services.database import Database
from workbench.services.labels import DecisionDetails, details_of_label

NOTHING = DecisionDetails()


def item(number=1, reviewer="Ada"):
    return DecisionItem(
        database=Database(Path("w.duckdb")), run_id="r1", result=make.result(number), source=None,
        reviewer=reviewer,
    )  # fmt: skip


def keep(decided, details):
    change_details(decided, details, lambda: None)


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        ([(5, 9)], [(5, 9)]),
        ([(20, 30), (5, 9)], [(5, 9), (20, 30)]),
        ([(5, 9), (7, 12)], [(5, 12)]),
        ([(5, 9), (9, 12)], [(5, 12)]),
        ([(5, 9), (10, 12)], [(5, 9), (10, 12)]),
        ([(5, 9), (20, 30), (8, 21)], [(5, 30)]),
        ([(5, 9), (5, 9)], [(5, 9)]),
        ([(0, 50), (5, 9)], [(0, 50)]),
    ],
)
def test_pieces_that_touch_become_one(pieces, expected):
    details = NOTHING
    for piece in pieces:
        details = details.with_piece(Span(*piece))
    assert details.evidence == tuple(Span(*bounds) for bounds in expected)


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(1, 20)), max_size=12))
def test_pieces_cover_what_was_selected_and_nothing_else(pieces):
    details = NOTHING
    expected = set()
    for start, length in pieces:
        details = details.with_piece(Span(start, start + length))
        expected |= set(range(start, start + length))
    covered = [at for span in details.evidence for at in range(span.start, span.end)]
    assert sorted(covered) == sorted(expected)
    assert all(a.end < b.start for a, b in pairwise(details.evidence))


def test_a_piece_and_a_mark_are_taken_back():
    details = NOTHING.with_piece(Span(1, 3)).with_piece(Span(8, 9)).with_wrong(Span(40, 50), True)
    assert details.without_piece(Span(1, 3)).evidence == (Span(8, 9),)
    assert details.without_piece(Span(1, 2)) == details
    assert details.with_wrong(Span(40, 50), True) == details
    assert details.with_wrong(Span(40, 50), False).wrong_evidence == ()


def test_a_decision_takes_everything_along():
    details = replace(
        NOTHING.with_piece(Span(1, 3)).with_wrong(Span(40, 50), True),
        fault="linking",
        tags=("dates",),
    )
    decision = details.decision("contradicted", "see p. 2", "one")
    assert decision.evidence == (Span(1, 3),)
    assert decision.wrong_evidence == (Span(40, 50),)
    assert (decision.label, decision.note, decision.id) == ("contradicted", "see p. 2", "one")
    assert (decision.fault, decision.tags) == ("linking", ("dates",))


def test_a_label_brings_back_what_fits_the_item_now():
    evidence = Evidence(quote="1931", span=Span(14, 18), page=1)
    label = make.label(
        evidence=(evidence, Evidence(quote="1931", span=Span(15, 19), page=1)),
        wrong_evidence=(Span(40, 50), Span(0, 4)),
        fault="judge",
        tags=("year",),
    )
    details = details_of_label(label, make.result(1), make.source())
    assert details.evidence == (Span(14, 18),)
    assert details.wrong_evidence == (Span(40, 50),)
    assert (details.fault, details.tags) == ("judge", ("year",))
    assert details_of_label(label, make.result(1), None).evidence == ()
    assert details_of_label(None, make.result(1), make.source()) == NOTHING


def test_a_draft_belongs_to_one_reviewer_and_item():
    draft = NOTHING.with_piece(Span(1, 3))
    keep(item(), draft)
    assert details_of(item()) == draft
    assert details_of(item(2)) == details_of(item(reviewer="Ben")) == NOTHING
    discard_draft(item())
    assert details_of(item()) == NOTHING
    discard_draft(item())


def test_only_so_many_drafts_are_kept(monkeypatch):
    monkeypatch.setattr(decision_details, "DRAFTS_KEPT", 2)
    drafts = {name: NOTHING.with_piece(Span(1, 2)) for name in ("Ada", "Ben", "Cy")}
    for name, draft in drafts.items():
        keep(item(reviewer=name), draft)
    assert [details_of(item(reviewer=name)) == NOTHING for name in drafts] == [True, False, False]
    for name in drafts:
        discard_draft(item(reviewer=name))


def test_every_fault_can_be_chosen_in_the_order_of_the_chain():
    assert tuple(FAULT_CHOICES) == FAULTS
    assert len(set(FAULT_CHOICES.values())) == len(FAULTS)
