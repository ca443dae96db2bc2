"""Enter for the buttons of a table, which is drawn on a canvas and otherwise handles only the mouse."""

from pathlib import Path

import streamlit as st

_ENTER = st.components.v2.component(
    "workbench_grid_enter",
    html='<span class="enter" hidden></span>',
    js=(Path(__file__).parent / "assets" / "grid_enter.js").read_text("utf-8"),
)


def grid_enter(table: str, column: int) -> None:
    """Let Enter press the button of a table's cell; `column` counts the box for choosing as 0."""
    _ENTER(data={"place": table, "column": column}, key=f"{table}-enter")
