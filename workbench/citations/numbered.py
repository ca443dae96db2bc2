"""Find numbered marks: `[1]`, `[1, 2]`, `[1-3]`, `【1†source】`, `[^1]`, `¹`, `<sup>1</sup>`."""

import re
import unicodedata

from workbench.citations.addresses import Link, address_target, is_web
from workbench.citations.marks import Mark
from workbench.citations.patterns import DASH
from workbench.records import Target

WIDEST = 100
"""A range that spans more numbers than this is a scale or an interval, not a group of marks."""

_WORD = (
    r"(?:sources?|refs?|references?|docs?|documents?|citations?|来源|文献|资料|参考|参考文献|文档)"
)
NUMBERS = re.compile(
    rf"(?:{_WORD}[.:：]?\s?[#№]?\s?)?\^?(\d{{1,3}}(?:\s?(?:[{DASH},;，；、&]|and|to|和|至)\s?\^?\d{{1,3}})*)\^?"
    r"(?:\s?[,，:：]\s?(?:pp?\.?|pages?|chap\.?|ch\.?|sec\.?|§+|fig\.?|table|para\.?|第)\s?[\w\u2013.-]{1,12}页?)?",
    re.IGNORECASE,
)
"""The inside of a bracket that holds numbers, a locator after them aside."""
_BRACKET = re.compile(r"[\[【［〔]\\?([^\[\]【】［］〔〕\n\\]{1,60})\\?[\]】］〕]")
_DAGGER = re.compile(r"(\d{1,3}(?::\d{1,3})?)\s?†[^\n]{0,50}")
_FOOTNOTE = re.compile(r"\^([^\s\[\]^]{1,40})\^?")
_PART = re.compile(rf"\d{{1,3}}(?:\s?(?:[{DASH}]|to|至)\s?\^?\d{{1,3}})?")
_RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_SUPERSCRIPT = re.compile(
    rf"[{_RAISED}]{{1,3}}(?:(?:[⁻⁺˒,⸴‚·\u2013-]|\s)?[{_RAISED}]{{1,3}}){{0,20}}"
)
_SUP = re.compile(
    r"<sup>\s{0,3}\[?((?:\d{1,3})(?:\s?(?:[,;–-])\s?\d{1,3}){0,20})\]?\s{0,3}</sup>", re.IGNORECASE
)
_SUP_PART = re.compile(r"\d{1,3}(?:\s?[–-]\s?\d{1,3})?")
_UNITS = frozenset(
    """m km cm mm dm nm μm µm um ft in yd mi s ms h kg g mg l ml hz kpa pa j k n w v a t x y z r q
    sq px au pc kw mw gw ev mev mol sec min hr""".split()
)
_OAICITE = re.compile(r":contentReference\[oaicite:(\d{1,3})\]\{index=\d{1,3}\}")
_LIST_WORD = re.compile(
    r"(?:\bCI|interval|range|array|list|vector|tuple|matrix|set|between|[=∈(<≤])\s{0,2}[:=]?\s{0,2}\Z",
    re.IGNORECASE,
)
_PLAIN_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹０１２３４５６７８９", "01234567890123456789")


def find_numbered(text: str, links: list[Link], labels: frozenset[str]) -> list[Mark]:
    """Numbered marks, one for each number of a group, all with the group's span.

    Args:
        text: The text.
        links: Its Markdown links; `[1](url)` and `[[1]](url)` are one mark with that address.
        labels: Labels of the text's reference entries: they settle what is a mark and what is not.
    """
    marks = _linked(text, links)
    for found in _BRACKET.finditer(text):
        marks.extend(_bracket(text, found.start(), found.end(), found[1], labels))
    if "<sup" in text or "<SUP" in text:
        for found in _SUP.finditer(text):
            if not _exponent(text, found.start(), found[1], labels):
                numbers = expand(found[1], labels, _SUP_PART)
                marks.extend(_marks(found.start(), found.end(), numbers))
    marks.extend(_superscripts(text, labels))
    if "oaicite" in text:
        for found in _OAICITE.finditer(text):
            marks.append(Mark(found.start(), found.end(), "numbered", found[1]))
    return marks


def plain_number(label: str) -> str:
    """A number in ASCII digits without leading zeros."""
    digits = label.translate(_PLAIN_DIGITS)
    return digits.lstrip("0") or "0"


