"""Find the reference entries of a text: headed lists, bare lists, footnotes, tables.

A list at the end of a text may have neither a heading nor labels; its marks tell that it is one.
"""

import re
from bisect import bisect_left
from typing import TYPE_CHECKING, NamedTuple

from workbench.citations.layout import Line
from workbench.citations.lexicon import YEAR
from workbench.citations.marks.addresses import TextLink
from workbench.citations.references.entries import (
    ADDRESS,
    SOURCE_LIKE,
    EntryDetails,
    EntryStart,
    EntryStyle,
    begin_entry,
    heads_entry,
    is_complete,
    may_begin,
    read_entry,
    split_inline,
)
from workbench.citations.references.entry.identifiers import PAGE_NUMBER
from workbench.citations.references.entry.parse import parse_entry
from workbench.records.bibliography import REFERENCE_HEADINGS
from workbench.records.text import fold_compatible

if TYPE_CHECKING:
    from workbench.citations.document import Document

_HEADING = re.compile(
    r"[\W_]{0,12}+"
    r"(?:(?:\d{1,2}|[IVXivx]{1,5}|[一二三四五六七八九十]{1,3}|[A-H])[.、)．:：]?\s{0,3}(?:\d\s)?)?"
    rf"[*_]{{0,3}}(?:{REFERENCE_HEADINGS})(?:\s?[(（][^()（）\n]{{1,30}}[)）])?"
    r"\s{0,2}[*_~]{0,3}\s{0,2}(?:[:：]\s{0,2}[*_]{0,3}|[#*_]{0,3})(?P<rest>\s{0,4}\S[^\n]*)?\Z",
    re.IGNORECASE,
)
_WORKS = re.compile(r"[\W_]*(?:list of )?(?:papers|publications)\b", re.IGNORECASE)
_TAG = re.compile(r"</?h\d[^<>]{0,80}>", re.IGNORECASE)
_LONGEST_HEADING = 90
_LEAD = 60
_REACH = 4000
_INNER_MARK = re.compile(
    r"(?<=[^\s\[])\s?[\[【](?:\^?\d{1,3}(?:[,，\s–-]{1,2}\d{1,3}){0,8})[\]】](?![(:])"
)
_STRONG = re.compile(
    rf"{ADDRESS.pattern}|[(（]{YEAR}|《|\[[A-Z](?:/OL)?\]|\bdoi\b|et al|ISBN|\bn\.d\."
    rf"|\((?:no date|n\. d\.)\)|[,;.:]\s?{YEAR}\s?[.;,:]|{YEAR}年?[.。]?\Z|{YEAR}[a-z]?[)）]"
    rf"|[^\W\d_] {YEAR}[a-z]?, [^\W_]",
    re.IGNORECASE,
)
_IBID = re.compile(r"(?:[iI]bid|[iI]d\.|同上)")
_MARK = re.compile(r"[\[【［]\^?(\d{1,3})(?:[\]】］,†–-])|<sup>(\d{1,3})|([¹²³⁴⁵⁶⁷⁸⁹])")
_FEWEST_UNHEADED = 2
_PAGE_NUMBER = re.compile(PAGE_NUMBER)
_YEAR = re.compile(YEAR)
_DIGITS = re.compile(r"\d+")
_NUMBERED = re.compile(r"[\[(【［（]?[\]).、】:：］）]")
"""What is left of a label whose number is taken out."""
_LONGEST_RUNNING_HEAD = 90
_MOST_LINES_OF_ENTRY = 8
_LONGEST_PLAIN = 500
_LONGEST_REPEATED = 300
"""Authors for whom a dash may stand; a chain of dashes that each add one ends there."""


class ListedEntry(NamedTuple):
    """An entry in its list: `text[start:end]`, its label and what it says."""

    start: int
    end: int
    label: str | None
    style: EntryStyle
    section: int
    """Which list of the text, counted from 0."""
    entry: EntryDetails


class ReferenceLists(NamedTuple):
    """The entries of a text and the stretches that its lists take up, headings included."""

    entries: list[ListedEntry]
    spans: list[tuple[int, int]]


class _List(NamedTuple):
    """A list: its entries, the line after it, and its span."""

    starts: list[EntryStart]
    after: int
    span: tuple[int, int]


class _Heading(NamedTuple):
    """A line that heads a reference list; entries may begin in it, at `rest`."""

    rest: int | None


