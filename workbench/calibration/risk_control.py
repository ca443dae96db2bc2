"""A threshold that holds a target on items not yet seen, with stated confidence, or none.

Learn then Test (Angelopoulos, Bates, Candès, Jordan and Lei 2021) with exact binomial p-values and
the fallback procedure (Wiens and Dmitrienko 2005): thresholds are tested from the strictest on; the
error that is allowed is shared among a few starts, and a test that succeeds hands its share on to
the next. The chance that any threshold passes which misses the target is at most 1 - confidence,
when the labelled items are a random sample of those the threshold will be used on.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import log, sqrt

from workbench.calibration.active_learning import rounded_up
from workbench.calibration.estimates import (
    ProportionEstimate,
    binomial_cdf,
    incomplete_beta,
    normal_quantile,
    t_quantile,
)
from workbench.calibration.thresholds import OperatingPoint, Side
from workbench.errors import UsageError
from workbench.records.text import JsonDict

STARTS = 3
ENOUGH = 1_000_000
"""No more labels than this are asked for."""
POWER = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class RiskGuarantee:
    """Whether a threshold holds a target, and what that rests on."""

    side: Side
    """`accept`: what is at or above the threshold; `reject`: what is below it."""
    target: float
    """The share of accepted (rejected) items that must be rightly so."""
    confidence: float
    holds: bool
    threshold: float | None = None
    """The loosest one that holds; None where none does."""
    n: int
    """Labelled items."""
    decided: int = 0
    """Of them, those that the threshold accepts (rejects)."""
    right: int = 0
    effective_n: float = 0.0
    """Independent items that `decided` is worth."""
    coverage: float = 0.0
    """The share of items that the threshold decides."""
    labels_needed: int | None = None
    """Further labels with which some threshold would hold with a chance of 80 %, if the rates stay
    as they were seen; None where one holds, or where no number of labels would do."""
    best: float | None = None
    """Where none holds: the best share seen at a threshold that decides enough to judge by."""

    def to_dict(self) -> JsonDict:
        """The published JSON, with what it rests on."""
        return {
            "side": self.side,
            "target": self.target,
            "confidence": self.confidence,
            "holds": self.holds,
            "threshold": self.threshold,
            "labels_needed": self.labels_needed,
            "n": self.n,
            "decided": self.decided,
            "right": self.right,
            "effective_n": round(self.effective_n, 1),
            "coverage": round(self.coverage, 4),
        }

    @property
    def sentence(self) -> str:
        """The guarantee as a person says it."""
        decision = "accepted" if self.side == "accept" else "rejected"
        word = "At or above" if self.side == "accept" else "Below"
        if self.holds:
            return (
                f"{word} {self.threshold:.3f}, at least {self.target:.0%} of what is {decision} is "
                f"rightly so, with {self.confidence:.0%} confidence ({self.right:,} of "
                f"{self.decided:,} labelled items; it decides {self.coverage:.0%} of all)."
            )
        sentence = (
            f"The labels do not show that any threshold is right in {self.target:.0%} of what is "
            f"{decision}, with {self.confidence:.0%} confidence."
        )
        return f"{sentence} {self.missing}"

    @property
    def missing(self) -> str:
        """What it would take where nothing holds, as a sentence."""
        if self.labels_needed is not None:
            return f"About {self.labels_needed:,} more labels would, at the rates seen."
        if self.best is None or self.best >= self.target:
            return "These are too few to say how many more would."
        return (
            "At the rates seen no number of labels would: of the thresholds that decide enough items "
            f"to judge by, the best is right in {self.best:.0%}."
        )


HANDFUL = 10
"""Fewer items say nothing about a rate."""


@dataclass(frozen=True, slots=True)
class _Test:
    threshold: float
    decided: int
    right: int
    effective: float

    def p_value(self, target: float) -> float:
        """The chance of so few wrong ones if the share of right ones were just below the target."""
        if not self.decided:
            return 1.0
        wrong = self.decided - self.right
        if self.effective == self.decided:
            return binomial_cdf(wrong, self.decided, 1 - target)
        return _tail(wrong / self.decided, self.effective, target)

    def unlucky_p_value(self, target: float, factor: float) -> float:
        """The p-value on `factor` times the items that will not be passed with a chance of 80 %."""
        if self.decided < HANDFUL:
            return 1.0
        # nothing wrong may have been seen: the median of the rates that fit, by Jeffreys' prior
        wrong = (self.decided - self.right + 1 / 6) / (self.decided + 1 / 3)
        n = self.effective * factor
        return _tail(wrong + normal_quantile(POWER) * sqrt(wrong * (1 - wrong) / n), n, target)


def _tail(wrong: float, n: float, target: float) -> float:
    """The binomial tail between whole numbers, by its beta form."""
    k = wrong * n
    return 1.0 if k >= n else incomplete_beta(n - k, k + 1, target)


def guarantee(
    cuts: Sequence[OperatingPoint], target: float, confidence: float = 0.95, side: Side = "accept"
) -> RiskGuarantee:
    """The loosest threshold of a sweep that holds a target, or how many labels are missing.

    `cuts` must come from `sweep` with a grid that was fixed before the scores were seen. Groups of
    dependent items count as their effective number; with few groups that number is itself an
    estimate, and the statement approximate.

    Raises:
        UsageError: Target or confidence is not between 0 and 1.
    """
    for name, value in (("target", target), ("confidence", confidence)):
        if not 0 < value < 1:
            raise UsageError(f"The {name} of a guarantee must be between 0 and 1, not {value}.")
    n = cuts[0].n if cuts else 0
    tests = [_test(cut, side) for cut in cuts]
    if side == "reject":
        tests.reverse()
    passed = _fallback(tests, target, 1 - confidence)
    blank = RiskGuarantee(side=side, target=target, confidence=confidence, holds=False, n=n)
    if passed is not None:
        return replace(
            blank,
            holds=True,
            threshold=passed.threshold,
            decided=passed.decided,
            right=passed.right,
            effective_n=passed.effective,
            coverage=passed.decided / n,
        )
    large_enough = [
        test for test in tests if test.effective >= _fewest_items(target, 1 - confidence)
    ]
    best = max((test.right / test.decided for test in large_enough), default=None)
    needed = _needed(tests, n, target, 1 - confidence)
    return replace(blank, labels_needed=needed, best=best)


def abstain_band(
    cuts: Sequence[OperatingPoint],
    target: float,
    confidence: float = 0.95,
    reject_target: float | None = None,
) -> tuple[RiskGuarantee, RiskGuarantee]:
    """The two thresholds between which a human is asked; both hold together at the confidence.

    Each side gets half of the error that is allowed (Bonferroni). Where the thresholds would cross,
    both stay as they are: what lies between them meets either target.
    """
    half = 1 - (1 - confidence) / 2
    accept = guarantee(cuts, target, half, "accept")
    reject = guarantee(cuts, reject_target or target, half, "reject")
    return replace(accept, confidence=confidence), replace(reject, confidence=confidence)


def _test(cut: OperatingPoint, side: Side) -> _Test:
    share: ProportionEstimate | None = cut.precision if side == "accept" else cut.rejection
    if share is None:
        return _Test(cut.threshold, 0, 0, 0.0)
    effective = share.effective_n
    if 1 < share.groups < share.n:
        # the interval's allowance for few groups is for 95 %; tests go further into the tail
        effective *= _small_sample_factor(0.975, share) / _small_sample_factor(0.9975, share)
    return _Test(cut.threshold, share.n, share.hits, effective)


def _small_sample_factor(p: float, share: ProportionEstimate) -> float:
    return (t_quantile(p, share.groups - 1) / t_quantile(p, share.n - 1)) ** 2


def _fewest_items(target: float, allowed: float) -> float:
    """So many items, all right, would just do."""
    return log(allowed) / log(target)


def _fallback(
    tests: Sequence[_Test], target: float, allowed: float, factor: float | None = None
) -> _Test | None:
    """The loosest of the thresholds that pass; None where none does.

    Starts lie where the number of decided items first reaches 2, 4 and 8 times the fewest that
    could do: counts alone choose them, never the labels. With a factor, as it would be expected on
    so many times the items.
    """
    starts: set[int] = set()
    least_items = _fewest_items(target, allowed / STARTS) * 2
    for number, test in enumerate(tests):
        items = test.effective * (factor or 1.0)
        if items >= least_items and len(starts) < STARTS:
            starts.add(number)
            while least_items <= items:
                least_items *= 2
    passed, carried = None, 0.0
    for number, test in enumerate(tests):
        level = carried + (allowed / STARTS if number in starts else 0.0)
        p = 1.0
        if level:
            p = test.unlucky_p_value(target, factor) if factor else test.p_value(target)
        if p <= level:
            passed, carried = test, level
        else:
            carried = 0.0
    return passed


def _needed(tests: Sequence[_Test], n: int, target: float, allowed: float) -> int | None:
    """Further labels after which some threshold would pass with a chance of 80 %."""
    expected: list[_Test] = []
    for test in reversed(tests):
        # a threshold that has decided a handful is expected to be as right as the next looser one
        known = expected[-1] if expected and test.decided < HANDFUL else test
        expected.append(replace(test, decided=known.decided, right=known.right))
    expected.reverse()
    factor = _factor(lambda many: _fallback(expected, target, allowed, many) is not None)
    if factor is None or factor * n > ENOUGH:
        return None
    return max(1, rounded_up((factor - 1) * n))


def _factor(holds: Callable[[float], bool]) -> float | None:
    """The smallest factor from 1 on that is enough, to 1 %; None beyond 2^20."""
    high = 1.0
    while not holds(high):
        high *= 2
        if high > 2**20:
            return None
    low = high / 2
    while high / low > 1.01:
        middle = sqrt(low * high)
        low, high = (low, middle) if holds(middle) else (middle, high)
    return max(1.0, high)
