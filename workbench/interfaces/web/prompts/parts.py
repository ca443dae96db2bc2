"""The parts of the labels that figures are of; the test part only once it was opened."""

from collections.abc import Sequence

import streamlit as st

from workbench.errors import UsageError
from workbench.interfaces.web import session
from workbench.interfaces.web.prompts import text as texts
from workbench.interfaces.web.query_params import several_from_address
from workbench.presentation.escape import escape_markdown
from workbench.records.evaluation import Split
from workbench.services.calibration import OPEN_PARTS
from workbench.services.calibration.measurement import ensure_split, has_split
from workbench.services.database import Database
from workbench.services.examples import OTHER_WORK_TEXT, refusal_to_seed, seed_examples
from workbench.services.repositories import Splits

USUAL = ("dev",)
_OPENED = "test-opened"
"""Session: the split, and the purpose for which its test part was opened."""


def split_or_way(store: Database) -> Split | None:
    """The split in use; None if there are no labels yet, which the page then says."""
    try:
        return ensure_split(store, session.reviewer())
    except UsageError as error:
        if has_split(store):
            raise
        st.info(escape_markdown(str(error)))
        st.caption(
            "Labels come from the Review page, queues, or an imported file: `workbench import "
            "FORMAT FILE`."
        )
        with st.container(horizontal=True, gap="medium", vertical_alignment="center"):
            if refusal_to_seed(store) != OTHER_WORK_TEXT:
                st.button("Load the examples", key="prompts-load", on_click=_load, args=(store,))
            st.page_link("pages/review.py", label="Go to Review")
        return None


def _load(store: Database) -> None:
    with st.spinner("Loading the examples"):
        seed_examples(store, session.settings().snapshots, again=True)


def is_opened(split: Split, purpose: str) -> bool:
    """Whether the test part was opened in this session for this purpose."""
    return st.session_state.get(_OPENED) == (split.id, purpose)


def choose_parts(split: Split, purpose: str, key: str) -> tuple[str, ...]:
    """The chosen parts, which are in the URL.

    The test part is included only once it was opened in this session for this purpose.
    """
    if is_opened(split, purpose):
        return ("test",)
    write_url = several_from_address("part", f"{key}-parts", OPEN_PARTS, USUAL)
    chosen = st.segmented_control(
        "Split",
        list(OPEN_PARTS),
        selection_mode="multi",
        key=f"{key}-parts",
        on_change=write_url,
        help="Choose between prompts on dev. Few-shot examples come from train, so results there are inflated.",
    )
    return tuple(part for part in OPEN_PARTS if part in chosen) or USUAL


def render_test_part(
    store: Database, split: Split, parts: Sequence[str], purpose: str, key: str
) -> None:
    """Draw the lock on the test part: opening it needs a reason, which is stored and shown."""
    if "test" in parts:
        st.warning("This is the test set. Your access and its reason are logged.")
        if st.button("Lock the test set", key=f"{key}-close"):
            st.session_state.pop(_OPENED, None)
            st.rerun()
        return
    accesses = len(Splits(store).openings(split.id))
    with st.popover("Unlock the test set", disabled=not purpose):
        st.caption(
            "Every access is logged. Choose the prompt, and the threshold, before unlocking, not after. "
            + (texts.NEVER_UNLOCKED if not accesses else f"Unlocked {accesses:,} times so far.")
        )
        why = st.text_input("Reason", key=f"{key}-why", max_chars=300)
        if st.button("Unlock test set", key=f"{key}-open", disabled=not why.strip()):
            Splits(store).open_test(split.id, by=session.reviewer(), reason=why, figures=purpose)
            st.session_state[_OPENED] = (split.id, purpose)
            st.rerun()
