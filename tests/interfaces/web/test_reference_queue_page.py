"""Queues of references on the page: drawn up, worked by key, blind until the decision."""

import json

import pytest

from tests.fakes.app_page import component
from tests.fakes.reference_lists import add_list, check, differing
from tests.interfaces.web.test_queue_page import html, keys, queues
from workbench.interfaces.web.queues.actions import perform
from workbench.interfaces.web.queues.references import (
    REFERENCE_CHOICES,
    choice_decision,
    reference_card,
    reference_filter_text,
    reference_keys,
)
from workbench.interfaces.web.queues.view import QueueSession, strip_data
from workbench.presentation.run_desk import parse_action
from workbench.records.queue import ReferenceFilter
from workbench.services import cached_views
from workbench.settings import load_settings
from workbench.store.bibliography.labels import EntryLabelRepository
from workbench.store.queues.queues import Queues
from workbench.store.queues.review_tasks import ReviewTaskService
from workbench.store.store import Store


@pytest.fixture
def store():
    cached_views.clear_cached_views()
    store = Store(load_settings().database)
    invented = check(2, "not_found", 0.04, why="No index has <it>.")
    add_list(store, "r1", [check(1), invented, differing(3)], "Letters")
    return store


def build(store, **plan):
    return Queues(store).build(
        "Refs", references=ReferenceFilter(), created_by="Zoe", order="document", **plan
    )


class Reviewer:
    """Presses keys like a browser: each press has an id and names the item on the screen."""

    def __init__(self, store, queue):
        self.store, self.number = store, 0
        task = ReviewTaskService(store).open(queue.id, "Ada")
        self.state = QueueSession(queue_id=queue.id, reviewer="Ada", task=task)

    def press(self, verb, **more):
        self.number += 1
        at = self.state.task.item.position
        act = parse_action({"id": f"a{self.number}", "verb": verb, "at": at, **more})
        return perform(self.store, self.state, act)

    def sent(self):
        task = self.state.task
        return json.dumps([strip_data(task), reference_card(task), reference_keys(self.state)])


def test_a_queue_of_references_is_drawn_up_on_the_page(store):
    at = queues(who="Ada", q='{"reviewed":false}')
    at.button_group(key="queue-kind").set_value("references").run()
    assert "<b>3</b> items match" in html(at)
    at.multiselect(key="queue-reference-statuses").set_value(["not_found", "differs"]).run()
    assert "<b>2</b> items match" in html(at)
    at.toggle(key="queue-blind").set_value(True).run()
    assert (
        at.warning[0].value == "This filter reveals the finding, so the queue would not be blind."
    )
    at.button(key="queue-build").click().run()
    assert not at.exception
    (line,) = Queues(store).list_queues()
    assert line.items == 2
    assert line.queue.references.statuses == ("differs", "not_found")
    assert "References with the finding described differently or not found" in html(at)


def test_the_page_shows_the_entry_and_ends(store):
    queue = build(store)
    at = queues(who="Ada", queue=queue.id)
    assert "leave" in keys(at)
    assert component(at, "queue-entry")["place"] == "Item 1 of 3"
    assert component(at, "queue-keys")["kind"] == "references"
    reviewer = Reviewer(store, queue)
    for _ in range(3):
        reviewer.press("label", label="exists")
    at = queues(who="Ada", queue=queue.id)
    assert "Every item of this queue has all its reviews." in [box.value for box in at.success]


def test_keys_agree_override_and_note(store):
    reviewer = Reviewer(store, build(store))
    card = json.loads(reviewer.sent())[1]
    assert card["place"] == "Item 1 of 3"
    assert json.loads(reviewer.sent())[2]["agree"] == "exists"
    assert reviewer.press("label", label="exists")
    assert reviewer.state.status.text == "The work exists, item 1."
    assert reviewer.press("label", label="reason:outside_indexes", note="seen in print")
    reviewer.press("previous")
    data = json.loads(reviewer.sent())[2]
    assert [key["value"] for key in data["labels"] if key["mine"]] == ["reason:outside_indexes"]
    assert data["note"] == "seen in print"
    assert reviewer.press("note", note="in the archive")
    label = EntryLabelRepository(store).listed(run_id="r1")[-1]
    assert (label.decision, label.reason, label.note) == (
        "exists", "outside_indexes", "in the archive",
    )  # fmt: skip
    assert label.status_shown == "not_found"


def test_undo_and_skip_move_as_with_citations(store):
    reviewer = Reviewer(store, build(store))
    reviewer.press("label", label="exists")
    reviewer.press("undo")
    assert reviewer.state.status.text == "Undone on item 1."
    assert EntryLabelRepository(store).listed() == []
    reviewer.press("skip", reason="Later")
    assert reviewer.state.task.item.position == 1
    reviewer.press("undo")
    assert reviewer.state.task.item.position == 0


def test_nothing_found_leaves_for_the_browser_while_the_queue_is_blind(store):
    reviewer = Reviewer(store, build(store, blind=True))
    reviewer.press("skip")
    sent = reviewer.sent()
    assert "No index has" not in sent
    assert "not_found" not in sent and "Not found" not in sent
    assert "The finding is hidden until you decide." in sent
    values = {key["value"] for key in json.loads(sent)[2]["labels"]}
    assert values == {"exists", "fabricated", "differs", "cannot_tell"}
    reviewer.press("stay")
    reviewer.press("label", label="fabricated")
    assert "No index has" in reviewer.sent()
    assert EntryLabelRepository(store).listed()[0].status_shown is None


def test_a_label_of_citations_decides_nothing_here(store):
    reviewer = Reviewer(store, build(store))
    for choice in ("supported", "reason:nothing"):
        assert reviewer.press("label", label=choice) is False
    assert EntryLabelRepository(store).listed() == []


@pytest.mark.parametrize("choice", sorted(REFERENCE_CHOICES))
def test_every_key_has_one_meaning(choice):
    decision = choice_decision(choice, "note")
    assert decision.note == "note"
    assert (decision.reason is not None) == choice.startswith("reason:")


def test_a_filter_in_words():
    chosen = ReferenceFilter(statuses=("not_found",), labelled=False, retracted=True, runs=("r1",))
    assert reference_filter_text(chosen, {"r1": "Letters"}) == (
        "References with the finding not found, retracted, not labelled, in Letters"
    )
    assert reference_filter_text(ReferenceFilter()) == "References"
    assert reference_filter_text(ReferenceFilter(examples=False)) == "References, examples left out"
