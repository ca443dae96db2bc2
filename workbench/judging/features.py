"""What can be seen of a claim and its passages without understanding them.

Every feature is a number a person can check by hand; `FEATURES` fixes their order. Words are
compared by stem, by likeness of their vectors (`vectors.Vectors`), and weighed by inverse document
frequency (`words.Rarity`).
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workbench.judging.claim_features import (
    ClaimParts,
    Sentence,
    alike_words,
    held_stems,
    sentences_of,
    take_apart,
)
from workbench.judging.conflicts import apart, fit_of, negations, polarity_conflict
from workbench.judging.lexicon import HEDGES, NEGATIONS, OPPOSITES, PARTIAL, UNIVERSAL
from workbench.judging.missing_entities import MissingEntities
from workbench.judging.position_features import placed
from workbench.judging.quantities import Quantity, rivals
from workbench.judging.tokenization import Rarity, Word, normalize_word, without_markers
from workbench.judging.vectors import Vectors
from workbench.records import Passage, Span

_NOT = re.compile(r"n['’]t\b", re.IGNORECASE)
_CLAUSE = re.compile(r"[,;:，；：]|\band\b|\bwhich\b|\bwho\b|\bwhile\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class FeatureVector:
    """A claim read against its passages: the features and what they were made of."""

    values: Mapping[str, float]
    best: tuple[Sentence, ...]
    """The sentences that cover the claim best, in reading order."""
    missing_numbers: tuple[Quantity, ...]
    missing_names: tuple[Word, ...]
    uncovered: tuple[Span, ...]
    """Parts of the claim whose content words do not occur in the passages, nor words like them."""
    opposites: tuple[tuple[str, str], ...]
    """`(word of the claim, its opposite in the best evidence)`."""
    negation_differs: bool
    rivals: tuple[tuple[str, str], ...] = ()
    """`(number of the claim, what the best evidence gives instead)`."""
    sentences: tuple[Sentence, ...] = ()
    """All sentences of the passages, in their order."""


FEATURES = (
    "cover_all", "cover_window", "cover_sentence", "cover_plain", "like_all", "like_window",
    "like_sentence", "worst_missing", "missing_share", "pairs_all", "pairs_window", "run",
    "in_order", "cosine_sentence", "cosine_window", "cosine_most", "names_all", "names_window",
    "names_missing", "has_names", "numbers_all", "numbers_window", "numbers_missing",
    "has_numbers", "years_missing", "quotes_missing", "negation_differs", "claim_negated",
    "opposites", "universal_widened", "hedge_dropped", "clauses", "claim_length",
    "source_length", "short_source", "sentence_length", "names_alone", "numbers_alone",
    "names_apart", "numbers_apart", "words_apart", "polarity_sentence", "polarity_window",
    "names_fit", "numbers_fit", "negations", "thin", "thin_window",
    "clause_worst", "clause_mean", "soft_window", "soft_all", "grams_window", "names_sentence",
    "numbers_sentence", "names_placed", "names_stray", "names_absent", "names_joined",
    "names_common", "numbers_placed", "numbers_stray", "numbers_absent", "numbers_joined",
    "numbers_common", "numbers_rival",
)  # fmt: skip


def extract_features(
    claim: str, passages: Sequence[Passage], rarity: Rarity, vectors: Vectors | None = None
) -> FeatureVector:
    """The claim read against the passages; offsets of `uncovered` are into the claim."""
    asked = take_apart(without_markers(claim), rarity)
    sentences = sentences_of(passages)
    alike = alike_words(asked, sentences, vectors)
    text = "\n".join(passage.text for passage in passages)
    best, window = _best(asked, sentences, alike)
    lost = MissingEntities.of(asked, text, sentences, window)
    values = {
        **_covers(asked, sentences, best, window, alike),
        **_sequences(asked, sentences, best, window),
        **_cosines(asked, sentences, best, window, rarity, vectors),
        **lost.values(),
        **_wording(asked, text, best, window),
        **_conflicts(asked, sentences, best, window),
        **placed(asked, sentences, window, alike, vectors),
    }
    everything = held_stems(sentences, alike)
    evidence = "\n".join(sentence.text for sentence in best)
    against = rivals(asked.text, lost.numbers, evidence)
    values["numbers_rival"] = float(bool(against))
    return FeatureVector(
        values=values,
        best=tuple(sorted(best, key=lambda s: s.span)),
        missing_numbers=lost.numbers,
        missing_names=lost.names,
        uncovered=_uncovered(asked.words, everything),
        opposites=tuple(_opposed(asked, best)),
        negation_differs=bool(values["negation_differs"]),
        rivals=tuple(
            (asked.text[one.start : one.end], evidence[other.start : other.end])
            for one, other in against
        ),
        sentences=tuple(sentences),
    )


def _best(
    asked: ClaimParts, sentences: Sequence[Sentence], alike: Mapping[str, tuple[str, float]]
) -> tuple[list[Sentence], list[Sentence]]:
    """Two best sentences (the second by what it adds), and the best three in a row."""
    windows = [list(sentences[max(0, i - 1) : i + 2]) for i in range(len(sentences))]
    if not windows:
        return [], []
    window = max(windows, key=lambda w: asked.cover(held_stems(w, alike)))
    held = [held_stems([sentence], alike) for sentence in sentences]

    def rank(i: int, without: Mapping[str, float]) -> tuple[float, int]:
        fresh = {key: value for key, value in held[i].items() if key not in without}
        return asked.cover(fresh), -len(sentences[i].text)

    first = max(range(len(sentences)), key=lambda i: rank(i, {}))
    if not rank(first, {})[0]:
        return [], window
    second = max(range(len(sentences)), key=lambda i: rank(i, held[first]))
    enough = second != first and rank(second, held[first])[0] > 0.15
    return [sentences[first], *([sentences[second]] if enough else [])], window


def _covers(
    asked: ClaimParts,
    sentences: Sequence[Sentence],
    best: Sequence[Sentence],
    window: Sequence[Sentence],
    alike: Mapping[str, tuple[str, float]],
) -> dict[str, float]:
    """How much of the claim the passages, the best window and the best sentence hold."""
    everything, near, one = (
        held_stems(sentences, {}),
        held_stems(window, {}),
        held_stems(best[:1], {}),
    )
    like_all = asked.cover(held_stems(sentences, alike))
    like_window = asked.cover(held_stems(window, alike))
    missing = [w for k, w in asked.weights.items() if k not in everything]
    return {
        "cover_all": asked.cover(everything),
        "cover_window": asked.cover(near),
        "cover_sentence": asked.cover(one),
        "cover_plain": sum(k in everything for k in asked.weights) / max(len(asked.weights), 1),
        "like_all": like_all,
        "like_window": like_window,
        "thin": max(0.0, 0.6 - like_all) / 0.6,
        "thin_window": max(0.0, 0.4 - like_window) / 0.4,
        "like_sentence": asked.cover(held_stems(best[:1], alike)),
        "worst_missing": max(missing, default=0.0),
        "missing_share": min(len(missing), 8) / 8,
    }


def _sequences(
    asked: ClaimParts,
    sentences: Sequence[Sentence],
    best: Sequence[Sentence],
    window: Sequence[Sentence],
) -> dict[str, float]:
    """How much of the claim's order of words the passages keep."""
    pairs = set(zip(asked.order, asked.order[1:], strict=False))
    there = [set(zip(s.order, s.order[1:], strict=False)) & pairs for s in sentences]
    near = set[tuple[str, str]]().union(
        *(found for s, found in zip(sentences, there, strict=True) if s in window)
    )
    content = [word.stem for word in asked.content]
    return {
        "pairs_all": len(set[tuple[str, str]]().union(*there)) / max(1, len(pairs)),
        "pairs_window": len(near) / max(1, len(pairs)),
        "run": max((_run(asked.order, s.order) for s in best), default=0)
        / max(1, len(asked.order)),
        "in_order": _common(content, best[0].order) / max(1, len(content)) if best else 0.0,
    }


