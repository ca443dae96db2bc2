"""Reviewers at work on queues, on real files, with a clock moved by hand."""

from datetime import timedelta

import pytest

from tests.fakes import records as make
from tests.fakes.desk import Clock, fill
from tests.fakes.labelled import golds
from workbench.errors import StoreError, UsageError
from workbench.records.queue import ItemFilter
from workbench.records.review import LabelDecision
from workbench.records.text import Span
from workbench.store.labels.agreement import AgreementQueries, LabelSelection
from workbench.store.labels.repository import Guides, LabelRepository
from workbench.store.queues.queues import Queues
from workbench.store.queues.review_tasks import RESERVATION_TIMEOUT, ReviewTaskService
from workbench.store.store import Store

YES, NO, UNSURE = (LabelDecision(label=x) for x in ("supported", "contradicted", "cannot_tell"))


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def store(tmp_path):
    store = Store(tmp_path / "w.duckdb")
    fill(store)
    return store


@pytest.fixture
def turns(store, clock):
    return ReviewTaskService(store, clock)


@pytest.fixture
def build(store, clock):
    def build_queue(**fields):
        defaults = {"created_by": "Zoe", "order": "document"}
        return Queues(store, clock).build("to do", **(defaults | fields)).id

    return build_queue


def position_of(turn):
    return turn.item.position if turn.item else None


# -- what is offered ---------------------------------------------------------------------------


def test_a_reviewer_goes_through_a_queue_and_comes_to_its_end(turns, build):
    queue = build()
    turn = turns.open(queue, "Ada")
    seen = []
    while turn.item:
        seen.append(turn.item.citation_id)
        turn = turns.decide(queue, "Ada", turn.item.position, YES)
        assert turn.given.label == "supported"
    assert seen == ["c0", "c1", "c2", "c3", "c4", "c5"]
    assert (turn.progress.done, turn.progress.available, turn.progress.own_reviews) == (6, 0, 6)


def test_a_turn_holds_all_that_a_page_shows(turns, build, store):
    turn = turns.open(build(), "Ada")
    assert turn.text == store.get_output(turn.output_sha256)
    assert turn.name == "report r1"
    assert turn.result.to_dict() == store.get_run("r1").citations[0].to_dict()
    assert turn.source == store.get_source("r1", "c0")
    bare = turns.open(turn.queue.id, "Ada", content=False)
    assert (bare.text, bare.source, bare.result) == ("", None, turn.result)


def test_an_open_item_is_kept_for_who_has_it_open(turns, build):
    queue = build()
    assert position_of(turns.open(queue, "Ada")) == 0
    assert position_of(turns.open(queue, "Bob")) == 1
    assert position_of(turns.open(queue, "Ada")) == 0, "a closed tab finds its item again"
    assert turns.open(queue, "Cy").progress.assigned == 2


def test_an_abandoned_item_is_offered_again(turns, build, clock):
    queue = build()
    turns.open(queue, "Ada")
    clock.advance(minutes=14)
    assert position_of(turns.open(queue, "Bob")) == 1
    clock.advance(minutes=2)
    assert position_of(turns.decide(queue, "Bob", 1, YES)) == 2
    turns.leave(queue, "Bob")
    assert position_of(turns.open(queue, "Bob")) == 0


def test_a_sign_of_life_keeps_it(turns, build, clock):
    queue = build()
    turns.open(queue, "Ada")
    for _ in range(3):
        clock.advance(minutes=14)
        assert turns.keep_open(queue, "Ada")
    assert position_of(turns.open(queue, "Bob")) == 1
    clock.now += RESERVATION_TIMEOUT + timedelta(seconds=1)
    assert not turns.keep_open(queue, "Ada"), "too late: it may be somebody else's"


def test_a_decision_that_comes_late_is_kept_all_the_same(turns, build, clock, store):
    queue = build()
    turns.open(queue, "Ada")
    clock.advance(hours=1)
    turns.decide(queue, "Bob", position_of(turns.open(queue, "Bob")), YES)
    turns.decide(queue, "Ada", 0, NO)
    assert {(x.reviewer, x.label) for x in store.labels("r1")} == {
        ("Ada", "contradicted"),
        ("Bob", "supported"),
    }


