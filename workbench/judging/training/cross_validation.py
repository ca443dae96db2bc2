"""Measure the embedded judge on what it was not fitted on: cross-validation over groups.

Needs numpy, imported when used.
"""

import math
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from workbench.judging.labels import choose_label
from workbench.judging.mixture_model import logistic
from workbench.judging.reading_model import FeatureOdds
from workbench.judging.training.mixture_training import (
    ARTICLES,
    EXTRACTS,
    FOLDS,
    TrainingExamples,
    fit_contradiction_model,
    fit_mixture,
    split_folds,
)

if TYPE_CHECKING:
    from workbench.judging.training.logistic import Floats


def cross_validate(examples: TrainingExamples) -> dict[str, float]:
    """Out-of-fold figures of both own sets and of the made pairs, groups kept together."""
    import numpy as np

    score = np.full(len(examples.labels), np.nan)
    labels: dict[int, str] = {}
    for i, odds in unseen_odds(examples).items():
        score[i], against = logistic(odds.supported), logistic(odds.against)
        labels[i] = choose_label(examples.values(i), score[i], against, odds.extracts)
    figures: dict[str, float] = {}
    for origin in (ARTICLES, EXTRACTS):
        rows = examples.real(origin)
        y = np.array([float(examples.labels[i] == "supported") for i in rows])
        area = auroc(score[rows], y)
        figures[f"{origin} auroc"] = area
        low, high = interval(area, int(y.sum()), int(len(y) - y.sum()))
        figures[f"{origin} auroc, 95 % from"], figures[f"{origin} auroc, 95 % to"] = low, high
        figures[f"{origin} calibration error"] = calibration_error(score[rows], y)
        negatives = examples.made(origin)
        for kind in sorted({examples.kinds[i] or "" for i in negatives}):
            false = [i for i in negatives if examples.kinds[i] == kind]
            ahead = [score[int(examples.true[i] or 0)] - score[i] for i in false]
            figures[f"{origin} {kind}"] = float(np.mean([(a > 0) + 0.5 * (a == 0) for a in ahead]))
            if kind == "foreign":
                figures[f"{origin} foreign score"] = float(np.mean(score[false]))
            called = [labels[i] == "contradicted" for i in false]
            figures[f"{origin} {kind} called contradicted"] = float(np.mean(called))
        figures |= agreement(origin, [examples.labels[i] for i in rows], [labels[i] for i in rows])
    return {name: round(value, 4) for name, value in figures.items()}


def unseen_odds(examples: TrainingExamples) -> dict[int, FeatureOdds]:
    """For each row of the own sets' groups what models say that have not seen its group."""
    split = split_folds(examples)
    odds: dict[int, FeatureOdds] = {}
    for number in range(FOLDS):
        model, head = fit_mixture(split, {number}), fit_contradiction_model(split, {number})
        for i, group in enumerate(examples.groups):
            if split.folds.get(group) == number:
                odds[i] = FeatureOdds.of(examples.values(i), model, head)
    return odds


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
