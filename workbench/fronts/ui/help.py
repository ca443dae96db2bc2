"""The list of keys and marks, over the page."""

import streamlit as st

from workbench.fronts.ui import decision_details
from workbench.fronts.ui.summary import legend
from workbench.fronts.ui.verdicts import STYLES
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
    ("H", "This list"),
)
"""What each key does on the review page."""


@st.dialog("Keys and marks", width="medium")
def show_keys() -> None:
    """Open the list of keys and marks."""
    rows = "".join(f"<li><kbd>{key}</kbd>{does}</li>" for key, does in KEYS)
    st.html(f'<ul class="wb-keys">{rows}</ul>')
    st.divider()
    st.html(legend())
