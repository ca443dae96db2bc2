"""The Queues page in its states: no name, no queue, the form with its count, the desk, its end."""

import json

import pytest
from streamlit.testing.v1 import AppTest

from tests.fakes.app_page import component, press, press_label
from tests.fakes.desk import fill
from tests.fakes.proposals import WHY, add_proposing_run
from tests.interfaces.web.test_pages import APP
from workbench.interfaces.web.queues import text as texts
from workbench.presentation.run_desk import NOTHING_TO_UNDO
from workbench.records.queue import ItemFilter
from workbench.records.review import LabelDecision
from workbench.services import cached_views
from workbench.settings import load_settings
from workbench.store.queues.queues import Queues
from workbench.store.queues.review_tasks import ReviewTaskService
from workbench.store.store import Store


@pytest.fixture
def store():
    cached_views.clear_cached_views()
    store = Store(load_settings().database)
    fill(store)
    return store


def queues(**params):
    at = AppTest.from_file(APP, default_timeout=60)
    at.switch_page("pages/queues.py")
    at.query_params.update(params)
    at.run()
    assert not at.exception, [box.message for box in at.exception]
    assert not any("could not be displayed" in box.value for box in at.error)
    return at


def html(at):
    return " ".join(box.proto.body for box in at.get("html"))


def keys(at):
    return {button.key for button in at.button}


def test_the_name_is_asked_by_the_first_button_that_needs_it(store):
    queue = Queues(store).build("to do", created_by="Zoe", order="document").id
    at = queues()
    at.button(key=f"work-{queue}").click().run()
    at.text_input(key="name-asked").set_value("Ada")
    at.button(key="name-answer").click().run()
    assert component(at, "queue-keys")["at"] == 0
    assert ReviewTaskService(store).open(queue, "Bob").item.position == 1


def test_who_follows_a_link_to_a_queue_is_asked_for_a_name(store):
    queue = Queues(store).build("to do", created_by="Zoe").id
    at = queues(queue=queue)
    assert "Enter your name to open this queue" in at.info[0].value
    at.text_input(key="who").set_value("Ada").run()
    assert component(at, "queue-keys")["at"] == 0


def test_a_queue_for_two_takes_three_fields_and_its_name_from_its_items(store):
    at = queues(q='{"runs":["r1"]}')
    assert at.info[0].value == "No open queues. Choose “New queue”."
    at.multiselect(key="queue-people").set_value(["Ann", "Ben"])
    at.number_input(key="queue-reviews").set_value(2).run()
    at.button(key="queue-build").click().run()
    assert Queues(store).list_queues() == []
    at.text_input(key="name-asked").set_value("Ann")
    at.button(key="name-answer").click().run()
    (line,) = Queues(store).list_queues()
    assert (line.items, line.queue.name, line.queue.created_by) == (6, "report r1", "Ann")
    assert (line.queue.reviews, line.queue.reviewers) == (2, ("Ann", "Ben"))
    assert "was created" in at.success[0].value
    assert "queue-build" not in keys(at), "the form is folded again"


def test_a_queue_is_drawn_up_by_filter(store):
    at = queues(who="Ada", q='{"confidence_below":0.75}')
    assert "<b>4</b> items match" in html(at)
    at.number_input(key="queue-below").set_value(0.65).run()
    assert "<b>3</b> items match" in html(at)
    assert json.loads("".join(at.query_params["q"])) == {"confidence_below": 0.65}
    at.text_input(key="queue-name").set_value("The unsure <b>ones</b>")
    at.multiselect(key="queue-people").set_value(["Ada", "Bob"])
    at.number_input(key="queue-reviews").set_value(2)
    at.toggle(key="queue-blind").set_value(True).run()
    at.button(key="queue-build").click().run()
    (line,) = Queues(store).list_queues()
    assert (line.items, line.queue.reviews, line.queue.blind) == (3, 2, True)
    assert line.queue.reviewers == ("Ada", "Bob")
    assert "&lt;b&gt;ones" in html(at) and "<b>ones" not in html(at)


def test_a_plan_that_cannot_be_worked_off_is_told(store):
    at = queues(who="Ada", q='{"reviewed":false}')
    at.multiselect(key="queue-people").set_value(["Ada"])
    at.number_input(key="queue-reviews").set_value(2).run()
    at.button(key="queue-build").click().run()
    assert "only 1 are assigned" in at.error[0].value
    assert Queues(store).list_queues() == []


def test_a_filter_that_is_none_is_told(store):
    at = queues(who="Ada", q='{"colour":"red"}')
    assert "cannot be used" in at.warning[0].value


def test_a_blind_queue_by_verdict_is_warned_of(store):
    at = queues(who="Ada", q='{"verdicts":["contradicted"]}')
    at.toggle(key="queue-blind").set_value(True).run()
    assert (
        at.warning[0].value
        == "This filter reveals the judge's verdict, so the queue would not be blind."
    )


def test_a_queue_is_put_away_and_taken_up_again(store):
    queue = Queues(store).build("to do", created_by="Zoe").id
    at = queues(who="Ada")
    at.button(key=f"away-{queue}").click().run()
    assert Queues(store).list_queues() == []
    at.button(key=f"reopen-{queue}").click().run()
    assert len(Queues(store).list_queues()) == 1


