"""Know how an entry of a reference list begins: `[1]`, `1.`, `[^1]:`, `[Smith2019]`, a row."""

import re
from typing import Literal, NamedTuple

from workbench.citations import patterns
from workbench.citations.brackets import plain_number
from workbench.citations.lines import Line

EntryStyle = Literal["square", "footnote", "key", "ordinal", "plain"]

_BULLET = r"(?:[-*+•·▪◦‣–—●○■▶►➤][ \t]{1,4})"
_INDENT = r"[ \t\u3000>]{0,12}"
_START = re.compile(
    rf"{_INDENT}{_BULLET}?(?:\*\*|__)?"
    r"(?:\\?\[\^(?P<foot>[^\]\s]{1,40})\]:?"
    r"|\\?[\[【［〔](?P<square>\d{1,3}|[０-９]{1,3})(?:†[^\]】\n]{0,40})?\\?[\]】］〕](?!\(\s?(?:<|https?:|www\.|[#/.]))"
    r"|(?P<raised>[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3})|<sup>\s?\[?(?P<sup>\d{1,3})\]?\s?</sup>"
    r"|\[(?:\[|\\\[)?(?P<linked>\d{1,3})(?:\]|\\\])?\](?=\()"
    r"|\[(?P<key>@?[A-Za-z][\w:+./-]{0,40})\](?![(\[]))"
    r"(?:\*\*|__)?\s{0,3}[:：.]?\s{0,4}"
)
_ORDINAL = re.compile(
    rf"{_INDENT}{_BULLET}?(?:\*\*)?[(（]?(?P<ordinal>\d{{1,3}})"
    r"(?:[.)、．）:：](?!\d)|(?=\s{1,3}\S))(?:\*\*)?[ \t]{0,4}"
)
_LINK_ORDINAL = re.compile(rf"{_INDENT}{_BULLET}?\[(?P<ordinal>\d{{1,3}})[.)、:]\s")
_WORD_LABEL = re.compile(
    rf"{_INDENT}{_BULLET}?(?:\*\*)?(?:source|ref(?:erence)?|citation|来源|文献|资料)\.?\s?#?"
    r"(?P<ordinal>\d{1,3})(?:\*\*)?\s?[:：.)](?:\*\*)?\s{0,3}",
    re.IGNORECASE,
)
_FIRST_SIGNS = frozenset("[【［〔⁰¹²³⁴⁵⁶⁷⁸⁹<*\\_")
_PIECE = re.compile(r"(?:(?<=[\s;；,，。.])|\A)\[\d{1,3}\]\s?[:：]?\s?(?=[^\s\[\]])")
SOURCE_LIKE = re.compile(
    r"https?://|www\.|\]\(http|10\.\d{4}|arxiv|PMID|PMC\d"
    rf"|{patterns.YEAR}|《|\[[A-Z](?:/OL)?\]|doi|et al|\b(?:file|git|memory):|\d U\.S\.|ISBN",
    re.IGNORECASE,
)
"""What shows that a line names a source: an address, an identifier or at least a year."""
ADDRESS = re.compile(
    r"https?://|www\.|\]\(http|10\.\d{4,9}/|arxiv\s?:|PMID|PMC\d|\b(?:file|git|memory):",
    re.IGNORECASE,
)


class EntryStart(NamedTuple):
    """An entry by its label: it spans `start:end`, its words begin at `body`."""

    start: int
    body: int
    end: int
    label: str | None
    style: EntryStyle


def begin_entry(text: str, line: Line, headed: bool) -> EntryStart | None:
    """The entry that begins with a line; None when none does.

    Args:
        text: The text.
        line: One of its lines.
        headed: Whether the line stands under the heading of a reference list, where list numbers
            and lines without any label are entries too.
    """
    if line.kind == "heading" and line.level < 7:
        return None
    start = line.start
    while text[start].isspace():
        start += 1
    label = _START.match(text, line.start, line.end)
    if label and label.end() < line.end:
        return _labelled(text, label, start, line.end)
    if not headed:
        return None
    for pattern in (_ORDINAL, _LINK_ORDINAL, _WORD_LABEL):
        ordinal = pattern.match(text, line.start, line.end)
        if ordinal is None or ordinal.end() >= line.end:
            continue
        body = start if pattern is _LINK_ORDINAL else ordinal.end()
        inner = _START.match(text, body, line.end)
        if inner and inner.end() < line.end and inner["square"]:
            return _labelled(text, inner, start, line.end)
        return EntryStart(start, body, line.end, plain_number(ordinal["ordinal"]), "ordinal")
    if line.kind == "table":
        return _row(text, line)
    return EntryStart(start, max(line.body, start), line.end, None, "plain")


def may_begin(text: str, line: Line) -> bool:
    """Whether a line's first sign can be that of a label; a quick look."""
    return line.body < line.end and text[line.body] in _FIRST_SIGNS


def split_inline(text: str, start: int, end: int) -> list[EntryStart]:
    """Entries that stand in one line: `[1] https://… [2] https://…`; none when it holds no list."""
    starts = [start + found.start() for found in _PIECE.finditer(text[start:end])]
    if not starts or text[start : starts[0]].strip():
        return []
    begun = []
    for first, stop in zip(starts, [*starts[1:], end], strict=True):
        label = _START.match(text, first, stop)
        if label is None:
            return []
        begun.append(_labelled(text, label, first, stop))
    return begun if any(SOURCE_LIKE.search(text, one.body, one.end) for one in begun) else []


def _labelled(text: str, label: re.Match[str], start: int, stop: int) -> EntryStart:
    """The entry that a label begins, its end without white space and closing punctuation."""
    end = start + len(text[start:stop].rstrip(" \t;；,，"))
    body = min(label.end(), end)
    if label["foot"] is not None:
        name = label["foot"]
        shown = plain_number(name) if name.isdigit() else name
        return EntryStart(start, body, end, shown, "footnote")
    for group in ("square", "raised", "sup"):
        if label[group] is not None:
            return EntryStart(start, body, end, plain_number(label[group]), "square")
    if label["linked"] is not None:
        number = plain_number(label["linked"])
        return EntryStart(start, label.start("linked") - 1, end, number, "square")
    return EntryStart(start, body, end, label["key"].removeprefix("@"), "key")


def _row(text: str, line: Line) -> EntryStart | None:
    """A table row that names a source; its first cell is the label when it holds one alone."""
    if not SOURCE_LIKE.search(text, line.body, line.end):
        return None
    start = line.body
    while start < line.end and text[start] in "| \t":
        start += 1
    end = line.end
    while end > start and text[end - 1] in "| \t":
        end -= 1
    stop = text.find("|", start, end)
    label = text[start:stop].strip(" []【】*\\^") if stop > 0 else ""
    if not (label.isdigit() and len(label) <= 3):
        return EntryStart(start, start, end, None, "plain")
    body = stop
    while body < end and text[body] in "| \t":
        body += 1
    return EntryStart(start, body, end, plain_number(label), "square")
