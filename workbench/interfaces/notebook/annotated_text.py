"""A text with its citations marked as the pages mark them; pure."""

from collections.abc import Mapping, Sequence

from workbench.interfaces.notebook.html import tinted
from workbench.presentation.escape import escape_html
from workbench.presentation.text_pages import TextSegment, Window, cut_windows, segment_text
from workbench.presentation.verdicts import STYLES, Mark, worst
from workbench.records import Citation, Claim, Excerpt, Label, Reference

MOST_CHARS = 40_000
"""A longer text is cut at about this length; a notebook renders all its cells in one page."""
_TEXT = (
    "white-space:pre-wrap;overflow-wrap:anywhere;max-width:78ch;unicode-bidi:plaintext;"
    "font:1.08em/1.55 Georgia,'Noto Serif','Noto Serif CJK SC',serif;margin:.5em 0;"
)


def marked_text(
    text: str,
    citations: Sequence[Citation],
    references: Sequence[Reference],
    marks: Mapping[str, Mark],
    labels: Mapping[str, Label],
) -> tuple[str, int]:
    """The text as HTML, and how many of its code points are shown."""
    windows = cut_windows(text, citations, chars=MOST_CHARS, most=len(citations) + 1)
    first: Window = windows[0]
    pieces = "".join(
        _piece(piece, marks, labels) for piece in segment_text(text, first, references)
    )
    return f'<div dir="auto" style="{_TEXT}">{pieces}</div>', first.end


def marked_claims(
    claims: Sequence[Claim],
    citations: Sequence[Citation],
    marks: Mapping[str, Mark],
    labels: Mapping[str, Label],
) -> str:
    """The cited claims as a list, for a run whose text is not available."""
    cited = [citation.claim for citation in citations if citation.claim]
    excerpts: list[Excerpt | Claim] = [*(claim for claim in claims if claim.citations), *cited]
    places = {(excerpt.start, excerpt.end): excerpt for excerpt in reversed(excerpts)}
    parts = []
    for (start, end), claim in sorted(places.items()):
        within = [
            citation for citation in citations if citation.claim and citation.claim.start == start
        ]
        words = escape_html(claim.text)
        signs = "".join(_sign(citation.id, marks, labels) for citation in within)
        names = " ".join(
            _marker(citation.raw, [citation.id], marks) for citation in within if citation.end > end
        )
        parts.append(f'<p dir="auto" style="margin:.4em 0">{words} {names}{signs}</p>')
    return f'<div style="{_TEXT}">{"".join(parts)}</div>'


def _piece(piece: TextSegment, marks: Mapping[str, Mark], labels: Mapping[str, Label]) -> str:
    words = escape_html(piece.text)
    if piece.marks and not piece.wide:
        words = _marker(piece.text, piece.marks, marks)
        words += "".join(_sign(name, marks, labels) for name in piece.opens)
    style = "font-weight:700;" if piece.heading else ""
    style += "font-size:.87em;" if piece.reference is not None else ""
    return f'<span style="{style}">{words}</span>' if style else words


def _marker(text: str, names: Sequence[str], marks: Mapping[str, Mark]) -> str:
    style = STYLES[worst([marks[name] for name in names])]
    return f'<span style="{tinted(style)}border-radius:3px" title="{style.word}">{escape_html(text)}</span>'


def _sign(name: str, marks: Mapping[str, Mark], labels: Mapping[str, Label]) -> str:
    style = STYLES[marks[name]]
    label = labels.get(name)
    human = STYLES[label.label] if label else None
    glyphs = style.glyph + (f"→{human.glyph}" if human and human.mark != style.mark else "")
    ring = "box-shadow:0 0 0 1px currentColor;border-radius:99px;" if human else ""
    description = style.word + (f"; reviewer: {human.word}" if human else "")
    return (
        f'<sup style="font:600 .7em/1 system-ui,sans-serif;padding:0 .2em;{ring}" '
        f'title="{description}" aria-label="{description}">{glyphs}</sup>'
    )
