"""Find marks that are a number or a key: in brackets, raised, in tags and in commands.

`[1]`, `[1, 2]`, `[1-3]`, `【1】`, `[^1]`, `[@key]`; `¹²`, `¹⁻³`, `<sup>1</sup>`, `^1^`, which
are marks and not powers; `<cite id="1">`, LaTeX `cite{smith2019}`, `@smith2019`.
"""

import re
import unicodedata

from workbench.citations.lexicon import DASH, NEVER_ENDS, UNITS, YEAR
from workbench.citations.marks import Mark
from workbench.citations.marks.addresses import TextLink, address_target, is_web
from workbench.records.citation import Target

WIDEST = 50
"""A range that spans more numbers than this is a scale or an interval, not a group of marks."""

_WORD = (
    r"(?:sources?|src|refs?|references?|docs?|documents?|citations?|cite|note|notes|chunks?"
    r"|passages?|contexts?|snippets?|excerpts?|(?:search |web )?results?|evidence|fontes?|fuentes?"
    r"|quellen?|bron|knowledge"
    r"|来源|文献|资料|参考|参考文献|文档|引用|注)"
)
_LOCATOR = (
    r"(?:\s?[,，:：;]\s?(?:pp?\.?|pages?|chap(?:ter|\.)?|ch\.?|sec(?:tion|\.)?|§+|fig(?:ure|s?\.)?"
    r"|tables?|paras?\.?|theorem|thm\.?|lemma|prop\.?|appendix|app\.?|eqs?\.?|algorithm|第)"
    r"\s?[\w\u2013.-]{1,12}页?)?"
)
NUMBERS = re.compile(
    rf"(?:{_WORD}[.:：_-]?\s?[#№]?\s?)?"
    rf"\^?(\d{{1,3}}(?:\s?(?:[{DASH},;，；、&]|and|to|和|至)\s?(?:see also\s|{_WORD}[.:：]?\s?)?"
    rf"\^?\d{{1,3}})*)\^?{_LOCATOR}",
    re.IGNORECASE,
)
"""The inside of a bracket that holds numbers, a word before and a locator after them aside."""
_BRACKET = re.compile(r"[\[【［〔]([^\[\]【】［］〔〕\n\\]{1,120})\\?[\]】］〕]")
_RANGE_END = re.compile(rf"\s?[{DASH}]\s?\[(\d{{1,3}})\]")
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
_RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_SUPERSCRIPT = re.compile(
    rf"[{_RAISED}][{_RAISED}]{{0,2}}(?:[⁻⁺˒,⸴‚·\u2013 -]?[{_RAISED}]{{1,3}}){{0,20}}"
)
_SUP = re.compile(
    r"<sup>\s{0,3}\[?(\d{1,3}(?:\s?[,;–-]\s?\d{1,3}){0,20})\]?\s{0,3}</sup>", re.IGNORECASE
)
_CARET = re.compile(r"\^\[?(\d{1,3}(?:,\s?\d{1,3}){0,20})\]?\^")
_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_BETWEEN = re.compile("[⁺˒,⸴‚· ]")
_SIGNS = ("=", "*", "/", "^", "+")
_RANGE = re.compile(r"\d{1,3}[–-]\d{1,3}")
_TAG = re.compile(
    r"<(?P<name>cite|citation|ref|source)\b(?P<attributes>[^<>]{0,300}?)(?:/>|>(?P<inside>[^<]{0,400})"
    r"</(?P=name)>|>)",
    re.IGNORECASE,
)
_ATTRIBUTE = re.compile(
    r"\b(?:id|index|ref|key|name|n|number|source|data-id|data-ref|doc)\s?=\s?"
    r"(?:\"([^\"]{1,120})\"|'([^']{1,120})'|([^\s\"'>/]{1,120}))",
    re.IGNORECASE,
)
_LATEX = re.compile(
    r"\\(?:[a-zA-Z]{0,8}cite[a-zA-Z]{0,8})\*?(?:\[[^\[\]\n]{0,60}\]){0,2}\{([^{}\n]{1,300})\}"
)
_GROUP = r"(?P<numbers>\d{1,3}(?:\s?[,\u2013-]\s?\d{1,3}){0,12})"
_LOWERED = re.compile(
    r"(?:(?<=[^\W\d_][.!?])|(?<=[)\u201d\"»\u2019%][.!?]))\s{0,2}"
    rf"{_GROUP}(?=\s*(?:\Z|\n|[)\u201d]|[A-ZÀ-Ý\u201c(\[]|\s[A-ZÀ-Ý\u201c(\[]))"
    rf"|(?<=[^\W\d_][,;:)]){_GROUP.replace('numbers', 'inner')}(?=\s|\Z)"
    rf"|(?<=[a-zß-ÿ]{{3}}){_GROUP.replace('numbers', 'glued')}(?=[\s.,;:)]|\Z)"
)
"""Raised numbers as they come out of a page: `last year.1 Snow`, `county. 2,3`, `county,4 and`."""
_PARENTHESIZED = re.compile(
    rf"(?<=[^\W\d_.])\s?\({_GROUP}\)|(?<=[%°])\s?\({_GROUP.replace('numbers', 'unit')}\)"
)
_WORD_BEFORE = re.compile(r"([^\W\d_]+)[.]?\s{0,2}\Z")
_AT = re.compile(rf"@([A-Za-z][A-Za-z_:-]{{1,40}}{YEAR}[a-z]{{0,20}})\b")
_SHORT = 60
"""The longest words inside a tag that name the source; longer ones are the claim itself."""


