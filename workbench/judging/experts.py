"""Fit the embedded judge's mixture and measure it by cross-validation over groups. Needs numpy."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from workbench.judging.corrupt import Corruption
from workbench.judging.logistic import fit, unscaled
from workbench.judging.mixture import Linear, Mixture

if TYPE_CHECKING:
    from workbench.judging.logistic import Floats

FOLDS = 5
ARTICLES, EXTRACTS = "wice", "expertqa"
RIDGE = {ARTICLES: 30.0, EXTRACTS: 8.0}
GATE = (
    "source_length", "short_source", "claim_length", "has_names", "has_numbers", "clauses",
    "sentence_length",
)  # fmt: skip
PENALTIES = {
    "numbers_missing": -1, "numbers_all": 1, "numbers_fit": 1, "numbers_apart": -1,
    "years_missing": -1, "names_missing": -1, "names_all": 1, "names_fit": 1, "names_apart": -1,
    "polarity_sentence": -1, "polarity_window": -1, "negation_differs": -1, "negations": -1,
    "opposites": -1, "read_contradicted": -1, "read_supported": 1,
}  # fmt: skip
"""Features that corruptions move, and which way speaks for the claim."""
NOT_BASE = frozenset(
    {"polarity_sentence", "polarity_window", "negation_differs", "negations", "opposites",
     "claim_negated", "names_fit", "numbers_fit", "names_apart", "numbers_apart", "words_apart"}
)  # fmt: skip
"""Left to the penalties: too few real pairs show what they mean."""
PAIR_SHARE = 0.3
"""How much the pairs of a claim and its corruption weigh beside real labels."""
STEPS, STEP, SHRINK = 800, 0.002, 1.0


@dataclass(frozen=True, slots=True)
class Examples:
    """Measured pairs as arrays."""

    names: tuple[str, ...]
    x: "Floats"
    labels: Sequence[str]
    origins: Sequence[str]
    groups: Sequence[str]
    kinds: Sequence[Corruption | None]
    true: Sequence[int | None]
    """For a corruption the row of the claim it was made from."""
    folds: Mapping[str, int] = field(default_factory=dict)

    def rows(self, origin: str, without: int | None = None) -> list[int]:
        """Rows of real pairs of a set, but for those of one fold."""
        return [
            i
            for i, found in enumerate(self.origins)
            if found == origin and self.kinds[i] is None and self._in(i, without)
        ]

    def corruptions(self, without: int | None = None) -> list[int]:
        """Rows of corruptions, but for those of one fold."""
        return [i for i, kind in enumerate(self.kinds) if kind is not None and self._in(i, without)]

    def _in(self, row: int, without: int | None) -> bool:
        return without is None or self.folds.get(self.groups[row]) != without


def fit_mixture(given: Examples, without: int | None = None) -> Mixture:
    """The mixture for the examples; `without` leaves one fold out."""
    import numpy as np

    own = [*given.rows(ARTICLES, without), *given.rows(EXTRACTS, without)]
    mean, spread = given.x[own].mean(0), given.x[own].std(0)
    spread = np.where(spread > 1e-6, spread, 1.0)
    z = (given.x - mean) / spread
    base = [i for i, name in enumerate(given.names) if name not in NOT_BASE]
    experts = []
    for origin in (ARTICLES, EXTRACTS):
        rows = given.rows(origin, without)
        y = np.array([float(given.labels[i] == "supported") for i in rows])
        weights = fit(z[rows][:, base], y, np.ones(len(rows)), RIDGE[origin])
        experts.append(_linear(given, base, weights, mean, spread))
    columns = [given.names.index(name) for name in GATE]
    extract = np.array([float(given.origins[i] == EXTRACTS) for i in own])
    share = np.where(extract > 0, 1 / extract.sum(), 1 / (1 - extract).sum())
    weights = fit(z[own][:, columns], extract, share * (len(share) / share.sum()), 2.0)
    gate = _linear(given, columns, weights, mean, spread)
    plain = Mixture(experts[0], experts[1], gate, Linear(0.0, {}))
    return _with_penalty(given, plain, own, z, mean, spread, without)


def _with_penalty(
    given: Examples,
    plain: Mixture,
    own: Sequence[int],
    z: "Floats",
    mean: "Floats",
    spread: "Floats",
    without: int | None,
) -> Mixture:
    """The mixture with penalties that keep real labels likely and order the corrupted pairs.

    Weights are kept at or above zero in the direction that speaks for the claim (projected
    gradient), each kind of corruption weighs the same.
    """
    import numpy as np

    names = [name for name in PENALTIES if name in given.names]
    columns = [given.names.index(name) for name in names]
    sign = np.array([PENALTIES[name] for name in names], dtype=np.float64)
    false = given.corruptions(without)
    true = [int(given.true[i] or 0) for i in false]
    base = _base(given, plain)
    apart = (z[true] - z[false])[:, columns] * sign
    ahead = base[true] - base[false]
    counts = {kind: sum(given.kinds[i] == kind for i in false) for kind in set(given.kinds)}
    weigh = np.array([1 / counts[given.kinds[i]] for i in false])
    weigh = PAIR_SHARE * weigh * (len(weigh) / max(weigh.sum(), 1e-9))
    real = z[own][:, columns] * sign
    y = np.array([float(given.labels[i] == "supported") for i in own])
    weights, bias = np.full(len(names), 0.1), 0.0
    for _ in range(STEPS):
        wrong = 1 / (1 + np.exp(ahead + apart @ weights))
        missed = 1 / (1 + np.exp(-(base[own] + real @ weights + bias))) - y
        slope = -(apart * (weigh * wrong)[:, None]).sum(0) + (real * missed[:, None]).sum(0)
        weights = np.maximum(weights - STEP * (slope + SHRINK * weights), 0.0)
        bias -= STEP * float(missed.sum())
    full = np.append(weights * sign, bias)
    return Mixture(
        plain.articles,
        plain.extracts,
        plain.gate,
        _linear(given, columns, full, mean, spread),
    )


def fit_contradiction(given: Examples) -> Linear:
    """Log-odds that a claim that is not supported is contradicted."""
    import numpy as np

    rows = [
        i
        for i, label in enumerate(given.labels)
        if label in ("contradicted", "not_supported", "partially_supported")
    ]
    y = np.array([float(given.labels[i] == "contradicted") for i in rows])
    sizes = {o: sum(given.origins[i] == o for i in rows) for o in set(given.origins)}
    share = np.array([1 / sizes[given.origins[i]] for i in rows])
    mean, spread = given.x[rows].mean(0), given.x[rows].std(0)
    spread = np.where(spread > 1e-6, spread, 1.0)
    z = (given.x[rows] - mean) / spread
    weights = fit(z, y, share * (len(share) / share.sum()), 5.0)
    return _linear(given, range(len(given.names)), weights, mean, spread)


def cross_validate(given: Examples) -> dict[str, float]:
    """Out-of-fold figures of both own sets and of the corruptions, groups kept together."""
    import numpy as np

    own = [*given.rows(ARTICLES), *given.rows(EXTRACTS)]
    groups = sorted({given.groups[i] for i in own})
    folds = {group: i % FOLDS for i, group in enumerate(groups)}
    split = Examples(
        given.names, given.x, given.labels, given.origins, given.groups, given.kinds, given.true,
        folds,
    )  # fmt: skip
    score = np.zeros(len(given.labels))
    for number in range(FOLDS):
        model = fit_mixture(split, number)
        for i, group in enumerate(given.groups):
            if folds.get(group) == number:
                values = dict(zip(given.names, given.x[i].tolist(), strict=True))
                score[i] = model.probability(values)
    found: dict[str, float] = {}
    for origin in (ARTICLES, EXTRACTS):
        rows = given.rows(origin)
        y = np.array([given.labels[i] == "supported" for i in rows])
        found[f"{origin} auroc"] = _auroc(score[rows], y)
        for kind in sorted({k for k in given.kinds if k}):
            false = [i for i in given.corruptions() if given.kinds[i] == kind]
            false = [i for i in false if given.origins[i] == origin]
            ahead = [score[int(given.true[i] or 0)] - score[i] for i in false]
            found[f"{origin} {kind}"] = float(np.mean([(a > 0) + 0.5 * (a == 0) for a in ahead]))
    return {name: round(value, 4) for name, value in found.items()}


def _auroc(score: "Floats", y: "Floats") -> float:
    """The chance that a positive scores above a negative; ties are rare and broken by order."""
    ranks = score.argsort().argsort() + 1
    positives = int(y.sum())
    least = positives * (positives + 1) / 2
    return float((ranks[y.astype(bool)].sum() - least) / (positives * (len(y) - positives)))


def _base(given: Examples, model: Mixture) -> "Floats":
    """The log-odds before penalties, for every row."""
    import numpy as np

    found = [model.base(dict(zip(given.names, row, strict=True))) for row in given.x.tolist()]
    return np.array(found, dtype=np.float64)


def _linear(
    given: Examples,
    columns: Sequence[int],
    weights: "Floats",
    mean: "Floats",
    spread: "Floats",
) -> Linear:
    """Weights of standardised columns as a sum over the features as they are."""
    at = list(columns)
    bias, plain = unscaled(weights, mean[at], spread[at])
    return Linear(bias, {given.names[i]: float(w) for i, w in zip(at, plain, strict=True)})
