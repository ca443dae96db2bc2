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

WEIGHED = ("lost", "far", "aside", "named_lost", "named_aside")
"""What lowers a score, each 0 to 1: nothing that the subject may stand for is anywhere in the
source; the likeliest is not; the evidence of a short source with a title is about something else;
the name that the claim itself gives is not in the source; the evidence is not about that name."""
CLEAR = 0.9
"""A referent that is found so far counts as found."""
CLEARLY_ABOUT = 0.6
NEAR = 0.6
"""The weight of being next to the evidence, compared with being its topic."""
SHARPNESS = 1.5
"""A share of a name counts by this power: half a name is less than half found."""
LIKELIEST = {True: 0.95, False: 0.7}
"""Candidates of so much of the best one's salience are the likeliest; fewer where it is a name."""
UNNAMED_SHARE = 0.8
"""How much counts what is looked for without a name: it may be called otherwise."""
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
    claim_subject: str
    """What the claim is about, in the words of its context; empty where that tells nothing."""
    source_subject: str
    """What the source is about, in its own words; empty where they do not tell."""
    party: bool
    """Whether it concerns who says something rather than the topic."""


NO_REFERENT = Referent(dict.fromkeys(WEIGHED, 0.0), "", "", False)
"""Nothing to look for."""


@dataclass(frozen=True, slots=True)
class _Source:
    """Where in a source a referent is looked for."""

    anywhere: Held
    facts: Held
    near: Held
    """The evidence, two sentences before it and one after it."""
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
    if subject.manner == "new":
        return NO_REFERENT
    likely = candidates(context, rarity)
    names_itself = subject.manner in ("named", "party") and subject.text
    if names_itself or (
        subject.manner == "plain" and not any(candidate.named for candidate in likely)
    ):
        likely = [AntecedentCandidate(subject.text, 1.0, True)] if subject.text else []
    if not likely:
        return NO_REFERENT
    facts = context.source
    party = subject.manner == "party" and bool(facts.title or facts.site)
    source = _source(context, passages, sentences, best, rarity)
    anywhere, nearest, about = _measure_candidates(likely, source, party, rarity)
    same_time = _same_time(context, source.texts) if subject.manner == "period" else None
    if same_time is not None:
        anywhere, nearest, about = (anywhere + same_time) / 2, same_time, same_time
    refers, is_named = REFERS[subject.manner], float(subject.manner == "named")
    refers *= 1.0 if likely[0].named else UNNAMED_SHARE
    aside = 0.0 if party else source.small * _shortfall(about, CLEARLY_ABOUT)
    values = {
        "lost": refers * _shortfall(anywhere, CLEAR),
        "far": refers * _shortfall(nearest, CLEAR),
        "aside": refers * aside,
        "named_lost": is_named * _shortfall(anywhere, CLEAR),
        "named_aside": is_named * aside,
    }
    return Referent(values, likely[0].text, _title(context) or source.named, party)


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
    evidence_headings = [p.heading for p in passages if p.heading and p.start <= place < p.end]
    descriptions = [
        title,
        *(fact for fact in (facts.site, facts.author, facts.url) if fact),
        *above,
    ]
    described = Held.of(
        " \n ".join(description[:LONGEST_HEADING] for description in descriptions if description)
    )
    before = [sentence.text for sentence in sentences[max(0, at - 3) : at + 1]]
    opening = [sentences[0].text] if at > 3 else []
    source_context = JudgeContext(
        headings=tuple(heading for heading in (title, *evidence_headings[:1]) if heading),
        before="\n".join(opening + before),
    )
    topics = candidates(source_context, rarity)
    top = topics[0].salience if topics else 1.0
    length = sum(len(sentence.text) for sentence in sentences)
    small = min(1.0, max(0.0, (LONG - length) / (LONG - SHORT))) if title else 0.0
    return _Source(
        anywhere=_content_of(sentences).joined(described),
        facts=described,
        near=_content_of(sentences[max(0, at - 2) : at + 2]),
        topics=[(Held.of(topic.text), min(1.0, topic.salience / top)) for topic in topics],
        named=topics[0].text if topics else "",
        texts=[title, *(sentence.text for sentence in sentences[max(0, at - 3) : at + 2])],
        small=small,
    )


def _measure_candidates(
    likely: Sequence[AntecedentCandidate], source: _Source, party: bool, rarity: Rarity
) -> tuple[float, float, float]:
    """How far the source holds any candidate, and the likeliest, and is about one of them."""
    anywhere = nearest = about = 0.0
    top = likely[0].salience
    content = source.facts if party else source.anywhere
    for candidate in likely:
        name, weight = Name.of(candidate.text, rarity), candidate.salience / top
        share = content.share(name) ** SHARPNESS
        anywhere = max(anywhere, weight * share)
        if weight >= LIKELIEST[likely[0].named]:
            nearest = max(nearest, share)
        topic = max(
            (w * topic_content.share(name) ** SHARPNESS for topic_content, w in source.topics),
            default=0.0,
        )
        near_share = NEAR * source.near.share(name) ** SHARPNESS
        about = max(about, weight**3 * max(topic, near_share))
    return anywhere, nearest, about


def _content_of(sentences: Sequence[Sentence]) -> Held:
    stems = frozenset[str]().union(*(sentence.stems for sentence in sentences))
    return Held.of_stems(stems, "\n".join(sentence.text for sentence in sentences))


def _shortfall(share: float, limit: float) -> float:
    return max(0.0, limit - share) / limit


def _same_time(context: JudgeContext, texts: Sequence[str]) -> float | None:
    """Whether the evidence mentions the years that the context names; None without years."""
    claim_years = [
        int(year) for text in (*context.headings, context.before) for year in _YEAR.findall(text)
    ]
    source_years = [int(year) for text in texts for year in _YEAR.findall(text)]
    if not claim_years or not source_years:
        return None
    first, last = min(claim_years) - YEARS_BEFORE, max(claim_years) + YEARS_AFTER
    return float(any(first <= year <= last for year in source_years))


def _title(context: JudgeContext) -> str:
    """The source's title without the name of its site."""
    return _SITE.split((context.source.title or "").strip())[0][:LONGEST_HEADING]
