"""Find raised numbers that are marks and not powers: `¹²`, `¹⁻³`, `<sup>1</sup>`, `^1^`."""

import re

from workbench.citations.brackets import expand, numbered_marks, plain_number
from workbench.citations.lexicon import UNITS
from workbench.citations.marks import Mark

_RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_SUPERSCRIPT = re.compile(
    rf"[{_RAISED}][{_RAISED}]{{0,2}}(?:[⁻⁺˒,⸴‚·\u2013 -]?[{_RAISED}]{{1,3}}){{0,20}}"
)
_SUP = re.compile(
    r"<sup>\s{0,3}\[?(\d{1,3}(?:\s?[,;–-]\s?\d{1,3}){0,20})\]?\s{0,3}</sup>", re.IGNORECASE
)
_CARET = re.compile(r"\^\[?(\d{1,3}(?:,\s?\d{1,3}){0,20})\]?\^")
_OAICITE = re.compile(r":contentReference\[oaicite:(\d{1,3})\]\{index=\d{1,3}\}")
_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_BETWEEN = re.compile("[⁺˒,⸴‚· ]")
_SIGNS = ("=", "*", "/", "^", "+")
_RANGE = re.compile(r"\d{1,3}[–-]\d{1,3}")


def find_raised(text: str, labels: frozenset[str]) -> list[Mark]:
    """Raised numbers, one mark for each number of a group, all with the group's span.

    Args:
        text: The text.
        labels: Labels of the text's reference entries: `¹²` is mark 12, unless only 1 and 2 exist.
    """
    marks: list[Mark] = []
    for found in _SUPERSCRIPT.finditer(text):
        group = found[0].translate(_DIGITS)
        if _power(text, *found.span(), group):
            continue
        numbers: list[str] = []
        for part in _BETWEEN.split(group):
            if _RANGE.fullmatch(part):
                numbers.extend(expand(part, labels))
            elif part.isdigit():
                numbers.extend(_run(part, labels))
        marks.extend(numbered_marks(found.start(), found.end(), numbers))
    if "<sup" in text or "<SUP" in text:
        for found in _SUP.finditer(text):
            if "[" in found[0] or not _power(text, *found.span(), found[1]):
                marks.extend(numbered_marks(*found.span(), expand(found[1], labels)))
    if "^" in text:
        for found in _CARET.finditer(text):
            if not _power(text, *found.span(), found[1]):
                marks.extend(numbered_marks(*found.span(), expand(found[1], labels)))
    if "oaicite" in text:
        for found in _OAICITE.finditer(text):
            marks.append(Mark(*found.span(), "numbered", found[1]))
    return marks


def _run(digits: str, labels: frozenset[str]) -> list[str]:
    """`12` as one number, or as two when only those are entries."""
    number = plain_number(digits)
    if len(digits) > 1 and number not in labels and labels.issuperset(digits):
        return list(digits)
    return [number] if number != "0" else []


def _leads(text: str, end: int) -> bool:
    """Whether a word follows at once: the number is that of an isotope or a note."""
    return end < len(text) and text[end].isalpha() and text[end] < "\u2e80"


def _power(text: str, start: int, end: int, group: str) -> bool:
    """Whether raised digits are an exponent, an isotope or a line's own number, and not a mark."""
    if start == 0 or group.startswith(("-", "0")):
        return True
    before = text[start - 1]
    if before.isdigit() or before in "+-−=/^(\n⁻":
        return True
    if not (before.isalpha() and before < "\u2e80"):
        return before.isspace() and (start < 2 or text[start - 2] in "\n+-=/^" or _leads(text, end))
    at = start - 1
    while at > 0 and start - at < 16 and (text[at - 1].isalpha() or text[at - 1] in "/·"):
        at -= 1
    word = text[at:start]
    if "/" in word or "·" in word or len(word) == 1:
        return True
    if word.lower() in UNITS or text[max(0, at - 2) : at].strip()[-1:] in _SIGNS:
        return True
    return at > 0 and text[at - 1].isdigit() and len(word) <= 3
