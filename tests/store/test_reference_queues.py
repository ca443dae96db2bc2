"""Queues of references: drawn from a filter, worked through by several, blind, erased."""

import shutil
from dataclasses import replace
from datetime import timedelta

import pytest

from tests.fakes import records as make
from tests.fakes.reference_lists import add_list, check, differing, retracted
from workbench.errors import UsageError
from workbench.records.citation import Reference
from workbench.records.queue import ReferenceFilter, parse_reference_filter
from workbench.records.reference_labels import EntryLabelDecision
from workbench.records.review import LabelDecision
from workbench.records.text import Span
from workbench.records.transfer import ExternalRun
from workbench.records.verdict import parse_run
from workbench.store.admin.backup import back_up, restore
from workbench.store.admin.erasure import Erasures
from workbench.store.admin.examples import ExampleWorkspace
from workbench.store.bibliography.checks import ReferenceCheckRepository
from workbench.store.bibliography.labels import EntryLabelRepository
from workbench.store.queues.queues import Queues
from workbench.store.queues.review_tasks import ReviewTaskService
from workbench.store.runs.runs import merge_runs
from workbench.store.store import Store

REAL, INVENTED = EntryLabelDecision(decision="exists"), EntryLabelDecision(decision="fabricated")


class Clock:
    def __init__(self):
        self.now = make.MOMENT

    def __call__(self):
        self.now += timedelta(seconds=5)
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    store = Store(tmp_path_factory.mktemp("built") / "a.duckdb")
    unsure = check(2, "not_found", 0.45)
    add_list(store, "r1", [check(1), unsure, differing(3), retracted(4)])
    add_list(store, "r2", [check(1, "not_found", 0.02), check(2, "not_checked", None)])
    return store.path


@pytest.fixture
def store(built, tmp_path):
    return Store(shutil.copy(built, tmp_path))


def build(store, clock, chosen=None, **plan):
    return Queues(store, clock).build(
        "References", references=chosen or ReferenceFilter(), created_by="Ada", **plan
    )


def places(store, queue):
    with store.transaction() as connection:
        return connection.execute(
            "select run_id, citation_id from queue_items where queue_id = ? order by position",
            [queue.id],
        ).fetchall()


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        (ReferenceFilter(), ["r1:0", "r1:1", "r1:2", "r1:3", "r2:0", "r2:1"]),
        (ReferenceFilter(runs=("r2",)), ["r2:0", "r2:1"]),
        (ReferenceFilter(statuses=("not_found",)), ["r1:1", "r2:0"]),
        (ReferenceFilter(statuses=("not_found", "differs"), runs=("r1",)), ["r1:1", "r1:2"]),
        (ReferenceFilter(retracted=True), ["r1:3"]),
        (ReferenceFilter(labelled=True), ["r1:0", "r1:1"]),
        (ReferenceFilter(labelled=False), ["r1:2", "r1:3", "r2:0", "r2:1"]),
        (ReferenceFilter(reviewers_differ=True), ["r1:0"]),
        (ReferenceFilter(examples=False), ["r1:0", "r1:1", "r1:2", "r1:3"]),
        (ReferenceFilter(examples=True), ["r2:0", "r2:1"]),
    ],
)
def test_a_filter_chooses_the_entries(store, clock, chosen, expected):
    labels = EntryLabelRepository(store, clock)
    labels.give("r1", 0, "Ada", "exists")
    labels.give("r1", 0, "Bob", "fabricated")
    labels.give("r1", 1, "Ada", "exists")
    ExampleWorkspace(store).mark("run", ["r2"])
    queue = build(store, clock, chosen, order="document")
    assert [f"{run}:{item.removeprefix('reference:')}" for run, item in places(store, queue)] == (
        expected
    )
    assert Queues(store).get(queue.id) == queue
    assert parse_reference_filter(chosen.to_dict()) == chosen


def test_the_least_certain_come_first_and_the_unscored_last(store, clock):
    queue = build(store, clock, order="uncertain_first", limit=3)
    assert places(store, queue) == [
        ("r1", "reference:1"), ("r1", "reference:2"), ("r1", "reference:0"),
    ]  # fmt: skip
    last = build(store, clock, order="uncertain_first")
    assert places(store, last)[-1] == ("r2", "reference:1")


def test_a_seed_gives_one_order(store, clock):
    orders = [
        places(store, build(store, clock, order="random", seed=seed)) for seed in (1, 1, 2, 3, 4)
    ]
    assert orders[0] == orders[1]
    assert any(order != orders[0] for order in orders[2:])


