"""The strip of the Queues page: no frame, text nodes only, its code in `assets/`."""

from pathlib import Path

import streamlit as st

from workbench.records import JsonDict

_ASSETS = Path(__file__).parent / "assets"


def _asset(name: str) -> str:
    return (_ASSETS / name).read_text("utf-8")


_STRIP = st.components.v2.component(
    "workbench_queue_strip",
    html='<div class="strip"></div>',
    css=_asset("queue_strip.css"),
    js=_asset("queue_strip.js"),
)


def strip(data: JsonDict, key: str) -> None:
    """The queue's name and progress."""
    _STRIP(data=data, key=key, height="content")
