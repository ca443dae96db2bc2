"""Fit how the readable features and the encoder make one score, and measure it out of fold.

`training.train` does this last, where the encoder is there to read. Fitted on pairs that neither
part was fitted on: the development halves of the two sets that look like the work (the features'
log-odds out of fold) with their corruptions, and the development parts of all other sets and of our
own examples. Needs numpy, onnxruntime and tokenizers.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from operator import eq
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.judging.embedded import compute_features
from workbench.judging.embedded_model import Model
from workbench.judging.encoder.reader import PairReader
from workbench.judging.labels import LabelLimits, choose_read_label
from workbench.judging.mixture_model import Linear, logistic
from workbench.judging.passages import select_passages
from workbench.judging.reading_model import (
    SUPPORTING,
    TERMS,
    FeatureOdds,
    ReadingModel,
    reading_terms,
)
from workbench.judging.training.cross_validation import (
    agreement,
    auroc,
    calibration_error,
    interval,
    macro_f1,
    unseen_odds,
)
from workbench.judging.training.encoder.training_pairs import (
    UNTOLD,
    development_pairs,
    split_of,
)
from workbench.judging.training.logistic import fit, unscaled
from workbench.judging.training.mixture_training import ARTICLES, EXTRACTS, FOLDS, TrainingExamples
from workbench.records import JudgeContext, VerdictLabel

if TYPE_CHECKING:
    from workbench.judging.training.logistic import Floats

BUDGET = 3000
OWN = (ARTICLES, EXTRACTS)
RIDGE = 3.0
SET_WEIGHTS: Mapping[str, float] = {"wice": 40.0, "expertqa": 20.0, "own": 0.5}
"""How much a set weighs beside another one, whatever its size: the two that look like the work count
most: more than all others together."""
MADE_SHARE = 0.1
"""How much the corruptions of a set's true claims weigh beside its labelled pairs: they are false by
the dozen, and would tell the model that most claims are."""
PAIRED = ("number", "name", "stranger", "negation", "opposite")
"""Kinds of corruptions that must score below their true claim."""
ORDER_SHARE = 2.0
"""How much their order counts beside all answers."""
LARGEST = 200
"""At most this many pairs of another set."""
ALONE = ("features", "read")
"""Terms whose figures alone stand beside those of all together."""


LIMITS = {
    "support_from": (0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7),
    "partial_from": (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5),
    "against_from": (0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9),
}
"""What is tried of each limit of the labels."""
MOST_DENIED = 0.01
"""At most this share of the supported claims that look like the work may be called contradicted."""
MOST_FOREIGN = 0.25
"""At most this share of true claims beside another claim's source may be called partially supported,
or supported."""
OWN_LABELS = 10.0
"""How much the labels of a set that looks like the work count beside those of another."""
FEWEST_LABELLED = 40
"""A set counts for the limits from so many labelled pairs on."""


@dataclass(frozen=True, slots=True)
class ReadingRow:
    """A pair with the terms of both parts; `true` is the row that a made pair comes from."""

    terms: tuple[float, ...]
    values: Mapping[str, float]
    label: str
    origin: str
    group: str
    kind: str | None
    true: int | None

    @property
    def set_name(self) -> str:
        """The set; all of our own examples are one."""
        return "own" if self.origin.startswith("own_") else self.origin


def fit_reading(rows: Sequence[ReadingRow]) -> tuple[ReadingModel, dict[str, float]]:
    """The weights for rows with the limits that label them best out of fold; and the figures."""
    unseen = out_of_fold(rows)
    limits = fit_limits(rows, unseen)
    return ReadingModel(*fit_weights(rows), limits), reading_figures(rows, unseen, limits)


def fit_weights(rows: Sequence[ReadingRow], without: Collection[str] = ()) -> tuple[Linear, Linear]:
    """The weights for P(supported), and for P(contradicted) of what is not supported.

    `without` leaves groups out.
    """
    import numpy as np

    used = [n for n, row in enumerate(rows) if row.group not in without and row.kind != "verbatim"]
    x = np.array([row.terms for row in rows])
    mean, spread = x[used].mean(0), np.maximum(x[used].std(0), 1e-3)
    # sets that do not tell a contradiction from what is merely not stated say nothing of it
    denied = [n for n in used if rows[n].label != "supported" and rows[n].origin not in UNTOLD]
    models = []
    for label, counted, terms in (
        ("supported", used, SUPPORTING),
        ("contradicted", denied, TERMS),
    ):
        columns = [TERMS.index(term) for term in terms]
        z = (x[:, columns] - mean[columns]) / spread[columns]
        y = np.array([float(rows[n].label == label) for n in counted])
        share = _shares([rows[n] for n in counted], balanced=label == "contradicted", y=y)
        parts, targets, weights, constants = [z[counted]], [y], [share], [np.ones(len(counted))]
        if label == "supported":
            false = [n for n in used if rows[n].kind in PAIRED]
            true = [int(rows[n].true or 0) for n in false]
            parts.append(z[true] - z[false])
            targets.append(np.ones(len(false)))
            weights.append(np.full(len(false), ORDER_SHARE * share.sum() / max(1, len(false))))
            constants.append(np.zeros(len(false)))
        fitted = fit(
            np.vstack(parts), np.concatenate(targets), np.concatenate(weights), RIDGE,
            constant=np.concatenate(constants),
        )  # fmt: skip
        bias, plain = unscaled(fitted, mean[columns], spread[columns])
        models.append(Linear(bias, dict(zip(terms, map(float, plain), strict=True))))
    supported, contradicted = models
    labelled = [rows[n] for n in used if rows[n].kind is None]
    return _calibrated(supported, labelled), contradicted


def _calibrated(model: Linear, rows: Sequence[ReadingRow]) -> Linear:
    """The model with the slope and the bias that fit labelled rows.

    The order of pairs has a part in its weights, and makes it too sure.
    """
    import numpy as np

    odds = np.array([[model(dict(zip(TERMS, row.terms, strict=True)))] for row in rows])
    y = np.array([float(row.label == "supported") for row in rows])
    slope, bias = map(float, fit(odds, y, _shares(rows, False, y), 1.0))
    return Linear(
        slope * model.bias + bias, {name: slope * weight for name, weight in model.of.items()}
    )


def fit_limits(
    rows: Sequence[ReadingRow], probabilities: Sequence[tuple[float, float]]
) -> LabelLimits:
    """The limits whose labels agree best with people's.

    Out are those that call too many true claims contradicted (`MOST_DENIED`), or find support in
    too many foreign sources (`MOST_FOREIGN`). Agreement is the share of equal labels and macro F1
    together: alone, the one forgets rare labels, and the other counts eighteen of them as much as
    hundreds. Sets like the work count by `OWN_LABELS`. `probabilities` are those of being
    supported, and of being contradicted where not supported, by row.
    """
    by_set: dict[str, list[int]] = defaultdict(list)
    for n, row in enumerate(rows):
        if row.kind is None:
            by_set[row.set_name].append(n)
    counted = {name: ns for name, ns in by_set.items() if len(ns) >= FEWEST_LABELLED}

    true = [n for name in OWN for n in counted.get(name, ()) if rows[n].label == "supported"]
    foreign = {
        origin: [n for n, row in enumerate(rows) if (row.origin, row.kind) == (origin, "foreign")]
        for origin in OWN
    }

    def quality(limits: LabelLimits) -> float:
        def labels_of(numbers: Sequence[int]) -> list[VerdictLabel]:
            return [_label(rows[n], probabilities[n], limits) for n in numbers]

        denied = labels_of(true).count("contradicted")
        if denied > MOST_DENIED * len(true):
            return -float(denied)
        for numbers in foreign.values():
            borne_out = len(numbers) - labels_of(numbers).count("not_supported")
            if borne_out > MOST_FOREIGN * len(numbers):
                return -float(borne_out)
        total = 0.0
        for name, ns in counted.items():
            labels = labels_of(ns)
            people = [rows[n].label for n in ns]
            equal = sum(map(eq, people, labels)) / len(ns)
            weight = OWN_LABELS if name in OWN else 1.0
            total += weight * (equal + macro_f1(people, labels))
        return total

    tried = [
        LabelLimits(**dict(zip(LIMITS, values, strict=True)))
        for values in product(*LIMITS.values())
    ]
    return max(
        (limits for limits in tried if limits.partial_from <= limits.support_from), key=quality
    )


def _label(
    row: ReadingRow, probabilities: tuple[float, float], limits: LabelLimits
) -> VerdictLabel:
    """The label as the row's set would tell it: some call a contradiction not supported."""
    score, against = probabilities
    label = choose_read_label(row.values, score, (1 - score) * against, limits)
    return "not_supported" if label == "contradicted" and row.origin in UNTOLD else label


