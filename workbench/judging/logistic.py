"""Logistic regression with a ridge, for the training scripts. Needs numpy, imported when used."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


def fit(x: "Floats", y: "Floats", share: "Floats", ridge: float = 2.0) -> "Floats":
    """The weights by Newton's method, the bias last; `share` weighs the rows."""
    import numpy as np

    design = np.hstack([x, np.ones((len(x), 1))])
    penalty = np.full(design.shape[1], ridge)
    penalty[-1] = 1e-6
    weights = np.zeros(design.shape[1])
    for _ in range(30):
        p = 1 / (1 + np.exp(-design @ weights))
        slope = design.T @ (share * (p - y)) + penalty * weights
        curve = (design * (share * p * (1 - p))[:, None]).T @ design + np.diag(penalty)
        step = np.linalg.solve(curve, slope)
        weights -= step
        if np.abs(step).max() < 1e-8:
            break
    return weights


def unscaled(weights: "Floats", mean: "Floats", spread: "Floats") -> tuple[float, "Floats"]:
    """Bias and weights for features as they are, of weights fitted on standardised ones."""
    plain = weights[:-1] / spread
    return float(weights[-1] - (plain * mean).sum()), plain
