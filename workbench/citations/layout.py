"""The lines of a text and the blocks that they make: headings, lists, tables, code, quotations."""

import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from workbench.records.text import Excerpt, Span

LineKind = Literal["plain", "item", "heading", "table", "rule", "code"]

_LINE = re.compile(r"[^\n\r\x0b\x0c\x85\u2028\u2029]+")
_PREFIX = re.compile(
    r"[ \t\u3000\xa0]{0,40}(?:>[ \t]{0,3}){0,6}"
    r"(?:(?P<hash>\#{1,6})[ \t]+"
    r"|(?P<item>(?:[-*+•·▪◦‣–—●○■□◆▶►✓✔✅➤➢][ \t]+(?:\[[ xX]\][ \t]+)?)"
    r"(?:\(?\d{1,3}[.)][ \t]+)?"
    r"|\(?\d{1,3}[.)](?:[ \t]+|\Z)|\d{1,3}(?:[ \t]?\[\d{1,3}\]){1,8}[.)][ \t]+"
    r"|\d{1,3}[、．]\s{0,4}|[（(](?:\d{1,3}|[一二三四五六七八九十]{1,3})[）)]\s{0,4}"
    r"|[一二三四五六七八九十]{1,3}、|[①-⑳]\s{0,4}|\(?[a-zA-Z][)][ \t]+|[ivxIVX]{1,5}[.)][ \t]+)"
    r"|(?P<fence>`{3,}|~{3,})"
    r"|(?P<pipe>\|)"
    r"|(?P<rule>(?:[-*_=][ \t]{0,3}){3,}$))?"
)
_FENCE = re.compile(r"^[ \t>]{0,12}(?P<mark>`{3,20}|~{3,20})(?P<info>[^\n`]{0,200})$", re.MULTILINE)
_FENCE_TEXT = re.compile(r"\s*(?:markdown|md|text|txt|plaintext)\s*\Z", re.IGNORECASE)
_FENCE_MARKS = re.compile(r"(?:[ \t]*\[\d{1,3}\])*[ \t.]*\Z")
_ENTRY = re.compile(r"^[ \t]{0,8}\[\d{1,3}\]:?[ \t]+\S{0,200}https?://", re.MULTILINE)
_TABLE_RULE = re.compile(r"[ \t|:+-]*-[ \t|:+-]*\Z")
_BOLD = re.compile(r"(\*\*|__)(?P<words>[^*_\n]{1,150})\1[ \t]*[:：]?\Z")
_CONTENTS = re.compile(
    r"[\s#>*_\W]{0,12}(?:table of contents|contents|on this page|in this (?:article|report)"
    r"|inhalts?(?:verzeichnis|übersicht)|inhalt|table des matières|sommaire|índice(?: general)?"
    r"|tabla de contenidos?|contenidos?|目录|目錄|目次|内容目录)[\s*_:：#]{0,8}\Z",
    re.IGNORECASE,
)
_LEADERS = re.compile(r"(?:\.\s?){4,}|…{2,}|·{4,}|_{4,}")
_PAGE = re.compile(r"[\s.…·_]{1,400}\d{1,4}[\s|]{0,4}\Z")
_JUMP = re.compile(r"\[[^\[\]\n]{1,200}\]\(#[^()\s]{0,200}\)")
_STOPS = ".!?。！？;；"
_LONGEST_ENTRY = 160
_LETTERS = re.compile(r"[^\W\d_]{2,}")
_STATES = re.compile(
    r"\b(?:is|are|was|were|has|have|had|will|can|did|does|do|ist|sind|war|wurde|hat|est|sont|a été"
    r"|était|es|son|fue|era|tiene)\b|[是为有了在]",
    re.IGNORECASE,
)


class Line(NamedTuple):
    """One line that is not blank; offsets are code points of the text."""

    start: int
    """First code point, indentation included."""
    end: int
    """One past the last code point that is not white space."""
    body: int
    """Where the words begin, after indentation, bullet, number or hashes."""
    kind: LineKind
    gap: bool
    """Whether a blank line (or the start of the text) is before it."""
    level: int = 0
    """Number of hashes of a heading; 7 for a line in bold."""


