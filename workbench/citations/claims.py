"""What each citation stands for: claims, and the part of one that a mark covers."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from workbench.citations.lexicon import CJK_LEADS_TO_MARK, LEADS_TO_MARK
from workbench.citations.marks import Mark
from workbench.citations.segment import Sentence

_LEAD_TRIM = " \t\n\r\u3000,;:，；、：)）]】*_–—"
_WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")
_CJK_LETTER = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_SOURCE_NAMES = (
    r"(?:(?:data |image |photo )?sources?|refs?|references?|citations?|links?"
    r"|来源|资料来源|数据来源|信息来源|参考|参见|出处|引用|出典|quellen?|fuentes?|fonti?)"
)
_SOURCE_WORDS = re.compile(
    rf"\W*(?:{_SOURCE_NAMES}|via|see(?: also)?|read more|more)\W*\Z", re.IGNORECASE
)
_SOURCE_LEAD = re.compile(rf"[\W_]*{_SOURCE_NAMES}[*_]*\s?[:：]", re.IGNORECASE)
_META = re.compile(
    r"(?:let me know|feel free|would you like|please let|i hope (?:this|that|it)|hope this helps"
    r"|is there anything|do you (?:want|need)|if you(?:'d|’d| would) like"
    r"|希望.{0,10}(?:帮助|有用)|如果您(?:有|需要|想)|请告诉我)",
    re.IGNORECASE,
)


_NEAR = 80


class Part(NamedTuple):
    """What a mark stands for: `text[start:end]`, and the sentence that it is a part of."""

    start: int
    end: int
    sentence: int


class Placed(NamedTuple):
    """Sentences as claims: their trimmed spans, and for each mark its part of one."""

    spans: list[tuple[int, int]]
    parts: list[Part | None]
    cited: list[list[int]]
    """For each sentence, the marks (by place in the list given) that stand for it."""


def place_marks(text: str, sentences: Sequence[Sentence], marks: Sequence[Mark]) -> Placed:
    """Tie each mark to the sentence it stands for, or to its part of one with several marks.

    A part reaches from the citation before to the mark. Marks that only other marks, commas or
    `and` keep apart share their part; `Smith (2019)` stands for what follows it. A line of marks
    alone stands for the sentence before it.
    """
    spans = [_trim(text, one, marks) for one in sentences]
    inside, outside = _assign(sentences, marks)
    parts: list[Part | None] = [None] * len(marks)
    cited: list[list[int]] = [[] for _ in sentences]
    for number, members in enumerate(inside):
        if not members:
            continue
        home = number
        if _bare(text, sentences[number], marks, members):
            home = _before(sentences, spans, inside, text, number)
            spans[number] = (sentences[number].start, sentences[number].start)
            if home < 0:
                continue
            whole = spans[home]
            for member in members:
                parts[member] = Part(*whole, home)
        else:
            for member, part in _share(text, spans[number], sentences[number], marks, members):
                parts[member] = Part(*part, number)
        cited[home].extend(members)
    for home, member in outside:
        if marks[member].start - sentences[home].reach < _NEAR and spans[home][1] > spans[home][0]:
            parts[member] = Part(*spans[home], home)
            cited[home].append(member)
    return Placed(spans, parts, cited)


def _assign(
    sentences: Sequence[Sentence], marks: Sequence[Mark]
) -> tuple[list[list[int]], list[tuple[int, int]]]:
    """For each sentence the marks that begin in it; marks between sentences with the one before.

    Between sentences stand marks beside a list number (`2[5]. Next item`): a program that adds
    marks after each stop puts them there, for the words before.
    """
    inside: list[list[int]] = [[] for _ in sentences]
    outside: list[tuple[int, int]] = []
    at, count = 0, len(sentences)
    for number, mark in enumerate(marks):
        while at < count and sentences[at].reach <= mark.start:
            at += 1
        if at < count and sentences[at].start <= mark.start:
            inside[at].append(number)
        elif at:
            outside.append((at - 1, number))
    return inside, outside


def _trim(text: str, one: Sentence, marks: Sequence[Mark]) -> tuple[int, int]:
    """A sentence without white space and without emphasis that is opened or closed elsewhere."""
    start, end = one.start, one.end
    for sign in ("**", "__"):
        if text.count(sign, start, end) % 2:
            if text.startswith(sign, start):
                start += 2
            elif text.endswith(sign, start, end):
                end -= 2
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _bare(text: str, one: Sentence, marks: Sequence[Mark], members: list[int]) -> bool:
    """Whether a sentence holds marks and nothing that they could stand for."""
    if _SOURCE_LEAD.match(text, one.start, one.end):
        return True
    at = one.start
    words = []
    for member in members:
        mark = marks[member]
        if mark.kind in ("url", "doi") and text[mark.start] == "[" or mark.style == "narrative":
            label = text[mark.start : mark.end].split("](")[0]
            if len(label.split()) > 12:
                return False
        words.append(text[at : mark.start] if mark.start > at else "")
        at = max(at, mark.end)
    words.append(text[at : one.reach])
    left = " ".join(words)
    if not _WORD.search(left):
        return True
    return len(left) < 40 and _SOURCE_WORDS.match(left) is not None


def _before(
    sentences: Sequence[Sentence],
    spans: list[tuple[int, int]],
    inside: list[list[int]],
    text: str,
    number: int,
) -> int:
    """The sentence before `number` that says something; -1 without one nearby."""
    for home in range(number - 1, max(-1, number - 4), -1):
        start, end = spans[home]
        if sentences[home].kind == "heading":
            return -1
        if end > start and says_something(text, start, end):
            return home
    return -1


def _share(
    text: str,
    span: tuple[int, int],
    one: Sentence,
    marks: Sequence[Mark],
    members: list[int],
) -> list[tuple[int, tuple[int, int]]]:
    """Each mark of a sentence with the part it stands for."""
    groups = _groups(text, marks, members)
    if len(groups) == 1 or one.kind == "heading":
        whole = _without_edges(text, span, marks, members)
        return [(member, whole) for member in members]
    shared: list[tuple[int, tuple[int, int]]] = []
    begin = span[0]
    waiting: list[int] = []
    first_waiting = begin
    last: list[int] = []
    last_begin = begin
    for group in groups:
        mark = marks[group[0]]
        place = min(mark.start, span[1])
        words = says_something(text, begin, place, least=1)
        if mark.style == "narrative" or not words:
            if waiting and says_something(text, marks[waiting[-1]].end, place, least=3):
                shared.extend(_cut(text, waiting, first_waiting, place))
                waiting = []
                begin = place
            elif last and words and mark.style == "narrative":
                begin = _clause(text, begin, place)
            if not waiting:
                first_waiting = begin
            waiting.extend(group)
            last = []
            continue
        last = waiting + group
        last_begin = first_waiting if waiting else begin
        shared.extend(_cut(text, last, last_begin, place))
        waiting = []
        begin = max(marks[member].end for member in group)
    if waiting:
        shared.extend(_cut(text, waiting, first_waiting, span[1]))
    elif last and says_something(text, begin, span[1], least=3):
        moved = dict(_cut(text, last, last_begin, span[1]))
        shared = [(member, moved.get(member, part)) for member, part in shared]
    return shared


def _clause(text: str, begin: int, place: int) -> int:
    """Where the words that lead to a narrative mark begin."""
    return begin


def _cut(text: str, members: list[int], begin: int, end: int) -> list[tuple[int, tuple[int, int]]]:
    while begin < end and text[begin] in _LEAD_TRIM:
        begin += 1
    if begin < end and text[begin] == "." and text[begin + 1 : begin + 2].isspace():
        begin += 1
    while begin < end and text[begin] in _LEAD_TRIM:
        begin += 1
    while end > begin and (text[end - 1].isspace() or text[end - 1] in ",;:，；、：([（【"):
        end -= 1
    return [(member, (begin, end)) for member in members]


def _without_edges(
    text: str, span: tuple[int, int], marks: Sequence[Mark], members: list[int]
) -> tuple[int, int]:
    """A claim with one group of marks: the sentence, without marks at its very ends."""
    return span


def _groups(text: str, marks: Sequence[Mark], members: list[int]) -> list[list[int]]:
    """Marks that stand together, with at most punctuation or `and` between them."""
    groups: list[list[int]] = []
    edge = -1
    for member in members:
        mark = marks[member]
        if groups and (
            mark.start < edge
            or text[edge : mark.start].strip(" \t\n,;，；、&()[]（）^.") in ("", "and", "和", "与")
        ):
            groups[-1].append(member)
        else:
            groups.append([member])
        edge = max(edge, mark.end)
    return groups


def says_something(text: str, start: int, end: int, least: int = 2) -> bool:
    """Whether `text[start:end]` has words beyond those that only lead to a mark."""
    if start >= end:
        return False
    piece = text[start:end]
    cjk = len(_CJK_LETTER.findall(piece[:200]))
    if cjk:
        return piece.strip(" ，,、。；;：:") not in CJK_LEADS_TO_MARK and cjk >= min(2, 2 * least)
    count = 0
    for found in _WORD.finditer(piece):
        if found[0].lower() not in LEADS_TO_MARK:
            count += 1
            if count >= least:
                return True
    return False


def asserts(text: str, start: int, end: int, kind: str) -> bool:
    """Whether an uncited stretch asserts something: no heading, question, offer or fragment."""
    if kind != "sentence":
        return False
    piece = text[start:end]
    if piece.rstrip('*_"”」』)） ')[-1:] in ("?", "？"):
        return False
    cjk = len(_CJK_LETTER.findall(piece[:60]))
    if cjk < 6:
        words = 0
        for _ in _WORD.finditer(piece[:400]):
            words += 1
            if words >= 3:
                break
        if words < 3:
            return False
    return _META.match(piece.lstrip('*_"“ ')) is None
