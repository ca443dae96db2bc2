"""Logistic regression with a ridge, by rows or within groups. Needs numpy, imported when used."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

STEPS, RATE = 400, 0.05


def fit(
    x: "Floats",
    y: "Floats",
    share: "Floats",
    ridge: float = 2.0,
    offset: "Floats | None" = None,
    constant: "Floats | None" = None,
) -> "Floats":
    """The weights by Newton's method, the bias last; `share` weighs the rows.

    `offset` is added to the log-odds of each row. `constant` is what the bias counts in each row:
    1 unless given, 0 for a row that is the difference between two others.
    """
    import numpy as np

    bias_column = np.ones(len(x)) if constant is None else constant
    start = np.zeros(len(x)) if offset is None else offset
    design = np.hstack([x, bias_column[:, None]])
    penalty = np.full(design.shape[1], ridge)
    penalty[-1] = 1e-6
    weights = np.zeros(design.shape[1])
    for _ in range(30):
        p = 1 / (1 + np.exp(-np.clip(design @ weights + start, -30, 30)))
        slope = design.T @ (share * (p - y)) + penalty * weights
        curve = (design * (share * p * (1 - p))[:, None]).T @ design + np.diag(penalty)
        step = np.linalg.solve(curve, slope)
        weights -= step
        if np.abs(step).max() < 1e-8:
            break
    return weights


def fit_within(x: "Floats", y: "Floats", sizes: Sequence[int], ridge: float = 0.01) -> "Floats":
    """Weights that set the marked rows of each group apart from its others, by Adam; no bias.

    Rows stand group after group; the loss is the cross-entropy between the marks of a group, each
    an equal share, and the softmax over its rows. Groups without a mark are left out.
    """
    import numpy as np

    starts = np.cumsum([0, *sizes[:-1]])
    marks = np.add.reduceat(y, starts)
    share = np.repeat((marks > 0) / max(1, int((marks > 0).sum())), sizes)
    target = y / np.repeat(np.maximum(marks, 1), sizes)
    weights, first, second = (np.zeros(x.shape[1]) for _ in range(3))
    for step in range(1, STEPS + 1):
        score = x @ weights
        raised = np.exp(score - np.repeat(np.maximum.reduceat(score, starts), sizes))
        predicted = raised / np.repeat(np.add.reduceat(raised, starts), sizes)
        slope = x.T @ (share * (predicted - target)) + ridge * weights
        first, second = 0.9 * first + 0.1 * slope, 0.999 * second + 0.001 * slope**2
        rate = RATE * (1 - 0.9 * step / STEPS) / (1 - 0.9**step)
        weights -= rate * first / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
    return weights


def unscaled(weights: "Floats", mean: "Floats", spread: "Floats") -> tuple[float, "Floats"]:
    """Bias and weights for raw features, from weights fitted on standardised ones."""
    plain = weights[:-1] / spread
    return float(weights[-1] - (plain * mean).sum()), plain
