"""What is being typed into one of Streamlit's text areas, told while it is typed."""

from collections.abc import Callable
from pathlib import Path

import streamlit as st

_WATCH = st.components.v2.component(
    "workbench_typing",
    html='<span class="typing" hidden></span>',
    js=(Path(__file__).parent / "assets" / "typing.js").read_text("utf-8"),
)


def watch_typing(place: str, key: str, on_typed: Callable[[str], None]) -> None:
    """Tell `on_typed` the text of a text area when typing pauses, before the field is left.

    Args:
        place: Key of the text area.
        key: Of this component.
        on_typed: Gets the whole text as it stands in the field.
    """

    def typed() -> None:
        on_typed(str(st.session_state[key].typed))

    _WATCH(data={"place": place}, key=key, on_typed_change=typed, height="content")
