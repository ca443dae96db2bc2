"""Where claim and evidence pull apart although their words match: swapped names, numbers, negation.

Pure. Each figure is 0 when nothing speaks against the claim and 1 when everything looked at does.
"""

from collections.abc import Sequence

from workbench.judging.lexicon import NEGATIONS
from workbench.judging.tokenization import STOPWORDS, pieces, stem

REACH = 3
"""A negation reaches over this many content words that follow it."""
NEAR = 12
"""Words on each side that count as the surroundings of a word."""
_NEGATION_IDIOMS = frozenset({"only", "just", "necessarily", "least"})
"""`not only` negates nothing."""


def negated_stems(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """The content stems of a text that stand under a negation, and those that do not."""
    under: set[str] = set()
    free: set[str] = set()
    remaining = 0
    words = [word for word, _, _ in pieces(text)]
    for i, word in enumerate(words):
        if word in NEGATIONS or (word == "t" and i and words[i - 1].endswith("n")):
            following = words[i + 1] if i + 1 < len(words) else ""
            remaining = 0 if following in _NEGATION_IDIOMS else REACH
            continue
        if word in STOPWORDS:
            continue
        (under if remaining else free).add(stem(word))
        remaining = max(0, remaining - 1)
    return frozenset(under), frozenset(free)


def polarity_conflict(claim: str, evidence: str) -> float:
    """Share of the words under a negation in one of the texts that stand without it in the other.

    Words that only one of the texts has say nothing. 0 when neither negates a shared word.
    """
    under_c, free_c = negated_stems(claim)
    under_e, free_e = negated_stems(evidence)
    against = (under_c & free_e - under_e) | (under_e & free_c - under_c)
    shared = against | (under_c & under_e)
    return len(against) / len(shared) if shared else 0.0


def apart(
    stems: Sequence[str],
    windows: Sequence[frozenset[str]],
    covers: Sequence[float],
) -> float:
    """How far the worst of some stems stands from where the rest of the claim is.

    For each stem: 1 - (best cover of a window that holds it) / (best cover of any window); 1 for a
    stem that no window holds. 0 without stems.
    """
    top = max(covers, default=0.0)
    if not stems or not top:
        return 0.0
    worst = 0.0
    for stem_key in stems:
        covers_with = [
            cover for window, cover in zip(windows, covers, strict=True) if stem_key in window
        ]
        worst = max(worst, 1 - max(covers_with, default=0.0) / top)
    return worst


def fit_of(places: Sequence[int], content: list[str], sentences: Sequence[Sequence[str]]) -> float:
    """How well the worst of some words of a claim stands among its neighbours in the source.

    `places` are indices into the claim's content stems. For each word: over the sentences that hold
    it, the best share of its two neighbours on each side that stand within `NEAR` words of it; 0
    when no sentence holds it. 1 without words.
    """
    worst = 1.0
    for at in places:
        neighbors = set(content[max(0, at - 2) : at] + content[at + 1 : at + 3]) - {content[at]}
        if not neighbors:
            continue
        best = 0.0
        for stems in sentences:
            for i, stem_here in enumerate(stems):
                if stem_here == content[at]:
                    around = set(stems[max(0, i - NEAR) : i + NEAR + 1])
                    best = max(best, 0.1 + 0.9 * len(neighbors & around) / len(neighbors))
        worst = min(worst, best)
    return worst


def negations(text: str) -> int:
    """The number of words of negation in a text."""
    words = [word for word, _, _ in pieces(text)]
    return sum(
        word in NEGATIONS or (word == "t" and i > 0 and words[i - 1].endswith("n"))
        for i, word in enumerate(words)
    )
