"""What a sentence's subject may stand for: how it refers, and the candidates around it. Pure.

Words for English and German, clauses for Chinese. No grammar is parsed: a subject is what stands
before the first verb-like word, a candidate is a run of words that carry content, and where it
stands says how likely it is meant (`salience`).
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from workbench.judging.clauses import manner_of, points_back, topics
from workbench.judging.segment import segment
from workbench.judging.words import STOPWORDS, Rarity, fold, is_unspaced, stem, without_markers
from workbench.records import JudgeContext

Manner = Literal["pronoun", "noun", "omitted", "party", "period", "named", "plain"]
"""How a subject refers: *it*; *the bridge*; not at all (a cell, a list item); *according to the
agency*; *in those years*; by a name; by words of its own."""
REFERS: Mapping[Manner, float] = {
    "pronoun": 1.0, "noun": 0.9, "omitted": 1.0, "party": 1.0, "period": 1.0, "named": 0.0,
    "plain": 0.6,
}  # fmt: skip
"""How much of what a claim says cannot be known without knowing what its subject stands for."""
INNERMOST, OUTERMOST, BETWEEN = 1.0, 0.8, 0.6
"""Salience of headings; a table row's label makes them count less."""
ROW, BESIDE_ROW, QUESTION = 1.0, 0.6, 0.7
LAST, FIRST, ASIDE, SIBLING = 1.0, 0.8, 0.5, 0.3
"""Salience of the subject nearest before the claim, of the first sentence's subject, of what else
is named, and of other items of the same list."""
UNNAMED = 0.7
"""How much of its salience a candidate keeps that is not written like a name."""
AGAIN = 0.2
"""What a candidate gains by standing at another place, too."""
RARE = 0.7
"""A capital at the beginning of a sentence makes a name of a word as rare as that."""
MOST = 12
"""So many candidates are looked at."""
LONGEST_OPENING = 90


@dataclass(frozen=True, slots=True)
class Subject:
    """How a claim's subject refers, and the words it does that with."""

    manner: Manner
    text: str = ""


@dataclass(frozen=True, slots=True)
class Candidate:
    """Something that a subject may stand for."""

    text: str
    salience: float
    named: bool


_WORD = re.compile(r"[^\W_]+(?:['’.&-][^\W_]+)*")
_BULLET = re.compile(
    r"^(?P<indent>\s*)(?:(?:[-*•▪●◦–—]|\d{1,2}[.)、]|[（(]\d{1,2}[)）]|#{1,6}|>)\s*)+(?=\D)"
)
_PRONOUNS = frozenset(
    "it he she they its his her hers their theirs both neither them er sie es ihr ihre ihren sein "
    "seine seinen deren dessen beide".split()
)
_DEMONSTRATIVES = frozenset(
    "this these that those such same former latter dieser diese dieses diesen diesem jener jene "
    "jenes".split()
)
_THERE = frozenset("there here dort hier".split())
_ARTICLES = frozenset("the der die das den dem des".split())
_GERMAN = frozenset("der die das und ist wurde war von im den mit ein eine nicht sich er".split())
_OPENERS = frozenset(
    "in on at by after before during since from until till as when while for with within despite "
    "although though because once among throughout over around under without besides beyond there "
    "here today later then meanwhile however moreover finally overall im am nach vor seit bis bei "
    "während trotz unter mit als dort hier".split()
)
_NAMELESS = frozenset(
    "results result findings background introduction abstract summary overview history legacy life "
    "career conclusion conclusions discussion methods method details notes other others references "
    "early personal general section chapter part table figure report analysis comparison compared "
    "key main facts options forecasts 结果 背景 概述 简介 结论 总结 讨论 方法 历史 其他 附录 引言 调查结果".split()
)
_VERBS = frozenset(
    "is are was were be been has have had do does did will would can could may might must shall "
    "should became become remains remained began came went took made gave held ran won lost left "
    "built grew fell rose led sold bought met kept said says sat sent broke ist sind war waren "
    "wurde wurden hat haben hatte wird werden kann".split()
)
_TIME = re.compile(
    r"\b(?:this|that|these|those|the same|the following|the next|dieser|diesen|jener|jenen) "
    r"(?:[a-z]+ ){0,2}(?:years?|decades?|times?|period|era|century|months|season|winter|summer"
    r"|spring|autumn|war|reign|epoch|dynasty|zeit|jahren|jahrzehnt|epoche|jahrhundert)\b"
    r"|^(?:until|since|by|before|from) then\b|^(?:meanwhile|damals|seitdem|bis dahin)\b",
    re.IGNORECASE,
)
_PARTY = re.compile(
    r"^(?:according to|as reported by|per|by|laut|nach Angaben (?:von|der|des))\s+"
    r"(?P<who>(?:[^,:]{2,80}(?:['’]s (?:count|estimate|figures|account|own \w+)))|(?<!by )[^,:]{2,80})"
    r"[,:]|^(?:根据|依据|按照|据)(?P<whom>[^，,。]{2,24})，",
    re.IGNORECASE,
)
_REPORTS = re.compile(
    r"的?(?:最新|年度|初步)?(?:统计|数据|报告|估计|估算|测算|调查|公布|通报|发布|显示|介绍|预测|预计|消息|说法|规定"
    r"|研究|记载|所述|透露|表示)+$"
)


