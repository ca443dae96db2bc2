"""The Data sets page: export of labelled citations or import of examples, as the URL says."""

import streamlit as st

from workbench.interfaces.web.datasets.export import render_export
from workbench.interfaces.web.datasets.imports import render_import
from workbench.interfaces.web.datasets.text import SIDES, Side
from workbench.interfaces.web.reviewer_identity import render_identity


def render_datasets() -> None:
    """Draw the page.

    Raises:
        StoreError: The database cannot be used, or there is no such run or queue.
    """
    head, who = st.columns([70, 30], vertical_alignment="center")
    with head:
        st.html(
            '<div class="wb-head"><h1>Data sets</h1><p class="wb-quiet">Labelled '
            "citations as files for training, sharing and evaluation; labelled files as examples "
            "to review and calibrate with.</p></div>"
        )
    with who, st.container(horizontal=True, horizontal_alignment="right"):
        render_identity()
    side: Side = "in" if st.query_params.get("side") == "in" else "out"
    st.session_state["datasets-side"] = side
    st.segmented_control(
        "Direction",
        list(SIDES),
        format_func=lambda name: SIDES[name],
        key="datasets-side",
        required=True,
        on_change=_turn,
        label_visibility="collapsed",
    )
    if side == "in":
        render_import()
    else:
        render_export()


def _turn() -> None:
    if st.session_state["datasets-side"] == "in":
        st.query_params["side"] = "in"
    else:
        st.query_params.pop("side", None)
