"""What can be seen of a claim and its passages without understanding them. Pure.

Every feature is a number a person can check by hand. Words are compared by stem, and weighed by
inverse document frequency (`Rarity`).

Numbers of a claim beside those of its evidence: read alike where they hold, compared where not. Pure.

*About 300,000 km/s* holds for 299,792 km/s, and 3 km for 3,000 m. Features that compare words and
their order know nothing of it, so the evidence is read with the claim's number in place of its own,
and the words that loosen the claim's number are not asked for. Offsets of the claim stay as they
are; a sentence of the evidence keeps its span in the source.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, replace

from workbench.judging.quotes import passage_of
from workbench.language.quantities import (
    Quantity,
    Verdict,
    clashes,
    find_quantities,
    is_loosely_matched,
    matches,
    rivals,
    same_money,
    same_number,
)
from workbench.language.tokenization import (
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

_MISREAD = str.maketrans("OoIl|SBZ", "00111582")
_RECOGNIZED = re.compile(
    r"(?<!\w)(?=[OoIl|]{0,2}\d)(?=\d*[OoIl|SBZ])[\dOoIl|SBZ]{2,24}(?=(?:[kcm]?m|[km]?g|t|ha|ft)?(?!\w))"
)
"""A figure in which text recognition left letters: 12O, l987."""
ILLEGIBLE = "__"
"""The beginning of what stands for such a figure where it may not be the claim's."""


def read_recognized(claim: str, passages: Sequence[Passage]) -> list[Passage]:
    """The passages of a scan as they may be meant; as long as they are, so spans hold.

    A figure with letters in it is read as the claim's figure where it may be that one, and
    elsewhere not at all: a misread letter is no evidence against a number.

    >>> passage = Passage(span=Span(0, 22), text="It is 12O m and l5 km.")
    >>> read_recognized("It is 120 m.", [passage])[0].text
    'It is 120 m and __ km.'
    """
    claimed = set(re.findall(r"\d+", claim))

    def read(match: re.Match[str]) -> str:
        digits = match[0].translate(_MISREAD)
        return digits if digits in claimed else ILLEGIBLE[0] * len(digits)

    return [replace(p, text=_RECOGNIZED.sub(read, p.text)) for p in passages]


@dataclass(frozen=True, slots=True)
class NumberAlignment:
    """The numbers of a claim that may hold for another number of the evidence."""

    claim: str
    numbers: tuple[Quantity, ...]
    silent: tuple[Span, ...]
    """In the claim: words such as *about*, where the number holds by them."""

    def reword(self, sentence: str) -> str:
        """A sentence of the evidence with the claim's numbers where they hold."""
        for other in reversed(find_quantities(sentence)):
            number = next((q for q in self.numbers if is_loosely_matched(q, other)), None)
            if number is not None:
                written = self.claim[number.start : number.unit_end]
                sentence = sentence[: other.start] + written + sentence[other.unit_end :]
        return sentence


def align_numbers(claim: str, passages: Sequence[Passage]) -> NumberAlignment | None:
    """The claim's numbers that hold loosely in the passages; None where there are none."""
    loose = [
        q
        for q in find_quantities(claim)
        if not q.weak and (q.approximation != "exact" or q.measure is not None)
    ]
    if not loose:
        return None
    others = [q for passage in passages for q in find_quantities(passage.text)]
    held = tuple(q for q in loose if any(is_loosely_matched(q, other) for other in others))
    silent = tuple(
        q.words for q in loose if q.approximation in ("about", "nearly") and matches(q, others)
    )
    return NumberAlignment(claim, held, silent) if held or silent else None


@dataclass(frozen=True, slots=True)
class NumberDifference:
    """A number of a claim and the number that the evidence gives for it."""

    claimed: str
    """With its unit, and the words that loosen it where it holds by them."""
    given: str
    """With its unit."""
    distance: str
    """By how much the evidence's is more or less; empty for years."""
    holds: bool
    """Whether the claim's words (about, nearly, …) allow it."""


def number_differences(
    claim: str, numbers: Sequence[Quantity], evidence: str, missing: Sequence[Quantity]
) -> list[NumberDifference]:
    """Where the evidence gives another number than the claim for the same thing, and by how much.

    Numbers that are equal, in whatever unit, are left out, and so is what has no counterpart.
    """
    others = find_quantities(evidence)
    rival_of = {pair[0]: pair[1] for pair in rivals(claim, missing, evidence)}
    differences = []
    for number in numbers:
        near = [q for q in others if q.kind and q.kind == number.kind and same_number(number, q)]
        other = rival_of.get(number)
        if other is None and near:
            # the same unit is easier to compare than one that has to be converted
            value = number.base_value
            other = min(
                near, key=lambda q: (q.measure != number.measure, abs(q.base_value - value))
            )
        exact = any(math.isclose(q.base_value, number.base_value) for q in near)
        if other is None or exact:
            continue
        holds = number.approximation != "exact" and number not in missing
        start = number.words.start if holds and number.words.start < number.start else number.start
        differences.append(
            NumberDifference(
                claimed=claim[start : max(number.unit_end, number.words.end if holds else 0)],
                given=evidence[other.start : other.unit_end],
                distance=_more_or_less(number, other),
                holds=holds,
            )
        )
    return differences


def _more_or_less(number: Quantity, other: Quantity) -> str:
    """By how much a number of the evidence is more or less than the claim's; empty for years."""
    if number.kind == "year" or not number.base_value:
        return ""
    if number.currency and other.currency and not same_money(number.currency, other.currency):
        return "another currency, which cannot be compared"
    if number.value * other.value < 0:
        return "of the other sign"
    if number.kind != other.kind:
        return "another unit, which cannot be compared"
    word = "more" if other.base_value > number.base_value else "less"
    if number.kind == "%":
        return f"{_short(abs(other.value - number.value))} percentage points {word}"
    if number.kind == "temperature" and number.measure == other.measure:
        return f"{_short(abs(other.value - number.value))} degrees {word}"
    share = 100 * abs(other.base_value / number.base_value - 1)
    if share >= 300:
        return f"{_short(other.base_value / number.base_value)} times as much"
    return f"{_short(share)} % {word}"


def _short(value: float) -> str:
    """Two decimals below 1, one below 10, none above; never 0 for what is more."""
    decimals = 2 if value < 1 else 1 if value < 10 else 0
    rounded = f"{value:,.{decimals}f}"
    shown = rounded.rstrip("0").rstrip(".") if "." in rounded else rounded
    return shown if shown != "0" else f"{value:.1g}"


REACH = 3
"""A negation reaches over this many content words that follow it."""
_NEGATION_IDIOMS = frozenset({"only", "just", "necessarily", "least"})
"""`not only` negates nothing."""
_NOT = re.compile(r"n['’]t\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SourceSentence:
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
    best: tuple[SourceSentence, ...]
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
    sentences: tuple[SourceSentence, ...] = ()
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
) -> list[SourceSentence]:
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
            sentences.append(SourceSentence(place, text, order, frozenset(order), folded))
    return sentences


def _stems(sentences: Sequence[SourceSentence]) -> Set[str]:
    return {stem for sentence in sentences for stem in sentence.stems}


def _best(parts: ClaimParts, sentences: Sequence[SourceSentence]) -> list[SourceSentence]:
    """The two best sentences, the second by what it adds; none where none has a word of the claim."""

    def rank(sentence: SourceSentence, without: Set[str]) -> tuple[float, int]:
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


def _opposed(parts: ClaimParts, best: Sequence[SourceSentence]) -> list[tuple[str, str]]:
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