def _shares(rows: Sequence[ReadingRow], balanced: bool, y: "Floats") -> "Floats":
    """Weights with mean 1: sets by `SET_WEIGHTS`; with `balanced` both answers weigh the same."""
    import numpy as np

    keys = [(row.set_name, row.kind is None) for row in rows]
    sizes = {key: keys.count(key) for key in set(keys)}
    share = np.array(
        [
            SET_WEIGHTS.get(name, 1.0) * (1.0 if labelled else MADE_SHARE) / sizes[name, labelled]
            for name, labelled in keys
        ]
    )
    if balanced:
        share = np.where(y > 0, share / (share * y).sum(), share / (share * (1 - y)).sum())
    even: Floats = share * (len(share) / share.sum())
    return even


def out_of_fold(rows: Sequence[ReadingRow]) -> list[tuple[float, float]]:
    """P(supported) and P(contradicted) of each row by weights that have not seen its group."""
    groups = list(dict.fromkeys(row.group for row in rows))
    results: list[tuple[float, float]] = [(0.0, 0.0)] * len(rows)
    for number in range(FOLDS):
        held_out = set(groups[number::FOLDS])
        supported, contradicted = fit_weights(rows, held_out)
        for n, row in enumerate(rows):
            if row.group in held_out:
                terms = dict(zip(TERMS, row.terms, strict=True))
                results[n] = (logistic(supported(terms)), logistic(contradicted(terms)))
    return results


