"""What a claim's subject may stand for: how it refers, and the candidates around it. Pure.

No grammar is parsed. A subject is what stands before the first verb-like word; a candidate is a run
of words that carry content; where it stands says how likely it is meant (`salience`). Runs of words
for English and German (`runs`), clauses for Chinese (`clauses`).
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from workbench.judging.clauses import NAMELESS, manner_of, refers_back, topics
from workbench.judging.runs import (
    ARTICLES,
    DEMONSTRATIVES,
    LONGEST_PHRASE,
    OPENERS,
    PRONOUNS,
    WORD,
    find_runs,
    is_german,
    is_nameless,
    name_in,
    named_phrase,
    phrase_of,
    points,
)
from workbench.judging.segment import segment
from workbench.judging.tokenization import Rarity, is_unspaced, normalize_word, without_markers
from workbench.records import JudgeContext

Manner = Literal[
    "pronoun", "noun", "omitted", "party", "period", "described", "named", "plain", "new"
]
"""How a subject refers: *it*; *the bridge*; not at all (a cell, a list item); *according to the
agency*; *in those years*; by a description (*the first bridge over it*); by a name; by words of its
own; to nothing before it (*a survey of 214 libraries*)."""
REFERS: Mapping[Manner, float] = {
    "pronoun": 1.0, "noun": 0.9, "omitted": 1.0, "party": 1.0, "period": 1.0, "named": 0.0,
    "described": 0.5, "plain": 0.6, "new": 0.0,
}  # fmt: skip
"""How much of what a claim says cannot be known without knowing what its subject stands for."""
INNERMOST, OUTERMOST, BETWEEN, BESIDE_ROW = 1.0, 0.8, 0.6, 0.6
"""Salience of headings; beside a table row's label they count less."""
ROW, QUESTION = 1.0, 0.7
LAST, FIRST, ASIDE, ONLY_ITEM, ITEM = 1.0, 0.8, 0.5, 0.7, 0.3
"""Salience of the subject nearest before the claim, of the first sentence's subject, of what else
is named, and of items of the same list."""
DESCRIBED_FROM = 3
"""*The* and this many content words describe a thing well enough to be found by themselves."""
UNNAMED = 0.7
"""How much of its salience a candidate keeps that is not written like a name."""
AGAIN = 0.3
"""What a candidate gains by standing at another place, too."""
MOST = 12
"""So many candidates are looked at."""
LONGEST_TEXT, MOST_HEADINGS, LONGEST_HEADING = 800, 6, 300
"""What is read of the text before a claim, and of headings, counted from their ends."""


@dataclass(frozen=True, slots=True)
class Subject:
    """How a claim's subject refers; `text` holds its own words where they tell something."""

    manner: Manner
    text: str = ""


@dataclass(frozen=True, slots=True)
class AntecedentCandidate:
    """Something that a subject may stand for."""

    text: str
    salience: float
    named: bool
    firm: bool = True
    """Whether its text is a whole phrase: of a heading, where no verb can follow a name."""


class _Place(NamedTuple):
    """A run of words in the context."""

    text: str
    salience: float
    opens: bool = False
    """Whether it opens a sentence, where a capital says nothing."""
    firm: bool = False


