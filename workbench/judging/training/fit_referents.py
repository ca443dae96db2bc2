"""Fit what a claim's referent takes from its score, and measure it out of fold.

`python -m workbench.judging.training.fit_referents --data ../shared/data` prints the
figures by the shipped model; `--write` puts the weights and the figures into
`weights.json`, as training does. Fitted on
our own pairs of a right and a wrong source, on the two sets that look like the work in their
context, and on their true claims in another claim's place (`corrupt.another_referent`). Needs
numpy, imported when used.
"""

import argparse
import json
import random
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.judging.embedded import DATA, Model, compute_features, load_model
from workbench.judging.features import FeatureVector
from workbench.judging.labels import choose_label
from workbench.judging.mixture_model import log_odds, logistic
from workbench.judging.passages import load_chooser, select_passages
from workbench.judging.referents import WEIGHED, refer
from workbench.judging.training.cross_validation import auroc
from workbench.judging.training.logistic import fit
from workbench.judging.training.pairs import Pair, load_pairs
from workbench.judging.training.referent_pairs import ReferentPair, load_referent_pairs
from workbench.judging.training.synthetic_negatives import another_referent
from workbench.records import JudgeContext

if TYPE_CHECKING:
    from workbench.judging.training.logistic import Floats

VERSION = "1"
SEED = 20261122
FOLDS = 5
ORIGINS = ("wice", "expertqa")
BUDGET = 3000
SHARES: Mapping[str, float] = {"own": 1.0, "real": 1.0, "swapped": 0.3}
"""How much our own pairs, the labelled claims, and true claims in another's place count."""
WHOLE = 1000.0
"""A kind of share 1 counts as this many rows against a ridge of 1."""
RIGHT_SHARE = 2.0
"""How much more a right source counts than a wrong one: it has to stay supported."""


@dataclass(frozen=True, slots=True)
class ReferentRow:
    """A claim beside a source in a context."""

    odds: float
    """The calibrated log-odds without the context."""
    values: tuple[float, ...]
    """In the order of `WEIGHED`."""
    true: bool
    kind: str
    """`own`, `real` or `swapped`."""
    origin: str
    fold: int


@dataclass(frozen=True, slots=True)
class OwnRow:
    """A row of our own pairs with what its label is chosen by."""

    row: ReferentRow
    pair: ReferentPair
    values: Mapping[str, float]
    against: float
    share: float

    def label(self, odds: float) -> str:
        """The label at some log-odds."""
        return choose_label(self.values, logistic(odds), self.against, self.share)


def own_rows(pairs: Sequence[ReferentPair], model: Model) -> list[OwnRow]:
    """Both sources of each pair, the right one first."""
    rows = []
    for number, pair in enumerate(pairs):
        for true, (source, context) in zip((True, False), pair.sides, strict=True):
            reading, values = _measure(pair.claim, source, context)
            odds = log_odds(model.mixture.probability(reading.values))
            row = ReferentRow(odds, values, true, "own", "own", number % FOLDS)
            against = logistic(model.contradicted(reading.values))
            share = model.mixture.share(reading.values)
            rows.append(OwnRow(row, pair, reading.values, against, share))
    return rows


def real_rows(pairs: Sequence[Pair], model: Model) -> list[ReferentRow]:
    """Labelled claims in their context, and true ones in the context of another group's claim."""
    generator = random.Random(SEED)
    folds: dict[str, int] = {}
    rows = []
    for pair in pairs:
        fold = folds.setdefault(pair.group, len(folds) % FOLDS)
        reading, values = _measure(pair.claim, pair.source, pair.context)
        odds, true = log_odds(model.mixture.probability(reading.values)), pair.label == "supported"
        rows.append(ReferentRow(odds, values, true, "real", pair.origin, fold))
        if true:
            others = [p for p in pairs if p.origin == pair.origin and p.group != pair.group]
            context = another_referent(pair.context, generator.choice(others).context)
            _, values = _measure(pair.claim, pair.source, context)
            rows.append(ReferentRow(odds, values, False, "swapped", pair.origin, fold))
    return rows


def fit_weights(rows: Sequence[ReferentRow], without: int | None = None) -> dict[str, float]:
    """The weight of each of `WEIGHED`, none below 0; `without` leaves a fold out."""
    import numpy as np

    used_rows = [row for row in rows if row.fold != without]
    counts = {kind: sum(row.kind == kind for row in used_rows) for kind in SHARES}
    x = -np.array([row.values for row in used_rows], dtype=np.float64)
    y = np.array([float(row.true) for row in used_rows])
    offset = np.array([row.odds for row in used_rows])
    share = np.array([WHOLE * SHARES[row.kind] / counts[row.kind] for row in used_rows])
    share *= np.array([RIGHT_SHARE if row.kind == "own" and row.true else 1.0 for row in used_rows])
    columns = list(range(len(WEIGHED)))
    while columns:
        fitted = fit(x[:, columns], y, share, 1.0, offset, np.zeros(len(used_rows)))[:-1]
        if fitted.min() >= 0:
            break
        columns = [name for name, weight in zip(columns, fitted, strict=True) if weight >= 0]
    weights = dict.fromkeys(WEIGHED, 0.0)
    for at, weight in zip(columns, fitted, strict=True):
        weights[WEIGHED[at]] = round(float(weight), 3)
    return weights