def find_bracketed(text: str, links: list[TextLink], labels: frozenset[str]) -> list[Mark]:
    """Numbers, footnote labels and keys in brackets, one mark for each, all with the group's span.

    Args:
        text: The text.
        links: Its Markdown links; `[1](url)` and `[[1]](url)` are one mark with that address.
        labels: Labels of the text's reference entries: they settle what is a mark and what is not.
    """
    marks = _linked(text, links)
    for match in _BRACKET.finditer(text):
        content = match[1]
        start, end = match.span()
        if text[end - 2] == "\\" and start and text[start - 1] == "\\":
            start -= 1
        first = content[0]
        if first.isdigit():
            stop = _RANGE_END.match(text, end) if content.isdigit() else None
            if stop and int(content) < int(stop[1]):
                end, content = stop.end(), f"{content}-{stop[1]}"
            marks.extend(_numbers(text, start, end, content, labels))
        elif first == "^":
            marks.extend(_footnote(start, end, content.strip(), labels))
        elif content in labels:
            marks.append(Mark(start, end, "key", content))
        elif first.isalpha() or first in " @-\u3000":
            keys = _keys(start, end, content, labels)
            marks.extend(keys or _numbers(text, start, end, content, labels))
    return marks


def plain_number(label: str) -> str:
    """A number in ASCII digits without leading zeros."""
    digits = label.translate(_PLAIN_DIGITS)
    return digits.lstrip("0") or "0"


