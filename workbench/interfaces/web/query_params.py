"""Choices bound to the URL: a link restores them, and Back undoes them."""

from collections.abc import Callable, Sequence

import streamlit as st


def bind_query_param(
    name: str, key: str, options: Sequence[str], default: str | None = None
) -> Callable[[], None]:
    """A callback for the widget of that key, which is initialised from the URL.

    The URL decides: it is read before each drawing, and written when the widget changes.
    A value that is not an option is replaced by the default, or the first option.
    """
    value = st.query_params.get(name)
    fallback = default if default in options else next(iter(options), None)
    st.session_state[key] = value if value in options else fallback

    def write_url() -> None:
        st.query_params[name] = str(st.session_state[key])

    return write_url


def several_from_address(
    name: str, key: str, options: Sequence[str], default: Sequence[str] = ()
) -> Callable[[], None]:
    """The same for a widget with several choices, which are repeated parameters of the URL."""
    chosen = [value for value in st.query_params.get_all(name) if value in options]
    st.session_state[key] = chosen or list(default)

    def write_url() -> None:
        st.query_params[name] = list(st.session_state[key])

    return write_url
