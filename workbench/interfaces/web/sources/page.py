"""The Sources page: the list, or the one source in the URL."""

import streamlit as st

from workbench.errors import StoreError
from workbench.interfaces.web import session
from workbench.interfaces.web.components.sources import STYLE
from workbench.interfaces.web.fragments import fragment
from workbench.interfaces.web.reviewer_identity import show_question
from workbench.interfaces.web.sources.data import load_sources
from workbench.interfaces.web.sources.detail import render_source
from workbench.interfaces.web.sources.list import render_list
from workbench.presentation.escape import escape_markdown
from workbench.services import jobs


def render_sources() -> None:
    """Draw the page."""
    st.html(STYLE)
    live = bool(jobs.running())
    fragment(_page, run_every=2.0 if live else None)(live)


def _page(live: bool) -> None:
    show_question()
    if live and not jobs.running():
        st.rerun()
    run_id = st.query_params.get("run")
    source_list = load_sources(session.settings(), run_id)
    if run_id and all(stamp.run_id != run_id for stamp in source_list.runs):
        raise StoreError(f"There is no run {run_id!r}; the Runs page lists all runs.")
    requested = st.query_params.get("source")
    row = next((row for row in source_list.rows if row.id == requested), None)
    if requested and row is None:
        st.warning(escape_markdown("There is no such source, or it is not in this run."))
    if row is None:
        render_list(source_list, run_id)
    else:
        render_source(source_list, row, run_id)