def _cosines(
    asked: ClaimParts,
    sentences: Sequence[Sentence],
    best: Sequence[Sentence],
    window: Sequence[Sentence],
    rarity: Rarity,
    vectors: Vectors | None,
) -> dict[str, float]:
    """How alike the claim and sentences are as a whole: cosines of their mean word vectors."""
    if vectors is None or not sentences:
        return {"cosine_sentence": 0.0, "cosine_window": 0.0, "cosine_most": 0.0}
    claim = {
        normalize_word(asked.text[w.start : w.end]): asked.weights[w.stem] for w in asked.content
    }
    given = [{word: rarity.weight(word) for word in sorted(s.folded)} for s in sentences]
    joined: dict[str, float] = {}
    for sentence, weights in zip(sentences, given, strict=True):
        if sentence in window:
            joined |= weights
    cosines = vectors.cosines(claim, [*given, joined])
    first = sentences.index(best[0]) if best else 0
    return {
        "cosine_sentence": cosines[first],
        "cosine_window": cosines[-1],
        "cosine_most": max(cosines[:-1]),
    }


def _wording(
    asked: ClaimParts, text: str, best: Sequence[Sentence], window: Sequence[Sentence]
) -> dict[str, float]:
    """Negation, quantifiers, hedges, opposites and lengths."""
    near = frozenset[str]().union(*(s.folded for s in window))
    claim = {normalize_word(asked.text[w.start : w.end]) for w in asked.words}
    negated = _is_negated(asked.text, claim)
    differs = bool(best) and negated != _is_negated(best[0].text, best[0].folded)
    return {
        "negation_differs": float(differs),
        "claim_negated": float(negated),
        "opposites": min(len(_opposed(asked, best)), 2) / 2,
        "universal_widened": float(bool(claim & UNIVERSAL) and bool(near & PARTIAL)),
        "hedge_dropped": float(bool(near & HEDGES) and not claim & HEDGES),
        "clauses": min(len(_CLAUSE.findall(asked.text)), 6) / 6,
        "claim_length": math.log1p(len(asked.content)) / 4,
        "source_length": math.log1p(len(text)) / 9,
        "short_source": float(len(text) < 300),
        "sentence_length": math.log1p(len(best[0].text)) / 6 if best else 0.0,
    }


