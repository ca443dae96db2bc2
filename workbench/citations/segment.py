"""Cut a text into the sentences, list items and table rows that can be claims."""

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from workbench.citations.boundary import SentenceSplitter
from workbench.citations.lines import Line
from workbench.citations.marks import Mark
from workbench.citations.patterns import CJK

SentenceKind = Literal["sentence", "title", "heading", "row"]

_ENDS = frozenset('.!?。！？…:：;；」』”"')
_OPEN_ENDS = frozenset("]】)）*|>")
_WRAP_LEAST = 45
"""A line shorter than this, in code points, is no line that was wrapped for its length."""
_VERBS = frozenset(
    ["is", "are", "was", "were", "has", "have", "had", "will", "can", "does", "did", "do", "may"]
)
"""Words that a sentence has and a title seldom."""
_WIDE = re.compile(f"[{CJK}]")


class Sentence(NamedTuple):
    """A stretch that can be a claim: `text[start:end]`; marks up to `reach` belong to it."""

    start: int
    end: int
    reach: int
    kind: SentenceKind


def cut_sentences(text: str, lines: Sequence[Line], marks: Sequence[Mark]) -> list[Sentence]:
    """Sentences, list items and table rows in text order; code is never among them.

    A line end ends a sentence, unless the line was wrapped for its length.

    Args:
        text: The text.
        lines: Its lines without those of reference lists.
        marks: Its settled marks in text order.
    """
    sentences: list[Sentence] = []
    cutter = SentenceSplitter(text, marks)
    at, count = 0, len(lines)
    while at < count:
        line = last = lines[at]
        at += 1
        if line.kind in ("code", "rule") or line.body >= line.end:
            continue
        if line.kind == "table":
            header = at < count and lines[at].kind == "rule" and not lines[at].gap
            sentences.extend(_row(text, line, cutter, header))
            continue
        if line.kind == "heading":
            sentences.append(Sentence(line.body, line.end, line.end, "heading"))
            continue
        while at < count and _goes_on(text, last, lines[at]):
            last = lines[at]
            at += 1
        found = cutter.cut(line.body, last.end)
        alone = line.gap and (at == count or lines[at].gap) and len(found) == 1
        kind: SentenceKind = "sentence"
        if alone and line.kind == "plain" and _is_title(text, line.body, last.end):
            kind = "title"
        sentences.extend(Sentence(*stretch, kind) for stretch in found)
    return sentences


def _goes_on(text: str, line: Line, after: Line) -> bool:
    """Whether a line is the wrapped rest of the one before it and not a line of its own."""
    if after.gap or after.kind != "plain":
        return False
    last, first = text[line.end - 1], text[after.body]
    long = line.end - line.start >= _WRAP_LEAST
    if last in _ENDS:
        return False
    if last in _OPEN_ENDS:
        return long and first.islower()
    return (
        first.islower() or first in ",;)" or (long and (first.isalnum() or first in '(["“「『（'))
    )


def _is_title(text: str, start: int, end: int) -> bool:
    """Whether a paragraph of one line without a full stop reads as a title."""
    if text[end - 1] in _ENDS or text[end - 1] in "]】)":
        return False
    if _WIDE.search(text, start, end):
        return end - start <= 18
    words = text[start:end].split()
    if not _VERBS.isdisjoint(words):
        return False
    capital = sum(word[:1].isupper() or not word[:1].isalpha() for word in words)
    return len(words) <= 6 or (len(words) <= 14 and capital * 3 >= len(words) * 2)


def _row(text: str, line: Line, cutter: SentenceSplitter, header: bool) -> list[Sentence]:
    """A table row: cells that hold sentences one by one, else the row as a whole."""
    start, end = line.body, line.end
    while start < end and text[start] in "| \t":
        start += 1
    while end > start and text[end - 1] in "| \t":
        end -= 1
    if start == end:
        return []
    cells = text[start:end].split("|")
    if header or not any(len(cell.split()) >= 6 or len(cell) > 60 for cell in cells):
        return [Sentence(start, end, line.end, "heading" if header else "row")]
    found: list[Sentence] = []
    at = start
    for cell in cells:
        first = at + len(cell) - len(cell.lstrip())
        last = at + len(cell.rstrip())
        if first < last:
            kind: SentenceKind = "sentence" if len(cell.split()) >= 4 or len(cell) > 20 else "row"
            found.extend(Sentence(*stretch, kind) for stretch in cutter.cut(first, last))
        at += len(cell) + 1
    return found