def expand(group: str, labels: frozenset[str], parts: re.Pattern[str] = _PART) -> list[str]:
    """The numbers that `1, 3-5` stands for; empty when it is no group of marks.

    A zero, a falling range or one wider than `WIDEST` is an interval, unless the reference list has
    entries with those numbers.
    """
    numbers: list[str] = []
    for part in parts.findall(unicodedata.normalize("NFKC", group)):
        ends = re.findall(r"\d+", part)
        low, high = int(ends[0]), int(ends[-1])
        if low == 0 and "0" not in labels:
            return []
        if high < low or high - low >= WIDEST or (len(ends) == 2 and high == low):
            if not (ends[0] in labels and ends[-1] in labels):
                return []
            numbers.extend((str(low), str(high)))
            continue
        numbers.extend(str(number) for number in range(low, high + 1))
    return numbers


def _marks(start: int, end: int, numbers: list[str], target: Target | None = None) -> list[Mark]:
    return [Mark(start, end, "numbered", number, target) for number in numbers]


def _linked(text: str, links: list[Link]) -> list[Mark]:
    """Links whose label is a number."""
    marks = []
    for link in links:
        if link.label_end - link.label_start > 24 or link.image:
            continue
        label = text[link.label_start : link.label_end].strip(" \\[]【】［］()（）")
        if not label:
            continue
        found = NUMBERS.fullmatch(unicodedata.normalize("NFKC", label))
        if found is None:
            continue
        target = address_target(link.address) if is_web(link.address) else None
        numbers = expand(found[1], frozenset())
        marks.extend(_marks(link.start, link.end, numbers, target))
    return marks


def _bracket(text: str, start: int, end: int, inside: str, labels: frozenset[str]) -> list[Mark]:
    """What one pair of brackets cites, if its inside is a number, a group or a footnote label."""
    first = inside[0]
    if first == "^":
        note = _FOOTNOTE.fullmatch(inside.strip())
        if note is None:
            return []
        label = note[1]
        if label.isdigit() and len(label) <= 4:
            return [Mark(start, end, "numbered", plain_number(label), None, style="footnote")]
        group = NUMBERS.fullmatch(inside.strip())
        if group:
            return _marks(start, end, expand(group[1], labels))
        return [Mark(start, end, "key", label, None, style="footnote")]
    if not (first.isdigit() or first in " \u3000" or first.isalpha()):
        return []
    if "†" in inside:
        dagger = _DAGGER.fullmatch(inside.strip())
        return [Mark(start, end, "numbered", dagger[1])] if dagger else []
    plain = inside if inside.isascii() else unicodedata.normalize("NFKC", inside)
    found = NUMBERS.fullmatch(plain.strip())
    if found is None:
        return []
    numbers = expand(found[1], labels)
    if len(numbers) > 1 and not labels.issuperset(numbers):
        if _LIST_WORD.search(text[max(0, start - 12) : start]):
            return []
    return _marks(start, end, numbers)


def _superscripts(text: str, labels: frozenset[str]) -> list[Mark]:
    """Raised digits that are marks and not exponents."""
    marks: list[Mark] = []
    for found in _SUPERSCRIPT.finditer(text):
        start, end = found.span()
        group = found[0].translate(_PLAIN_DIGITS).replace("⁻", "-")
        if _exponent(text, start, group, labels):
            continue
        numbers: list[str] = []
        for part in re.split(r"[⁺˒,⸴‚·\s]", group):
            if re.fullmatch(r"\d{1,3}[–-]\d{1,3}", part):
                numbers.extend(expand(part, labels))
            elif part.isdigit():
                numbers.extend(_split_run(part, labels))
        marks.extend(_marks(start, end, numbers))
    return marks


def _split_run(digits: str, labels: frozenset[str]) -> list[str]:
    """`¹²` is mark 12, unless only entries 1 and 2 exist."""
    number = plain_number(digits)
    if len(digits) > 1 and number not in labels and labels.issuperset(digits):
        return list(digits)
    return [number]


def _exponent(text: str, start: int, group: str, labels: frozenset[str]) -> bool:
    """Whether raised digits are a power or an isotope and not a mark."""
    if start == 0:
        return True
    before = text[start - 1]
    if before.isdigit() or before in "⁻+-=/^(\n" or (before in " \t" and start < 2):
        return True
    if not before.isalpha() or not before.isascii() and unicodedata.category(before) == "Lo":
        return before in " \t" and text[start - 2] in "\n"
    if not re.match(r"[1-9]\d{0,2}\b", group) and "0" not in labels:
        return True
    at = start - 1
    while at > 0 and start - at < 12 and (text[at - 1].isalpha() or text[at - 1] in "/·"):
        at -= 1
    word = text[at:start]
    if "/" in word or "·" in word:
        return True
    if len(word) == 1 or word.lower() in _UNITS:
        return True
    return False
