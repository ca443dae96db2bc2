"""Tables and figures whose numbers are links; their code in `assets/`, text nodes only."""

from collections.abc import Callable, Sequence

import streamlit as st

from workbench.interfaces.web import session
from workbench.interfaces.web.components import asset, when_sent
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

    def selected(sent: object) -> None:
        if on_select and table.selection and isinstance(sent, list):
            on_select(frozenset(table.selection.row_ids) & {str(row_id) for row_id in sent})

    _TABLE(
        data=table_data(table, session.url_reviewer_name()),
        key=key,
        on_followed_change=_following(links_of(table.rows), key, on_pick or session.navigate),
        on_selected_change=when_sent(key, "selected", lambda sent: sent, selected),
        height="content",
    )
    if table.note:
        st.caption(escape_markdown(table.note))


def render_figures(figures: Sequence[tuple[Cell, str]], key: str) -> None:
    """Draw numbers in a line, each with its word; a link is followed within the session."""
    links = links_of([[cell for cell, _ in figures]])
    _TABLE(
        data=figures_data(figures, session.url_reviewer_name()),
        key=key,
        on_followed_change=_following(links, key, session.navigate),
        height="content",
    )


def _following(
    links: Sequence[Link], key: str, follow: Callable[[Link], None]
) -> Callable[[], None]:
    def followed(number: int) -> None:
        if 0 <= number < len(links):
            follow(links[number])

    return when_sent(key, "followed", int, followed)