def test_each_item_gets_as_many_reviews_as_it_needs_and_no_more(turns, build):
    queue = build(reviews=2)
    items = {}
    for name in ("Ada", "Bob", "Cy", "Dan", "Eve"):
        turn = turns.open(queue, name)
        items[name] = []
        while turn.item and len(items[name]) < 4:
            items[name].append(turn.item.position)
            turn = turns.decide(queue, name, turn.item.position, YES)
        turns.leave(queue, name)
    assert items == {
        "Ada": [0, 1, 2, 3],
        "Bob": [0, 1, 2, 3],
        "Cy": [4, 5],
        "Dan": [4, 5],
        "Eve": [],
    }
    assert (turn.progress.done, turn.progress.reviews_given, turn.progress.reviews_needed) == (
        6,
        12,
        12,
    )


def test_who_looks_again_at_a_decided_item_takes_nobodys_place(turns, build):
    queue = build(reviews=2)
    turns.decide(queue, "Ada", position_of(turns.open(queue, "Ada")), YES)
    turns.open(queue, "Ada", 0)
    assert position_of(turns.open(queue, "Bob")) == 0


def test_a_place_that_others_fill_cannot_be_opened(turns, build):
    queue = build()
    turns.decide(queue, "Ada", position_of(turns.open(queue, "Ada")), YES)
    with pytest.raises(UsageError, match="Item 1 .* is with other reviewers"):
        turns.open(queue, "Bob", 0)
    with pytest.raises(StoreError, match="no item 99"):
        turns.decide(queue, "Bob", 98, YES)


def test_next_goes_on_from_here_and_round_at_the_end(turns, build):
    queue = build()
    turns.open(queue, "Ada", 4)
    assert position_of(turns.decide(queue, "Ada", 4, YES)) == 5
    assert position_of(turns.decide(queue, "Ada", 5, YES)) == 0


def test_stepping_passes_over_what_is_not_mine(turns, build):
    queue = build()
    turns.decide(queue, "Bob", position_of(turns.open(queue, "Bob")), YES)
    turns.leave(queue, "Bob")
    assert position_of(turns.open(queue, "Ada")) == 1
    turns.decide(queue, "Ada", 1, YES)
    assert position_of(turns.step(queue, "Ada", 2, -1)) == 1
    assert position_of(turns.step(queue, "Ada", 1, -1)) == 1, "0 is Bob's: the beginning"
    assert position_of(turns.step(queue, "Ada", 1, 1)) == 2
    assert position_of(turns.step(queue, "Ada", 5, 1)) == 5


def test_back_goes_through_the_decided_ones_newest_first(turns, build):
    queue = build()
    for position in (0, 1, 2):
        turns.open(queue, "Ada", position)
        turns.decide(queue, "Ada", position, YES)
    assert position_of(turns.back(queue, "Ada", 3)) == 2
    assert position_of(turns.back(queue, "Ada", 2)) == 1
    assert position_of(turns.back(queue, "Ada", 0)) == 0, "there is no earlier one"
    assert turns.back(queue, "Bob").item is None


def test_a_skipped_item_waits_for_others_and_can_be_gone_through_later(turns, build):
    queue = build()
    assert position_of(turns.open(queue, "Ada")) == 0
    turn = turns.skip(queue, "Ada", 0, " no access ")
    assert (position_of(turn), turn.progress.skipped, turn.progress.available) == (1, 1, 5)
    for _ in range(5):
        turn = turns.decide(queue, "Ada", turn.item.position, YES)
    assert turn.item is None
    assert position_of(turns.skipped(queue, "Ada")) == 0
    assert position_of(turns.open(queue, "Bob")) is None, "Ada has it open"
    turn = turns.decide(queue, "Ada", 0, YES)
    assert (turn.progress.skipped, turn.progress.done) == (0, 6)


def test_what_another_skipped_is_offered(turns, build):
    queue = build()
    turns.open(queue, "Ada")
    turns.skip(queue, "Ada", 0)
    assert position_of(turns.open(queue, "Bob")) == 0


# -- undo --------------------------------------------------------------------------------------


def test_undo_is_a_new_entry_and_opens_the_item(turns, build, store):
    queue = build()
    turns.open(queue, "Ada")
    turns.decide(queue, "Ada", 0, YES)
    turn = turns.undo(queue, "Ada")
    assert (position_of(turn), turn.mine, turn.progress.own_reviews) == (0, None, 0)
    assert store.labels("r1") == []
    assert [label.label for label in store.label_history("r1", "c0")] == ["supported"]


