"""The pages' own components: no frames, text nodes only, their code in `assets/` or shared."""

from collections.abc import Callable

import streamlit as st

from workbench.interfaces.web.components import asset, when_sent
from workbench.presentation.browser_components import CARD, DOCUMENT
from workbench.records.text import JsonDict

_DOCUMENT = st.components.v2.component(
    "workbench_document", html=DOCUMENT.html, css=DOCUMENT.css, js=DOCUMENT.js
)
_MINIMAP = st.components.v2.component(
    "workbench_minimap",
    html='<div class="map" role="slider" tabindex="0" aria-label="Citations in the text" '
    'aria-valuemin="0" aria-valuemax="0" aria-valuenow="0">'
    '<svg aria-hidden="true"></svg></div>',
    css=asset("minimap.css"),
    js=asset("minimap.js"),
)
_CARD = st.components.v2.component("workbench_card", html=CARD.html, css=CARD.css, js=CARD.js)
_JUMPS = st.components.v2.component(
    "workbench_jumps",
    html='<nav class="jumps" aria-label="On this page"><span class="at"></span>'
    '<button type="button" data-to="reading">Text</button>'
    '<button type="button" data-to="deciding">Card</button></nav>',
    css=asset("jumps.css"),
    js=asset("jumps.js"),
)


def document(
    data: JsonDict,
    key: str,
    on_pick: Callable[[str], None],
    on_part: Callable[[int], None],
    on_sentence: Callable[[int], None] = lambda start: None,
) -> None:
    """The text pane; `on_pick` gets the id of a clicked citation, `on_part` a part.

    `on_sentence` gets where a marked sentence begins whose kind is to be changed.
    """
    _DOCUMENT(
        data=data,
        key=key,
        on_picked_change=when_sent(key, "picked", str, on_pick),
        on_part_change=when_sent(key, "part", int, on_part),
        on_sentence_change=when_sent(key, "sentence", int, on_sentence),
        height="content",
    )


def minimap(data: JsonDict, key: str, on_pick: Callable[[str], None]) -> None:
    """The strip of ticks over the text; `on_pick` gets the id of the citation chosen."""
    _MINIMAP(
        data=data,
        key=key,
        on_picked_change=when_sent(key, "picked", str, on_pick),
        height="content",
    )


def card(data: JsonDict, key: str) -> None:
    """The card of one citation."""
    _CARD(data=data, key=key, height="content")


def jumps(data: JsonDict, key: str = "jumps") -> None:
    """The bar that jumps between text and card on a narrow screen; it also moves to the note."""
    _JUMPS(data=data, key=key, height="content")
