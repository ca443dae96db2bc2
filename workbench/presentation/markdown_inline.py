"""Inline Markdown of one block: which characters are syntax, and which are emphasized; pure.

Our own scanner, because the tokens of markdown-it's inline parser have no positions, and because it
reads `**重点（x）**是` as asterisks and `2*3*4` as emphasis. Entities, HTML and images stay text, so
that every character shown is the character of the text at the same offset.
"""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

InlineStyle = Literal["strong", "em", "del", "code", "link", "note", "marker"]
"""A `note` is the number of a footnote, a `marker` the number of a list item."""

_TO = r"\((?:[^\s()]|\([^\s()]{0,200}\)){1,2000}(?:[ \t]+\"[^\"\n]{0,300}\")?[ \t]*\)"
_TOKEN = re.compile(
    r"(?P<code>`+)"
    r"|(?P<brackets>\\\[(?! )[^\[\]\\\n]{1,40}(?<! )\\\])"
    r"|(?P<escape>\\[*_`#~|.+-])"
    r"|(?P<autolink><https?://[^<>\s]{1,2000}>)"
    rf"|(?P<image>!\[[^\[\]\n]{{0,1000}}\]{_TO})"
    rf"|(?P<note>\[\^[^\[\]\s^]{{1,60}}\](?P<note_to>{_TO})?)"
    r"|(?P<open>\[)"
    rf"|(?P<close>\](?P<to>{_TO})?)"
    r"|(?P<run>\*+|_+|~+)"
)
_START = re.compile(r"[`\\<\[\]*_~]|!(?=\[)")
_ADDRESS = re.compile(r"\(((?:https?://|mailto:|#)[^\s]*)", re.IGNORECASE)
_NUMBER = re.compile(r"\d{1,3}\Z")


class StyleRange(NamedTuple):
    """Characters `start` to `end` of the block with a style; without one they are syntax."""

    start: int
    end: int
    style: InlineStyle | None
    address: str | None = None
    """Of a link, as written."""


class _Delimiters(NamedTuple):
    start: int
    end: int
    link: int | None
    """The number of the link whose words contain them."""


def inline_ranges(content: str) -> list[StyleRange]:
    """The styles and the syntax of a block's text, in no order; styles may nest.

    Links are those to web addresses, mail and places of the page; others stay text. The cost is
    linear in the text.
    """
    ranges: list[StyleRange] = []
    delimiters: list[_Delimiters] = []
    brackets: list[tuple[int, int]] = []
    """Where a bracket opens, and how many delimiters are before it."""
    links = 0
    for token in _tokens(content):
        kind, start, end = token.kind, token.start, token.end
        if kind == "code":
            ranges += _between(start, end, token.marks, "code")
        elif kind == "brackets":
            ranges += [StyleRange(start, start + 1, None), StyleRange(end - 2, end - 1, None)]
        elif kind == "escape":
            ranges.append(StyleRange(start, start + 1, None))
        elif kind == "autolink":
            ranges += _between(start, end, 1, "link", content[start + 1 : end - 1])
        elif kind == "note":
            ranges += _note(content, start, end, token.marks)
        elif kind == "open":
            brackets.append((start, len(delimiters)))
        elif kind == "close":
            opened = brackets.pop() if brackets else None
            address = _ADDRESS.match(content, start + 1, end)
            if opened is None or address is None or not content[opened[0] + 1 : start].strip():
                continue
            # links do not nest
            brackets.clear()
            links += 1
            delimiters[opened[1] :] = [d._replace(link=links) for d in delimiters[opened[1] :]]
            words = address[1].removesuffix(")")
            ranges += _link(content, opened[0], start, end, words)
        elif kind == "run":
            delimiters.append(_Delimiters(start, end, None))
    return ranges + _emphasis(content, delimiters)


def plain_words(content: str) -> str:
    """The text of a block without its syntax: `the [page](https://a.example)` is "the page"."""
    words, at = [], 0
    for start, end, style, _ in sorted(inline_ranges(content), key=lambda shown: shown.start):
        if style is None:
            words.append(content[at:start])
            at = max(at, end)
    return "".join([*words, content[at:]])


class _Token(NamedTuple):
    kind: str
    start: int
    end: int
    marks: int = 0
    """Length of the opening syntax: backticks, or a footnote's up to its closing bracket."""