_BULLET = re.compile(
    r"^(?P<indent>\s*)(?:(?:[-*–—](?=\s)|[•▪●◦]|\d{1,2}(?:[.)](?=\s|[^\x00-\x7f])|、)"
    r"|[（(]\d{1,2}[)）]|#{1,6}(?=\s)|>)\s*)+(?=\D)"
)
_POSSESSIVE = re.compile(r"['’]s?$")
_CITED = re.compile(
    r"\s*[(（]\s*\[[^\]\n]{1,300}\]\([^)\s]{0,500}\)\s*[)）]"
    r"|\s*\((?:see |cf\. )?[A-ZÀ-Þ][^()\n]{1,100}?[ ,](?:1[89]|20)\d\d[a-z]?(?:[,;][^()\n]{0,80})?\)"
    r"|https?://[^\s<>()\[\]]+|\[\^[^\]\s]{1,30}\]|［[^］]{1,12}］"
)
"""A link in parentheses, author and year, an address, a footnote's mark."""
_LINK = re.compile(r"\[([^\]\n]{1,300})\]\([^)\s]{0,500}\)")
_CLOCK = re.compile(r"\b\d{1,2}:\d\d\b(?:\s?(?:UTC|GMT|CES?T)\b)?")
_NUMBERS = frozenset(
    "one two three four five six seven eight nine ten eleven twelve hundred thousand million "
    "several many few most zwei drei vier fünf sechs sieben acht neun zehn zwölf hundert tausend "
    "mehrere viele".split()
)
_EMPHASIS = re.compile(r"[*_`]{1,3}(?=\S)|(?<=\S)[*_`]{1,3}")
_CONJUNCTIONS = frozenset("and or but nor then also und oder aber sowie".split())
_PLACE_WORDS = frozenset("there here dort hier".split())
_TIME = re.compile(
    r"\b(?:this|that|these|those|the same|the following|the next|dieser|diesen|jener|jenen) "
    r"(?:[a-z]+ ){0,2}(?:years?|decades?|times?|period|era|century|months|season|winter|summer"
    r"|spring|autumn|war|reign|epoch|dynasty|zeit|jahren|jahrzehnt|epoche|jahrhundert)\b"
    r"|^(?:until|since|by|before|from) then\b|^(?:meanwhile|damals|seitdem|bis dahin)\b",
    re.IGNORECASE,
)
_PARTY = re.compile(
    r"^(?:according to|as reported by|nach Angaben (?:von|der|des))\s+(?P<who>[^,:]{2,80})[,:]"
    r"|^laut\s+(?P<wer>(?:der |dem |des )?(?-i:[A-ZÄÖÜ])[\w-]+(?: (?-i:[A-ZÄÖÜ])[\w-]+)*)"
    r"|^(?:根据|依据|按照|据)(?P<whom>[^，,。]{2,24})[，,]",
    re.IGNORECASE,
)
_REPORTS = re.compile(
    r"的?(?:最新|年度|初步)?(?:统计|数据|报告|估计|估算|测算|调查|公布|通报|发布|显示|介绍|预测|预计|消息|说法|规定"
    r"|研究|记载|所述|透露|表示)+$"
)
_SAYS = re.compile(
    r"^(?:the|this|that|die|der|das) (?:[a-z]+ ){1,2}(?:reports?|reported|says|said|estimates?"
    r"|estimated|puts|warns|warned|argues|argued|recommends|recommended|advises|advised|states"
    r"|stated|notes|noted|claims|claimed|predicts|predicted|expects|expected|schätzt|berichtet)\b",
    re.IGNORECASE,
)
_EMPTY_IT = re.compile(
    r"(?:it|es) (?:is|was|may be|can be|seems|ist|war) (?:\w+ ){1,3}(?:to|that|zu|dass)\b",
    re.IGNORECASE,
)
_STUDY = (
    "surveys?|stud(?:y|ies)|reviews?|meta-analys[ei]s|trials?|experiments?|analys[ei]s|polls?|pilots?|papers?"
    "|cohorts?|audits?|simulations?|studien?|umfragen?|übersichtsarbeit|versuch"
)
_NEW_STUDY = re.compile(
    rf"^(?:in )?(?:an?|one|two|three|four|five|several|another|eine?|einer) (?:[\w-]+ ){{0,4}}(?:{_STUDY})\b",
    re.IGNORECASE,
)
"""A claim that begins so brings its subject along: nothing before it says what it is about."""
_LATTER = re.compile(r"(?:the )?latter\b|letzter|后者", re.IGNORECASE)
_LABEL = re.compile(r"^[^:：。,，]{2,40}(?=[:：])")


def subject_of(claim: str, context: JudgeContext, rarity: Rarity) -> Subject:
    """How the claim's subject refers, given where the claim stands."""
    text = _plain(claim)
    if context.table_row:
        return Subject("omitted")
    if _NEW_STUDY.match(text):
        return Subject("new")
    party, label, listed = _PARTY.match(text), _LABEL.match(text), _is_listed(context)
    if party:
        who = party["who"] or party["wer"] or _REPORTS.sub("", party["whom"])
        return Subject("party", who if _names(who) else "")
    if label and listed:
        return Subject("named", label.group())
    if is_unspaced(text):
        manner, words = manner_of(text)
        short = manner == "named" and listed and len(text) < 24
        return Subject("omitted") if short else Subject(manner, words)
    return _spaced(text, listed, rarity)


