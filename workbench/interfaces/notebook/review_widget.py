"""The widget of a review: carries messages between the browser and a `ReviewDesk`.

Its script is made of the pages' own parts and of `assets/review_widget.js`. Imported only where
anywidget is installed.
"""

import json
from pathlib import Path

import anywidget
import traitlets

from workbench.interfaces.notebook.html import RichOutput
from workbench.interfaces.notebook.review_desk import ReviewDesk
from workbench.presentation.browser_components import CARD, DESK_KEYS, DOCUMENT, BrowserComponent
from workbench.records.text import JsonDict

_ASSETS = Path(__file__).parent / "assets"
_HTML = (
    '<div class="bar"><span class="title" dir="auto"></span><span class="quiet counts"></span>'
    '<span class="quiet progress"></span><button type="button" class="who"></button></div>'
    '<form class="name" hidden><label>Your name <input type="text" autocomplete="name" '
    'maxlength="120" placeholder="Ada Lovelace"></label><button>Continue</button>'
    '<button type="button" data-act="cancel">Cancel</button>'
    '<span class="quiet">Recorded with every label you give.</span>'
    '<p class="bad" role="alert"></p></form>'
    '<div class="desk"><div class="reading"></div><div class="deciding">'
    '<div class="card-place"></div><div class="keys-place"></div></div></div>'
)


def widget_script() -> str:
    """The widget's script as one module: the parts' HTML, styles and scripts, then its own."""
    parts = {"document": DOCUMENT, "card": CARD, "buttons": DESK_KEYS}
    frame = {"html": _HTML, "css": (_ASSETS / "review_widget.css").read_text("utf-8")}
    written = [f"frame: {json.dumps(frame)}", *(_part(*part) for part in parts.items())]
    own = (_ASSETS / "review_widget.js").read_text("utf-8")
    return "const COMPONENTS = {\n" + ",\n".join(written) + "\n}\n" + own


def _part(name: str, component: BrowserComponent) -> str:
    html, css = json.dumps(component.html), json.dumps(component.css)
    return f"{name}: {{ html: {html}, css: {css}, start: {component.factory()} }}"


class ReviewWidget(anywidget.AnyWidget):
    """A run under review in a cell; front-ends without widgets show the static drawing."""

    _esm = widget_script()
    bar = traitlets.Dict().tag(sync=True)
    text = traitlets.Dict().tag(sync=True)
    marks = traitlets.Dict().tag(sync=True)
    card = traitlets.Dict().tag(sync=True)
    buttons = traitlets.Dict().tag(sync=True)

    def __init__(self, desk: ReviewDesk, drawing: RichOutput) -> None:
        self._desk, self._drawing = desk, drawing
        super().__init__(**desk.data())
        self.on_msg(self._receive)

    def _receive(self, _widget: object, message: JsonDict, _buffers: object) -> None:
        self._desk.receive(message)
        with self.hold_sync():
            for name, value in self._desk.data().items():
                self.set_trait(name, value)
        self.send({"handled": True})

    def _repr_mimebundle_(self, **_options: object) -> tuple[dict[str, object], dict[str, object]]:
        view, metadata = super()._repr_mimebundle_() or ({}, {})
        return {**view, **self._drawing._repr_mimebundle_()}, metadata
