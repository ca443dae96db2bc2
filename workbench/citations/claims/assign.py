"""What each citation stands for: claims, and the part of one that a mark covers."""

import re
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from workbench.citations.claims.sentences import TextSentence
from workbench.citations.lexicon import (
    ARTICLES,
    CJK_LEADS_TO_MARK,
    JOINTS,
    LEADS_TO_MARK,
    PARTICLES,
    REPORTED,
    SAYS,
    SIGNALS,
    TAILS,
    WITHIN,
)
from workbench.citations.marks import Mark

_LEADING = " \t\n\r\u3000,;:，；、：)）]】*_–—"
_TRAILING = " \t\n\r\u3000,;:，；、：([（【"
_BETWEEN = re.compile(
    r"[\s,;，；、&()\[\]（）^.*_]*(?:and|und|et|y|e|和|与|及|(?:see|siehe)(?: also| auch)?|cf\.?|vgl\.)?[\s(\[（]*"
)
_WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")
_CJK = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_CJK_LETTER = re.compile(f"[{_CJK}]")
_ASSERTS_IN_CJK = re.compile(f"(?:[^{_CJK}]*[{_CJK}]){{5}}")
"""Fewer letters than this assert nothing."""
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
    r"|(?:now,? |next,? |first,? )?let(?:'s|’s| me) |i(?:'ll|’ll| will) (?:now |also |first )?"
    r"(?:help|start|begin|search|look|create|write|compile|gather|prepare|continue|conduct|provide)"
    r"|希望.{0,10}(?:帮助|有用)|如果您(?:有|需要|想)|请告诉我|(?:接下来|现在|首先|最后|，)*让我"
    r"|(?:最后|需要|我需要|我会|我将)(?:继续|进一步|再)?(?:为您)?(?:搜索|查找|获取|收集|了解|撰写))",
    re.IGNORECASE,
)
_LEAD_CHARS = 200
"""Code points within which words that say something show themselves."""
_NEAR = 80
"""How far, in code points, a mark between two sentences can stand from the one before it."""


_CLAUSE = re.compile(r"(?:[,;:]\s|\b(?:and|but|while|whereas|yet)\s)(?:the\s|a\s|an\s)?\Z")
_PREDICATE = re.compile(
    r"\s(?!(?:and|or|for|to|in|on|of|with|by|at|from|which|that|as|but|while|whereas|when|where|who|than|und"
    r"|oder|aber|für|in|im|von|mit|bei|et|ou|de|du|des|pour|dans|par|y|o|en|con|por|para|e|di|da|per|met|van"
    r"|voor|door|a|à|al|que|che|dat|dass)\b)[^\W\d_A-Z]{2,}"
)
_JOINT = re.compile(
    r";\s|[,;]?\s(?:and|but|while|whereas|yet"
    r"|und|aber|während|hingegen|mais|tandis que|et(?! al)|y|pero|mientras(?: que)?"
    r"|e|ma|mentre|mas|enquanto|maar|terwijl|en)\s|[；，](?:而|但|不过|然而)?"
)
_TURN = re.compile(
    r";\s|,\s(?:but|while|whereas|aber|während|hingegen|mais|tandis que|pero|mientras(?: que)?|ma|mentre|mas"
    r"|enquanto|maar|terwijl)\s|；|，(?:而|但|不过|然而)"
)
"""Where another clause begins that has its own subject."""
_WITHIN_NAMES = TAILS | JOINTS | PARTICLES | WITHIN
_SHARES = re.compile(r"(?:,|\s(?:and|und|et|y|e|en|og)\b|\s&)")
"""What joins one subject to another behind its mark: `Oslo [1] and Bergen [2] grew`."""
_REST_OF_BRACKET = re.compile(r"[^()（）\n]{0,60}[)）]")
_ATTRIBUTION = re.compile(
    r"(?:[^.:：。\n]{1,40}[:：])?[\s*_]*"
    r"(?:according to|as reported by|per|nach|laut|gemäß|zufolge|selon|d['’]après|según|segundo|secondo"
    r"|conforme|volgens|aldus|根据|据)\s?[^,;:.]{0,60}\Z",
    re.IGNORECASE,
)