def read_lines(text: str) -> list[Line]:
    """The lines of a text that are not blank, in order; fenced code is marked line by line.

    A fence that says `markdown` or `text` wraps an answer and is not code. A fence that is never
    closed holds the rest of the text, as in CommonMark, up to a reference list.
    """
    lines: list[Line] = []
    fences = _fences(text)
    block = 0
    before = 0
    for match in _LINE.finditer(text):
        start, stop = match.span()
        end = start + len(text[start:stop].rstrip())
        if end == start:
            continue
        gap = not lines or _blank_between(text, before, start)
        before = stop
        while block < len(fences) and fences[block][1] <= start:
            block += 1
        if block < len(fences) and fences[block][0] <= start:
            code = min(end, fences[block][1])
            lines.append(Line(start, code, start, "code", gap))
            if code < end and text[code:end].strip():
                lines.append(Line(code, end, code + 1, "plain", True))
            continue
        prefix = _PREFIX.match(text, start, end)
        assert prefix is not None  # every part is optional
        body = prefix.end()
        group = prefix.lastgroup
        if group == "fence":
            lines.append(Line(start, end, end, "rule", gap))
        elif group == "hash":
            lines.append(Line(start, end, body, "heading", gap, len(prefix["hash"])))
        elif group == "item":
            lines.append(Line(start, end, body, "item", gap))
        elif group == "pipe":
            kind: LineKind = "rule" if _TABLE_RULE.match(text, start, end) else "table"
            lines.append(Line(start, end, prefix.start("pipe"), kind, gap))
        elif group == "rule":
            _underline(text, lines, text[end - 1], gap)
            lines.append(Line(start, end, end, "rule", gap))
        else:
            lines.append(_plain(text, start, end, body, gap, lines))
    return lines


def _fences(text: str) -> list[tuple[int, int]]:
    """The fenced code of a text, fences included; marks behind a closing fence are outside."""
    if "```" not in text and "~~~" not in text:
        return []
    spans: list[tuple[int, int]] = []
    opened: re.Match[str] | None = None
    wrapped = False
    for fence in _FENCE.finditer(text):
        info = fence["info"]
        if opened is not None:
            if fence["mark"].startswith(opened["mark"]) and _FENCE_MARKS.match(info):
                spans.append((opened.start(), fence.end("mark")))
                opened = None
        elif _FENCE_TEXT.match(info):
            wrapped = True
        elif wrapped and not info.strip():
            wrapped = False
        else:
            opened = fence
    if opened is not None:
        entry = _ENTRY.search(text, opened.end())
        spans.append((opened.start(), entry.start() if entry else len(text)))
    return spans


def _plain(text: str, start: int, end: int, body: int, gap: bool, lines: list[Line]) -> Line:
    """A line without a prefix: bold alone is a heading; a table may go without outer pipes."""
    first = text[body] if body < end else ""
    if first in "*_" and _BOLD.match(text, body, end):
        return Line(start, end, body, "heading", gap, 7)
    if not gap and lines and lines[-1].kind in ("table", "rule"):
        if lines[-1].kind == "rule" and "|" in text[lines[-1].start : lines[-1].end]:
            return Line(start, end, body, "table" if "|" in text[body:end] else "plain", gap)
        if lines[-1].kind == "table" and "|" in text[body:end]:
            return Line(start, end, body, "table", gap)
    if "|" in text[body:end] and _TABLE_RULE.match(text, body, end):
        if lines and lines[-1].kind == "plain" and "|" in text[lines[-1].start : lines[-1].end]:
            lines[-1] = lines[-1]._replace(kind="table")
        return Line(start, end, end, "rule", gap)
    return Line(start, end, body, "plain", gap)


def _underline(text: str, lines: list[Line], drawn: str, gap: bool) -> None:
    """Make the short plain line above `===` or `---` a heading (setext)."""
    if drawn not in "=-" or gap or not lines:
        return
    above = lines[-1]
    if above.kind == "plain" and above.gap and above.end - above.body <= 100:
        lines[-1] = above._replace(kind="heading", level=1 if drawn == "=" else 2)


def _blank_between(text: str, before: int, start: int) -> bool:
    """Whether more than one line end stands between two lines."""
    if start - before < 2:
        return False
    between = text[before:start]
    return between.count("\n") > 1 or (
        "\n" not in between and len(between.replace("\r\n", "\n").strip(" \t")) > 1
    )


