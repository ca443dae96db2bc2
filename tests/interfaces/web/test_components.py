"""What a component of the page sends, and what becomes of it."""

from types import SimpleNamespace

import pytest
import streamlit as st

from workbench.interfaces.web.components import when_sent


@pytest.fixture
def session_state(monkeypatch):
    state = {}
    monkeypatch.setattr(st, "session_state", state)
    return state


@pytest.mark.parametrize("state", [{}, {"name": SimpleNamespace(kept=None)}])
def test_what_arrives_after_its_component_has_gone_does_nothing(session_state, state):
    session_state.update(state)
    names = []
    when_sent("name", "kept", str, names.append)()
    assert names == []


def test_what_was_sent_is_handed_on_in_its_type(session_state):
    session_state["table"] = SimpleNamespace(followed=3.0, kept="")
    sent = []
    when_sent("table", "followed", int, sent.append)()
    when_sent("table", "kept", str, sent.append)()
    assert sent == [3, ""]
    assert isinstance(sent[0], int)