class AssignedPart(NamedTuple):
    """What a mark stands for: `text[start:end]`, and the sentence that it is a part of."""

    start: int
    end: int
    sentence: int


class ClaimAssignments(NamedTuple):
    """Sentences as claims: their trimmed spans, and for each mark its part of one."""

    spans: list[tuple[int, int]]
    parts: list[AssignedPart | None]
    cited: list[list[int]]
    """For each sentence, the marks (by place in the list given) that stand for it."""


def assign_marks(
    text: str, sentences: Sequence[TextSentence], marks: Sequence[Mark]
) -> ClaimAssignments:
    """Tie each mark to the sentence it stands for, or to its part of one with several marks.

    A part reaches from the citation before to the mark, or from the clause that the mark opens to
    the next one. Marks that only punctuation or `and` keep
    apart share their part; `Smith (2019)` and `According to [1]` stand for what follows. A line of
    marks alone stands for the sentence before it, a tag around words for those words.
    """
    spans = [_trim(text, sentence) for sentence in sentences]
    by_sentence, between = _assign(sentences, marks)
    parts: list[AssignedPart | None] = [None] * len(marks)
    cited: list[list[int]] = [[] for _ in sentences]
    for number, members in enumerate(by_sentence):
        if not members:
            continue
        owner = number
        if _only_marks(text, sentences[number], marks, members):
            spans[number] = (sentences[number].start, sentences[number].start)
            owner = _before(text, sentences, spans, number)
            if owner < 0:
                continue
            for member in members:
                parts[member] = AssignedPart(*spans[owner], owner)
        else:
            for member, part in _share(text, spans[number], marks, members):
                alone = part == (marks[member].start, marks[member].end)
                parts[member] = AssignedPart(*(spans[number] if alone else part), number)
        cited[owner].extend(members)
    for owner, member in between:
        start, end = spans[owner]
        if marks[member].start - sentences[owner].reach < _NEAR and end > start:
            parts[member] = AssignedPart(start, end, owner)
            cited[owner].append(member)
    _cover(text, spans, marks, parts)
    return ClaimAssignments(spans, parts, cited)


def has_content(text: str, start: int, end: int, least: int = 1) -> bool:
    """Whether `text[start:end]` has `least` words beyond those that only lead to a mark."""
    if start >= end:
        return False
    piece = text[start : min(end, start + _LEAD_CHARS)]
    cjk = 0 if piece.isascii() else len(_CJK_LETTER.findall(piece))
    if cjk:
        return piece.strip(" ，,、。；;：:") not in CJK_LEADS_TO_MARK and cjk >= 2
    count = 0
    for word in _WORD.finditer(piece):
        if word[0].lower() not in LEADS_TO_MARK:
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
    if piece.isascii() or not _ASSERTS_IN_CJK.match(piece, 0, 60):
        words = piece[:200].split()[:12]
        said = (word for word in words if word[0].isalnum() or _WORD.search(word))
        if len(list(islice(said, 3))) < 3:
            return False
    return _META.match(piece.lstrip('*_"“ ')) is None


def _assign(
    sentences: Sequence[TextSentence], marks: Sequence[Mark]
) -> tuple[list[list[int]], list[tuple[int, int]]]:
    """For each sentence the marks that begin in it; marks between sentences with the one before.

    Between sentences stand marks beside a list number (`2[5]. Next item`): a program that adds
    marks after each stop puts them there, for the words before.
    """
    by_sentence: list[list[int]] = [[] for _ in sentences]
    between: list[tuple[int, int]] = []
    at, count = 0, len(sentences)
    for number, mark in enumerate(marks):
        while at < count and sentences[at].reach <= mark.start:
            at += 1
        if at < count and sentences[at].start <= mark.start:
            by_sentence[at].append(number)
        elif at:
            between.append((at - 1, number))
    return by_sentence, between


