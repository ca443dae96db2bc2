"""The command search (Ctrl+K): a dialog on every page that jumps to pages, runs, citations.

It opens in the browser at once. Only then is the store read, once, for the names of runs, queues
and citations; typing searches that list in the browser, and Enter is the next thing sent here.
"""

from collections.abc import Sequence

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from workbench.errors import StoreError
from workbench.interfaces.web import session
from workbench.interfaces.web.command_palette.commands import (
    PaletteEntry,
    destination,
    fixed_entries,
    list_data,
    stored_entries,
)
from workbench.interfaces.web.components import ASSETS
from workbench.interfaces.web.fragments import fragment
from workbench.interfaces.web.reviewer_identity import must_log_in
from workbench.interfaces.web.run_cache import load_review
from workbench.interfaces.web.shortcuts import show_keys
from workbench.presentation.run_view import ReviewState
from workbench.services.runs import recent_runs_and_queues

_BOX = st.components.v2.component(
    "workbench_command",
    html='<button type="button" class="go"></button><dialog class="command"></dialog>',
    css=(ASSETS / "command.css").read_text("utf-8"),
    js=(ASSETS / "command.js").read_text("utf-8"),
)
_KEY = "command-box"
_ASKED, _CHOICE = "command-asked", "command-went"


def render_command(pages: Sequence[StreamlitPage]) -> None:
    """Draw the button of the command search; the dialog opens on Ctrl+K or Cmd+K as well."""
    if must_log_in():
        return
    with st.container(key="command"):
        fragment(_command, key="command-part")(pages)


def _command(pages: Sequence[StreamlitPage]) -> None:
    listed = [page for page in pages if getattr(page, "visibility", "visible") == "visible"]
    fixed = fixed_entries((page.url_path, page.title) for page in listed)

    def request_stored() -> None:
        st.session_state[_ASKED] = True

    def remember_choice() -> None:
        st.session_state[_CHOICE] = str(st.session_state[_KEY].went)

    stored = _stored() if st.session_state.pop(_ASKED, False) else None
    _BOX(
        data=list_data(fixed, stored),
        key=_KEY,
        on_asked_change=request_stored,
        on_went_change=remember_choice,
        height="content",
    )
    choice = st.session_state.pop(_CHOICE, None)
    if choice:
        _open_choice(choice, listed)


def _stored() -> list[PaletteEntry]:
    runs, queues = recent_runs_and_queues(session.database())
    return stored_entries(runs, queues, _current_run())


def _current_run() -> ReviewState | None:
    """The current run; None if there is none, or it was deleted."""
    run_id = session.last_run()
    try:
        return load_review(session.database(), run_id) if run_id else None
    except StoreError:
        return None


def _open_choice(choice: str, pages: Sequence[StreamlitPage]) -> None:
    if choice == "action:keys":
        show_keys()
        return
    for page in pages:
        if choice == f"page:{page.url_path}":
            st.switch_page(page)
    target = destination(choice, session.last_run())
    if target is None:
        return
    if target.leaves:
        session.leave_run()
    # the reviewer's name stays in the session; its field may keep it in the URL
    st.switch_page(f"pages/{target.page}.py", query_params=dict(target.query))
