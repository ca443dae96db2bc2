"""Find author-year marks in brackets: `(Smith et al., 2019; Lee, 2020a)`, `（王小明，2019）`."""

import re
from typing import NamedTuple

from workbench.citations.author_names import author_names
from workbench.citations.marks import Mark
from workbench.citations.patterns import YEAR

_YEAR_ONE = rf"(?:{YEAR}[a-z]?(?:/{YEAR})?|n\.d\.|in press)"
_YEARS = rf"{_YEAR_ONE}(?:\s?[,，、&]\s?(?:{_YEAR_ONE}|[a-z]\b)){{0,8}}"
_LOCATOR = (
    r"(?:\s?[,，:：]\s?(?:pp?\.?|pages?|chap(?:ter|\.)?|ch\.?|sec(?:tion|\.)?|§+|fig(?:ure|\.)?"
    r"|tables?|paras?\.?|vol\.?|no\.?|ss?\.|S\.|第)?\s?[\w\u2013.-]{1,12}(?:\s?[,，\u2013-]\s?\d{1,5})?"
    r"\s?[页頁章節节]?)?"
)
_BRACKET = re.compile(
    rf"[(（\[](?=[^()（）\[\]\n]{{0,300}}?(?:{YEAR}|n\.d\.|in press))"
    r"([^()（）\[\]\n]{4,300})[)）\]]"
)
ONLY_YEARS = re.compile(rf"\s?(?P<years>{_YEARS})年?{_LOCATOR}\s?\Z")
"""The inside of a bracket that holds years alone: the author stands before it."""
_ITEM = re.compile(
    rf"(?P<who>[^\d]{{1,160}}?)[,，:\s]\s{{0,2}}(?P<years>{_YEARS})年?{_LOCATOR}\s?\Z"
)
_CJK_ITEM = re.compile(rf"(?P<who>[^\d]{{1,60}}?)(?P<years>{_YEARS})年?{_LOCATOR}\s?\Z")
_LEAD = re.compile(
    r"\s{0,3}(?:(?:but |and |also )?"
    r"(?:see(?:,? also|,? for (?:example|instance|a review))?|e\.g\.|i\.e\.|cf\."
    r"|for (?:example|instance)|as (?:cited|quoted|reported|reviewed|shown|described) (?:in|by)"
    r"|(?:cited|quoted|reviewed|discussed) (?:in|by)|(?:adapted|taken) from|from|following|per"
    r"|sources?|data(?: from)?|compare|contra|according to|参见|参考|参看|详见|见|转引自|引自|来源"
    r"|如|vgl\.|siehe|voir)(?:[,:：]\s{0,2}|\s{1,2}|(?=[\u4e00-\u9fff])))",
    re.IGNORECASE,
)
_SECOND_HAND = re.compile(r"[^,;]{2,60},?\s(?:as\s)?(?:cited|quoted) in\s")
_SPLIT = re.compile(r"[;；]")
_ONE_YEAR = re.compile(rf"{_YEAR_ONE}|(?<![a-z])[a-z]\b")


class _Item(NamedTuple):
    """One `Smith & Lee, 2019a, b, p. 3` of a bracket."""

    start: int
    end: int
    names: tuple[str, ...]
    years: list[tuple[str, int, int]]


def find_brackets(text: str) -> list[re.Match[str]]:
    """Brackets that hold a year; group 1 is the inside."""
    return list(_BRACKET.finditer(text))


def find_author_year(brackets: list[re.Match[str]], known: frozenset[str]) -> list[Mark]:
    """Marks for the works that brackets name, one for each year.

    A bracket with one work is its mark with the brackets; of several each has its own words. What
    comes before the name (`see`, `e.g.`) is no part of the mark where there are several.

    Args:
        brackets: What `find_brackets` found.
        known: Folded names that the text's reference entries begin with.
    """
    marks: list[Mark] = []
    for found in brackets:
        inside = found[1]
        if ONLY_YEARS.match(inside):
            continue
        items: list[_Item] = []
        offset = found.start(1)
        for piece in _SPLIT.split(inside):
            item = _item(piece, offset, known) or (items and _more(piece, offset, items[-1]))
            offset += len(piece) + 1
            if item:
                items.append(item)
        alone = len(items) == 1 and len(items[0].years) == 1 and not _SPLIT.search(inside)
        for item in items:
            marks.extend(_marks(item, found.span() if alone else None))
    return marks


def author_mark(start: int, end: int, names: tuple[str, ...], year: str, style: str = "") -> Mark:
    """A mark that names authors and a year: `smith 2019`, `smith & lee 2019`."""
    who = " & ".join(name.lower() for name in names[:2])
    return Mark(start, end, "author_year", f"{who} {year}".strip(), None, names, year, style)


def read_years(group: str, at: int) -> list[tuple[str, int, int]]:
    """The years of `2019a, b, 2020` with their offsets, `at` being the offset of the group."""
    years: list[tuple[str, int, int]] = []
    base = ""
    for found in _ONE_YEAR.finditer(group):
        value = found[0]
        if value[0].isdigit():
            base = value[:4]
        elif len(value) == 1:
            if not base:
                continue
            value = base + value
        years.append((value, at + found.start(), at + found.end()))
    return years


def _marks(item: _Item, bracket: tuple[int, int] | None) -> list[Mark]:
    """One mark for each year: the first has the names, the others their year alone."""
    if bracket:
        return [author_mark(*bracket, item.names, item.years[0][0])]
    if len(item.years) == 1:
        return [author_mark(item.start, item.end, item.names, item.years[0][0])]
    marks = []
    for number, (year, start, end) in enumerate(item.years):
        marks.append(author_mark(start if number else item.start, end, item.names, year))
    return marks


def _more(piece: str, at: int, last: _Item) -> _Item | None:
    """Further years of the authors before: the `2021` of `(Smith, 2020; 2021)`."""
    only = ONLY_YEARS.match(piece)
    if only is None:
        return None
    years = read_years(only["years"], at + only.start("years"))
    return _Item(years[0][1], at + len(piece.rstrip()), last.names, years) if years else None


def _item(piece: str, at: int, known: frozenset[str]) -> _Item | None:
    """The work that a part of a bracket names; None when it names none."""
    lead = 0
    while before := _LEAD.match(piece, lead):
        lead = before.end()
    second = _SECOND_HAND.match(piece, lead)
    if second:
        lead = second.end()
    while lead < len(piece) and piece[lead].isspace():
        lead += 1
    found = _ITEM.match(piece, lead)
    if found is None:
        found = _CJK_ITEM.match(piece, lead)
        if found is None or found["who"][-1].isascii():
            return None
    who = found["who"].rstrip()
    between = piece[found.start("who") + len(who) : found.start("years")].strip()
    comma = between in (",", "，") or who.endswith((",", "，"))
    if who[:1] in '"“' and who.rstrip(" ,，")[-1:] in '"”':
        names: tuple[str, ...] = (who.strip(' ,，"“”'),)  # a work without an author
    else:
        names = author_names(who.strip(' ,，:*_"“”'), comma, known)
    if not names:
        return None
    years = read_years(found["years"], at + found.start("years"))
    return _Item(at + lead, at + len(piece.rstrip()), names, years)
