"""Fit the embedded judge's mixture and measure it by cross-validation over groups. Needs numpy."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from workbench.judging.mixture_model import GENERAL_SHARE, Linear, Mixture
from workbench.judging.training.logistic import fit, unscaled

if TYPE_CHECKING:
    from workbench.judging.training.logistic import Floats

FOLDS = 5
ARTICLES, EXTRACTS, GENERAL = "wice", "expertqa", "general"
RIDGE = {ARTICLES: 30.0, EXTRACTS: 400.0, GENERAL: 10.0}
NAMES = {ARTICLES: "articles", EXTRACTS: "extracts", GENERAL: "general"}
GATE = (
    "source_length", "short_source", "claim_length", "has_names", "has_numbers", "clauses",
    "sentence_length",
)  # fmt: skip
HINGE_FEATURES = (
    "cover_all", "cover_window", "cover_sentence", "cover_plain", "like_all", "like_window",
    "worst_missing", "pairs_all", "run", "in_order", "cosine_most", "names_all", "numbers_all",
    "clause_worst", "clause_mean", "soft_window", "grams_window", "claim_length", "source_length",
)  # fmt: skip
"""Features whose weight may change along the way."""
HINGE_QUANTILES = (0.33, 0.67)
"""Shares of the own sets' pairs at which it may."""
PAIRED: Mapping[str, float] = {
    "number": 1.5, "name": 2.0, "stranger": 0.5, "negation": 1.0, "opposite": 0.5
}  # fmt: skip
"""How much each kind of corruption weighs among the pairs."""
PAIR_SHARE = 0.1
"""How much the pairs of a claim and its corruption weigh beside real labels."""
ORDERED = (
    "years_missing", "polarity_sentence", "polarity_window", "negation_differs", "negations",
    "claim_negated", "opposites", "pairs_all", "pairs_window", "run", "in_order", "clause_mean",
    "clause_worst", "cover_window", "like_window", "soft_window", "grams_window", "words_apart",
)  # fmt: skip
"""What a corruption moves, beside all that is seen of names and numbers."""
ORDER_SHARE = 0.15
"""How much the order of true claims and corruptions counts; more costs agreement with labels."""
FOREIGN_SHARE = 0.25
"""How much claims with a foreign source weigh as not supported."""
LEAST_SLOPE = 0.5
SHARPER = 3.0
"""The gate's log-odds count so much more: a pair is nearly always of one kind."""
PLAIN = {"articles": (1.0, 0.0), "extracts": (1.0, 0.0)}


@dataclass(frozen=True, slots=True)
class TrainingExamples:
    """Measured pairs as arrays."""

    names: tuple[str, ...]
    x: "Floats"
    labels: Sequence[str]
    origins: Sequence[str]
    groups: Sequence[str]
    kinds: Sequence[str | None]
    """None for a real pair; else how it was made: a corruption, `foreign`, `verbatim`."""
    true: Sequence[int | None]
    """For a made pair the row of the claim it was made from."""
    folds: Mapping[str, int] = field(default_factory=dict)

    def real(self, expert: str, without: Collection[int] = ()) -> list[int]:
        """Rows an expert learns from, but for those of some folds.

        The general expert learns from the other sets and from all made pairs.
        """
        return [
            i for i in range(len(self.labels)) if self._of(i) == expert and self.is_in(i, without)
        ]

    def made(self, origin: str, without: Collection[int] = ()) -> list[int]:
        """Rows of corruptions of a set's true claims, foreign sources included."""
        return [
            i
            for i, true in enumerate(self.true)
            if true is not None and self.origins[i] == origin and self.is_in(i, without)
        ]

    def values(self, row: int) -> dict[str, float]:
        """The features of a row by name."""
        return dict(zip(self.names, self.x[row].tolist(), strict=True))

    def _of(self, row: int) -> str:
        is_own = self.kinds[row] is None and self.origins[row] in (ARTICLES, EXTRACTS)
        return self.origins[row] if is_own else GENERAL

    def is_in(self, row: int, without: Collection[int]) -> bool:
        """Whether a row is in none of some folds."""
        return not without or self.folds.get(self.groups[row]) not in without


