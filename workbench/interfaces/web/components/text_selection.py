"""A text of which somebody takes a part: what the component draws, and what comes back; pure.

Offsets are code points of the whole text on this side, and of the shown part in the browser.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from workbench.judging.segment import segment
from workbench.presentation.escape import truncate
from workbench.records import Json, JsonDict, Page, Span, Spanned, replace_surrogates

MarkKind = Literal["quote", "mine", "other", "claim", "cite", "listed"]
"""The judge's, the reviewer's, another reviewer's; the claim and the citation in an output; a
source's own reference list."""
LONGEST_ROW = 240
_FULL_LINE = 45
"""A line shorter than this, in code points, is no line that was wrapped for its length."""
_ENDS = frozenset(".!?…:;。！？；：|")
_OPENINGS = frozenset("|#>•▪●◦‣·-*")
_SELECTION = re.compile(r"(\d{1,12})-(\d{1,12})")

EVIDENCE_HINT = (
    "Select with the mouse, or with the arrow keys: up and down by sentence, left and right by "
    "word, Shift extends. Enter adds the selection, Delete removes one."
)
CLAIM_HINT = (
    "Select the claim's words with the mouse, or with the arrow keys: left and right by word, up "
    "and down by sentence, Shift extends. Enter uses them."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TextHighlight(Spanned):
    """A part of the text that is marked already."""

    id: str
    span: Span
    kind: MarkKind
    who: str
    """In a word, shown where it begins."""
    wrong: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PickPart(Spanned):
    """The part of a text that is shown, and which of how many it is."""

    span: Span
    index: int = 0
    of: int = 1
    where: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PickRow:
    """A line below the text: a piece that can be shown, and acted on by what it is."""

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
    hint: str = EVIDENCE_HINT,
    colour: str = "#0072B2",
    chosen: str | None = None,
    preset: Span | None = None,
    pages: Sequence[Page] = (),
    lists: Sequence[tuple[str, Sequence[PickRow]]] = (),
) -> JsonDict:
    """What the component draws of a part of a text.

    Args:
        text: The whole text.
        part: What of it is shown.
        marks: What is marked in it; those outside the part are left out.
        doc: Differs for each text and part: another one scrolls to its beginning.
        act: What taking the selection does, on the button.
        name: What the text is, for those who do not see it.
        hint: What can be done, while nothing is selected.
        colour: Of the judge's quotes.
        chosen: Id of the mark to bring into view.
        preset: Selected at the beginning, within the part.
        pages: The text's pages.
        lists: Rows below the text, in named groups.
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
    """The sentences that the keys go through, in order; lines that were wrapped are joined."""
    sentences: list[Span] = []
    for sentence in segment(text):
        if sentences and _continues_sentence(text, sentences[-1], sentence):
            sentences[-1] = Span(sentences[-1].start, sentence.end)
        else:
            sentences.append(sentence)
    return sentences


def taken_span(picked: object, text: str) -> Span | None:
    """The span that the browser named, without white space at its ends; None where it is none."""
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
    """A span in the form in which it goes to the browser and back."""
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
    """Where pages begin in the part; the page that it begins in stands at 0."""
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