def test_the_desk_shows_the_item_and_leaving_frees_it(store):
    queue = Queues(store).build("to do", created_by="Zoe", order="document").id
    at = queues(who="Ada")
    at.button(key=f"work-{queue}").click().run()
    assert component(at, "queue-strip")["parts"] == ["0 of 6"]
    assert component(at, "queue-card")["place"] == "1 of 6"
    assert component(at, "queue-text")["selected"] == "c0"
    assert component(at, "queue-keys")["at"] == 0
    assert ReviewTaskService(store).open(queue, "Bob").item.position == 1
    at.button(key="leave").click().run()
    assert ReviewTaskService(store).open(queue, "Cy").item.position == 0


def test_a_blind_desk_has_nothing_of_the_judge_in_any_element(store):
    ReviewTaskService(store).decide(
        Queues(store).build("first", created_by="Zoe", order="document").id, "Bob", 0,
        LabelDecision(label="contradicted", note="said by Bob"),
    )  # fmt: skip
    queue = Queues(store).build("blind", created_by="Zoe", order="document", blind=True).id
    at = queues(who="Ada", queue=queue)
    judgment = store.get_run("r1").citations[0].judgment
    payload = " ".join(str(element.proto) for element in at.main)
    assert component(at, "queue-card")["hidden"]
    for secret in (judgment.rationale, "0.90", "very sure", "said by Bob", "quote-wrong"):
        assert secret not in payload


@pytest.mark.parametrize("blind", [True, False])
def test_a_blind_desk_has_no_correction_that_the_judge_proposes(blind):
    cached_views.clear_cached_views()
    store = Store(load_settings().database)
    add_proposing_run(store)
    queue = Queues(store).build("bridge", created_by="Zoe", order="document", blind=blind).id
    at = queues(who="Ada", queue=queue)
    payload = " ".join(str(element.proto) for element in at.main)
    assert component(at, "queue-card")["hidden"] == blind
    assert (component(at, "queue-card")["correction"] is None) == blind
    assert ("correction-take" in keys(at)) != blind
    assert (WHY in payload) != blind


def test_who_is_not_on_the_queue_is_told(store):
    queue = Queues(store).build("theirs", created_by="Zoe", reviewers=["Bob"]).id
    at = queues(who="Ada", queue=queue)
    assert "is assigned to Bob" in at.error[0].value.replace("\\", "")
    at.button(key="to-list").click().run()
    assert at.button(key=f"work-{queue}").disabled


@pytest.mark.parametrize("queue", ["nope", "<script>"])
def test_a_queue_that_is_not_there_is_told(store, queue):
    assert "There is no queue" in queues(who="Ada", queue=queue).error[0].value


def test_the_end_tells_what_is_left(store):
    queue = Queues(store).build("two", created_by="Zoe", order="document", limit=2).id
    turns = ReviewTaskService(store)
    turns.open(queue, "Ada")
    turns.skip(queue, "Ada", 0, "Later")
    turns.decide(queue, "Ada", 1, LabelDecision(label="supported"))
    at = queues(who="Ada", queue=queue)
    at.button(key="to-skipped").click().run()
    assert component(at, "queue-keys")["at"] == 0
    turns.decide(queue, "Ada", 0, LabelDecision(label="supported"))
    at = queues(who="Ada", queue=queue)
    assert at.success[0].value == "Every item of this queue has all its reviews."
    assert "next-queue" not in {button.key for button in at.button}
    at.button(key="to-last").click().run()
    assert component(at, "queue-keys")["decided"]


def test_a_finished_queue_leads_to_the_next_and_is_folded_in_the_list(store):
    first = Queues(store).build("first", created_by="Zoe", order="document", limit=1).id
    second = Queues(store).build("**second**", created_by="Zoe", order="document").id
    ReviewTaskService(store).decide(first, "Ada", 0, LabelDecision(label="supported"))
    at = queues(who="Ada", queue=first)
    assert at.button(key="next-queue").label == texts.next_queue_text("**second**")
    at.button(key="next-queue").click().run()
    assert str(second) in at.query_params["queue"]
    assert component(at, "queue-keys")["at"] == 0
    at = queues(who="Ada")
    assert texts.FINISHED.format(1) in [box.label for box in at.expander]


def test_an_adjudicator_is_shown_what_the_reviewers_said(store):
    queue = Queues(store).build("both", created_by="Zoe", order="document", reviews=2).id
    for name, label in (("Ada", "supported"), ("Bob", "contradicted")):
        ReviewTaskService(store).decide(
            queue, name, 0, LabelDecision(label=label, note=f"{name} read it")
        )
    adjudication = Queues(store).build(
        "settle", ItemFilter(reviewers_differ=True), created_by="Zoe", role="adjudication"
    )
    at = queues(who="Cy", queue=adjudication.id)
    people = component(at, "queue-card")["people"]
    assert [(person["by"], person["mark"]) for person in people] == [
        ("Ada", "supported"),
        ("Bob", "contradicted"),
    ]