def find_references(document: "Document") -> ReferenceLists:
    """The reference entries of a text, in order, and where its lists stand.

    A list stands under a heading that names one, or is a run of lines that begin with labels and
    name sources; footnote definitions are entries wherever they stand.
    """
    text, lines = document.text, document.lines
    pages = _page_lines(text, lines)
    lists: list[_List] = []
    at = 0
    while at < len(lines):
        candidate = _headed(text, lines, at, pages) or _bare(text, lines, at)
        if candidate is not None and candidate.starts:
            lists.append(candidate)
        at = max(candidate.after if candidate else 0, at + 1)
    if not lists:
        unheaded = _unheaded(text, lines)
        lists = [unheaded] if unheaded else []
    entries: list[ListedEntry] = []
    for section, reference_list in enumerate(lists):
        _read(text, reference_list.starts, section, document.links, entries)
    return ReferenceLists(entries, [reference_list.span for reference_list in lists])


def _read(
    text: str,
    starts: list[EntryStart],
    section: int,
    links: list[TextLink],
    entries: list[ListedEntry],
) -> None:
    """Add the entries of a list; one that says `Ibid.` is the entry before it."""
    authors = ""
    for start in starts:
        entry = read_entry(
            text, start.body, start.end, _between(links, start.start, start.end), authors
        )
        authors = entry.head if 0 < len(entry.head) < _LONGEST_REPEATED else authors
        if entries and entry.target is None and _IBID.match(text, start.body):
            entry = entries[-1].entry
        entries.append(
            ListedEntry(start.start, start.end, start.label, start.style, section, entry)
        )


def _between(links: list[TextLink], start: int, end: int) -> list[TextLink]:
    """The links that begin in `start:end`."""
    first = bisect_left(links, start, key=lambda link: link.start)
    last = bisect_left(links, end, key=lambda link: link.start)
    return links[first:last]


def _read_heading(text: str, line: Line) -> _Heading | None:
    """The heading that a line is, if it names a reference list."""
    if line.kind in ("code", "table", "rule"):
        return None
    if line.end - line.start > _LONGEST_HEADING:
        lead = text[line.start : line.start + _LEAD]
        if ":" not in lead and "：" not in lead:
            return None
    words = fold_compatible(text[line.start : min(line.end, line.start + _REACH)])
    if "<h" in words[:20]:
        words = _TAG.sub(lambda tag: " " * len(tag[0]), words).rstrip()
    match = _HEADING.match(words)
    if match is None:
        return None
    rest = match["rest"]
    if rest is None or not rest.strip(" *_:："):
        return _Heading(None)
    return _Heading(line.start + match.start("rest"))


def _headed(text: str, lines: list[Line], at: int, pages: frozenset[int]) -> _List | None:
    """The list under a heading at line `at`; None when the line heads no list."""
    line = lines[at]
    heading = _read_heading(text, line)
    if heading is None:
        return None
    inline: list[EntryStart] = []
    if heading.rest is not None:
        inline = split_inline(text, heading.rest, line.end)
        if not inline:
            return None
    below, after = _below(text, lines, at, pages)
    starts = inline + below
    if not starts or not _name_sources(text, starts):
        return None
    if _WORKS.match(text, line.start, line.end) and not _name_authors(text, starts):
        return None
    return _List(starts, after, (line.start, max(starts[-1].end, line.end)))


def _name_sources(text: str, starts: list[EntryStart]) -> bool:
    """Whether entries are sources and not cited statements under a heading like `Sources`."""
    marked = sum(
        start.style in ("plain", "ordinal")
        and _INNER_MARK.search(text, start.body, start.end) is not None
        for start in starts
    )
    return marked * 2 < len(starts)


def _name_authors(text: str, starts: list[EntryStart]) -> bool:
    """Whether most entries name authors: those under `Papers` may tell of papers instead."""
    authored = sum(bool(parse_entry(text[start.start : start.end]).authors) for start in starts)
    return authored * 2 > len(starts)


def _below(
    text: str, lines: list[Line], at: int, pages: frozenset[int]
) -> tuple[list[EntryStart], int]:
    """The entries below the heading at line `at`, and the line after them."""
    head = lines[at]
    starts: list[EntryStart] = []
    after = at + 1
    loose = turned = False
    for number in range(at + 1, len(lines)):
        line = lines[number]
        if line.kind == "code" or _ends_list(text, line, head, bool(starts)):
            break
        if line.kind in ("heading", "rule"):
            continue
        if number in pages:
            turned = True
            continue
        start = begin_entry(text, line, headed=True)
        if start is None:
            continue
        if _is_miscounted(text, start, starts) or (
            not starts
            and _is_unpunctuated(text, start)
            and not _list_goes_on(text, lines, number, start)
        ):
            start = EntryStart(start.start, max(line.body, start.start), line.end, None, "plain")
        if start.style == "plain":
            step = _unlabelled(text, line, _with_rest(text, lines, number, start), starts)
            if starts and (line.gap or turned) and step != "skip":
                step = _over_gap(text, lines, number, start, starts, step, loose, turned)
            if step in ("stop", "skip") and _is_among(text, lines, number, start, starts):
                step = "entry"
            if step == "stop":
                break
            if step == "skip":
                continue
            turned = False
            if step == "join":
                starts[-1] = starts[-1]._replace(end=start.end)
                after = number + 1
                continue
        loose = loose or bool(starts) and line.gap and not turned
        turned = False
        starts.append(start)
        after = number + 1
    return starts, after


