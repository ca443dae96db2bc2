"""What the words of a claim refer to: headings, the text before it, its place in a table."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection
from dataclasses import replace
from typing import NamedTuple

from workbench.citations.document import Document, document_of
from workbench.citations.layout import Line, TextBlock, bare, items_above
from workbench.records.citation import Citation, Extraction
from workbench.records.context import LONGEST_BEFORE, ClaimContext, TableCell
from workbench.records.text import Excerpt, Span

_WORD = re.compile(r"[^\W_]")
_WORD_WITHIN = 50
_PAUSE = re.compile(r"[\s，、；：,;:]")
_PAUSE_WITHIN = 200


class _Row(NamedTuple):
    """The cells of a table row."""

    starts: list[int]
    ends: list[int]

    def holding(self, start: int, end: int) -> tuple[int, int]:
        """The numbers of the first and the last cell that `start:end` touches."""
        first = max(bisect_right(self.starts, start) - 1, 0)
        return first, max(bisect_right(self.starts, end - 1) - 1, first)


class ClaimContexts:
    """The contexts of the claims of one text, each made once; claims near one another share parts.

    The text is read once, when the first context is asked for; a context then takes about as long
    as finding its place. Never raises.
    """

    def __init__(self, document: Document) -> None:
        self._document = document
        self._text = document.text
        self._contexts: dict[tuple[int, int], ClaimContext] = {}
        self._items: dict[int, dict[int, int]] = {}
        self._item_lines: dict[int, list[int]] = {}
        self._head: tuple[int, _Row] | None = None
        self._last_row: tuple[int, _Row] | None = None
        self._cells: dict[tuple[int, int], Excerpt] = {}
        self._tables: dict[tuple[int, int], TableCell] = {}

    def get(self, start: int, end: int) -> ClaimContext:
        """What the words of the claim `text[start:end]` refer to; code points of the text."""
        context = self._contexts.get((start, end))
        if context is None:
            context = self._contexts[start, end] = self._context(start, end)
        return context

    def _context(self, start: int, end: int) -> ClaimContext:
        document = self._document
        answer = bisect_right(document.answer_starts, start) - 1
        question = document.provider.answered[answer].question if answer >= 0 else None
        date = document.provider.answered[answer].date if answer >= 0 else None
        number = document.line_at(start)
        if number < 0:
            return ClaimContext(question=question, date=date)
        at = document.block_at(start)
        block = document.blocks[at]
        sentence = document.sentence_at(start)
        if block.kind == "table":
            table = self._table(start, end, number, block)
            before = self._before_in_table(start, sentence, number, at)
        else:
            table = None
            before = self._before(start, sentence, number, at)
        return ClaimContext(
            headings=document.outline.above(self._document.lines[number].start),
            before=before,
            table=table,
            question=question,
            date=date,
        )

    def _before(self, start: int, sentence: int, number: int, at: int) -> Span | None:
        """The text that leads to a claim which starts in line `number`, in block `at`."""
        block = self._document.blocks[at]
        place = self._boundary(start, sentence, block.start)
        end = self._end_before(place, number)
        floor = block.start
        if block.is_prose and not block.opens and at and self._document.blocks[at - 1].is_prose:
            floor = self._document.blocks[at - 1].start
        lowest = max(floor, end - LONGEST_BEFORE)
        first = self._first_sentence(lowest)
        if block.kind == "list" and lowest > block.start:
            above = self._item_above(number, at, lowest)
            first = first if above is None else above
        return Span(first, end) if first < end else self._part_before(place, start, sentence, end)

    def _before_in_table(self, start: int, sentence: int, number: int, at: int) -> Span | None:
        """What stands before a claim in its cell; else the paragraph that leads to its table."""
        if sentence >= 0 and self._document.sentences[sentence].kind == "sentence":
            row = self._row(number)
            cell = row.starts[row.holding(start, start)[0]]
            place = self._boundary(start, sentence, cell)
            end = self._end_before(place, number)
            first = self._first_sentence(max(cell, end - LONGEST_BEFORE))
            within_cell = (
                Span(first, end) if first < end else self._part_before(place, start, sentence, end)
            )
            if within_cell is not None:
                return within_cell
        block = self._document.blocks[at]
        if block.opens or not at or self._document.blocks[at - 1].kind != "paragraph":
            return None
        lead = self._document.blocks[at - 1]
        end = self._document.lines[lead.last - 1].end
        first = self._first_sentence(max(lead.start, end - LONGEST_BEFORE))
        return Span(first, end) if first < end else None

    def _boundary(self, start: int, sentence: int, floor: int) -> int:
        """Where what comes before a claim ends: at its sentence, or in it after words of it."""
        if sentence < 0 or self._document.sentences[sentence].reach <= start:
            return start
        begin = max(self._document.sentence_starts[sentence], floor)
        if begin == start:
            return start
        word = _WORD.search(self._text, begin, min(start, begin + _WORD_WITHIN))
        return start if word else min(begin, start)

    def _end_before(self, place: int, number: int) -> int:
        """The end of the words before a place; a bullet or number between them is left out."""
        text, line = self._text, self._document.lines[number]
        if place <= line.body or not text[line.body : min(place, line.body + 4)].strip("*_ "):
            place = self._document.lines[number - 1].end if number else 0
        while place and text[place - 1].isspace():
            place -= 1
        return place

    def _first_sentence(self, lowest: int) -> int:
        """Where the first sentence begins that is not before `lowest`; the text's end for none."""
        starts = self._document.sentence_starts
        sentence = bisect_left(starts, lowest)
        return starts[sentence] if sentence < len(starts) else len(self._text)

    def _part_before(self, place: int, start: int, sentence: int, end: int) -> Span | None:
        """The last words of a claim's own sentence before it, where that is too long as a whole."""
        if place < start or end > start:
            return None
        if sentence < 0 or self._document.sentence_starts[sentence] >= end:
            return None
        begin = self._document.sentence_starts[sentence]
        first = max(begin, end - LONGEST_BEFORE)
        pause = _PAUSE.search(self._text, first, min(first + _PAUSE_WITHIN, end))
        first = pause.end() if pause else first
        while first < end and self._text[first].isspace():
            first += 1
        return Span(first, end) if first < end else None

    def _item_above(self, number: int, at: int, lowest: int) -> int | None:
        """Where the item begins that a claim's item stands under, else the one before it.

        Of several that it stands under the outermost that is not before `lowest`.
        """
        above = self._items.get(at)
        if above is None:
            above = items_above(self._text, self._document.lines, self._document.blocks[at])
            self._items[at] = above
            self._item_lines[at] = list(above)
        place = bisect_right(self._item_lines[at], number) - 1
        if place < 0:
            return None
        outermost = None
        item = above[self._item_lines[at][place]]
        while item >= 0 and self._document.lines[item].body >= lowest:
            outermost = self._document.lines[item].body
            item = above[item]
        if outermost is None and place:
            before = self._document.lines[self._item_lines[at][place - 1]].body
            outermost = before if before >= lowest else None
        return outermost

    def _table(self, start: int, end: int, number: int, block: TextBlock) -> TableCell | None:
        """The header and the row label of a claim in a table."""
        while start < end and self._text[start] in "| \t":
            start += 1
        row = self._row(number)
        first, last = row.holding(start, end)
        label = self._cell(row.starts[0], row.ends[0]) if first or last else None
        header = None
        if number != block.first:
            head = self._header(block.first)
            if first == last and first < len(head.starts):
                header = self._cell(head.starts[first], head.ends[first])
            header = header or self._cell(head.starts[0], head.ends[-1])
        if header is None and label is None:
            return None
        key = (header.start if header else -1, label.start if label else -1)
        cell = self._tables.get(key)
        if cell is None:
            cell = self._tables[key] = TableCell(header=header, row=label)
        return cell

    def _header(self, number: int) -> _Row:
        """The cells of a table's first row, which many rows share."""
        if self._head is None or self._head[0] != number:
            self._head = number, _read_row(self._text, self._document.lines[number])
        return self._head[1]

    def _row(self, number: int) -> _Row:
        """The cells of the row in a line; those of the row last asked for are kept."""
        if self._last_row is None or self._last_row[0] != number:
            self._last_row = number, _read_row(self._text, self._document.lines[number])
        return self._last_row[1]

    def _cell(self, start: int, end: int) -> Excerpt | None:
        """The words of a cell or row; None where it has none."""
        excerpt = self._cells.get((start, end))
        if excerpt is None:
            text = self._text
            first, last = start, end
            while first < last and text[first] in "| \t":
                first += 1
            while last > first and text[last - 1] in "| \t":
                last -= 1
            first, last = bare(text, first, last)
            if first == last:
                return None
            excerpt = Excerpt(span=Span(first, last), text=text[first:last])
            self._cells[start, end] = excerpt
        return excerpt


