"""A text with its citations marked as the pages mark them; pure."""

from collections.abc import Mapping, Sequence

from workbench.interfaces.notebook.html import TINT, notebook_macro
from workbench.presentation.text_pages import TextSegment, Window, cut_windows, segment_text
from workbench.presentation.verdicts import (
    STYLES,
    CitationSign,
    Mark,
    VerdictStyle,
    citation_sign,
    worst,
)
from workbench.records import Citation, Claim, Excerpt, Label, Reference

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
    segments = segment_text(text, first, references)
    html = notebook_macro("marked_text", [_segment(part, marks, labels) for part in segments], TINT)
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
    css = "font-weight:700;" if segment.heading else ""
    css += "font-size:.87em;" if segment.reference is not None else ""
    signs = _signs(segment.opens, marks, labels)
    return {"text": segment.text, "style": style, "css": css, "signs": signs}


def _signs(
    keys: Sequence[str], marks: Mapping[str, Mark], labels: Mapping[str, Label]
) -> list[CitationSign]:
    return [citation_sign(marks[key], labels.get(key)) for key in keys]
