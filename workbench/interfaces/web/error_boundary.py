"""Errors while a page is drawn: a sentence on the page, the details in the log."""

import logging
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

import streamlit as st

from workbench.errors import WorkbenchError, storage_error
from workbench.presentation.escape import escape_markdown

_LOG = logging.getLogger(__name__)
_Asked = ParamSpec("_Asked")


def error_boundary(draw: Callable[_Asked, None]) -> Callable[_Asked, None]:
    """The same drawing function, which shows a sentence instead of raising."""

    @wraps(draw)
    def draw_safely(*args: _Asked.args, **kwargs: _Asked.kwargs) -> None:
        try:
            draw(*args, **kwargs)
        except WorkbenchError as error:
            st.error(escape_markdown(str(error)))
        except Exception as error:
            refused = storage_error(error)
            if refused is not None:
                st.error(escape_markdown(str(refused)))
                return
            _LOG.exception("A page could not be rendered")
            st.error(
                "This section could not be displayed. No data was lost; reload the page and "
                "check the log if it persists."
            )

    return draw_safely
