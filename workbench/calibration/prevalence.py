"""The true support rate of many outputs, from a judge on all of them and people on some.

The judge's own rate is biased by its errors. A labelled random sample corrects it: prediction-
powered inference adds the judge's mean error on the sample (Angelopoulos, Bates, Fannjiang, Jordan
and Zrnic 2023; with the weight of PPI++, Angelopoulos, Duchi and Zrnic 2023), Rogan and Gladen
(1978) divide by the judge's sensitivity and specificity. All of it holds only where the labelled
items are a random sample of all; a sample of the uncertain ones is not.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from math import sqrt
from typing import TYPE_CHECKING

from workbench.calibration.estimates import (
    TOO_FEW,
    IntervalEstimate,
    ProportionEstimate,
    cluster_variance,
    group_indices,
    normal_quantile,
    share_of,
    t_quantile,
    wilson_interval,
)
from workbench.calibration.two_classes import too_few
from workbench.records.codec import Record, published_as
from workbench.records.notebook_display import NotebookDisplayMixin

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Column = NDArray[np.float64]

NAIVE = "the judge's own rate; the interval knows nothing of its errors"
PPI = "prediction-powered inference, t interval by groups"
PPI_TUNED = (
    "prediction-powered inference with tuned weight (PPI++), Wilson score on the effective n, "
    "variance by groups"
)
LABELS_ALONE = f"labels alone, {TOO_FEW} of one class to correct the judge; "
PRIOR = 5
"""Degrees of freedom that the variance of labels alone counts for beside the one found; by
simulation."""
ROGAN_GLADEN = "Rogan–Gladen with the interval of Lang and Reiczigel (2014), effective n by groups"


@dataclass(frozen=True, slots=True, kw_only=True)
class PrevalenceEstimates(NotebookDisplayMixin, Record):
    """The support rate, found in five ways; `tuned` is the one to report."""

    naive: IntervalEstimate
    people: IntervalEstimate
    ppi: IntervalEstimate
    tuned: IntervalEstimate = field(metadata=published_as("ppi_tuned"))
    rogan_gladen: IntervalEstimate
    """Undefined where the judge is no better than chance."""
    weight: float
    """How far the judge is listened to, 0 to 1: 0 is the labelled sample alone, as with too few
    documents of one class to correct the judge by."""
    saved: float | None
    """How many times more labels people alone would need for the tuned interval."""


def estimate_prevalence(
    *,
    judged: "Sequence[float] | Column",
    truth: "Sequence[bool] | NDArray[np.bool_]",
    groups: "Sequence[Hashable] | NDArray[np.int64]",
    unlabelled: "Sequence[float] | Column",
    unlabelled_groups: "Sequence[Hashable] | NDArray[np.int64] | None" = None,
) -> PrevalenceEstimates:
    """The share of supported items among all, with 95 % intervals.

    Args:
        judged: What the judge says of the labelled items: 1 for supported and 0 for not, or its
            probability (Rogan–Gladen decides that at 0.5).
        truth: What people say of them.
        groups: What makes labelled items dependent.
        unlabelled: What the judge says of the items without labels.
        unlabelled_groups: Their groups; each its own where not given.

    Figures without enough to go on (no labels, fewer than two groups) have no value or no interval.
    """
    import numpy as np

    f, y = np.asarray(judged, dtype=np.float64), np.asarray(truth, dtype=np.float64)
    u = np.asarray(unlabelled, dtype=np.float64)
    other = np.arange(len(u)) if unlabelled_groups is None else unlabelled_groups
    at, at_u = group_indices(groups), group_indices(other)
    all_verdicts = np.concatenate((f, u))
    all_groups = np.concatenate((at, at_u + (int(at.max()) + 1 if len(at) else 0)))
    naive = _mean(all_verdicts, all_groups, NAIVE)
    labels_only = share_of(y, at)
    people = labels_only.figure if labels_only else IntervalEstimate(value=None, n=0, groups=0)
    if len(y) < 2 or not len(u):
        blank = IntervalEstimate(value=None, n=len(y), groups=people.groups)
        return PrevalenceEstimates(
            naive=naive, people=people, ppi=blank, tuned=blank, rogan_gladen=blank,
            weight=0.0, saved=None,
        )  # fmt: skip
    weight = _weight(f, y, u, at, at_u)
    tuned = people
    if too_few(y > 0, at):
        # what is rare in the sample is rarer still among the judge's errors: the weight and the
        # variance found there would promise too much, upwards
        weight, tuned = 0.0, replace(people, method=LABELS_ALONE + people.method)
    elif labels_only is not None:
        tuned = _tuned(f, y, u, at, at_u, weight, labels_only)
    return PrevalenceEstimates(
        naive=naive,
        people=people,
        ppi=_powered(f, y, u, at, at_u, 1.0, PPI),
        tuned=tuned,
        rogan_gladen=_rogan_gladen(f >= 0.5, y > 0, at, all_verdicts >= 0.5),
        weight=weight,
        saved=_saved(people, tuned),
    )


def _mean(values: "Column", at: "NDArray[np.int64]", method: str) -> IntervalEstimate:
    count = _count(at)
    if not len(values):
        return IntervalEstimate(value=None, n=0, groups=0, method=method)
    mean = float(values.mean())
    if count < 2:
        return IntervalEstimate(value=mean, n=len(values), groups=count, method=method)
    variance = cluster_variance(values - mean, at)
    return _figure(mean, variance, len(values), count, count - 1, method)


def _powered(
    f: "Column",
    y: "Column",
    u: "Column",
    at: "NDArray[np.int64]",
    at_u: "NDArray[np.int64]",
    weight: float,
    method: str,
) -> IntervalEstimate:
    """Weight x judge on the unlabelled, plus the mean of truth - weight x judge."""
    import numpy as np

    count = _count(at)
    error = y - weight * f
    value = weight * float(u.mean()) + float(error.mean())
    if count < 2:
        return IntervalEstimate(value=value, n=len(y), groups=count, method=method)
    # one more group's wrong verdicts, half of them each way: a small sample may hold none of the
    # rare ones, and its variance would then promise too much (as Agresti and Coull add items)
    sizes = np.bincount(at)
    unseen = (1 + weight**2) / 2 * float(sizes @ sizes) / len(y) ** 3
    of_error = cluster_variance(error - error.mean(), at) + unseen
    of_judge = weight**2 * cluster_variance(u - u.mean(), at_u) if weight else 0.0
    variance = of_error + of_judge
    # Satterthwaite: the larger the part that many unlabelled items give, the more freedom
    freedom = float(count - 1)
    if of_error > 0 and len(u) > 1:
        others = max(_count(at_u) - 1, 1)
        freedom = variance**2 / (of_error**2 / (count - 1) + of_judge**2 / others)
    return _figure(value, variance, len(y), count, freedom, method)


def _tuned(
    f: "Column",
    y: "Column",
    u: "Column",
    at: "NDArray[np.int64]",
    at_u: "NDArray[np.int64]",
    weight: float,
    labels_only: ProportionEstimate,
) -> IntervalEstimate:
    """Weight x judge on the unlabelled, plus the mean of truth - weight x judge.

    The variance of the labelled part is averaged with that of the labels alone (as Smyth 2004
    moderates variances), which the tuned weight is there to beat but cannot be trusted to with few
    groups of the rarer class. Wilson's (1927) form on the number of items that this variance is
    worth keeps the interval within 0 and 1 and open towards the middle, as Korn and Graubard (1998)
    do for shares; the quantile is t by groups.
    """
    import numpy as np

    error = y - weight * f
    value = weight * float(u.mean()) + float(error.mean())
    rate = float(y.mean())
    rarer = min(len(np.unique(at[y > 0])), len(np.unique(at[y <= 0]))) - 1
    error_variance = cluster_variance(error - error.mean(), at)
    by_labels = rate * (1 - rate) / labels_only.effective_n
    of_error = (rarer * error_variance + PRIOR * by_labels) / (rarer + PRIOR)
    of_judge = weight**2 * cluster_variance(u - u.mean(), at_u) if weight else 0.0
    inner = min(1 - 0.5 / len(y), max(0.5 / len(y), value))
    number = max(1.0, inner * (1 - inner) / (of_error + of_judge))
    low, high = wilson_interval(
        inner * number, number, quantile=t_quantile(0.975, max(1, _count(at) - 1))
    )
    bounded = min(1.0, max(0.0, value))
    return IntervalEstimate(
        value=bounded,
        low=min(low, bounded),
        high=max(high, bounded),
        n=len(y),
        groups=_count(at),
        method=PPI_TUNED,
    )


def _figure(
    value: float, variance: float, n: int, groups: int, freedom: float, method: str
) -> IntervalEstimate:
    """The figure with its t interval, held within 0 and 1.

    Where nothing varies the t interval would claim certainty; then it is the exact binomial one on
    the number of groups.
    """
    if variance <= 0:
        unseen = 1 - 0.025 ** (1 / groups)
        low, high = max(0.0, value - unseen), min(1.0, value + unseen)
    else:
        half = t_quantile(0.975, freedom) * sqrt(variance)
        low, high = max(0.0, value - half), min(1.0, value + half)
    bounded = min(1.0, max(0.0, value))
    return IntervalEstimate(value=bounded, low=low, high=high, n=n, groups=groups, method=method)


def _weight(
    f: "Column",
    y: "Column",
    u: "Column",
    at: "NDArray[np.int64]",
    at_u: "NDArray[np.int64]",
) -> float:
    """The weight that makes the interval smallest, 0 to 1.

    cov(f, y) / (var f + var of the unlabelled mean), all of means over groups; the covariance comes
    from var(y + f) - var(y - f) = 4 cov(f, y).
    """
    if _count(at) < 2:
        return 0.0
    y, g = y - y.mean(), f - f.mean()
    together = (cluster_variance(y + g, at) - cluster_variance(y - g, at)) / 4
    spread = cluster_variance(g, at) + cluster_variance(u - u.mean(), at_u)
    return min(1.0, max(0.0, together / spread)) if spread > 0 else 0.0


def _rogan_gladen(
    decided: "NDArray[np.bool_]",
    truth: "NDArray[np.bool_]",
    at: "NDArray[np.int64]",
    all_verdicts: "NDArray[np.bool_]",
) -> IntervalEstimate:
    """(judge's rate + specificity - 1) / (sensitivity + specificity - 1), with its interval."""
    blank = IntervalEstimate(value=None, n=len(truth), groups=_count(at), method=ROGAN_GLADEN)
    hit = share_of(decided[truth], at[truth])
    spared = share_of(~decided[~truth], at[~truth])
    if hit is None or spared is None:
        return blank
    sensitivity, specificity = hit.hits / hit.n, spared.hits / spared.n
    rate = float(all_verdicts.mean())
    if sensitivity + specificity <= 1.02:
        return blank
    value = (rate + specificity - 1) / (sensitivity + specificity - 1)
    z = normal_quantile(0.975)
    n, n_hit, n_spared = float(len(all_verdicts)), hit.effective_n, spared.effective_n
    # the estimates drawn to the middle, as Agresti and Coull do for one share
    rate = (n * rate + z * z / 2) / (n + z * z)
    sensitivity = (n_hit * sensitivity + 1) / (n_hit + 2)
    specificity = (n_spared * specificity + 1) / (n_spared + 2)
    youden = sensitivity + specificity - 1
    if youden <= 0.02:
        return blank
    middle = (rate + specificity - 1) / youden
    of_hit = sensitivity * (1 - sensitivity) / (n_hit + 2)
    of_spared = specificity * (1 - specificity) / (n_spared + 2)
    shift = 2 * z * z * (middle * of_hit - (1 - middle) * of_spared)
    variance = (
        rate * (1 - rate) / (n + z * z) + middle**2 * of_hit + (1 - middle) ** 2 * of_spared
    ) / youden**2
    half = z * sqrt(variance)
    return IntervalEstimate(
        value=min(1.0, max(0.0, value)),
        low=min(1.0, max(0.0, middle + shift - half)),
        high=max(0.0, min(1.0, middle + shift + half)),
        n=len(truth),
        groups=_count(at),
        method=ROGAN_GLADEN,
    )


def _saved(people: IntervalEstimate, tuned: IntervalEstimate) -> float | None:
    """The square of how many times wider people's interval is."""
    if None in (people.low, people.high, tuned.low, tuned.high):
        return None
    assert people.low is not None and people.high is not None
    assert tuned.low is not None and tuned.high is not None
    width = tuned.high - tuned.low
    return ((people.high - people.low) / width) ** 2 if width > 0 else None


def _count(at: "NDArray[np.int64]") -> int:
    """How many groups there are."""
    return int(at.max()) + 1 if len(at) else 0
