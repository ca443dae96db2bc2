"""Selecting a part of a text: the component's data and its result; pure.

Offsets are code points of the whole text here, and of the shown part in the browser.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from workbench.presentation.escape import truncate
from workbench.presentation.text_layout import TextLayout
from workbench.records.source import Page
from workbench.records.text import Json, JsonDict, Span, Spanned, replace_surrogates
from workbench.services.sources.passages import segment

MarkKind = Literal["quote", "mine", "other", "claim", "cite", "listed"]
"""The judge's, the reviewer's, another reviewer's; the claim and the citation in an output; a
source's own reference list."""
LONGEST_ROW = 240
_FULL_LINE = 45
"""A line shorter than this, in code points, was not wrapped for its length."""
_ENDS = frozenset(".!?…:;。！？；：|")
_OPENINGS = frozenset("|#>•▪●◦‣·-*")
_SELECTION = re.compile(r"(\d{1,12})-(\d{1,12})")


@dataclass(frozen=True, slots=True, kw_only=True)
class TextHighlight(Spanned):
    """A part of the text that is marked already."""

    id: str
    span: Span
    kind: MarkKind
    who: str
    """In a word, shown at its beginning."""
    wrong: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PickPart(Spanned):
    """The shown part of a text, with its number and the number of parts."""

    span: Span
    index: int = 0
    of: int = 1
    where: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PickRow:
    """A row below the text: a highlight that can be shown and, by its kind, changed."""

    mark: TextHighlight
    part: int
    """The part that it begins in."""
    page: int | None = None


def picking_data(
    text: str,
    part: PickPart,
    marks: Sequence[TextHighlight],
    *,
    doc: str,
    act: str,
    name: str,
    hint: str = (
        "Select with the mouse, or with the arrow keys: up and down by sentence, left and "
        "right by word, Shift extends. Enter adds the selection, Delete removes one, Escape closes."
    ),
    colour: str = "#0072B2",
    chosen: str | None = None,
    preset: Span | None = None,
    pages: Sequence[Page] = (),
    lists: Sequence[tuple[str, Sequence[PickRow]]] = (),
    layout: TextLayout | None = None,
) -> JsonDict:
    """The component's data for a part of a text.

    Args:
        text: The whole text.
        part: The shown part.
        marks: Highlights in the text; those outside the part are left out.
        doc: Identifies text and part; a change scrolls to the beginning.
        act: The button's label for using the selection.
        name: What the text is, for screen readers.
        hint: Instructions, always shown.
        colour: Of the judge's quotes.
        chosen: Id of the mark to bring into view.
        preset: The initial selection, within the part.
        pages: The text's pages.
        lists: Rows below the text, in named groups.
        layout: How the part is laid out; without one it is shown as it is.
    """
    start, end = part.start, part.end
    window = replace_surrogates(text[start:end])
    sentences: list[Json] = []
    for sentence in sentences_of(window):
        sentences += [sentence.start, sentence.end]
    return {
        "doc": doc,
        "start": start,
        "text": window,
        "blocks": [[block.tag, block.parent] for block in layout.blocks] if layout else [],
        "runs": [
            [run.start - start, run.block, run.hidden, list(run.styles)]
            for run in (layout.runs if layout else ())
        ],
        "sentences": sentences,
        "marks": [
            {
                "id": mark.id,
                "s": max(mark.start, start) - start,
                "e": min(mark.end, end) - start,
                "k": mark.kind,
                "d": mark.who,
                "w": mark.wrong,
            }
            for mark in marks
            if mark.start < end and mark.end > start
        ],
        "pages": _pages(pages, part),
        "chosen": chosen,
        "colour": colour,
        "preset": [preset.start - start, preset.end - start] if preset else None,
        "part": part.index,
        "parts": part.of,
        "where": part.where,
        "act": act,
        "name": name,
        "hint": hint,
        "lists": [
            {"name": group, "rows": [_row(text, row) for row in rows]} for group, rows in lists
        ],
    }


def sentences_of(text: str) -> list[Span]:
    """The sentences that the keys step through, in order; wrapped lines are joined."""
    sentences: list[Span] = []
    for sentence in segment(text):
        if sentences and _continues_sentence(text, sentences[-1], sentence):
            sentences[-1] = Span(sentences[-1].start, sentence.end)
        else:
            sentences.append(sentence)
    return sentences


def selected_span(picked: object, text: str) -> Span | None:
    """The span sent by the browser, without white space at its ends; None if it is invalid."""
    match = _SELECTION.fullmatch(str(picked))
    if not match:
        return None
    start, end = int(match[1]), int(match[2])
    if not 0 <= start < end <= len(text):
        return None
    words = text[start:end]
    start += len(words) - len(words.lstrip())
    end -= len(words) - len(words.rstrip())
    return Span(start, end) if start < end else None


def span_id(span: Span) -> str:
    """A span in the format exchanged with the browser."""
    return f"{span.start}-{span.end}"


def _continues_sentence(text: str, before: Span, after: Span) -> bool:
    """Whether a line is the rest of a sentence whose line was full, as in a PDF."""
    between = text[before.end : after.start]
    line = text.rfind("\n", 0, before.end) + 1
    return (
        between.strip(" \t\r") == "\n"
        and before.end - line >= _FULL_LINE
        and text[before.end - 1] not in _ENDS
        and text[after.start] not in _OPENINGS
    )


def _pages(pages: Sequence[Page], part: PickPart) -> list[Json]:
    """Where pages begin in the part; the page at its start is at 0."""
    return [
        [max(page.start - part.start, 0), page.number]
        for page in pages
        if page.start < part.end and page.end > part.start and page.start < page.end
    ]


def _row(text: str, row: PickRow) -> JsonDict:
    return {
        "id": row.mark.id,
        "k": row.mark.kind,
        "w": row.mark.wrong,
        "t": truncate(row.mark.span.of(text), LONGEST_ROW),
        "p": f"page {row.page}" if row.page else "",
        "part": row.part,
    }
