"""The pages' own components: Python here or beside their one page, JavaScript and CSS in `assets/`."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import streamlit as st

_Sent = TypeVar("_Sent")

ASSETS = Path(__file__).parent / "assets"
"""Scripts, styles and the icon of the pages."""


def asset(name: str) -> str:
    """The text of a script or style in `assets/`."""
    return (ASSETS / name).read_text("utf-8")


def when_sent(
    key: str, name: str, kind: Callable[[Any], _Sent], does: Callable[[_Sent], object]
) -> Callable[[], None]:
    """Return the callback of a component that hands on what the browser sent under a name.

    What a component sends just as its page is left arrives when it is no longer there: then nothing
    is done, since the page that follows asks for itself.
    """

    def hand_on() -> None:
        sent = getattr(st.session_state.get(key), name, None)
        if sent is not None:
            does(kind(sent))

    return hand_on
