"""The app as Streamlit's own test driver runs it, without a browser."""

from pathlib import Path

from streamlit.testing.v1 import AppTest

import workbench

APP = Path(workbench.__file__).parents[1] / "app.py"


def opened(**params):
    """The page at an address, drawn for the reviewer Ada."""
    at = AppTest.from_file(APP, default_timeout=60)
    at.session_state["who"] = "Ada"
    at.query_params.update(params)
    at.run()
    assert not at.exception
    return at


def said(at):
    """The HTML that a page shows."""
    return " ".join(block.proto.body for block in at.get("html"))
