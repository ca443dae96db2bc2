"""Parts of a page that are redrawn alone."""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

import streamlit as st

from workbench.interfaces.web.error_boundary import error_boundary
from workbench.services.database import keep_open

_Arguments = ParamSpec("_Arguments")


def fragment(
    draw: Callable[_Arguments, None], *, key: str | None = None, run_every: float | None = None
) -> Callable[_Arguments, None]:
    """The same drawing function as a fragment that shows errors as a sentence.

    What one redraw reads, it reads from one opening of the database. `run_every` is in seconds.
    """

    @wraps(draw)
    def draw_from_one_opening(*args: _Arguments.args, **kwargs: _Arguments.kwargs) -> None:
        with keep_open():
            draw(*args, **kwargs)

    return st.fragment(error_boundary(draw_from_one_opening), key=key, run_every=run_every)
