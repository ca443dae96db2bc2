"""Fit the choice of passages (`train.py --only passages`), and measure it (`--check`).

Reads whole articles with marked evidence sentences (`wice/articles_dev.jsonl`), joined by line ends
and by spaces, and writes `passages.json`. Measured is, by cross-validation over articles, how often
a full set of evidence sentences lies inside the chosen passages: for the claim alone and with its
context, for all claims and for those that begin with a pronoun.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.judging.passages import (
    SIGNS,
    PassageSelector,
    choose,
    load_chooser,
    match_terms,
    sentence_features,
    weigh,
)
from workbench.judging.training.statistics import fit, fit_within, unscaled
from workbench.language.tokenization import segment
from workbench.records.context import NO_CONTEXT, JudgeContext
from workbench.records.source import Passage
from workbench.records.text import Span

RIDGE = 5.0
JOINS = ("\n", " ")
FOLDS = 5
_PRONOUN = re.compile(
    r"(?:he|she|it|they|this|these|that|those|his|her|their|its)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Article:
    """A claim, its cited article as one text, and where the evidence stands in it."""

    claim: str
    text: str
    sets: tuple[tuple[Span, ...], ...]
    """Each is enough by itself."""
    group: str
    context: JudgeContext


def read_articles(path: Path, join: str) -> list[Article]:
    """The articles of a file that have marked evidence, sentences joined by `join`."""
    articles = []
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        spans, at = [], 0
        for sentence in row["evidence"]:
            lead = len(sentence) - len(sentence.lstrip())
            spans.append(Span(at + lead, at + max(lead, len(sentence.rstrip()))))
            at += len(sentence) + len(join)
        sets = tuple(tuple(spans[i] for i in group) for group in row["supporting_sentences"])
        if any(sets):
            text = join.join(row["evidence"])
            sets = tuple(group for group in sets if group)
            articles.append(
                Article(row["claim"], text, sets, row["meta"]["claim_title"], _context(row["meta"]))
            )
    return articles


def _context(meta: Mapping[str, str]) -> JudgeContext:
    section = meta["claim_section"].strip(" .")
    headings = tuple(filter(None, (meta["claim_title"], section)))
    return JudgeContext(headings=headings, before=meta["claim_context"])


def is_held(article: Article, chosen: Sequence[Passage]) -> bool:
    """Whether one full set of evidence lies inside the passages."""
    return any(
        all(any(p.start <= s.start and s.end <= p.end for p in chosen) for s in group)
        for group in article.sets
    )


def fit_chooser(articles: Sequence[Article]) -> PassageSelector:
    """The weights for a set of articles.

    They are the mean of two fits in log-odds: each sentence by itself, and the sentences of an
    article against each other, brought to the scale of the first.
    """
    import numpy as np

    rows: list[tuple[float, ...]] = []
    marks: list[float] = []
    shares: list[float] = []
    sizes: list[int] = []
    rarity = load_chooser().rarity
    for article in articles:
        units = segment(article.text, unwrap=True)
        matches, order = match_terms(article.claim, article.text, units)
        terms = weigh(article.claim, matches, order, rarity, None)
        rows.extend(sentence_features(article.text, units, matches, terms))
        evidence = [span for group in article.sets for span in group]
        marks.extend(float(any(_mostly(unit, span) for span in evidence)) for unit in units)
        sizes.append(len(units))
        shares.extend([len(units) ** -0.5] * len(units))
    x, y, share = np.array(rows), np.array(marks), np.array(shares)
    mean, spread = x.mean(0), x.std(0) + 1e-9
    scaled, share = (x - mean) / spread, share * (len(share) / share.sum())
    by_sentence = fit(scaled, y, share, RIDGE)
    within = fit_within(scaled, y, sizes)
    slope, offset = fit((scaled @ within)[:, None], y, share, 1e-3)
    weights = (by_sentence + np.append(within * slope, offset)) / 2
    bias, plain = unscaled(weights, mean, spread)
    return PassageSelector(rarity, bias, tuple(float(w) for w in plain))


def check(path: Path, budgets: Sequence[int] = (4000, 3000, 2000, 1000)) -> Mapping[str, float]:
    """Evidence recall by budget and join, each article by weights that have not seen it."""
    by_join = {join: read_articles(path, join) for join in JOINS}
    groups = sorted({article.group for article in by_join[JOINS[0]]})
    fold = {group: i % FOLDS for i, group in enumerate(groups)}
    hits: dict[str, list[bool]] = {}
    for number in range(FOLDS):
        chooser = fit_chooser(
            [a for join in JOINS for a in by_join[join] if fold[a.group] != number]
        )
        for join in JOINS:
            for article in (a for a in by_join[join] if fold[a.group] == number):
                for budget in budgets:
                    name = f"{budget} {'lines' if join == chr(10) else 'spaces'}"
                    hits.setdefault(name, []).append(_finds(chooser, article, budget))
                    found_in_context = _finds(chooser, article, budget, article.context)
                    names = [f"{name}, with context"]
                    if _PRONOUN.match(article.claim):
                        bare = hits[name][-1]
                        hits.setdefault(f"{name}, pronoun", []).append(bare)
                        names.append(f"{name}, pronoun, with context")
                    for figure in names:
                        hits.setdefault(figure, []).append(found_in_context)
    return {name: round(sum(results) / len(results), 4) for name, results in sorted(hits.items())}


def _finds(
    chooser: PassageSelector, article: Article, budget: int, context: JudgeContext = NO_CONTEXT
) -> bool:
    chosen = choose(chooser, article.claim, article.text, budget, context=context)
    return is_held(article, chosen)


def _mostly(unit: Span, span: Span) -> bool:
    """Whether the two overlap by more than half of the shorter one."""
    shared = min(unit.end, span.end) - max(unit.start, span.start)
    return shared > 0.5 * min(unit.end - unit.start, span.end - span.start)


def train(data: Path, out: Path) -> None:
    """Write `passages.json` into `out`."""
    path = data / "wice" / "articles_dev.jsonl"
    chooser = fit_chooser([a for join in JOINS for a in read_articles(path, join)])
    stored = {
        "bias": round(chooser.bias, 6),
        "signs": {n: round(w, 6) for n, w in zip(SIGNS, chooser.weights, strict=True)},
    }
    (out / "passages.json").write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")
