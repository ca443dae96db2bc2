"""Fit how what is read, or seen, of a pair becomes its label, and measure it out of fold.

`train.py --only reading` puts weights, limits and figures into `weights.json`. They come from pairs
that the encoder was not trained on: the development parts of all sets, of our own examples and of
`data/contrast`. Needs numpy, onnxruntime and tokenizers.
"""

import json
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from itertools import product
from operator import eq
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.judging.embedded import compute_features
from workbench.judging.pair_reader import PairReader, load_reader
from workbench.judging.passages import select_passages
from workbench.judging.reading_model import (
    READ,
    SEEN,
    LabelLimits,
    Linear,
    ReadingModel,
    choose_label,
    values_of,
)
from workbench.judging.training.encoder.training_pairs import (
    CONTRAST,
    EXAMPLES,
    MEASURE_ONLY,
    UNTOLD,
    load_examples,
    load_nli,
    read_contrast,
    split_of,
)
from workbench.judging.training.pairs import Pair, load_pairs
from workbench.judging.training.statistics import (
    agreement,
    auroc,
    calibration_error,
    fit,
    interval,
    macro_f1,
    unscaled,
)
from workbench.records.verdict import VerdictLabel
from workbench.shipped import JUDGE_DATA

if TYPE_CHECKING:
    from workbench.judging.training.statistics import Floats

BUDGET = 3000
RIDGE = 1.0
FOLDS = 5
LARGEST = 150
"""At most this many pairs of a set, drawn by their hash."""
WEIGHTY = ("wice", "expertqa", "contrast")
WEIGHT = 2.0
"""How much a set that looks like the work counts beside another one, whatever its size."""
LIMITS = {
    "support_from": (0.45,),
    "partial_from": (0.2, 0.25, 0.3, 0.35, 0.4),
    "against_from": (0.45,),
}
"""What is tried of each limit. From .4 on as many labels are right, but more contradictions are called
supported; from .5 on fewer labels are right (`MODEL_CARD.md`)."""
FEWEST = 10
"""A set is measured that has so many supported claims, and others."""


@dataclass(frozen=True, slots=True)
class Row:
    """A pair with what is seen and read of it."""

    values: Mapping[str, float]
    label: str
    origin: str
    group: str

    @property
    def weight(self) -> float:
        """How much its set counts."""
        return WEIGHT if self.origin.startswith(WEIGHTY) else 1.0


def development_pairs(data: Path) -> Iterator[Pair]:
    """Pairs that the encoder was not trained on, at most `LARGEST` of a set."""
    by_origin: dict[str, list[Pair]] = defaultdict(list)
    for pair in (*load_pairs(data), *load_nli(data), *load_examples(EXAMPLES)):
        if pair.origin not in MEASURE_ONLY and split_of(pair.origin, pair.group) == "dev":
            by_origin[pair.origin].append(pair)
    for pair in read_contrast(CONTRAST):
        by_origin[pair.origin].append(pair)
    for _, pairs in sorted(by_origin.items()):
        pairs.sort(key=lambda p: sha256((p.group + p.claim).encode("utf-8", "replace")).digest())
        yield from pairs[:LARGEST]


def development_rows(data: Path, reader: PairReader) -> list[Row]:
    """The rows of the development pairs."""
    rows = []
    for pair in development_pairs(data):
        title = pair.context.source.title
        passages = select_passages(pair.claim, pair.source, BUDGET, title, pair.context)
        reading = reader.read(pair.claim, passages, pair.context)
        values = values_of(compute_features(pair.claim, passages).values, reading)
        rows.append(Row(values, pair.label, pair.origin, pair.group))
    return rows


def fit_reading(rows: Sequence[Row], names: Sequence[str]) -> tuple[ReadingModel, dict[str, float]]:
    """The model over the named values, with the limits that label best; figures out of fold."""
    undecided = LabelLimits(support_from=0.5, partial_from=0.5, against_from=0.5)
    unseen: list[tuple[float, float]] = [(0.0, 0.0)] * len(rows)
    groups = list(dict.fromkeys(row.group for row in rows))
    for number in range(FOLDS):
        held_out = set(groups[number::FOLDS])
        model = ReadingModel(*fit_weights(rows, names, held_out), undecided)
        for n, row in enumerate(rows):
            if row.group in held_out:
                score = model.score(row.values)
                unseen[n] = (score.supported, score.denied)
    limits = fit_limits(rows, unseen)
    return ReadingModel(*fit_weights(rows, names), limits), figures(rows, unseen, limits)


