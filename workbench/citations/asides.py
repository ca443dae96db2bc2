"""Find direct quotations and numerical claims that have a source: kinds `quote` and `statistic`.

They say what is claimed, and lie outside the overlap rule: the source is the mark beside them, or
the one that the sentence names in words.
"""

import re
from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

from workbench.citations.claims import Placed
from workbench.citations.marks import Mark
from workbench.citations.patterns import CJK
from workbench.citations.segment import Sentence
from workbench.records import CitationKind

_QUOTE = re.compile(
    r"“([^“”\n]{8,1200})”|\"([^\"\n]{8,1200})\"|«([^«»\n]{8,1200})»|„([^„“”\n]{8,1200})[“”]"
    r"|「([^「」\n]{6,600})」|『([^『』\n]{6,600})』"
)
_QUOTE_SIGNS = '“"«„「『'
_LEAST_WORDS = 4
_LEAST_WIDE = 8
_SMALL = frozenset(["a", "an", "the", "of", "and", "in", "on", "for", "to", "with", "by", "or"])
_WIDE = re.compile(f"[{CJK}]")
_NUMBER = r"\d{1,3}(?:,\d{3}){1,5}(?:\.\d{1,6})?|\d{1,12}(?:\.\d{1,6})?"
_SCALE = r"(?:thousand|million|billion|trillion|bn|hundred|百万|千万|万亿|亿|万|萬|億|兆)"
_COUNTED = (
    r"(?:people|persons?|patients?|participants?|adults?|children|women|men|cases|deaths|countries"
    r"|companies|firms|respondents?|households?|students?|studies|trials|jobs|users?|customers"
    r"|species|workers|residents|employees|voters|subscribers|downloads|publications|articles"
    r"|years?|months?|weeks?|days?|hours?|minutes?|seconds?|times|degrees|points|dollars|euros"
    r"|pounds|tons?|tonnes?|kg|km|km/h|mg|mL|mmHg|°C|°F|℃|kWh|MWh|GWh|TWh|kW|MW|GW|TW|GB|TB|MB"
    r"|Hz|GHz|nm|mm|cm|m²|km²|metres?|meters?|miles?|acres?|hectares?|basis points"
    r"|人|名|例|家|个国家|户|所|项|次|岁|元|美元|欧元|日元|倍|成|吨|公里|平方公里|千瓦|小时|个百分点|円|件|社|명|개)"
)
_TO = rf"(?:\s?(?:%|％)?\s?(?:-|–|—|~|～|to|至|到|and)\s?(?:{_NUMBER}))?"
_FIGURE = re.compile(
    rf"[\d$€£¥₹￥](?:(?<=\d)\d{{0,2}}(?:(?:,\d{{3}}){{1,5}}|\d{{0,9}})(?:\.\d{{1,6}})?{_TO}"
    r"(?:\s?[%％](?!\s?(?:CI\b|confidence|置信))|\s(?:percent|per cent)(?:age points?)?\b"
    r"|\s?个百分点"
    rf"|[\s-]?{_SCALE}(?:\s?(?:{_COUNTED}|US dollars))?(?![a-zA-Z])"
    rf"|[\s-]?{_COUNTED}(?![a-zA-Z])|[\s-]?fold\b|\s(?:in|out of)\s\d{{1,9}}\b)"
    rf"|(?<=[$€£¥₹￥])\s?(?:{_NUMBER}){_TO}(?:\s?{_SCALE}\b)?)"
)
_COUNTRY = re.compile(r"(?:US|A|C|HK|NT)\Z")
_TEST = re.compile(
    r"[pPnN]\s?[=<>≤≥]\s?(?:0?\.\d{1,8}|\d{1,9}(?:,\d{3}){0,3})"
    r"|(?:OR|RR|HR|IRR|SMD)\s?[=:]?\s?\d{1,3}\.\d{1,4}"
)
_SPELLED = re.compile(
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten)\s(?:in|out of)\s(?:every\s)?"
    r"(?:two|three|four|five|six|seven|eight|nine|ten|twenty|a hundred|\d{1,6})\b"
    r"|(?:one|two|three)[- ](?:thirds?|quarters?|fifths?|tenths?)\b"
    r"|百分之[一二三四五六七八九十百零\d.]{1,8}",
    re.IGNORECASE,
)
_SPELLED_SIGNS = (
    *("ne in ", "wo in ", "hree in ", "our in ", "ive in ", "ix in ", "even in ", "ight in "),
    *("ine in ", "en in ", "out of", "third", "quarter", "fifth", "tenth", "百分之"),
)
_TEST_SIGNS = ("=", "<", ">", "≤", "≥", "OR ", "RR ", "HR ", "SMD")
_DIGIT = re.compile(r"\d")
_SAYS = (
    *(
        "ccording to",
        " said",
        " says",
        " wrote",
        " writes",
        " stated",
        " argued",
        " argues",
        " told",
    ),
    *(" noted", " explained", " declared", " announced", " testified", " held that", " put it"),
    *(
        " called",
        " words of",
        " described",
        "表示",
        "指出",
        "认为",
        "写道",
        "强调",
        "说",
        "称",
        "述べ",
        "語",
    ),
)
_REPORTS = (
    *("ccording to", "reported that", "reports that", "estimates that", "estimated that"),
    *("found that", "shows that", "showed that", "data from", "figures from", "survey by"),
    *(
        "study by",
        "report by",
        "statistics from",
        "数据显示",
        "据统计",
        "报告显示",
        "调查显示",
        "统计显示",
    ),
    *("根据", "据", "指出", "によると", "によれば", "따르면"),
)
_NOT_SAYS = ("数据", "依据", "证据", "占据", "收据")


