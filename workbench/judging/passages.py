"""Choose the parts of a source that bear on a claim: verbatim, in reading order, within a budget.

Each sentence gets a probability of being evidence (a logistic regression over `rank.SIGNS`, trained
on whole articles with marked evidence; weights in `data/judge/passages.json`). Sentences are then
taken greedily by probability for their length, more for words of the claim that nothing chosen
holds yet, and a little for standing beside a likely one. Pure but for reading the weights once, and
linear in the source up to sorting its sentences.
"""

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from workbench.judging.bibliography import evidence_spans, without_bibliography
from workbench.judging.rank import (
    SIGNS,
    SentenceMatch,
    Terms,
    match_terms,
    sentence_features,
    weigh,
)
from workbench.judging.segment import segment
from workbench.judging.tokenization import Rarity, without_markers
from workbench.records import NO_CONTEXT, JudgeContext, Passage, Span, fold_compatible
from workbench.records.source_headings import with_headings
from workbench.shipped import JUDGE_DATA

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
    """Indices of the sentences to keep."""
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
    """Whether a line is a row of a table: at least two cell borders."""
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
