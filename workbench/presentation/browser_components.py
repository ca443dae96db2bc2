"""The parts of a review in the browser, used by the pages and by the notebook's widget alike.

A script exports one function, which draws `data` into `parentElement`, a shadow root with the
part's HTML, and reports with `setTriggerValue(name, value)`. The notebook also passes `scope`, the
element whose keys the part takes (the pages: the whole document), and `signal`, which ends its
listening.
"""

from dataclasses import dataclass
from pathlib import Path

from workbench.presentation.text_layout import BLOCKS_CSS, BLOCKS_JS

_ASSETS = Path(__file__).parent / "assets"
_EXPORT = "export default function"


@dataclass(frozen=True, slots=True, kw_only=True)
class BrowserComponent:
    """A part of a page: its HTML without data, its style sheet and its script."""

    html: str
    css: str
    js: str

    def factory(self) -> str:
        """A JavaScript function that gives the script's function, with a state of its own."""
        head, export, rest = self.js.partition(_EXPORT)
        if not export or _EXPORT in rest:
            raise ValueError("A component's script exports one function.")
        return f"() => {{\n{head}return function{rest}\n}}"


def _asset(name: str) -> str:
    return (_ASSETS / name).read_text("utf-8")


DOCUMENT = BrowserComponent(
    html='<div class="frame"><div class="parts" hidden></div>'
    '<div class="pane" role="region" aria-label="Text" tabindex="0">'
    '<div class="text" dir="auto"></div></div></div>',
    css=_asset("document.css") + BLOCKS_CSS.read_text("utf-8"),
    js=BLOCKS_JS.read_text("utf-8") + _asset("document.js"),
)
CARD = BrowserComponent(
    html='<article class="card" tabindex="0"></article>',
    css=_asset("card.css"),
    js=_asset("card.js"),
)
DESK_KEYS = BrowserComponent(
    html='<div class="desk-keys"></div>',
    css=_asset("desk_keys.css"),
    # one script: what they define they share
    js=_asset("desk_fields.js") + _asset("desk_keys.js"),
)
