"""What a reader sees within a line of a page: raised and lowered figures, what is struck out. Pure.

Text alone has no raised figures, and without care "120³ metres" with a note 3 becomes 1203 metres.
An exponent is written `10^6`, the mark of a note `120 [3]`, and everything else as one word.
"""

import re
from collections.abc import Iterator
from typing import Protocol


class Node(Protocol):
    """As much of an lxml element as is used here."""

    tag: object
    text: str | None
    tail: str | None

    def get(self, key: str) -> str | None: ...  # noqa: D102
    def set(self, key: str, value: str) -> None: ...  # noqa: D102
    def getparent(self) -> "Node | None": ...  # noqa: D102
    def getprevious(self) -> "Node | None": ...  # noqa: D102
    def clear(self, keep_tail: bool = False) -> None: ...  # noqa: D102
    def iter(self, *tags: str) -> "Iterator[Node]": ...  # noqa: D102
    def itertext(self) -> "Iterator[str]": ...  # noqa: D102
    def __iter__(self) -> "Iterator[Node]": ...
    def __len__(self) -> int: ...


LONGEST_FIGURE = 16
"""A raised or lowered part that is longer is text in small print."""
_STRUCK = frozenset({"del", "s", "strike"})
_NOT_SHOWN = frozenset({"rt", "rp", "rtc", "annotation", "annotation-xml"})
_FOR_READERS = re.compile(
    r"(?:^|\s)(?:sr-only|visually-?hidden|screen-reader(?:-text|-only)?|katex-html)(?:$|\s)", re.I
)
_LINE_THROUGH = re.compile(r"text-decoration(?:-line)?\s*:[^;{}]{0,40}line-through", re.I)
_STRUCK_RULE = re.compile(
    r"([^{}@;]{1,400})\{[^{}]{0,2000}?text-decoration(?:-line)?\s*:[^;{}]{0,40}line-through", re.I
)
_CLASS = re.compile(r"(?:[a-z]{1,10})?\.([\w-]{1,60})\s*\Z", re.I)
_NOTE_NAME = re.compile(
    r"(?:^|[\s_:-])(?:(?:foot|end)?notes?|fn|noteref|ref(?:erence)?|cite|citation)(?:$|[\s_\d:-])",
    re.I,
)
_NOTE = re.compile(r"[\d,;–—\-\s]{1,12}|[a-z]", re.I)
_POWER = re.compile(r"(?<![\d.,])10\Z|[×·⋅*]\s?\d{1,3}\Z|(?<![^\W\d_])[A-Za-zα-ωΑ-Ω]\Z")
_UNIT = re.compile(
    r"(?:\d\s?|[/·⋅(]|\bper\s)(?:[kcdmµμn]?m|ft|in|yd|mi|s|sec|kg|км|м|см)\Z"
    r"|(?<![^\W\d_])(?:[kcmµμn]m|kg|км|см)\Z"
)
_UNIT_SIGN = {"2": "²", "3": "³"}
_ORDINAL = re.compile(r"st|nd|rd|th|er|ers|re|res|e|es|ème|ère|nde?|a|o|os|as|º|ª|te|ter", re.I)


def raised(before: str, figure: str, *, note: bool = False) -> str:
    """A raised part of a line as it is written in plain text behind `before`.

    Args:
        before: The text before it; the last twenty characters decide.
        figure: The raised part.
        note: Whether the page says that it marks a note.

    >>> raised("about 10", "6"), raised("is 120", "3"), raised("the 19", "th"), raised("12 km", "2")
    ('^6', ' [3]', 'th', '²')
    """
    figure, end = figure.strip(), before[-20:]
    bare = figure.strip("[]()")
    if bare != figure or not bare:
        return f" {figure}" if end[-1:].isdigit() else figure
    if note and _NOTE.fullmatch(figure):
        return _marked(end, figure)
    if not end or end[-1].isspace() or end[-1] in "([/⁄":
        return figure
    if re.fullmatch(r"[-−–+]\d{1,3}", figure):
        return f"^{figure}"
    if re.fullmatch(r"\d?[+\-−–]", figure):  # the charge of an ion
        return figure if end[-1].isalpha() else f"^{figure}"
    if re.fullmatch(r"\d{1,3}", figure) and _UNIT.search(end):
        return _UNIT_SIGN.get(figure, f"^{figure}")
    if re.fullmatch(r"\d{1,3}|[a-z]", figure) and _POWER.search(end):
        return f"^{figure}"
    if end[-1].isdigit() and _ORDINAL.fullmatch(figure):
        return figure
    if _NOTE.fullmatch(figure):
        return _marked(end, figure)
    return f" {figure}" if len(figure) > 3 and end[-1].isalnum() and figure[0].isalnum() else figure


