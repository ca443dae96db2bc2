"""What can be seen of a claim and its passages without understanding them.

Every feature is a number a person can check by hand; `FEATURES` fixes their order. Words are
compared by stem and weighed by inverse document frequency (`Rarity`).
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workbench.judging.lexicon import HEDGES, NEGATIONS, OPPOSITES, PARTIAL, UNIVERSAL
from workbench.judging.quantities import Quantity, find_quantities, matches
from workbench.judging.segment import segment
from workbench.judging.words import Rarity, Word, find_words, fold
from workbench.records import Passage, Span

_QUOTED = re.compile(r"[\"“«「『]([^\"”»」』]{4,200})[\"”»」』]")
_NOT = re.compile(r"n['’]t\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of the passages, with what the features look at."""

    span: Span
    """In the source."""
    text: str
    stems: frozenset[str]
    folded: frozenset[str]


@dataclass(frozen=True, slots=True)
class Reading:
    """A claim read against its passages: the features and what they were made of."""

    values: Mapping[str, float]
    best: tuple[Sentence, ...]
    """The sentences that cover the claim best, in reading order."""
    missing_numbers: tuple[Quantity, ...]
    missing_names: tuple[Word, ...]
    uncovered: tuple[Span, ...]
    """Parts of the claim whose content words do not occur in the passages."""
    opposites: tuple[tuple[str, str], ...]
    """`(word of the claim, its opposite in the best evidence)`."""
    negation_differs: bool


FEATURES = (
    "cover_all", "cover_window", "cover_sentence", "cover_plain", "soft_all", "worst_missing",
    "missing_share", "pairs_all", "pairs_window", "run", "names_all", "names_window",
    "names_missing", "has_names", "numbers_all", "numbers_window", "numbers_missing", "has_numbers",
    "years_missing", "quotes_missing", "negation_differs", "claim_negated", "opposites",
    "universal_widened", "hedge_dropped", "claim_length", "source_length", "short_source",
)  # fmt: skip


def read(claim: str, passages: Sequence[Passage], rarity: Rarity) -> Reading:
    """The claim read against the passages; offsets of `uncovered` are into the claim."""
    words = find_words(claim)
    content = [word for word in words if not word.stop] or list(words)
    weights = {word.stem: rarity.weight(word.stem) for word in content}
    sentences = _sentences(passages)
    everything = frozenset[str]().union(*(s.stems for s in sentences))
    best, window = _best_window(weights, sentences)
    near = frozenset[str]().union(*(s.stems for s in window))
    best_text = " ".join(s.text for s in window)
    text = "\n".join(passage.text for passage in passages)

    total = sum(weights.values()) or 1.0
    held = sum(w for k, w in weights.items() if k in everything)
    prefixes = {stem[:5] for stem in everything if len(stem) >= 5}
    soft = sum(
        w if k in everything else 0.6 * w if len(k) >= 6 and k[:5] in prefixes else 0.0
        for k, w in weights.items()
    )
    missing = [w for k, w in weights.items() if k not in everything]
    names = [word for word in content if word.name]
    lost_names = [word for word in names if word.stem not in everything]
    numbers = [q for q in find_quantities(claim) if not q.weak]
    given, given_near = find_quantities(text), find_quantities(best_text)
    lost_numbers = [q for q in numbers if not matches(q, given)]
    quoted = [fold(m.group(1)) for m in _QUOTED.finditer(claim)]
    folded_text = fold(text)
    opposed = _opposed(claim, best)
    negated, differs = _negation(claim, best)
    claim_folded = {fold(claim[w.start : w.end]) for w in words}
    near_folded = frozenset[str]().union(*(s.folded for s in window))
    order = [w.stem for w in words]
    values = {
        "cover_all": held / total,
        "cover_window": sum(w for k, w in weights.items() if k in near) / total,
        "cover_sentence": (
            sum(w for k, w in weights.items() if best and k in best[0].stems) / total
        ),
        "cover_plain": sum(k in everything for k in weights) / max(len(weights), 1),
        "soft_all": soft / total,
        "worst_missing": max(missing, default=0.0),
        "missing_share": min(len(missing), 8) / 8,
        "pairs_all": _pairs_held(order, sentences),
        "pairs_window": _pairs_held(order, window),
        "run": _longest_run(order, sentences),
        "names_all": 1 - len(lost_names) / len(names) if names else 1.0,
        "names_window": sum(w.stem in near for w in names) / len(names) if names else 1.0,
        "names_missing": min(len(lost_names), 4) / 4,
        "has_names": float(bool(names)),
        "numbers_all": 1 - len(lost_numbers) / len(numbers) if numbers else 1.0,
        "numbers_window": (
            sum(matches(q, given_near) for q in numbers) / len(numbers) if numbers else 1.0
        ),
        "numbers_missing": min(len(lost_numbers), 3) / 3,
        "has_numbers": float(bool(numbers)),
        "years_missing": float(any(q.is_year for q in lost_numbers)),
        "quotes_missing": float(any(q not in folded_text for q in quoted)),
        "negation_differs": float(differs),
        "claim_negated": float(negated),
        "opposites": min(len(opposed), 2) / 2,
        "universal_widened": float(bool(claim_folded & UNIVERSAL) and bool(near_folded & PARTIAL)),
        "hedge_dropped": float(bool(near_folded & HEDGES) and not claim_folded & HEDGES),
        "claim_length": math.log(1 + len(content)) / 4,
        "source_length": math.log(1 + len(text)) / 9,
        "short_source": float(len(text) < 300),
    }
    return Reading(
        values=values,
        best=tuple(sorted(best[:2], key=lambda s: s.span)),
        missing_numbers=tuple(lost_numbers),
        missing_names=tuple(lost_names),
        uncovered=_uncovered(claim, words, everything),
        opposites=tuple(opposed),
        negation_differs=differs,
    )


