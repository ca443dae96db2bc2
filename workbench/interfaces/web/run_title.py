"""Renaming a run, beside its title on the pages Review and Runs."""

import streamlit as st

from workbench.errors import WorkbenchError
from workbench.interfaces.web import session
from workbench.interfaces.web.reviewer_identity import with_name
from workbench.presentation.escape import escape_markdown
from workbench.records.comments import LONGEST_TITLE
from workbench.services.repositories import RunNames
from workbench.services.runs import rename_run


def render_rename(run_id: str, place: str) -> None:
    """Draw the field and the button that rename a run; `place` makes its keys unique on a page.

    Raises:
        StoreError: The database cannot be used.
    """
    key = f"title-{place}-{run_id}"

    def save() -> None:
        typed = str(st.session_state.get(key) or "")

        def keep(reviewer: str) -> None:
            try:
                rename_run(session.database(), run_id, typed, reviewer)
            except WorkbenchError as error:
                st.toast(escape_markdown(str(error)))

        with_name(keep)

    st.text_input(
        "Title",
        value=RunNames(session.database()).current(run_id),
        key=key,
        max_chars=LONGEST_TITLE,
        help="Leave it empty to restore the original name.",
    )
    st.button("Save title", key=f"title-{place}-save", on_click=save)
