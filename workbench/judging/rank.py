"""What can be seen of each sentence of a source that says whether a claim rests on it.

Pure and linear in the source. `SIGNS` fixes the order of the numbers; a logistic regression over
them (`passages.py`) says how likely a sentence is evidence.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from workbench.judging.tokenization import (
    STOPWORDS,
    Rarity,
    find_words,
    pieces,
    stem,
)
from workbench.records import Passage, Span

SIGNS = (
    "cover", "cover_plain", "match", "soft", "before", "after", "window", "of_best", "rank",
    "log_rank", "names", "numbers", "length", "short", "heading", "open_end", "place", "opening",
    "early", "sentences", "pronoun", "pronoun_before", "pairs", "short_cover", "nothing", "around",
    "match_raw", "rare", "needed_by_next", "heads",
)  # fmt: skip
_PRONOUN_LIST = "he she it they this these that those his her their its him them we our such"
PRONOUNS = frozenset(_PRONOUN_LIST.split())
_STOP_WEIGHT = 0.02
_SOFT = 0.6
_K1, _B = 1.2, 0.75
CONTEXT_WORTH = 0.3
"""The weight of a context word, compared with a word of the claim."""


@dataclass(frozen=True, slots=True)
class Terms:
    """A claim's stems: what each is worth in this source, and of what kind it is."""

    weights: Mapping[str, float]
    """Rarity in the background times rarity in the source; they add up to 1."""
    plain: Mapping[str, float]
    """Rarity in the background alone; they add up to 1."""
    local: Mapping[str, float]
    """Inverse document frequency over the source's sentences."""
    counts: Mapping[str, int]
    """Number of sentences that hold each."""
    names: frozenset[str]
    numbers: frozenset[str]
    pairs: frozenset[tuple[str, str]]
    own: frozenset[str]
    """The claim's; the rest are its context's."""


@dataclass(slots=True)
class SentenceMatch:
    """What one sentence holds of the claim."""

    times: dict[str, int]
    soft: dict[str, float]
    """Stems of the claim that a word of the sentence resembles, and how much."""
    pairs: set[tuple[str, str]]
    words: int = 0
    pronoun: bool = False


def match_terms(
    claim: str, text: str, units: Sequence[Span], context: str = ""
) -> tuple[list[SentenceMatch], list[str]]:
    """For each sentence what it holds of the claim and of its context's words, and their stems.

    The claim's stems come first and in their order, then those that only the context has.
    """
    words = find_words(claim)
    order = [word.stem for word in words]
    pairs = set(zip(order, order[1:], strict=False))
    order += _context_stems(context, order)
    words_with_places = pieces(text)
    likeness_by_word = _source_likeness(order, {word for word, _, _ in words_with_places})
    matches = [SentenceMatch({}, {}, set()) for _ in units]
    at, last = 0, ""
    for word, start, _ in words_with_places:
        while at < len(units) and units[at].end <= start:
            at, last = at + 1, ""
        if at == len(units):
            break
        match = matches[at]
        if not match.words:
            match.pronoun = word in PRONOUNS
        match.words += 1
        likeness, key = likeness_by_word.get(word, (0.0, ""))
        if likeness == 1.0:
            match.times[key] = match.times.get(key, 0) + 1
            if last and (last, key) in pairs:
                match.pairs.add((last, key))
        elif likeness:
            match.soft[key] = max(likeness, match.soft.get(key, 0.0))
        last = key if likeness == 1.0 else ""
    return matches, order


def _source_likeness(
    order: Sequence[str], source_words: Iterable[str]
) -> dict[str, tuple[float, str]]:
    """For each word of the source that says something of the claim: how alike, and which stem.

    1 for the same stem, `_SOFT` for the same first five letters.
    """
    claim_stems = frozenset(order)
    openings = {key[:5]: key for key in dict.fromkeys(order) if len(key) >= 5}
    likeness_by_word: dict[str, tuple[float, str]] = {}
    for word in source_words:
        key = stem(word)
        if key in claim_stems:
            likeness_by_word[word] = (1.0, key)
        elif key[:5] in openings and key[0].isalpha():
            likeness_by_word[word] = (_SOFT, openings[key[:5]])
    return likeness_by_word


def _context_stems(context: str, order: Sequence[str]) -> list[str]:
    """The stems of a context's words that say something and are not the claim's."""
    stems = (word.stem for word in find_words(context) if not word.stop)
    return list(dict.fromkeys(key for key in stems if key not in order))


