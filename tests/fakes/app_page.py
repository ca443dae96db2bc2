"""The app as Streamlit's own test driver runs it, without a browser."""

import json
from pathlib import Path
from uuid import uuid4

from streamlit.components.v2.bidi_component.main import _make_trigger_id
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


def open_options(at):
    """The form of the start page with its options open."""
    at.session_state["options"] = True
    return at.run()


def shown_html(at):
    """The HTML that a page shows."""
    return " ".join(block.proto.body for block in at.get("html"))


def open_page(place, **params):
    """One of the files of `pages/` at an address, drawn without an error."""
    at = AppTest.from_file(APP, default_timeout=60).switch_page(f"pages/{place}.py")
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


def send(at, key, event, value):
    """What a component of the page sends, handled as Streamlit handles it from a browser."""
    states = at._tree.get_widget_states()
    trigger = states.widgets.add()
    trigger.id = _make_trigger_id(at.get_by_key(key).proto.id, "events")
    trigger.json_trigger_value = json.dumps([{"event": event, "value": value}])
    at._run(states)
    return at


def press(at, verb, key="run-keys", **more):
    """One of the reviewer's keys: `press(at, "label", label="supported", note="see page 2")`."""
    sent = {"id": uuid4().hex, "verb": verb, "at": component(at, key)["at"], **more}
    return send(at, key, "act", sent)


def press_label(at, label, note=""):
    """The key of a label on the page of a run."""
    return press(at, "label", label=label, note=note)
