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
    held_stems,
    sentences_of,
    similar_words,
    take_apart,
)
from workbench.judging.conflicts import apart, fit_of, negations, polarity_conflict
from workbench.judging.lexicon import HEDGES, NEGATIONS, OPPOSITES, PARTIAL, UNIVERSAL
from workbench.judging.missing_entities import MissingEntities
from workbench.judging.number_alignment import align_numbers
from workbench.judging.number_differences import NumberDifference, number_differences
from workbench.judging.position_features import placed
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
    clashes: tuple[tuple[Quantity, Quantity, QuantityComparison], ...] = ()
    """A number of the claim, the same figure of other sign, unit or currency, and how they compare."""
    differences: tuple[NumberDifference, ...] = ()
    """Where the best evidence gives another number than the claim, and by how much."""
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
    claim = without_markers(claim)
    aligned = align_numbers(claim, passages)
    parts = take_apart(claim, rarity, aligned.silent if aligned else ())
    sentences = sentences_of(passages, aligned.reword if aligned and aligned.numbers else None)
    alike = similar_words(parts, sentences, vectors)
    text = "\n".join(passage.text for passage in passages)
    best, window = _best(parts, sentences, alike)
    missing = MissingEntities.of(parts, text, sentences, window)
    values = {
        **_covers(parts, sentences, best, window, alike),
        **_sequences(parts, sentences, best, window),
        **_cosines(parts, sentences, best, window, rarity, vectors),
        **missing.values(),
        **_wording(parts, text, best, window),
        **_conflicts(parts, sentences, best, window),
        **placed(parts, sentences, window, alike, vectors),
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
    all_stems, window_stems, sentence_stems = (
        held_stems(sentences, {}),
        held_stems(window, {}),
        held_stems(best[:1], {}),
    )
    like_all = parts.cover(held_stems(sentences, alike))
    like_window = parts.cover(held_stems(window, alike))
    missing = [w for k, w in parts.weights.items() if k not in all_stems]
    return {
        "cover_all": parts.cover(all_stems),
        "cover_window": parts.cover(window_stems),
        "cover_sentence": parts.cover(sentence_stems),
        "cover_plain": sum(k in all_stems for k in parts.weights) / max(len(parts.weights), 1),
        "like_all": like_all,
        "like_window": like_window,
        "thin": max(0.0, 0.6 - like_all) / 0.6,
        "thin_window": max(0.0, 0.4 - like_window) / 0.4,
        "like_sentence": parts.cover(held_stems(best[:1], alike)),
        "worst_missing": max(missing, default=0.0),
        "missing_share": min(len(missing), 8) / 8,
    }


def _sequences(
    parts: ClaimParts,
    sentences: Sequence[Sentence],
    best: Sequence[Sentence],
    window: Sequence[Sentence],
) -> dict[str, float]:
    """How much of the claim's order of words the passages keep."""
    pairs = set(zip(parts.order, parts.order[1:], strict=False))
    shared_pairs = [set(zip(s.order, s.order[1:], strict=False)) & pairs for s in sentences]
    window_pairs = set[tuple[str, str]]().union(
        *(shared for s, shared in zip(sentences, shared_pairs, strict=True) if s in window)
    )
    content = [word.stem for word in parts.content]
    return {
        "pairs_all": len(set[tuple[str, str]]().union(*shared_pairs)) / max(1, len(pairs)),
        "pairs_window": len(window_pairs) / max(1, len(pairs)),
        "run": max((_run(parts.order, s.order) for s in best), default=0)
        / max(1, len(parts.order)),
        "in_order": _common_length(content, best[0].order) / max(1, len(content)) if best else 0.0,
    }


def _cosines(
    parts: ClaimParts,
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
        normalize_word(parts.text[w.start : w.end]): parts.weights[w.stem] for w in parts.content
    }
    sentence_weights = [{word: rarity.weight(word) for word in sorted(s.folded)} for s in sentences]
    joined: dict[str, float] = {}
    for sentence, weights in zip(sentences, sentence_weights, strict=True):
        if sentence in window:
            joined |= weights
    cosines = vectors.cosines(claim, [*sentence_weights, joined])
    first = sentences.index(best[0]) if best else 0
    return {
        "cosine_sentence": cosines[first],
        "cosine_window": cosines[-1],
        "cosine_most": max(cosines[:-1]),
    }


def _wording(
    parts: ClaimParts, text: str, best: Sequence[Sentence], window: Sequence[Sentence]
) -> dict[str, float]:
    """Negation, quantifiers, hedges, opposites and lengths."""
    window_words = frozenset[str]().union(*(s.folded for s in window))
    claim = {normalize_word(parts.text[w.start : w.end]) for w in parts.words}
    negated = _is_negated(parts.text, claim)
    differs = bool(best) and negated != _is_negated(best[0].text, best[0].folded)
    return {
        "negation_differs": float(differs),
        "claim_negated": float(negated),
        "opposites": min(len(_opposed(parts, best)), 2) / 2,
        "universal_widened": float(bool(claim & UNIVERSAL) and bool(window_words & PARTIAL)),
        "hedge_dropped": float(bool(window_words & HEDGES) and not claim & HEDGES),
        "clauses": min(len(_CLAUSE.findall(parts.text)), 6) / 6,
        "claim_length": math.log1p(len(parts.content)) / 4,
        "source_length": math.log1p(len(text)) / 9,
        "short_source": float(len(text) < 300),
        "sentence_length": math.log1p(len(best[0].text)) / 6 if best else 0.0,
    }


def _conflicts(
    parts: ClaimParts,
    sentences: Sequence[Sentence],
    best: Sequence[Sentence],
    window: Sequence[Sentence],
) -> dict[str, float]:
    """Names and numbers that stand elsewhere than the rest, and negation of the same words."""
    groups = [sentences[max(0, i - 1) : i + 2] for i in range(len(sentences))]
    group_stems = [frozenset[str]().union(*(s.stems for s in group)) for group in groups]
    covers = [parts.cover(dict.fromkeys(stems, 1.0)) for stems in group_stems]
    names = [word.stem for word in parts.content if word.name]
    numbers = [word.stem for word in parts.content if word.stem[0].isdigit()]
    rare = sorted(parts.weights, key=lambda key: -parts.weights[key])[:4]
    window_text = " ".join(s.text for s in window)
    content = [word.stem for word in parts.content]
    orders = [s.order for s in sentences]
    at_names = [i for i, word in enumerate(parts.content) if word.name]
    at_numbers = [i for i, stem in enumerate(content) if stem[0].isdigit()]
    return {
        "names_fit": fit_of(at_names, content, orders),
        "numbers_fit": fit_of(at_numbers, content, orders),
        "negations": min(negations(parts.text), 3) / 3,
        "names_apart": apart(names, group_stems, covers),
        "numbers_apart": apart(numbers, group_stems, covers),
        "words_apart": apart(rare, group_stems, covers),
        "polarity_sentence": polarity_conflict(parts.text, best[0].text) if best else 0.0,
        "polarity_window": polarity_conflict(parts.text, window_text),
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


def _common_length(order: Sequence[str], other_order: Sequence[str]) -> int:
    """The length of the longest common subsequence of two rows of stems."""
    previous = [0] * (len(order) + 1)
    for stem in other_order:
        current = [0]
        for i, claim_stem in enumerate(order):
            current.append(
                previous[i] + 1 if claim_stem == stem else max(previous[i + 1], current[i])
            )
        previous = current
    return previous[-1]


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
