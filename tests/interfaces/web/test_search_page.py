"""The Search page and the command search in the app, on an empty store and one with work."""

import json
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.fakes import records as make
from tests.fakes.desk import fill
from workbench.services import cached_views
from workbench.settings import load_settings
from workbench.store.queues.queues import Queues
from workbench.store.store import Store

APP = Path(__file__).parents[3] / "app.py"
HOSTILE = "<img src=x onerror=alert(1)> [x](javascript:alert(1)) :red[no]"


@pytest.fixture
def store():
    cached_views.clear_cached_views()
    store = Store(load_settings().database)
    fill(store, 4)
    fill(store, 2, "r2", labels=("not_supported",))
    store.add_label(make.label(citation_id="c0", note=f"bridge {HOSTILE}", tags=("later",)))
    return store


def open_page(**params):
    at = AppTest.from_file(APP, default_timeout=60)
    at.switch_page("pages/search.py")
    at.query_params.update(params)
    return assert_no_exception(at.run())


def assert_no_exception(at):
    assert not at.exception, [box.message for box in at.exception]
    assert not [box.value for box in at.error]
    return at


def groups(at):
    data = json.loads(at.get_by_key("search-hits").proto.json)
    return {group["kind"]: group for group in data["groups"]}


def test_an_empty_store_says_where_to_begin():
    at = open_page(q="bridge")
    assert at.info[0].value == "No runs yet, so there is nothing to search."


def test_without_words_the_page_says_what_it_finds(store):
    assert (
        "Searches outputs, claims, rationales, notes, tags, comments and source texts. All words "
        "must occur; put a phrase in quotation marks. Case and accents do not matter."
    ) in open_page().caption[0].value


def test_hits_are_grouped_by_kind_and_lead_to_the_citation(store):
    hits = groups(open_page(q="fact"))
    assert [hits[kind]["head"] for kind in hits] == ["Outputs 2", "Claims 6"]
    assert hits["claim"]["more"] == "All 6"
    first = hits["claim"]["hits"][0]
    assert first["href"].startswith("./?run=") and "&c=c" in first["href"]
    assert ["Fact", 1] in first["parts"]
    assert groups(open_page(q="bridge"))["note"]["hits"][0]["parts"][1][0] == f" {HOSTILE} later"


def test_the_address_narrows(store):
    at = open_page(q="fact", verdict="contradicted", run="r1")
    assert groups(at)["claim"]["head"] == "Claims 2"
    at.pills(key="search-in").set_value("claim").run()
    assert list(groups(assert_no_exception(at))) == ["claim"]
    assert at.query_params["in"] in ("claim", ["claim"])


def test_what_is_chosen_stands_in_the_address(store):
    at = open_page(q="fact")
    at.session_state["search-narrow"] = True
    at.run()
    at.multiselect(key="search-label").set_value(["contradicted"]).run()
    assert at.query_params["label"] in ("contradicted", ["contradicted"])
    assert groups(assert_no_exception(at))["claim"]["head"] == "Claims 1"
    assert at.text[0].value == "Filters: labelled contradicted"
    at.button(key="search-clear").click().run()
    assert "label" not in at.query_params


def test_found_nowhere_offers_the_next_step(store):
    at = open_page(q="xyzzy", reviewer="Ada")
    assert "No results for" in at.info[0].value
    at.button(key="search-everywhere").click().run()
    assert "reviewer" not in at.query_params


def test_a_queue_is_offered_of_what_was_found(store):
    at = open_page(q="fact", verdict="supported")
    (link,) = [element.proto for element in at.get("page_link") if "queue" in element.proto.label]
    assert link.page == "queues"
    assert "words" in link.query_string and "supported" in link.query_string


# -- the command search ------------------------------------------------------------------------


def listed(at):
    return json.loads(at.get_by_key("command-box").proto.json)


def start_app(**state):
    at = AppTest.from_file(APP, default_timeout=60)
    for name, value in state.items():
        at.session_state[name] = value
    return at.run()


def test_the_store_is_asked_only_when_the_dialog_opens(store):
    data = listed(assert_no_exception(start_app()))
    assert data["stored"] is None
    assert {"Check citations", "Search", "Backup & deletion", "Keys"} <= {
        line[2] for line in data["fixed"]
    }
    Queues(store).build("Doubtful", created_by="Zoe")
    at = start_app(**{"last_run": "r1", "command-asked": True})
    names = [line[2] for line in listed(at)["stored"]]
    assert names[0].startswith("[0] Fact 0 holds")
    assert {"Doubtful", "report r1", "report r2"} <= set(names)
    assert "command-asked" not in at.session_state
    without_run = start_app(**{"last_run": "gone", "command-asked": True})
    assert len(listed(without_run)["stored"]) == 3
