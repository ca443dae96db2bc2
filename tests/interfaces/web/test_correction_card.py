"""A proposed correction on the Review page, without a browser: its card, and its buttons."""

import pytest

from tests.fakes.app_page import open_app
from tests.fakes.proposals import CORRECTED, add_proposing_run
from workbench.interfaces.web.run_cache import load_review
from workbench.interfaces.web.shortcuts import KEYS, QUEUE_KEYS
from workbench.presentation.citation_card import card_data
from workbench.presentation.run_view import ReviewState
from workbench.records.corrections import CorrectionDecision
from workbench.services import cached_views
from workbench.services.claim_corrections import correction_decisions
from workbench.settings import load_settings
from workbench.store.runs.correction_decisions import CorrectionDecisionRepository
from workbench.store.store import Store

EDITED = "The bridge opened in May 1912 [1]."


@pytest.fixture
def store():
    cached_views.clear_cached_views()
    store = Store(load_settings().database)
    add_proposing_run(store)
    return store


def card(store, **fields):
    review: ReviewState = load_review(store, "r1", "Ada")
    for name, value in fields.items():
        object.__setattr__(review, name, value)
    return card_data(review, "c1", None)["correction"]


def test_the_card_marks_what_goes_and_what_comes(store):
    shown = card(store)
    assert shown["parts"] == [
        ["same", "The bridge opened in "],
        ["deleted", "1913"],
        ["inserted", "1912"],
        ["same", " [1]."],
    ]
    assert (shown["judge"], shown["decision"]) == ("local", "")
    assert card_data(load_review(store, "r1"), "c2", None)["correction"] is None


def test_the_card_tells_who_decided_what(store):
    CorrectionDecisionRepository(store).give("r1", "c1", "Bob", "edited", text=EDITED)
    shown = card(store)
    assert shown["name"] == "Correction edited and taken"
    assert shown["decision"].startswith("Bob, ")
    assert ["inserted", "May 1912"] in shown["parts"]


def test_a_verdict_that_is_hidden_hides_the_proposal(store):
    assert card(store, hidden=frozenset({"c1"})) is None


def choice(store) -> CorrectionDecision | None:
    return correction_decisions(store, "r1").get("c1")


def test_taken_edited_refused_with_a_reason_and_undone(store):
    at = open_app(run="r1", c="c1", reviewer="Ada")
    at.button(key="correction-take").click().run()
    assert choice(store).text == CORRECTED
    at.button(key="correction-refuse").click().run()
    at.text_input(key="correction-reason-r1-c1").input("It was 1912/13.").run()
    assert (choice(store).choice, choice(store).reason) == ("refused", "It was 1912/13.")
    at.button(key="correction-edit").click().run()
    at.text_area(key="correction-words").input(EDITED).run()
    at.button(key="correction-save").click().run()
    assert (choice(store).choice, choice(store).text) == ("edited", EDITED)
    at.button(key="correction-undo").click().run()
    assert choice(store).choice == "refused"


def test_a_citation_without_a_proposal_has_no_buttons(store):
    at = open_app(run="r1", c="c2", reviewer="Ada")
    assert not [button for button in at.button if button.key == "correction-take"]


def test_the_list_of_keys_names_them():
    keys = {"D", "I", "Q", "Z"}
    assert keys <= {key for key, _ in KEYS}
    assert keys <= {key for key, _ in QUEUE_KEYS}
    assert len({key for key, _ in KEYS}) == len(KEYS)
