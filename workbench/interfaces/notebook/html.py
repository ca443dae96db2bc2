"""What is drawn of a record, and the pieces of HTML that all drawings share; pure.

Styles stand on the elements: a viewer that drops style sheets still shows the marks. Colours are
tints over whatever ground there is, and text keeps the notebook's own colour.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from workbench.presentation.escape import escape_html, escape_markdown, web_address
from workbench.presentation.verdicts import STYLES, Mark, VerdictStyle

FRAME = "font:14px/1.5 system-ui,'Segoe UI',Roboto,sans-serif;max-width:72rem;color:inherit"
QUIET = "opacity:.75;font-size:.9em"
_CELL = "padding:.3em .7em;border-bottom:1px solid #8886;vertical-align:top;background:none;"
_WORDS = "text-align:start;white-space:normal;overflow-wrap:anywhere;min-width:6.5em"
_NUMBERS = "text-align:end;white-space:nowrap"
TINT = "2E"
"""18 % of a colour, as two hexadecimal digits after it."""
PILL = "display:inline-block;white-space:nowrap;padding:0 .5em;border-radius:99px;"


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
    return f'<div style="{FRAME}">{"".join(parts)}</div>'


def heading(text: str) -> str:
    """A title over a drawing or a part of it."""
    return f'<p style="margin:.8em 0 .3em;font-weight:600" dir="auto">{escape_html(text)}</p>'


def caption(text: str) -> str:
    """A line in smaller print."""
    return f'<p style="margin:.3em 0;{QUIET}" dir="auto">{escape_html(text)}</p>'


def tinted(style: VerdictStyle) -> str:
    """The CSS that marks a text as a verdict does on the pages: tint and underline."""
    return (
        f"background:{style.colour}{TINT};text-decoration:{style.line} {style.colour};"
        "text-underline-offset:.18em;"
    )


def badge(mark: Mark, ring: bool = False) -> Html:
    """A verdict with glyph and word; a ring says that a person gave it."""
    style = STYLES[mark]
    around = "box-shadow:0 0 0 1.5px currentColor;" if ring else ""
    return Html(
        text=f'<span style="{PILL}{around}background:{style.colour}{TINT}">'
        f"<b>{style.glyph}</b> {style.word}</span>",
        words=f"{style.glyph} {style.word}",
    )


def linked(words: str, address: str) -> Html:
    """Words that lead to an address where it is http or https; the words alone otherwise."""
    safe = web_address(address)
    if safe is None:
        return Html(text=escape_html(words), words=words)
    return Html(
        text=f'<a style="color:inherit;text-decoration:underline" href="{escape_html(safe)}" '
        f'rel="noopener noreferrer nofollow" target="_blank">'
        f"{escape_html(words)}</a>",
        words=words,
    )


def table(head: Sequence[str], rows: Iterable[Sequence[Cell]], right: int = 0) -> str:
    """A table whose last `right` columns hold numbers."""
    first = len(head) - right

    def row(cells: Sequence[Cell], tag: str) -> str:
        return "".join(
            f'<{tag} dir="auto" style="{_CELL}{_WORDS if at < first else _NUMBERS}">'
            f"{one.text if isinstance(one, Html) else escape_html(one)}</{tag}>"
            for at, one in enumerate(cells)
        )

    body = "".join(f'<tr style="background:none">{row(cells, "td")}</tr>' for cells in rows)
    return (
        '<div style="overflow-x:auto"><table style="border-collapse:collapse;margin:.5em 0">'
        f"<thead><tr>{row(head, 'th')}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    """The same in Markdown, each cell on one line and without a meaning of its own."""

    def said(cell: Cell) -> str:
        return escape_markdown(cell.words if isinstance(cell, Html) else cell, 200)

    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    lines += ["| " + " | ".join(map(said, row)) + " |" for row in rows]
    return "\n".join(lines)
