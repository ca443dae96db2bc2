"""Fit what a claim's referent takes from its score, and measure it out of fold.

`python -m workbench.judging.training.fit_referents --data ../shared/data` prints the figures by the
shipped model; `--write` puts the weights and the figures into `weights.json`, as training does.
Fitted twice where there is an encoder: beside the features alone, and beside both, since the encoder
reads a claim's context, too. Fitted on our own pairs of a right and a wrong source, on the two sets
that look like the work in their context, and on their true claims elsewhere: one that points back
is no longer true in another claim's place (`another_referent`), one that names what it is about is
true under any headings and behind any sentence (`Surroundings`). Needs numpy, imported when used.
"""

import argparse
import json
import random
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.judging.antecedents import REFERS, subject_of
from workbench.judging.embedded import compute_features
from workbench.judging.embedded_model import Model, PairScore, load_model
from workbench.judging.encoder.reader import PairReader, load_reader
from workbench.judging.mixture_model import logistic
from workbench.judging.passages import load_chooser, select_passages
from workbench.judging.referents import WEIGHED, refer
from workbench.judging.training.cross_validation import auroc
from workbench.judging.training.encoder.surroundings import Surroundings
from workbench.judging.training.encoder.training_pairs import split_of
from workbench.judging.training.logistic import fit
from workbench.judging.training.pairs import Pair, load_pairs
from workbench.judging.training.referent_pairs import ReferentPair, load_referent_pairs
from workbench.judging.training.synthetic_negatives import another_referent
from workbench.records import JudgeContext
from workbench.shipped import JUDGE_DATA

if TYPE_CHECKING:
    from workbench.judging.training.logistic import Floats

VERSION = "2"
SEED = 20261122
FOLDS = 5
ORIGINS = ("wice", "expertqa")
BUDGET = 3000
KIND_WEIGHTS: Mapping[str, float] = {"own": 1.0, "real": 1.0, "swapped": 0.3, "surrounded": 0.5}
"""How much our own pairs, the labelled claims, and true claims elsewhere count: those that point
back, and those that do not."""
POINTS_BACK = 0.9
"""A claim of which so much cannot be known without its place points back."""
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
    """One of `KIND_WEIGHTS`."""
    origin: str
    fold: int


@dataclass(frozen=True, slots=True)
class OwnRow:
    """A row of our own pairs with what gives it its label."""

    row: ReferentRow
    pair: ReferentPair
    scored: PairScore


@dataclass(frozen=True, slots=True)
class ContextFreeJudge:
    """The judge before a referent counts: by the features alone, or with the encoder."""

    model: Model
    reader: PairReader | None

    def measure(
        self, claim: str, source: str, context: JudgeContext
    ) -> tuple[PairScore, tuple[float, ...]]:
        """The score without the referent, and the referent's values in the order of `WEIGHED`."""
        passages = select_passages(claim, source, BUDGET, context=context)
        features = compute_features(claim, passages)
        rarity = load_chooser().rarity
        referent = refer(claim, context, passages, features.sentences, features.best, rarity)
        reading = self.reader.read(claim, passages, context) if self.reader else None
        scored = self.model.score(features.values, reading)
        return scored, tuple(referent.values[name] for name in WEIGHED)

    def unseen(self, pairs: Sequence[Pair]) -> list[Pair]:
        """The pairs that look like the work and that the encoder was not trained on."""
        return [
            pair
            for pair in pairs
            if pair.origin in ORIGINS
            and (self.reader is None or split_of(pair.origin, pair.group) == "dev")
        ]


def own_rows(pairs: Sequence[ReferentPair], judge: ContextFreeJudge) -> list[OwnRow]:
    """Both sources of each pair, the right one first."""
    rows = []
    for number, pair in enumerate(pairs):
        for true, (source, context) in zip((True, False), pair.sides, strict=True):
            scored, values = judge.measure(pair.claim, source, context)
            row = ReferentRow(scored.odds, values, true, "own", "own", number % FOLDS)
            rows.append(OwnRow(row, pair, scored))
    return rows


def real_rows(pairs: Sequence[Pair], judge: ContextFreeJudge) -> list[ReferentRow]:
    """Labelled claims in their context, and true ones in another."""
    generator = random.Random(SEED)
    surroundings = Surroundings.of((pair.origin, pair.group, pair.claim) for pair in pairs)
    rarity = load_chooser().rarity
    folds: dict[str, int] = {}
    rows = []
    for pair in pairs:
        fold, true = folds.setdefault(pair.group, len(folds) % FOLDS), pair.label == "supported"
        scored, values = judge.measure(pair.claim, pair.source, pair.context)
        rows.append(ReferentRow(scored.odds, values, true, "real", pair.origin, fold))
        if not true:
            continue
        others = [p for p in pairs if p.origin == pair.origin and p.group != pair.group]
        context = another_referent(pair.context, generator.choice(others).context)
        kind = "swapped"
        if REFERS[subject_of(pair.claim, context, rarity).manner] < POINTS_BACK:
            drawn = surroundings.draw(pair.group, pair.claim, pair.source, generator)
            context, kind = another_referent(pair.context, drawn), "surrounded"
        scored, values = judge.measure(pair.claim, pair.source, context)
        rows.append(ReferentRow(scored.odds, values, kind == "surrounded", kind, pair.origin, fold))
    return rows


