"""Find the reference entries of a text: headed lists, bare lists, footnotes, tables."""

import re
from bisect import bisect_left
from typing import NamedTuple

from workbench.citations.entries import Entry, read_entry
from workbench.citations.entry_labels import (
    ADDRESS,
    SOURCE_LIKE,
    EntryStart,
    EntryStyle,
    begin_entry,
    may_begin,
    split_inline,
)
from workbench.citations.headings import read_heading
from workbench.citations.lines import Line
from workbench.citations.patterns import YEAR
from workbench.citations.unheaded_references import find_tail
from workbench.citations.url_finder import Link

_INNER_MARK = re.compile(
    r"(?<=[^\s\[])\s?[\[【](?:\^?\d{1,3}(?:[,，\s–-]{1,2}\d{1,3}){0,8})[\]】](?![(:])"
)
_STRONG = re.compile(
    rf"{ADDRESS.pattern}|[(（]{YEAR}|《|\[[A-Z](?:/OL)?\]|\bdoi\b|et al|ISBN|\bn\.d\."
    rf"|[,;.:]\s?{YEAR}\s?[.;,:]|{YEAR}年?[.。]?\Z",
    re.IGNORECASE,
)
_IBID = re.compile(r"(?:[iI]bid|[iI]d\.|同上)")


class ReferenceEntry(NamedTuple):
    """An entry in its list: `text[start:end]`, its label and what it says."""

    start: int
    end: int
    label: str | None
    style: EntryStyle
    section: int
    """Which list of the text, counted from 0."""
    entry: Entry


class ReferenceLists(NamedTuple):
    """The entries of a text and the stretches that its lists take up, headings included."""

    listed: list[ReferenceEntry]
    spans: list[tuple[int, int]]


class _List(NamedTuple):
    """A list: its entries, the line after it, and its span."""

    begun: list[EntryStart]
    after: int
    span: tuple[int, int]


def find_references(text: str, lines: list[Line], links: list[Link]) -> ReferenceLists:
    """The reference entries of a text, in order, and where its lists stand.

    A list stands under a heading that names one, or is a run of lines that begin with labels and
    name sources; footnote definitions are entries wherever they stand.
    """
    listed: list[ReferenceEntry] = []
    spans: list[tuple[int, int]] = []
    at = section = 0
    while at < len(lines):
        found = _headed(text, lines, at) or _bare(text, lines, at)
        if found is None or not found.begun:
            at = max(found.after if found else 0, at + 1)
            continue
        _read(text, found.begun, section, links, listed)
        spans.append(found.span)
        section += 1
        at = max(found.after, at + 1)
    if not listed:
        tail = find_tail(text, lines)
        if tail:
            _read(text, tail[0], section, links, listed)
            spans.append(tail[1])
    return ReferenceLists(listed, spans)


def _read(
    text: str,
    begun: list[EntryStart],
    section: int,
    links: list[Link],
    listed: list[ReferenceEntry],
) -> None:
    """Add the entries of a list; one that says `Ibid.` is the entry before it."""
    for one in begun:
        own = _between(links, one.start, one.end)
        entry = read_entry(text, one.body, one.end, own)
        if listed and entry.target is None and _IBID.match(text, one.body):
            entry = listed[-1].entry
        listed.append(ReferenceEntry(one.start, one.end, one.label, one.style, section, entry))


def _between(links: list[Link], start: int, end: int) -> list[Link]:
    """The links that begin in `start:end`."""
    first = bisect_left(links, start, key=lambda link: link.start)
    last = bisect_left(links, end, key=lambda link: link.start)
    return links[first:last]


def _headed(text: str, lines: list[Line], at: int) -> _List | None:
    """The list under a heading at line `at`; None when the line heads no list."""
    line = lines[at]
    heading = read_heading(text, line)
    if heading is None:
        return None
    pieces: list[EntryStart] = []
    if heading.rest is not None:
        pieces = split_inline(text, heading.rest, line.end)
        if not pieces:
            return None
    below, after = _below(text, lines, at)
    begun = pieces + below
    if not begun or not _name_sources(text, begun):
        return None
    return _List(begun, after, (line.start, max(begun[-1].end, line.end)))


def _name_sources(text: str, begun: list[EntryStart]) -> bool:
    """Whether entries are sources and not cited statements under a heading like `Sources`."""
    marked = sum(
        one.style in ("plain", "ordinal") and bool(_INNER_MARK.search(text, one.body, one.end))
        for one in begun
    )
    return marked * 2 < len(begun)


def _below(text: str, lines: list[Line], at: int) -> tuple[list[EntryStart], int]:
    """The entries below the heading at line `at`, and the line after them."""
    head = lines[at]
    begun: list[EntryStart] = []
    after = at + 1
    for number in range(at + 1, len(lines)):
        line = lines[number]
        if line.kind == "code" or _ends_list(text, line, head, bool(begun)):
            break
        if line.kind in ("heading", "rule"):
            continue
        one = begin_entry(text, line, headed=True)
        if one is None:
            continue
        if one.style == "plain":
            step = _unlabelled(text, line, one, begun)
            if step == "stop":
                break
            if step == "skip":
                continue
            if step == "join":
                begun[-1] = begun[-1]._replace(end=one.end)
                after = number + 1
                continue
        begun.append(one)
        after = number + 1
    return begun, after


