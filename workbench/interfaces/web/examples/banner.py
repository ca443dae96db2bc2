"""The banner over example data, with the button that removes it.

Costs one short query per rerun; four more while there are examples.
"""

import streamlit as st

from workbench.interfaces.web import session
from workbench.interfaces.web.data.text import is_confirmed
from workbench.interfaces.web.examples import text as texts
from workbench.presentation.escape import escape_html
from workbench.records import ExampleContents
from workbench.services import jobs
from workbench.services.examples import example_contents, remove_examples

_MESSAGE = "examples-removed"


def render_examples_banner(*, figures: bool = True) -> None:
    """Say that a page shows examples, and offer to remove them; nothing if there are none.

    With `figures` on pages that pool labels.

    Raises:
        StoreError: The database cannot be used.
    """
    with st.container(key="examples-banner"):
        if st.session_state.pop(_MESSAGE, False):
            st.success("The examples were removed. This workspace now contains only your own work.")
        contents = example_contents(session.database())
        if not contents.present:
            return
        words, act = st.columns([74, 26], vertical_alignment="center")
        words.info(texts.banner_text(contents, figures=figures))
        with act, st.popover("Remove the examples", width="stretch"):
            _removal(contents)


def _removal(contents: ExampleContents) -> None:
    items = "".join(f"<li>{escape_html(line)}</li>" for line in texts.removal_lines(contents))
    st.html(f'<p>This goes:</p><ul class="wb-plan">{items}</ul>')
    typed = st.text_input(
        f"The examples will not be added again at the next start. Type “{texts.REMOVE_WORD}” to continue",
        key="examples-sure",
        autocomplete="off",
    )
    confirmed = is_confirmed(str(typed or ""), texts.REMOVE_WORD)
    if st.button(texts.REMOVE_NOW, key="examples-remove", type="primary", disabled=not confirmed):
        if jobs.running():
            st.warning(texts.RUN_IN_PROGRESS)
            return
        removed = remove_examples(session.database(), session.settings().snapshots, own_work=True)
        session.forget_runs(removed)
        st.session_state[_MESSAGE] = True
        st.rerun()