def read_contents(text: str, lines: list[Line]) -> list[tuple[int, int]]:
    """Where tables of contents stand: under their heading, or as lines that lead to a page."""
    spans: list[tuple[int, int]] = []
    listed = began = False
    for line in lines:
        words = text[line.body : line.end]
        if line.kind != "code" and line.end - line.start <= 60 and _CONTENTS.match(words):
            listed, began = True, False
            spans.append((line.start, line.end))
            continue
        if line.kind == "heading" and line.level < 7:
            listed = False
        ends_in_number = any(map(str.isdecimal, words[-5:]))
        leads = ends_in_number and bool(_PAGE.search(words) and _LEADERS.search(words))
        jumps = (
            "](#" in words
            and bool(_JUMP.search(words))
            and not _LETTERS.search(_JUMP.sub(" ", words))
        )
        if began and line.gap and line.kind != "item":
            listed = False
        listed = listed and (line.kind in ("table", "rule") or _is_contents_entry(words))
        began = listed
        if leads or jumps or listed:
            spans.append((line.start, line.end))
    return spans


def outside(lines: Iterable[Line], spans: Iterable[tuple[int, int]]) -> Iterator[Line]:
    """The lines that are in none of the spans; one behind a gap so made has a gap before it."""
    at, cut = 0, False
    ordered = sorted(spans)
    for line in lines:
        while at < len(ordered) and ordered[at][1] <= line.start:
            at += 1
        if at == len(ordered) or line.end <= ordered[at][0]:
            yield line if not cut else line._replace(gap=True)
            cut = False
        else:
            cut = True


def _is_contents_entry(words: str) -> bool:
    """Whether a line below the heading of the contents is one of their entries."""
    return len(words) <= _LONGEST_ENTRY and words[-1:] not in _STOPS and not states_something(words)


def states_something(words: str) -> bool:
    """Whether words state something, as far as their verbs tell."""
    return words.rstrip()[-1:] in tuple("!?。！？") or _STATES.search(words) is not None


BlockKind = Literal["paragraph", "list", "table", "heading", "break"]
INDENTED = 2
"""Blanks before a paragraph that belongs to the list item above it."""
_TAB = 4


LONGEST_HEADING = 300
"""Code points of a heading or of a cell that are kept."""
_TITLE, _FIRST_HASH, _BOLD_HEADING, _SHORT_PARAGRAPH = 0, 10, 100, 110
"""Ranks: the smaller stands above the greater. Numbered headings have theirs below."""
_NUMBERED = re.compile(
    r"\s*(?:(?P<r65>第[一二三四五六七八九十百\d]{1,4}[章部篇编編])"
    r"|(?P<r68>第[一二三四五六七八九十百\d]{1,4}[节節])"
    r"|(?P<r70>[一二三四五六七八九十]{1,3}、)"
    r"|(?P<r80>[（(][一二三四五六七八九十]{1,3}[）)])"
    r"|(?P<r94>\d{1,2}\.\d{1,2}\.\d)"
    r"|(?P<r92>\d{1,2}\.\d)"
    r"|(?P<r90>\d{1,2}[.、．]|[IVX]{1,5}\.))"
)
_LONGEST_NUMBERED = 60
_NO_HEADING_ENDS = ".。!！?？;；,，、]】…"
_CLOSING_HASHES = re.compile(r"[ \t]+#{1,6}\Z")


class Outline(NamedTuple):
    """The headings of a text in text order, each with the one that it stands under."""

    text: str
    starts: list[int]
    """Where the line of each heading begins."""
    lines: list[int]
    """The number of that line."""
    parents: list[int]
    """The number of the heading above each, -1 for none."""
    words: list[tuple[int, int]]
    """The span of its words, without `#` and bold signs; empty for a heading without words."""
    paths: dict[int, tuple[Excerpt, ...]]
    """The paths made so far, by heading: claims under one heading share theirs."""

    def above(self, line_start: int) -> tuple[Excerpt, ...]:
        """The headings that the line at `line_start` stands under, outermost first.

        A line that is a heading itself is not among them.
        """
        number = bisect_left(self.starts, line_start)
        if number < len(self.starts) and self.starts[number] == line_start:
            return self._path(self.parents[number])
        return self._path(number - 1) if number else ()

    def _path(self, number: int) -> tuple[Excerpt, ...]:
        """A heading with those above it; -1 stands for none, and -2 for the start of an answer."""
        if number < 0:
            return ()
        path = self.paths.get(number)
        if path is None:
            start, end = self.words[number]
            path = self._path(self.parents[number])
            if start < end:
                words = Excerpt(span=Span(start, end), text=self.text[start:end])
                path = (*path, words)
            self.paths[number] = path
        return path


