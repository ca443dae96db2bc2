"""A part of a page that is folded at first, and computed only while it is open."""

from collections.abc import Callable

import streamlit as st


def fold(label: str, key: str, draw: Callable[[], None], *, opened: bool = False) -> None:
    """Draw an expander, and its contents by `draw` while it is open; `opened` from the start."""
    with st.expander(label, opened, key=key, on_change="rerun") as part:
        if part.open:
            draw()
