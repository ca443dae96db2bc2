"""Tables and figures whose numbers are links; their code in `assets/`, text nodes only."""

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from workbench.fronts.ui import session
from workbench.fronts.ui.escape import plain
from workbench.fronts.ui.links import Cell, Link, Table, figures_data, links_of, table_data

_ASSETS = Path(__file__).parent / "assets"
_TABLE = st.components.v2.component(
    "workbench_link_table",
    html='<div class="wrap"></div>',
    css=(_ASSETS / "link_table.css").read_text("utf-8"),
    js=(_ASSETS / "link_table.js").read_text("utf-8"),
)


def draw_table(table: Table, key: str) -> None:
    """Draw a table and its note; a link in it is followed within the session."""

    def followed() -> None:
        _follow(links_of(table.rows), key)

    _TABLE(
        data=table_data(table, session.carried_name()),
        key=key,
        on_followed_change=followed,
        height="content",
    )
    if table.note:
        st.caption(plain(table.note))


def draw_figures(figures: Sequence[tuple[Cell, str]], key: str) -> None:
    """Draw numbers in a line, each with its word; a link is followed within the session."""

    def followed() -> None:
        _follow(links_of([[cell for cell, _ in figures]]), key)

    _TABLE(
        data=figures_data(figures, session.carried_name()),
        key=key,
        on_followed_change=followed,
        height="content",
    )


def _follow(links: Sequence[Link], key: str) -> None:
    number = int(st.session_state[key].followed)
    if 0 <= number < len(links):
        session.follow(links[number])
