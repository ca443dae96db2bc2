"""The components of evidence and claims by hand: no frames, text nodes only."""

from collections.abc import Callable, Mapping

import streamlit as st

from workbench.interfaces.web.components import asset
from workbench.presentation.text_layout import BLOCKS_CSS, BLOCKS_JS
from workbench.records.text import JsonDict

_KEYS = st.components.v2.component(
    "workbench_widget_keys", html='<span class="keys" hidden></span>', js=asset("widget_keys.js")
)
_SCRIPTS = ("source_places.js", "page_image.js", "structure.js", "source_page.js", "source.js")
"""One file in the browser: later ones use what earlier ones define."""

_PICKER = st.components.v2.component(
    "workbench_source",
    html='<div class="picker"><div class="parts" hidden></div>'
    '<div class="panes"><div class="pane" role="region" tabindex="0"><div class="text" dir="auto">'
    "</div></div></div>"
    '<p class="hint"></p><div class="tools"><span class="said" role="status" dir="auto"></span>'
    '<button type="button" class="take" disabled></button></div>'
    '<div class="lists"></div></div>',
    css=asset("source.css")
    + BLOCKS_CSS.read_text("utf-8")
    + asset("page_image.css")
    + asset("structure.css"),
    js=BLOCKS_JS.read_text("utf-8") + "".join(map(asset, _SCRIPTS)),
)


def picker(
    data: JsonDict,
    key: str,
    *,
    on_take: Callable[[str], None],
    on_drop: Callable[[str], None] | None = None,
    on_part: Callable[[int], None] | None = None,
    on_wrong: Callable[[str], None] | None = None,
) -> None:
    """A text to select a part of.

    Args:
        data: The result of `picking_data`.
        key: Of the component.
        on_take: Gets the selection as `start-end`, in code points of the whole text.
        on_drop: Gets the id of one of the reviewer's own selections to remove.
        on_part: Gets the number of another part of the text.
        on_wrong: Gets the id of a quote whose mark changes.
    """

    def value_of(name: str) -> str:
        return str(getattr(st.session_state[key], name))

    _PICKER(
        data=data,
        key=key,
        on_taken_change=lambda: on_take(value_of("taken")),
        on_dropped_change=lambda: on_drop(value_of("dropped")) if on_drop else None,
        on_part_change=lambda: on_part(int(value_of("part"))) if on_part else None,
        on_wrong_change=lambda: on_wrong(value_of("wrong")) if on_wrong else None,
        height="content",
    )


def widget_keys(places: Mapping[str, str], key: str, closed: str = "") -> None:
    """Keys that focus widgets: letter to the key of the widget's container.

    Only for widgets without a Streamlit shortcut; inactive in text fields and dialogs. `closed` is the
    key of a closed expander that they open first.
    """
    _KEYS(data={"places": dict(places), "closed": closed}, key=key, height="content")
