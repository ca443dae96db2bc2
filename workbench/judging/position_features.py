"""Where a claim's words stand in its passages: clause by clause, and each name in its sentence.

Pure. A name or number that the source holds somewhere else than the rest of the claim was likely
put in another's place; a clause that no sentence covers is what a source leaves open.
"""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence

from workbench.judging.claim_features import ClaimParts, Sentence, held_stems
from workbench.judging.tokenization import normalize_word
from workbench.judging.vectors import Vectors

_CLAUSE = re.compile(r"[,;:，；：]|\band\b|\bwhich\b|\bwho\b|\bwhile\b|\bbut\b", re.IGNORECASE)
LEAST_CLAUSE = 2
"""Content words from which a clause is looked at by itself."""
BESIDE, NEAR, NEXT = 3, 12, 0.5
"""Neighbours of a name in the claim, words around it in the source, worth of the next sentence."""
_MARKS = ("placed", "stray", "absent", "joined", "common")


def placed(
    claim: ClaimParts,
    sentences: Sequence[Sentence],
    window: Sequence[Sentence],
    alike: Mapping[str, tuple[str, float]],
    vectors: Vectors | None,
) -> dict[str, float]:
    """The features of this module; each 0 to 1."""
    names = list(dict.fromkeys(word.stem for word in claim.content if word.name))
    numbers = list(dict.fromkeys(w.stem for w in claim.content if w.stem[0].isdigit()))
    sentence_stems = [held_stems([sentence], alike) for sentence in sentences]
    clauses = _clauses(claim, sentence_stems)
    return {
        "clause_worst": min(clauses, default=0.0),
        "clause_mean": sum(clauses) / len(clauses) if clauses else 0.0,
        "soft_window": _soft_cover(claim, window, vectors),
        "soft_all": _soft_cover(claim, sentences, vectors),
        "grams_window": _grams(claim.text, " ".join(s.text for s in window)),
        "names_sentence": _worst_in_sentence(names, claim, sentence_stems),
        "numbers_sentence": _worst_in_sentence(numbers, claim, sentence_stems),
        **{f"names_{key}": value for key, value in _marks(claim, sentences, "names").items()},
        **{f"numbers_{key}": value for key, value in _marks(claim, sentences, "numbers").items()},
    }


def _clauses(claim: ClaimParts, sentence_stems: Sequence[Mapping[str, float]]) -> list[float]:
    """For each clause of the claim how much of it the best sentence holds."""
    ends = [match.start() for match in _CLAUSE.finditer(claim.text)] + [len(claim.text)]
    groups: list[list[str]] = [[]]
    at = 0
    for word in claim.content:
        while word.start >= ends[at]:
            at += 1
            if len(groups[-1]) >= LEAST_CLAUSE:
                groups.append([])
        groups[-1].append(word.stem)
    if len(groups) > 1 and len(groups[-1]) < LEAST_CLAUSE:
        groups[-2].extend(groups.pop())
    covers = []
    for group in groups:
        total = sum(claim.weights[key] for key in group) or 1.0
        best = max(
            (sum(claim.weights[k] * stems.get(k, 0.0) for k in group) for stems in sentence_stems),
            default=0.0,
        )
        covers.append(best / total)
    return covers


def _soft_cover(claim: ClaimParts, sentences: Sequence[Sentence], vectors: Vectors | None) -> float:
    """How near the claim's words have a word in some sentences, weighed by rarity."""
    if not sentences:
        return 0.0
    words = {normalize_word(claim.text[w.start : w.end]): w.stem for w in claim.content}
    stems = frozenset[str]().union(*(s.stems for s in sentences))
    source_words = frozenset[str]().union(*(s.folded for s in sentences))
    lacking = [word for word, key in words.items() if key not in stems]
    likeness = vectors.nearest(lacking, source_words) if vectors else {}
    weights = {word: claim.weights[key] for word, key in words.items()}
    total = sum(weights.values()) or 1.0
    return (
        sum(
            w * (likeness.get(word, 0.0) if word in lacking else 1.0) for word, w in weights.items()
        )
        / total
    )


def _grams(claim: str, text: str) -> float:
    """Share of the claim's runs of four letters that the text holds."""
    claim_runs, text_runs = _runs(claim), _runs(text)
    return len(claim_runs & text_runs) / len(claim_runs) if claim_runs else 0.0


def _runs(text: str) -> set[str]:
    plain = " ".join(normalize_word(text).split())
    return {plain[i : i + 4] for i in range(len(plain) - 3)}


