"""Taking claims out of a text so that what stays can still be read."""

from collections.abc import Sequence

from workbench.records.text import Span

_ENDS = ".!?。！？…"
_CLOSERS = "\"'”’)]»」』"


def redacted(text: str, remove: Sequence[tuple[Span, str]]) -> str:
    """The text with each span replaced by its mark.

    Spans that overlap, or have only blanks between them, become one with the first one's mark. The
    blanks around a span stay; the full stop that ended the last removed sentence is kept after the
    mark. Cost: linear in the text and n log n in the spans.
    """
    parts: list[str] = []
    at = 0
    for start, end, mark in _merged(text, remove):
        parts.append(text[at:start])
        parts.append(mark)
        parts.append(_ending(text, start, end))
        at = end
    parts.append(text[at:])
    return "".join(parts)


def _merged(text: str, remove: Sequence[tuple[Span, str]]) -> list[tuple[int, int, str]]:
    merged: list[tuple[int, int, str]] = []
    for span, mark in sorted(remove, key=lambda removal: (removal[0].start, removal[0].end)):
        start, end = max(0, span.start), min(len(text), span.end)
        if start >= end:
            continue
        if merged:
            before, until, first = merged[-1]
            between = text[until:start]
            # one mark for a run of sentences, but not across a paragraph
            if start <= until or (not between.strip() and "\n" not in between):
                merged[-1] = (before, max(until, end), first)
                continue
        merged.append((start, end, mark))
    return merged


def _ending(text: str, start: int, end: int) -> str:
    """The full stop of what was removed, where the text does not go on with one."""
    if (start, end) == (0, len(text)) or (end < len(text) and text[end] in _ENDS):
        return ""
    inner = text[start:end].rstrip().rstrip(_CLOSERS)
    return inner[-1] if inner and inner[-1] in _ENDS else ""
