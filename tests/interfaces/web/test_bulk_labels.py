"""Several citations of the list labelled in one action, and the action undone as a whole."""

import re

import pytest
from streamlit.testing.v1 import AppTest

from tests.fakes import records as make
from tests.fakes.app_page import APP, component, open_page, send
from tests.fakes.desk import fill
from workbench.services import cached_views
from workbench.settings import load_settings
from workbench.store.store import Store


@pytest.fixture
def store():
    cached_views.clear_cached_views()
    store = Store(load_settings().database)
    fill(store, 6)
    return store


def open_list(name="Ada", **params):
    at = AppTest.from_file(APP, default_timeout=60)
    if name:
        at.session_state["who"] = name
    at.switch_page("pages/items.py")
    at.query_params.update(params)
    at.run()
    assert not at.exception
    return at


def select(at, *citation_ids):
    return send(at, "items", "selected", [f"r1\n{name}" for name in citation_ids])


def label_selected(at, label, note=""):
    at.selectbox(key="items-label").set_value(label).run()
    at.text_input(key="items-note").set_value(note).run()
    return at.button(key="items-bulk-label").click().run()


def messages(at):
    return [re.sub(r"\\|\u2060", "", box.value) for box in at.success]


def labels(store, reviewer="Ada"):
    """The reviewer's current labels by citation."""
    return {
        label.citation_id: label.label for label in store.labels("r1") if label.reviewer == reviewer
    }


def test_selected_citations_get_one_label_with_its_note_as_given_with_the_verdict_in_view(store):
    at = select(open_list(), "c0", "c1", "c4")
    assert at.button(key="items-bulk-label").label == "Label 3 citations"
    assert at.button(key="items-bulk-label").disabled, "no label is chosen yet"
    label_selected(at, "not_supported", "wrong edition")
    given = store.labels("r1")
    assert {label.citation_id for label in given} == {"c0", "c1", "c4"}
    assert {(label.label, label.note, label.saw_judge) for label in given} == {
        ("not_supported", "wrong edition", True)
    }
    assert {label.citation_id: label.judge_label for label in given}["c1"] == "contradicted"
    assert messages(at) == ["Labelled 3 citations “Not supported”."]
    assert component(at, "items")["selection"]["selected"] == []
    assert at.text_input(key="items-note").value == ""


def test_citations_with_the_same_label_are_skipped_and_said(store):
    store.add_label(make.label("1", "supported", citation_id="c0", reviewer="Ada", note="p. 2"))
    store.add_label(make.label("2", "supported", citation_id="c1", reviewer="Bob"))
    at = label_selected(select(open_list(), "c0", "c1"), "supported")
    assert messages(at) == [
        "Labelled 1 citation “Supported”. 1 already had this label from you and was skipped."
    ]
    (own_label,) = [label for label in store.labels("r1") if label.id == "1"]
    assert own_label.note == "p. 2"
    assert labels(store) == {"c0": "supported", "c1": "supported"}


def test_undo_takes_back_the_whole_action_and_brings_back_what_it_replaced(store):
    store.add_label(make.label("1", "supported", citation_id="c0", reviewer="Ada"))
    at = label_selected(select(open_list(), "c0", "c1"), "contradicted")
    assert labels(store) == {"c0": "contradicted", "c1": "contradicted"}
    undo = at.button(key="items-bulk-undo")
    assert undo.label == "Undo: “Contradicted” on 2 citations"
    undo.click().run()
    assert labels(store) == {"c0": "supported"}
    assert messages(at) == ["Undone: label “Contradicted” on 2 citations."]
    assert component(at, "items")["selection"]["selected"] == ["r1\nc0", "r1\nc1"]
    assert "items-bulk-undo" not in [button.key for button in at.button]


def test_undo_leaves_a_label_that_was_changed_since_and_says_so(store):
    at = label_selected(select(open_list(), "c0", "c1"), "supported")
    (first,) = [label for label in store.labels("r1") if label.citation_id == "c0"]
    store.add_label(
        make.label("9", "cannot_tell", citation_id="c0", reviewer="Ada", replaces=first.id)
    )
    at.button(key="items-bulk-undo").click().run()
    assert labels(store) == {"c0": "cannot_tell"}
    assert messages(at) == [
        "Undone: label “Supported” on 1 citation. 1 had been changed since and was left."
    ]


def test_without_a_name_the_action_waits_for_it(store):
    at = label_selected(select(open_list(name=""), "c0", "c1"), "supported")
    assert store.labels("r1") == []
    at.text_input(key="name-asked").set_value("Grace")
    at.button(key="name-answer").click().run()
    assert labels(store, "Grace") == {"c0": "supported", "c1": "supported"}


def test_a_selection_goes_over_pages_and_ends_with_the_filter(store):
    fill(store, 60, "r2")
    at = select(open_list(), "c0", "c1")
    at.query_params["page"] = "2"
    at.run()
    assert at.button(key="items-bulk-label").label == "Label 2 citations"
    at.query_params.update(page="1", filter='{"runs":["r1"]}')
    at.run()
    assert at.button(key="items-bulk-label").disabled
    assert component(at, "items")["selection"]["selected"] == []


def test_a_row_that_is_not_on_the_page_cannot_be_selected(store):
    at = select(open_list(filter='{"verdicts":["supported"]}'), "c0", "c1")
    assert component(at, "items")["selection"]["selected"] == ["r1\nc0"]


def test_where_one_citation_is_gone_nothing_is_saved_and_the_selection_stays(store):
    at = select(open_list(), "c0", "c1")
    at.session_state["items-bulk"].selected[("r1", "gone")] = None
    label_selected(at, "supported", "as found")
    assert "has no citation" in at.error[0].value
    assert store.labels("r1") == []
    assert at.text_input(key="items-note").value == "as found"
    assert len(component(at, "items")["selection"]["selected"]) == 2


def test_other_tables_have_no_checkboxes(store):
    assert "selection" not in component(open_page("home"), "totals")
