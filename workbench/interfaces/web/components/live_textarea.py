"""The text of one of Streamlit's text areas, reported while it is typed."""

from collections.abc import Callable
from pathlib import Path

import streamlit as st

_WATCH = st.components.v2.component(
    "workbench_typing",
    html='<span class="typing" hidden></span>',
    js=(Path(__file__).parent / "assets" / "typing.js").read_text("utf-8"),
)


def watch_typing(place: str, key: str, on_typed: Callable[[str], None]) -> None:
    """Pass the text of a text area to `on_typed` when typing pauses, before the field loses focus.

    Args:
        place: Key of the text area.
        key: Of this component.
        on_typed: Gets the whole text of the field.
    """

    def typed() -> None:
        on_typed(str(st.session_state[key].typed))

    _WATCH(data={"place": place}, key=key, on_typed_change=typed, height="content")
