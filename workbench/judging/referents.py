"""Whether a source is about what a claim is about: the claim's referent, looked for in the source.

The claim's subject is resolved in its context (`antecedents`); what it may stand for is looked for
in the passages, their headings and what the source says of itself. What the evidence is about is
found by the same rules, the title as its heading. Pure.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workbench.judging.antecedents import (
    LONGEST_HEADING,
    REFERS,
    AntecedentCandidate,
    candidates,
    subject_of,
)
from workbench.judging.claim_features import Sentence
from workbench.judging.mentions import Held, Name
from workbench.judging.tokenization import Rarity
from workbench.records import JudgeContext, Passage

WEIGHED = ("lost", "far", "aside", "named_lost")
"""What lowers a score, each 0 to 1: nothing that the subject may stand for is anywhere in the
source; the likeliest is not; the evidence of a short source with a title is about something else;
the name that the claim itself gives is not in the source."""
CLEAR = 0.9
"""A referent that is found so far counts as found."""
CLEARLY_ABOUT = 0.6
NEAR = 0.5
"""What standing beside the evidence counts of being what the evidence is about."""
SHARPNESS = 1.5
"""A share of a name counts by this power: half a name is less than half found."""
LIKELIEST = {True: 0.95, False: 0.7}
"""Candidates of so much of the best one's salience are the likeliest; fewer where it is a name."""
UNNAMED_SHARE = 0.8
"""How much counts what is looked for without a name: it may be called otherwise."""
NAMED_SHARE = 0.6
"""How much of `aside` counts of a claim that names its subject itself, which it can do anywhere."""
LONG, SHORT = 2400, 1200
"""A source of at most `SHORT` characters is about its title all along, one of `LONG` is not."""
YEARS_BEFORE, YEARS_AFTER = 3, 12
_YEAR = re.compile(r"(?<!\d)(1\d{3}|20\d\d)(?!\d)")
_SITE = re.compile(r"\s+[|–—·]\s+")


@dataclass(frozen=True, slots=True)
class Referent:
    """What a claim is about, and how far its source is about that."""

    values: Mapping[str, float]
    """By the names of `WEIGHED`."""
    wanted: str
    """What the claim is about, in the words of its context; empty where that tells nothing."""
    given: str
    """What the source is about, in its own words; empty where they do not tell."""
    party: bool
    """Whether it is about who says something rather than what it is said of."""


NO_REFERENT = Referent(dict.fromkeys(WEIGHED, 0.0), "", "", False)
"""Nothing to look for."""


@dataclass(frozen=True, slots=True)
class _Source:
    """Where in a source a referent is looked for."""

    anywhere: Held
    facts: Held
    near: Held
    """The evidence, two sentences before it and one behind it."""
    topics: Sequence[tuple[Held, float]]
    """What the evidence may be about, and how likely."""
    named: str
    texts: Sequence[str]
    """The title and the sentences up to the evidence and the next."""
    small: float
    """1 for a short source with a title, 0 for a long one or one without."""


def refer(
    claim: str,
    context: JudgeContext,
    passages: Sequence[Passage],
    sentences: Sequence[Sentence],
    best: Sequence[Sentence],
    rarity: Rarity,
) -> Referent:
    """What the claim is about, and how far the source is about that.

    `sentences` are those of the passages, `best` the evidence among them. A claim that nothing is
    known about has nothing to look for: `NO_REFERENT`.
    """
    if not sentences or not context.of_claim:
        return NO_REFERENT
    subject = subject_of(claim, context, rarity)
    wanted = candidates(context, rarity)
    own = subject.manner in ("named", "party") and subject.text
    if own or (subject.manner == "plain" and not any(one.named for one in wanted)):
        wanted = [AntecedentCandidate(subject.text, 1.0, True)] if subject.text else []
    if not wanted:
        return NO_REFERENT
    facts = context.source
    party = subject.manner == "party" and bool(facts.title or facts.site)
    source = _source(context, passages, sentences, best, rarity)
    anywhere, nearest, about = _look(wanted, source, party, rarity)
    within = _same_time(context, source.texts) if subject.manner == "period" else None
    if within is not None:
        anywhere, nearest, about = (anywhere + within) / 2, within, within
    refers, named = REFERS[subject.manner], float(subject.manner == "named")
    refers *= 1.0 if wanted[0].named else UNNAMED_SHARE
    aside = 0.0 if party else source.small * _lacks(about, CLEARLY_ABOUT)
    values = {
        "lost": refers * _lacks(anywhere, CLEAR),
        "far": refers * _lacks(nearest, CLEAR),
        "aside": max(refers, NAMED_SHARE * named) * aside,
        "named_lost": named * _lacks(anywhere, CLEAR),
    }
    return Referent(values, wanted[0].text, _title(context) or source.named, party)