def shifted(rows: Sequence[ReferentRow], fitted: Sequence[ReferentRow]) -> list[float]:
    """The log-odds of rows with their context, by weights that have not seen their fold."""
    weights = [fit_weights(fitted, number) for number in range(FOLDS)]
    return [
        row.odds - sum(weights[row.fold][n] * v for n, v in zip(WEIGHED, row.values, strict=True))
        for row in rows
    ]


def own_figures(rows: Sequence[OwnRow], odds: Sequence[float]) -> dict[str, float]:
    """Shares of our own pairs, by language: ranked right, and called supported before and after.

    `needs` are the pairs that only the context tells apart.
    """
    figures: dict[str, float] = {}
    for name, right in _parts(rows).items():
        wrong = [i + 1 for i in right]
        for word, after in (("without", [row.row.odds for row in rows]), ("with", odds)):
            ranked = [after[i] > after[j] for i, j in zip(right, wrong, strict=True)]
            figures[f"{name} ranked right {word}"] = sum(ranked) / len(right)
            for side, places in (("right", right), ("wrong", wrong)):
                called = [rows[i].label(after[i]) == "supported" for i in places]
                figures[f"{name} {side} called supported {word}"] = sum(called) / len(places)
    return {name: round(value, 4) for name, value in figures.items()}


def real_figures(rows: Sequence[ReferentRow], odds: Sequence[float]) -> dict[str, float]:
    """AUROC of the labelled sets with their context and without, and mean scores."""
    import numpy as np

    figures: dict[str, float] = {}
    for origin in ORIGINS:
        real = [i for i, row in enumerate(rows) if (row.origin, row.kind) == (origin, "real")]
        swapped = [i for i, row in enumerate(rows) if (row.origin, row.kind) == (origin, "swapped")]
        y = np.array([float(rows[i].true) for i in real])
        plain, after = np.array([rows[i].odds for i in real]), np.array([odds[i] for i in real])
        figures[f"{origin} auroc without"], figures[f"{origin} auroc with"] = (
            auroc(plain, y),
            auroc(after, y),
        )
        figures[f"{origin} mean score without"] = _mean(plain)
        figures[f"{origin} mean score with"] = _mean(after)
        figures[f"{origin} mean score of true claims"] = _mean(after[y > 0])
        figures[f"{origin} mean score of true claims in another's place"] = _mean(
            np.array([odds[i] for i in swapped])
        )
    return {name: round(value, 4) for name, value in figures.items()}


def fit_referents(pairs: Sequence[Pair], model: Model) -> dict[str, object]:
    """What `weights.json` keeps under `referents`: version, weights and figures.

    The weights have not seen the fold that a figure is taken of; the model beside which they are
    fitted has seen the labelled sets, though not our own pairs.
    """
    own_examples = own_rows(list(load_referent_pairs()), model)
    rows = [example.row for example in own_examples]
    rows += real_rows([pair for pair in pairs if pair.origin in ORIGINS], model)
    after = shifted(rows, rows)
    figures = own_figures(own_examples, after[: len(own_examples)])
    figures |= real_figures(rows[len(own_examples) :], after[len(own_examples) :])
    return {"version": VERSION, "weights": fit_weights(rows), "figures": figures}


def keep_referents(pairs: Sequence[Pair], out: Path) -> Mapping[str, object]:
    """Fit beside the model in a folder and put the result into its `weights.json`."""
    load_model.cache_clear()
    referents = fit_referents(pairs, load_model(out))
    place = out / "weights.json"
    stored = json.loads(place.read_text(encoding="utf-8"))
    text = json.dumps({**stored, "referents": referents}, indent=1, ensure_ascii=False)
    place.write_text(text + "\n", encoding="utf-8")
    load_model.cache_clear()
    return referents


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; returns its exit code."""
    parser = argparse.ArgumentParser(prog="python -m workbench.judging.training.fit_referents")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=DATA)
    parser.add_argument("--write", action="store_true", help="keep weights and figures")
    options = parser.parse_args(arguments)
    pairs = list(load_pairs(options.data))
    referents = (
        keep_referents(pairs, options.out)
        if options.write
        else fit_referents(pairs, load_model(options.out))
    )
    print(json.dumps(referents, indent=1, ensure_ascii=False))
    return 0


def _measure(
    claim: str, source: str, context: JudgeContext
) -> tuple[FeatureVector, tuple[float, ...]]:
    """What the judge sees of a claim in its context."""
    passages = select_passages(claim, source, BUDGET, context=context)
    reading = compute_features(claim, passages)
    rarity = load_chooser().rarity
    referent = refer(claim, context, passages, reading.sentences, reading.best, rarity)
    return reading, tuple(referent.values[name] for name in WEIGHED)


def _parts(rows: Sequence[OwnRow]) -> dict[str, list[int]]:
    """The places of right sources: all, by language, and those that need their context."""
    right = [i for i, row in enumerate(rows) if row.row.true]
    parts = {"all": right}
    for lang in sorted({row.pair.lang for row in rows}):
        parts[lang] = [i for i in right if rows[i].pair.lang == lang]
        parts[f"{lang} needs"] = [i for i in parts[lang] if rows[i].pair.needs_context]
    return parts


def _mean(odds: "Floats") -> float:
    return sum(logistic(value) for value in odds.tolist()) / len(odds)


if __name__ == "__main__":
    sys.exit(main())
