"""Choices bound to the URL: a link restores them, and Back undoes them."""

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

import streamlit as st


def bind_query_param(
    name: str, key: str, options: Sequence[str], default: str | None = None
) -> Callable[[], None]:
    """A callback for the widget of that key, which is initialised from the URL.

    The URL decides: it is read before each drawing, and written when the widget changes.
    A value that is not an option is replaced by the default, or the first option. An empty
    choice that is the default anyway is left out of the URL.
    """
    value = st.query_params.get(name)
    fallback = default if default in options else next(iter(options), None)
    st.session_state[key] = value if value in options else fallback

    def write_url() -> None:
        chosen = st.session_state[key]
        if chosen or fallback:
            st.query_params[name] = str(chosen)
        else:
            st.query_params.pop(name, None)

    return write_url


def select_in_url(
    label: str,
    name: str,
    key: str,
    words: Mapping[str, str],
    default: str | None = None,
    width: int | Literal["stretch"] = "stretch",
) -> str:
    """Draw a select box bound to the URL, its options with their words; the chosen option."""
    write_url = bind_query_param(name, key, list(words), default)
    return st.selectbox(
        label, list(words), format_func=words.__getitem__, key=key, on_change=write_url, width=width
    )


def several_from_address(
    name: str, key: str, options: Sequence[str], default: Sequence[str] = ()
) -> Callable[[], None]:
    """The same for a widget with several choices, which are repeated parameters of the URL."""
    chosen = [value for value in st.query_params.get_all(name) if value in options]
    st.session_state[key] = chosen or list(default)

    def write_url() -> None:
        st.query_params[name] = list(st.session_state[key])

    return write_url
