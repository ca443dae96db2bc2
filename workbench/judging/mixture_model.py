"""The embedded judge's arithmetic: linear experts and a gate between two of them.

    share = logistic(gate . features)
    odds  = (1 - share) * articles . features + share * extracts . features
            + GENERAL_SHARE * general . features + order . features
    P     = logistic(slope * odds + offset)

The experts know claims about a whole page (`articles`), claims about extracts (`extracts`) and
plain pairs of all kinds (`general`); the gate says how much a pair looks like the second kind.
`order` was fitted to put true claims above their corruptions (number, name, negation, opposite)
and knows nothing else. Each `.` is a weighted sum with a bias; a term named `feature>knot` counts
what the feature exceeds the knot by, so that a weight may change along a feature. Slope and offset
(Platt) make the probability right on average for each kind, mixed by `share`.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

Values = Mapping[str, float]
GENERAL_SHARE = 0.5
"""How much the general expert adds to the two that know their kind."""


@dataclass(frozen=True, slots=True)
class Linear:
    """A weighted sum of named features and a bias."""

    bias: float
    of: Mapping[str, float]

    def __call__(self, values: Values) -> float:
        """The sum."""
        return self.bias + sum(weight * term(values, name) for name, weight in self.of.items())

    def to_dict(self) -> dict[str, float | dict[str, float]]:
        """As stored in `weights.json`."""
        return {"bias": round(self.bias, 5), "of": {k: round(v, 5) for k, v in self.of.items()}}

    @classmethod
    def from_dict(cls, stored: Mapping[str, object]) -> "Linear":
        """Back from `weights.json`; raises `TypeError` or `KeyError` for anything else."""
        bias, weights = stored["bias"], stored["of"]
        if not isinstance(bias, int | float) or not isinstance(weights, dict):
            raise TypeError("a weighted sum needs a bias and weights")
        return cls(float(bias), {str(name): float(weight) for name, weight in weights.items()})


@dataclass(frozen=True, slots=True)
class Mixture:
    """P(supported) of a claim by its features."""

    experts: Mapping[str, Linear]
    gate: Linear
    order: Linear
    scales: Mapping[str, tuple[float, float]]
    """Slope and offset for `articles` and `extracts`."""

    def share(self, values: Values) -> float:
        """How much the pair looks like a claim about extracts, 0 to 1."""
        return logistic(self.gate(values))

    def odds(self, values: Values) -> float:
        """The log-odds before calibration."""
        share = self.share(values)
        odds = (1 - share) * self.experts["articles"](values)
        odds += share * self.experts["extracts"](values)
        return odds + GENERAL_SHARE * self.experts["general"](values) + self.order(values)

    def probability(self, values: Values) -> float:
        """P(supported), 0 to 1."""
        share = self.share(values)
        page, part = self.scales["articles"], self.scales["extracts"]
        slope = (1 - share) * page[0] + share * part[0]
        offset = (1 - share) * page[1] + share * part[1]
        return logistic(slope * self.odds(values) + offset)

    def to_dict(self) -> dict[str, object]:
        """As stored in `weights.json`."""
        return {
            "experts": {name: expert.to_dict() for name, expert in self.experts.items()},
            "gate": self.gate.to_dict(),
            "order": self.order.to_dict(),
            "scales": {name: [round(v, 5) for v in pair] for name, pair in self.scales.items()},
        }

    @classmethod
    def from_dict(cls, stored: Mapping[str, Mapping[str, object]]) -> "Mixture":
        """Back from `weights.json`."""
        return cls(
            _linears(stored["experts"]),
            Linear.from_dict(stored["gate"]),
            Linear.from_dict(stored["order"]),
            _scales(stored["scales"]),
        )


def _linears(stored: Mapping[str, object]) -> dict[str, Linear]:
    linears = {}
    for name, value in stored.items():
        if not isinstance(value, dict):
            raise TypeError("a weighted sum needs a bias and weights")
        linears[name] = Linear.from_dict(value)
    return linears


def _scales(stored: Mapping[str, object]) -> dict[str, tuple[float, float]]:
    scales = {}
    for name, pair in stored.items():
        if not isinstance(pair, list) or len(pair) != 2:
            raise TypeError("a scale is a slope and an offset")
        scales[name] = (float(pair[0]), float(pair[1]))
    return scales


def term(values: Values, name: str) -> float:
    """A feature, or for `feature>knot` what it exceeds the knot by."""
    feature, _, knot = name.partition(">")
    return max(0.0, values[feature] - float(knot)) if knot else values[feature]


def logistic(x: float) -> float:
    """1 / (1 + e^-x), without overflow."""
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, x))))


def log_odds(probability: float) -> float:
    """The log-odds of a probability, kept finite."""
    bounded = min(max(probability, 1e-9), 1 - 1e-9)
    return math.log(bounded / (1 - bounded))
