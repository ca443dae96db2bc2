"""A reviewer's presses in a queue, on a real store, without a browser."""

import json

import pytest

from tests.fakes import records as make
from tests.fakes.desk import fill
from workbench.interfaces.web.queues import text as texts
from workbench.interfaces.web.queues.actions import keep_details, perform
from workbench.interfaces.web.queues.view import (
    QueueSession,
    keys_data,
    passages_of,
    review_state_of,
    strip_data,
    turn_card,
    turn_text,
)
from workbench.presentation.run_desk import KeyAction, parse_action
from workbench.records.queue import ItemFilter
from workbench.records.review import LabelDecision
from workbench.services.imports import import_file
from workbench.services.labels import DecisionDetails
from workbench.store.queues.queues import Queues
from workbench.store.queues.review_tasks import ReviewTaskService
from workbench.store.store import Store


class Reviewer:
    """Presses keys like a browser: each press has an id and names the item on the screen."""

    def __init__(self, store, queue, name="Ada"):
        self.store, self.number = store, 0
        task = ReviewTaskService(store).open(queue, name)
        self.seated = QueueSession(queue_id=queue, reviewer=name, task=task)

    @property
    def at(self):
        return self.seated.task.item.position if self.seated.task.item else None

    @property
    def status_text(self):
        return self.seated.status.text

    def press(self, verb, at=None, details=None, **more):
        self.number += 1
        place = self.at if at is None else at
        act = KeyAction(id=f"a{self.number}", verb=verb, at=-1 if place is None else place, **more)
        return perform(self.store, self.seated, act, details)

    def sent(self):
        """Everything that the browser gets of the item."""
        turn = self.seated.task
        desk = review_state_of(turn)
        passages = passages_of(turn)
        return [
            strip_data(turn),
            turn_card(desk, turn, turn.source, self.seated.quote_at, passages),
            keys_data(self.seated, len(passages)),
            turn_text(desk, turn),
        ]


@pytest.fixture
def store(tmp_path):
    store = Store(tmp_path / "w.duckdb")
    fill(store, source=make.source("Fact 0 holds. " * 5))
    return store


@pytest.fixture
def build(store):
    def build_queue(**fields):
        defaults = {"created_by": "Zoe", "order": "document"}
        return store, Queues(store).build("to do", **(defaults | fields)).id

    return build_queue


def test_a_label_moves_on_at_once(build, store):
    ada = Reviewer(*build())
    assert ada.press("label", label="supported", note="page 2")
    assert (ada.at, ada.status_text) == (1, "Supported, item 1.")
    (label,) = store.labels("r1")
    assert (label.note, label.reviewer, label.queue_id) == (
        "page 2",
        "Ada",
        ada.seated.queue_id,
    )


def test_each_item_has_its_own_mark_in_the_same_text(build):
    ada = Reviewer(*build())
    first = ada.sent()[3]
    ada.press("next")
    second = ada.sent()[3]
    assert (first["selected"], second["selected"]) == ("c0", "c1")
    assert first["doc"] != second["doc"], "or the pane would keep the first item's mark"
    assert [piece["m"] for piece in second["pieces"] if "m" in piece] == [["c1"]]


def test_a_press_for_an_item_that_is_gone_does_nothing(build, store):
    ada = Reviewer(*build())
    ada.press("label", label="supported")
    assert not ada.press("label", at=0, label="contradicted")
    assert (ada.at, len(store.labels("r1"))) == (1, 1)


def test_a_press_that_arrives_twice_is_done_once(build, store):
    ada = Reviewer(*build())
    act = KeyAction(id="x", verb="next", at=0)
    perform(ada.store, ada.seated, act)
    perform(ada.store, ada.seated, act)
    assert ada.at == 1


def test_moves_stop_at_the_ends_and_say_so(build):
    ada = Reviewer(*build())
    ada.press("previous")
    assert (ada.at, ada.status_text) == (0, "This is the first item you can open.")
    for _ in range(6):
        ada.press("next")
    assert (ada.at, ada.status_text) == (5, "This is the last item you can open.")
    ada.press("last")
    assert ada.status_text == "There is no earlier decision."