def test_a_queue_of_nothing_is_refused(store, clock):
    with pytest.raises(UsageError, match="No item fits"):
        build(store, clock, ReferenceFilter(runs=("nothing",)))


def test_decisions_go_on_and_count(store, clock):
    queue = build(store, clock, order="document")
    tasks = ReviewTaskService(store, clock)
    task = tasks.open(queue.id, "Ada")
    assert task.reference.check.text == "[1] Roe, A. (1991). Work 1."
    assert task.result is None
    task = tasks.decide_reference(queue.id, "Ada", 0, REAL)
    assert task.given_entry.queue_id == queue.id
    assert task.given_entry.seconds == 5
    assert (task.item.position, task.progress.done, task.progress.items) == (1, 1, 6)
    task = tasks.skip(queue.id, "Ada", 1, "later")
    assert (task.item.position, task.progress.skipped) == (2, 1)
    assert tasks.skipped(queue.id, "Ada").item.position == 1
    assert tasks.back(queue.id, "Ada").item.position == 0
    assert [summary.done for summary in Queues(store, clock).list_queues()] == [1]
    assert EntryLabelRepository(store).listed()[0].decision == "exists"


def test_what_others_have_open_is_not_offered(store, clock):
    queue = build(store, clock, order="document")
    tasks = ReviewTaskService(store, clock)
    assert tasks.open(queue.id, "Ada").item.position == 0
    assert tasks.open(queue.id, "Bob").item.position == 1
    assert tasks.keep_open(queue.id, "Bob")
    tasks.leave(queue.id, "Ada")
    assert tasks.open(queue.id, "Cleo").item.position == 0


def test_each_entry_gets_as_many_reviews_as_it_needs(store, clock):
    queue = build(store, clock, ReferenceFilter(runs=("r2",)), order="document", reviews=2)
    tasks = ReviewTaskService(store, clock)
    tasks.decide_reference(queue.id, "Ada", 0, INVENTED)
    assert tasks.open(queue.id, "Bob", 0).progress.done == 0
    task = tasks.decide_reference(queue.id, "Bob", 0, REAL)
    assert (task.progress.done, task.progress.reviews_given) == (1, 2)
    assert tasks.open(queue.id, "Cleo").item is None  # both have the other entry open
    tasks.leave(queue.id, "Bob")
    assert tasks.open(queue.id, "Cleo").item.position == 1


def test_a_blind_queue_hides_the_finding_until_the_decision(store, clock):
    EntryLabelRepository(store, clock).give("r1", 1, "Bob", "exists")
    queue = build(store, clock, ReferenceFilter(runs=("r1",)), order="document", blind=True)
    tasks = ReviewTaskService(store, clock)
    task = tasks.open(queue.id, "Ada", 1)
    assert task.judge_hidden
    shown = task.reference
    assert (shown.check.status, shown.check.score, shown.check.indexes) == ("not_checked", None, ())
    assert shown.others == ()
    task = tasks.decide_reference(queue.id, "Ada", 1, INVENTED, advance=False)
    assert not task.judge_hidden
    assert task.reference.check.status == "not_found"
    assert [label.reviewer for label in task.reference.others] == ["Bob"]
    assert task.given_entry.status_shown is None
    changed = tasks.decide_reference(queue.id, "Ada", 1, REAL, advance=False).given_entry
    assert changed.status_shown == "not_found"
    assert changed.replaces == task.given_entry.id


def test_undo_takes_back_the_last_decision(store, clock):
    queue = build(store, clock, order="document")
    tasks = ReviewTaskService(store, clock)
    tasks.decide_reference(queue.id, "Ada", 0, INVENTED)
    task = tasks.undo(queue.id, "Ada")
    assert (task.item.position, task.progress.done) == (0, 0)
    assert EntryLabelRepository(store).listed() == []


def test_a_label_from_elsewhere_does_not_settle_a_place(store, clock):
    EntryLabelRepository(store, clock).give("r1", 0, "Ada", "exists")
    queue = build(store, clock, order="document")
    tasks = ReviewTaskService(store, clock)
    task = tasks.decide_reference(queue.id, "Ada", 0, REAL)
    assert task.progress.done == 1
    assert tasks.decide_reference(queue.id, "Ada", 0, REAL).given_entry is None