def lowered(before: str, figure: str) -> str:
    """A lowered part of a line as it is written in plain text behind `before`.

    >>> lowered("CO", "2"), lowered("log 5", "3"), lowered("price", "incl. tax")
    ('2', '_3', ' incl. tax')
    """
    figure, last = figure.strip(), before[-1:]
    if last.isdigit() and figure[:1].isalnum():
        return f"_{figure}"
    is_index = re.search(r"(?<![^\W\d_])[^\W\d_]\Z", before) and re.fullmatch(r"[a-z]", figure)
    if is_index:
        return f"_{figure}"
    is_text = len(figure) > 5 or " " in figure
    return f" {figure}" if is_text and last.isalnum() else figure


def _marked(end: str, figure: str) -> str:
    """The mark of a note, in brackets; apart from a number, so that it is no part of it."""
    return f"{' ' if end[-1:].isdigit() else ''}[{' '.join(figure.split())}]"


def struck_classes(styles: str) -> frozenset[str]:
    """The classes that a page's style sheet strikes out."""
    return frozenset(
        name[1]
        for rule in _STRUCK_RULE.finditer(styles[:200_000])
        for selector in rule[1].split(",")
        if (name := _CLASS.match(selector.strip()))
    )


def write_inline(root: Node, struck: frozenset[str] = frozenset()) -> None:
    """Change the page so that its text says what a reader sees within the lines.

    What is struck out, or made for screen readers beside the text, goes; raised and lowered
    figures are written out; quotation marks that the browser would draw are set.
    """
    for node in list(root.iter()):
        tag = node.tag
        if not isinstance(tag, str) or node.getparent() is None:
            continue
        names = node.get("class") or ""
        if (
            tag in _STRUCK
            or tag in _NOT_SHOWN
            or (names and (_FOR_READERS.search(names) or not struck.isdisjoint(names.split())))
            or _LINE_THROUGH.search(node.get("style") or "")
        ):
            node.clear(keep_tail=True)
        elif tag in ("sup", "sub"):
            _write_figure(node)
        elif tag == "q":
            node.text = f"“{node.text or ''}"
            node.tail = f"”{node.tail or ''}"
        elif tag in ("msup", "msub", "mfrac") and len(node) == 2:
            sign = {"msup": "^", "msub": "_", "mfrac": "/"}[tag]
            list(node)[1].text = sign + (list(node)[1].text or "")


def _write_figure(node: Node) -> None:
    figure = "".join(node.itertext())
    if not figure.strip() or len(figure.strip()) > LONGEST_FIGURE:
        return
    before = _text_before(node)
    tag, tail = node.tag, node.tail
    written = (
        raised(before, figure, note=_marks_note(node)) if tag == "sup" else lowered(before, figure)
    )
    # of a fraction, as in 3 ½ set in small figures
    if tag == "sup" and (tail or "")[:1] in ("/", "⁄") and figure.strip().isdigit():
        written = f" {figure.strip()}" if before[-1:].isdigit() else figure.strip()
    node.clear(keep_tail=True)
    node.text = written


def _marks_note(node: Node) -> bool:
    """Whether a raised part leads to a note, by its links and names or those around it."""
    around: list[Node] = list(node.iter())
    parent = node.getparent()
    if parent is not None and parent.tag in ("a", "span"):
        around.append(parent)
    return any(
        isinstance(one.tag, str)
        and (
            (one.tag == "a" and "#" in (one.get("href") or ""))
            or any(
                _NOTE_NAME.search(one.get(name) or "")
                for name in ("class", "id", "role", "rel", "data-type", "epub:type")
            )
        )
        for one in around
    )


def _text_before(node: Node) -> str:
    """The end of the line before an element; empty where the line begins with it."""
    for _ in range(4):
        before = ""
        previous = node.getprevious()
        while previous is not None and len(before) < 20:
            before = (previous.tail or "") + before
            if len(before) < 20 and isinstance(previous.tag, str):
                before = "".join(previous.itertext()) + before
            previous = previous.getprevious()
        parent = node.getparent()
        if previous is None and parent is not None:
            before = (parent.text or "") + before
        if before or parent is None or parent.tag not in ("a", "span", "b", "i", "em", "strong"):
            return before
        node = parent
    return ""