def fit_weights(
    rows: Sequence[Row], names: Sequence[str], without: Collection[str] = ()
) -> tuple[Linear, Linear]:
    """The weights for P(supported), and for P(contradicted) of what is not supported.

    `without` leaves groups out.
    """
    import numpy as np

    used = [row for row in rows if row.group not in without]
    # sets that do not tell a contradiction from what is merely not stated say nothing of it
    other = [row for row in used if row.label != "supported" and row.origin not in UNTOLD]
    models = []
    for label, counted in (("supported", used), ("contradicted", other)):
        x = np.array([[row.values[name] for name in names] for row in counted])
        mean, spread = x.mean(0), np.maximum(x.std(0), 1e-3)
        y = np.array([float(row.label == label) for row in counted])
        share = _shares(counted, y, balanced=label == "contradicted")
        bias, plain = unscaled(fit((x - mean) / spread, y, share, RIDGE), mean, spread)
        weights = {n: round(float(w), 5) for n, w in zip(names, plain, strict=True)}
        models.append(Linear(round(bias, 5), weights))
    supported, contradicted = models
    return supported, contradicted


def _shares(rows: Sequence[Row], y: "Floats", *, balanced: bool) -> "Floats":
    """Weights with mean 1: sets by `WEIGHT`; with `balanced` both answers weigh the same."""
    import numpy as np

    origins = [row.origin for row in rows]
    sizes = {origin: origins.count(origin) for origin in set(origins)}
    share = np.array([row.weight / sizes[row.origin] for row in rows])
    if balanced:
        share = np.where(y > 0, share / (share * y).sum(), share / (share * (1 - y)).sum())
    even: Floats = share * (len(share) / share.sum())
    return even


def fit_limits(rows: Sequence[Row], probabilities: Sequence[tuple[float, float]]) -> LabelLimits:
    """The limits whose labels agree best with people's.

    Agreement is the share of equal labels and macro F1 together, over sets: alone, the one forgets
    rare labels, and the other counts eighteen of them as much as hundreds. `probabilities` are those
    of being supported, and of being contradicted, by row.
    """
    by_set = _by_set(rows)

    def quality(limits: LabelLimits) -> float:
        total = 0.0
        for places in by_set.values():
            labels = [_label(rows[n], probabilities[n], limits) for n in places]
            people = [rows[n].label for n in places]
            equal = sum(map(eq, people, labels)) / len(places)
            total += rows[places[0]].weight * (equal + macro_f1(people, labels))
        return total

    tried = (
        LabelLimits(**dict(zip(LIMITS, values, strict=True)))
        for values in product(*LIMITS.values())
    )
    return max(tried, key=quality)


def _by_set(rows: Sequence[Row]) -> dict[str, list[int]]:
    """The places of each set's rows; small sets and those of one answer left out."""
    by_set: dict[str, list[int]] = defaultdict(list)
    for n, row in enumerate(rows):
        by_set[row.origin].append(n)
    return {
        origin: places
        for origin, places in by_set.items()
        if FEWEST <= sum(rows[n].label == "supported" for n in places) <= len(places) - FEWEST
    }


def _label(row: Row, probabilities: tuple[float, float], limits: LabelLimits) -> VerdictLabel:
    """The label as the row's set would tell it: some call a contradiction not supported."""
    label = choose_label(row.values, *probabilities, limits)
    return "not_supported" if label == "contradicted" and row.origin in UNTOLD else label


def figures(
    rows: Sequence[Row], unseen: Sequence[tuple[float, float]], limits: LabelLimits
) -> dict[str, float]:
    """Figures of out-of-fold probabilities by set.

    The labels' figures are a little flattered: two of the limits were chosen on the same scores.
    """
    import numpy as np

    out: dict[str, float] = {}
    for name, places in sorted(_by_set(rows).items()):
        y = np.array([float(rows[n].label == "supported") for n in places])
        score = np.array([unseen[n][0] for n in places])
        out[f"{name} pairs"], out[f"{name} supported"] = len(y), float(y.mean())
        out[f"{name} auroc"] = area = auroc(score, y)
        low, high = interval(area, int(y.sum()), int(len(y) - y.sum()))
        out[f"{name} auroc, 95 % from"], out[f"{name} auroc, 95 % to"] = low, high
        out[f"{name} calibration error"] = calibration_error(score, y)
        labels = [_label(rows[n], unseen[n], limits) for n in places]
        out |= agreement(name, [rows[n].label for n in places], labels)
    return {name: round(value, 4) for name, value in out.items()}


def keep_reading(data: Path, folder: Path = JUDGE_DATA) -> None:
    """Fit both models beside the encoder in a folder, and put them into its `weights.json`.

    Raises:
        FileNotFoundError: The encoder or what runs it is missing.
    """
    reader = load_reader(folder)
    if reader is None:
        raise FileNotFoundError(f"{folder} has no encoder that runs here: train or restore it.")
    rows = development_rows(data, reader)
    path = folder / "weights.json"
    stored = json.loads(path.read_text("utf-8")) if path.exists() else {}
    for part, names in (("reading", READ), ("words", SEEN)):
        model, measured = fit_reading(rows, names)
        stored[part] = {**asdict(model), "figures": measured}
    path.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")
