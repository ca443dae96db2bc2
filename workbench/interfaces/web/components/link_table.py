"""Tables and figures whose numbers are links; their code in `assets/`, text nodes only."""

from collections.abc import Callable, Sequence

import streamlit as st

from workbench.interfaces.web import session
from workbench.interfaces.web.components import asset
from workbench.interfaces.web.links import figures_data, links_of, table_data
from workbench.presentation.escape import escape_markdown
from workbench.presentation.tables import Cell, Link, Table

_TABLE = st.components.v2.component(
    "workbench_link_table",
    html='<div class="wrap"></div>',
    css=asset("link_table.css"),
    js=asset("link_table.js"),
)


def render_table(
    table: Table,
    key: str,
    on_pick: Callable[[Link], None] | None = None,
    on_select: Callable[[frozenset[str]], None] | None = None,
) -> None:
    """Draw a table and its note; a link in it is followed within the session, or given to `on_pick`.

    `on_select` is called with the ids of the selected rows, where the table has checkboxes.
    """

    def followed() -> None:
        _follow(links_of(table.rows), key, on_pick or session.navigate)

    def selected() -> None:
        sent = st.session_state[key].selected
        if on_select and table.selection and isinstance(sent, list):
            on_select(frozenset(table.selection.row_ids) & {str(row_id) for row_id in sent})

    _TABLE(
        data=table_data(table, session.url_reviewer_name()),
        key=key,
        on_followed_change=followed,
        on_selected_change=selected,
        height="content",
    )
    if table.note:
        st.caption(escape_markdown(table.note))


def render_figures(figures: Sequence[tuple[Cell, str]], key: str) -> None:
    """Draw numbers in a line, each with its word; a link is followed within the session."""

    def followed() -> None:
        _follow(links_of([[cell for cell, _ in figures]]), key, session.navigate)

    _TABLE(
        data=figures_data(figures, session.url_reviewer_name()),
        key=key,
        on_followed_change=followed,
        height="content",
    )


def _follow(links: Sequence[Link], key: str, follow: Callable[[Link], None]) -> None:
    number = int(st.session_state[key].followed)
    if 0 <= number < len(links):
        follow(links[number])