def _page_lines(text: str, lines: list[Line]) -> frozenset[int]:
    """The lines that a page has above or below its text: its number, alone beside a blank line.

    A line of words and a number that stands at more than one such place is a running head.
    """
    numbers: set[int] = set()
    heads: dict[str, list[int]] = {}
    for number, line in enumerate(lines):
        if line.end - line.start > _LONGEST_RUNNING_HEAD or line.kind in (
            "code",
            "rule",
            "heading",
        ):
            continue
        last = number + 1 == len(lines)
        if not (line.gap or last or lines[number + 1].gap):
            continue
        words = text[line.start : line.end]
        if _PAGE_NUMBER.fullmatch(words):
            above = text[lines[number - 1].end - 1] if number else ""
            if line.gap or above not in "-–,:" and not _YEAR.fullmatch(words):
                numbers.add(number)
        elif words[-1].isdigit() or words[0].isdigit():
            heads.setdefault(_DIGITS.sub("", words), []).append(number)
    for masked, places in heads.items():
        distinct = {text[lines[place].start : lines[place].end] for place in places}
        if len(masked) > 3 and len(distinct) > 1 and not _NUMBERED.match(masked):
            numbers.update(places)
    return frozenset(numbers)


def _is_miscounted(text: str, start: EntryStart, starts: list[EntryStart]) -> bool:
    """Whether a number at the head of a line, in a list whose labels are others, is no label.

    So it is with the `12 (3), 45–67` of an entry whose line was broken before its volume.
    """
    above = next((entry for entry in reversed(starts) if entry.label is not None), None)
    if starts and above is None:
        return _is_unpunctuated(text, start)  # `12 lessons from three years`
    if start.style != "ordinal" or above is None or not (above.label or "").isdigit():
        return False
    follows = start.label == str(int(above.label or 0) + 1)
    return not follows and (above.style == "square" or _is_unpunctuated(text, start))


def _is_unpunctuated(text: str, start: EntryStart) -> bool:
    """Whether an entry's number stands in front of its words by itself."""
    return start.style == "ordinal" and text[start.start : start.body].rstrip().isdigit()


def _over_gap(
    text: str,
    lines: list[Line],
    number: int,
    start: EntryStart,
    starts: list[EntryStart],
    step: str,
    loose: bool,
    turned: bool,
) -> str:
    """What a line without a label is that stands after a blank line or the turn of a page.

    An entry may go on there: where it is not complete, and where the list goes on below.
    """
    above = starts[-1]
    spaced = above.label is None and loose and not turned
    if spaced and not _breaks_off(text, above, start):
        return step
    if heads_entry(text, start):
        return "entry" if is_complete(text, above) else step
    if _breaks_off(text, above, start) or turned and not is_complete(text, above):
        return "join"
    if not _list_goes_on(text, lines, number, above):
        return step
    if turned or not loose and len(starts) > 1:
        return "join"
    return step if above.label is None else "skip"


def _with_rest(text: str, lines: list[Line], number: int, start: EntryStart) -> EntryStart:
    """A list item with the line that goes on with it, indented below."""
    following = lines[number + 1] if number + 1 < len(lines) else None
    goes_on = following is not None and following.kind == "plain" and not following.gap
    if lines[number].kind != "item" or following is None or not goes_on:
        return start
    return start._replace(end=following.end) if text[following.start] in " \t" else start


def _is_among(
    text: str, lines: list[Line], number: int, start: EntryStart, starts: list[EntryStart]
) -> bool:
    """Whether a line that shows by nothing that it is an entry stands among entries.

    In a list without labels the next line is one; before its first entry three lines name years.
    """
    line = lines[number]
    counted = bool(starts) and starts[-1].label is not None and starts[-1].style != "key"
    if start.end - start.body > _LONGEST_PLAIN or counted:
        return False
    if text[start.end - 1] in ":：" or _INNER_MARK.search(text, start.body, start.end):
        return False
    following = lines[number + 1 : number + 4]
    if starts:
        likely = (
            begun
            for other in following
            if other.kind == line.kind and (begun := begin_entry(text, other, headed=True))
        )
        return any(
            begun.style == "plain" and _STRONG.search(text, begun.body, begun.end)
            for begun in likely
        )
    rows = [line, *following[:2]]
    return len(rows) == 3 and all(
        other.kind == line.kind
        and SOURCE_LIKE.search(text, other.body, other.end)
        and not _INNER_MARK.search(text, other.body, other.end)
        and other.end - other.start < _LONGEST_PLAIN
        for other in rows
    )


