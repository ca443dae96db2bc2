"""What can be seen of a claim and its passages without understanding them. Pure.

Every feature is a number a person can check by hand. Words are compared by stem, and weighed by
inverse document frequency (`Rarity`).
"""

import re
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass

from workbench.judging.number_comparison import NumberDifference, align_numbers, number_differences
from workbench.judging.quantities import (
    Quantity,
    Verdict,
    clashes,
    find_quantities,
    matches,
    rivals,
)
from workbench.judging.quotes import passage_of
from workbench.judging.tokenization import (
    NEGATIONS,
    OPPOSITES,
    STOPWORDS,
    Rarity,
    Word,
    find_words,
    normalize_word,
    pieces,
    segment,
    stem,
    without_markers,
)
from workbench.records.source import Passage
from workbench.records.text import Span

REACH = 3
"""A negation reaches over this many content words that follow it."""
_NEGATION_IDIOMS = frozenset({"only", "just", "necessarily", "least"})
"""`not only` negates nothing."""
_NOT = re.compile(r"n['’]t\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of the passages, with what the features look at."""

    span: Span
    """In the source."""
    text: str
    """Its words as they are compared: numbers that hold by an approximation read as the claim's."""
    order: tuple[str, ...]
    """Its stems in text order."""
    stems: frozenset[str]
    folded: frozenset[str]


@dataclass(frozen=True, slots=True)
class ClaimParts:
    """A claim taken apart."""

    text: str
    words: tuple[Word, ...]
    content: tuple[Word, ...]
    """Those that say something, or all where none does."""
    weights: Mapping[str, float]
    """What each stem of the content weighs."""

    @classmethod
    def of(cls, claim: str, rarity: Rarity, silent: Sequence[Span] = ()) -> "ClaimParts":
        """The parts of a claim; words in `silent` (spans of the claim) are left out."""
        words = tuple(
            word
            for word in find_words(claim)
            if not any(span.start <= word.start and word.end <= span.end for span in silent)
        )
        content = tuple(word for word in words if not word.stop) or words
        return cls(claim, words, content, {w.stem: rarity.weight(w.stem) for w in content})

    def cover(self, stems: Set[str]) -> float:
        """Share of the claim's content that some stems cover."""
        held = sum(weight for stem, weight in self.weights.items() if stem in stems)
        return held / (sum(self.weights.values()) or 1.0)


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
    clashes: tuple[Verdict, ...] = ()
    """Of numbers whose figure the best evidence gives with another sign, unit or currency."""
    differences: tuple[NumberDifference, ...] = ()
    """Where the best evidence gives another number than the claim, and by how much."""
    sentences: tuple[Sentence, ...] = ()
    """All sentences of the passages, in their order."""


def extract_features(claim: str, passages: Sequence[Passage], rarity: Rarity) -> FeatureVector:
    """The claim read against the passages; offsets of `uncovered` are into the claim."""
    claim = without_markers(claim)
    aligned = align_numbers(claim, passages)
    parts = ClaimParts.of(claim, rarity, aligned.silent if aligned else ())
    sentences = sentences_of(passages, aligned.reword if aligned and aligned.numbers else None)
    best = _best(parts, sentences)
    windows = [_stems(sentences[max(0, i - 1) : i + 2]) for i in range(len(sentences))]
    stems = _stems(sentences)
    roots = {stem[:5] for stem in stems if len(stem) >= 5}
    held = find_quantities("\n".join(passage.text for passage in passages))
    numbers = [q for q in find_quantities(claim) if not q.weak]
    missing_numbers = tuple(q for q in numbers if not matches(q, held))
    missing_names = tuple(
        word
        for word in parts.content
        if word.name and word.stem not in stems and word.stem[:5] not in roots
    )
    evidence = "\n".join(
        passage.words_at(sentence.span)
        for sentence in best
        if (passage := passage_of(sentence.span, passages))
    )
    rival_pairs = rivals(claim, missing_numbers, evidence)
    opposites = _opposed(parts, best)
    first = best[0] if best else None
    folded = {normalize_word(claim[word.start : word.end]) for word in parts.words}
    negated = _is_negated(claim, folded)
    differs = first is not None and negated != _is_negated(first.text, first.folded)
    order = [word.stem for word in parts.words]
    values = {
        "cover_all": parts.cover(stems),
        "cover_window": max(map(parts.cover, windows), default=0.0),
        "cover_sentence": parts.cover(_stems(best[:1])),
        "names_missing": min(len(missing_names), 4) / 4,
        "numbers_missing": min(len(missing_numbers), 3) / 3,
        "numbers_rival": float(bool(rival_pairs)),
        "negation_differs": float(differs),
        "opposites": min(len(opposites), 2) / 2,
        "polarity_sentence": polarity_conflict(claim, first.text) if first else 0.0,
        "run": max((_run(order, s.order) for s in best), default=0) / max(1, len(order)),
    }
    return FeatureVector(
        values=values,
        best=tuple(sorted(best, key=lambda s: s.span)),
        missing_numbers=missing_numbers,
        missing_names=missing_names,
        uncovered=_uncovered(parts.words, stems),
        opposites=tuple(opposites),
        negation_differs=differs,
        clashes=tuple(clashes(missing_numbers, evidence)),
        differences=tuple(number_differences(claim, numbers, evidence, missing_numbers)),
        sentences=tuple(sentences),
    )


def sentences_of(
    passages: Sequence[Passage], reword: Callable[[str], str] | None = None
) -> list[Sentence]:
    """The passages' sentences with their words, those of `reword` where it is given."""
    sentences = []
    for passage in passages:
        for span in segment(passage.text, unwrap=True):
            text = span.of(passage.text)
            if reword is not None:
                text = reword(text)
            words = find_words(text)
            place = Span(passage.start + span.start, passage.start + span.end)
            order = tuple(word.stem for word in words)
            folded = frozenset(normalize_word(text[word.start : word.end]) for word in words)
            sentences.append(Sentence(place, text, order, frozenset(order), folded))
    return sentences


def _stems(sentences: Sequence[Sentence]) -> Set[str]:
    return {stem for sentence in sentences for stem in sentence.stems}


def _best(parts: ClaimParts, sentences: Sequence[Sentence]) -> list[Sentence]:
    """The two best sentences, the second by what it adds; none where none has a word of the claim."""

    def rank(sentence: Sentence, without: Set[str]) -> tuple[float, int]:
        return parts.cover(sentence.stems - without), -len(sentence.text)

    first = max(sentences, key=lambda s: rank(s, frozenset()), default=None)
    if first is None or not parts.cover(first.stems):
        return []
    second = max(sentences, key=lambda s: rank(s, first.stems))
    return [first, second] if parts.cover(second.stems - first.stems) > 0.15 else [first]


def _run(order: Sequence[str], other_order: Sequence[str]) -> int:
    """The longest run of stems that stands in both."""
    longest, previous = 0, [0] * (len(order) + 1)
    for other in other_order:
        current = [0] * (len(order) + 1)
        for i, own in enumerate(order):
            if own == other:
                current[i + 1] = previous[i] + 1
                longest = max(longest, current[i + 1])
        previous = current
    return longest


def _opposed(parts: ClaimParts, best: Sequence[Sentence]) -> list[tuple[str, str]]:
    """Words of the claim whose opposite stands in the best evidence while they do not."""
    pairs: list[tuple[str, str]] = []
    if not best:
        return pairs
    evidence_words = best[0].folded
    for word in parts.words:
        folded = normalize_word(parts.text[word.start : word.end])
        if folded not in evidence_words:
            others = sorted(OPPOSITES.get(folded, frozenset()) & evidence_words)
            pairs.extend((folded, other) for other in others)
    return pairs


def _is_negated(text: str, folded: Set[str]) -> bool:
    return bool(folded & NEGATIONS) or _NOT.search(text) is not None


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


def _uncovered(words: Sequence[Word], present: Set[str]) -> tuple[Span, ...]:
    """Runs of the claim whose content words are missing, with the stop words between."""
    spans: list[Span] = []
    open_at: int | None = None
    last = 0
    for word in words:
        if word.stop:
            continue
        if word.stem in present:
            if open_at is not None:
                spans.append(Span(open_at, last))
            open_at = None
        else:
            open_at = word.start if open_at is None else open_at
            last = word.end
    if open_at is not None:
        spans.append(Span(open_at, last))
    return tuple(spans)
