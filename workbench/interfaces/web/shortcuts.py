"""The list of keys and marks, over the page."""

from collections.abc import Sequence

import streamlit as st

from workbench.interfaces.web.guide import page
from workbench.interfaces.web.review import claim_boundaries, decision_details
from workbench.presentation.run_totals import legend
from workbench.presentation.verdicts import STYLES
from workbench.records import HUMAN_LABELS

KEYS = (
    *((STYLES[label].key, STYLES[label].word) for label in HUMAN_LABELS),
    ("A", "Agree with the judge"),
    ("U", "Undo the label"),
    ("J", "Next citation"),
    ("K", "Previous citation"),
    ("E", "Next quote of the evidence"),
    ("O", "Open the source at the quote"),
    ("N", "Write a note; Escape leaves it"),
    *decision_details.KEYS,
    *claim_boundaries.KEYS,
    *page.KEYS,
    ("H", "This list"),
    ("Ctrl K", "Go to a page, run, queue, citation or action, from anywhere"),
)
"""What each key does on the review page."""
QUEUE_KEYS = (
    *KEYS[:7],
    ("B", "Show the judge on the item decided last"),
    ("U", "Take back the last label or skip"),
    ("J", "Next item"),
    ("K", "Previous item"),
    ("L", "Back to the item decided last"),
    ("S", "Skip, with a reason; Escape stays"),
    ("E", "Next quote or passage"),
    *KEYS[11:],
)
"""What each key does in a queue."""


@st.dialog("Keys and marks", width="medium")
def show_keys(keys: Sequence[tuple[str, str]] = KEYS) -> None:
    """Open the list of keys and marks."""
    rows = "".join(f"<li><kbd>{key}</kbd>{does}</li>" for key, does in keys)
    st.html(f'<ul class="wb-keys">{rows}</ul>')
    st.divider()
    st.html(legend())
