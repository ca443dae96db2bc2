"""A weighted sum of named values, and the logistic function. Pure."""

import math
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Linear:
    """A weighted sum of named values and a bias."""

    bias: float
    of: Mapping[str, float]

    def __call__(self, values: Mapping[str, float]) -> float:
        """The sum."""
        return self.bias + sum(weight * values[name] for name, weight in self.of.items())

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


def logistic(x: float) -> float:
    """1 / (1 + e^-x), without overflow."""
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, x))))