def read_outline(
    text: str, lines: Sequence[Line], titles: Collection[int], answers: Sequence[int] = ()
) -> Outline:
    """The headings of a text: `#`, underlined, in bold alone on a line, numbered, and titles.

    A heading ends where another of its rank or a higher one follows. A title or bold line that
    opens the text stands above all. Offsets are code points of the text.

    Args:
        text: The text.
        lines: Its lines.
        titles: Where the paragraphs begin that read as a title.
        answers: Where answers begin in a transcript: no heading reaches over one.
    """
    outline = Outline(text, [], [], [], [], {})
    open_: list[tuple[int, int]] = []
    waiting = 0
    for number, line in enumerate(lines):
        while waiting < len(answers) and line.start >= answers[waiting]:
            waiting += 1
            if open_:
                open_ = []
                _close(outline, line)
        kind = line.kind
        if kind == "plain":
            if line.body not in titles:
                continue
        elif kind == "item":
            if not _is_numbered_heading(text, lines, number):
                continue
        elif kind != "heading":
            continue
        words = bare(text, line.body, line.end, heading=True)
        rank = _rank(text, line, opens=number == 0)
        while open_ and open_[-1][0] >= rank:
            open_.pop()
        outline.parents.append(open_[-1][1] if open_ else -1)
        open_.append((rank, len(outline.starts)))
        outline.starts.append(line.start)
        outline.lines.append(number)
        outline.words.append(words)
    return outline


def _close(outline: Outline, line: Line) -> None:
    """Close all headings at a line that is not a heading."""
    outline.starts.append(line.start)
    outline.lines.append(-1)
    outline.parents.append(-1)
    outline.words.append((line.start, line.start))


def bare(text: str, start: int, end: int, *, heading: bool = False) -> tuple[int, int]:
    """The span of the words in `text[start:end]` without blanks and bold signs around them.

    At most `LONGEST_HEADING` code points; of a heading also without closing `#` and colon.
    """
    end = min(end, start + LONGEST_HEADING)
    words = text[start:end]
    if end > start and words[0].isalnum() and words[-1].isalnum():
        return start, end
    while True:
        before = words
        words = words.rstrip()
        if heading:
            closing = _CLOSING_HASHES.search(words)
            words = (words[: closing.start()] if closing else words).rstrip(":：")
        start += len(words) - len(words.lstrip())
        words = words.lstrip()
        for sign in ("**", "__", "*", "_"):
            inner = words[len(sign) : -len(sign)]
            if inner and words.startswith(sign) and words.endswith(sign) and sign not in inner:
                words = inner
                start += len(sign)
                break
        if words == before:
            return start, start + len(words)


def _rank(text: str, line: Line, *, opens: bool) -> int:
    """How high a heading stands: smaller is higher."""
    if line.kind == "heading" and line.level < 7:
        return _FIRST_HASH * line.level
    start = line.start if line.kind == "item" else bare(text, line.body, line.end)[0]
    numbered = _NUMBERED.match(text, start, line.end)
    if numbered is not None and numbered.lastgroup is not None:
        return int(numbered.lastgroup[1:])
    if opens:
        return _TITLE
    return _BOLD_HEADING if line.kind == "heading" else _SHORT_PARAGRAPH


