"""Choices that the address keeps: a link leads to them, and Back undoes them."""

from collections.abc import Callable, Sequence

import streamlit as st


def bind_query_param(
    name: str, key: str, options: Sequence[str], default: str | None = None
) -> Callable[[], None]:
    """A callback for the widget of that key, which begins with what the address says.

    The address is what counts: it is read before each drawing, and written when the widget moves.
    A choice that is none of the options gives way to the default, or the first of them.
    """
    value = st.query_params.get(name)
    usual = default if default in options else next(iter(options), None)
    st.session_state[key] = value if value in options else usual

    def moved() -> None:
        st.query_params[name] = str(st.session_state[key])

    return moved


def several_from_address(
    name: str, key: str, options: Sequence[str], default: Sequence[str] = ()
) -> Callable[[], None]:
    """The same for a widget with several choices, which stand in the address side by side."""
    chosen = [value for value in st.query_params.get_all(name) if value in options]
    st.session_state[key] = chosen or list(default)

    def moved() -> None:
        st.query_params[name] = list(st.session_state[key])

    return moved
