"""The reviewer's name in the browser's own storage: kept across reloads, sent nowhere else."""

from collections.abc import Callable
from pathlib import Path

import streamlit as st

from workbench.records import JsonDict

_NAME = st.components.v2.component(
    "workbench_name",
    html='<span class="name" hidden></span>',
    js=(Path(__file__).parent / "assets" / "name.js").read_text("utf-8"),
)


def browser_name(
    *, keep: str | None, ask: bool, field: str, on_kept: Callable[[str], None], key: str
) -> None:
    """Store a name in the browser, or report the stored one.

    Args:
        keep: The name that was typed in this session; empty if it was removed; None if
            nothing was typed.
        ask: Whether there is no name yet.
        field: Key of the field that asks for the name and gets the focus, while it is open.
        on_kept: Gets the name stored in the browser, once per session, if `ask` is set.
        key: Of this component.
    """

    def report_name() -> None:
        on_kept(str(st.session_state[key].kept))

    data: JsonDict = {"keep": keep, "ask": ask, "field": field}
    _NAME(data=data, key=key, on_kept_change=report_name, height="content")