def candidates(context: JudgeContext, rarity: Rarity) -> list[AntecedentCandidate]:
    """What a subject in this place may stand for, the likeliest first; each text once."""
    by_key: dict[tuple[str, ...], AntecedentCandidate] = {}
    for text, salience, opens, firm in _places(context, rarity):
        unspaced = is_unspaced(text)
        name = text if unspaced else name_in(text, rarity, opens)
        weight = salience if name else UNNAMED * salience
        text = name or text
        name_words = (w for w in text.split() if unspaced or not name or w[0].isupper())
        key = tuple(normalize_word(_POSSESSIVE.sub("", w)) for w in name_words)
        previous = by_key.get(key)
        if previous is not None:
            text = previous.text if previous.firm else min(previous.text, text, key=len)
            weight, firm = max(previous.salience, weight) + AGAIN, firm or previous.firm
        by_key[key] = AntecedentCandidate(text, weight, bool(name), firm)
    context_text = " ".join((*context.headings, context.question or "", context.before))
    for key, candidate in by_key.items():
        if (
            is_unspaced(candidate.text)
            and context_text.count(candidate.text) > 1
            and candidate.salience < LAST
        ):
            by_key[key] = replace(candidate, salience=candidate.salience + AGAIN)
    return sorted(by_key.values(), key=lambda candidate: -candidate.salience)[:MOST]


def _spaced(text: str, listed: bool, rarity: Rarity) -> Subject:
    """`subject_of` in a language with spaces."""
    opening, rest = _opening(text)
    words = [normalize_word(word) for word in WORD.findall(rest[:200])]
    lead = words[0] if words else ""
    if _EMPTY_IT.match(rest):
        return Subject("plain", rest)
    if lead in PRONOUNS:
        return Subject("pronoun")
    if _TIME.search(text):
        return Subject("period")
    if _SAYS.match(text):
        return Subject("party")
    if lead in DEMONSTRATIVES:
        return Subject("noun")
    phrase = phrase_of(rest)
    if _says_nothing(phrase):
        return Subject("omitted")
    name = "" if lead in ARTICLES and is_german(text) else named_phrase(phrase, rarity)
    if name and not (listed and " " not in name):
        return Subject("named", name)
    if name := named_phrase(opening, rarity):
        return Subject("named", name)
    early = {normalize_word(word) for word in WORD.findall(opening)}
    subject_words = {normalize_word(word) for word in WORD.findall(phrase)}
    if early & (DEMONSTRATIVES | _PLACE_WORDS):
        return Subject("noun")
    if lead in ARTICLES:
        described = sum(len(run.split()) for run in find_runs(phrase)) >= DESCRIBED_FROM
        return Subject("described" if described else "noun", phrase)
    if listed:
        return Subject("omitted")
    # a pronoun behind the verb stands for something that the claim names itself
    points_inside = (early | subject_words) & PRONOUNS or (early | set(words)) & (
        DEMONSTRATIVES | _PLACE_WORDS
    )
    return Subject("noun") if points_inside else Subject("plain", phrase)


def _says_nothing(phrase: str) -> bool:
    """Whether nothing stands before the verb but words like *and*: the subject was told before."""
    words = [normalize_word(word) for word in WORD.findall(phrase)]
    return set(words) <= _CONJUNCTIONS


def _opening(text: str) -> tuple[str, str]:
    """An introductory phrase up to its comma, and the rest."""
    lead = WORD.match(text)
    comma = text.find(",", 0, LONGEST_PHRASE)
    if lead is None or normalize_word(lead.group()) not in OPENERS or comma < 0:
        return "", text
    return text[:comma], text[comma + 1 :].lstrip()