def _read_row(text: str, line: Line) -> _Row:
    """The cells of a table row, the blank ones too."""
    start, end = line.body, line.end
    if start < end and text[start] == "|":
        start += 1
    if end > start and text[end - 1] == "|" and text[end - 2] != "\\":
        end -= 1
    pipes: list[int] = []
    at = text.find("|", start, end)
    while at >= 0:
        if at == start or text[at - 1] != "\\":
            pipes.append(at)
        at = text.find("|", at + 1, end)
    return _Row([start, *(pipe + 1 for pipe in pipes)], [*pipes, end])


def with_claim_context(
    extraction: Extraction, citation_ids: Collection[str] | None = None
) -> Extraction:
    """The extraction with a context for each citation that has a claim and no context.

    What is known of a claim's question and date stays. Offsets count code points of the text.

    Args:
        extraction: What a text cites.
        citation_ids: The citations to give a new context, as their claims were corrected; left
            out: those that have none.
    """
    ids = {
        citation.id
        for citation in extraction.citations
        if citation.claim is not None
        and (
            citation.claim_context is None if citation_ids is None else citation.id in citation_ids
        )
    }
    if not ids:
        return extraction
    contexts = ClaimContexts(document_of(extraction))
    return replace(
        extraction,
        citations=tuple(
            _completed(citation, contexts) if citation.id in ids else citation
            for citation in extraction.citations
        ),
    )


def contexts_in(text: str) -> ClaimContexts:
    """The contexts of the claims of a text, asked for by their places in it."""
    return ClaimContexts(Document(text, marks=()))


def _completed(citation: Citation, contexts: ClaimContexts) -> Citation:
    assert citation.claim is not None  # only those with a claim are chosen
    context = contexts.get(citation.claim.start, citation.claim.end)
    previous = citation.claim_context
    if previous is not None:
        context = replace(context, question=previous.question, date=previous.date)
    return replace(citation, claim_context=context)