def fit_weights(rows: Sequence[ReferentRow], without: int | None = None) -> dict[str, float]:
    """The weight of each of `WEIGHED`, none below 0; `without` leaves a fold out."""
    import numpy as np

    used_rows = [row for row in rows if row.fold != without]
    counts = {kind: sum(row.kind == kind for row in used_rows) for kind in KIND_WEIGHTS}
    x = -np.array([row.values for row in used_rows], dtype=np.float64)
    y = np.array([float(row.true) for row in used_rows])
    offset = np.array([row.odds for row in used_rows])
    share = np.array([WHOLE * KIND_WEIGHTS[row.kind] / counts[row.kind] for row in used_rows])
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
                called = [
                    rows[i].scored.shifted(after[i] - rows[i].row.odds).label == "supported"
                    for i in places
                ]
                figures[f"{name} {side} called supported {word}"] = sum(called) / len(places)
    return {name: round(value, 4) for name, value in figures.items()}


def real_figures(rows: Sequence[ReferentRow], odds: Sequence[float]) -> dict[str, float]:
    """AUROC of the labelled sets with their context and without, and mean scores."""
    import numpy as np

    figures: dict[str, float] = {}
    for origin in ORIGINS:
        real = [i for i, row in enumerate(rows) if (row.origin, row.kind) == (origin, "real")]
        y = np.array([float(rows[i].true) for i in real])
        plain, after = np.array([rows[i].odds for i in real]), np.array([odds[i] for i in real])
        figures[f"{origin} auroc without"], figures[f"{origin} auroc with"] = (
            auroc(plain, y),
            auroc(after, y),
        )
        figures[f"{origin} mean score without"] = _mean(plain)
        figures[f"{origin} mean score with"] = _mean(after)
        figures[f"{origin} mean score of true claims"] = _mean(after[y > 0])
        for kind in ("swapped", "surrounded"):
            moved = [i for i, row in enumerate(rows) if (row.origin, row.kind) == (origin, kind)]
            figures[f"{origin} mean score of true claims, {kind}"] = _mean(
                np.array([odds[i] for i in moved])
            )
    return {name: round(value, 4) for name, value in figures.items()}


def fit_referents(pairs: Sequence[Pair], judge: ContextFreeJudge) -> dict[str, object]:
    """What `weights.json` keeps under `referents`: version, weights and figures.

    The weights have not seen the fold that a figure is taken of; the features beside which they are
    fitted have seen the labelled sets, though not our own pairs; the encoder has read these once in
    training, and the labelled claims of `ContextFreeJudge.unseen` not.
    """
    own_examples = own_rows(list(load_referent_pairs()), judge)
    rows = [example.row for example in own_examples]
    rows += real_rows(judge.unseen(pairs), judge)
    after = shifted(rows, rows)
    figures = own_figures(own_examples, after[: len(own_examples)])
    figures |= real_figures(rows[len(own_examples) :], after[len(own_examples) :])
    return {"version": VERSION, "weights": fit_weights(rows), "figures": figures}


def fit_beside(pairs: Sequence[Pair], folder: Path) -> dict[str, object]:
    """What changes in the `weights.json` of a folder: `referents`, and those beside the encoder."""
    load_model.cache_clear()
    model, reader = load_model(folder), load_reader(folder)
    changes: dict[str, object] = {"referents": fit_referents(pairs, ContextFreeJudge(model, None))}
    if reader is not None and model.reading is not None:
        stored = json.loads((folder / "weights.json").read_text(encoding="utf-8"))
        referents = fit_referents(pairs, ContextFreeJudge(model, reader))
        changes["reading"] = {**stored["reading"], "referents": referents}
    return changes


def keep_referents(pairs: Sequence[Pair], out: Path) -> Mapping[str, object]:
    """Fit beside the model in a folder and put the result into its `weights.json`."""
    changes = fit_beside(pairs, out)
    place = out / "weights.json"
    stored = json.loads(place.read_text(encoding="utf-8"))
    text = json.dumps({**stored, **changes}, indent=1, ensure_ascii=False)
    place.write_text(text + "\n", encoding="utf-8")
    load_model.cache_clear()
    return changes


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; returns its exit code."""
    parser = argparse.ArgumentParser(prog="python -m workbench.judging.training.fit_referents")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=JUDGE_DATA)
    parser.add_argument("--write", action="store_true", help="keep weights and figures")
    options = parser.parse_args(arguments)
    pairs = list(load_pairs(options.data))
    fitted = (keep_referents if options.write else fit_beside)(pairs, options.out)
    print(json.dumps(fitted, indent=1, ensure_ascii=False))
    return 0


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