class Aside(NamedTuple):
    """A quotation or figure at `text[start:end]` of a sentence, and the mark it rests on."""

    start: int
    end: int
    kind: CitationKind
    identifier: str
    sentence: int
    mark: int | None
    """Its mark, by place in the list given; None when the sentence names its source in words."""


def find_asides(
    text: str, sentences: Sequence[Sentence], marks: Sequence[Mark], placed: Placed
) -> list[Aside]:
    """Quotations and figures of the sentences that have a mark or name a source in words."""
    asides: list[Aside] = []
    for number, (start, end) in enumerate(placed.spans):
        if end <= start or sentences[number].kind == "title":
            continue
        members = placed.cited[number]
        piece = text[start:end]
        if any(sign in piece for sign in _QUOTE_SIGNS) and (members or _names(piece, _SAYS)):
            for found in _QUOTE.finditer(text, start, end):
                if _is_quotation(found[0][1:-1]):
                    asides.append(_aside(found, "quote", found[0][1:-1].strip(), number, members))
        if members or _names(piece, _REPORTS):
            asides.extend(_figures(text, start, end, number, marks, members))
    return [aside._replace(mark=_mark_for(aside, marks, placed)) for aside in asides]


def _aside(
    found: re.Match[str], kind: CitationKind, words: str, number: int, members: list[int]
) -> Aside:
    return Aside(*found.span(), kind, words, number, members[0] if members else None)


def _names(piece: str, words: tuple[str, ...]) -> bool:
    """Whether a sentence names who says it."""
    for word in words:
        if word in piece:
            if len(word) > 1:
                return True
            plain = piece
            for other in _NOT_SAYS:
                plain = plain.replace(other, "")
            if word in plain:
                return True
    return False


def _is_quotation(words: str) -> bool:
    """Whether words in quotation marks are a quotation and not a term or a title."""
    if len(_WIDE.findall(words)) >= _LEAST_WIDE:
        return True
    parts = words.split()
    if len(parts) < _LEAST_WORDS:
        return False
    long = [part for part in parts if part[:1].isalpha() and part.lower() not in _SMALL]
    capital = sum(part[:1].isupper() for part in long)
    return not (len(long) >= 2 and capital == len(long))


def _figures(
    text: str, start: int, end: int, number: int, marks: Sequence[Mark], members: list[int]
) -> list[Aside]:
    """The figures of one sentence that are no part of a mark."""
    figures: list[Aside] = []
    edge, at = start, 0
    for first, last in sorted(_figure_spans(text, start, end)):
        while at < len(members) and marks[members[at]].end <= first:
            at += 1
        inside = at < len(members) and marks[members[at]].start < last
        if not inside and first >= edge:
            edge = last
            mark = members[0] if members else None
            figures.append(Aside(first, last, "statistic", text[first:last], number, mark))
    return figures


def _figure_spans(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Where the figures of a sentence stand: amounts, shares, counts, ratios, test results."""
    piece = text[start:end]
    spans: list[tuple[int, int]] = []
    if _DIGIT.search(piece):
        for found in _FIGURE.finditer(text, start, end):
            first = found.start()
            before = text[first - 1] if first > start else " "
            if found[0][0].isdigit():
                if before.isalnum() and before < "\u2e80" or before in "_.,/:#-–":
                    continue
            else:
                country = _COUNTRY.search(text[max(start, first - 2) : first])
                first -= len(country[0]) if country else 0
            spans.append((first, found.end()))
        if any(sign in piece for sign in _TEST_SIGNS):
            spans.extend(_words(_TEST, text, start, end))
    if any(sign in piece for sign in _SPELLED_SIGNS):
        spans.extend(_words(_SPELLED, text, start, end))
    return spans


def _words(pattern: re.Pattern[str], text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Matches that begin with a word's first letter."""
    return [
        found.span()
        for found in pattern.finditer(text, start, end)
        if found.start() == start
        or not text[found.start() - 1].isascii()
        or not text[found.start() - 1].isalnum()
    ]


def _mark_for(aside: Aside, marks: Sequence[Mark], placed: Placed) -> int | None:
    """The mark whose part holds an aside, else the first one after it, else the last."""
    members = placed.cited[aside.sentence]
    if not members:
        return None
    after = bisect_left(members, aside.end, key=lambda member: marks[member].start)
    for member in members[max(after - 2, 0) : after + 2]:
        part = placed.parts[member]
        if part and part.start <= aside.start and aside.end <= part.end:
            return member
    return members[min(after, len(members) - 1)]
