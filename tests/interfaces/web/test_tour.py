"""The tour: from the start page along the real pages, and out of it at any stop."""

from html import unescape

import pytest

from tests.fakes import records as make
from tests.fakes.app_page import open_app, shown_html
from workbench.interfaces.web.tour import STOPS
from workbench.services import cached_views
from workbench.services.judges import embedded_accuracy
from workbench.settings import load_settings
from workbench.store.store import Store


@pytest.fixture(autouse=True)
def store():
    cached_views.clear_cached_views()
    return Store(load_settings().database)


def shown_stop(at):
    """The text of the tour's bar; empty outside a tour."""
    bars = [text.value for text in at.markdown if f" of {len(STOPS)}). " in text.value]
    return bars[0] if bars else ""


def take_the_tour(at, **query):
    """What choosing it in the command search leads to."""
    at.session_state["tour-at"], at.session_state["tour-run"] = 0, query.get("run")
    at.query_params.update(query)
    at.run()


def test_the_start_page_says_in_a_line_what_to_do_and_who_judges():
    html = unescape(shown_html(open_app()))
    assert "Paste an AI's answer, add its sources" in html
    accuracy = embedded_accuracy()
    assert accuracy.startswith("It was right on ")
    assert f"Judge: local. {accuracy}" in html


def test_the_tour_leads_along_its_pages_and_back_to_the_form(store):
    run = make.run("run-1")
    store.add_run(run, make.TEXT)
    store.finish_run(run)
    at = open_app()
    take_the_tour(at, run=run.id)
    for stop in STOPS[1:]:
        assert not at.exception
        at.button(key="tour-next").click().run()
        assert shown_stop(at).startswith(f"**{stop.name}**")
    at.button(key="tour-next").click().run()
    assert shown_stop(at) == ""
    assert at.text_area(key="paste") is not None


def test_the_tour_ends_where_one_is():
    at = open_app()
    take_the_tour(at)
    assert shown_stop(at).startswith("**Review**")
    at.button(key="tour-next").click().run()
    at.button(key="tour-end").click().run()
    assert shown_stop(at) == ""
    assert not at.exception


def test_nothing_of_it_is_drawn_before_it_is_asked_for():
    assert shown_stop(open_app()) == ""
