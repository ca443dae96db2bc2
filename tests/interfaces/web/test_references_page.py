"""The References view of a run: what it shows, the decisions taken on it, and checks started there."""

import pytest

from tests.fakes.app_page import component, open_app, open_options, shown_html
from tests.fakes.looked_up import LIBRARY_FILE, TEXT, add_looked_up
from workbench.interfaces.web.review.reference_checking import find_check
from workbench.services import jobs
from workbench.store.bibliography.checks import ReferenceCheckRepository
from workbench.store.bibliography.labels import EntryLabelRepository

PATIENCE_S = 60


@pytest.fixture
def looked_up(store):
    add_looked_up(store)
    return store


def open_references(run="looked", **params):
    at = open_app(run=run, view="references", **params)
    assert not at.error, [box.value for box in at.error]
    return at


def parameter(at, name):
    value = at.query_params[name]
    return value[0] if isinstance(value, list) else value


def buttons(at):
    return {button.key: button for button in at.button}


def listed(at):
    return component(at, "reference-list")


def shown_card(at):
    return component(at, "reference-card")


# -- what is seen -------------------------------------------------------------------------------


def test_the_views_of_a_run_have_their_counts(looked_up):
    at = open_references()
    (views,) = [group for group in at.get("button_group") if group.key == "view"]
    words = [option.content for option in views.proto.options]
    assert words == ["Citations 5", "References 5 · 4 problems", "Matrix"]
    assert len(listed(at)["entries"]) == 5
    assert shown_card(at)["place"] == "Reference 1 of 5"
    assert "document" not in {item.key for item in at.main if item.key}


def test_the_address_chooses_entry_and_filter(looked_up):
    at = open_references(ref="3", entries="problems")
    assert [entry["index"] for entry in listed(at)["entries"]] == [1, 2, 3, 4]
    assert shown_card(at)["finding"]["word"] == "Not found in the indexes asked"
    at.button(key="entry-next").click().run()
    assert parameter(at, "ref") == "4"
    assert shown_card(at)["notice"]["word"] == "Retracted"
    at.button(key="entry-next").click().run()
    assert parameter(at, "ref") == "4"


@pytest.mark.parametrize("position", ["99", "-1", "x", ""])
def test_an_address_without_such_an_entry_shows_the_first(looked_up, position):
    assert shown_card(open_references(ref=position))["place"] == "Reference 1 of 5"


def test_citations_are_shown_without_asking_for_them(looked_up):
    at = open_app(run="looked")
    assert component(at, "document")["pieces"]
    assert "entry-agree-button" not in buttons(at)


# -- decisions ----------------------------------------------------------------------------------


def test_agreeing_decides_what_was_found(looked_up):
    decisions = []
    for position in range(5):
        at = open_references(ref=str(position))
        at.button(key="entry-agree-button").click().run()
        assert not at.exception
        decisions.append(EntryLabelRepository(looked_up).listed("looked")[-1].decision)
    assert decisions == ["exists", "differs", "differs", "fabricated", "exists"]


@pytest.mark.parametrize(
    ("reason", "decision"),
    [
        ("exists_elsewhere", "exists"),
        ("read_wrongly", "exists"),
        ("outside_indexes", "exists"),
        ("fabricated", "fabricated"),
    ],
)
def test_a_finding_is_overridden_with_a_reason(looked_up, reason, decision):
    at = open_references(ref="3")
    at.button(key=f"entry-override-{reason}").click().run()
    (label,) = EntryLabelRepository(looked_up).listed("looked")
    assert (label.position, label.decision, label.reason, label.reviewer) == (
        3, decision, reason, "Ada",
    )  # fmt: skip
    assert label.status_shown == "not_found"
    assert shown_card(at)["label"]["by"] == "Ada"
    # another session sees it
    assert listed(open_references())["entries"][3]["decision"]["word"] == (
        "The work exists" if decision == "exists" else "Fabricated"
    )


def test_decisions_are_changed_and_undone(looked_up):
    at = open_references(ref="1")
    at.button(key="entry-decide-differs").click().run()
    at.button(key="entry-decide-cannot_tell").click().run()
    assert [label.decision for label in EntryLabelRepository(looked_up).listed("looked")] == [
        "cannot_tell"
    ]
    at.button(key="entry-undo").click().run()
    assert [label.decision for label in EntryLabelRepository(looked_up).listed("looked")] == [
        "differs"
    ]
    at.button(key="entry-undo").click().run()
    assert EntryLabelRepository(looked_up).listed("looked") == []
    assert at.button(key="entry-undo").disabled


