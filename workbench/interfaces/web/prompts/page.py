"""The Prompts page: prompts of judges, tried on labelled examples, compared, optimised."""

from collections.abc import Callable, Mapping

import streamlit as st

from workbench.interfaces.web import session
from workbench.interfaces.web.examples.banner import render_examples_banner
from workbench.interfaces.web.prompts import text as texts
from workbench.interfaces.web.prompts.compare import render_compare
from workbench.interfaces.web.prompts.editor import SAID, render_editor
from workbench.interfaces.web.prompts.examples import render_examples
from workbench.interfaces.web.prompts.optimize import render_optimize
from workbench.interfaces.web.prompts.trial import render_trial
from workbench.interfaces.web.prompts.versions import render_versions
from workbench.interfaces.web.query_params import bind_query_param
from workbench.interfaces.web.reviewer_identity import render_identity
from workbench.presentation.escape import escape_markdown
from workbench.services.database import Database
from workbench.services.labelled_judging import why_no_prompt

VIEWS: Mapping[str, tuple[str, Callable[[Database], None]]] = {
    "versions": ("Versions", render_versions),
    "write": ("Write", render_editor),
    "try": ("Try", render_trial),
    "compare": ("Compare", render_compare),
    "examples": ("Examples", render_examples),
    "improve": ("Optimise", render_optimize),
}
"""By the name in the URL: the label on the page, and the function that draws it."""


def render_prompts() -> None:
    """Draw the page."""
    store = session.database()
    words, who = st.columns([72, 28], gap="large", vertical_alignment="center")
    words.html(
        '<div class="wb-head"><h1>Prompts</h1><p class="wb-quiet">Write a prompt, test '
        "it on labelled examples, compare it, and keep it if it is significantly better.</p></div>"
    )
    with who, st.container(horizontal=True, horizontal_alignment="right"):
        render_identity()
    render_examples_banner(figures=False)
    write_url = bind_query_param("view", "prompts-view", list(VIEWS), "versions")
    view = st.segmented_control(
        "View",
        list(VIEWS),
        format_func=lambda option: VIEWS[option][0],
        key="prompts-view",
        on_change=write_url,
        required=True,
        label_visibility="collapsed",
    )
    if why_no_prompt():
        st.info(texts.NO_MODEL)
    title, message = st.session_state.get(SAID, ("", ""))
    with st.container(key="prompts-said"):
        if view == "versions" and title == st.query_params.get("prompt"):
            st.success(escape_markdown(message))
        else:
            st.session_state.pop(SAID, None)
    VIEWS[view or "versions"][1](store)
