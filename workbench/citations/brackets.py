"""Find marks in square brackets: `[1]`, `[1, 2]`, `[1-3]`, `【1†source】`, `[^1]`, `[@key]`."""

import re
import unicodedata

from workbench.citations.marks import Mark
from workbench.citations.patterns import DASH, YEAR
from workbench.citations.url_finder import Link, address_target, is_web
from workbench.records import Target

WIDEST = 50
"""A range that spans more numbers than this is a scale or an interval, not a group of marks."""

_WORD = (
    r"(?:sources?|refs?|references?|docs?|documents?|citations?|cite|note|notes"
    r"|来源|文献|资料|参考|参考文献|文档|引用|注)"
)
_LOCATOR = (
    r"(?:\s?[,，:：;]\s?(?:pp?\.?|pages?|chap(?:ter|\.)?|ch\.?|sec(?:tion|\.)?|§+|fig(?:ure|s?\.)?"
    r"|tables?|paras?\.?|theorem|thm\.?|lemma|prop\.?|appendix|app\.?|eqs?\.?|algorithm|第)"
    r"\s?[\w\u2013.-]{1,12}页?)?"
)
NUMBERS = re.compile(
    rf"(?:{_WORD}[.:：_]?\s?[#№]?\s?)?"
    rf"\^?(\d{{1,3}}(?:\s?(?:[{DASH},;，；、&]|and|to|和|至)\s?(?:see also\s|{_WORD}[.:：]?\s?)?"
    rf"\^?\d{{1,3}})*)\^?{_LOCATOR}",
    re.IGNORECASE,
)
"""The inside of a bracket that holds numbers, a word before and a locator after them aside."""
_BRACKET = re.compile(r"[\[【［〔]([^\[\]【】［］〔〕\n\\]{1,120})\\?[\]】］〕]")
_RANGE_END = re.compile(rf"\s?[{DASH}]\s?\[(\d{{1,3}})\]")
_DAGGER = re.compile(r"(\d{1,3}(?::\d{1,3})?)\s?†[^\n]{0,80}")
_FOOTNOTE = re.compile(r"\^([^\s\[\]^]{1,40})\^?")
_PART = re.compile(rf"\d{{1,3}}(?:\s?(?:[{DASH}]|to|至)\s?\^?\d{{1,3}})?")
_LIST_WORD = re.compile(
    r"(?:\bCI|interval|range|array|list|vector|tuple|matrix|set|between|scale(?: of)?|[=∈(<≤])"
    r"\s{0,2}[:=]?\s{0,2}\Z",
    re.IGNORECASE,
)
_PLAIN_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹０１２３４５６７８９", "01234567890123456789")
_INTERNAL = ("#", "/", ".")
_AT_KEY = re.compile(r"(?:\A|[\s;,])-?@([A-Za-z0-9_][\w:.#$%&+?<>~/-]{0,80})")
_DATED_KEY = re.compile(rf"[A-Z]?[a-zA-Z\u00c0-\u024f'+_-]{{1,40}}[_:-]?{YEAR}[a-zA-Z]{{0,20}}")
_KEY_SPLIT = re.compile(r"\s?[,;，；]\s?")


def find_bracketed(text: str, links: list[Link], labels: frozenset[str]) -> list[Mark]:
    """Numbers, footnote labels and keys in brackets, one mark for each, all with the group's span.

    Args:
        text: The text.
        links: Its Markdown links; `[1](url)` and `[[1]](url)` are one mark with that address.
        labels: Labels of the text's reference entries: they settle what is a mark and what is not.
    """
    marks = _linked(text, links)
    for found in _BRACKET.finditer(text):
        inside = found[1]
        start, end = found.span()
        if text[end - 2] == "\\" and start and text[start - 1] == "\\":
            start -= 1
        first = inside[0]
        if first.isdigit():
            stop = _RANGE_END.match(text, end) if inside.isdigit() else None
            if stop and int(inside) < int(stop[1]):
                end, inside = stop.end(), f"{inside}-{stop[1]}"
            marks.extend(_numbers(text, start, end, inside, labels))
        elif first == "^":
            marks.extend(_footnote(start, end, inside.strip(), labels))
        elif inside in labels:
            marks.append(Mark(start, end, "key", inside))
        elif first.isalpha() or first in " @-\u3000":
            keys = _keys(start, end, inside, labels)
            marks.extend(keys or _numbers(text, start, end, inside, labels))
    return marks