def _worst_in_sentence(
    keys: Sequence[str], claim: ClaimParts, sentence_stems: Sequence[Mapping[str, float]]
) -> float:
    """How much of the rest of the claim stands in a sentence with the worst placed of some words.

    For each word: the best cover of the rest by a sentence that holds it, over the best by any
    sentence; a neighbour's counts for three quarters. 1 without words, 0 for an absent one.
    """
    worst = 1.0
    for key in keys:
        rest = {k: w for k, w in claim.weights.items() if k != key}
        covers = [sum(w * stems.get(k, 0.0) for k, w in rest.items()) for stems in sentence_stems]
        top = max(covers, default=0.0)
        if not top:
            continue
        best = 0.0
        for i, stems in enumerate(sentence_stems):
            if stems.get(key, 0.0) >= 0.9:
                around = max(covers[max(0, i - 1) : i + 2])
                best = max(best, covers[i], 0.75 * around)
        worst = min(worst, best / top)
    return worst


def _marks(claim: ClaimParts, sentences: Sequence[Sentence], kind: str) -> dict[str, float]:
    """How well the names (or numbers) of the claim stand among its other words in the source.

    Words of a name that follow each other are one. `placed`: the mean over names of the best share
    of its neighbours found near it. `stray`: what names weigh that stand in the source, but away
    from their neighbours. `absent`: what names weigh that do not stand there. `joined`: how many of
    the words on their two sides follow them in the source, too. `common`: how often they stand
    there, 1 for five times.
    """
    runs = _runs_of(claim, kind)
    if not runs:
        return dict(zip(_MARKS, (1.0, 0.0, 0.0, 1.0, 1.0), strict=True))
    counts = Counter(stem for sentence in sentences for stem in sentence.order)
    pairs = {p for s in sentences for p in zip(s.order, s.order[1:], strict=False)}
    fits, rates, sides, joined, stray, absent = 0.0, 0.0, 0, 0, 0.0, 0.0
    for start, end in runs:
        inner = claim.order[start:end]
        weight = sum(claim.weights.get(key, 0.0) for key in dict.fromkeys(inner)) / claim.total
        fit = _fit(claim, inner, _around(claim, start, end), sentences)
        fits += fit or 0.0
        if fit is None:
            absent += weight
        else:
            stray += weight * (1 - fit)
        for pair in (claim.order[max(0, start - 1) : start + 1], claim.order[end - 1 : end + 1]):
            sides += len(pair) == 2
            joined += pair in pairs
        occurrences = min(counts[key] for key in inner)
        rates += min(math.log1p(occurrences) / math.log(6), 1.0)
    n = len(runs)
    values = (fits / n, min(1.0, stray), min(1.0, absent), joined / max(1, sides), rates / n)
    return dict(zip(_MARKS, values, strict=True))


def _runs_of(claim: ClaimParts, kind: str) -> list[tuple[int, int]]:
    """Where names or numbers stand in the claim's words, those that follow each other as one."""
    runs: list[tuple[int, int]] = []
    for i, word in enumerate(claim.words):
        if word.stop or not (word.name if kind == "names" else word.stem[0].isdigit()):
            continue
        if runs and runs[-1][1] == i and kind == "names":
            runs[-1] = (runs[-1][0], i + 1)
        else:
            runs.append((i, i + 1))
    return runs


def _around(claim: ClaimParts, start: int, end: int) -> frozenset[str]:
    """The next content stems on both sides of a run of words."""
    before = [word.stem for word in claim.words[:start] if not word.stop][-BESIDE:]
    after = [word.stem for word in claim.words[end:] if not word.stop][:BESIDE]
    return frozenset((*before, *after)) - frozenset(claim.order[start:end])


def _fit(
    claim: ClaimParts,
    inner: Sequence[str],
    neighbors: frozenset[str],
    sentences: Sequence[Sentence],
) -> float | None:
    """The best share, by weight, of some neighbours near a name; None where the name is absent."""
    total = sum(claim.weights.get(key, 0.0) for key in sorted(neighbors))
    name_stems = frozenset(inner)
    best: float | None = None
    for i, sentence in enumerate(sentences):
        if 2 * len(name_stems & sentence.stems) <= len(name_stems):
            continue
        around: set[str] = set()
        for at, stem in enumerate(sentence.order):
            if stem in name_stems:
                around.update(sentence.order[max(0, at - NEAR) : at + NEAR + 1])
        near_weight = sum(claim.weights[key] for key in sorted(neighbors & around))
        if i + 1 < len(sentences):
            later = sorted((neighbors - around) & sentences[i + 1].stems)
            near_weight += NEXT * sum(claim.weights[key] for key in later)
        best = max(best or 0.0, near_weight / total if total else 1.0)
    return best
