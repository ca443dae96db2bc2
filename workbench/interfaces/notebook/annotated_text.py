"""A text with its citations marked as the pages mark them; pure."""

from collections.abc import Mapping, Sequence

from workbench.interfaces.notebook.html import TINT, notebook_macro
from workbench.presentation.markdown_blocks import BlockTag
from workbench.presentation.markdown_inline import InlineStyle
from workbench.presentation.text_layout import block_steps, text_layout
from workbench.presentation.text_pages import TextSegment, Window, cut_windows, segment_text
from workbench.presentation.verdicts import (
    STYLES,
    CitationSign,
    Mark,
    VerdictStyle,
    citation_sign,
    worst,
)
from workbench.records.citation import Citation, Claim, Reference
from workbench.records.review import Label
from workbench.records.text import Excerpt

_EDGE = "1px solid #8886"
_HEADING = "margin:1.1em 0 .35em;font-weight:700;line-height:1.3;"
_CELL = f"padding:.3em .6em;border:{_EDGE};vertical-align:top;text-align:start;min-width:4.5em;"
_LIST = "margin:.6em 0;padding-inline-start:1.7em;"
_BLOCKS: Mapping[BlockTag, tuple[str, str]] = {
    # no headings: they would be those of the notebook
    "h1": ("div", f"{_HEADING}font-size:1.4em"),
    "h2": ("div", f"{_HEADING}font-size:1.2em"),
    "h3": ("div", f"{_HEADING}font-size:1.06em"),
    "h4": ("div", _HEADING),
    "h5": ("div", _HEADING),
    "h6": ("div", _HEADING),
    "p": ("div", "margin:.3em 0"),
    "blockquote": (
        "blockquote",
        "margin:.7em 0;padding:0 0 0 .9em;border-inline-start:3px solid #8886",
    ),
    "ul": ("ul", f"{_LIST}list-style:disc"),
    "ol": ("ol", f"{_LIST}list-style:none"),
    "li": ("li", "margin:.2em 0"),
    "table": ("table", "border-collapse:collapse;margin:.7em 0;font-size:.9em;line-height:1.4"),
    "tr": ("tr", "background:none"),
    "th": ("th", f"{_CELL}font-weight:650;background:#8881;white-space:pre-wrap"),
    "td": ("td", f"{_CELL}background:none;white-space:pre-wrap"),
    "pre": ("div", "margin:.7em 0;padding:.6em .8em;background:#8881;font:.84em/1.5 monospace"),
    "rule": ("div", f"margin:1em 0;border-top:{_EDGE}"),
}
"""The element and the style of each block."""
_STYLES: Mapping[InlineStyle, str] = {
    "strong": "font-weight:700;",
    "em": "font-style:italic;",
    "del": "text-decoration:line-through;",
    "code": "font-family:monospace;font-size:.88em;background:#8882;",
    "link": "text-decoration:underline dotted 1px;",
    "note": "vertical-align:super;font-size:.78em;line-height:1;",
    "marker": "display:inline-block;min-width:1.7em;margin-inline-start:-1.7em;white-space:pre;",
}
MOST_CHARS = 40_000
"""A longer text is cut at about this length; a notebook renders all its cells in one page."""


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
    layout = text_layout(text, first.span)
    segments = segment_text(text, first, references, layout)
    *steps, last = block_steps(layout, [segment.block for segment in segments])
    shown = [
        _segment(segment, marks, labels) | {"step": step}
        for segment, step in zip(segments, steps, strict=True)
    ]
    end: dict[str, object] = {"text": "", "style": None, "css": "", "signs": [], "step": last}
    html = notebook_macro("marked_text", [*shown, end], TINT, _BLOCKS)
    return html, first.end


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
    paragraphs = []
    for (start, end), excerpt in sorted(places.items()):
        of_claim = [
            citation for citation in citations if citation.claim and citation.claim.start == start
        ]
        paragraphs.append(
            {
                "text": excerpt.text,
                "markers": [
                    (citation.raw, STYLES[marks[citation.id]])
                    for citation in of_claim
                    if citation.end > end
                ],
                "signs": _signs([citation.id for citation in of_claim], marks, labels),
            }
        )
    return notebook_macro("marked_claims", paragraphs, TINT)


def _segment(
    segment: TextSegment, marks: Mapping[str, Mark], labels: Mapping[str, Label]
) -> dict[str, object]:
    style: VerdictStyle | None = None
    if segment.marks and not segment.wide:
        style = STYLES[worst([marks[key] for key in segment.marks])]
    css = "display:none;" if segment.hidden else ""
    css += "font-size:.87em;" if segment.reference is not None else ""
    css += "".join(_STYLES[style] for style in segment.styles)
    signs = _signs(segment.opens, marks, labels)
    return {"text": segment.text, "style": style, "css": css, "signs": signs}


def _signs(
    keys: Sequence[str], marks: Mapping[str, Mark], labels: Mapping[str, Label]
) -> list[CitationSign]:
    return [citation_sign(marks[key], labels.get(key)) for key in keys]