def _is_numbered_heading(text: str, lines: Sequence[Line], at: int) -> bool:
    """Whether a numbered line heads what follows it, and is not an item of a list.

    `一、` and `（一）` do so where no line of their form stands next to them; `1.` only in a
    paragraph of its own, with another kind of text before the next number.
    """
    line = lines[at]
    if line.end - line.body > _LONGEST_NUMBERED or line.end <= line.body or at + 1 >= len(lines):
        return False
    match = _NUMBERED.match(text, line.start, line.end)
    if match is None or text[line.end - 1] in _NO_HEADING_ENDS:
        return False
    chinese = match.lastgroup in ("r70", "r80")
    after = lines[at + 1]
    if not chinese and not (line.gap and after.gap and text[line.end - 1] not in ":："):
        return False
    return not any(
        neighbor.kind == "item" and _form(text, neighbor) == match.lastgroup
        for neighbor in (after, *lines[max(at - 1, 0) : at])
    )


def _form(text: str, line: Line) -> str | None:
    match = _NUMBERED.match(text, line.start, line.end)
    return match.lastgroup if match else None


class TextBlock(NamedTuple):
    """Lines `lines[first:last]` that belong together."""

    start: int
    """First code point of its first line."""
    first: int
    last: int
    kind: BlockKind
    opens: bool
    """Whether an answer of a transcript begins with it: nothing before belongs to it."""

    @property
    def is_prose(self) -> bool:
        """Whether its sentences can lead to those of the block after it."""
        return self.kind == "paragraph" or self.kind == "list"


def read_blocks(
    text: str, lines: Sequence[Line], headings: Sequence[int], answers: Sequence[int] = ()
) -> list[TextBlock]:
    """The blocks of a text in order; code and rules are breaks between them.

    A list holds its items with their wrapped and indented lines, also where blank lines part them.

    Args:
        text: The text.
        lines: Its lines.
        headings: Numbers of the lines that are headings, in order.
        answers: Where answers begin in a transcript.
    """
    blocks: list[TextBlock] = []
    kind: BlockKind | None = None
    first = at_heading = at_answer = 0
    opens = False
    for number, line in enumerate(lines):
        new = False
        while at_answer < len(answers) and line.start >= answers[at_answer]:
            at_answer += 1
            new = True
        while at_heading < len(headings) and headings[at_heading] < number:
            at_heading += 1
        heads = at_heading < len(headings) and headings[at_heading] == number
        line_kind: BlockKind = "heading" if heads else _kind(text, lines, number, kind)
        if kind is not None and (
            new or line_kind != kind or not _joins(text, lines, number, line_kind)
        ):
            blocks.append(TextBlock(lines[first].start, first, number, kind, opens))
            first, opens = number, new
        elif kind is None:
            opens = new
        kind = line_kind
    if kind is not None:
        blocks.append(TextBlock(lines[first].start, first, len(lines), kind, opens))
    return blocks


def _kind(text: str, lines: Sequence[Line], number: int, previous: BlockKind | None) -> BlockKind:
    """The kind of the block of a line that is not a heading; `previous` is the block before."""
    line = lines[number]
    if line.kind == "plain":
        if previous == "list" and (not line.gap or indent(text, line) >= INDENTED):
            return "list"
        return "paragraph"
    if line.kind == "item":
        return "list"
    if line.kind == "table" or (line.kind == "rule" and previous == "table" and not line.gap):
        return "table"
    return "break"


def _joins(text: str, lines: Sequence[Line], number: int, kind: BlockKind) -> bool:
    """Whether a line continues a block of its own kind."""
    line = lines[number]
    if kind == "list" or kind == "break":
        return True
    if kind == "table" and line.gap:
        heads = number + 1 < len(lines) and lines[number + 1].kind == "rule"
        return not (heads and not lines[number + 1].gap)
    return kind != "heading" and not line.gap


def indent(text: str, line: Line) -> int:
    """How far a line is indented, in blanks; a tab counts as four."""
    words = text[line.start : line.body]
    lead = words[: len(words) - len(words.lstrip())]
    return len(lead) + (_TAB - 1) * lead.count("\t")


def items_above(text: str, lines: Sequence[Line], block: TextBlock) -> dict[int, int]:
    """For each item of a list, by the number of its line, the item that it stands under.

    -1 stands for none.
    """
    above: dict[int, int] = {}
    open_: list[tuple[int, int]] = []
    for number in range(block.first, block.last):
        if lines[number].kind != "item":
            continue
        depth = indent(text, lines[number])
        while open_ and open_[-1][0] >= depth:
            open_.pop()
        above[number] = open_[-1][1] if open_ else -1
        open_.append((depth, number))
    return above
