"""Measure the embedded judge on what it was not fitted on: cross-validation over groups.

Needs numpy, imported when used.
"""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from workbench.judging.labels import choose_label
from workbench.judging.mixture_model import logistic
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


def cross_validate(given: TrainingExamples) -> dict[str, float]:
    """Out-of-fold figures of both own sets and of the made pairs, groups kept together."""
    import numpy as np

    split = split_folds(given)
    score = np.full(len(given.labels), np.nan)
    labels: dict[int, str] = {}
    for number in range(FOLDS):
        model, head = fit_mixture(split, {number}), fit_contradiction_model(split, {number})
        for i, group in enumerate(given.groups):
            if split.folds.get(group) == number:
                values = given.values(i)
                score[i] = model.probability(values)
                against = logistic(head(values))
                labels[i] = choose_label(values, score[i], against, model.share(values))
    found: dict[str, float] = {}
    for origin in (ARTICLES, EXTRACTS):
        rows = given.real(origin)
        y = np.array([float(given.labels[i] == "supported") for i in rows])
        area = auroc(score[rows], y)
        found[f"{origin} auroc"] = area
        low, high = interval(area, int(y.sum()), int(len(y) - y.sum()))
        found[f"{origin} auroc, 95 % from"], found[f"{origin} auroc, 95 % to"] = low, high
        found[f"{origin} calibration error"] = calibration_error(score[rows], y)
        made = given.made(origin)
        for kind in sorted({given.kinds[i] or "" for i in made}):
            false = [i for i in made if given.kinds[i] == kind]
            ahead = [score[int(given.true[i] or 0)] - score[i] for i in false]
            found[f"{origin} {kind}"] = float(np.mean([(a > 0) + 0.5 * (a == 0) for a in ahead]))
            if kind == "foreign":
                found[f"{origin} foreign score"] = float(np.mean(score[false]))
            called = [labels[i] == "contradicted" for i in false]
            found[f"{origin} {kind} called contradicted"] = float(np.mean(called))
        found |= agreement(origin, [given.labels[i] for i in rows], [labels[i] for i in rows])
    return {name: round(value, 4) for name, value in found.items()}


def agreement(name: str, true: Sequence[str], called: Sequence[str]) -> dict[str, float]:
    """How the labels agree with people's: share, mean recall, macro F1, and about `supported`."""
    kinds = sorted(set(true))
    pairs = list(zip(true, called, strict=True))
    hits = {kind: sum(a == b == kind for a, b in pairs) for kind in kinds}
    asked = {kind: true.count(kind) for kind in kinds}
    given = {kind: called.count(kind) for kind in kinds}
    return {
        f"{name} labels agree": sum(hits.values()) / len(pairs),
        f"{name} labels balanced": sum(hits[k] / asked[k] for k in kinds) / len(kinds),
        f"{name} labels macro F1": sum(2 * hits[k] / (asked[k] + given[k]) for k in kinds)
        / len(kinds),
        f"{name} supported recall": hits["supported"] / asked["supported"],
        f"{name} supported precision": hits["supported"] / max(1, given["supported"]),
        f"{name} supported called contradicted": sum(
            a == "supported" and b == "contradicted" for a, b in pairs
        )
        / asked["supported"],
    }


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
    one, two = area / (2 - area), 2 * area**2 / (1 + area)
    spread = area * (1 - area) + (positives - 1) * (one - area**2)
    spread += (negatives - 1) * (two - area**2)
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