def test_an_adjudication_settles_what_reviewers_dispute(store, clock):
    labels = EntryLabelRepository(store, clock)
    labels.give("r1", 0, "Ada", "exists")
    labels.give("r1", 0, "Bob", "fabricated")
    queue = build(store, clock, ReferenceFilter(reviewers_differ=True), role="adjudication")
    tasks = ReviewTaskService(store, clock)
    assert tasks.open(queue.id, "Ada").item is None  # one of those at odds
    label = tasks.decide_reference(queue.id, "Cleo", 0, REAL).given_entry
    assert label.role == "adjudication"
    with pytest.raises(UsageError):
        build(store, clock, ReferenceFilter(reviewers_differ=True))


def test_each_kind_of_queue_takes_its_own_decisions(store, clock):
    queue = build(store, clock)
    tasks = ReviewTaskService(store, clock)
    with pytest.raises(UsageError, match="contains references"):
        tasks.decide(queue.id, "Ada", 0, LabelDecision(label="supported"))
    store.add_run(make.run("c1"), make.TEXT, "Cited")
    store.add_verdicts("c1", [make.result(1)])
    citations = Queues(store, clock).build("Citations", created_by="Ada")
    with pytest.raises(UsageError, match="contains citations"):
        tasks.decide_reference(citations.id, "Ada", 0, REAL)


def test_refreshing_adds_what_fits_by_now(store, clock):
    queue = build(store, clock, ReferenceFilter(statuses=("not_found",)))
    assert Queues(store, clock).refresh(queue.id) == 0
    add_list(store, "r3", [check(1, "not_found", 0.1)])
    assert Queues(store, clock).refresh(queue.id) == 1


def test_an_erased_output_leaves_the_queue_with_its_labels(store, clock):
    queue = build(store, clock, order="document")
    tasks = ReviewTaskService(store, clock)
    tasks.decide_reference(queue.id, "Ada", 0, REAL)
    tasks.skip(queue.id, "Ada", 1)
    erasures = Erasures(store)
    erasures.erase(erasures.output_of("r1"), reviewer="Ada", reason="mistake")
    assert {run for run, _ in places(store, queue)} == {"r2"}
    assert EntryLabelRepository(store).listed() == []
    task = tasks.open(queue.id, "Ada")
    assert (task.item.run_id, task.progress.done, task.progress.skipped) == ("r2", 0, 0)


def test_a_backup_brings_queues_and_labels_back(store, clock, tmp_path):
    queue = build(store, clock, order="document")
    tasks = ReviewTaskService(store, clock)
    tasks.decide_reference(queue.id, "Ada", 0, replace(INVENTED, reason="fabricated"))
    back_up(store, tmp_path / "copy")
    other = Store(tmp_path / "b.duckdb")
    restore(tmp_path / "copy", other)
    assert Queues(other).get(queue.id) == queue
    assert EntryLabelRepository(other).listed() == EntryLabelRepository(store).listed()
    assert ReviewTaskService(other, clock).open(queue.id, "Ada").progress.done == 1


def test_runs_from_elsewhere_bring_their_checks(store, clock):
    text = "Another output."
    run = replace(
        make.run("far", text=text),
        finished=True,
        references=tuple(
            Reference(label=str(number), span=Span(0, 3), text="An") for number in (1, 2)
        ),
        reference_checks=(check(1, "not_found", 0.1), check(2)),
    )
    # as a batch writes it and reads it back
    references = [reference.to_dict() for reference in run.references]
    arrived = parse_run(run.to_dict(), references=references)
    assert merge_runs(store, [ExternalRun(run=arrived, text=text, name="Far")]).added == 1
    assert [check.status for check in store.get_run("far").reference_checks] == [
        "not_found", "matches",
    ]  # fmt: skip
    queue = build(store, clock, ReferenceFilter(runs=("far",)), order="document")
    assert places(store, queue) == [("far", "reference:0"), ("far", "reference:1")]
    assert EntryLabelRepository(store, clock).give("far", 1, "Ada", "exists").status_shown == (
        "matches"
    )


def test_a_run_counts_its_references_and_their_problems(store, clock):
    summary = store.get_summary("r1")
    assert (summary.references, summary.reference_problems) == (4, 3)
    ReferenceCheckRepository(store).add("r1", [(1, check(2))])
    assert store.get_summary("r1").reference_problems == 2
    store.add_run(make.run("plain", text="Nothing."), "Nothing.", "Plain")
    assert store.get_summary("plain").references == 0
