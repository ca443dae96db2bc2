"""What can be seen of a claim and its passages without understanding them.

Every feature is a number a person can check by hand. Words are
compared by stem, by likeness of their vectors (`vectors.Vectors`), and weighed by inverse document
frequency (`words.Rarity`).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workbench.judging.claim_features import (
    ClaimParts,
    Sentence,
    held_stems,
    sentences_of,
    similar_words,
    take_apart,
)
from workbench.judging.conflicts import polarity_conflict
from workbench.judging.lexicon import NEGATIONS, OPPOSITES
from workbench.judging.missing_entities import MissingEntities
from workbench.judging.number_comparison import NumberDifference, align_numbers, number_differences
from workbench.judging.quantities import (
    Quantity,
    QuantityComparison,
    clashes,
    find_quantities,
    rivals,
)
from workbench.judging.tokenization import Rarity, Word, normalize_word, without_markers
from workbench.judging.vectors import Vectors
from workbench.records import Passage, Span

_NOT = re.compile(r"n['’]t\b", re.IGNORECASE)


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
    clashes: tuple[tuple[Quantity, Quantity, QuantityComparison], ...] = ()
    """A number of the claim, the same figure of other sign, unit or currency, and how they compare."""
    differences: tuple[NumberDifference, ...] = ()
    """Where the best evidence gives another number than the claim, and by how much."""
    sentences: tuple[Sentence, ...] = ()
    """All sentences of the passages, in their order."""


def extract_features(
    claim: str, passages: Sequence[Passage], rarity: Rarity, vectors: Vectors | None = None
) -> FeatureVector:
    """The claim read against the passages; offsets of `uncovered` are into the claim."""
    claim = without_markers(claim)
    aligned = align_numbers(claim, passages)
    parts = take_apart(claim, rarity, aligned.silent if aligned else ())
    sentences = sentences_of(passages, aligned.reword if aligned and aligned.numbers else None)
    alike = similar_words(parts, sentences, vectors)
    text = "\n".join(passage.text for passage in passages)
    best, window = _best(parts, sentences, alike)
    missing = MissingEntities.of(parts, text, sentences)
    values = {
        **_covers(parts, sentences, best, window, alike),
        **missing.values(),
        **_conflicts(parts, best),
        "run": max((_run(parts.order, sentence.order) for sentence in best), default=0)
        / max(1, len(parts.order)),
    }
    all_stems = held_stems(sentences, alike)
    evidence = "\n".join(_as_written(sentence, passages) for sentence in best)
    rival_pairs = rivals(parts.text, missing.numbers, evidence)
    numbers = [q for q in find_quantities(parts.text) if not q.weak]
    values["numbers_rival"] = float(bool(rival_pairs))
    return FeatureVector(
        values=values,
        best=tuple(sorted(best, key=lambda s: s.span)),
        missing_numbers=missing.numbers,
        missing_names=missing.names,
        uncovered=_uncovered(parts.words, all_stems),
        opposites=tuple(_opposed(parts, best)),
        negation_differs=bool(values["negation_differs"]),
        rivals=tuple(
            (parts.text[claimed.start : claimed.end], evidence[rival.start : rival.end])
            for claimed, rival in rival_pairs
        ),
        clashes=tuple(clashes(missing.numbers, evidence)),
        differences=tuple(number_differences(parts.text, numbers, evidence, missing.numbers)),
        sentences=tuple(sentences),
    )


def _as_written(sentence: Sentence, passages: Sequence[Passage]) -> str:
    """A sentence in the source's own words."""
    span = sentence.span
    passage = next(p for p in passages if p.start <= span.start and span.end <= p.end)
    return passage.text[span.start - passage.start : span.end - passage.start]


def _best(
    parts: ClaimParts, sentences: Sequence[Sentence], alike: Mapping[str, tuple[str, float]]
) -> tuple[list[Sentence], list[Sentence]]:
    """Two best sentences (the second by what it adds), and the best three in a row."""
    windows = [list(sentences[max(0, i - 1) : i + 2]) for i in range(len(sentences))]
    if not windows:
        return [], []
    window = max(windows, key=lambda w: parts.cover(held_stems(w, alike)))
    stems = [held_stems([sentence], alike) for sentence in sentences]

    def rank(i: int, without: Mapping[str, float]) -> tuple[float, int]:
        new_stems = {key: value for key, value in stems[i].items() if key not in without}
        return parts.cover(new_stems), -len(sentences[i].text)

    first = max(range(len(sentences)), key=lambda i: rank(i, {}))
    if not rank(first, {})[0]:
        return [], window
    second = max(range(len(sentences)), key=lambda i: rank(i, stems[first]))
    enough = second != first and rank(second, stems[first])[0] > 0.15
    return [sentences[first], *([sentences[second]] if enough else [])], window


def _covers(
    parts: ClaimParts,
    sentences: Sequence[Sentence],
    best: Sequence[Sentence],
    window: Sequence[Sentence],
    alike: Mapping[str, tuple[str, float]],
) -> dict[str, float]:
    """How much of the claim the passages, the best window and the best sentence hold."""
    return {
        "cover_all": parts.cover(held_stems(sentences, {})),
        "cover_window": parts.cover(held_stems(window, {})),
        "cover_sentence": parts.cover(held_stems(best[:1], {})),
        "like_window": parts.cover(held_stems(window, alike)),
    }


def _run(order: Sequence[str], other_order: Sequence[str]) -> int:
    """The longest run of stems that stands in both."""
    longest, previous = 0, [0] * (len(order) + 1)
    for stem in other_order:
        current = [0] * (len(order) + 1)
        for i, claim_stem in enumerate(order):
            if claim_stem == stem:
                current[i + 1] = previous[i] + 1
                longest = max(longest, current[i + 1])
        previous = current
    return longest


def _conflicts(parts: ClaimParts, best: Sequence[Sentence]) -> dict[str, float]:
    """Negation on one side only, of anything and of the same words, and opposites."""
    claim = {normalize_word(parts.text[w.start : w.end]) for w in parts.words}
    negated = _is_negated(parts.text, claim)
    differs = bool(best) and negated != _is_negated(best[0].text, best[0].folded)
    return {
        "negation_differs": float(differs),
        "opposites": min(len(_opposed(parts, best)), 2) / 2,
        "polarity_sentence": polarity_conflict(parts.text, best[0].text) if best else 0.0,
    }


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


def _is_negated(text: str, folded: frozenset[str] | set[str]) -> bool:
    """Whether a text holds a word of negation."""
    return bool(folded & NEGATIONS) or _NOT.search(text) is not None


def _uncovered(words: Sequence[Word], present: Mapping[str, float]) -> tuple[Span, ...]:
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