def _sentences(passages: Sequence[Passage]) -> list[Sentence]:
    """The passages' sentences with their words."""
    found = []
    for passage in passages:
        for span in segment(passage.text):
            text = span.of(passage.text)
            words = find_words(text)
            place = Span(passage.start + span.start, passage.start + span.end)
            stems = frozenset(word.stem for word in words)
            folded = frozenset(fold(text[word.start : word.end]) for word in words)
            found.append(Sentence(place, text, stems, folded))
    return found


def _best_window(
    weights: Mapping[str, float], sentences: Sequence[Sentence]
) -> tuple[list[Sentence], list[Sentence]]:
    """Two best sentences (the second by what it adds), and the best three in a row."""

    def worth(stems: frozenset[str], seen: frozenset[str]) -> float:
        return sum(w for k, w in weights.items() if k in stems and k not in seen)

    def rank(i: int, seen: frozenset[str]) -> tuple[float, int]:
        return (worth(sentences[i].stems, seen), -len(sentences[i].text))

    if not any(worth(sentence.stems, frozenset()) for sentence in sentences):
        return [], []
    first = max(range(len(sentences)), key=lambda i: rank(i, frozenset()))
    best = [sentences[first]]
    second = max(range(len(sentences)), key=lambda i: rank(i, sentences[first].stems))
    added = worth(sentences[second].stems, sentences[first].stems)
    if second != first and added > 0.15 * (sum(weights.values()) or 1.0):
        best.append(sentences[second])
    windows = [sentences[max(0, i - 1) : i + 2] for i in range(len(sentences))]
    window = max(
        windows, key=lambda w: worth(frozenset[str]().union(*(s.stems for s in w)), frozenset())
    )
    return best, list(window)


def _pairs_held(order: Sequence[str], sentences: Sequence[Sentence]) -> float:
    """Share of the claim's neighbouring word pairs that stand side by side in the sentences."""
    asked = {(a, b) for a, b in zip(order, order[1:], strict=False)}
    if not asked:
        return 0.0
    found = set()
    for sentence in sentences:
        stems = [word.stem for word in find_words(sentence.text)]
        found |= asked.intersection(zip(stems, stems[1:], strict=False))
    return len(found) / len(asked)


def _longest_run(order: Sequence[str], sentences: Sequence[Sentence]) -> float:
    """The longest run of the claim's words that stands in one sentence, over the claim's length."""
    if not order:
        return 0.0
    longest = 0
    for sentence in sentences:
        if not sentence.stems.intersection(order):
            continue
        before = [0] * (len(order) + 1)
        for word in find_words(sentence.text):
            now = [0] * (len(order) + 1)
            for i, stem in enumerate(order):
                if stem == word.stem:
                    now[i + 1] = before[i] + 1
                    longest = max(longest, now[i + 1])
            before = now
    return longest / len(order)


def _opposed(claim: str, best: Sequence[Sentence]) -> list[tuple[str, str]]:
    """Words of the claim whose opposite stands in the best evidence while they do not."""
    if not best:
        return []
    there = best[0].folded
    found: list[tuple[str, str]] = []
    for word in find_words(claim):
        folded = fold(claim[word.start : word.end])
        if folded in there:
            continue
        found.extend(
            (folded, other) for other in sorted(OPPOSITES.get(folded, ())) if other in there
        )
    return found


def _negation(claim: str, best: Sequence[Sentence]) -> tuple[bool, bool]:
    """Whether the claim is negated, and whether its best evidence differs from it in that."""
    negated = _is_negated(claim)
    if not best:
        return negated, False
    return negated, negated != _is_negated(best[0].text)


def _is_negated(text: str) -> bool:
    """Whether a text holds a word of negation."""
    if _NOT.search(text):
        return True
    return any(fold(text[word.start : word.end]) in NEGATIONS for word in find_words(text))


def _uncovered(claim: str, words: Sequence[Word], held: frozenset[str]) -> tuple[Span, ...]:
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
    return tuple(span for span in spans if span.of(claim).strip())