def _breaks_off(text: str, above: EntryStart, start: EntryStart) -> bool:
    """Whether an entry ends as no entry does, so that the next line is its rest."""
    last, first = text[above.end - 1], text[start.body]
    if last in ",;:&–—-" or first.islower() and (last.isalnum() or last in ")]”’"):
        return True
    return (
        above.label is not None
        and SOURCE_LIKE.search(text, above.body, _reach(above)) is None
        and SOURCE_LIKE.search(text, start.body, start.end) is not None
    )


def _list_goes_on(text: str, lines: list[Line], number: int, above: EntryStart) -> bool:
    """Whether the entry after the one above begins a few lines below."""
    following = str(int(above.label) + 1) if above.label and above.label.isdigit() else None
    for line in lines[number + 1 : number + 1 + _MOST_LINES_OF_ENTRY]:
        if line.kind in ("heading", "code", "rule"):
            return False
        start = begin_entry(text, line, headed=True)
        if start is None:
            continue
        if following is None and above.label is None and heads_entry(text, start):
            return True
        if following is not None and start.label == following and start.style == above.style:
            return True
    return False


def _ends_list(text: str, line: Line, head: Line, begun: bool) -> bool:
    """Whether a heading or a rule ends the list."""
    if line.kind == "rule":
        return begun and "|" not in text[line.start : line.end] and line.end - line.start < 12
    if line.kind != "heading":
        return False
    if line.level < 7 and (head.kind != "heading" or line.level <= head.level):
        return True
    return _read_heading(text, line) is not None


def _unlabelled(text: str, line: Line, start: EntryStart, starts: list[EntryStart]) -> str:
    """What a line without a label under a heading is.

    `entry`: a new one; `join`: the rest of the one before; `skip`: words of introduction; `stop`:
    no part of the list.
    """
    likely = _names_source(text, line, start)
    if not starts:
        heads = _read_heading(text, line) is not None
        if likely and not heads:
            return "entry"
        return "skip" if not heads and _introduces(text, line) else "stop"
    labelled = starts[-1].label is not None and not (
        starts[-1].style == "key" and line.kind == "item"
    )
    if labelled and likely and heads_entry(text, start) and is_complete(text, starts[-1]):
        return "entry"
    if line.kind == "plain":
        indented = text[line.start] in " \t\u3000"
        address = ADDRESS.match(text, start.body, start.end) is not None
        if labelled and (not line.gap or indented or address):
            joins = not line.gap or indented or not _has_address(text, starts[-1])
            return "join" if joins else "stop"
        if not labelled and (
            indented or (not line.gap and not _is_own_entry(text, starts[-1], start))
        ):
            return "join"
    return "entry" if likely and not labelled else "stop"


def _names_source(text: str, line: Line, start: EntryStart) -> bool:
    """Whether an unlabelled line names a source; a bare year is enough for a list item alone."""
    pattern = SOURCE_LIKE if line.kind == "item" else _STRONG
    return pattern.search(text, start.body, start.end) is not None


def _has_address(text: str, start: EntryStart) -> bool:
    return ADDRESS.search(text, start.body, _reach(start)) is not None


def _reach(start: EntryStart) -> int:
    """How far an entry is searched: one that goes on and on is read no further."""
    return min(start.end, start.body + _REACH)


def _is_own_entry(text: str, above: EntryStart, start: EntryStart) -> bool:
    """Whether an unlabelled line right below an unlabelled entry is an entry of its own."""
    if _has_address(text, above):
        return True
    if ADDRESS.match(text, start.body, start.end):
        return False
    return all(SOURCE_LIKE.search(text, entry.body, _reach(entry)) for entry in (above, start))


def _introduces(text: str, line: Line) -> bool:
    """Whether a line under a reference heading is a placeholder or a word of introduction."""
    words = text[line.body : line.end]
    return words.startswith(("[", "(", "（")) or words[-1:] in ":：" or len(words) < 80