def expand(group: str, labels: frozenset[str]) -> list[str]:
    """The numbers that `1, 3-5` stands for; empty when it is not a group of marks.

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


def _linked(text: str, links: list[TextLink]) -> list[Mark]:
    """Links whose label is a number."""
    marks: list[Mark] = []
    for link in links:
        if link.label_end - link.label_start > 24 or link.image:
            continue
        label = text[link.label_start : link.label_end].strip(" \\[]【】［］()（）")
        match = NUMBERS.fullmatch(unicodedata.normalize("NFKC", label.translate(_PLAIN_DIGITS)))
        if match is None:
            continue
        if is_web(link.address):
            target: Target | None = address_target(link.address)
        elif link.address[:1] in _INTERNAL:
            target = None
        else:
            continue
        marks.extend(numbered_marks(link.start, link.end, expand(match[1], frozenset()), target))
    return marks


def _footnote(start: int, end: int, content: str, labels: frozenset[str]) -> list[Mark]:
    """`[^1]`, `[^1^]`, `[^1,2]` and `[^note]`."""
    note = _FOOTNOTE.fullmatch(content)
    if note is None:
        return []
    label = note[1]
    if label.isdigit():
        if len(label) > 4:
            return []
        return [Mark(start, end, "numbered", plain_number(label), style="footnote")]
    group = NUMBERS.fullmatch(content)
    if group:
        return numbered_marks(start, end, expand(group[1], labels))
    return [Mark(start, end, "key", label, style="footnote")]


def _numbers(text: str, start: int, end: int, content: str, labels: frozenset[str]) -> list[Mark]:
    """What one pair of brackets cites, if its inside is a number or a group."""
    if content.isdigit() and len(content) <= 3:
        return numbered_marks(start, end, expand(plain_number(content), labels))
    plain = content if content.isascii() else unicodedata.normalize("NFKC", content)
    match = NUMBERS.fullmatch(plain.strip())
    if match is None:
        return []
    worded = not plain[0].isdigit()  # retrieval counts its sources from 0
    numbers = expand(match[1], labels | {"0"} if worded else labels)
    several = not worded and len(numbers) > 1 and not labels.issuperset(numbers)
    if several and _LIST_WORD.search(text[max(0, start - 14) : start]):
        return []
    return numbered_marks(start, end, numbers)


def _keys(start: int, end: int, content: str, labels: frozenset[str]) -> list[Mark]:
    """`[@smith2019; @lee2020]`, `[Smith2019]`, and anything that an entry has for its label."""
    if "@" in content:
        lead = content.lstrip(" -").lower()
        if not lead.startswith(("@", "see", "e.g")):
            return []
        return [Mark(start, end, "key", key.rstrip(".:,?")) for key in _AT_KEY.findall(content)]
    parts = _KEY_SPLIT.split(content.strip())
    if all(part in labels and not part.isdigit() or _DATED_KEY.fullmatch(part) for part in parts):
        return [Mark(start, end, "key", part) for part in parts]
    return []


def find_raised(text: str, labels: frozenset[str]) -> list[Mark]:
    """Raised numbers, one mark for each number of a group, all with the group's span.

    Args:
        text: The text.
        labels: Labels of the text's reference entries: `¹²` is mark 12, unless only 1 and 2 exist.
    """
    marks: list[Mark] = []
    for match in _SUPERSCRIPT.finditer(text):
        group = match[0].translate(_DIGITS)
        if _power(text, *match.span(), group):
            continue
        numbers: list[str] = []
        for part in _BETWEEN.split(group):
            if _RANGE.fullmatch(part):
                numbers.extend(expand(part, labels))
            elif part.isdigit():
                numbers.extend(_run(part, labels))
        marks.extend(numbered_marks(match.start(), match.end(), numbers))
    if "<sup" in text or "<SUP" in text:
        for match in _SUP.finditer(text):
            if "[" in match[0] or not _power(text, *match.span(), match[1]):
                marks.extend(numbered_marks(*match.span(), expand(match[1], labels)))
    if "^" in text:
        for match in _CARET.finditer(text):
            if not _power(text, *match.span(), match[1]):
                marks.extend(numbered_marks(*match.span(), expand(match[1], labels)))
    return marks


def find_callouts(text: str, labels: frozenset[str], closed: list[tuple[int, int]]) -> list[Mark]:
    """Numbers that lost their raised form or stand in parentheses, where a list explains them.

    Plain figures say so little that a text must cite with them throughout: all are labels of its
    list, and they name at least half of its entries, two or more. Nothing is looked for in the
    stretches of `closed`.
    """
    numeric = {label for label in labels if label.isdigit()}
    if len(numeric) < 2:
        return []
    for pattern in (_LOWERED, _PARENTHESIZED):
        marks: list[Mark] = []
        at, shut = 0, 0
        for match in pattern.finditer(text):
            while at < len(closed) and closed[at][1] <= match.start():
                at += 1
            word = _WORD_BEFORE.search(text, max(0, match.start() - 12), match.start())
            if at < len(closed) and closed[at][0] < match.end():
                continue
            if word and word[1].lower() in NEVER_ENDS:
                continue
            group = str(match.lastgroup)
            numbers = expand(match[group], labels)
            if numbers and numeric.issuperset(numbers):
                first, last = match.span(group)
                if pattern is _PARENTHESIZED:
                    first, last = first - 1, last + 1
                marks.extend(numbered_marks(first, last, numbers))
                shut += text[match.end() : match.end() + 2].strip()[:1] in ("", *".,;:!?)。")
        named = {mark.identifier for mark in marks}
        places = {mark.start for mark in marks}
        if len(named) >= max(2, len(numeric) / 2) and (
            pattern is _LOWERED or shut * 2 >= len(places)
        ):
            return marks
    return []


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
    if at and text[at - 1] == "°":
        return False  # a temperature has no power
    if "/" in word or "·" in word or len(word) == 1:
        return True
    if word.lower() in UNITS or text[max(0, at - 2) : at].strip()[-1:] in _SIGNS:
        return True
    return at > 0 and text[at - 1].isdigit() and len(word) <= 3


def find_keys(text: str) -> list[Mark]:
    """Marks of tags and of LaTeX and Pandoc commands."""
    marks: list[Mark] = []
    if "<" in text:
        for match in _TAG.finditer(text):
            marks.extend(_tag(match))
    if "\\" in text:
        for match in _LATEX.finditer(text):
            keys = [key.strip() for key in match[1].split(",")]
            marks.extend(Mark(*match.span(), "key", key) for key in keys if key)
    if "@" in text:
        for match in _AT.finditer(text):
            at = match.start()
            if not (at and (text[at - 1].isalnum() or text[at - 1] in "./_-[")):
                marks.append(Mark(*match.span(), "key", match[1]))
    return marks


def _tag(tag: re.Match[str]) -> list[Mark]:
    """A tag's mark: with its short words, or the opening tag alone around a claim."""
    attribute = _ATTRIBUTE.search(tag["attributes"] or "")
    content = tag["inside"]
    if attribute is None:
        return []
    value = (attribute[1] or attribute[2] or attribute[3]).strip()
    names = [name for name in re.split(r"\s{0,2}[,;]\s{0,2}|\s{1,2}", value) if name]
    start, end = tag.span()
    covers = None
    if content is not None and (len(content) > _SHORT or content.rstrip().endswith((".", "。"))):
        covers = tag.span("inside")
        end = tag.start("inside")
    return [
        Mark(start, end, "key", plain_number(name) if name.isdigit() else name, covers=covers)
        for name in names
    ]
