"""Under which name a reviewer works in queues: asked once, kept in the address and the session."""

import streamlit as st

from workbench.interfaces.web import session
from workbench.interfaces.web.queues import text as texts
from workbench.interfaces.web.reviewer_identity import name_field


def named() -> str:
    """The reviewer's name; empty while none was given."""
    name = session.reviewer()
    return "" if name == session.REVIEWER else name


def ask_name() -> None:
    """Draw the field for the name, where nobody has given one."""
    name_field(width=420)
    st.caption(texts.NAME_NEEDED)