def test_a_skip_keeps_its_reason_and_comes_back(build, store):
    ada = Reviewer(*build())
    ada.press("skip", reason="Needs an expert")
    assert ada.at == 1 and ada.seated.task.progress.skipped == 1
    ada.press("skipped")
    assert ada.at == 0
    ada.press("undo")
    assert (ada.at, ada.seated.task.progress.skipped) == (0, 0)
    with store.transaction() as connection:
        rows = connection.execute("select reason, skipped from queue_skips order by created_at")
        assert rows.fetchall() == [("Needs an expert", True), ("", False)]


def test_undo_is_a_new_entry_and_says_where(build, store):
    ada = Reviewer(*build())
    ada.press("label", label="supported")
    ada.press("undo")
    assert (ada.at, ada.status_text) == (0, texts.undone_text(0))
    assert store.labels("r1") == []
    assert len(store.label_history("r1", "c0")) == 1
    ada.press("undo")
    assert ada.status_text == "There is nothing to undo."


def test_details_go_with_the_label_and_stay_with_a_later_note(build, store):
    ada = Reviewer(*build())
    details = DecisionDetails(tags=("hard",), fault="fetch")
    ada.press("label", label="supported", details=details)
    ada.press("last")
    ada.press("note", note="see the table")
    (label,) = store.labels("r1")
    assert (label.tags, label.fault, label.note) == (("hard",), "fetch", "see the table")
    assert ada.at == 0, "a note does not move on"
    assert keep_details(ada.store, ada.seated, DecisionDetails(tags=("easy",)))
    (label,) = store.labels("r1")
    assert (label.tags, label.note) == (("easy",), "see the table")


def test_a_note_without_a_label_is_no_decision(build, store):
    ada = Reviewer(*build())
    ada.press("note", note="not yet")
    assert store.labels("r1") == []
    assert not keep_details(ada.store, ada.seated, DecisionDetails(tags=("hard",)))


def test_what_goes_wrong_is_told_and_the_item_stays(build, store):
    ada = Reviewer(*build())
    with store.transaction() as connection:
        connection.execute("delete from verdicts where citation_id = 'c0'")
    assert not ada.press("label", label="supported")
    assert ada.seated.status.bad and "erased" in ada.status_text
    assert ada.at == 0


def blind_parts(reviewer):
    _, card, keys, document = reviewer.sent()
    return card, keys, document


def test_a_blind_desk_sends_nothing_of_the_judge_or_of_others(build, store):
    store, queue = build(blind=True, reviews=2)
    bob = Reviewer(store, queue, "Bob")
    bob.press("label", label="contradicted", note="Bob's word")
    ada = Reviewer(store, queue)
    assert ada.at == 0
    result = store.get_run("r1").citations[0]
    card, keys, document = blind_parts(ada)
    assert (card["mark"], card["hidden"], card["confidence"]) == ("pending", True, None)
    assert (card["rationale"], card["people"], card["label"]) == ("", [], None)
    assert card["by_words"], "passages are found by the claim's words, not by the judge"
    assert [state for _, state in card["layers"]][2:] == [None, None]
    assert (keys["agree"], keys["decided"]) == (None, False)
    assert {mark["m"] for mark in document["marks"].values()} == {"pending"}
    assert {mark["h"] for mark in document["marks"].values()} == {None}
    everything = json.dumps(ada.sent())
    assert result.judgment.rationale not in everything
    assert result.judgment.judge not in everything
    assert "Bob" not in everything


def test_what_was_said_in_another_queue_stays_out_of_a_blind_one(build):
    store, first = build()
    Reviewer(store, first).press("label", label="supported", note="as before")
    store, queue = build(blind=True)
    ada = Reviewer(store, queue)
    card, keys, document = blind_parts(ada)
    assert (ada.at, card["label"], keys["note"], keys["decided"]) == (0, None, "", False)
    assert [mark["h"] for mark in document["marks"].values()] == [None]


