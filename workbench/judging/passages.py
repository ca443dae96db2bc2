"""Choose the parts of a source that bear on a claim: verbatim, in reading order, within a budget.

Greedy choice of sentences by the weight of the claim's words that they add, with credit to the
neighbours of a good sentence; the weight of a word is its inverse document frequency. Pure, and
linear in the source up to the sort of the sentences that share a word with the claim.
"""

import heapq
import math
from collections.abc import Sequence

from workbench.judging.segment import segment
from workbench.judging.words import STOPWORDS, pieces, stem
from workbench.records import Passage, Span

NEIGHBOUR = 0.35
"""Share of a sentence's worth that the sentences beside it are credited with."""
AGAIN = 0.25
"""What a word of the claim is still worth once a chosen sentence holds it."""
STOPWORD_WEIGHT = 0.05


def select_passages(
    claim: str, text: str, budget_chars: int = 3000, title: str | None = None
) -> list[Passage]:
    """The passages of a source that bear on a claim, in reading order.

    Each is a verbatim span of `text` (offsets in code points), whole sentences joined where they
    adjoin, and their lengths add up to `budget_chars` at most. A source that fits comes back
    whole; an empty one, or a budget below one, gives no passage. Words of `title` count less than
    the other words of the claim, since every sentence of the source is about them.
    """
    if budget_chars < 1 or not text.strip():
        return []
    if len(text) <= budget_chars:
        return [Passage(span=Span(0, len(text)), text=text, score=1.0)]
    units = [unit for unit in segment(text) if unit.end > unit.start]
    weights = _claim_weights(claim, text, title)
    held = _held_words(text, units, weights)
    order = _greedy(units, held, weights, budget_chars)
    return _joined(text, units, order, held, weights, budget_chars)


def _claim_weights(claim: str, text: str, title: str | None) -> dict[str, float]:
    """The claim's stems and what finding each is worth: its rarity in the source."""
    wanted = {stem(word): word for word, _, _ in pieces(claim)}
    if not wanted:
        return {}
    counts: dict[str, int] = {}
    for word, _, _ in pieces(text):
        key = stem(word)
        if key in wanted:
            counts[key] = counts.get(key, 0) + 1
    about = {stem(word) for word, _, _ in pieces(title or "")}
    size = max(len(text) / 120, 2.0)
    weights = {}
    for key, word in wanted.items():
        rarity = math.log(1 + size / (0.5 + counts.get(key, 0)))
        if word in STOPWORDS:
            rarity *= STOPWORD_WEIGHT
        elif word[0].isdigit():
            rarity *= 1.2
        if key in about:
            rarity *= 0.5
        weights[key] = rarity
    return weights


def _held_words(
    text: str, units: Sequence[Span], weights: dict[str, float]
) -> list[frozenset[str]]:
    """For each sentence the claim's stems that it holds."""
    held: list[set[str]] = [set() for _ in units]
    at = 0
    for word, start, _ in pieces(text):
        key = stem(word)
        if key not in weights:
            continue
        while at < len(units) and units[at].end <= start:
            at += 1
        if at < len(units) and units[at].start <= start:
            held[at].add(key)
    return [frozenset(keys) for keys in held]


def _greedy(
    units: Sequence[Span],
    held: Sequence[frozenset[str]],
    weights: dict[str, float],
    budget: int,
) -> list[int]:
    """Indices of the sentences worth their length, best first (lazy greedy: gains only shrink)."""
    seen: set[str] = set()

    def gain(i: int) -> float:
        own = sum(weights[k] * (AGAIN if k in seen else 1.0) for k in held[i])
        beside = 0.0
        for j in (i - 1, i + 1):
            if 0 <= j < len(units):
                beside = max(beside, sum(weights[k] for k in held[j]))
        return (own + NEIGHBOUR * beside) / math.sqrt(60 + units[i].end - units[i].start)

    queue = [(-gain(i), i) for i in range(len(units))]
    heapq.heapify(queue)
    chosen: list[int] = []
    left = budget
    while queue and left > 0:
        _, i = heapq.heappop(queue)
        now = gain(i)
        if queue and now < -queue[0][0] - 1e-12:
            heapq.heappush(queue, (-now, i))
            continue
        # The gap to a neighbour is taken along with it, hence the extra character or two.
        length = units[i].end - units[i].start + 2
        if length <= left:
            chosen.append(i)
            left -= length
            seen |= held[i]
    return chosen


def _joined(
    text: str,
    units: Sequence[Span],
    chosen: Sequence[int],
    held: Sequence[frozenset[str]],
    weights: dict[str, float],
    budget: int,
) -> list[Passage]:
    """The chosen sentences in reading order, those that adjoin as one passage."""
    if not chosen:
        return [Passage(span=Span(0, budget), text=text[:budget])] if units else []
    total = sum(weights.values()) or 1.0
    groups: list[list[int]] = []
    for i in sorted(chosen):
        near = groups and groups[-1][-1] == i - 1 and units[i].start - units[i - 1].end <= 2
        if near:
            groups[-1].append(i)
        else:
            groups.append([i])
    passages = []
    for group in groups:
        span = Span(units[group[0]].start, units[group[-1]].end)
        covered = frozenset[str]().union(*(held[i] for i in group))
        score = sum(weights[k] for k in covered) / total
        passages.append(Passage(span=span, text=span.of(text), score=round(score, 4)))
    return passages
