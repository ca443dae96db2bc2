"""The list of references and the card of one: no frames, text nodes only, code in `assets/`."""

from collections.abc import Callable

import streamlit as st

from workbench.interfaces.web.components import asset, when_sent
from workbench.records.text import JsonDict

_LIST = st.components.v2.component(
    "workbench_references",
    html='<div class="references"></div>',
    css=asset("references.css"),
    js=asset("references.js"),
)
_CARD = st.components.v2.component(
    "workbench_reference_card",
    html='<article class="card" tabindex="0"></article>',
    css=asset("reference_card.css"),
    js=asset("reference_card.js"),
)


def entries(
    data: JsonDict,
    key: str,
    *,
    on_entry: Callable[[int], None],
    on_citation: Callable[[str], None],
    on_page: Callable[[int], None],
) -> None:
    """The list; `on_entry` gets a position, `on_citation` an id, `on_page` a page's number."""

    def value_of(name: str) -> str:
        return str(getattr(st.session_state[key], name))

    _LIST(
        data=data,
        key=key,
        on_entry_change=lambda: on_entry(int(value_of("entry"))),
        on_citation_change=lambda: on_citation(value_of("citation")),
        on_page_change=lambda: on_page(int(value_of("page"))),
        height="content",
    )


def entry_card(data: JsonDict, key: str, on_citation: Callable[[str], None]) -> None:
    """The card of one entry; `on_citation` gets the id of a citation that points at it."""
    _CARD(
        data=data,
        key=key,
        on_citation_change=when_sent(key, "citation", str, on_citation),
        height="content",
    )