def shift(referent: Referent, weights: Mapping[str, float]) -> float:
    """What the referent adds to the log-odds of a claim's support: never more than 0."""
    return -sum(weight * referent.values[name] for name, weight in weights.items())


def _source(
    context: JudgeContext,
    passages: Sequence[Passage],
    sentences: Sequence[Sentence],
    best: Sequence[Sentence],
    rarity: Rarity,
) -> _Source:
    at = next((i for i, sentence in enumerate(sentences) if sentence in best), 0)
    facts, place = context.source, sentences[at].span.start
    title = (facts.title or "")[:LONGEST_HEADING]
    above = [passage.heading for passage in passages if passage.heading]
    home = [p.heading for p in passages if p.heading and p.start <= place < p.end]
    said = [title, *(one for one in (facts.site, facts.author, facts.url) if one), *above]
    described = Held.of(" \n ".join(one[:LONGEST_HEADING] for one in said if one))
    before = [sentence.text for sentence in sentences[max(0, at - 3) : at + 1]]
    opening = [sentences[0].text] if at > 3 else []
    inside = JudgeContext(
        headings=tuple(one for one in (title, *home[:1]) if one), before="\n".join(opening + before)
    )
    found = candidates(inside, rarity)
    top = found[0].salience if found else 1.0
    length = sum(len(sentence.text) for sentence in sentences)
    small = min(1.0, max(0.0, (LONG - length) / (LONG - SHORT))) if title else 0.0
    return _Source(
        anywhere=_held(sentences).joined(described),
        facts=described,
        near=_held(sentences[max(0, at - 2) : at + 2]),
        topics=[(Held.of(one.text), min(1.0, one.salience / top)) for one in found],
        named=found[0].text if found else "",
        texts=[title, *(sentence.text for sentence in sentences[max(0, at - 3) : at + 2])],
        small=small,
    )


def _look(
    wanted: Sequence[AntecedentCandidate], source: _Source, party: bool, rarity: Rarity
) -> tuple[float, float, float]:
    """How far the source holds any candidate, and the likeliest, and is about one of them."""
    anywhere = nearest = about = 0.0
    top = wanted[0].salience
    where = source.facts if party else source.anywhere
    for one in wanted:
        name, worth = Name.of(one.text, rarity), one.salience / top
        found = where.share(name) ** SHARPNESS
        anywhere = max(anywhere, worth * found)
        if worth >= LIKELIEST[wanted[0].named]:
            nearest = max(nearest, found)
        topic = max((w * held.share(name) ** SHARPNESS for held, w in source.topics), default=0.0)
        beside = NEAR * source.near.share(name) ** SHARPNESS
        about = max(about, worth**3 * max(topic, beside))
    return anywhere, nearest, about


def _held(sentences: Sequence[Sentence]) -> Held:
    stems = frozenset[str]().union(*(sentence.stems for sentence in sentences))
    return Held.of_stems(stems, "\n".join(sentence.text for sentence in sentences))


def _lacks(found: float, enough: float) -> float:
    return max(0.0, enough - found) / enough


def _same_time(context: JudgeContext, texts: Sequence[str]) -> float | None:
    """Whether the evidence speaks of the years that the context names; None without years."""
    own = [
        int(year) for text in (*context.headings, context.before) for year in _YEAR.findall(text)
    ]
    given = [int(year) for text in texts for year in _YEAR.findall(text)]
    if not own or not given:
        return None
    first, last = min(own) - YEARS_BEFORE, max(own) + YEARS_AFTER
    return float(any(first <= year <= last for year in given))


def _title(context: JudgeContext) -> str:
    """The source's title without the name of its site."""
    return _SITE.split((context.source.title or "").strip())[0][:LONGEST_HEADING]