def test_the_end_of_a_queue_leads_to_its_disagreements_and_says_who_settles_them(store):
    queue = Queues(store).build(
        "both", created_by="Zoe", items=[("r1", "c0")], reviews=2, reviewers=["Ada", "Bob"]
    )
    for name, label in (("Ada", "supported"), ("Bob", "contradicted")):
        ReviewTaskService(store).decide(queue.id, name, 0, LabelDecision(label=label))
    at = queues(who="Ada", queue=queue.id)
    assert at.button(key="to-adjudication").label == "Settle 1 disagreement"
    at.button(key="to-adjudication").click().run()
    assert "<b>1</b> item matches" in html(at)
    assert at.selectbox(key="queue-role").value == "adjudication"
    assert texts.WHO_SETTLES in [box.value for box in at.caption]


def test_a_team_of_two_settles_its_own_disagreement(store):
    queue = Queues(store).build("both", created_by="Ada", order="document", reviews=2).id
    for name, label in (("Ada", "supported"), ("Bob", "contradicted")):
        ReviewTaskService(store).decide(queue, name, 0, LabelDecision(label=label))
    settling = Queues(store).build(
        "settle", ItemFilter(reviewers_differ=True), created_by="Ada", role="adjudication"
    )
    at = queues(who="Ada", queue=settling.id)
    assert "You labelled 1 yourself" in at.info[0].value
    assert "other reviewers" not in at.info[0].value
    at.button(key="settle").click().run()
    assert component(at, "queue-keys")["at"] == 0
    ReviewTaskService(store).decide(settling.id, "Ada", 0, LabelDecision(label="supported"))
    assert (
        queues(who="Ada", queue=settling.id).success[0].value
        == "Every item of this queue has all its reviews."
    )


def test_others_stand_beside_ones_own_label_on_the_page_of_a_run(store):
    queue = Queues(store).build("all", created_by="Zoe", order="document").id
    ReviewTaskService(store).decide(queue, "Bob", 0, LabelDecision(label="contradicted"))
    at = AppTest.from_file(APP, default_timeout=60)
    at.switch_page("pages/review.py")
    at.query_params.update({"run": "r1", "c": "c0", "who": "Ada"})
    at.run()
    press(at, "undo")
    assert component(at, "run-keys")["said"] == NOTHING_TO_UNDO
    press(at, "stay")
    press_label(at, "supported")
    card = component(at, "card")
    assert (card["label"]["by"], card["label"]["mark"]) == ("Ada", "supported")
    assert [person["by"] for person in card["people"]] == ["Bob"]
    press(at, "undo")
    assert [label.reviewer for label in store.labels("r1")] == ["Bob"]


def test_a_note_is_stored_with_the_label_that_it_is_sent_with(store):
    at = AppTest.from_file(APP, default_timeout=60)
    at.switch_page("pages/review.py")
    at.query_params.update({"run": "r1", "c": "c0", "who": "Ada"})
    at.run()
    press_label(at, "supported", note="see the table")
    assert [label.note for label in store.labels("r1")] == ["see the table"]


def test_a_queue_asks_questions_of_its_own(store):
    at = queues(who="Ada", q='{"confidence_below":0.75}')
    at.button(key="queue-field-add").click().run()
    at.text_input(key="queue-field-0-question").set_value("How <b>bad</b>?").run()
    assert "needs two to 20 different options" in at.warning[0].value
    assert at.button(key="queue-build").disabled
    at.selectbox(key="queue-field-0-kind").set_value("score").run()
    at.toggle(key="queue-field-0-required").set_value(True).run()
    at.button(key="queue-field-add").click().run()
    at.button(key="queue-field-add").click().run()
    at.button(key="queue-field-1-remove").click().run()
    at.text_input(key="queue-field-2-question").set_value("In words?")
    at.selectbox(key="queue-field-2-kind").set_value("text").run()
    at.button(key="queue-build").click().run()
    (line,) = Queues(store).list_queues()
    assert [field.to_dict() for field in line.queue.fields] == [
        {"name": "field_1", "question": "How <b>bad</b>?", "kind": "score", "low": 1, "high": 5,
         "required": True},
        {"name": line.queue.fields[1].name, "question": "In words?", "kind": "text",
         "required": False},
    ]  # fmt: skip
    at = queues(who="Ada", queue=line.queue.id)
    assert component(at, "queue-keys")["fields"][0]["question"] == "How <b>bad</b>?"
    press(at, "label", key="queue-keys", label="supported", answers={})
    assert "needs an answer" in component(at, "queue-keys")["said"]
    press(at, "label", key="queue-keys", label="supported", answers={"field_1": 4})
    (label,) = store.all_labels()
    assert label.answers_to(line.queue.id) == {"field_1": 4}
    again = queues(who="Zoe", q=json.dumps({"queue": line.queue.id}))
    assert again.text_input(key="queue-field-0-question").value == "How <b>bad</b>?"


def test_a_queue_without_questions_sends_nothing_of_them(store):
    queue = Queues(store).build("to do", created_by="Zoe").id
    assert not {"fields", "answers"} & set(component(queues(who="Ada", queue=queue), "queue-keys"))
