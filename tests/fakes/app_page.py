"""The app as Streamlit's own test driver runs it, without a browser."""

import json
from pathlib import Path

from streamlit.testing.v1 import AppTest

import workbench

APP = Path(workbench.__file__).parents[1] / "app.py"


def open_app(**params):
    """The page at an address, drawn for the reviewer Ada."""
    at = AppTest.from_file(APP, default_timeout=60)
    at.session_state["who"] = "Ada"
    at.query_params.update(params)
    at.run()
    assert not at.exception
    return at


def shown_html(at):
    """The HTML that a page shows."""
    return " ".join(block.proto.body for block in at.get("html"))


def open_page(place, **params):
    """One of the files of `pages/` at an address, drawn without an error."""
    at = AppTest.from_file(APP, default_timeout=60)
    at.run()
    at.switch_page(f"pages/{place}.py")
    at.query_params.update(params)
    at.run()
    assert not at.exception, [box.message for box in at.exception]
    assert not at.error, [box.value for box in at.error]
    return at


def component(at, key):
    """The data that a component of the page receives."""
    return json.loads(at.get_by_key(key).proto.json)


def cell_texts(at, key):
    """The words of a table's cells, row by row."""
    return [[cell["text"] for cell in row] for row in component(at, key)["rows"]]
