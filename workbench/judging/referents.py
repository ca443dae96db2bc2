"""Whether a source is about what a claim is about: the claim's referent, looked for in the source.

The claim's subject is resolved in its context (`antecedents`); what it may stand for is looked for
in the passages, their headings and what the source says of itself. Pure.
"""
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workbench.judging.antecedents import (
    REFERS,
    Candidate,
    Subject,
    candidates,
    points,
    subject_of,
)
from workbench.judging.parts import Sentence
from workbench.judging.words import Rarity, find_words, is_unspaced
from workbench.records import JudgeContext, Passage

@dataclass(frozen=True, slots=True)
class Referent:
    values: Mapping[str, float]
    subject: Subject
    wanted: Sequence[Candidate]
    theirs: Sequence[Candidate]


@dataclass(frozen=True, slots=True)
class Held:
    """The stems of a part of a source, their beginnings, and the initials of its names."""

    stems: frozenset[str]
    openings: frozenset[str]
    initials: frozenset[str]

    @classmethod
    def of(cls, text: str) -> "Held":
        words = find_words(text)
        stems = frozenset(w.stem for w in words)
        return cls(stems, frozenset(s[:6] for s in stems if len(s) >= 6 and s.isascii()), initials(text))

    def __or__(self, other: "Held") -> "Held":
        return Held(self.stems | other.stems, self.openings | other.openings, self.initials | other.initials)

    def share(self, terms: "Terms") -> float:
        if terms.short in self.initials or (terms.acronym and terms.acronym in self.stems):
            return 1.0
        got, whole, best = 0.0, 0.0, 0.0
        total = sum(terms.weights.values()) or 1.0
        for n, (k, w) in enumerate(terms.weights.items()):
            whole += w
            if k in self.stems: got += w
            elif len(k) >= 6 and k.isascii() and (k[:6] in self.openings or k[:5] in self.stems): got += .8 * w
            if terms.unspaced and n >= 1:
                best = max(best, got / whole * (0.6 + 0.4 * whole / total))
        if any(k in self.stems for k in terms.surname): best = max(best, .85)
        return max(got / total, best)


def initials(text: str) -> frozenset[str]:
    """Folded initials of every run of two to six capitalised words."""
    out = set()
    run: list[str] = []
    for w in text.replace("-", " ").split():
        core = w.strip("()[],.;:\"'“”")
        if core[:1].isupper():
            run.append(core[0].lower())
        elif core in ("of", "the", "for", "and", "de", "on"):
            continue
        else:
            run = []
        for n in range(2, 7):
            if len(run) >= n:
                out.add("".join(run[-n:]))
        if w[-1:] in ",.;:":
            run = []
    return frozenset(out)


@dataclass(frozen=True, slots=True)
class Terms:
    weights: Mapping[str, float]
    short: str
    acronym: str
    unspaced: bool
    surname: tuple[str,...] = ()

    @classmethod
    def of(cls, text: str, rarity: Rarity) -> "Terms":
        words = [w for w in find_words(text) if not w.stop] or find_words(text)
        zh = is_unspaced(text)
        out: dict[str, float] = {}
        for i, w in enumerate(words):
            if zh and not w.stem.isascii():
                worth = 1 - 0.6 * i / len(words)
            else:
                name = text[w.start].isupper() or text[w.start].isdigit()
                worth = rarity.weight(w.stem) * (1.0 if name else 0.6)
            out[w.stem] = max(worth, out.get(w.stem, 0))
        t = text.strip()
        short = t.lower() if 2 <= len(t) <= 6 and t.isupper() and t.isascii() else ""
        caps = [x for x in t.replace("-", " ").split() if x[:1].isupper()]
        acronym = "".join(x[0] for x in caps).lower() if len(caps) >= 3 else ""
        proper = not zh and len(caps) == len(out) >= 2
        surname = tuple(w.stem for w in words if proper and rarity.weight(w.stem) >= 0.9)
        return cls(out, short, acronym, zh, surname)


def refer(claim: str, passages: Sequence[Passage], context: JudgeContext, sentences: Sequence[Sentence], best: Sequence[Sentence], rarity: Rarity) -> Referent:
    subject = subject_of(claim, context, rarity)
    refers = REFERS[subject.manner]
    party = False
    if subject.manner == "named" or (subject.manner == "party" and not points(subject.text)):
        found = [Candidate(subject.text, 1.0, True)]
    else:
        found = candidates(context, rarity)
    facts = context.source
    party = subject.manner == "party" and bool(facts.title or facts.site)
    at = [i for i, s in enumerate(sentences) if s in best[:1]]
    i = at[0] if at else 0
    home = next((p.heading for p in passages if p.heading and best and p.start <= best[0].span.start < p.end), None)
    heads = Held.of(" \n ".join(x for x in (facts.title, facts.site, facts.author, facts.url, *dict.fromkeys(p.heading or "" for p in passages)) if x))
    body = Held.of(" ".join(s.text for s in sentences))
    every = heads if party else body | heads
    # what the evidence is about, by its own context
    begin = [sentences[0].text] if i > 3 else []
    theirs = candidates(JudgeContext(headings=tuple(x for x in (facts.title, home) if x), before="\n".join([*begin, *(s.text for s in sentences[max(0, i - 3) : i + 1])])), rarity)
    held = [(Held.of(c.text), c.salience / theirs[0].salience) for c in theirs]
    top = max((c.salience for c in found), default=1.0)
    anywhere = about = nearest = 0.0
    for c in found:
        t = Terms.of(c.text, rarity)
        a = every.share(t) ** 2
        b = a if party else max((h.share(t) ** 2 * min(1, w) for h, w in held), default=0)
        v = c.salience / top
        anywhere = max(anywhere, a * v)
        about = max(about, b * v * v)
        if v >= .95:
            nearest = max(nearest, a)
    if not found: anywhere = about = nearest = 1.0
    if subject.manner == "period":
        m = times(context, [(facts.title or ""), *(s.text for s in sentences[max(0, i - 3) : i + 2])])
        if m is not None:
            nearest = m; about = m; anywhere = (anywhere + m) / 2
    named = float(subject.manner in ("named",))
    return Referent(
        {
            "refers": refers, "named": named, "anywhere": anywhere, "about": about, "nearest": nearest,
            "lost": refers * (1 - anywhere),
            "away": refers * (1 - about),
            "far": refers * (1 - nearest),
            "named_lost": named * (1 - anywhere),
            "named_away": named * (1 - about),
        },
        subject, found, theirs)

_YEAR = re.compile(r"(?<!\d)(1[0-9]\d\d|20\d\d)(?!\d)")

def times(context, texts):
    own = [int(y) for t in (*context.headings, context.before) for y in _YEAR.findall(t)]
    given = [int(y) for t in texts for y in _YEAR.findall(t)]
    if not own or not given: return None
    return float(any(min(own) - 3 <= y <= max(own) + 12 for y in given))
