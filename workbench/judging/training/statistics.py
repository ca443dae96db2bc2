"""Logistic regression with a ridge, and figures of a judge against labels. Needs numpy, imported when used."""

import math
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

STEPS, RATE = 400, 0.05


def fit(x: "Floats", y: "Floats", share: "Floats", ridge: float) -> "Floats":
    """The weights by Newton's method, the bias last; `share` weighs the rows."""
    import numpy as np

    design = np.hstack([x, np.ones((len(x), 1))])
    penalty = np.full(design.shape[1], ridge)
    penalty[-1] = 1e-6
    weights = np.zeros(design.shape[1])
    for _ in range(30):
        p = 1 / (1 + np.exp(-np.clip(design @ weights, -30, 30)))
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


def agreement(name: str, true: Sequence[str], called: Sequence[str]) -> dict[str, float]:
    """How the labels agree with people's: share, mean recall, macro F1, and about `supported`."""
    kinds = sorted(set(true))
    pairs = list(zip(true, called, strict=True))
    hits = {kind: sum(a == b == kind for a, b in pairs) for kind in kinds}
    true_counts = {kind: true.count(kind) for kind in kinds}
    called_counts = {kind: called.count(kind) for kind in kinds}
    return {
        f"{name} labels agree": sum(hits.values()) / len(pairs),
        f"{name} labels balanced": sum(hits[k] / true_counts[k] for k in kinds) / len(kinds),
        f"{name} labels macro F1": macro_f1(true, called),
        f"{name} supported recall": hits["supported"] / true_counts["supported"],
        f"{name} supported precision": hits["supported"] / max(1, called_counts["supported"]),
        f"{name} supported called contradicted": sum(
            a == "supported" and b == "contradicted" for a, b in pairs
        )
        / true_counts["supported"],
    }


def macro_f1(true: Sequence[str], called: Sequence[str]) -> float:
    """The mean of each true label's harmonic mean of precision and recall."""
    counts, called_counts = Counter(true), Counter(called)
    hits = Counter(a for a, b in zip(true, called, strict=True) if a == b)
    return sum(2 * hits[k] / (n + called_counts[k]) for k, n in counts.items()) / len(counts)


def auroc(score: "Floats", y: "Floats") -> float:
    """The chance that a positive scores above a negative, ties counted half."""
    import numpy as np

    _, place, count = np.unique(score, return_inverse=True, return_counts=True)
    rank = (np.cumsum(count) - (count - 1) / 2)[place]
    positives = int(y.sum())
    least = positives * (positives + 1) / 2
    return float((rank[y > 0].sum() - least) / (positives * (len(y) - positives)))


def interval(area: float, positives: int, negatives: int) -> tuple[float, float]:
    """The 95 % interval of an AUROC (Hanley and McNeil 1982)."""
    positive_pairs, negative_pairs = area / (2 - area), 2 * area**2 / (1 + area)
    spread = area * (1 - area) + (positives - 1) * (positive_pairs - area**2)
    spread += (negatives - 1) * (negative_pairs - area**2)
    error = 1.96 * math.sqrt(max(0.0, spread) / max(1, positives * negatives))
    return area - error, area + error


def calibration_error(score: "Floats", y: "Floats", bins: int = 10) -> float:
    """The debiased calibration error (l2 form, Kumar, Liang and Ma 2019) over equal bins."""
    import numpy as np

    squared = 0.0
    for part in np.array_split(score.argsort(kind="stable"), bins):
        gap, rate = float(score[part].mean() - y[part].mean()), float(y[part].mean())
        squared += len(part) / len(y) * (gap**2 - rate * (1 - rate) / (len(part) - 1))
    return float(np.sqrt(max(0.0, squared)))
