"""Choose the parts of a source that bear on a claim: verbatim, in reading order, within a budget.

Each sentence gets a probability of being evidence (a logistic regression over `SIGNS`, trained
on whole articles with marked evidence; weights in `data/judge/passages.json`). Sentences are then
taken greedily by probability for their length, more for words of the claim that nothing chosen
holds yet, and a little for standing beside a likely one. Pure but for reading the weights once, and
linear in the source up to sorting its sentences.
"""

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from workbench.judging.bibliography import evidence_spans, without_bibliography
from workbench.language.tokenization import (
    STOPWORDS,
    Rarity,
    content_stems,
    find_words,
    pieces,
    segment,
    stem,
    without_markers,
)
from workbench.records.context import NO_CONTEXT, JudgeContext
from workbench.records.source import Passage
from workbench.records.source_headings import with_headings
from workbench.records.text import Span, fold_compatible
from workbench.shipped import JUDGE_DATA

SIGNS = (
    "cover", "cover_plain", "match", "soft", "before", "after", "window", "of_best", "rank",
    "log_rank", "names", "numbers", "length", "open_end", "place", "sentences", "pairs", "around",
    "rare",
)  # fmt: skip
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
    rows: list[tuple[float, ...]] = []
    for i, sentence in enumerate(matches):
        near_stems = set(sentence.times)
        for j in (i - 1, i + 1):
            if 0 <= j < n:
                near_stems.update(matches[j].times)
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
                cover[i - 1] if i else 0.0,
                cover[i + 1] if i + 1 < n else 0.0,
                sum(terms.weights[k] for k in near_stems),
                cover[i] / best,
                1 / (1 + ranks[i]),
                math.log1p(ranks[i]),
                _share(sentence.times, terms.names),
                _share(sentence.times, terms.numbers),
                math.log1p(units[i].end - units[i].start) / 6,
                float(text[units[i].end - 1] not in '.!?"”。！？…'),
                i / n,
                math.log(n) / 5,
                len(sentence.pairs) / max(1, len(terms.pairs)),
                max(cover[max(0, i - 2) : i + 3]),
                sum(terms.weights[k] for k in sentence.times if terms.counts[k] <= 2),
            )
        )
    return rows


def bearing(claim: str, passages: Sequence[Passage]) -> float:
    """How much of the claim's content some passages hold: the share of its stems, 0 to 1."""
    claim_stems = content_stems(claim)
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


BESIDE = 0.15
"""Share of its neighbour's probability that a sentence is credited with."""
FRESH = 10.0
"""How much more a sentence is worth that would hold all of the claim for the first time."""
PER_LENGTH = 0.3
"""Probability is divided by (60 + characters) to this power."""
CONTEXT_FROM = 2000
"""With a smaller budget the words of the context would take room that the claim's own need."""
LONGEST_HEADING = 80
SCRAP = 12
"""A neighbour of so few characters comes along: half a quotation, a number of a list."""
GAP = 2
"""Sentences this close in the source make one passage."""


@dataclass(frozen=True, slots=True)
class PassageSelector:
    """The trained weights and the background frequencies."""

    rarity: Rarity
    bias: float
    weights: tuple[float, ...]
    """One for each of `SIGNS`, standardisation folded in."""

    def chances(self, rows: Sequence[tuple[float, ...]]) -> list[float]:
        """The probability of each sentence to be evidence."""
        chances = []
        for row in rows:
            total = self.bias + sum(w * v for w, v in zip(self.weights, row, strict=True))
            chances.append(1 / (1 + math.exp(-max(-30.0, min(30.0, total)))))
        return chances


def select_passages(
    claim: str,
    text: str,
    budget_chars: int = 3000,
    title: str | None = None,
    context: JudgeContext = NO_CONTEXT,
) -> list[Passage]:
    """The passages of a source that bear on a claim, in reading order.

    Each is a verbatim span of `text` (offsets in code points), whole sentences joined where they
    adjoin, and their lengths add up to `budget_chars` at most. `score` is the highest probability
    of a sentence in it to be evidence. A source that fits comes back whole but for its reference
    lists, which are not evidence (`bibliography.evidence_spans`); an empty one, or a budget below
    one, gives no passage. Words of `title` count less than the other words of the claim, since
    every sentence of the source is about them. Words of `context` count beside the claim's, and
    less: they find the sentences about what its pronouns stand for. A passage carries the heading
    and the table header that it stands under.
    """
    if budget_chars < 1 or not text.strip():
        return []
    return with_headings(text, choose(load_chooser(), claim, text, budget_chars, title, context))


def choose(
    chooser: "PassageSelector",
    claim: str,
    text: str,
    budget_chars: int,
    title: str | None = None,
    context: JudgeContext = NO_CONTEXT,
) -> list[Passage]:
    """`select_passages` by a given chooser, for a text and a budget that are not empty."""
    parts = evidence_spans(text)
    if sum(part.end - part.start for part in parts) <= budget_chars:
        return [Passage(span=part, text=part.of(text), score=1.0) for part in parts]
    plain = fold_compatible(without_bibliography(text))
    units = segment(plain, unwrap=True)
    claim = fold_compatible(without_markers(claim))
    context_terms = ""
    if budget_chars >= CONTEXT_FROM:
        context_terms = fold_compatible(without_markers(context.terms))
    matches, order = match_terms(claim, plain, units, context_terms)
    if not any(match.times or match.soft for match in matches):
        return _beginning(text, parts, budget_chars)
    terms = weigh(claim, matches, order, chooser.rarity, title, context_terms)
    chances = chooser.chances(sentence_features(plain, units, matches, terms))
    chosen = _greedy(plain, units, matches, terms, _with_neighbors(chances), budget_chars)
    if not chosen:
        return _beginning(text, parts, budget_chars)
    return _joined(text, units, sorted(chosen), chances)


