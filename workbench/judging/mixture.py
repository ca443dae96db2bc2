"""The embedded judge's arithmetic: two linear experts, a gate between them, and penalties.

    article = experts["articles"] . features        (a claim about a whole page)
    extract = experts["extracts"] . features        (a claim about short extracts)
    share   = logistic(gate . features)             (how much it looks like the second kind)
    P       = logistic(logit((1 - share) * logistic(article) + share * logistic(extract))
                       + penalty . features)

Each `.` is a weighted sum with a bias. Penalties never speak for a claim: they were fitted on pairs
of a true claim and its corruption (number, name, negation), with their signs fixed.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

Values = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Linear:
    """A weighted sum of named features and a bias."""

    bias: float
    of: Mapping[str, float]

    def __call__(self, values: Values) -> float:
        """The sum."""
        return self.bias + sum(weight * values[name] for name, weight in self.of.items())

    def to_dict(self) -> dict[str, float | dict[str, float]]:
        """As stored in `weights.json`."""
        return {"bias": round(self.bias, 5), "of": {k: round(v, 5) for k, v in self.of.items()}}

    @classmethod
    def from_dict(cls, stored: Mapping[str, object]) -> "Linear":
        """Back from `weights.json`; raises `TypeError` or `KeyError` for anything else."""
        bias, of = stored["bias"], stored["of"]
        if not isinstance(bias, int | float) or not isinstance(of, dict):
            raise TypeError("a weighted sum needs a bias and weights")
        return cls(float(bias), {str(name): float(weight) for name, weight in of.items()})


@dataclass(frozen=True, slots=True)
class Mixture:
    """P(supported) of a claim by its features."""

    articles: Linear
    extracts: Linear
    gate: Linear
    penalty: Linear

    def base(self, values: Values) -> float:
        """The log-odds before penalties."""
        share = logistic(self.gate(values))
        mixed = (1 - share) * logistic(self.articles(values)) + share * logistic(
            self.extracts(values)
        )
        return logit(mixed)

    def probability(self, values: Values) -> float:
        """P(supported), 0 to 1."""
        return logistic(self.base(values) + self.penalty(values))

    def to_dict(self) -> dict[str, dict[str, float | dict[str, float]]]:
        """As stored in `weights.json`."""
        return {
            "articles": self.articles.to_dict(),
            "extracts": self.extracts.to_dict(),
            "gate": self.gate.to_dict(),
            "penalty": self.penalty.to_dict(),
        }

    @classmethod
    def from_dict(cls, stored: Mapping[str, Mapping[str, object]]) -> "Mixture":
        """Back from `weights.json`."""
        return cls(
            Linear.from_dict(stored["articles"]),
            Linear.from_dict(stored["extracts"]),
            Linear.from_dict(stored["gate"]),
            Linear.from_dict(stored["penalty"]),
        )


def logistic(x: float) -> float:
    """1 / (1 + e^-x), without overflow."""
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, x))))


def logit(p: float) -> float:
    """The log-odds of a probability, kept within what `logistic` gives back."""
    p = min(max(p, 1e-9), 1 - 1e-9)
    return math.log(p / (1 - p))