def subject_of(claim: str, context: JudgeContext, rarity: Rarity) -> Subject:
    """How the claim's subject refers, given where the claim stands."""
    text = plain(claim)
    if context.table_row:
        return Subject("omitted")
    party = _PARTY.match(text)
    if party:
        return Subject("party", party["who"] or _REPORTS.sub("", party["whom"]))
    if is_unspaced(text):
        manner, words = manner_of(text)
        if manner == "named" and is_listed(context) and len(text) < 24:
            return Subject("omitted")
        return Subject(manner, words)
    return _subject(text, context, rarity)


def _subject(text: str, context: JudgeContext, rarity: Rarity) -> Subject:
    opening, rest = _opening(text)
    if opening and (name := _name_in(opening, rarity, opens=True)) and not _TIME.search(opening):
        opening = ""
        inside = name
    else:
        inside = ""
    words = [match.group() for match in _WORD.finditer(rest[:200])]
    folded = [fold(word) for word in words]
    lead = folded[0] if folded else ""
    first = next(_runs(rest), "")
    if lead in _PRONOUNS:
        return Subject("pronoun", words[0])
    time = _TIME.search(text)
    if time:
        return Subject("period", time.group())
    if lead in _DEMONSTRATIVES:
        return Subject("noun", first)
    name = _name_in(first, rarity, rest.startswith(first))
    listed = is_listed(context)
    if lead in _ARTICLES and (not name or _is_german(text)):
        return Subject("noun", first)
    if name and not (listed and " " not in name and rest.startswith(name)):
        return Subject("named", name)
    if inside:
        return Subject("named", inside)
    if listed:
        return Subject("omitted", first)
    points = set(folded) | {fold(word) for word in _WORD.findall(opening)}
    if points & (_PRONOUNS | _DEMONSTRATIVES | _THERE):
        return Subject("noun", first)
    return Subject("plain", first)


def candidates(context: JudgeContext, rarity: Rarity) -> list[Candidate]:
    """What a subject in this place may stand for, the likeliest first; each text once."""
    found: dict[str, Candidate] = {}
    for text, salience, opens in _places(context, rarity):
        unspaced = is_unspaced(text)
        name = text if unspaced else _name_in(text, rarity, opens)
        worth = salience if name else UNNAMED * salience
        text = name or text
        if text in found:
            worth = max(found[text].salience, worth) + AGAIN
        found[text] = Candidate(text, worth, bool(name))
    return sorted(found.values(), key=lambda one: -one.salience)[:MOST]


def _places(context: JudgeContext, rarity: Rarity) -> Iterator[tuple[str, float, bool]]:
    """Runs of words in the context, the salience of their places, and whether they open a line."""
    row = plain(context.table_row or "")
    if row:
        yield row, ROW, False
    headings = [one for one in map(plain, context.headings) if not _is_nameless(one)]
    for i, heading in enumerate(headings):
        worth = INNERMOST if i == len(headings) - 1 else OUTERMOST if i == 0 else BETWEEN
        for run in _parts(heading):
            opens = heading.startswith(run) and run != heading
            yield run, worth * (BESIDE_ROW if row else 1.0), opens
    question = plain(context.question or "")
    for run in _parts(question):
        yield run, QUESTION, question.startswith(run)
    yield from named_before(context.before, rarity, carries=not row)


