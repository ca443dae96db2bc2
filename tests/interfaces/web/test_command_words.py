"""What the command search lists, and where a choice sent by the browser leads."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fakes import records as make
from tests.fakes.desk import fill
from workbench.interfaces.web.command_palette.palette import (
    MOST_CITATIONS,
    destination,
    fixed_entries,
    list_data,
    stored_entries,
)
from workbench.interfaces.web.filters import filter_of
from workbench.interfaces.web.run_cache import load_review
from workbench.records.run_listing import NamedRef
from workbench.store.queues.queues import Queues
from workbench.store.runs.runs import RunNames
from workbench.store.store import Store


def test_pages_and_actions_are_there_without_the_store():
    data = list_data(fixed_entries(), None)
    assert [line[:4] for line in data["fixed"][:2]] == [
        ["page:review", "Pages", "Check citations", "Review"],
        ["page:home", "Pages", "Open work", "Review"],
    ]
    assert [line[0] for line in data["fixed"][-6:]] == [
        "action:new", "action:keys", "action:export", "action:today", "action:differ", "action:tour",
    ]  # fmt: skip
    assert data["stored"] is None


@pytest.mark.parametrize(
    ("typed", "entry"),
    [
        ("sources changed", "page:sources"),
        ("reviewers differ", "action:differ"),
        ("decided today", "action:today"),
        ("how good is the judge", "page:trust"),
        ("delete old run", "page:keep"),
        ("back up database", "page:keep"),
        ("correct wrong claim", "page:home"),
        ("where I stopped", "page:home"),
        ("search phrase runs", "page:search"),
        ("add second reviewer queue", "page:queues"),
        ("prompt judged run", "page:runs"),
        ("accepted automatically", "page:trust"),
    ],
)
def test_a_task_is_found_in_the_words_of_who_has_it(typed, entry):
    """Each word stands somewhere in the entry, as the browser searches it."""
    searched = {
        one[0]: " ".join(one[2:]).casefold() for one in list_data(fixed_entries(), None)["fixed"]
    }
    assert entry in [
        name
        for name, words in searched.items()
        if all(w in words for w in typed.casefold().split())
    ]


def test_runs_queues_and_citations_come_from_the_store(tmp_path):
    store = Store(tmp_path / "w.duckdb")
    fill(store, 3)
    fill(store, 1, "r2")
    queues = Queues(store)
    queues.build("Doubtful ones", created_by="Zoe")
    closed_queue = queues.build("Put away", created_by="Zoe")
    queues.close(closed_queue.id, "Zoe")
    runs, open_queues = RunNames(store).newest()
    assert [queue.name for queue in open_queues] == ["Doubtful ones"]
    assert {run.id for run in runs} == {"r1", "r2"}
    assert len(RunNames(store).newest(limit=1)[0]) == 1
    entries = stored_entries(runs, open_queues, load_review(store, "r1"))
    assert [entry.act for entry in entries] == ["citation"] * 3 + ["queue"] + ["run"] * 2
    assert entries[1].to_list() == [
        "citation:r1/c1", "Citations of this run", "[1] Fact 1 holds", "2 of 3", "",
    ]  # fmt: skip


def test_a_long_run_lists_its_first_citations_only():
    runs = [NamedRef(id=f"r{n}", name="", created_at=make.MOMENT) for n in range(3)]
    assert [entry.words for entry in stored_entries(runs, [])] == ["Untitled run"] * 3
    assert MOST_CITATIONS == 2_000


@pytest.mark.parametrize(
    ("choice", "page", "query"),
    [
        ("run:r1", "review", {"run": "r1"}),
        ("citation:r1/c1", "review", {"run": "r1", "c": "c1"}),
        ("queue:q1", "queues", {"queue": "q1"}),
        ("search:a: b", "search", {"q": "a: b"}),
        ("action:new", "review", {}),
        ("action:export", "runs", {"a": "r9"}),
        ("action:differ", "items", {"filter": '{"reviewers_differ":true}'}),
    ],
)
def test_where_a_choice_leads(choice, page, query):
    target = destination(choice, "r9")
    assert (target.page, target.query) == (page, query)


def test_what_a_reviewer_labelled_today_is_listed():
    chosen = filter_of(destination("action:today", who="Ada").query["filter"])
    start, end = map(datetime.fromisoformat, (chosen.labelled_from, chosen.labelled_before))
    assert chosen.reviewers == ("Ada",) and end - start == timedelta(days=1)
    assert start <= datetime.now(UTC) < end
    assert filter_of(destination("action:today").query["filter"]).reviewers == ()


def test_there_is_nothing_to_take_away_without_a_run():
    assert destination("action:export").query == {}


@given(st.text())
def test_any_answer_leads_somewhere_known_or_nowhere(choice):
    target = destination(choice)
    assert target is None or target.page in ("review", "queues", "search", "runs", "items")


@pytest.mark.parametrize("choice", ["nonsense:x", "run", "", "action:nonsense", "page:runs"])
def test_what_leads_nowhere(choice):
    assert destination(choice) is None
