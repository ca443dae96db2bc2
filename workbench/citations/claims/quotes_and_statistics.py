"""Find direct quotations and numerical claims that have a source: kinds `quote` and `statistic`.

They say what is claimed, and lie outside the overlap rule: the source is the mark beside them, or
the one that the sentence names in words.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from workbench.citations.claims.assign import ClaimAssignments
from workbench.citations.document import Document
from workbench.citations.lexicon import CJK
from workbench.citations.marks import Mark
from workbench.records.citation import CitationKind

_QUOTE = re.compile(
    r"“([^“”\n]{8,1200})”|\"([^\"\n]{8,1200})\"|«([^«»\n]{8,1200})»|„([^„“”\n]{8,1200})[“”]"
    r"|「([^「」\n]{6,600})」|『([^『』\n]{6,600})』"
)
_QUOTE_SIGN = re.compile('[“"«„「『]')
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
    rf"[\d$€£¥₹￥](?:(?<=\d)(?<![A-Za-z0-9_.,/:#–-].)(?>\d{{0,2}}(?:(?:,\d{{3}}){{1,5}}|\d{{0,9}})(?:\.\d{{1,6}})?){_TO}"
    r"(?:\s?[%％](?!\s?(?:CI\b|confidence|置信))|\s(?:percent|per cent)(?:age points?)?\b"
    r"|\s?个百分点"
    rf"|[\s-]?{_SCALE}(?:\s?(?:{_COUNTED}|US dollars))?(?![a-zA-Z])"
    rf"|[\s-]?{_COUNTED}(?![a-zA-Z])|[\s-]?fold\b|\s(?:in|out of)\s\d{{1,9}}\b)"
    rf"|(?<=[$€£¥₹￥])\s?(?:{_NUMBER}){_TO}(?:\s?{_SCALE}\b)?)"
)
_COUNTRY = re.compile(r"(?:US|A|C|HK|NT)\Z")
_TEST = re.compile(
    r"[=<>≤≥R](?:(?<=[=<>≤≥])\s?(?:0?\.\d{1,8}|\d{1,9}(?:,\d{3}){0,3})"
    r"|(?<=R)(?:\s?[=:]\s?|\s)\d{1,3}\.\d{1,4})"
)
_TEST_LEAD = re.compile(r"(?:\b[pPnN]\s?|\b(?:O|H|R|IR))\Z")
_SMALL_NUMBER = r"(?:one|two|three|four|five|six|seven|eight|nine|ten)"
_RATIO = re.compile(
    r" (?:in|out of) (?:every )?(?:two|three|four|five|six|seven|eight|nine|ten|twenty|a hundred"
    r"|\d{1,6})\b"
)
_RATIO_LEAD = re.compile(rf"\b{_SMALL_NUMBER}\Z", re.IGNORECASE)
_FRACTION_LEAD = re.compile(r"\b(?:one|two|three)[- ]\Z", re.IGNORECASE)
_CHINESE_SHARE = re.compile(r"百分之[一二三四五六七八九十百零\d.]{1,8}")
_WORDY = (
    ("", _RATIO, _RATIO_LEAD),
    *((word, re.compile(rf"{word}s?\b"), _FRACTION_LEAD) for word in ("third", "quarter", "fifth")),
)
_SAYS = tuple(
    (
        "ccording to| said| says| wrote| writes| stated| argued| argues| told| noted| explained|"
        " declared| announced| testified| held that| put it| called| words of| described|表示|指出|"
        "认为|写道|强调|说|称|述べ|語"
    ).split("|")
)
_REPORTS = tuple(
    (
        "ccording to|reported that|reports that|estimates that|estimated that|found that|"
        "shows that|showed that|data from|figures from|survey by|study by|report by|"
        "statistics from|数据显示|据统计|报告显示|调查显示|统计显示|根据|据|指出|によると|によれば|따르면"
    ).split("|")
)
_NOT_SAYS = ("数据", "依据", "证据", "占据", "收据")


class SecondaryCitation(NamedTuple):
    """A quotation or figure at `text[start:end]` of a sentence, and the mark it rests on."""

    start: int
    end: int
    kind: CitationKind
    identifier: str
    sentence: int
    mark: int | None
    """Its mark, by place in the list given; None when the sentence names its source in words."""


def find_quotes_and_statistics(document: Document) -> list[SecondaryCitation]:
    """Quotations and figures of the sentences that have a mark or name a source in words."""
    text, marks, assignments = document.text, document.marks, document.assignments
    secondary: list[SecondaryCitation] = []
    figures = _figure_spans(text)
    starts = [first for first, _ in figures]
    for number, (start, end) in enumerate(assignments.spans):
        if end <= start or document.sentences[number].kind == "title":
            continue
        members = assignments.cited[number]
        if _QUOTE_SIGN.search(text, start, end) and (members or _names(text[start:end], _SAYS)):
            secondary.extend(_quotations(text, start, end, number))
        at = bisect_left(starts, start)
        if at < len(starts) and starts[at] < end and (members or _names(text[start:end], _REPORTS)):
            sentence_figures = figures[at : bisect_left(starts, end)]
            secondary.extend(_figures(text, end, sentence_figures, number, marks, members))
    return [
        citation._replace(mark=_mark_for(citation, marks, assignments)) for citation in secondary
    ]


def _quotations(text: str, start: int, end: int, sentence: int) -> Iterator[SecondaryCitation]:
    """The quotations of one sentence."""
    for match in _QUOTE.finditer(text, start, end):
        words = match[0][1:-1]
        if _is_quotation(words):
            yield SecondaryCitation(*match.span(), "quote", words.strip(), sentence, None)


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
    content_words = [part for part in parts if part[:1].isalpha() and part.lower() not in _SMALL]
    capital = sum(part[:1].isupper() for part in content_words)
    return not (len(content_words) >= 2 and capital == len(content_words))


def _figures(
    text: str,
    end: int,
    spans: list[tuple[int, int]],
    number: int,
    marks: Sequence[Mark],
    members: list[int],
) -> list[SecondaryCitation]:
    """The figures of one sentence, which ends at `end`, that are not part of a mark."""
    figures: list[SecondaryCitation] = []
    edge = at = 0
    for first, last in spans:
        while at < len(members) and marks[members[at]].end <= first:
            at += 1
        in_mark = at < len(members) and marks[members[at]].start < last
        if not in_mark and edge <= first and last <= end:
            edge = last
            figures.append(
                SecondaryCitation(first, last, "statistic", text[first:last], number, None)
            )
    return figures


def _figure_spans(text: str) -> list[tuple[int, int]]:
    """Where figures stand: amounts, shares, counts, ratios, results of tests."""
    spans: list[tuple[int, int]] = []
    for match in _FIGURE.finditer(text):
        first = match.start()
        if not text[first].isdigit():
            country = _COUNTRY.search(text[max(0, first - 2) : first])
            first -= len(country[0]) if country else 0
        spans.append((first, match.end()))
    for match in _TEST.finditer(text):
        sign = _TEST_LEAD.search(text[max(0, match.start() - 3) : match.start()])
        if sign:
            spans.append((match.start() - len(sign[0]), match.end()))
    for needle, pattern, lead in _WORDY:
        if needle in text:
            for match in pattern.finditer(text):
                word = lead.search(text[max(0, match.start() - 6) : match.start()])
                if word:
                    spans.append((match.start() - len(word[0]), match.end()))
    if "百分之" in text:
        spans.extend(match.span() for match in _CHINESE_SHARE.finditer(text))
    spans.sort()
    return spans


def _mark_for(
    citation: SecondaryCitation, marks: Sequence[Mark], assignments: ClaimAssignments
) -> int | None:
    """The mark whose part holds a quotation or figure, else the first after it, else the last."""
    members = assignments.cited[citation.sentence]
    if not members:
        return None
    after = bisect_left(members, citation.end, key=lambda member: marks[member].start)
    for member in members[max(after - 2, 0) : after + 2]:
        part = assignments.parts[member]
        if part and part.start <= citation.start and citation.end <= part.end:
            return member
    return members[min(after, len(members) - 1)]
