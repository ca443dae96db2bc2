"""The reviewer's name in queues: asked once, kept in the URL and the session."""

import streamlit as st

from workbench.interfaces.web import session
from workbench.interfaces.web.reviewer_identity import name_field


def named() -> str:
    """The reviewer's name; empty if there is none yet."""
    name = session.reviewer()
    return "" if name == session.REVIEWER else name


def ask_name() -> None:
    """Draw the field for the name, if there is none yet."""
    name_field(width=420)
    st.caption("Enter your name so your labels can be attributed to you.")
