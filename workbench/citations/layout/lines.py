"""The lines of a text and what each one is: heading, list item, table row, code, plain words."""

import re
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

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
