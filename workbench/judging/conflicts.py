"""Where claim and evidence pull apart although their words match: negation on one side. Pure."""

from workbench.judging.lexicon import NEGATIONS
from workbench.judging.tokenization import STOPWORDS, pieces, stem

REACH = 3
"""A negation reaches over this many content words that follow it."""
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
