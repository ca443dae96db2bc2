"""What all pages share: the style sheet, and the check that a page is drawn inside the app."""

import runpy
from collections.abc import Callable

import streamlit as st
from streamlit import config

from workbench.interfaces.web import session
from workbench.interfaces.web.components import ASSETS
from workbench.interfaces.web.reviewer_identity import (
    must_log_in,
    recall_name,
    render_login,
    render_question,
)
from workbench.interfaces.web.tour import render_tour
from workbench.services.database import keep_open
from workbench.shipped import APP

STYLE = f"<style>{(ASSETS / 'page.css').read_text('utf-8')}</style>"
"""Our own style rules, read once; nothing is loaded from outside."""

_started = False
_SCRIPT_ALONE = "starlette-managed"
"""Streamlit's name for a server that it started itself around a script, without our checks."""


def app_started() -> None:
    """Note that the app has set its navigation, which applies to every later session."""
    global _started
    _started = True


def require_security() -> None:
    """Stop drawing in a server that checks neither `Host` nor `Origin`, and say how to start the app.

    `streamlit run` starts such a server for any file except `app.py`.
    """
    if config._server_mode == _SCRIPT_ALONE:
        st.error(
            "The workbench was started from one of its pages, without the security checks that "
            "block other sites. Stop it, and start it with `make run` or `python -m workbench "
            "serve`."
        )
        st.stop()


def draw(page: Callable[[], None]) -> None:
    """Draw a page inside the app; if a login is configured, only for logged-in users.

    Streamlit runs a file of `pages/` by itself when its URL is the very first one requested from a
    server; the app is then run in its place, and returns here with its navigation set.
    """
    if not _started:
        runpy.run_path(str(APP))
    elif must_log_in():
        render_login()
    else:
        session.run_pending_navigation()
        with st.container(key="name-place"):
            recall_name()
        render_question()
        with keep_open():
            render_tour()
            page()