def _places(context: JudgeContext, rarity: Rarity) -> Iterator[_Place]:
    row = _plain((context.table_row or "")[:LONGEST_HEADING])
    if row:
        yield _Place(row, ROW, firm=True)
    headings = [_plain(heading[:LONGEST_HEADING]) for heading in context.headings[-MOST_HEADINGS:]]
    headings = [
        heading
        for heading in headings
        if heading not in NAMELESS and not is_nameless(heading) and not heading.endswith(",")
    ]
    for i, heading in enumerate(headings):
        weight = INNERMOST if i == len(headings) - 1 else OUTERMOST if i == 0 else BETWEEN
        for run, opens in _heading_runs(heading, rarity):
            yield _Place(run, weight * (BESIDE_ROW if row else 1.0), opens, firm=True)
    question = _plain((context.question or "")[:LONGEST_HEADING])
    for run in _parts(question):
        yield _Place(run, QUESTION, question.startswith(run))
    yield from _before(context.before[-LONGEST_TEXT:], rarity, carries=not row)


def _heading_runs(heading: str, rarity: Rarity) -> Iterator[tuple[str, bool]]:
    """The names of a heading and whether they open it; without a name the whole heading."""
    runs = list(_parts(heading))
    opens = [heading.startswith(run) for run in runs]
    if not is_unspaced(heading):
        names = (name_in(run, rarity, first) for run, first in zip(runs, opens, strict=True))
        if not any(names):
            yield heading, True
            return
    yield from zip(runs, opens, strict=True)


def _before(before: str, rarity: Rarity, carries: bool) -> Iterator[_Place]:
    """Runs of words in the sentences before a claim, from the last sentence to the first.

    The nearest sentence that does not itself point back has the subject that is likeliest meant;
    items of a list beside the claim give way to the line that leads to the list.
    """
    before = _uncited(before)
    spans = segment(before)
    lines = [before[before.rfind("\n", 0, span.start) + 1 : span.end] for span in spans]
    bullets = [_BULLET.match(line) for line in lines]
    from_last = False
    indents = [len(bullet["indent"]) for bullet in bullets if bullet]
    for i in range(len(spans) - 1, -1, -1):
        sentence, bullet = _plain(spans[i].of(before)), bullets[i]
        item = bullet is not None and len(bullet["indent"]) == max(indents)
        runs, back = list(_parts(sentence)), _points(sentence)
        leads = not back
        for j, run in enumerate(reversed(runs) if from_last else runs):
            opens = sentence.startswith(run)
            has_name = is_unspaced(run) or bool(name_in(run, rarity, opens))
            weight = ASIDE
            if item:
                weight = ONLY_ITEM if len(indents) == 1 else ITEM
            elif leads and (j == 0 or has_name):
                weight = LAST if carries else FIRST if i == 0 else ASIDE
            yield _Place(run, weight, opens)
            leads = leads and (is_unspaced(run) or not has_name)
        carries = carries and (back or not runs or item)
        from_last = _LATTER.match(sentence) is not None


def _plain(text: str) -> str:
    """A line without citation markers, list bullets and marks of emphasis."""
    return _BULLET.sub("", _EMPHASIS.sub("", without_markers(_uncited(text)))).strip()


def _uncited(text: str) -> str:
    """A text without what only says who is cited, or when on a day: both look like names."""
    return _CLOCK.sub("", _LINK.sub(r"\1", _CITED.sub("", text)))


def _is_listed(context: JudgeContext) -> bool:
    """Whether the claim is an item of a list: a lead-in stands before it, or another item."""
    lines = context.before[-LONGEST_TEXT:].rstrip().splitlines()
    return bool(lines) and (lines[-1].endswith((":", "：")) or _BULLET.match(lines[-1]) is not None)


def _names(phrase: str) -> bool:
    """Whether a phrase names something rather than points at it."""
    if is_unspaced(phrase):
        return not refers_back(phrase)
    return not points(phrase) and any(letter.isupper() for letter in phrase)


def _points(sentence: str) -> bool:
    return refers_back(sentence) if is_unspaced(sentence) else points(sentence)


def _parts(text: str) -> Iterable[str]:
    """The runs that may name something."""
    if is_unspaced(text):
        return topics(text)
    return (run for run in find_runs(text) if not _is_measure(run))


def _is_measure(run: str) -> bool:
    """Whether a run only says how many: *two years*, *36 buses*."""
    first = run.split(maxsplit=1)[0]
    counts = first[0].isdigit() or normalize_word(first) in _NUMBERS
    return counts and not any(letter.isupper() for letter in run[len(first) :])