@dataclass(frozen=True, slots=True)
class _Scale:
    """Features, then bent ones, scaled to mean 0 and spread 1."""

    names: tuple[str, ...]
    mean: "Floats"
    spread: "Floats"
    z: "Floats"

    def linear(self, columns: Sequence[int], weights: "Floats") -> Linear:
        """Weights of standardised columns as a sum over the raw features."""
        at = list(columns)
        bias, plain = unscaled(weights, self.mean[at], self.spread[at])
        return Linear(bias, {self.names[i]: float(w) for i, w in zip(at, plain, strict=True)})


def fit_mixture(examples: TrainingExamples, without: Collection[int] = ()) -> Mixture:
    """The mixture for the examples; `without` leaves folds out.

    Calibrated on scores of models that have not seen the fold of what they score.
    """
    plain = _uncalibrated(examples, without)
    unseen: dict[int, float] = {}
    own_examples = [*examples.real(ARTICLES, without), *examples.real(EXTRACTS, without)]
    for number in sorted({examples.folds[examples.groups[i]] for i in own_examples}):
        model = _uncalibrated(examples, {*without, number})
        for i in own_examples:
            if examples.folds[examples.groups[i]] == number:
                unseen[i] = model.odds(examples.values(i))
    scales = {
        NAMES[expert]: _platt(examples, unseen, examples.real(expert, without))
        for expert in (ARTICLES, EXTRACTS)
    }
    return replace(plain, scales=scales)


def _uncalibrated(examples: TrainingExamples, without: Collection[int]) -> Mixture:
    """Experts and gate, without calibration."""
    import numpy as np

    rows = {expert: examples.real(expert, without) for expert in NAMES}
    own_examples = [*rows[ARTICLES], *rows[EXTRACTS]]
    scale = _scale(examples, own_examples)
    base = range(len(examples.names))
    general = rows[GENERAL]
    y = np.array([float(examples.labels[i] == "supported") for i in general])
    z = scale.z[:, : len(examples.names)]
    weights = fit(z[general], y, _evenly(examples, general), RIDGE[GENERAL])
    experts = {NAMES[GENERAL]: scale.linear(base, weights)}
    start = GENERAL_SHARE * (z @ weights[:-1] + weights[-1])
    for expert in (ARTICLES, EXTRACTS):
        false = examples.made(expert, without)
        weights = _fit_own(examples, scale.z, start, expert, rows[expert], false)
        experts[NAMES[expert]] = scale.linear(range(len(scale.names)), weights)
    columns = [scale.names.index(name) for name in GATE]
    mark = np.array([float(examples.origins[i] == EXTRACTS) for i in own_examples])
    even = np.where(mark > 0, 1 / mark.sum(), 1 / (1 - mark).sum())
    weights = fit(scale.z[own_examples][:, columns], mark, even * (len(even) / even.sum()), 2.0)
    gate = scale.linear(columns, weights * SHARPER)
    return Mixture(experts, gate, _fit_order(examples, scale, without), PLAIN)


def _fit_order(examples: TrainingExamples, scale: _Scale, without: Collection[int]) -> Linear:
    """The sum that puts true claims above their corruptions, brought to its share."""
    import numpy as np

    columns = [
        i for i, name in enumerate(examples.names)
        if name in ORDERED or name.startswith(("names_", "numbers_"))
    ]  # fmt: skip
    false = [
        i for i, kind in enumerate(examples.kinds) if kind in PAIRED and examples.is_in(i, without)
    ]
    true = [int(examples.true[i] or 0) for i in false]
    differences = (scale.z[true] - scale.z[false])[:, columns]
    kinds = [examples.kinds[i] or "" for i in false]
    sizes = {kind: kinds.count(kind) for kind in set(kinds)}
    weigh = np.array([PAIRED[kind] / sizes[kind] for kind in kinds])
    weigh *= 1000 / max(float(weigh.sum()), 1e-9)
    weights = fit(differences, np.ones(len(false)), weigh, 10.0, constant=np.zeros(len(false)))
    weights[-1] = 0.0
    return scale.linear(columns, weights * ORDER_SHARE)