def test_undo_takes_the_last_act_whether_label_or_skip(turns, build):
    queue = build()
    turns.open(queue, "Ada")
    turns.decide(queue, "Ada", 0, YES)
    turns.skip(queue, "Ada", 1)
    turn = turns.undo(queue, "Ada")
    assert (position_of(turn), turn.progress.skipped, turn.progress.own_reviews) == (1, 0, 1)
    assert position_of(turns.undo(queue, "Ada")) == 0
    assert position_of(turns.undo(queue, "Ada")) == 0, "nothing is left to take back"


def test_undoing_a_change_brings_the_first_decision_back(turns, build):
    queue = build()
    turns.open(queue, "Ada")
    turns.decide(queue, "Ada", 0, YES, advance=False)
    turns.decide(queue, "Ada", 0, NO, advance=False)
    assert turns.undo(queue, "Ada").mine.label == "supported"


# -- what is stored of a decision --------------------------------------------------------------


def test_a_label_keeps_what_it_rests_on(turns, build, clock, store):
    Guides(store, clock).save("Supported means supported.", "Zoe")
    queue = build()
    source = turns.open(queue, "Ada").source
    start = source.text.index("120 metres")
    clock.advance(seconds=8)
    turn = turns.decide(
        queue,
        "Ada",
        0,
        LabelDecision(
            label="partially_supported",
            note=" rounded\n",
            evidence=(Span(start, start + 10),),
            wrong_evidence=(Span(40, 50),),
            fault="passage_choice",
            tags=("units", " units ", "follow\n up", ""),
        ),
    )
    (label,) = store.labels("r1")
    assert label == turn.given
    assert (label.note, label.fault, label.tags) == (
        "rounded",
        "passage_choice",
        ("units", "follow up"),
    )
    (evidence,) = label.evidence
    assert evidence.quote == evidence.span.of(source.text) == "120 metres"
    assert evidence.page == 2
    assert label.wrong_evidence == (Span(40, 50),)
    assert (label.guide, label.verdict_version, label.queue_id) == (1, 1, queue)
    assert (label.judge_label, label.saw_judge) == ("supported", True)
    assert label.seconds == pytest.approx(8, abs=0.1)
    assert turn.progress.recent_s == (label.seconds,)


@pytest.mark.parametrize("span", [Span(0, 10_000), Span(5, 5), Span(-1, 3)], ids=str)
def test_evidence_outside_the_source_is_refused(turns, build, span, store):
    queue = build()
    turns.open(queue, "Ada")
    with pytest.raises(UsageError, match="outside the text"):
        turns.decide(queue, "Ada", 0, LabelDecision(label="supported", evidence=(span,)))
    assert store.labels("r1") == []


def test_the_same_decision_twice_is_one_label(turns, build, store):
    queue = build()
    turns.open(queue, "Ada")
    turns.decide(queue, "Ada", 0, YES, advance=False)
    again = turns.decide(queue, "Ada", 0, YES, advance=False)
    assert again.given is None
    decision = LabelDecision(label="contradicted", id="sent-twice")
    for _ in range(2):
        turns.decide(queue, "Ada", 1, decision)
    assert len(store.label_history("r1", "c0")) == len(store.label_history("r1", "c1")) == 1


def test_reviewers_do_not_replace_each_other(turns, build, store):
    queue = build(reviews=2)
    for name, decision in (("Ada", YES), ("Bob", NO), ("Ada", UNSURE)):
        turns.open(queue, name, 0)
        turns.decide(queue, name, 0, decision, advance=False)
    assert {(x.reviewer, x.label) for x in store.labels("r1")} == {
        ("Ada", "cannot_tell"),
        ("Bob", "contradicted"),
    }


def test_a_label_is_about_the_verdict_that_was_current(turns, build, store):
    queue = build()
    store.replace_verdict("r1", store.get_run("r1").citations[0])
    turns.open(queue, "Ada")
    assert turns.decide(queue, "Ada", 0, YES).given.verdict_version == 2


# -- blind -------------------------------------------------------------------------------------


def test_a_blind_queue_hides_the_judge_and_the_others_until_the_decision(turns, build):
    queue = build(blind=True, reviews=2)
    turns.open(queue, "Bob")
    turns.decide(queue, "Bob", 0, NO)
    turn = turns.open(queue, "Ada")
    assert turn.judge_hidden
    assert turn.others == ()
    assert (turn.result.judgment, turn.result.judgments) == (None, ())
    assert turn.result.verdict == "unverifiable"
    assert turn.result.layers.derivable is None
    assert turn.source is not None
    turn = turns.decide(queue, "Ada", 0, YES, advance=False)
    assert not turn.judge_hidden
    assert turn.result.verdict == "supported"
    assert [label.reviewer for label in turn.others] == ["Bob"]