def _bare(text: str, lines: list[Line], at: int) -> _List | None:
    """Labelled entries without a heading: footnotes, or two and more `[n] source` lines.

    A list without entries is a run of labelled lines that are not entries, to be skipped.
    """
    if not may_begin(text, lines[at]):
        return None
    starts: list[EntryStart] = []
    after = at
    for after in range(at, len(lines)):
        line = lines[after]
        start = begin_entry(text, line, headed=False) if line.kind in ("plain", "item") else None
        if start is not None:
            inline = split_inline(text, start.start, start.end) if start.style == "square" else []
            starts.extend(inline if len(inline) > 1 else [start])
        elif starts and line.kind == "plain" and _is_rest(text, line):
            starts[-1] = starts[-1]._replace(end=line.end)
        else:
            break
    else:
        after = len(lines)
    if not starts:
        return None
    if not _is_list(text, starts, last=after == len(lines)):
        return _List([], after, (0, 0))
    return _List(starts, after, (starts[0].start, starts[-1].end))


def _is_rest(text: str, line: Line) -> bool:
    """Whether a line without a label is the rest of the bare entry above it."""
    if text[line.start] in " \t":
        return True
    return not line.gap and ADDRESS.match(text, line.body, line.end) is not None


def _is_list(text: str, starts: list[EntryStart], last: bool) -> bool:
    """Whether labelled lines without a heading are a reference list and not sentences."""
    defined = [text[start.start : start.body].rstrip().endswith((":", "：")) for start in starts]
    addressed = [_has_address(text, start) for start in starts]
    if all(start.style == "footnote" for start in starts):
        return all(defined) or last
    is_certain = all(a or b for a, b in zip(defined, addressed, strict=True))
    if any(start.style == "key" for start in starts) and not is_certain:
        return False
    if sum(addressed) * 2 >= len(starts):
        leads = ADDRESS.match(text, starts[0].body, starts[0].end) is not None
        return len(starts) > 1 or last or leads
    likely = sum(SOURCE_LIKE.search(text, start.body, start.end) is not None for start in starts)
    numbers = [int(start.label) for start in starts if start.label and start.label.isdigit()]
    ascending = len(numbers) == len(starts) and all(
        a < b for a, b in zip(numbers, numbers[1:], strict=False)
    )
    return len(starts) > 1 and last and ascending and likely * 2 >= len(starts)


def _unheaded(text: str, lines: list[Line]) -> _List | None:
    """The sources that a text ends with, numbered or in a row, when it has marks that count them.

    Every entry names an address, the numbers rise from 1, and the text before has marks none of
    which is higher than the number of entries. None when the end of the text is something else.
    """
    below: list[EntryStart] = []
    for line in reversed(lines):
        if line.kind == "rule" and "|" in text[line.start : line.end]:
            continue
        start = begin_entry(text, line, headed=True) if line.kind not in ("code", "rule") else None
        if start is None or not _may_end_text(text, line, start, below):
            break
        below.append(start)
    starts = _joined(below[::-1])
    same = len({start.style for start in starts}) == 1
    if len(starts) < _FEWEST_UNHEADED or not same or not _are_counted(starts):
        return None
    if not 0 < _highest_mark(text, starts[0].start) <= len(starts):
        return None
    return _List(starts, len(lines), (starts[0].start, starts[-1].end))


def _may_end_text(text: str, line: Line, start: EntryStart, below: list[EntryStart]) -> bool:
    """Whether a line can be an entry at the end of a text, or the rest of the one above it."""
    if start.style == "plain" and line.kind == "plain":
        return text[line.start] in " \t" or ADDRESS.match(text, start.body, start.end) is not None
    end = below[-1].end if below and below[-1].style == "plain" else start.end
    return ADDRESS.search(text, start.body, end) is not None


def _joined(starts: list[EntryStart]) -> list[EntryStart]:
    """Entries with the lines below them that have no label, where the others have one."""
    if all(start.style == "plain" for start in starts):
        return starts
    joined: list[EntryStart] = []
    for start in starts:
        if start.style != "plain":
            joined.append(start)
        elif joined:
            joined[-1] = joined[-1]._replace(end=start.end)
    return joined


def _are_counted(starts: list[EntryStart]) -> bool:
    """Whether labels, where there are any, count from 1."""
    labels = [start.label for start in starts if start.label is not None]
    return not labels or labels == [str(number) for number in range(1, len(starts) + 1)]


def _highest_mark(text: str, end: int) -> int:
    """The highest number that a mark before offset `end` has; 0 without any."""
    highest = 0
    for match in _MARK.finditer(text, 0, end):
        number = match[1] or match[2] or str("¹²³⁴⁵⁶⁷⁸⁹".index(match[3]) + 1)
        highest = max(highest, int(number))
    return highest
