"""The reviewer's keys on a page; what they send and draw is in `presentation.desk_keys`."""

from collections.abc import Callable

import streamlit as st

from workbench.interfaces.web.components import when_sent
from workbench.presentation.browser_components import DESK_KEYS
from workbench.records.text import JsonDict
from workbench.services.database import keep_open

_KEYS = st.components.v2.component(
    "workbench_desk_keys", html=DESK_KEYS.html, css=DESK_KEYS.css, js=DESK_KEYS.js
)


def desk_keys(data: JsonDict, key: str, on_act: Callable[[object], None]) -> None:
    """Draw the buttons and the note; `on_act` gets each press as sent by the browser."""

    def acted(sent: object) -> None:
        # the fragment is drawn right after, and reads from the same opening
        with keep_open(for_next=True):
            on_act(sent)

    sends = when_sent(key, "act", lambda sent: sent, acted)
    _KEYS(data=data, key=key, on_act_change=sends, height="content")