def test_first_decision_and_what_changed_after_are_both_kept(turns, build, store):
    queue = build(blind=True)
    turns.open(queue, "Ada", 1)
    turns.decide(queue, "Ada", 1, YES, advance=False)
    turns.decide(queue, "Ada", 1, NO)
    first, second = store.label_history("r1", "c1")
    assert (first.label, first.saw_judge, first.judge_label) == ("supported", False, None)
    assert (second.label, second.saw_judge, second.judge_label) == (
        "contradicted",
        True,
        "contradicted",
    )
    assert second.replaces == first.id
    (decision,) = AgreementQueries(store).blind_decisions(LabelSelection(queue=queue))
    assert (decision.first, decision.judge, decision.after) == (
        "supported",
        "contradicted",
        "contradicted",
    )


def test_revealing_the_judge_first_is_no_blind_decision(turns, build, store):
    queue = build(blind=True, reviews=2)
    turns.open(queue, "Bob")
    turns.decide(queue, "Bob", 0, NO)
    turns.open(queue, "Ada")
    turn = turns.reveal(queue, "Ada", 0)
    assert not turn.judge_hidden
    assert turn.result.verdict == "supported"
    assert turn.others == (), "the others stay hidden: only the judge was asked for"
    assert turns.decide(queue, "Ada", 0, YES).given.saw_judge is True
    assert [decision.rater for decision in AgreementQueries(store).blind_decisions()] == ["Bob"]


def test_a_blind_decision_that_was_never_shown_the_judge(turns, build, store):
    queue = build(blind=True)
    turns.open(queue, "Ada")
    turns.decide(queue, "Ada", 0, NO)
    (decision,) = AgreementQueries(store).blind_decisions()
    assert (decision.first, decision.after) == ("contradicted", None)


def test_a_slip_undone_before_the_judge_was_shown_is_no_decision(turns, build, store):
    queue = build(blind=True)
    turns.open(queue, "Ada")
    turns.decide(queue, "Ada", 0, NO)
    assert turns.undo(queue, "Ada").judge_hidden
    turns.decide(queue, "Ada", 0, YES, advance=False)
    (decision,) = AgreementQueries(store).blind_decisions()
    assert (decision.first, decision.after) == ("supported", "supported")


def test_what_was_undone_after_the_judge_was_shown_still_was_the_first_decision(
    turns, build, store
):
    queue = build(blind=True)
    turns.open(queue, "Ada")
    turns.decide(queue, "Ada", 0, NO, advance=False)
    assert not turns.undo(queue, "Ada").judge_hidden, "what was seen cannot be unseen"
    turns.decide(queue, "Ada", 0, YES)
    (decision,) = AgreementQueries(store).blind_decisions()
    assert (decision.first, decision.after) == ("contradicted", "supported")


# -- adjudication ------------------------------------------------------------------------------


@pytest.fixture
def at_odds(turns, build):
    queue = build(reviews=2)
    for name, decision in (("Ada", YES), ("Bob", NO)):
        turns.open(queue, name, 0)
        turns.decide(queue, name, 0, decision, advance=False)
        turns.decide(queue, name, 1, NO, advance=False)
    return queue


def test_an_adjudicator_sees_both_and_the_adjudicated_label_is_the_gold(
    turns, build, store, at_odds
):
    queue = build(chosen=ItemFilter(reviewers_differ=True), role="adjudication")
    turn = turns.open(queue, "Cy")
    assert turn.item.citation_id == "c0"
    assert [(x.reviewer, x.label) for x in turn.others] == [
        ("Ada", "supported"),
        ("Bob", "contradicted"),
    ]
    assert ("r1", "c0") not in golds(store)
    turn = turns.decide(queue, "Cy", 0, LabelDecision(label="supported", note="page 2 says so"))
    assert turn.item is None
    standing = golds(store)
    assert standing[("r1", "c0")].reviewer == "Cy"
    assert standing[("r1", "c1")].label == "contradicted"
    row = next(iter(store.labelled_citations("r1")))
    assert row.gold.note == "page 2 says so"
    assert row.to_dict()["label"] == "supported"
    assert [label.reviewer for label in row.labels] == ["Ada", "Bob", "Cy"]
    with pytest.raises(UsageError, match="No item fits"):
        build(chosen=ItemFilter(reviewers_differ=True), role="adjudication")


