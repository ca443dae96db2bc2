"""A long text in parts that a browser renders at once, and each part in pieces; pure.

A piece is a run of characters with the same citations, claims and references; pieces are
contiguous, so their joined texts are exactly the part of the text.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from workbench.presentation.markdown_blocks import code_fences
from workbench.presentation.markdown_inline import InlineStyle
from workbench.presentation.text_layout import StyledRun, TextLayout
from workbench.records.citation import UNCOUNTED_KINDS, Citation, Reference, Sentence
from workbench.records.text import JsonDict, Span, Spanned, replace_surrogates

WINDOW_CHARS = 24_000
WINDOW_CITATIONS = 150
_BREAKS = ("\n\n", "\n", " ", "。")
_BLOCK_BREAK = re.compile(r"\n[ \t]*\n(?=#|(?![-*+>|]|\d{1,9}[.)])\S)")
"""Between blocks: not before an item, a row or a line of a quote, and not in indented text."""
_HEADING = re.compile(r"^#{1,6}[ \t].*$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Window(Spanned):
    """One part of a text and the citations that begin in it."""

    index: int
    span: Span
    citations: tuple[Citation, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TextSegment(Spanned):
    """Characters with the same citations, claims and reference."""

    span: Span
    text: str
    """As shown: each lone surrogate is replaced."""
    marks: tuple[str, ...] = ()
    """Ids of the citations whose marker this is, in their order."""
    claims: tuple[str, ...] = ()
    """Ids of the citations whose claim contains it."""
    opens: tuple[str, ...] = ()
    """Those of `marks` whose first piece this is."""
    wide: bool = False
    """The marks are a quote's or a statistic's, which accompany the marker that cites."""
    reference: int | None = None
    """The index of the reference entry it belongs to."""
    heading: bool = False
    """Of a text without a layout: the characters are a heading's."""
    block: int | None = None
    """The number of its block in the layout."""
    hidden: bool = False
    """Syntax of the layout, which only the raw text shows."""
    sentence: int | None = None
    """Where its sentence begins, of one that needs a citation and has none, or was corrected."""
    uncited: bool = False
    """Whether that needs a citation and has none."""
    styles: tuple[InlineStyle, ...] = ()
    address: str | None = None
    """Of a link, as written."""

    def to_dict(self) -> JsonDict:
        """Compact keys for the browser; empty values are left out."""
        data: JsonDict = {"t": self.text}
        if self.marks:
            data["m"] = list(self.marks)
        if self.opens:
            data["o"] = list(self.opens)
        if self.claims:
            data["c"] = list(self.claims)
        if self.wide:
            data["w"] = 1
        if self.reference is not None:
            data["r"] = self.reference
        if self.heading:
            data["h"] = 1
        if self.block is not None:
            data["b"] = self.block
        if self.hidden:
            data["x"] = 1
        if self.sentence is not None:
            data["n"] = self.sentence
        if self.uncited:
            data["u"] = 1
        if self.styles:
            data["s"] = list(self.styles)
        if self.address:
            data["a"] = replace_surrogates(self.address)
        return data


def cut_windows(
    text: str,
    citations: Sequence[Citation],
    chars: int = WINDOW_CHARS,
    most: int = WINDOW_CITATIONS,
) -> tuple[Window, ...]:
    """The parts of a text, at least one; no citation is cut in two, and no block if it can be.

    Args:
        text: The whole text.
        citations: Its citations; they may overlap.
        chars: Maximum length of a part, except for a citation that crosses its end.
        most: Maximum number of citations of a part, except for those that share one place.
    """
    ordered = sorted(citations, key=lambda citation: (citation.start, citation.end))
    starts = [citation.start for citation in ordered]
    windows: list[Window] = []
    fences = code_fences(text)
    start = 0
    while start < len(text) or not windows:
        end = _window_end(text, ordered, starts, start, chars, most, fences)
        within = ordered[bisect_left(starts, start) : bisect_left(starts, end)]
        if end >= len(text):
            within = ordered[bisect_left(starts, start) :]
        windows.append(Window(index=len(windows), span=Span(start, end), citations=tuple(within)))
        start = end
        if start >= len(text):
            break
    return tuple(windows)


def window_of(windows: Sequence[Window], offset: int) -> int:
    """The index of the part that contains a code point; the last part for one past the end."""
    index = bisect_right([window.start for window in windows], offset) - 1
    return min(max(index, 0), len(windows) - 1)


def segment_text(
    text: str,
    window: Window,
    references: Sequence[Reference],
    layout: TextLayout | None = None,
    sentences: Iterable[Sentence] = (),
) -> tuple[TextSegment, ...]:
    """The pieces of a part, in order, without a gap.

    A citation, of which the layout would hide every character, is shown.

    Args:
        text: The whole text.
        window: The part.
        references: The reference entries of the text.
        layout: How the part is laid out; without one nothing is hidden and headings are told.
        sentences: Those of the text; the ones without a citation that need one are marked, and
            those that somebody corrected.
    """
    spans = _spans(text, window, references, sentences, headings=layout is None)
    runs = layout.runs if layout else (StyledRun(span=window.span),)
    edges = sorted(
        {window.start, window.end, *(e for s, *_ in spans for e in (s.start, s.end))}
        | {run.start for run in runs}
    )
    opening_at: dict[int, list[int]] = {}
    closing_at: dict[int, list[int]] = {}
    for place, (span, *_) in enumerate(spans):
        opening_at.setdefault(span.start, []).append(place)
        closing_at.setdefault(span.end, []).append(place)
    active: set[int] = set()
    pieces: list[TextSegment] = []
    at = 0
    for start, end in zip(edges, edges[1:], strict=False):
        active.difference_update(closing_at.get(start, ()))
        active.update(opening_at.get(start, ()))
        while runs[at].end <= start:
            at += 1
        pieces.append(_piece(text, Span(start, end), [spans[p] for p in sorted(active)], runs[at]))
    return _with_opening_marks(_with_visible_marks(pieces), window)


