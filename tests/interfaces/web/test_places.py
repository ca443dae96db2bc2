"""Nothing is on a page twice during a redraw: widgets keep their places."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.fakes import records as make
from tests.fakes.app_page import press, press_label
from tests.fakes.desk import fill
from tests.fakes.labelled import add_run, mixed
from tests.fakes.places import moved, places
from workbench.interfaces.web import judging_tasks
from workbench.records.text import Span
from workbench.services import cached_views
from workbench.services.claim_corrections import corrected_claims
from workbench.settings import load_settings
from workbench.store.evaluation.reference_sets import ReferenceSetRepository
from workbench.store.runs.claim_corrections import Corrections
from workbench.store.store import Store

APP = Path(__file__).parents[3] / "app.py"


@pytest.fixture
def store():
    cached_views.clear_cached_views()
    corrected_claims.clear()
    return Store(load_settings().database)


@pytest.fixture
def labelled(store):
    for number in range(8):
        add_run(store, f"r{number}", mixed(f"r{number}", 4, wrong=number % 2))
    return store


def open_page(page, name="Ada", **params):
    """A page after its first run."""
    at = AppTest.from_file(APP, default_timeout=120)
    if name:
        at.session_state["who"] = name
    at.query_params.update(params)
    at.switch_page(f"pages/{page}.py").run()
    return assert_no_exception(at)


def assert_no_exception(at):
    assert not at.exception, [box.message for box in at.exception]
    return at


def moves_while_asking(at, store, ask, name):
    """What moves when a judge is called, has answered, and the message is closed."""
    snapshots = [places(at)]
    at.button(key=ask).click().run()
    snapshots.append(places(assert_no_exception(at)))
    assert judging_tasks.find(store.path, name).ended.wait(60)
    at.run()
    snapshots.append(places(assert_no_exception(at)))
    at.button(key=f"asked-close-{name}").click().run()
    snapshots.append(places(assert_no_exception(at)))
    return [moved(before, after) for before in snapshots for after in snapshots]


def assert_nothing_moved(moves_by_step):
    assert [moves for moves in moves_by_step if moves] == []


def test_a_key_that_stands_elsewhere_is_seen():
    def draw():
        import streamlit as st

        if st.button("Close", key="close"):
            st.session_state["closed"] = True
        if not st.session_state.get("closed"):
            st.success("Done")
        with st.container(key="row"):
            st.button("Ask", key="ask")

    at = AppTest.from_function(draw, default_timeout=120).run()
    places_before = places(at)
    places_after = places(at.button(key="close").click().run())
    assert moved(places_before, places_after) == {
        "row": ((0, 2), (0, 1)),
        "ask": ((0, 2, 0), (0, 1, 0)),
    }


def test_drift_asks_a_judge_again_and_again(labelled):
    at = open_page("trust", drift="true")
    at.text_input(key="drift-name").set_value("Spring")
    at.button(key="drift-freeze-now").click().run()
    (reference_set,) = ReferenceSetRepository(labelled).all()
    for number in (1, 2):
        assert_nothing_moved(
            moves_while_asking(at, labelled, "drift-ask", f"drift-{reference_set.id}")
        )
        assert f"drift-first-{reference_set.id}.{number}" in places(at)


def test_calibrate_saves_queues_and_asks(labelled):
    add_run(labelled, "late", mixed("late", 4), judge=())
    at = open_page("trust", calibration="true")
    at.selectbox(key="calibrate-aim").set_value("cost").run()
    places_before = places(at)
    for button in ("calibrate-save", "calibrate-random", "calibrate-next"):
        at.button(key=button).click().run()
        assert at.success or at.warning
        assert_nothing_moved([moved(places_before, places(assert_no_exception(at)))])
    at.session_state["calibrate-missing-local"] = True
    at.run()
    assert_nothing_moved(moves_while_asking(at, labelled, "calibrate-ask-local", "calibrate-local"))


def test_a_corrected_claim_moves_no_button(store):
    fill(store, 3)
    at = open_page("review", run="r1", c="c0")
    places_before = places(at)
    start = store.get_run("r1").citations[0].citation.claim.start
    Corrections(store).correct("r1", "c0", Span(start, start + 4), "Ada")
    corrected_claims.clear()
    at.run()
    assert "claim-state" in places(at)
    assert_nothing_moved([moved(places_before, places(assert_no_exception(at)))])
    press(at, "next")
    assert "claim-state" not in places(at)
    assert_nothing_moved([moved(places_before, places(assert_no_exception(at)))])


def test_what_an_erasure_says_moves_nothing(store):
    fill(store, 3)
    fill(store, 2, "r2")
    store.add_label(make.label(citation_id="c0"))
    at = open_page("keep", erase="r1")
    places_before = places(at)
    at.text_input(key="erase-sure").set_value("delete").run()
    at.button(key="erase").click().run()
    assert at.success
    assert_nothing_moved([moved(places_before, places(assert_no_exception(at)))])


def test_what_is_said_of_a_policy_moves_nothing(labelled):
    at = open_page("policy")
    at.session_state["policy-edit"] = True
    at.run()
    places_before = places(at)
    for name in ("legal", "ours-1"):
        at.text_input(key="policy-name").set_value(name).run()
        at.button(key="policy-save").click().run()
        assert_nothing_moved([moved(places_before, places(assert_no_exception(at)))])
    assert at.success
    at.session_state["policy-draft"] = "enabled: perhaps\n"
    at.run()
    assert_nothing_moved([moved(places_before, places(assert_no_exception(at)))])


def test_the_question_for_the_name_moves_nothing(store):
    fill(store, 3)
    at = open_page("review", name="", run="r1", c="c0")
    places_before = places(at)
    press_label(at, "supported")
    assert at.text_input(key="name-asked")
    assert_nothing_moved([moved(places_before, places(assert_no_exception(at)))])