def _trim(text: str, sentence: TextSentence) -> tuple[int, int]:
    """A sentence without emphasis that is opened or closed elsewhere."""
    start, end = sentence.start, sentence.end
    for sign in ("**", "__"):
        if text.count(sign, start, end) % 2:
            if text.startswith(sign, start, end):
                start += 2
            elif text.endswith(sign, start, end):
                end -= 2
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _only_marks(
    text: str, sentence: TextSentence, marks: Sequence[Mark], members: list[int]
) -> bool:
    """Whether a sentence holds marks and nothing that they could stand for."""
    if _SOURCE_LEAD.match(text, sentence.start, sentence.end):
        return True
    at = sentence.start
    words: list[str] = []
    for member in members:
        mark = marks[member]
        words.append(text[at : mark.start])
        if mark.covers:
            words.append(text[slice(*mark.covers)])
        elif mark.kind == "url" and text[mark.start] == "[":
            label = text[mark.start : mark.end].split("](", 1)[0]
            words.append(label if len(label.split()) > 12 else "")
        at = max(at, mark.end)
    words.append(text[at : sentence.reach])
    remainder = " ".join(words)
    if _WORD.search(remainder) is None:
        return True
    if len(remainder) > 60:
        return False
    remaining = {word.lower().strip(".") for word in _WORD.findall(remainder)}
    return (
        remaining <= SIGNALS | LEADS_TO_MARK | REPORTED
        or _SOURCE_WORDS.match(remainder) is not None
    )


def _before(
    text: str, sentences: Sequence[TextSentence], spans: list[tuple[int, int]], number: int
) -> int:
    """The sentence before `number` that says something; -1 without one nearby."""
    for earlier in range(number - 1, max(-1, number - 4), -1):
        if sentences[earlier].kind == "heading":
            return -1
        if has_content(text, *spans[earlier]):
            return earlier
    return -1


def _share(
    text: str, span: tuple[int, int], marks: Sequence[Mark], members: list[int]
) -> list[tuple[int, tuple[int, int]]]:
    """Each mark of a sentence with the part it stands for."""
    groups = _groups(text, marks, members)
    if len(groups) == 1:
        return [(member, span) for member in members]
    shared: list[tuple[int, tuple[int, int]]] = []
    waiting: list[int] = []  # marks that stand for what follows them
    begin = since = span[0]
    last: list[int] = []
    for group in groups:
        mark = marks[group[0]]
        place = min(_label_end(text, mark), span[1])
        words = has_content(text, begin, min(mark.start, span[1]))
        clause = _clause_start(text, begin, mark.start)
        shares = not shared and not waiting and _names_subject(text, begin, mark.start, named=True)
        shares = shares and _SHARES.match(text, marks[group[-1]].end) is not None
        if not words or shares or _is_subject(text, mark, begin, clause):
            if waiting and has_content(text, marks[waiting[-1]].end, clause, least=2):
                shared.extend(_cut(text, waiting, since, clause))
                waiting, begin = [], clause
            elif words and last:
                begin = clause
            if not waiting:
                since = begin
            waiting.extend(group)
            last = []
            continue
        turn = _turn(text, marks[waiting[-1]].end, place) if waiting else None
        if turn is not None:
            shared.extend(_cut(text, waiting, since, turn))
            waiting, begin = [], turn
        last = waiting + group
        since = since if waiting else begin
        shared.extend(_cut(text, last, since, place))
        waiting = []
        begin = _after(text, begin, group, marks)
    if waiting:
        shared.extend(_cut(text, waiting, since, span[1]))
    elif last and has_content(text, begin, span[1], least=3):
        rest = set(last)
        shared = [pair for pair in shared if pair[0] not in rest]
        shared.extend(_cut(text, last, since, span[1]))
    return shared


def _label_end(text: str, mark: Mark) -> int:
    """The end of the words of a part that a mark closes: those of a link's label are its own."""
    own = mark.kind == "case_law" or (mark.kind in ("url", "doi") and text[mark.start] == "[")
    return mark.end if own and text[max(mark.start - 1, 0)] not in "([（【" else mark.start


def _after(text: str, begin: int, group: list[int], marks: Sequence[Mark]) -> int:
    """Where the next part begins behind a group: after the bracket that it stands in."""
    end = max(marks[member].end for member in group)
    start = marks[group[0]].start
    if text.count("(", begin, start) > text.count(")", begin, start):
        rest = _REST_OF_BRACKET.match(text, end)
        end = rest.end() if rest else end
    return end


def _clause_start(text: str, begin: int, place: int) -> int:
    """Where the clause begins in which `place` stands, after its joining word; else `begin`."""
    start = begin
    for joint in _JOINT.finditer(text, max(begin, place - 80), place):
        start = joint.end()
    return start


