"""The Prompts page: prompts of judges, tried on labelled examples, compared, optimised."""

from collections.abc import Callable, Mapping

import streamlit as st

from workbench.interfaces.web import session
from workbench.interfaces.web.prompts import text as texts
from workbench.interfaces.web.prompts.compare import draw_compare
from workbench.interfaces.web.prompts.editor import SAID, draw_write
from workbench.interfaces.web.prompts.examples import draw_examples_view
from workbench.interfaces.web.prompts.optimize import draw_improve
from workbench.interfaces.web.prompts.trial import draw_try
from workbench.interfaces.web.prompts.versions import draw_versions
from workbench.interfaces.web.query_params import bind_query_param
from workbench.interfaces.web.reviewer_identity import draw_identity
from workbench.presentation.escape import escape_markdown
from workbench.services.database import Database

VIEWS: Mapping[str, tuple[str, Callable[[Database], None]]] = {
    "versions": ("Versions", draw_versions),
    "write": ("Write", draw_write),
    "try": ("Try", draw_try),
    "compare": ("Compare", draw_compare),
    "examples": ("Examples", draw_examples_view),
    "improve": ("Optimise", draw_improve),
}
"""By the name in the URL: the label on the page, and the function that draws it."""


def draw_prompts() -> None:
    """Draw the page.

    Raises:
        StoreError: The database cannot be used.
    """
    store = session.database()
    words, who = st.columns([72, 28], gap="large", vertical_alignment="center")
    with words:
        st.html(texts.HEAD)
    with who, st.container(horizontal=True, horizontal_alignment="right"):
        draw_identity()
    write_url = bind_query_param("view", "prompts-view", list(VIEWS), "versions")
    view = st.segmented_control(
        texts.VIEW,
        list(VIEWS),
        format_func=lambda option: VIEWS[option][0],
        key="prompts-view",
        on_change=write_url,
        required=True,
        label_visibility="collapsed",
    )
    title, message = st.session_state.get(SAID, ("", ""))
    with st.container(key="prompts-said"):
        if view == "versions" and title == st.query_params.get("prompt"):
            st.success(escape_markdown(message))
        else:
            st.session_state.pop(SAID, None)
    VIEWS[view or "versions"][1](store)