def test_a_note_is_kept_with_the_decision(looked_up):
    at = open_references(ref="1")
    at.text_input(key="entry-note-looked-1").set_value("see shelf 3").run()
    assert EntryLabelRepository(looked_up).listed("looked") == []
    at.button(key="entry-override-exists_elsewhere").click().run()
    at.text_input(key="entry-note-looked-1").set_value("see shelf 4").run()
    (label,) = EntryLabelRepository(looked_up).listed("looked")
    assert (label.note, label.reason) == ("see shelf 4", "exists_elsewhere")


def test_the_label_of_another_reviewer_stays(looked_up):
    EntryLabelRepository(looked_up).give(
        "looked", 1, "Bo", "exists", note="The year is that of the print."
    )
    at = open_references(ref="1")
    assert [person["by"] for person in shown_card(at)["people"]] == ["Bo"]
    assert at.button(key="entry-undo").disabled
    at.button(key="entry-agree-button").click().run()
    labels = {
        label.reviewer: label.decision for label in EntryLabelRepository(looked_up).listed("looked")
    }
    assert labels == {"Bo": "exists", "Ada": "differs"}


def test_the_filter_of_what_is_left_to_decide_follows_the_reviewer(looked_up):
    EntryLabelRepository(looked_up).give("looked", 0, "Ada", "exists")
    EntryLabelRepository(looked_up).give("looked", 1, "Bo", "exists")
    at = open_references(entries="undecided")
    assert [entry["index"] for entry in listed(at)["entries"]] == [1, 2, 3, 4]


# -- checking a stored run ----------------------------------------------------------------------


@pytest.fixture
def unchecked(store):
    add_looked_up(store, "old", checked=False)
    return store


def test_a_run_that_nobody_looked_up_says_so_and_takes_no_decision(unchecked):
    at = open_references("old")
    assert "These references have not been looked up yet" in shown_html(at)
    assert at.button(key="entry-agree-button").disabled
    assert at.button(key="entry-override-fabricated").disabled


def test_without_anybody_to_ask_nothing_starts(unchecked):
    at = open_app(run="old", view="references")
    at.button(key="recheck").click().run()
    assert "nothing to search" in at.error[0].value
    assert find_check(unchecked.path, "old") is None


def test_the_references_of_an_old_run_are_checked_in_ones_own_library(unchecked):
    at = open_references("old")
    at.file_uploader(key="recheck-library").upload(*LIBRARY_FILE).run()
    at.button(key="recheck").click().run()
    assert not at.exception
    assert find_check(unchecked.path, "old").ended.wait(PATIENCE_S)
    at = open_references("old")
    found = [entry["finding"]["word"] for entry in listed(at)["entries"]]
    assert found == [
        "Matches its record",
        "Described differently",
        "Another work has this identifier",
        "Not found in the indexes asked",
        "Matches its record",
    ]
    assert len(ReferenceCheckRepository(unchecked).of_run("old")) == 5
    # now they can be decided
    at.button(key="entry-agree-button").click().run()
    assert [label.decision for label in EntryLabelRepository(unchecked).listed("old")] == ["exists"]


# -- starting a run -----------------------------------------------------------------------------


def test_a_run_asks_the_library_that_comes_with_it(store):
    at = open_app()
    at.text_area(key="paste").set_value(TEXT).run()
    open_options(at)
    assert at.toggle(key="look-up").disabled, "nobody is asked without being allowed to fetch"
    at.file_uploader(key="library").upload(*LIBRARY_FILE).run()
    at.button(key="run").click().run()
    assert not at.exception
    run_id = parameter(at, "run")
    job = jobs.find(run_id)
    if job:
        assert job.ended.wait(PATIENCE_S)
    statuses = [check.status for check in store.get_run(run_id).reference_checks]
    assert statuses == ["matches", "differs", "other_work", "not_found", "matches"]


def test_a_broken_library_is_told_in_a_sentence(store):
    at = open_app()
    at.text_area(key="paste").set_value(TEXT).run()
    open_options(at).file_uploader(key="library").upload("mine.bib", b"this is no list").run()
    at.button(key="run").click().run()
    assert not at.exception
    assert "mine" in at.error[0].value
    assert store.list_runs() == []
