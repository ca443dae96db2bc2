"""Who decides: a typed name in the simplest setting, the account where a login is configured."""

import json
from pathlib import Path

import pytest
from streamlit import user_info
from streamlit.runtime.secrets import secrets_singleton
from streamlit.testing.v1 import AppTest

from tests.fakes import records as make
from tests.fakes.app_page import press_label
from workbench.interfaces.web import session
from workbench.services import cached_views
from workbench.settings import load_settings
from workbench.store.store import Store

APP = Path(__file__).parents[3] / "app.py"
ADA = {"is_logged_in": True, "email": "ada@example.org", "name": "Ada", "sub": "17"}


@pytest.fixture
def store():
    cached_views.clear_cached_views()
    store = Store(load_settings().database)
    run = make.run("r1", [make.result(1), make.failure(2)])
    store.add_run(run, make.TEXT, "Bridges")
    store.finish_run(run)
    return store


@pytest.fixture
def account(monkeypatch):
    """A login is configured; the test says who is logged in."""
    facts = {"is_logged_in": False}
    monkeypatch.setattr(user_info, "_get_user_info", lambda: dict(facts))
    return facts


@pytest.fixture
def providers():
    """A file of secrets with an `[auth]` section."""

    def configure(**auth):
        secrets_singleton._secrets = {"auth": auth}

    yield configure
    secrets_singleton._secrets = None


def open_page(**params):
    at = AppTest.from_file(APP, default_timeout=60)
    at.query_params.update(params)
    at.run()
    assert not at.exception
    return at


def labelled(store):
    return [label.reviewer for label in store.labels("r1")]


@pytest.mark.parametrize(
    ("facts", "name"),
    [
        (ADA, "ada@example.org"),
        (ADA | {"email_verified": True}, "ada@example.org"),
        (ADA | {"email_verified": False, "preferred_username": "ada-l"}, "ada-l"),
        ({"is_logged_in": True, "name": "  Ada\n L. "}, "Ada L."),
        ({"is_logged_in": True, "email": "x" * 100, "sub": "17"}, "17"),
        ({"is_logged_in": True}, ""),
        ({"is_logged_in": False, "email": "ada@example.org"}, ""),
        ({}, ""),
    ],
)
def test_the_name_of_an_account(facts, name):
    assert session.account_name(facts) == name


def test_without_a_login_the_name_is_typed_once_and_stands_with_each_label(store):
    at = open_page(run="r1", c="c1")
    at.text_input(key="who").set_value("  Ada\u0000  Lovelace ").run()
    press_label(at, "supported")
    assert labelled(store) == ["Ada Lovelace"]


def test_without_a_name_nothing_is_labelled_and_the_name_is_asked_for(store):
    at = open_page(run="r1", c="c1")
    press_label(at, "supported")
    assert labelled(store) == []
    assert at.text_input(key="name-asked").label == "Your name"
    at.text_input(key="who").set_value("Ada").run()
    press_label(at, "supported")
    assert labelled(store) == ["Ada"]


def test_the_claim_is_not_corrected_without_a_name(store):
    at = open_page(run="r1", c="c1")
    at.button(key="claim-correct").click().run()
    assert at.text_input(key="name-asked")
    assert "claim_open" not in at.session_state


@pytest.mark.parametrize("page", ["trust", "calibrate", "search"])
def test_any_page_takes_the_name_in_the_address_and_passes_it_on(store, page):
    at = open_page()
    at.query_params["who"] = "Bob"
    at.switch_page(f"pages/{page}.py").run()
    assert at.session_state["who"] == "Bob"
    at.query_params.clear()
    at.query_params.update({"run": "r1", "c": "c1"})
    at.switch_page("pages/review.py").run()
    press_label(at, "supported")
    assert labelled(store) == ["Bob"]


def test_the_browser_is_asked_for_the_name_until_there_is_one(store):
    at = open_page(run="r1", c="c1")
    assert in_the_browser(at) == {"keep": None, "ask": True, "field": ""}
    at.text_input(key="who").set_value(" Ada ").run()
    assert in_the_browser(at) == {"keep": "Ada", "ask": False, "field": ""}
    at.text_input(key="who").set_value("").run()
    assert in_the_browser(at) == {"keep": "", "ask": True, "field": ""}


def test_a_name_in_the_address_is_not_kept_in_the_browser(store):
    assert in_the_browser(open_page(run="r1", who="Bob")) == {
        "keep": None,
        "ask": False,
        "field": "",
    }


def test_a_name_in_the_address_can_be_taken_away(store):
    at = open_page(run="r1", c="c1", who="Bob")
    at.text_input(key="who").set_value("").run()
    assert in_the_browser(at) == {"keep": "", "ask": True, "field": ""}
    press_label(at, "supported")
    assert labelled(store) == []


def test_the_command_search_goes_on_under_the_name(store):
    at = open_page(run="r1", c="c1", who="Ada")
    at.session_state["command-went"] = "run:r1"
    at.run()
    assert not at.exception
    assert not at.error
    assert at.session_state["who"] == "Ada"


def test_with_a_login_the_browser_keeps_no_name(store, account):
    account |= ADA
    at = open_page(run="r1")
    with pytest.raises(KeyError):
        in_the_browser(at)


def in_the_browser(at):
    return json.loads(at.get_by_key("browser-name").proto.json)


def test_a_name_in_the_address_is_taken(store):
    at = open_page(run="r1", c="c1", who="Bob")
    press_label(at, "supported")
    assert labelled(store) == ["Bob"]


def test_whoever_is_logged_in_is_the_reviewer_whatever_the_address_says(store, account):
    account |= ADA
    at = open_page(run="r1", c="c1", who="Mallory")
    assert "who" not in [field.key for field in at.text_input]
    assert "Logged in as ada@example.org" in [text.value for text in at.text]
    press_label(at, "supported")
    assert labelled(store) == ["ada@example.org"]


def test_log_out_asks_streamlit_to_end_the_session(store, account, monkeypatch):
    account |= ADA
    calls = []
    monkeypatch.setattr("streamlit.logout", lambda: calls.append("out"))
    at = open_page(run="r1", c="c1")
    at.button(key="log-out").click().run()
    assert calls == ["out"]


@pytest.mark.parametrize(
    ("auth", "buttons"),
    [
        ({"client_id": "a"}, [("log-in-", None)]),
        ({"google": {}, "acme": {}}, [("log-in-acme", "acme"), ("log-in-google", "google")]),
        ({"client_id": "a", "acme": {}}, [("log-in-", None), ("log-in-acme", "acme")]),
    ],
)
def test_with_a_login_nothing_is_shown_to_strangers(
    auth, buttons, store, account, providers, monkeypatch
):
    providers(**auth)
    login_providers = []
    monkeypatch.setattr("streamlit.login", login_providers.append)
    at = open_page(run="r1", c="c1")
    assert [button.key for button in at.button] == [key for key, _ in buttons]
    for key, _ in buttons:
        at.button(key=key).click().run()
    assert login_providers == [provider for _, provider in buttons]


def test_a_login_that_is_configured_by_half_is_told_in_a_sentence(store, account, providers):
    providers(client_id="a")
    at = open_page()
    at.button(key="log-in-").click().run()
    assert len(at.error) == 1
    assert "Traceback" not in at.error[0].value