def _conflicts(
    asked: ClaimParts,
    sentences: Sequence[Sentence],
    best: Sequence[Sentence],
    window: Sequence[Sentence],
) -> dict[str, float]:
    """Names and numbers that stand elsewhere than the rest, and negation of the same words."""
    groups = [sentences[max(0, i - 1) : i + 2] for i in range(len(sentences))]
    held = [frozenset[str]().union(*(s.stems for s in group)) for group in groups]
    covers = [asked.cover(dict.fromkeys(stems, 1.0)) for stems in held]
    names = [word.stem for word in asked.content if word.name]
    numbers = [word.stem for word in asked.content if word.stem[0].isdigit()]
    rare = sorted(asked.weights, key=lambda key: -asked.weights[key])[:4]
    near = " ".join(s.text for s in window)
    content = [word.stem for word in asked.content]
    orders = [s.order for s in sentences]
    at_names = [i for i, word in enumerate(asked.content) if word.name]
    at_numbers = [i for i, stem in enumerate(content) if stem[0].isdigit()]
    return {
        "names_fit": fit_of(at_names, content, orders),
        "numbers_fit": fit_of(at_numbers, content, orders),
        "negations": min(negations(asked.text), 3) / 3,
        "names_apart": apart(names, held, covers),
        "numbers_apart": apart(numbers, held, covers),
        "words_apart": apart(rare, held, covers),
        "polarity_sentence": polarity_conflict(asked.text, best[0].text) if best else 0.0,
        "polarity_window": polarity_conflict(asked.text, near),
    }


def _run(order: Sequence[str], given: Sequence[str]) -> int:
    """The longest run of stems that stands in both."""
    longest, before = 0, [0] * (len(order) + 1)
    for stem in given:
        now = [0] * (len(order) + 1)
        for i, asked in enumerate(order):
            if asked == stem:
                now[i + 1] = before[i] + 1
                longest = max(longest, now[i + 1])
        before = now
    return longest


def _common(order: Sequence[str], given: Sequence[str]) -> int:
    """The length of the longest common subsequence of two rows of stems."""
    before = [0] * (len(order) + 1)
    for stem in given:
        now = [0]
        for i, asked in enumerate(order):
            now.append(before[i] + 1 if asked == stem else max(before[i + 1], now[i]))
        before = now
    return before[-1]


def _opposed(asked: ClaimParts, best: Sequence[Sentence]) -> list[tuple[str, str]]:
    """Words of the claim whose opposite stands in the best evidence while they do not."""
    found: list[tuple[str, str]] = []
    if not best:
        return found
    there = best[0].folded
    for word in asked.words:
        folded = normalize_word(asked.text[word.start : word.end])
        if folded not in there:
            others = sorted(OPPOSITES.get(folded, frozenset()) & there)
            found.extend((folded, other) for other in others)
    return found


def _is_negated(text: str, folded: frozenset[str] | set[str]) -> bool:
    """Whether a text holds a word of negation."""
    return bool(folded & NEGATIONS) or _NOT.search(text) is not None


def _uncovered(words: Sequence[Word], held: Mapping[str, float]) -> tuple[Span, ...]:
    """Runs of the claim whose content words are missing, with the stop words between."""
    spans: list[Span] = []
    open_at: int | None = None
    last = 0
    for word in words:
        if word.stop:
            continue
        if word.stem in held:
            if open_at is not None:
                spans.append(Span(open_at, last))
            open_at = None
        else:
            open_at = word.start if open_at is None else open_at
            last = word.end
    if open_at is not None:
        spans.append(Span(open_at, last))
    return tuple(spans)
