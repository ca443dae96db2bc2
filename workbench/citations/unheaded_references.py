"""Find a reference list without a heading whose entries have no label of their own."""

import re

from workbench.citations.entry_labels import ADDRESS, EntryStart, begin_entry
from workbench.citations.lines import Line

_MARK = re.compile(r"[\[【［]\^?(\d{1,3})(?:[\]】］,†–-])|<sup>(\d{1,3})|([¹²³⁴⁵⁶⁷⁸⁹])")
_LEAST = 2


def find_tail(text: str, lines: list[Line]) -> tuple[list[EntryStart], tuple[int, int]] | None:
    """The sources that a text ends with, numbered or in a row, when it has marks that count them.

    Every entry names an address, the numbers rise from 1, and the text before has marks none of
    which is higher than the number of entries. None when the end of the text is something else.
    """
    begun: list[EntryStart] = []
    at = len(lines) - 1
    while at >= 0:
        line = lines[at]
        if line.kind == "rule" and "|" in text[line.start : line.end]:
            at -= 1
            continue
        one = begin_entry(text, line, headed=True) if line.kind != "code" else None
        if one is None or line.kind == "rule":
            break
        if one.style == "plain" and line.kind == "plain":
            if not (text[line.start] in " \t" or ADDRESS.match(text, one.body, one.end)):
                break
        elif ADDRESS.search(text, one.body, begun[-1].end if _is_rest(begun) else one.end) is None:
            break
        begun.append(one)
        at -= 1
    entries = _joined(begun[::-1])
    if len(entries) < _LEAST or len({one.style for one in entries}) > 1 or not _counted(entries):
        return None
    highest = _highest_mark(text, entries[0].start)
    if not 0 < highest <= len(entries):
        return None
    return entries, (entries[0].start, entries[-1].end)


def _is_rest(begun: list[EntryStart]) -> bool:
    """Whether the line below is a line without a label, and so the rest of the one above."""
    return bool(begun) and begun[-1].style == "plain"


def _joined(begun: list[EntryStart]) -> list[EntryStart]:
    """Entries with the lines below them that have no label, where the others have one."""
    if not begun or all(one.style == "plain" for one in begun):
        return begun
    entries: list[EntryStart] = []
    for one in begun:
        if one.style != "plain":
            entries.append(one)
        elif entries:
            entries[-1] = entries[-1]._replace(end=one.end)
    return entries


def _counted(entries: list[EntryStart]) -> bool:
    """Whether labels, where there are any, count from 1."""
    labels = [one.label for one in entries if one.label is not None]
    return not labels or labels == [str(number) for number in range(1, len(entries) + 1)]


def _highest_mark(text: str, end: int) -> int:
    """The highest number that a mark before offset `end` has; 0 without any."""
    highest = 0
    for found in _MARK.finditer(text, 0, end):
        number = found[1] or found[2] or str("¹²³⁴⁵⁶⁷⁸⁹".index(found[3]) + 1)
        highest = max(highest, int(number))
    return highest
