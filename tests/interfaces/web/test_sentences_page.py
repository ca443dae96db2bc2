"""Sentences without a citation on the pages: their kind by mouse and key, the check, their queue."""

import pytest

from tests.fakes.app_page import component, open_app, press, send, shown_html
from tests.fakes.uncited import ACCIDENTS, BELONGS, MARKER, SHIPS, add_run_with_uncited
from tests.interfaces.web.test_queue_page import queues
from workbench.records.queue import SentenceFilter
from workbench.services.runs import stored_run
from workbench.store.queues.queues import Queues
from workbench.store.runs.sentences import SentenceKinds


@pytest.fixture
def run(store):
    return add_run_with_uncited(store)


def dotted(at):
    return {piece["n"] for piece in component(at, "document")["pieces"] if piece.get("u")}


def kind(store, run, start):
    return next(s.kind for s in stored_run(store, run.id).sentences if s.start == start)


def test_a_kind_is_chosen_shown_and_undone(store, run):
    at = open_app(run=run.id, c=MARKER)
    assert dotted(at) == {BELONGS, SHIPS, ACCIDENTS}
    send(at, "document", "sentence", SHIPS)
    assert "It has two ships." in shown_html(at)
    assert at.button(key="sentence-uncited").proto.type == "primary"
    at.button(key="sentence-opinion").click().run()
    assert not at.exception
    assert kind(store, run, SHIPS) == "opinion"
    assert dotted(at) == {BELONGS, ACCIDENTS}
    assert component(at, "document")["sentences"][str(SHIPS)] == "Opinion, says Ada"
    assert "cited: 1 of 3 sentences" in shown_html(at)
    send(at, "document", "sentence", SHIPS)
    at.button(key="sentence-undo").click().run()
    assert kind(store, run, SHIPS) == "uncited"


def test_each_sentence_is_reached_from_its_neighbour(store, run):
    at = open_app(run=run.id, c=MARKER)
    send(at, "document", "sentence", BELONGS)
    at.button(key="sentence-Previous").click().run()
    assert "The ferry carried" in shown_html(at)
    assert at.button(key="sentence-Previous").disabled
    at.button(key="sentence-Next").click().run()
    assert not at.button(key="sentence-Previous").disabled


def test_uncited_sentences_are_checked_and_a_suggestion_is_taken(store, run):
    at = open_app(run=run.id, c=MARKER)
    assert at.button(key="uncited").label == "Check 3 uncited sentences"
    at.button(key="uncited").click().run()
    words = " ".join(block.value for block in at.markdown).replace("\u2060", "")
    assert "local compares 3 sentences with 1 source of the run: at most 3 judgments" in words
    assert "uncited-cap" not in {field.key for field in at.number_input}, "it costs nothing"
    at.button(key="uncited-run").click().run()
    assert at.success[0].value.startswith(
        "3 sentences compared: the judge finds 1 stated in a source, 0 contradicted."
    )
    at.button(key="uncited-close").click().run()
    send(at, "document", "sentence", BELONGS)
    assert "local finds it stated, in the source of" in at.info[0].value
    at.button(key="sentence-take").click().run()
    assert kind(store, run, BELONGS) == "cited"
    assert stored_run(store, run.id).coverage.cited_elsewhere == 1
    assert dotted(at) == {SHIPS, ACCIDENTS}


def test_a_suggestion_is_refused(store, run):
    at = open_app(run=run.id, c=MARKER)
    at.button(key="uncited").click().run()
    at.button(key="uncited-run").click().run()
    at.button(key="uncited-close").click().run()
    send(at, "document", "sentence", BELONGS)
    at.button(key="sentence-refuse").click().run()
    assert SentenceKinds(store).suggestions(run.id) == []
    assert dotted(at) == {BELONGS, SHIPS, ACCIDENTS}


def test_a_queue_of_uncited_sentences_is_drawn_up_and_worked_off(store, run):
    at = queues(who="Ada", q='{"reviewed":false}')
    at.button_group(key="queue-kind").set_value("sentences").run()
    assert "<b>3</b> items match" in shown_html(at)
    at.button(key="queue-build").click().run()
    assert not at.exception
    (line,) = Queues(store).list_queues()
    assert line.queue.sentences == SentenceFilter()
    assert "Sentences without a citation" in shown_html(at)
    at = queues(who="Ada", queue=line.queue.id)
    assert component(at, "queue-text")["now"] == BELONGS
    assert "The line belongs to the state of Ahm." in shown_html(at)
    assert "Not cited: it states something" in shown_html(at)
    press(at, "label", key="queue-keys", label="opinion")
    assert (kind(store, run, BELONGS), component(at, "queue-text")["now"]) == ("opinion", SHIPS)
    press(at, "undo", key="queue-keys")
    assert (kind(store, run, BELONGS), component(at, "queue-text")["now"]) == ("uncited", BELONGS)
    for _ in range(3):
        press(at, "label", key="queue-keys", label="uncited")
    assert at.success[0].value == "Every item of this queue has all its reviews."