def _beginning(text: str, parts: Sequence[Span], budget_chars: int) -> list[Passage]:
    """The first characters that may be evidence, for a claim that no sentence is like."""
    first = parts[0]
    span = Span(first.start, min(first.end, first.start + budget_chars))
    return [Passage(span=span, text=span.of(text))]


@lru_cache(maxsize=2)
def load_chooser(folder: Path = JUDGE_DATA) -> PassageSelector:
    """The chooser with the shipped weights; plain word cover where the files are missing."""
    try:
        table = json.loads((folder / "frequencies.json").read_text(encoding="utf-8"))
        rarity = Rarity(table["documents"], table["stems"])
        stored = json.loads((folder / "passages.json").read_text(encoding="utf-8"))
        weights = tuple(float(stored["signs"][name]) for name in SIGNS)
        return PassageSelector(rarity, float(stored["bias"]), weights)
    except (OSError, ValueError, KeyError, TypeError):
        plain = {"cover": 6.0, "match": 2.0}
        return PassageSelector(
            Rarity(1000, {}), -5.0, tuple(plain.get(name, 0.0) for name in SIGNS)
        )


def _with_neighbors(chances: Sequence[float]) -> list[float]:
    """Each probability, raised by a share of the likelier neighbour's."""
    n = len(chances)
    return [
        chance + BESIDE * max(chances[i - 1] if i else 0.0, chances[i + 1] if i + 1 < n else 0.0)
        for i, chance in enumerate(chances)
    ]


@dataclass(slots=True)
class _Choice:
    """The sentences chosen so far, and how many characters are left."""

    text: str
    units: Sequence[Span]
    remaining: int
    chosen: set[int] = field(default_factory=set)

    def cost(self, at: int) -> int:
        """The characters a sentence takes, with the gaps to chosen neighbours that it joins."""
        units, unit = self.units, self.units[at]
        cost = unit.end - unit.start
        if at - 1 in self.chosen and unit.start - units[at - 1].end <= GAP:
            cost += unit.start - units[at - 1].end
        if at + 1 in self.chosen and units[at + 1].start - unit.end <= GAP:
            cost += units[at + 1].start - unit.end
        return cost

    def take(self, at: int) -> None:
        """Choose a sentence, what it needs above it, and the scraps beside it."""
        self._add(at)
        for i in _context(self.text, self.units, at):
            self._add(i, LONGEST_HEADING)
        for i in (at - 1, at + 1):
            if 0 <= i < len(self.units):
                self._add(i, SCRAP)

    def _add(self, at: int, longest: int | None = None) -> None:
        """Choose one sentence where it is not too long and fits."""
        cost = self.cost(at)
        if (
            at not in self.chosen
            and cost <= self.remaining
            and (longest is None or cost <= longest)
        ):
            self.chosen.add(at)
            self.remaining -= cost


def _greedy(
    text: str,
    units: Sequence[Span],
    matches: Sequence[SentenceMatch],
    terms: Terms,
    values: Sequence[float],
    budget: int,
) -> set[int]:
    density = [
        value / (60 + unit.end - unit.start) ** PER_LENGTH
        for value, unit in zip(values, units, strict=True)
    ]
    choice = _Choice(text, units, budget)
    missing = {key for key in terms.own if terms.counts[key]}
    hopeful = [i for i, match in enumerate(matches) if match.times]
    while missing and hopeful:
        best, value = -1, 0.0
        for i in hopeful:
            if units[i].end - units[i].start > choice.remaining:
                continue
            new_weight = sum(terms.weights[key] for key in matches[i].times if key in missing)
            gain = density[i] * (1 + FRESH * new_weight)
            if gain > value and choice.cost(i) <= choice.remaining:
                best, value = i, gain
        if best < 0:
            break
        choice.take(best)
        missing.difference_update(matches[best].times)
        hopeful = [i for i in hopeful if i not in choice.chosen]
    for i in sorted(range(len(units)), key=lambda i: -density[i]):
        if i not in choice.chosen and choice.cost(i) <= choice.remaining:
            choice.take(i)
    return choice.chosen


def _context(text: str, units: Sequence[Span], at: int) -> Iterator[int]:
    """What a sentence needs above it: a table row its header row, a first line its heading."""
    if _is_row(text, units[at]):
        first = at
        while first and at - first < 60 and _is_row(text, units[first - 1]):
            first -= 1
        if first != at:
            yield first
    elif at and text.startswith("#", units[at - 1].start):
        yield at - 1


def _is_row(text: str, unit: Span) -> bool:
    return text.count("|", unit.start, unit.end) >= 2 or text.count("\t", unit.start, unit.end) >= 2


def _joined(
    text: str, units: Sequence[Span], chosen: Sequence[int], chances: Sequence[float]
) -> list[Passage]:
    """The chosen sentences in reading order, those that adjoin as one passage."""
    groups: list[list[int]] = []
    for i in chosen:
        if groups and groups[-1][-1] == i - 1 and units[i].start - units[i - 1].end <= GAP:
            groups[-1].append(i)
        else:
            groups.append([i])
    passages = []
    for group in groups:
        span = Span(units[group[0]].start, units[group[-1]].end)
        score = max(chances[i] for i in group)
        passages.append(Passage(span=span, text=span.of(text), score=round(score, 4)))
    return passages
