"""The components of the Sources page: no frames, text nodes only, their code in `assets/`."""

from collections.abc import Callable
from pathlib import Path

import streamlit as st

from workbench.records import JsonDict

_ASSETS = Path(__file__).parent / "assets"


def _asset(name: str) -> str:
    return (_ASSETS / name).read_text("utf-8")


_TABLE = st.components.v2.component(
    "workbench_sources_table",
    html='<div class="wrap"><table></table></div>',
    css=_asset("sources_table.css"),
    js=_asset("sources_table.js"),
)
_SHEETS = st.components.v2.component(
    "workbench_sources_sheets",
    html='<div class="frame"><div class="parts" hidden></div>'
    '<div class="panes"><div class="pane"></div></div></div>',
    css=_asset("sources_sheets.css") + _asset("page_image.css") + _asset("structure.css"),
    js=_asset("page_image.js") + _asset("structure.js") + _asset("sources_sheets.js"),
)
_USES = st.components.v2.component(
    "workbench_sources_uses",
    html="<ul></ul>",
    css=_asset("sources_uses.css"),
    js=_asset("sources_uses.js"),
)
STYLE = f"<style>{_asset('sources_page.css')}</style>"
"""The page's additions to the shared style sheet."""


def table(
    data: JsonDict, key: str, on_open: Callable[[str], None], on_sort: Callable[[str], None]
) -> None:
    """The list; `on_open` gets the id of a source, `on_sort` a column with `-` for descending."""

    def opened() -> None:
        on_open(str(st.session_state[key].opened))

    def ordered() -> None:
        on_sort(str(st.session_state[key].sorted))

    _TABLE(data=data, key=key, on_opened_change=opened, on_sorted_change=ordered, height="content")


def sheets(
    data: JsonDict, key: str, on_pick: Callable[[str], None], on_part: Callable[[int], None]
) -> None:
    """The text; `on_pick` gets the id of a quote, `on_part` the number of a part."""

    def picked() -> None:
        on_pick(str(st.session_state[key].picked))

    def parted() -> None:
        on_part(int(st.session_state[key].part))

    _SHEETS(data=data, key=key, on_picked_change=picked, on_part_change=parted, height="content")


def uses(
    data: JsonDict, key: str, on_review: Callable[[str], None], on_pick: Callable[[str], None]
) -> None:
    """The citations; `on_review` gets the id of one to open in Review, `on_pick` of a quote."""

    def reviewed() -> None:
        on_review(str(st.session_state[key].reviewed))

    def picked() -> None:
        on_pick(str(st.session_state[key].picked))

    _USES(
        data=data, key=key, on_reviewed_change=reviewed, on_picked_change=picked, height="content"
    )
