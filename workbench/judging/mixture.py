"""The embedded judge's arithmetic: linear experts, the gates between them, and penalties.

    share_k = logistic(gate_k . features), divided by their sum
    P       = logistic(logit(sum over k of share_k * logistic(expert_k . features))
                       + penalty . features)

The experts know claims about a whole page (`articles`), claims about extracts (`extracts`) and
plain pairs of all kinds (`general`); a gate says how much a pair looks like its kind. Each `.` is a
weighted sum with a bias. Penalties never speak for a claim: they were fitted on pairs of a true
claim and its corruption (number, name, negation, foreign source), with their signs fixed.
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

    experts: Mapping[str, Linear]
    gates: Mapping[str, Linear]
    penalty: Linear

    def shares(self, values: Values) -> dict[str, float]:
        """How much each expert counts; they add up to 1."""
        raw = {name: logistic(gate(values)) for name, gate in self.gates.items()}
        total = sum(raw.values())
        return {name: value / total for name, value in raw.items()}

    def base(self, values: Values) -> float:
        """The log-odds before penalties."""
        shares = self.shares(values)
        mixed = sum(shares[name] * logistic(self.experts[name](values)) for name in shares)
        return logit(mixed)

    def probability(self, values: Values) -> float:
        """P(supported), 0 to 1."""
        return logistic(self.base(values) + self.penalty(values))

    def to_dict(self) -> dict[str, object]:
        """As stored in `weights.json`."""
        return {
            "experts": {name: one.to_dict() for name, one in self.experts.items()},
            "gates": {name: one.to_dict() for name, one in self.gates.items()},
            "penalty": self.penalty.to_dict(),
        }

    @classmethod
    def from_dict(cls, stored: Mapping[str, Mapping[str, object]]) -> "Mixture":
        """Back from `weights.json`."""
        return cls(
            _linears(stored["experts"]),
            _linears(stored["gates"]),
            Linear.from_dict(stored["penalty"]),
        )


def _linears(stored: Mapping[str, object]) -> dict[str, Linear]:
    found = {}
    for name, one in stored.items():
        if not isinstance(one, dict):
            raise TypeError("a weighted sum needs a bias and weights")
        found[name] = Linear.from_dict(one)
    return found


def logistic(x: float) -> float:
    """1 / (1 + e^-x), without overflow."""
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, x))))


def logit(p: float) -> float:
    """The log-odds of a probability, kept within what `logistic` gives back."""
    p = min(max(p, 1e-9), 1 - 1e-9)
    return math.log(p / (1 - p))