def _ends_list(text: str, line: Line, head: Line, begun: bool) -> bool:
    """Whether a heading or a drawn line ends the list."""
    if line.kind == "rule":
        return begun and "|" not in text[line.start : line.end] and line.end - line.start < 12
    if line.kind != "heading":
        return False
    if line.level < 7 and (head.kind != "heading" or line.level <= head.level):
        return True
    return read_heading(text, line) is not None


def _unlabelled(text: str, line: Line, one: EntryStart, begun: list[EntryStart]) -> str:
    """What a line without a label under a heading is.

    `entry`: a new one; `join`: the rest of the one before; `skip`: words of introduction; `stop`:
    no part of the list.
    """
    likely = _names_source(text, line, one)
    if not begun:
        heads = read_heading(text, line) is not None
        if likely and not heads:
            return "entry"
        return "skip" if not heads and _introduces(text, line) else "stop"
    labelled = begun[-1].label is not None
    if line.kind == "plain":
        indented = text[line.start] in " \t\u3000"
        address = ADDRESS.match(text, one.body, one.end) is not None
        if labelled and (not line.gap or indented or address):
            joins = not line.gap or indented or not _has_address(text, begun[-1])
            return "join" if joins else "stop"
        if not labelled and (indented or (not line.gap and not _fresh(text, begun[-1], one))):
            return "join"
    return "entry" if likely and not labelled else "stop"


def _names_source(text: str, line: Line, one: EntryStart) -> bool:
    """Whether an unlabelled line names a source; a bare year is enough for a list item alone."""
    if line.kind == "item":
        return SOURCE_LIKE.search(text, one.body, one.end) is not None
    return _STRONG.search(text, one.body, one.end) is not None


def _has_address(text: str, one: EntryStart) -> bool:
    return ADDRESS.search(text, one.body, one.end) is not None


def _fresh(text: str, last: EntryStart, one: EntryStart) -> bool:
    """Whether an unlabelled line right below an unlabelled entry is an entry of its own."""
    if _has_address(text, last):
        return True
    if ADDRESS.match(text, one.body, one.end):
        return False
    return all(SOURCE_LIKE.search(text, entry.body, entry.end) for entry in (last, one))


def _introduces(text: str, line: Line) -> bool:
    """Whether a line under a reference heading is a placeholder or a word of introduction."""
    words = text[line.body : line.end]
    return words.startswith(("[", "(", "（")) or words[-1:] in ":：" or len(words) < 80


def _bare(text: str, lines: list[Line], at: int) -> _List | None:
    """Labelled entries without a heading: footnotes, or two and more `[n] source` lines.

    A list without entries is a run of labelled lines that are no entries, to be passed over.
    """
    if not may_begin(text, lines[at]):
        return None
    begun: list[EntryStart] = []
    after = at
    for after in range(at, len(lines)):
        line = lines[after]
        one = begin_entry(text, line, headed=False) if line.kind in ("plain", "item") else None
        if one is not None:
            pieces = split_inline(text, one.start, one.end) if one.style == "square" else []
            begun.extend(pieces if len(pieces) > 1 else [one])
        elif begun and line.kind == "plain" and _is_rest(text, line):
            begun[-1] = begun[-1]._replace(end=line.end)
        else:
            break
    else:
        after = len(lines)
    if not begun:
        return None
    if not _is_list(text, begun, last=after == len(lines)):
        return _List([], after, (0, 0))
    return _List(begun, after, (begun[0].start, begun[-1].end))


def _is_rest(text: str, line: Line) -> bool:
    """Whether a line without a label is the rest of the bare entry above it."""
    if text[line.start] in " \t":
        return True
    return not line.gap and ADDRESS.match(text, line.body, line.end) is not None


def _is_list(text: str, begun: list[EntryStart], last: bool) -> bool:
    """Whether labelled lines without a heading are a reference list and not sentences."""
    defined = [text[one.start : one.body].rstrip().endswith((":", "：")) for one in begun]
    addressed = [_has_address(text, one) for one in begun]
    if all(one.style == "footnote" for one in begun):
        return all(defined) or last
    sure = all(a or b for a, b in zip(defined, addressed, strict=True))
    if any(one.style == "key" for one in begun) and not sure:
        return False
    if sum(addressed) * 2 >= len(begun):
        leads = ADDRESS.match(text, begun[0].body, begun[0].end) is not None
        return len(begun) > 1 or last or leads
    likely = sum(SOURCE_LIKE.search(text, one.body, one.end) is not None for one in begun)
    numbers = [int(one.label) for one in begun if one.label and one.label.isdigit()]
    rising = len(numbers) == len(begun) and all(
        a < b for a, b in zip(numbers, numbers[1:], strict=False)
    )
    return len(begun) > 1 and last and rising and likely * 2 >= len(begun)
