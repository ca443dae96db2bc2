"""Addresses and identifiers that a line break parts, put together again."""

import re
from collections.abc import Sequence

from workbench.citations.marks.addresses import TextLink
from workbench.citations.references.entry.identifiers import Identifiers, read_identifiers
from workbench.citations.references.entry.plain import Cut
from workbench.records.text import Span

PAGE_NUMBER = (
    r"[-–—|·•\[( \t]{0,4}(?:(?i:page|seite|página|pagina|стр\.?|p\.|S\.)\s?|第\s?)?\d{1,4}"
    r"(?:\s?(?:of|/|von|de|sur|di|из)\s?\d{1,4})?\s?页?[-–—|·•\]) \t]{0,4}"
)
"""What stands alone in a line that is the number of a page, as a pattern."""
_PAGE_TURN = re.compile(rf"\n(?:[ \t]*\n)?{PAGE_NUMBER}\n[ \t]*\n|\n[ \t]*\n{PAGE_NUMBER}\n")
"""The number of a page in the middle of an entry, with the blank line beside it."""
_BREAK = re.compile(rf"[ \t\r\u00ad]*\n(?:{PAGE_NUMBER}\n(?=\s*\n))?\s*")
_ADDRESS = re.compile(
    r"(?:https?://|www\.|\b10\.\d{4,9}(?:/|\Z)|\barxiv\.org/)\S*\Z", re.IGNORECASE
)
_TOKEN = re.compile(r"[^\s<>\"“”\[\]{}]+")
_ENDS_INSIDE = frozenset("/-_=?&%#~+‐")
_ON = re.compile(r"[./_-][\w(]")
"""How the rest begins where the line was broken before a sign that only an address has."""
_LONGEST_TOKEN = 400


def identifiers_of(text: str, start: int, end: int, links: list[TextLink]) -> Identifiers:
    """The identifiers in `text[start:end]`, those that go on in the next line whole."""
    if text.find("\n", start, end) < 0:
        return read_identifiers(text, start, end, links)
    joined, origin = _join(text[start:end])
    if not origin:
        return read_identifiers(text, start, end, links)
    moved = [
        link._replace(
            start=link.start - start,
            end=link.end - start,
            label_start=link.label_start - start,
            label_end=link.label_end - start,
        )
        for link in links
    ]
    read = read_identifiers(joined, 0, len(joined), moved)

    def place(first: int, last: int) -> tuple[int, int]:
        return start + origin[first], start + origin[last - 1] + 1

    first, last = read.address_span
    return read._replace(
        address_span=place(first, last) if last > 0 else (-1, -1),
        spans=tuple((name, Span(*place(span.start, span.end))) for name, span in read.spans),
        cuts=tuple(cut._replace(start=s, end=e) for cut in read.cuts for s, e in [place(*cut[:2])]),
    )


def page_turns(text: str, start: int, end: int, cuts: tuple[Cut, ...]) -> list[Cut]:
    """The stretches that are no words, with the numbers of pages that an entry goes on over."""
    if text.find("\n", start, end) < 0:
        return list(cuts)
    turns = [
        Cut(*turn.span(), " ")
        for turn in _PAGE_TURN.finditer(text, start, end)
        if not any(cut.start < turn.end() and turn.start() < cut.end for cut in cuts)
    ]
    return sorted([*cuts, *turns])


def _join(words: str) -> tuple[str, Sequence[int]]:
    """Words with each break inside an address moved behind it, and where each character stood.

    Nothing is said of their places where there is no such break.
    """
    origin: list[int] = []
    at = words.find("\n")
    while at >= 0:
        first = len(words[:at].rstrip(" \t\r\u00ad"))
        turn = _BREAK.match(words, first)
        token = _TOKEN.match(words, turn.end()) if turn else None
        if turn and token and _goes_on(words, first, token):
            origin = origin or list(range(len(words)))
            first, middle, last = turn.start(), turn.end(), token.end()
            words = words[:first] + words[middle:last] + words[first:middle] + words[last:]
            origin[first:last] = origin[middle:last] + origin[first:middle]
            at = words.find("\n", first)
            continue
        at = words.find("\n", turn.end() if turn else at + 1)
    return words, origin


def _goes_on(words: str, end: int, token: re.Match[str]) -> bool:
    """Whether an address that a line ends with goes on with the first token of the next."""
    address = _ADDRESS.search(words[max(0, end - _LONGEST_TOKEN) : end])
    rest = token[0].rstrip(".,;:)")
    if address is None or not rest or _ADDRESS.match(rest + "/") and "doi.org/" not in address[0]:
        return False
    line_end = words.find("\n", token.end())
    after = words[token.end() : line_end if line_end >= 0 else len(words)].strip(" \t\r.,;)")
    last = address[0][-1]
    if _ON.match(rest):
        return last.isalnum()
    if not (rest[0].isalnum() or rest[0] in "(~"):
        return False
    has_digit = any(sign.isdigit() for sign in rest)
    is_word = rest.isalpha() and (bool(after) or rest[0].isupper())
    if last in _ENDS_INSIDE:
        return not is_word
    if last == ".":
        inner = "." in rest or "/" in rest or "-" in rest or "_" in rest
        return (has_digit or "/" in rest) and inner and not after
    return address[0].startswith("10.") and address[0].count("/") == 0 and rest[0] == "/"
