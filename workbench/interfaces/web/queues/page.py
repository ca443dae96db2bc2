"""The Queues page: the list with its form, or the queue in the URL."""

import streamlit as st

from workbench.errors import WorkbenchError
from workbench.interfaces.web import session
from workbench.interfaces.web.error_boundary import error_boundary
from workbench.interfaces.web.examples.banner import render_examples_banner
from workbench.interfaces.web.folds import fold
from workbench.interfaces.web.queues.form import MADE, render_form
from workbench.interfaces.web.queues.list import render_list
from workbench.interfaces.web.queues.workspace import leave_queue, render_queue
from workbench.interfaces.web.reviewer_identity import name_field, render_identity
from workbench.presentation.escape import escape_markdown
from workbench.services.examples import example_ids


def render_queues() -> None:
    """Draw the page."""
    queue_id = st.query_params.get("queue")
    reviewer = session.typed_name()
    if queue_id and reviewer:
        if queue_id in example_ids(session.database(), "queue"):
            st.caption(
                "This is an example queue: try it out. Labels given here are examples too: they "
                "are never exported, and are removed with the examples."
            )
        error_boundary(_work)(queue_id, reviewer)
        return
    words, acts = st.columns([74, 26], vertical_alignment="center")
    words.html('<div class="wb-head"><h1>Queues</h1></div>')
    if not queue_id:
        with acts, st.container(horizontal=True, horizontal_alignment="right"):
            render_identity()
    else:
        st.info("Enter your name to open this queue; it is recorded with every label you give.")
        name_field(width=420)
    render_examples_banner(figures=False)
    created = st.session_state.pop(MADE, None)
    with st.container(key="queues-said"):
        if created:
            st.success(escape_markdown(f"The queue {created!r} was created."))
    asked = "q" in st.query_params
    fold("New queue", "new-queue", lambda: render_form(reviewer), opened=asked)
    render_list(reviewer)


def _work(queue_id: str, reviewer: str) -> None:
    try:
        render_queue(queue_id, reviewer)
    except WorkbenchError:
        st.button("Back to the queues", key="to-list", on_click=leave_queue)
        raise
