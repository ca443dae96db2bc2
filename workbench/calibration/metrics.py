"""How well scores rank and decide.

Positive means "supported". Every figure is None where it is not defined (no items, or one class
only), never NaN. Pure; numpy is imported by the functions that need it.
"""

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def auroc(scores: Sequence[float], positive: Sequence[bool]) -> float | None:
    """The chance that a positive scores above a negative, ties counted half (Mann-Whitney)."""
    import numpy as np

    y = np.asarray(positive, dtype=bool)
    n_pos, n_neg = int(y.sum()), int((~y).sum())
    if not n_pos or not n_neg:
        return None
    ranks = _ranks(np.asarray(scores, dtype=np.float64))
    return float((ranks[y].sum() - n_pos * (n_pos + 1) / 2) / (n_pos * n_neg))


def average_precision(
    scores: "Sequence[float] | NDArray[np.float64]", positive: "Sequence[bool] | NDArray[np.bool_]"
) -> float | None:
    """Precision averaged over the recall steps; items with equal scores are taken together."""
    import numpy as np

    y = np.asarray(positive, dtype=bool)
    if not y.any() or y.all():
        return None
    s = np.asarray(scores, dtype=np.float64)
    if (s[1:] > s[:-1]).any():
        order = np.argsort(-s, kind="stable")
        s, y = s[order], y[order]
    last = np.append(np.nonzero(np.diff(s))[0], len(s) - 1)
    hits = np.cumsum(y)[last]
    precision = hits / (last + 1)
    steps = np.diff(np.concatenate(([0], hits))) / y.sum()
    return float((precision * steps).sum())


def balanced_accuracy(decided: Sequence[bool], positive: Sequence[bool]) -> float | None:
    """The mean of the share of positives and of negatives that were decided rightly."""
    import numpy as np

    d, y = np.asarray(decided, dtype=bool), np.asarray(positive, dtype=bool)
    if not y.any() or y.all():
        return None
    return float((d[y].mean() + (~d[~y]).mean()) / 2)


def f1(decided: Sequence[bool], positive: Sequence[bool]) -> float | None:
    """The harmonic mean of precision and recall; 0 when nothing right was decided positive."""
    import numpy as np

    d, y = np.asarray(decided, dtype=bool), np.asarray(positive, dtype=bool)
    if not y.any():
        return None
    return float(2 * (d & y).sum() / (d.sum() + y.sum()))


def best_threshold(scores: Sequence[float], positive: Sequence[bool]) -> float | None:
    """The threshold with the best balanced accuracy on these items, deciding `score >= t`.

    It lies half way between two neighbouring scores; among equals the middle one is taken.
    """
    import numpy as np

    y = np.asarray(positive, dtype=bool)
    if not y.any() or y.all():
        return None
    s = np.asarray(scores, dtype=np.float64)
    order = np.argsort(s, kind="stable")
    s, y = s[order], y[order]
    # cut i: items from i on are decided positive
    sensitivity = 1 - np.concatenate(([0], np.cumsum(y))) / y.sum()
    specificity = np.concatenate(([0], np.cumsum(~y))) / (~y).sum()
    value = sensitivity + specificity
    allowed = np.concatenate(([True], np.diff(s) > 0, [True]))
    value = np.where(allowed, value, -1.0)
    best = np.nonzero(value >= value.max() - 1e-12)[0]
    cut = int(best[len(best) // 2])
    if cut == 0:
        return float(s[0])
    if cut == len(s):
        return float(np.nextafter(s[-1], np.inf))
    middle = float((s[cut - 1] + s[cut]) / 2)
    return middle if middle > s[cut - 1] else float(s[cut])


def brier(scores: Sequence[float], positive: Sequence[bool]) -> float | None:
    """The mean squared distance of the score from 1 for positives and from 0 for the rest."""
    if not scores:
        return None
    pairs = zip(scores, positive, strict=True)
    return sum((score - bool(hit)) ** 2 for score, hit in pairs) / len(scores)


def calibration_error(
    scores: Sequence[float], positive: Sequence[bool], bins: int = 10
) -> tuple[float, float] | None:
    """The expected calibration error, raw and debiased, over bins of equal size.

    Raw: the mean over items of |mean score - share of positives| of their bin. That is above zero
    for a perfectly calibrated judge too, by chance alone; the debiased error subtracts from the
    square of each bin's gap the variance it has by chance, p(1 - p) / (n - 1), and is not below 0
    (Kumar, Liang and Ma 2019, l2 form).
    """
    import numpy as np

    if len(scores) < 2 * bins:
        return None
    s, y = np.asarray(scores, dtype=np.float64), np.asarray(positive, dtype=np.float64)
    order = np.argsort(s, kind="stable")
    raw, squared = 0.0, 0.0
    for part in np.array_split(order, bins):
        gap, share, n = float(s[part].mean() - y[part].mean()), len(part) / len(s), len(part)
        rate = float(y[part].mean())
        raw += share * abs(gap)
        squared += share * (gap**2 - rate * (1 - rate) / (n - 1))
    return raw, float(np.sqrt(max(0.0, squared)))


def group_folds(groups: Sequence[Hashable], folds: int = 5) -> list[int]:
    """For each item the fold its group is in: large groups first, each into the smallest fold.

    Ties go by the order in which groups first come, so the same input gives the same folds.
    """
    sizes: dict[Hashable, int] = {}
    for group in groups:
        sizes[group] = sizes.get(group, 0) + 1
    filled = [0] * max(1, min(folds, len(sizes)))
    place: dict[Hashable, int] = {}
    for group in sorted(sizes, key=lambda g: -sizes[g]):
        place[group] = min(range(len(filled)), key=lambda i: filled[i])
        filled[place[group]] += sizes[group]
    return [place[group] for group in groups]


def _ranks(values: "NDArray[np.float64]") -> "NDArray[np.float64]":
    """Ranks from 1, equal values sharing the mean of theirs."""
    import numpy as np

    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    middle = ends - (counts - 1) / 2
    ranks: NDArray[np.float64] = middle[inverse]
    return ranks