def _piece(text: str, span: Span, covering: Sequence["_Role"], run: StyledRun) -> TextSegment:
    markers = tuple(name for _, role, name in covering if role == "marker")
    return TextSegment(
        span=span,
        text=replace_surrogates(span.of(text)),
        marks=markers or tuple(name for _, role, name in covering if role == "wide"),
        wide=not markers and any(role == "wide" for _, role, _ in covering),
        claims=tuple(name for _, role, name in covering if role == "claim"),
        reference=next((int(name) for _, role, name in covering if role == "reference"), None),
        heading=any(role == "heading" for _, role, _ in covering),
        block=run.block,
        hidden=run.hidden,
        sentence=next((int(name) for _, role, name in covering if role in _SENTENCES), None),
        uncited=any(role == "uncited" for _, role, _ in covering),
        styles=run.styles,
        address=run.address,
    )


def _window_end(
    text: str,
    ordered: Sequence[Citation],
    starts: Sequence[int],
    start: int,
    chars: int,
    most: int,
    fences: Sequence[Span],
) -> int:
    end = min(start + chars, len(text))
    next_start = bisect_left(starts, start) + most
    if next_start < len(starts):
        end = min(end, max(starts[next_start], start + 1))
    if end >= len(text):
        return len(text)
    end = _at_a_break(text, start, end, fences)
    # a citation across the cut moves to the next part, or is included entirely
    for citation in ordered[bisect_left(starts, start) : bisect_left(starts, end)]:
        if citation.end > end:
            end = citation.start if citation.start > start else citation.end
            break
    return min(max(end, start + 1), len(text))


def _at_a_break(text: str, start: int, end: int, fences: Sequence[Span]) -> int:
    """The last place in the second half before a heading, else between blocks, lines or words."""
    least = start + (end - start) // 2
    number = bisect_left([fence.end for fence in fences], least)
    heading = between = 0
    for gap in _BLOCK_BREAK.finditer(text, least, end):
        while number < len(fences) and fences[number].end <= gap.start():
            number += 1
        if number == len(fences) or gap.end() <= fences[number].start:
            between = gap.end()
            heading = between if text[between] == "#" else heading
    if between:
        return heading or between
    for mark in _BREAKS:
        position = text.rfind(mark, least, end)
        if position >= 0:
            return position + len(mark)
    return end


_Role = tuple[Span, str, str]
_SENTENCES = ("uncited", "corrected")


def _spans(
    text: str,
    window: Window,
    references: Sequence[Reference],
    sentences: Iterable[Sentence],
    *,
    headings: bool,
) -> list[_Role]:
    spans: list[_Role] = []
    for citation in window.citations:
        wide = citation.kind in UNCOUNTED_KINDS
        spans.append((citation.span, "wide" if wide else "marker", citation.id))
        if citation.claim:
            spans.append((citation.claim.span, "claim", citation.id))
    for index, reference in enumerate(references):
        spans.append((reference.span, "reference", str(index)))
    spans += [
        (sentence.span, "uncited" if sentence.is_uncited else "corrected", str(sentence.start))
        for sentence in sentences
        if sentence.is_uncited or sentence.corrected_by
    ]
    for match in _HEADING.finditer(text, window.start, window.end) if headings else ():
        spans.append((Span(*match.span()), "heading", ""))
    clipped = (
        (Span(max(span.start, window.start), min(span.end, window.end)), role, name)
        for span, role, name in spans
    )
    return [entry for entry in clipped if entry[0].start < entry[0].end]


def _with_visible_marks(pieces: list[TextSegment]) -> list[TextSegment]:
    """The pieces, those of a citation shown that would be hidden entirely."""
    visible = {name for piece in pieces if not piece.hidden for name in piece.marks}
    return [
        replace(piece, hidden=False)
        if piece.hidden and not visible.issuperset(piece.marks)
        else piece
        for piece in pieces
    ]


def _with_opening_marks(pieces: list[TextSegment], window: Window) -> tuple[TextSegment, ...]:
    """The pieces with `opens` set, on visible ones; a citation covered by others joins them."""
    first: dict[str, int] = {}
    for place, piece in enumerate(pieces):
        for name in () if piece.hidden else piece.marks:
            first.setdefault(name, place)
    starts = [piece.start for piece in pieces]
    covered: dict[int, list[str]] = {}
    for citation in window.citations:
        if citation.id not in first and citation.start < window.end:
            place = bisect_right(starts, citation.start) - 1
            place = next((p for p in range(place, len(pieces)) if not pieces[p].hidden), place)
            covered.setdefault(place, []).append(citation.id)
            first[citation.id] = place
    opened = []
    for place, piece in enumerate(pieces):
        marks = (*piece.marks, *covered.get(place, ()))
        opens = tuple(name for name in marks if first[name] == place)
        opened.append(replace(piece, marks=marks, opens=opens))
    return tuple(opened)
