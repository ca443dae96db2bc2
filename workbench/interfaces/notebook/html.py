"""What is drawn of a record, and the pieces of HTML that all drawings share; pure.

Styles stand on the elements: a viewer that drops style sheets still shows the marks. Colours are
tints over whatever ground there is, and text keeps the notebook's own colour.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from workbench.presentation.calibration.text import ReportSentence
from workbench.presentation.escape import escape_markdown, web_address
from workbench.presentation.templating import macro, markup
from workbench.presentation.verdicts import STYLES, Mark, VerdictStyle

TINT = "2E"
"""18 % of a colour, as two hexadecimal digits after it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RichOutput:
    """One record as a notebook shows it, in three forms; shows itself, too."""

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
    """Markup that is safe already: our own, or of escaped text."""

    text: str
    words: str
    """What it says, as it is."""


Cell = str | Html
"""A string is anybody's text and is escaped."""


def frame(*parts: str) -> str:
    """The whole of a drawing."""
    return _draw("frame", map(markup, parts))


def heading(text: str) -> str:
    """A title over a drawing or a part of it."""
    return _draw("heading", text)


def caption(text: str) -> str:
    """A line in smaller print."""
    return _draw("caption", text)


def chart(svg: str) -> str:
    """A chart beside others, as wide as there is room."""
    return _draw("chart", markup(svg))


def sentence_list(sentences: Sequence[ReportSentence]) -> str:
    """Numbered sentences; those that cannot be claimed yet say so."""
    return _draw("sentence_list", sentences)


def tinted(style: VerdictStyle) -> str:
    """The CSS that marks a text as a verdict does on the pages: tint and underline."""
    return (
        f"background:{style.colour}{TINT};text-decoration:{style.line} {style.colour};"
        "text-underline-offset:.18em;"
    )


def badge(mark: Mark, ring: bool = False) -> Html:
    """A verdict with glyph and word; a ring says that a person gave it."""
    style = STYLES[mark]
    return Html(text=_draw("badge", style, TINT, ring), words=f"{style.glyph} {style.word}")


def linked(words: str, address: str) -> Html:
    """Words that lead to an address where it is http or https; the words alone otherwise."""
    return Html(text=_draw("linked", words, web_address(address)), words=words)


def table(head: Sequence[str], rows: Iterable[Sequence[Cell]], right: int = 0) -> str:
    """A table whose last `right` columns hold numbers."""
    cells = (
        [markup(cell.text) if isinstance(cell, Html) else cell for cell in row] for row in rows
    )
    return _draw("table", head, cells, len(head) - right)


def _draw(name: str, *arguments: object) -> str:
    return macro("notebook.html.jinja", name, *arguments)


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    """The same in Markdown, each cell on one line and without a meaning of its own."""

    def words(cell: Cell) -> str:
        return escape_markdown(cell.words if isinstance(cell, Html) else cell, 200)

    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    lines += ["| " + " | ".join(map(words, row)) + " |" for row in rows]
    return "\n".join(lines)
