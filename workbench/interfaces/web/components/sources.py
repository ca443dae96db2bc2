"""The components of the Sources page: no frames, text nodes only, their code in `assets/`."""

from collections.abc import Callable

import streamlit as st

from workbench.interfaces.web.components import asset, when_sent
from workbench.records.text import JsonDict

_TABLE = st.components.v2.component(
    "workbench_sources_table",
    html='<div class="wrap"><table></table></div>',
    css=asset("sources_table.css"),
    js=asset("sources_table.js"),
)
_SHEETS = st.components.v2.component(
    "workbench_sources_sheets",
    html='<div class="frame"><div class="parts" hidden></div>'
    '<div class="panes"><div class="pane"></div></div></div>',
    css=asset("sources_sheets.css") + asset("page_image.css") + asset("structure.css"),
    js=asset("page_image.js") + asset("structure.js") + asset("sources_sheets.js"),
)
_USES = st.components.v2.component(
    "workbench_sources_uses",
    html="<ul></ul>",
    css=asset("sources_uses.css"),
    js=asset("sources_uses.js"),
)
STYLE = f"<style>{asset('sources_page.css')}</style>"
"""The page's additions to the shared style sheet."""


def table(
    data: JsonDict, key: str, on_open: Callable[[str], None], on_sort: Callable[[str], None]
) -> None:
    """The list; `on_open` gets the id of a source, `on_sort` a column with `-` for descending."""
    _TABLE(
        data=data,
        key=key,
        on_opened_change=when_sent(key, "opened", str, on_open),
        on_sorted_change=when_sent(key, "sorted", str, on_sort),
        height="content",
    )


def sheets(
    data: JsonDict, key: str, on_pick: Callable[[str], None], on_part: Callable[[int], None]
) -> None:
    """The text; `on_pick` gets the id of a quote, `on_part` the number of a part."""
    _SHEETS(
        data=data,
        key=key,
        on_picked_change=when_sent(key, "picked", str, on_pick),
        on_part_change=when_sent(key, "part", int, on_part),
        height="content",
    )


def uses(
    data: JsonDict, key: str, on_review: Callable[[str], None], on_pick: Callable[[str], None]
) -> None:
    """The citations; `on_review` gets the id of one to open in Review, `on_pick` of a quote."""
    _USES(
        data=data,
        key=key,
        on_reviewed_change=when_sent(key, "reviewed", str, on_review),
        on_picked_change=when_sent(key, "picked", str, on_pick),
        height="content",
    )