def reading_figures(
    rows: Sequence[ReadingRow], results: Sequence[tuple[float, float]], limits: LabelLimits
) -> dict[str, float]:
    """Figures of out-of-fold `results` by set, as `cross_validate` names them.

    The labels' figures are a little flattered: their three limits were chosen on the same scores.
    """
    import numpy as np

    score = np.array([supported for supported, _ in results])
    labels = [_label(row, result, limits) for row, result in zip(rows, results, strict=True)]
    by_set: dict[str, list[int]] = defaultdict(list)
    for n, row in enumerate(rows):
        if row.kind is None:
            by_set[row.set_name].append(n)
            if row.set_name == "own":
                by_set[row.origin].append(n)
    out: dict[str, float] = {}
    alone = {name: np.array([row.terms[TERMS.index(name)] for row in rows]) for name in ALONE}
    for name, places in by_set.items():
        y = np.array([float(rows[n].label == "supported") for n in places])
        if 9 < y.sum() < len(y) - 9:
            out[f"{name} pairs"], out[f"{name} supported"] = len(y), float(y.mean())
            out |= {f"{name} {part} auroc": auroc(z[places], y) for part, z in alone.items()}
            out[f"{name} auroc"] = area = auroc(score[places], y)
            low, high = interval(area, int(y.sum()), int(len(y) - y.sum()))
            out[f"{name} auroc, 95 % from"], out[f"{name} auroc, 95 % to"] = low, high
            out[f"{name} calibration error"] = calibration_error(score[places], y)
            out |= agreement(name, [rows[n].label for n in places], [labels[n] for n in places])
    for kind in sorted({row.kind for row in rows if row.kind}):
        for origin in OWN:
            false = [n for n, row in enumerate(rows) if (row.origin, row.kind) == (origin, kind)]
            if not false:
                continue
            if kind == "verbatim":
                out[f"{origin} verbatim called supported"] = _share(labels, false, "supported")
                continue
            ahead = [score[int(rows[n].true or 0)] - score[n] for n in false]
            out[f"{origin} {kind}"] = float(np.mean([(a > 0) + 0.5 * (a == 0) for a in ahead]))
            out[f"{origin} {kind} called contradicted"] = _share(labels, false, "contradicted")
            if kind == "foreign":
                out[f"{origin} foreign score"] = float(np.mean(score[false]))
    return {name: round(value, 4) for name, value in out.items()}


def _share(labels: Sequence[str], places: Sequence[int], label: str) -> float:
    return sum(labels[n] == label for n in places) / max(1, len(places))


def own_rows(
    texts: Sequence[tuple[str, str, JudgeContext]], examples: TrainingExamples, reader: PairReader
) -> list[ReadingRow]:
    """The rows of the sets like the work and what was made of them.

    `texts` are claims, sources and contexts.
    """
    unseen = {
        number: odds
        for number, odds in unseen_odds(examples).items()
        if split_of(examples.origins[number], examples.groups[number]) == "dev"
    }
    numbers = {example: row for row, example in enumerate(sorted(unseen))}
    rows = []
    for number in sorted(unseen):
        true = examples.true[number]
        rows.append(
            ReadingRow(
                _terms(*texts[number], unseen[number], reader),
                examples.values(number),
                examples.labels[number],
                examples.origins[number],
                examples.groups[number],
                examples.kinds[number],
                None if true is None else numbers[true],
            )
        )
    return rows


def development_rows(data: Path, model: Model, reader: PairReader) -> list[ReadingRow]:
    """The rows of the development parts of all other sets and of our own examples."""
    counts: dict[str, int] = defaultdict(int)
    rows = []
    for pair in development_pairs(data):
        counts[pair.origin] += 1
        if counts[pair.origin] > LARGEST:
            continue
        values = compute_features(
            pair.claim, select_passages(pair.claim, pair.source, BUDGET)
        ).values
        odds = FeatureOdds.of(values, model.mixture, model.contradicted)
        terms = _terms(pair.claim, pair.source, pair.context, odds, reader)
        rows.append(ReadingRow(terms, values, pair.label, pair.origin, pair.group, None, None))
    return rows


def _terms(
    claim: str, source: str, context: JudgeContext, odds: FeatureOdds, reader: PairReader
) -> tuple[float, ...]:
    passages = select_passages(claim, source, BUDGET, context.source.title, context)
    reading = reader.read(claim, passages, context)
    terms = reading_terms(odds, reading)
    return tuple(terms[name] for name in TERMS)
