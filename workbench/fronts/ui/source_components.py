"""The components of evidence and claims by hand: no frames, text nodes only."""

from collections.abc import Mapping
from pathlib import Path

import streamlit as st

_ASSETS = Path(__file__).parent / "assets"


def _asset(name: str) -> str:
    return (_ASSETS / name).read_text("utf-8")


_KEYS = st.components.v2.component(
    "workbench_widget_keys",
    html='<span class="keys" hidden></span>',
    js=_asset("widget_keys.js"),
)


def widget_keys(places: Mapping[str, str], key: str) -> None:
    """Keys that put the cursor into widgets: letter to the key of the widget's container.

    Only for widgets that Streamlit gives no shortcut; silent in text fields and over dialogs.
    """
    _KEYS(data={"places": dict(places)}, key=key, height="content")
