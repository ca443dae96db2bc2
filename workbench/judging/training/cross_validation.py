"""Figures of a judge against labels.

Needs numpy, imported when used.
"""

import math
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.judging.training.logistic import Floats


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