def _tokens(content: str) -> Iterator[_Token]:
    """The tokens in order; a run of backticks without its equal stays text."""
    ticks: dict[int, list[int]] = {}
    for run in re.finditer("`+", content):
        ticks.setdefault(len(run[0]), []).append(run.start())
    for places in ticks.values():
        places.reverse()
    at = 0
    while first := _START.search(content, at):
        start = first.start()
        token = _TOKEN.match(content, start)
        if token is None:
            at = start + 1
            continue
        at = token.end()
        kind = str(token.lastgroup)
        if kind == "image":
            continue
        if kind == "note":
            yield _Token(kind, start, at, len(token["note"]) - len(token["note_to"] or ""))
        elif kind == "code":
            size = len(token["code"])
            # the rest of a run whose first backtick is escaped may have no equal at all
            closing = ticks.get(size, [])
            while closing and closing[-1] <= start:
                closing.pop()
            if closing:
                at = closing[-1] + size
                yield _Token(kind, start, at, size)
        else:
            yield _Token(kind, start, at)


def _between(
    start: int, end: int, size: int, style: InlineStyle, address: str | None = None
) -> list[StyleRange]:
    return [
        StyleRange(start, start + size, None),
        StyleRange(start + size, end - size, style, address),
        StyleRange(end - size, end, None),
    ]


def _note(content: str, start: int, end: int, size: int) -> list[StyleRange]:
    """`[^3]` as a raised 3; at the start of a line with the colon of its definition."""
    close = start + size - 1
    if content[end : end + 1] == ":" and content[start - 1 : start] in ("", "\n"):
        end += 1
    return [
        StyleRange(start, start + 2, None),
        StyleRange(start + 2, close, "note"),
        StyleRange(close, end, None),
    ]


def _link(content: str, start: int, close: int, end: int, address: str) -> list[StyleRange]:
    """The words of `[words](address)`; a number, which cites, keeps its brackets."""
    if _NUMBER.match(content, start + 1, close):
        return [StyleRange(start, close + 1, "link", address), StyleRange(close + 1, end, None)]
    return [
        StyleRange(start, start + 1, None),
        StyleRange(start + 1, close, "link", address),
        StyleRange(close, end, None),
    ]


def _emphasis(content: str, delimiters: list[_Delimiters]) -> list[StyleRange]:
    """Pairs of delimiters; those in the words of a link pair among themselves."""
    regions: dict[int | None, list[_Delimiters]] = {}
    for run in delimiters:
        regions.setdefault(run.link, []).append(run)
    return [style_range for runs in regions.values() for style_range in _pairs(content, runs)]


def _pairs(content: str, runs: list[_Delimiters]) -> Iterator[StyleRange]:
    opened: list[tuple[str, int, int]] = []
    """Sign, start and end of the delimiters that wait for their equal."""
    waiting = {"*": 0, "_": 0, "~": 0}
    for start, end, _ in runs:
        sign = content[start]
        if end - start > (2 if sign == "~" else 3) or (sign == "~" and end - start < 2):
            continue
        can_open, can_close = _flanks(content, start, end)
        while can_close and start < end and waiting[sign]:
            while opened[-1][0] != sign:
                waiting[opened.pop()[0]] -= 1
            _, first, last = opened.pop()
            size = min(last - first, end - start, 2)
            style: InlineStyle = "del" if sign == "~" else "strong" if size == 2 else "em"
            yield StyleRange(last - size, last, None)
            yield StyleRange(last, start, style)
            yield StyleRange(start, start + size, None)
            start += size
            if first < last - size:
                opened.append((sign, first, last - size))
            else:
                waiting[sign] -= 1
        if can_open and start < end:
            opened.append((sign, start, end))
            waiting[sign] += 1


def _flanks(content: str, start: int, end: int) -> tuple[bool, bool]:
    """Whether delimiters may open and close; those inside a word or a formula may not."""
    before, after = content[start - 1 : start], content[end : end + 1]
    can_open, can_close = bool(after.strip()), bool(before.strip())
    if content[start] == "_":
        return can_open and not before.isalnum(), can_close and not after.isalnum()
    if content[start] == "*" and before.isalnum() and after.isalnum():
        single = end - start == 1 and (before + after).isascii()
        if single or (before.isdigit() and after.isdigit()):
            return False, False
    return can_open, can_close