def weigh(
    claim: str,
    matches: Sequence[SentenceMatch],
    order: Sequence[str],
    rarity: Rarity,
    title: str | None,
    context: str = "",
) -> Terms:
    """What each stem of the claim, and of its context, is worth in this source."""
    words = find_words(claim)
    counts = dict.fromkeys(order, 0)
    for match in matches:
        for key in match.times:
            counts[key] += 1
    title_stems = {stem(word) for word, _, _ in pieces(title or "")}
    plain: dict[str, float] = {}
    local: dict[str, float] = {}
    for word in words:
        weight = _STOP_WEIGHT if word.stop else rarity.weight(word.stem) + 0.05
        plain[word.stem] = weight * (0.5 if word.stem in title_stems else 1.0)
        local[word.stem] = math.log(1 + len(matches) / (0.5 + counts[word.stem]))
    claim_stems = dict.fromkeys(word.stem for word in words)
    for key in _context_stems(context, list(claim_stems)):
        plain[key] = (
            CONTEXT_WORTH * (rarity.weight(key) + 0.05) * (0.5 if key in title_stems else 1.0)
        )
        local[key] = math.log(1 + len(matches) / (0.5 + counts[key]))
    joint = {key: plain[key] * local[key] for key in plain}
    return Terms(
        weights=_to_one(joint),
        plain=_to_one(plain),
        local=local,
        counts=counts,
        names=frozenset(word.stem for word in words if word.name),
        numbers=frozenset(key for key in claim_stems if key[0].isdigit()),
        pairs=frozenset((a.stem, b.stem) for a, b in zip(words, words[1:], strict=False)),
        own=frozenset(claim_stems),
    )


def sentence_features(
    text: str, units: Sequence[Span], matches: Sequence[SentenceMatch], terms: Terms
) -> list[tuple[float, ...]]:
    """The numbers of `SIGNS` for each sentence."""
    n = len(units)
    cover = [sum(terms.weights[k] for k in sentence.times) for sentence in matches]
    bm25 = _match(matches, terms)
    best, best_match = max(cover, default=0.0) or 1.0, max(bm25, default=0.0) or 1.0
    ranks = [0] * n
    for rank, i in enumerate(sorted(range(n), key=lambda i: -cover[i])):
        ranks[i] = rank
    lengths = [unit.end - unit.start for unit in units]
    ends = [text[unit.end - 1] in '.!?"”。！？…' for unit in units]
    rows: list[tuple[float, ...]] = []
    for i, sentence in enumerate(matches):
        before = cover[i - 1] if i else 0.0
        after = cover[i + 1] if i + 1 < n else 0.0
        near_stems = set(sentence.times)
        for j in (i - 1, i + 1):
            if 0 <= j < n:
                near_stems.update(matches[j].times)
        short = float(lengths[i] < 40)
        rows.append(
            (
                cover[i],
                sum(terms.plain[k] for k in sentence.times),
                bm25[i] / best_match,
                sum(
                    terms.weights[k] * s
                    for k, s in sentence.soft.items()
                    if k not in sentence.times
                ),
                before,
                after,
                sum(terms.weights[k] for k in near_stems),
                cover[i] / best,
                1 / (1 + ranks[i]),
                math.log1p(ranks[i]),
                _share(sentence.times, terms.names),
                _share(sentence.times, terms.numbers),
                math.log1p(lengths[i]) / 6,
                short,
                float(text.startswith("#", units[i].start)),
                float(not ends[i]),
                i / n,
                float(i < 3),
                1 / (1 + i),
                math.log(n) / 5,
                float(sentence.pronoun),
                before if sentence.pronoun else 0.0,
                len(sentence.pairs) / max(1, len(terms.pairs)),
                short * cover[i],
                float(not sentence.times),
                max(cover[max(0, i - 2) : i + 3]),
                bm25[i] / 10,
                sum(terms.weights[k] for k in sentence.times if terms.counts[k] <= 2),
                after if i + 1 < n and matches[i + 1].pronoun else 0.0,
                0.0 if ends[i] else max(cover[i + 1 : i + 4], default=0.0),
            )
        )
    return rows


def bearing(claim: str, passages: Sequence[Passage]) -> float:
    """How much of the claim's content some passages hold: the share of its stems, 0 to 1."""
    claim_stems = {word.stem for word in find_words(claim) if not word.stop}
    passage_stems = {stem(word) for passage in passages for word, _, _ in pieces(passage.text)}
    return len(claim_stems & passage_stems) / max(1, len(claim_stems))


def _match(matches: Sequence[SentenceMatch], terms: Terms) -> list[float]:
    """BM25 of each sentence for the claim."""
    mean = sum(sentence.words for sentence in matches) / max(1, len(matches)) or 1.0
    scores = []
    for sentence in matches:
        norm = _K1 * (1 - _B + _B * sentence.words / mean)
        scores.append(
            sum(
                terms.local[k] * times * (_K1 + 1) / (times + norm)
                for k, times in sentence.times.items()
                if k not in STOPWORDS
            )
        )
    return scores


def _share(times: Mapping[str, int], stems: frozenset[str]) -> float:
    return sum(key in times for key in stems) / len(stems) if stems else 0.0


def _to_one(weights: Mapping[str, float]) -> dict[str, float]:
    total = sum(weights.values()) or 1.0
    return {key: weight / total for key, weight in weights.items()}