def _fit_own(
    examples: TrainingExamples,
    z: "Floats",
    start: "Floats",
    expert: str,
    rows: Sequence[int],
    false: Sequence[int],
) -> "Floats":
    """An expert's weights on top of the general one.

    One regression over its real pairs, claims beside a foreign source, and the differences between
    a true claim and its corruption, which must be above zero.
    """
    import numpy as np

    foreign = [i for i in false if examples.kinds[i] == "foreign"]
    swapped = [i for i in false if examples.kinds[i] in PAIRED]
    true = [int(examples.true[i] or 0) for i in swapped]
    kinds = [examples.kinds[i] or "" for i in swapped]
    sizes = {kind: kinds.count(kind) for kind in set(kinds)}
    weigh = np.array([PAIRED[kind] / sizes[kind] for kind in kinds])
    weigh *= PAIR_SHARE * len(rows) / max(float(weigh.sum()), 1e-9)
    unpaired = [*rows, *foreign]
    share = np.ones(len(unpaired))
    share[len(rows) :] = FOREIGN_SHARE * len(rows) / max(1, len(foreign))
    y = np.array([float(examples.labels[i] == "supported") for i in unpaired])
    return fit(
        np.vstack([z[unpaired], z[true] - z[swapped]]),
        np.concatenate([y, np.ones(len(swapped))]),
        np.concatenate([share, weigh]),
        RIDGE[expert],
        offset=np.concatenate([start[unpaired], start[true] - start[swapped]]),
        constant=np.concatenate([np.ones(len(unpaired)), np.zeros(len(swapped))]),
    )


def _platt(
    examples: TrainingExamples, unseen: Mapping[int, float], rows: Sequence[int]
) -> tuple[float, float]:
    """Slope and offset that make some log-odds right on average for some rows.

    The slope stays above `LEAST_SLOPE`: where people hardly agree a flatter one would fit better,
    and would let wrong numbers pass.
    """
    import numpy as np

    odds = np.array([unseen[i] for i in rows])
    y = np.array([float(examples.labels[i] == "supported") for i in rows])
    slope, offset = (float(v) for v in fit(odds[:, None], y, np.ones(len(rows)), 1.0))
    if slope >= LEAST_SLOPE:
        return slope, offset
    for _ in range(30):
        p = 1 / (1 + np.exp(-(LEAST_SLOPE * odds + offset)))
        offset -= float((p - y).sum() / max((p * (1 - p)).sum(), 1e-6))
    return LEAST_SLOPE, offset


def split_folds(examples: TrainingExamples) -> TrainingExamples:
    """The examples with a fold for each group of the own sets."""
    own_examples = [*examples.real(ARTICLES), *examples.real(EXTRACTS)]
    groups = sorted({examples.groups[i] for i in own_examples})
    return replace(examples, folds={group: i % FOLDS for i, group in enumerate(groups)})


def fit_contradiction_model(examples: TrainingExamples, without: Collection[int] = ()) -> Linear:
    """Log-odds that a claim is contradicted, for as many claims that are as that are not."""
    import numpy as np

    rows = [
        i
        for i, kind in enumerate(examples.kinds)
        if kind != "verbatim" and examples.is_in(i, without)
    ]
    scale = _scale(examples, rows, ())
    y = np.array([float(examples.labels[i] == "contradicted") for i in rows])
    share = _evenly(examples, rows)
    share = np.where(y > 0, share / (share * y).sum(), share / (share * (1 - y)).sum())
    weights = fit(scale.z[rows], y, share * (len(rows) / share.sum()), 5.0)
    return scale.linear(range(len(examples.names)), weights)


def _scale(
    examples: TrainingExamples, rows: Sequence[int], bent: Sequence[str] = HINGE_FEATURES
) -> _Scale:
    """The scale that brings these rows to mean 0 and spread 1."""
    import numpy as np

    names, columns = list(examples.names), [examples.x]
    for name in (name for name in bent if name in examples.names):
        values = examples.x[:, examples.names.index(name)]
        for knot in dict.fromkeys(
            round(float(k), 4) for k in np.quantile(values[rows], HINGE_QUANTILES)
        ):
            names.append(f"{name}>{knot}")
            columns.append(np.maximum(0.0, values - knot)[:, None])
    x = np.hstack(columns)
    mean, spread = x[rows].mean(0), x[rows].std(0)
    spread = np.where(spread > 0.05, spread, 1.0)
    return _Scale(tuple(names), mean, spread, (x - mean) / spread)


def _evenly(examples: TrainingExamples, rows: Sequence[int]) -> "Floats":
    """Weights for rows such that every set and kind weighs the same; mean 1."""
    import numpy as np

    keys = [(examples.origins[i], examples.kinds[i]) for i in rows]
    sizes = {key: keys.count(key) for key in set(keys)}
    share = np.array([1 / sizes[key] for key in keys])
    even: Floats = share * (len(share) / share.sum())
    return even
