"""What can be seen of each sentence of a source that says whether a claim rests on it.

Pure and linear in the source. `SIGNS` fixes the order of the numbers; a logistic regression over
them (`passages.py`) says how likely a sentence is evidence.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workbench.judging.tokenization import (
    STOPWORDS,
    Rarity,
    find_words,
    normalize_word,
    pieces,
    stem,
)
from workbench.judging.vectors import Vectors
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
"""What a word of the context is worth beside one of the claim itself."""


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
    claim: str, text: str, units: Sequence[Span], vectors: Vectors, context: str = ""
) -> tuple[list[SentenceMatch], list[str]]:
    """For each sentence what it holds of the claim and of its context's words, and their stems.

    The claim's stems come first and in their order, then those that only the context has.
    """
    words = find_words(claim)
    order = [word.stem for word in words]
    pairs = set(zip(order, order[1:], strict=False))
    order += _beside(context, order)
    found = pieces(text)
    given = dict.fromkeys(word for word, _, _ in found)
    known = _known(claim, order, list(given), vectors)
    held = [SentenceMatch({}, {}, set()) for _ in units]
    at, last = 0, ""
    for word, start, _ in found:
        while at < len(units) and units[at].end <= start:
            at, last = at + 1, ""
        if at == len(units):
            break
        one = held[at]
        if not one.words:
            one.pronoun = word in PRONOUNS
        one.words += 1
        likeness, key = known.get(word, (0.0, ""))
        if likeness == 1.0:
            one.times[key] = one.times.get(key, 0) + 1
            if last and (last, key) in pairs:
                one.pairs.add((last, key))
        elif likeness:
            one.soft[key] = max(likeness, one.soft.get(key, 0.0))
        last = key if likeness == 1.0 else ""
    return held, order


def _known(
    claim: str, order: Sequence[str], given: Sequence[str], vectors: Vectors
) -> dict[str, tuple[float, str]]:
    """For each word of the source that says something of the claim: how alike, and which stem.

    1 for the same stem, `_SOFT` for the same first five letters, the cosine for like words.
    """
    content = {
        normalize_word(claim[word.start : word.end]): word.stem
        for word in find_words(claim)
        if not word.stop and not word.name and not word.stem[0].isdigit()
    }
    wanted = dict.fromkeys(order)
    openings = {key[:5]: key for key in wanted if len(key) >= 5}
    known: dict[str, tuple[float, str]] = {}
    for word in given:
        key = stem(word)
        if key in wanted:
            known[word] = (1.0, key)
        elif len(key) >= 5 and key[:5] in openings and key[0].isalpha():
            known[word] = (_SOFT, openings[key[:5]])
    others = [word for word in given if word not in known]
    for word, (asked, likeness) in vectors.alike(content, others).items():
        known[word] = (min(likeness, 0.99), content[asked])
    return known


def _beside(context: str, order: Sequence[str]) -> list[str]:
    """The stems of a context's words that say something and are not the claim's."""
    stems = (word.stem for word in find_words(context) if not word.stop)
    return list(dict.fromkeys(key for key in stems if key not in order))


def weigh(
    claim: str,
    held: Sequence[SentenceMatch],
    order: Sequence[str],
    rarity: Rarity,
    title: str | None,
    context: str = "",
) -> Terms:
    """What each stem of the claim, and of its context, is worth in this source."""
    words = find_words(claim)
    counts = dict.fromkeys(order, 0)
    for one in held:
        for key in one.times:
            counts[key] += 1
    about = {stem(word) for word, _, _ in pieces(title or "")}
    plain: dict[str, float] = {}
    local: dict[str, float] = {}
    for word in words:
        worth = _STOP_WEIGHT if word.stop else rarity.weight(word.stem) + 0.05
        plain[word.stem] = worth * (0.5 if word.stem in about else 1.0)
        local[word.stem] = math.log(1 + len(held) / (0.5 + counts[word.stem]))
    own = dict.fromkeys(word.stem for word in words)
    for key in _beside(context, list(own)):
        plain[key] = CONTEXT_WORTH * (rarity.weight(key) + 0.05) * (0.5 if key in about else 1.0)
        local[key] = math.log(1 + len(held) / (0.5 + counts[key]))
    joint = {key: plain[key] * local[key] for key in plain}
    return Terms(
        weights=_to_one(joint),
        plain=_to_one(plain),
        local=local,
        counts=counts,
        names=frozenset(word.stem for word in words if word.name),
        numbers=frozenset(key for key in own if key[0].isdigit()),
        pairs=frozenset((a.stem, b.stem) for a, b in zip(words, words[1:], strict=False)),
        own=frozenset(own),
    )


def sentence_features(
    text: str, units: Sequence[Span], held: Sequence[SentenceMatch], terms: Terms
) -> list[tuple[float, ...]]:
    """The numbers of `SIGNS` for each sentence."""
    n = len(units)
    cover = [sum(terms.weights[k] for k in one.times) for one in held]
    match = _match(held, terms)
    best, best_match = max(cover, default=0.0) or 1.0, max(match, default=0.0) or 1.0
    ranks = [0] * n
    for rank, i in enumerate(sorted(range(n), key=lambda i: -cover[i])):
        ranks[i] = rank
    lengths = [unit.end - unit.start for unit in units]
    ends = [text[unit.end - 1] in '.!?"”。！？…' for unit in units]
    rows: list[tuple[float, ...]] = []
    for i, one in enumerate(held):
        before = cover[i - 1] if i else 0.0
        after = cover[i + 1] if i + 1 < n else 0.0
        near = set(one.times)
        for j in (i - 1, i + 1):
            if 0 <= j < n:
                near.update(held[j].times)
        short = float(lengths[i] < 40)
        rows.append(
            (
                cover[i],
                sum(terms.plain[k] for k in one.times),
                match[i] / best_match,
                sum(terms.weights[k] * s for k, s in one.soft.items() if k not in one.times),
                before,
                after,
                sum(terms.weights[k] for k in near),
                cover[i] / best,
                1 / (1 + ranks[i]),
                math.log1p(ranks[i]),
                _share(one.times, terms.names),
                _share(one.times, terms.numbers),
                math.log1p(lengths[i]) / 6,
                short,
                float(text.startswith("#", units[i].start)),
                float(not ends[i]),
                i / n,
                float(i < 3),
                1 / (1 + i),
                math.log(n) / 5,
                float(one.pronoun),
                before if one.pronoun else 0.0,
                len(one.pairs) / max(1, len(terms.pairs)),
                short * cover[i],
                float(not one.times),
                max(cover[max(0, i - 2) : i + 3]),
                match[i] / 10,
                sum(terms.weights[k] for k in one.times if terms.counts[k] <= 2),
                after if i + 1 < n and held[i + 1].pronoun else 0.0,
                0.0 if ends[i] else max(cover[i + 1 : i + 4], default=0.0),
            )
        )
    return rows


def bearing(claim: str, passages: Sequence[Passage]) -> float:
    """How much of the claim's content some passages hold: the share of its stems, 0 to 1."""
    wanted = {word.stem for word in find_words(claim) if not word.stop}
    given = {stem(word) for passage in passages for word, _, _ in pieces(passage.text)}
    return len(wanted & given) / max(1, len(wanted))


def _match(held: Sequence[SentenceMatch], terms: Terms) -> list[float]:
    """BM25 of each sentence for the claim."""
    mean = sum(one.words for one in held) / max(1, len(held)) or 1.0
    found = []
    for one in held:
        norm = _K1 * (1 - _B + _B * one.words / mean)
        found.append(
            sum(
                terms.local[k] * times * (_K1 + 1) / (times + norm)
                for k, times in one.times.items()
                if k not in STOPWORDS
            )
        )
    return found


def _share(times: Mapping[str, int], asked: frozenset[str]) -> float:
    return sum(key in times for key in asked) / len(asked) if asked else 0.0


def _to_one(weights: Mapping[str, float]) -> dict[str, float]:
    total = sum(weights.values()) or 1.0
    return {key: weight / total for key, weight in weights.items()}