def test_nobody_settles_what_they_reviewed_unless_assigned_by_name(turns, build, at_odds):
    chosen = ItemFilter(reviewers_differ=True)
    open_to_all = build(chosen=chosen, role="adjudication")
    assert turns.open(open_to_all, "Ada").item is None
    assert (
        position_of(turns.open(build(chosen=chosen, role="adjudication", reviewers=["Ada"]), "Ada"))
        == 0
    )


def test_a_second_adjudicator_takes_over_and_undo_gives_back(turns, build, store, at_odds):
    queue = build(chosen=ItemFilter(reviewers_differ=True), role="adjudication", reviews=2)
    for name, decision in (("Cy", YES), ("Dan", NO)):
        turns.open(queue, name)
        turns.decide(queue, name, 0, decision)
    assert golds(store)[("r1", "c0")].reviewer == "Dan"
    turns.undo(queue, "Dan")
    assert golds(store)[("r1", "c0")].reviewer == "Cy"


# -- permissions --------------------------------------------------------------------------------


def test_a_queue_is_for_those_it_is_assigned_to(turns, build):
    queue = build(reviewers=["Ada", "Bob"])
    assert position_of(turns.open(queue, " Ada ")) == 0
    with pytest.raises(UsageError, match="assigned to Ada, Bob"):
        turns.open(queue, "Cy")


def test_a_closed_queue_offers_nothing_and_loses_nothing(turns, build, store, clock):
    queue = build()
    turns.open(queue, "Ada")
    Queues(store, clock).close(queue, "Zoe")
    with pytest.raises(UsageError, match="put away"):
        turns.open(queue, "Ada")
    turns.decide(queue, "Ada", 0, YES)
    assert len(store.labels("r1")) == 1
    Queues(store, clock).reopen(queue, "Zoe")
    assert position_of(turns.open(queue, "Ada")) == 1


def test_an_unknown_queue_gets_a_sentence(turns):
    with pytest.raises(StoreError, match="no queue 'nope'"):
        turns.open("nope", "Ada")


# -- outside of queues ---------------------------------------------------------------------------


def test_a_label_outside_of_queues_replaces_only_ones_own(store, clock):
    labelling = LabelRepository(store, clock)
    for name, decision in (("Ada", YES), ("Bob", NO), ("Ada", UNSURE)):
        label = labelling.give("r1", "c0", name, decision)
    assert label.replaces == store.label_history("r1", "c0")[0].id
    assert (label.saw_judge, label.judge_label, label.verdict_version) == (True, "supported", 1)
    assert labelling.give("r1", "c0", "Ada", UNSURE) is None
    assert {(x.reviewer, x.label) for x in store.labels("r1")} == {
        ("Ada", "cannot_tell"),
        ("Bob", "contradicted"),
    }
    assert labelling.withdraw("r1", "c0", "Ada") == label
    assert labelling.withdraw("r1", "c0", "Ada").label == "supported"
    assert labelling.withdraw("r1", "c0", "Ada") is None
    assert [x.reviewer for x in store.labels("r1")] == ["Bob"]
    with pytest.raises(StoreError, match="no run 'nope'"):
        labelling.give("nope", "c0", "Ada", YES)


def test_a_citation_that_has_no_verdict_yet_can_be_labelled(store, clock):
    store.add_run(make.run("r9", results=[make.failure(2, "cancelled")]), make.TEXT, "later")
    label = LabelRepository(store, clock).give("r9", "c2", "Ada", YES)
    assert (label.verdict_version, label.judge_label, label.saw_judge) == (None, None, False)
    assert store.labels("r9") == [label]


def test_what_was_labelled_on_the_page_of_the_run_is_not_blind_any_more(turns, build, store, clock):
    LabelRepository(store, clock).give("r1", "c0", "Ada", YES)
    queue = build(blind=True)
    turn = turns.open(queue, "Ada")
    assert not turn.judge_hidden
    label = turns.decide(queue, "Ada", 0, YES).given
    assert label.saw_judge, "a label of the queue all the same: its progress counts"
    assert turns.open(queue, "Ada").progress.own_reviews == 1
    assert len(store.labels("r1")) == 1
