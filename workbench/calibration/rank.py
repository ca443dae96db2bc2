"""How well a score ranks, with an interval that costs one sort instead of a thousand."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import exp, log, sqrt
from typing import TYPE_CHECKING

from workbench.calibration.binomial import t_quantile
from workbench.calibration.effective import cluster_variance, places
from workbench.calibration.figure import Figure

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Column = NDArray[np.float64]

DELONG = "DeLong by groups (Obuchowski), logit scale"


@dataclass(frozen=True, slots=True)
class AurocParts:
    """AUROC and how far each item moves it."""

    value: float
    influence: "Column"
    """One number an item; their mean is 0, and the variance of their mean is that of the AUROC."""


def auroc_parts(
    scores: "Sequence[float] | Column", positive: "Sequence[bool] | NDArray[np.bool_]"
) -> AurocParts | None:
    """AUROC with the structural components of DeLong, DeLong and Clarke-Pearson (1988).

    None where there is only one class.
    """
    import numpy as np

    s, y = np.asarray(scores, dtype=np.float64), np.asarray(positive, dtype=bool)
    n_pos, n_neg = int(y.sum()), int((~y).sum())
    if not n_pos or not n_neg:
        return None
    pos, neg = np.sort(s[y]), np.sort(s[~y])
    # of each positive the share of negatives below it, ties half; of each negative the reverse
    part = np.empty(len(s))
    part[y] = _below(neg, s[y]) / n_neg
    part[~y] = 1 - _below(pos, s[~y]) / n_pos
    value = float(part[y].mean())
    weight = np.where(y, len(s) / n_pos, len(s) / n_neg)
    return AurocParts(value, (part - value) * weight)


def auroc_figure(
    scores: "Sequence[float] | Column",
    positive: "Sequence[bool] | NDArray[np.bool_]",
    groups: "Sequence[Hashable] | NDArray[np.int64]",
) -> Figure:
    """AUROC with its 95 % interval, taken on the logit scale so that it stays within 0 and 1."""
    import numpy as np

    at = places(groups)
    count = int(at.max()) + 1 if len(at) else 0
    found = auroc_parts(scores, positive)
    if found is None:
        return Figure(value=None, n=len(at), groups=count, method=DELONG)
    if count < 2:
        return Figure(value=found.value, n=len(at), groups=count, method=DELONG)
    y = np.asarray(positive, dtype=bool)
    # a perfect or an almost perfect order of few items is not a certainty: half a pair is reversed
    edge = 0.5 / (float(y.sum()) * float((~y).sum()))
    value = min(1 - edge, max(edge, found.value))
    spread = sqrt(cluster_variance(found.influence, at))
    floor = sqrt(value * (1 - value) / count)
    if found.value in (0.0, 1.0):
        spread = max(spread, floor)
    half = t_quantile(0.975, count - 1) * spread / (value * (1 - value))
    middle = log(value / (1 - value))
    return Figure(
        value=found.value,
        low=_logistic(middle - half),
        high=_logistic(middle + half) if found.value < 1 else 1.0,
        n=len(at),
        groups=count,
        method=DELONG,
    )


def _below(ordered: "Column", values: "Column") -> "Column":
    """How many of the ordered numbers lie below each value, equal ones counted half."""
    import numpy as np

    left = np.searchsorted(ordered, values, side="left")
    right = np.searchsorted(ordered, values, side="right")
    found: Column = (left + right) / 2
    return found


def _logistic(x: float) -> float:
    return 1 / (1 + exp(-x)) if x > -700 else 0.0
