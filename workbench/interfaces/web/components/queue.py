"""The components of the Queues page: no frames, text nodes only, their code in `assets/`."""

from collections.abc import Callable
from pathlib import Path

import streamlit as st

from workbench.records import JsonDict

_ASSETS = Path(__file__).parent / "assets"


def _asset(name: str) -> str:
    return (_ASSETS / name).read_text("utf-8")


_KEYS = st.components.v2.component(
    "workbench_queue_keys",
    html='<div class="desk-keys"></div>',
    css=_asset("queue_keys.css"),
    js=_asset("queue_keys.js"),
)
_STRIP = st.components.v2.component(
    "workbench_queue_strip",
    html='<div class="strip"></div>',
    css=_asset("queue_strip.css"),
    js=_asset("queue_strip.js"),
)


def keys(data: JsonDict, key: str, on_act: Callable[[object], None]) -> None:
    """The reviewer's buttons and note; `on_act` gets each press as sent by the browser."""

    def acted() -> None:
        on_act(st.session_state[key].act)

    _KEYS(data=data, key=key, on_act_change=acted, height="content")


def strip(data: JsonDict, key: str) -> None:
    """The queue's name and progress."""
    _STRIP(data=data, key=key, height="content")
