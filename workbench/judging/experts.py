"""Fit the embedded judge's mixture and measure it by cross-validation over groups. Needs numpy."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from workbench.judging.logistic import fit, unscaled
from workbench.judging.mixture import Linear, Mixture

if TYPE_CHECKING:
    from workbench.judging.logistic import Floats

FOLDS = 5
ARTICLES, EXTRACTS, GENERAL = "wice", "expertqa", "general"
RIDGE = {ARTICLES: 30.0, EXTRACTS: 100.0, GENERAL: 10.0}
NAMES = {ARTICLES: "articles", EXTRACTS: "extracts", GENERAL: "general"}
GATE = (
    "source_length", "short_source", "claim_length", "has_names", "has_numbers", "clauses",
    "sentence_length",
)  # fmt: skip
PENALTIES = {
    "numbers_missing": -1, "numbers_all": 1, "numbers_fit": 1, "numbers_apart": -1,
    "years_missing": -1, "names_missing": -1, "names_all": 1, "names_fit": 1, "names_apart": -1,
    "polarity_sentence": -1, "polarity_window": -1, "negation_differs": -1, "negations": -1,
    "opposites": -1, "thin": -1, "thin_window": -1, "read_contradicted": -1, "read_supported": 1,
}  # fmt: skip
"""Features that corruptions move, and which way speaks for the claim."""
RARE = frozenset(
    {"polarity_sentence", "polarity_window", "negation_differs", "negations", "opposites",
     "claim_negated", "names_fit", "numbers_fit", "names_apart", "numbers_apart", "words_apart",
     "thin", "thin_window"}
)  # fmt: skip
"""Left out of the experts with few pairs, which show too little of what these mean."""
PAIR_SHARE = 0.3
"""How much the pairs of a claim and its corruption weigh beside real labels."""
FOREIGN_SHARE = 0.25
"""How much claims beside a foreign source weigh as not supported."""
LEAST_SLOPE = 0.6
PLAIN = {"articles": (1.0, 0.0), "extracts": (1.0, 0.0)}
STEPS, STEP, SHRINK = 800, 0.002, 1.0


@dataclass(frozen=True, slots=True)
class Examples:
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

    def real(self, expert: str, without: int | None = None) -> list[int]:
        """Rows an expert learns from, but for those of one fold.

        The general expert learns from the other sets and from all made pairs.
        """
        return [
            i for i in range(len(self.labels)) if self._of(i) == expert and self._in(i, without)
        ]

    def made(self, without: int | None = None) -> list[int]:
        """Rows of corruptions of true claims, foreign sources included, but for one fold."""
        return [i for i, true in enumerate(self.true) if true is not None and self._in(i, without)]

    def _of(self, row: int) -> str:
        own = self.kinds[row] is None and self.origins[row] in (ARTICLES, EXTRACTS)
        return self.origins[row] if own else GENERAL

    def _in(self, row: int, without: int | None) -> bool:
        return without is None or self.folds.get(self.groups[row]) != without


@dataclass(frozen=True, slots=True)
class _Scale:
    """Features brought to mean 0 and spread 1."""

    names: tuple[str, ...]
    mean: "Floats"
    spread: "Floats"
    z: "Floats"

    def linear(self, columns: Sequence[int], weights: "Floats") -> Linear:
        """Weights of standardised columns as a sum over the features as they are."""
        at = list(columns)
        bias, plain = unscaled(weights, self.mean[at], self.spread[at])
        return Linear(bias, {self.names[i]: float(w) for i, w in zip(at, plain, strict=True)})


def fit_mixture(given: Examples, without: int | None = None) -> Mixture:
    """The mixture for the examples; `without` leaves one fold out."""
    import numpy as np

    rows = {expert: given.real(expert, without) for expert in NAMES}
    own = [*rows[ARTICLES], *rows[EXTRACTS]]
    scale = _scale(given, own)
    columns = [scale.names.index(name) for name in GATE]
    experts: dict[str, Linear] = {}
    for expert, found in rows.items():
        base = [i for i, name in enumerate(given.names) if expert == GENERAL or name not in RARE]
        y = np.array([float(given.labels[i] == "supported") for i in found])
        weights = fit(scale.z[found][:, base], y, _evenly(given, found), RIDGE[expert])
        experts[NAMES[expert]] = scale.linear(base, weights)
    mark = np.array([float(given.origins[i] == EXTRACTS) for i in own])
    even = np.where(mark > 0, 1 / mark.sum(), 1 / (1 - mark).sum())
    weights = fit(scale.z[own][:, columns], mark, even * (len(even) / even.sum()), 2.0)
    plain = Mixture(experts, scale.linear(columns, weights), Linear(0.0, {}), PLAIN)
    punished = _with_penalty(given, plain, scale, own, without)
    scales = {NAMES[e]: _platt(given, punished, rows[e]) for e in (ARTICLES, EXTRACTS)}
    return replace(punished, scales=scales)


def _platt(given: Examples, model: Mixture, rows: Sequence[int]) -> tuple[float, float]:
    """Slope and offset that make the model's log-odds right on average for some rows.

    The slope stays above `LEAST_SLOPE`: where people hardly agree a flatter one would fit better,
    and would let wrong numbers pass.
    """
    import numpy as np

    odds = np.array(
        [model.odds(dict(zip(given.names, given.x[i].tolist(), strict=True))) for i in rows]
    )
    y = np.array([float(given.labels[i] == "supported") for i in rows])
    slope, offset = (float(v) for v in fit(odds[:, None], y, np.ones(len(rows)), 1.0))
    if slope >= LEAST_SLOPE:
        return slope, offset
    for _ in range(30):
        p = 1 / (1 + np.exp(-(LEAST_SLOPE * odds + offset)))
        offset -= float((p - y).sum() / max((p * (1 - p)).sum(), 1e-6))
    return LEAST_SLOPE, offset


def _with_penalty(
    given: Examples, plain: Mixture, scale: _Scale, own: Sequence[int], without: int | None
) -> Mixture:
    """The mixture with penalties that keep real labels likely and order the corrupted pairs.

    Weights are kept at or above zero in the direction that speaks for the claim (projected
    gradient); each kind of corruption weighs the same.
    """
    import numpy as np

    names = [name for name in PENALTIES if name in given.names]
    columns = [given.names.index(name) for name in names]
    sign = np.array([PENALTIES[name] for name in names], dtype=np.float64)
    false = given.made(without)
    true = [int(given.true[i] or 0) for i in false]
    foreign = [i for i in false if given.kinds[i] == "foreign"]
    base = _base(given, plain)
    apart = (scale.z[true] - scale.z[false])[:, columns] * sign
    ahead = base[true] - base[false]
    counts = {kind: sum(given.kinds[i] == kind for i in false) for kind in set(given.kinds)}
    weigh = np.array([1 / counts[given.kinds[i]] for i in false])
    weigh = PAIR_SHARE * weigh * (len(own) / max(weigh.sum(), 1e-9))
    rows = [*own, *foreign]
    real = scale.z[rows][:, columns] * sign
    y = np.array([float(given.labels[i] == "supported") for i in rows])
    share = np.ones(len(rows))
    share[len(own) :] = FOREIGN_SHARE * len(own) / max(1, len(foreign))
    weights, bias = np.full(len(names), 0.1), 0.0
    for _ in range(STEPS):
        wrong = 1 / (1 + np.exp(ahead + apart @ weights))
        missed = share * (1 / (1 + np.exp(-(base[rows] + real @ weights + bias))) - y)
        slope = -(apart * (weigh * wrong)[:, None]).sum(0) + (real * missed[:, None]).sum(0)
        weights = np.maximum(weights - STEP * (slope + SHRINK * weights), 0.0)
        bias -= STEP * float(missed[: len(own)].sum())
    full = np.append(weights * sign, bias)
    return replace(plain, penalty=scale.linear(columns, full))


def fit_contradiction(given: Examples) -> Linear:
    """Log-odds that a claim that is not supported is contradicted; foreign sources are not."""
    import numpy as np

    rows = [i for i, label in enumerate(given.labels) if label != "supported"]
    scale = _scale(given, rows)
    y = np.array([float(given.labels[i] == "contradicted") for i in rows])
    weights = fit(scale.z[rows], y, _evenly(given, rows), 5.0)
    return scale.linear(range(len(given.names)), weights)


def cross_validate(given: Examples) -> dict[str, float]:
    """Out-of-fold figures of both own sets and of the made pairs, groups kept together."""
    import numpy as np

    own = [*given.real(ARTICLES), *given.real(EXTRACTS)]
    groups = sorted({given.groups[i] for i in own})
    folds = {group: i % FOLDS for i, group in enumerate(groups)}
    split = replace(given, folds=folds)
    score = np.zeros(len(given.labels))
    for number in range(FOLDS):
        model = fit_mixture(split, number)
        for i, group in enumerate(given.groups):
            if folds.get(group) == number:
                values = dict(zip(given.names, given.x[i].tolist(), strict=True))
                score[i] = model.probability(values)
    found: dict[str, float] = {}
    for origin in (ARTICLES, EXTRACTS):
        rows = given.real(origin)
        y = np.array([given.labels[i] == "supported" for i in rows])
        found[f"{origin} auroc"] = _auroc(score[rows], y)
        found[f"{origin} calibration error"] = _calibration_error(score[rows], y)
        for kind in sorted({k for k in given.kinds if k}):
            false = [i for i in given.made() if given.kinds[i] == kind]
            false = [i for i in false if given.origins[i] == origin]
            ahead = [score[int(given.true[i] or 0)] - score[i] for i in false]
            if ahead:
                right = [(a > 0) + 0.5 * (a == 0) for a in ahead]
                found[f"{origin} {kind}"] = float(np.mean(right))
            if kind == "foreign":
                found[f"{origin} foreign score"] = float(np.mean(score[false]))
    return {name: round(value, 4) for name, value in found.items()}


def _scale(given: Examples, rows: Sequence[int]) -> _Scale:
    """The scale that brings these rows to mean 0 and spread 1."""
    import numpy as np

    mean, spread = given.x[rows].mean(0), given.x[rows].std(0)
    spread = np.where(spread > 0.05, spread, 1.0)
    return _Scale(given.names, mean, spread, (given.x - mean) / spread)


def _evenly(given: Examples, rows: Sequence[int]) -> "Floats":
    """Weights for rows such that every set and kind weighs the same; mean 1."""
    import numpy as np

    keys = [(given.origins[i], given.kinds[i]) for i in rows]
    sizes = {key: keys.count(key) for key in set(keys)}
    share = np.array([1 / sizes[key] for key in keys])
    even: Floats = share * (len(share) / share.sum())
    return even


def _auroc(score: "Floats", y: "Floats") -> float:
    """The chance that a positive scores above a negative; ties are rare and broken by order."""
    ranks = score.argsort().argsort() + 1
    positives = int(y.sum())
    least = positives * (positives + 1) / 2
    return float((ranks[y.astype(bool)].sum() - least) / (positives * (len(y) - positives)))


def _calibration_error(score: "Floats", y: "Floats", bins: int = 10) -> float:
    """The debiased calibration error (l2 form, Kumar, Liang and Ma 2019) over equal bins."""
    import numpy as np

    squared = 0.0
    for part in np.array_split(score.argsort(kind="stable"), bins):
        gap, rate = float(score[part].mean() - y[part].mean()), float(y[part].mean())
        squared += len(part) / len(y) * (gap**2 - rate * (1 - rate) / (len(part) - 1))
    return float(np.sqrt(max(0.0, squared)))


def _base(given: Examples, model: Mixture) -> "Floats":
    """The log-odds for every row."""
    import numpy as np

    found = [model.odds(dict(zip(given.names, row, strict=True))) for row in given.x.tolist()]
    return np.array(found, dtype=np.float64)
