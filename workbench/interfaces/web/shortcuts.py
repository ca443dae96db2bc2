"""The dialog with the list of keys and marks."""

from collections.abc import Sequence

import streamlit as st

from workbench.interfaces.web.guide import page
from workbench.interfaces.web.review.text import (
    CLAIM_KEYS,
    CORRECTION_KEYS,
    DETAIL_KEYS,
    REFERENCE_KEYS,
    TEXT_KEYS,
)
from workbench.presentation.run_totals import legend
from workbench.presentation.verdicts import STYLES
from workbench.records.verdict import HUMAN_LABELS

KEYS = (
    *((STYLES[label].key, STYLES[label].word) for label in HUMAN_LABELS),
    ("A", "Agree with the judge"),
    ("U", "Undo your label"),
    ("J", "Next citation"),
    ("K", "Previous citation"),
    ("E", "Next quote of the evidence"),
    ("O", "Open the source at the quote"),
    ("N", "Write a note (Esc to leave)"),
    ("8", "Comment for the other reviewers (Esc to leave)"),
    *TEXT_KEYS,
    *DETAIL_KEYS,
    *CLAIM_KEYS,
    *CORRECTION_KEYS,
    *page.KEYS,
    *REFERENCE_KEYS,
    ("H", "This list"),
    ("Ctrl K", "Go to a page, run, queue, citation or action, from anywhere"),
)
"""What each key does on the review page."""
QUEUE_KEYS = (
    *KEYS[:7],
    ("B", "Show the judge's verdict on your last item"),
    ("U", "Undo your last label or skip"),
    ("J", "Next item"),
    ("K", "Previous item"),
    ("L", "Back to your last item"),
    ("S", "Skip, with a reason (Esc to stay)"),
    ("6", "Answer the queue's questions (Esc to leave)"),
    ("E", "Next quote or passage"),
    *(key for key in KEYS[11:] if key not in REFERENCE_KEYS),
)
"""What each key does in a queue."""


@st.dialog("Keyboard shortcuts and symbols", width="medium")
def show_keys(keys: Sequence[tuple[str, str]] = KEYS) -> None:
    """Open the list of keys and marks."""
    rows = "".join(f"<li><kbd>{key}</kbd>{meaning}</li>" for key, meaning in keys)
    st.html(f'<ul class="wb-keys">{rows}</ul>')
    st.divider()
    st.html(legend())
