"""Which part of the labels the Prompts page works on; the test part only once it was opened."""

from collections.abc import Sequence

import streamlit as st

from workbench.errors import UsageError
from workbench.interfaces.web import session
from workbench.interfaces.web.query_params import several_from_address
from workbench.presentation.escape import escape_markdown
from workbench.records import Split
from workbench.services.calibration.measurement import OPEN_PARTS, ensure_split
from workbench.services.database import Database
from workbench.services.splits import has_split, test_part_accesses, unlock_test_part

USUAL = ("dev",)
_OPENED = "prompts-opened"
"""Session: the split, and what for its test part was opened."""


def split_or_way(store: Database) -> Split | None:
    """The split in use; None where there are no labels yet, which the page then says.

    Raises:
        StoreError: The database cannot be used.
    """
    try:
        return ensure_split(store, session.reviewer())
    except UsageError as error:
        if has_split(store):
            raise
        st.info(escape_markdown(str(error)))
        st.caption(
            "A prompt is tried on items that people have labelled. Labels come from the Review "
            "page and queues, or from a file: `workbench import FORMAT FILE`."
        )
        st.page_link("pages/review.py", label="Go to Review")
        return None


def choose_parts(split: Split, purpose: str, key: str) -> tuple[str, ...]:
    """The parts that are worked on; the address keeps them.

    The test part is looked at after it was opened in this session for this purpose, alone.
    """
    if st.session_state.get(_OPENED) == (split.id, purpose):
        return ("test",)
    moved = several_from_address("part", f"{key}-parts", OPEN_PARTS, USUAL)
    chosen = st.segmented_control(
        "Part of the labels",
        list(OPEN_PARTS),
        selection_mode="multi",
        key=f"{key}-parts",
        on_change=moved,
        help="Choose between prompts on dev. Train is where examples come from, so a prompt with "
        "examples looks too good there.",
    )
    return tuple(part for part in OPEN_PARTS if part in chosen) or USUAL


def draw_test_part(
    store: Database, split: Split, parts: Sequence[str], purpose: str, key: str
) -> None:
    """Draw the lock on the test part: a deliberate act with a reason, which is kept and shown.

    Raises:
        StoreError: The database cannot be used.
    """
    if "test" in parts:
        st.warning("This is the test part. The look is recorded, with its reason.")
        if st.button("Close the test part", key=f"{key}-close"):
            st.session_state.pop(_OPENED, None)
            st.rerun()
        return
    looks = len(test_part_accesses(store, split.id))
    with st.popover("Open the test part", disabled=not purpose):
        st.caption(
            "Each look is recorded and shown. Choose the prompt before, not after. "
            + ("It was never opened." if not looks else f"Opened {looks:,} × so far.")
        )
        why = st.text_input("Why", key=f"{key}-why", max_chars=300)
        if st.button("Open it", key=f"{key}-open", disabled=not why.strip()):
            unlock_test_part(store, split.id, by=session.reviewer(), reason=why, purpose=purpose)
            st.session_state[_OPENED] = (split.id, purpose)
            st.rerun()