def test_the_judge_is_shown_after_the_decision_and_a_change_is_a_second_one(build, store):
    store, queue = build(blind=True)
    ada = Reviewer(store, queue)
    ada.press("reveal")
    assert ada.status_text == texts.LABEL_FIRST
    assert ada.seated.task.judge_hidden
    ada.press("label", label="contradicted")
    assert (ada.at, ada.seated.task.judge_hidden) == (1, True)
    ada.press("reveal")
    assert (ada.at, ada.seated.task.judge_hidden) == (0, False)
    card, keys, _ = blind_parts(ada)
    assert (card["mark"], card["label"]["mark"]) == ("supported", "contradicted")
    assert keys["agree"] == "supported"
    ada.press("label", label="supported")
    first, second = store.label_history("r1", "c0")
    assert (first.label, first.saw_judge, first.judge_label) == ("contradicted", False, None)
    assert (second.label, second.saw_judge, second.replaces) == ("supported", True, first.id)


def test_who_wishes_to_compare_stays_at_the_item(build):
    store, queue = build(blind=True)
    ada = Reviewer(store, queue)
    ada.press("stay")
    ada.press("label", label="supported")
    assert (ada.at, ada.seated.task.judge_hidden) == (0, False)
    assert ada.status_text == texts.decided_text("Supported", 0, stay=True)
    ada.press("next")
    assert (ada.at, ada.seated.task.judge_hidden) == (1, True)


def test_an_adjudicator_has_all_labels_side_by_side(build, store):
    store, queue = build(reviews=2)
    for name, label in (("Ada", "supported"), ("Bob", "contradicted")):
        ReviewTaskService(store).open(queue, name, 0)
        decision = LabelDecision(label=label, note=f"{name} read it", tags=("table",))
        ReviewTaskService(store).decide(queue, name, 0, decision)
    store, second = build(role="adjudication", blind=True, items=[("r1", "c0")])
    cy = Reviewer(store, second, "Cy")
    card, keys, _ = blind_parts(cy)
    assert [
        (person["by"], person["mark"], person["note"], person["tags"]) for person in card["people"]
    ] == [
        ("Ada", "supported", "Ada read it", ["table"]),
        ("Bob", "contradicted", "Bob read it", ["table"]),
    ]
    assert (card["hidden"], card["rationale"]) == (True, "")
    cy.press("label", label="supported")
    assert cy.at is None
    row = next(row for row in store.labelled_citations("r1") if row.gold)
    assert (row.gold.reviewer, row.gold.label, row.gold.role) == (
        "Cy",
        "supported",
        "adjudication",
    )


def test_an_imported_pair_is_shown_with_its_own_source_and_no_other_claim(store, tmp_path):
    rows = [
        {
            "claim": f"The {n} bridges are open.",
            "source": f"Of {n} bridges one is shut.\n\nSo it says.",
            "label": "supported",
        }
        for n in ("nine", "ten", "twelve")
    ]
    file = tmp_path / "pairs.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    import_file(store, "pairs", file, name="pairs")
    queue = Queues(store).build(
        "pairs", ItemFilter(imported=True), created_by="Zoe", order="document"
    )
    ada = Reviewer(store, queue.id)
    for number in ("nine", "ten"):
        pane = ada.sent()[-1]
        text = "".join(piece["t"] for piece in pane["pieces"])
        place = ada.at + 1
        assert text == (
            f"The {number} bridges are open. [{place}]\n\n## Source\n\n"
            f"Of {number} bridges one is shut.\n\nSo it says."
        )
        marks = {piece["t"]: piece.get("m") for piece in pane["pieces"] if piece.get("m")}
        assert marks == {f"[{place}]": [pane["selected"]]}
        claim = "".join(piece["t"] for piece in pane["pieces"] if piece.get("c"))
        assert claim == f"The {number} bridges are open."
        ada.press("label", label="supported")


@pytest.mark.parametrize(
    "raw",
    [None, "x", {}, {"verb": "erase", "at": 0}, {"verb": "next", "at": "0"},
     {"verb": "label", "at": 0, "label": 1}],
)  # fmt: skip
def test_what_is_no_act_is_none(raw):
    assert parse_action(raw) is None


def test_an_act_is_read_as_it_was_sent():
    raw = {"id": "a", "verb": "label", "at": 3, "label": "cannot_tell", "note": "n\ud800"}
    assert parse_action(raw) == KeyAction(
        id="a", verb="label", at=3, label="cannot_tell", note="n\ud800"
    )