def _turn(text: str, begin: int, end: int) -> int | None:
    """Where a clause of its own begins between a mark that opens one and the next mark."""
    for turn in _TURN.finditer(text, begin, end):
        if has_content(text, begin, turn.start(), least=2) and has_content(text, turn.end(), end):
            return turn.start()
    return None


def _names_subject(text: str, start: int, end: int, *, named: bool = False) -> bool:
    """Whether words before a mark can be who acts: a name, or else an article with a few words."""
    words = text[start:end].strip(' *_"“(').split()
    if not 0 < len(words) <= 5:
        return False
    if words[0].lower() in ARTICLES and not named:
        return len(words) <= 4
    names = [word for word in words if word.lower().strip(".") not in _WITHIN_NAMES]
    capital = bool(names) and all(word[:1].isupper() for word in names)
    return capital and words[0].lower() not in LEADS_TO_MARK


def _is_subject(text: str, mark: Mark, begin: int, clause: int) -> bool:
    """Whether a mark begins a clause: `Smith (2019) found …`, `…, and [4] shows …`."""
    if mark.style == "narrative":
        return True
    linked = mark.kind == "author_year" and text[mark.end - 1] == ")" and text[mark.start] == "["
    if mark.kind not in ("numbered", "key", "url", "doi") and not linked:
        return False
    goes_on = text[mark.end : mark.end + 1] in ",，" or _PREDICATE.match(text, mark.end)
    if goes_on and _ATTRIBUTION.match(text, clause, mark.start):
        return True
    if mark.start > clause and _names_subject(text, clause, mark.start):
        return _PREDICATE.match(text, mark.end) is not None
    if mark.start > begin and not _CLAUSE.search(text, max(begin, mark.start - 20), mark.start):
        return False
    if SAYS.match(text, mark.end):
        return True
    labelled = text[mark.start] == "[" and text[mark.end - 1] == ")"
    return labelled and mark.kind == "url" and _PREDICATE.match(text, mark.end) is not None


def _cut(text: str, members: list[int], begin: int, end: int) -> list[tuple[int, tuple[int, int]]]:
    """The marks with the part `begin:end` without the punctuation around it."""
    while begin < end and (
        text[begin] in _LEADING or (text[begin] == "." and text[begin + 1].isspace())
    ):
        begin += 1
    while end > begin and text[end - 1] in _TRAILING:
        end -= 1
    return [(member, (begin, end)) for member in members]


def _groups(text: str, marks: Sequence[Mark], members: list[int]) -> list[list[int]]:
    """Marks that stand together, with at most punctuation or `and` between them."""
    groups: list[list[int]] = []
    edge = -1
    for member in members:
        mark = marks[member]
        joins = groups and (
            mark.start < edge
            or (_BETWEEN.fullmatch(text, edge, mark.start) and not _opens(text, mark, edge))
        )
        if joins:
            groups[-1].append(member)
        else:
            groups.append([member])
        edge = max(edge, mark.end)
    return groups


def _opens(text: str, mark: Mark, edge: int) -> bool:
    """Whether a mark opens a clause of its own behind `, and`, and does not join those before."""
    if "," not in text[edge : mark.start] and ";" not in text[edge : mark.start]:
        return False
    if mark.style == "narrative":
        return _PREDICATE.match(text, mark.end) is not None
    labelled = mark.kind == "url" and text[mark.start] == "[" and text[mark.end - 1] == ")"
    return labelled and _PREDICATE.match(text, mark.end) is not None


def _cover(
    text: str,
    spans: list[tuple[int, int]],
    marks: Sequence[Mark],
    parts: list[AssignedPart | None],
) -> None:
    """Give a tag around words those words, as far as they stand in its sentence."""
    for number, mark in enumerate(marks):
        part = parts[number]
        if mark.covers is None or part is None:
            continue
        start = max(mark.covers[0], spans[part.sentence][0])
        end = min(mark.covers[1], spans[part.sentence][1])
        while start < end and text[start].isspace():
            start += 1
        while end > start and text[end - 1].isspace():
            end -= 1
        if start < end:
            parts[number] = AssignedPart(start, end, part.sentence)