def named_before(
    before: str, rarity: Rarity, carries: bool = True
) -> Iterator[tuple[str, float, bool]]:
    """Runs of words in the sentences before a claim, as in `_places`, from the last to the first.

    The nearest sentence that does not itself point back has the subject that is likeliest meant;
    items of a list beside the claim give way to the line that leads to the list.
    """
    spans = segment(before)
    bullets = [_BULLET.match(before[_line(before, one.start) :]) for one in spans]
    deepest = max((len(b["indent"]) for b in bullets if b), default=0)
    for i in range(len(spans) - 1, -1, -1):
        sentence, bullet = plain(spans[i].of(before)), bullets[i]
        sibling = bullet is not None and (len(bullet["indent"]) == deepest)
        runs, back = list(_parts(sentence)), _points(sentence)
        leads = bool(runs) and not back
        for j, run in enumerate(runs):
            opens = sentence.startswith(run)
            named = is_unspaced(run) or bool(_name_in(run, rarity, opens))
            if sibling:
                worth = SIBLING
            elif leads and (j == 0 or named):
                worth = LAST if carries else FIRST if i == 0 else ASIDE
            else:
                worth = ASIDE
            yield run, worth, opens
            leads = leads and not named
        carries = carries and (back or not runs or sibling)


def _line(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


def plain(text: str) -> str:
    """A line without citation markers, list bullets and marks of emphasis."""
    return _BULLET.sub("", re.sub(r"[*_`]{1,3}(?=\S)|(?<=\S)[*_`]{1,3}", "", without_markers(text))).strip()


def is_listed(context: JudgeContext) -> bool:
    """Whether the claim is an item of a list: a lead-in stands before it, or another item."""
    lines = context.before.rstrip().splitlines()
    return bool(lines) and (lines[-1].endswith((":", "：")) or _BULLET.match(lines[-1]) is not None)


def points(text: str) -> bool:
    """Whether a phrase points at something named before instead of naming it."""
    return _points(text) or (not is_unspaced(text) and not any(c.isupper() for c in text))


def _points(sentence: str) -> bool:
    if is_unspaced(sentence):
        return points_back(sentence)
    words = _WORD.findall(sentence[:60])
    return bool(words) and fold(words[0]) in (_PRONOUNS | _DEMONSTRATIVES)


def _name_in(run: str, rarity: Rarity, opens: bool) -> str:
    """A run from its first word to its last capital and the noun behind it; empty without a name.

    A word that opens a sentence is a name where it is rare.
    """
    words = run.split()
    last = -1
    for i, word in enumerate(words):
        if word[0].isdigit():
            last = i if i and words[i - 1][0].isupper() else last
        elif word[0].isupper():
            rare = rarity.weight(stem(fold(word))) >= RARE
            last = i if i or not opens or rare or word[1:].isupper() else last
    return " ".join(words[: last + 2]) if last >= 0 else ""


def _is_nameless(heading: str) -> bool:
    words = {fold(word) for word in _WORD.findall(heading)} - STOPWORDS
    return words <= _NAMELESS


def _is_german(text: str) -> bool:
    return len({fold(word) for word in _WORD.findall(text)} & _GERMAN) >= 2


def _opening(text: str) -> tuple[str, str]:
    """An introductory phrase up to its comma, and the rest."""
    lead = _WORD.match(text)
    if lead is None or fold(lead.group()) not in _OPENERS:
        return "", text
    comma = text.find(",", 0, LONGEST_OPENING)
    return (text[:comma], text[comma + 1 :].lstrip()) if comma > 0 else ("", text)


def _parts(text: str) -> Iterable[str]:
    """The runs that may name something."""
    return topics(text) if is_unspaced(text) else _runs(text)


def lead_of(sentence: str, rarity: Rarity) -> Sequence[tuple[str, float, bool]]:
    """What a sentence itself is about, as in `_places`: its subject, and what else it names."""
    return list(named_before(sentence, rarity))


def _runs(text: str) -> Iterator[str]:
    """Runs of content words; a run ends at a verb, at a stop word, at punctuation.

    Names go on over *of* and *de*; a word in small letters that ends in *-ed* counts as a verb.
    """
    start = end = -1
    for match in _WORD.finditer(text):
        word = match.group()
        folded, small = fold(word), word[0].islower()
        breaks = start >= 0 and text[end : match.start()].strip() != ""
        named = start >= 0 and text[start].isupper()
        if folded in ("of", "de", "von", "del", "di") and named and not breaks:
            continue
        if start >= 0 and (breaks or (small and end < match.start() - 1)):
            yield text[start:end]
            start = -1
        stops = folded in STOPWORDS or folded in _VERBS or folded in _OPENERS
        stops = stops or folded in _ARTICLES or folded in _PRONOUNS
        if stops or (small and folded.endswith("ed") and len(folded) > 4):
            if start >= 0:
                yield text[start:end]
            start = -1
            continue
        start = match.start() if start < 0 else start
        end = match.end()
    if start >= 0:
        yield text[start:end]