def plain_number(label: str) -> str:
    """A number in ASCII digits without leading zeros."""
    digits = label.translate(_PLAIN_DIGITS)
    return digits.lstrip("0") or "0"


def expand(group: str, labels: frozenset[str]) -> list[str]:
    """The numbers that `1, 3-5` stands for; empty when it is no group of marks.

    A zero, a falling range or one wider than `WIDEST` is an interval, unless the reference list has
    entries with those numbers.
    """
    if group.isdigit():
        number = plain_number(group)
        return [number] if number != "0" or "0" in labels else []
    numbers: list[str] = []
    for part in _PART.findall(unicodedata.normalize("NFKC", group)):
        ends = re.findall(r"\d+", part)
        low, high = int(ends[0]), int(ends[-1])
        if low == 0 and "0" not in labels:
            return []
        if high < low or high - low >= WIDEST or (len(ends) == 2 and high == low):
            if not (ends[0] in labels and ends[-1] in labels):
                return []
            numbers.extend((str(low), str(high)))
        else:
            numbers.extend(str(number) for number in range(low, high + 1))
    return numbers


def numbered_marks(
    start: int, end: int, numbers: list[str], target: Target | None = None
) -> list[Mark]:
    """One numbered mark for each number, all with one span."""
    return [Mark(start, end, "numbered", number, target) for number in numbers]


def _linked(text: str, links: list[Link]) -> list[Mark]:
    """Links whose label is a number."""
    marks: list[Mark] = []
    for link in links:
        if link.label_end - link.label_start > 24 or link.image:
            continue
        label = text[link.label_start : link.label_end].strip(" \\[]【】［］()（）")
        found = NUMBERS.fullmatch(unicodedata.normalize("NFKC", label.translate(_PLAIN_DIGITS)))
        if found is None:
            continue
        if is_web(link.address):
            target: Target | None = address_target(link.address)
        elif link.address[:1] in _INTERNAL:
            target = None
        else:
            continue
        marks.extend(numbered_marks(link.start, link.end, expand(found[1], frozenset()), target))
    return marks


def _footnote(start: int, end: int, inside: str, labels: frozenset[str]) -> list[Mark]:
    """`[^1]`, `[^1^]`, `[^1,2]` and `[^note]`."""
    note = _FOOTNOTE.fullmatch(inside)
    if note is None:
        return []
    label = note[1]
    if label.isdigit():
        if len(label) > 4:
            return []
        return [Mark(start, end, "numbered", plain_number(label), style="footnote")]
    group = NUMBERS.fullmatch(inside)
    if group:
        return numbered_marks(start, end, expand(group[1], labels))
    return [Mark(start, end, "key", label, style="footnote")]


def _numbers(text: str, start: int, end: int, inside: str, labels: frozenset[str]) -> list[Mark]:
    """What one pair of brackets cites, if its inside is a number or a group."""
    if inside.isdigit() and len(inside) <= 3:
        return numbered_marks(start, end, expand(plain_number(inside), labels))
    if "†" in inside:
        dagger = _DAGGER.fullmatch(inside.strip())
        return [Mark(start, end, "numbered", dagger[1])] if dagger else []
    plain = inside if inside.isascii() else unicodedata.normalize("NFKC", inside)
    found = NUMBERS.fullmatch(plain.strip())
    if found is None:
        return []
    numbers = expand(found[1], labels)
    several = plain[0].isdigit() and len(numbers) > 1 and not labels.issuperset(numbers)
    if several and _LIST_WORD.search(text[max(0, start - 14) : start]):
        return []
    return numbered_marks(start, end, numbers)


def _keys(start: int, end: int, inside: str, labels: frozenset[str]) -> list[Mark]:
    """`[@smith2019; @lee2020]`, `[Smith2019]`, and anything that an entry has for its label."""
    if "@" in inside:
        lead = inside.lstrip(" -").lower()
        if not lead.startswith(("@", "see", "e.g")):
            return []
        return [Mark(start, end, "key", key.rstrip(".:,?")) for key in _AT_KEY.findall(inside)]
    parts = _KEY_SPLIT.split(inside.strip())
    if all(part in labels and not part.isdigit() or _DATED_KEY.fullmatch(part) for part in parts):
        return [Mark(start, end, "key", part) for part in parts]
    return []
