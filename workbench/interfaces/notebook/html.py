"""How a record is rendered, and the HTML elements that all renderings share; pure.

Styles are inline: a viewer that drops style sheets still shows the marks. Colours are
tints over any background, and text keeps the notebook's own colour.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from workbench.presentation.calibration.text import ReportSentence
from workbench.presentation.escape import escape_markdown, macro, markup, web_address
from workbench.presentation.verdicts import STYLES, Mark

TINT = "2E"
"""An opacity of 18 %, as two hexadecimal digits after a colour."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RichOutput:
    """One record as a notebook shows it, in three formats."""

    html: str
    markdown: str
    plain: str

    def _repr_html_(self) -> str:
        return self.html

    def _repr_markdown_(self) -> str:
        return self.markdown

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return {
            "text/html": self.html,
            "text/markdown": self.markdown,
            "text/plain": self.plain,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Html:
    """Safe markup: our own, or escaped text."""

    text: str
    words: str
    """Its text, unescaped."""


Cell = str | Html
"""A plain string is untrusted and is escaped."""


def frame(*parts: str) -> str:
    """The outer element of a rendering."""
    return notebook_macro("frame", map(markup, parts))


def heading(text: str) -> str:
    """A title over a rendering or a section of it."""
    return notebook_macro("heading", text)


def caption(text: str) -> str:
    """A line in smaller print."""
    return notebook_macro("caption", text)


def chart(svg: str) -> str:
    """A chart next to others, as wide as the space allows."""
    return notebook_macro("chart", markup(svg))


def sentence_list(sentences: Sequence[ReportSentence]) -> str:
    """Numbered sentences; those not yet supported by the data say so."""
    return notebook_macro("sentence_list", sentences)


def badge(mark: Mark, ring: bool = False) -> Html:
    """A verdict with glyph and word; a ring means that a person gave it."""
    style = STYLES[mark]
    return Html(
        text=notebook_macro("badge", style, TINT, ring), words=f"{style.glyph} {style.word}"
    )


def linked(words: str, address: str) -> Html:
    """A link if the address is http or https; the words alone otherwise."""
    return Html(text=notebook_macro("linked", words, web_address(address)), words=words)


def table(head: Sequence[str], rows: Iterable[Sequence[Cell]], right: int = 0) -> str:
    """A table whose last `right` columns hold numbers."""
    cells = (
        [markup(cell.text) if isinstance(cell, Html) else cell for cell in row] for row in rows
    )
    return notebook_macro("table", head, cells, len(head) - right)


def notebook_macro(name: str, *arguments: object) -> str:
    """What a macro of the notebook's template renders of its arguments."""
    return macro("notebook.html.jinja", name, *arguments)


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    """The same in Markdown, each cell escaped and on one line."""

    def words(cell: Cell) -> str:
        return escape_markdown(cell.words if isinstance(cell, Html) else cell, 200)

    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    lines += ["| " + " | ".join(map(words, row)) + " |" for row in rows]
    return "\n".join(lines)
