"""A judge asked about the same frozen items again and again: has it changed?

Agreement with people is compared with a baseline, item by item. Looking often finds a change
sooner or later where there is none, so the looks share one error rate: look number i takes
0.05 / (i (i + 1)) of it, which adds up to 0.05 however many looks follow. What was said at a look
therefore never changes with later ones, and in a series in which nothing changes, the chance that
any look reports drift is at most 5 %.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import copysign, inf, sqrt
from typing import Literal

from workbench.calibration.binomial import normal_quantile, t_quantile
from workbench.calibration.compare import grouped_mcnemar
from workbench.calibration.effective_sample_size import (
    ProportionEstimate,
    cluster_variance,
    group_indices,
    share_of,
)
from workbench.errors import UsageError
from workbench.records.reference_sets import Prediction
from workbench.records.text import JsonDict

DriftVerdict = Literal["baseline", "drift", "none seen", "too few"]
ERROR_RATE = 0.05
"""Of a whole series of looks."""
TOLERANCE = 0.05
"""A change of agreement by less than this is not looked for."""
PAIRED = "Tango's score interval of a paired difference, effective n by groups"


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementChange:
    """How agreement with people changed from one asking to a later one, on the same items."""

    value: float
    """Share of items right at the later asking less that at the earlier one."""
    low: float
    high: float
    """At `confidence`: what says whether it is drift."""
    confidence: float
    low95: float
    high95: float
    """At 95 %, as if this were the only look: what says whether no drift was seen."""
    n: int
    groups: int
    lost: int
    """Items that were right and are wrong."""
    gained: int
    mcnemar_p: float
    same: ProportionEstimate
    """Of the items, those that were given the same label both times."""

    def to_dict(self) -> JsonDict:
        """As reports hold it."""
        return {
            "value": self.value,
            "interval": [self.low, self.high],
            "confidence": self.confidence,
            "ci95": [self.low95, self.high95],
            "n": self.n,
            "groups": self.groups,
            "lost": self.lost,
            "gained": self.gained,
            "mcnemar_p": self.mcnemar_p,
            "same_label": self.same.figure.to_dict(),
            "method": PAIRED,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class InterimAnalysis:
    """One asking of a series."""

    name: str
    number: int
    """0 for the baseline, then 1, 2, 3 …"""
    agreement: ProportionEstimate | None
    """Of the items with a verdict, those where judge and people say the same on supported or not;
    None without any."""
    unanswered: int
    """Items to which the judge gave no usable verdict."""
    since_baseline: AgreementChange | None
    """None for the baseline, and without an item in both."""
    since_last: AgreementChange | None
    """Against the look before."""
    verdict: DriftVerdict

    def to_dict(self) -> JsonDict:
        """As reports hold it."""
        return {
            "asking": self.name,
            "look": self.number,
            "agreement": self.agreement.figure.to_dict() if self.agreement else None,
            "unanswered": self.unanswered,
            "since_baseline": self.since_baseline.to_dict() if self.since_baseline else None,
            "since_last": self.since_last.to_dict() if self.since_last else None,
            "verdict": self.verdict,
        }


def alpha_spending(look: int) -> float:
    """What look number `look` (1, 2, 3 …) may take of the error rate of its series."""
    return ERROR_RATE / (look * (look + 1))


def detect_drift(
    askings: Sequence[tuple[str, Sequence[Prediction]]], *, tolerance: float = TOLERANCE
) -> list[InterimAnalysis]:
    """The looks of a series, oldest first; the first asking is the baseline.

    `drift`: the interval of the change since the baseline, at the confidence of this look, leaves
    out 0, and McNemar's exact test over groups agrees. `none seen`: it is not,
    and the 95 % interval lies within the tolerance: a larger change would have been seen.
    `too few`: neither can be said with this number of items.

    Raises:
        UsageError: The tolerance lies outside 0 to 1.
    """
    if not 0 < tolerance < 1:
        raise UsageError(f"The tolerance must be between 0 and 1, not {tolerance}.")
    looks: list[InterimAnalysis] = []
    for number, (name, predictions) in enumerate(askings):
        usable = [prediction for prediction in predictions if not prediction.error]
        since = change(askings[0][1], predictions, alpha_spending(number)) if number else None
        looks.append(
            InterimAnalysis(
                name=name,
                number=number,
                agreement=share_of(
                    [prediction.right for prediction in usable],
                    [prediction.group for prediction in usable],
                ),
                unanswered=len(predictions) - len(usable),
                since_baseline=since,
                since_last=change(askings[number - 1][1], predictions, ERROR_RATE)
                if number
                else None,
                verdict=_verdict(since, tolerance) if number else "baseline",
            )
        )
    return looks


def _verdict(since: AgreementChange | None, tolerance: float) -> DriftVerdict:
    if since is None:
        return "too few"
    if (since.low > 0 or since.high < 0) and since.mcnemar_p <= 1 - since.confidence + 1e-12:
        return "drift"
    if -tolerance <= since.low95 and since.high95 <= tolerance:
        return "none seen"
    return "too few"


def change(
    first: Sequence[Prediction], second: Sequence[Prediction], error_rate: float
) -> AgreementChange | None:
    """How agreement changed over the items with a verdict both times; None without any."""
    before = {prediction.item: prediction for prediction in first if not prediction.error}
    pairs = [
        (before[prediction.item], prediction)
        for prediction in second
        if not prediction.error and prediction.item in before
    ]
    if not pairs:
        return None
    steps = [float(later.right) - float(earlier.right) for earlier, later in pairs]
    groups = [later.group for _, later in pairs]
    gained, lost = steps.count(1.0), steps.count(-1.0)
    scale = _scale(steps, groups)
    low, high = paired_interval(gained * scale, lost * scale, len(pairs) * scale, error_rate)
    low95, high95 = paired_interval(gained * scale, lost * scale, len(pairs) * scale, 0.05)
    same = share_of([earlier.label == later.label for earlier, later in pairs], groups)
    assert same is not None
    return AgreementChange(
        value=sum(steps) / len(steps),
        low=low,
        high=high,
        confidence=1 - error_rate,
        low95=low95,
        high95=high95,
        n=len(pairs),
        groups=len(set(groups)),
        lost=lost,
        gained=gained,
        mcnemar_p=grouped_mcnemar([round(step) for step in steps], groups),
        same=same,
    )


def paired_interval(
    gained: float, lost: float, n: float, error_rate: float = 0.05
) -> tuple[float, float]:
    """The interval of a difference of two shares on the same items (Tango 1998).

    Args:
        gained: Items that hit the second time only.
        lost: Items that hit the first time only.
        n: All items; counts may be effective ones.
        error_rate: How often the difference lies outside.
    """
    z = normal_quantile(1 - error_rate / 2)
    value = (gained - lost) / n

    def statistic(delta: float) -> float:
        """How many standard errors the counts lie from a difference of delta."""
        b = -gained - lost + (2 * n - gained + lost) * delta
        c = -lost * delta * (1 - delta)
        root = sqrt(max(0.0, b * b - 8 * n * c))
        lost_share = (root - b) / (4 * n)
        spread = n * (2 * lost_share + delta * (1 - delta))
        difference = gained - lost - n * delta
        if spread <= 1e-15:
            return copysign(inf, difference) if abs(difference) > 1e-12 else 0.0
        return difference / sqrt(spread)

    # the statistic falls as delta rises
    return _root(lambda delta: statistic(delta) - z, -1.0, value), _root(
        lambda delta: statistic(delta) + z, value, 1.0
    )


def _root(falling: Callable[[float], float], low: float, high: float) -> float:
    """Where a falling function crosses zero between two points, to 1e-12; an end where it is."""
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if falling(middle) > 0 else (low, middle)
    return (low + high) / 2


def _scale(steps: Sequence[float], groups: Sequence[str]) -> float:
    """What share of the items is left when those of one group count for as much as they tell.

    The variance that independent items would have, over that of the sums by group, shrunk by the
    t quantiles since few groups tell little of it; where no item changed nothing can be estimated,
    and the items of a group are taken as one another's copies (as `effective_number`).
    """
    import numpy as np

    n, count = len(steps), len(set(groups))
    if count == n:
        return 1.0
    if count < 2:
        return 1.0 / n
    at = group_indices(groups)
    sizes = np.bincount(at)
    d = np.asarray(steps, dtype=np.float64)
    spread = float(((d - d.mean()) ** 2).sum()) / n / n
    variance = cluster_variance(d - d.mean(), at)
    if spread <= 0 or variance <= 0:
        return max(1.0, n * n / float(sizes @ sizes)) / n
    shrunk = (t_quantile(0.975, n - 1) / t_quantile(0.975, count - 1)) ** 2
    return max(1.0 / n, min(1.0, spread / variance * shrunk))
