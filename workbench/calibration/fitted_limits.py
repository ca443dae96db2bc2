"""A judge's limit fitted to one's own labels, and the test that admits it.

The limit is fitted on some labels and tested on others that are kept apart: what was fitted to the
same labels always looks better than it is. It is admitted where the lower bounds of sensitivity
(the share of supported items that it accepts) and specificity (the share of all others that it
rejects) both hold the target. Each bound is one-sided and exact (Clopper and Pearson 1934), at 90 %
confidence unless asked otherwise, on the effective number of items where those of one group hang
together (Korn and Graubard 1998). So a limit whose true sensitivity or true specificity is below
the target is admitted with a chance of 10 % at most at each look.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Literal

from workbench.calibration.active_learning import rounded_up
from workbench.calibration.classification_report import UNTESTED
from workbench.calibration.compare import PredictionSet, balanced_figure, compare
from workbench.calibration.estimates import IntervalEstimate, incomplete_beta, lower_bound, share_of
from workbench.calibration.metrics import balanced_accuracy, best_threshold
from workbench.records.evaluation import JudgeKey
from workbench.records.review import EvaluationExample
from workbench.records.text import JsonDict

FITTED_FROM = 25
"""With fewer labels nothing is fitted."""
RATE_TARGET, RATE_CONFIDENCE = 0.70, 0.90
KIND_LEAST = 10
"""A kind of source gets a limit of its own where each side has so many supported items and so many
others. Seven are the fewest that can hold a target of 70 % at 90 % confidence (.7 ** 7 < .1)."""
MOST_LABELS = 100_000
"""No more labels than this are asked for."""

NoLimit = Literal["", "one_class", "equal_scores", "no_better_than_chance"]
Shortfall = Literal["", "labels", "groups", "rate"]
"""Why a limit is not admitted: more labels would decide, labels in more groups would, or the rate
itself is not above the target."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldOutRate:
    """A sensitivity or specificity on the labels kept apart."""

    hits: int
    n: int
    groups: int
    effective_n: float
    """Independent items that they are worth."""
    low: float
    """The one-sided lower bound; 0 without items."""

    @property
    def value(self) -> float | None:
        """The rate seen; None without items."""
        return self.hits / self.n if self.n else None

    def to_dict(self) -> JsonDict:
        """The rate as reports hold it."""
        return {
            "value": None if self.value is None else round(self.value, 4),
            "lower_bound": round(self.low, 4),
            "hits": self.hits,
            "n": self.n,
            "groups": self.groups,
            "effective_n": round(self.effective_n, 1),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedLimit:
    """A limit fitted to labels, and how it does on others."""

    kind: str
    """The kind of source that it is for; empty for all kinds."""
    limit: float | None
    """Scores at or above it count as supported, others as not; None where none can be fitted."""
    no_limit: NoLimit = ""
    """Why none can be fitted."""
    fitted_on: int
    """Labels."""
    fitted_supported: int
    """Of them, those that say supported."""
    target: float
    confidence: float
    sensitivity: HeldOutRate
    specificity: HeldOutRate
    shortfall: Shortfall = ""
    """Why it is not admitted, where there is a limit."""
    labels_needed: int | None = None
    """Further labels, of all parts together, that would bring both bounds to the target if the rates
    stay as seen; None where it is admitted, or no number of them would."""
    missing: tuple[int, int] = (0, 0)
    """Of them, supported items and others that have to be among those kept apart."""
    as_judged: IntervalEstimate
    """Balanced accuracy of the judge's own verdicts on the labels kept apart."""
    with_limit: IntervalEstimate
    """That of the limit on the same labels."""
    gain: IntervalEstimate
    """The paired difference of the two, by a bootstrap over groups."""

    @property
    def tested_on(self) -> int:
        """Labels kept apart."""
        return self.sensitivity.n + self.specificity.n

    @property
    def admitted(self) -> bool:
        """Whether both lower bounds hold the target, so that the limit may decide."""
        return self.limit is not None and not self.shortfall

    def to_dict(self) -> JsonDict:
        """The limit as reports hold it."""
        return {
            "kind": self.kind or None,
            "limit": self.limit,
            "no_limit": self.no_limit or None,
            "admitted": self.admitted,
            "target": self.target,
            "confidence": self.confidence,
            "fitted_on": self.fitted_on,
            "tested_on": self.tested_on,
            "sensitivity": self.sensitivity.to_dict(),
            "specificity": self.specificity.to_dict(),
            "shortfall": self.shortfall or None,
            "labels_needed": self.labels_needed,
            "balanced_accuracy": {
                "as_judged": self.as_judged.to_dict(),
                "with_limit": self.with_limit.to_dict(),
                "gain": self.gain.to_dict(),
            },
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeLimits:
    """The limits of one judge that its labels give."""

    judge: JudgeKey
    labels: int
    """Labels that can be fitted on or tested on; those of the locked test part do not count."""
    labels_needed: int = 0
    """Further labels, of all parts together, until something is fitted."""
    limits: tuple[FittedLimit, ...] = ()
    """The one for all kinds of source first, then those of kinds with enough labels of their own;
    empty with fewer labels than `FITTED_FROM`."""

    @property
    def joint(self) -> FittedLimit | None:
        """The limit for all kinds of source."""
        return self.limits[0] if self.limits else None

    @property
    def admitted(self) -> tuple[FittedLimit, ...]:
        """Those that may decide. A kind without one of its own goes by the joint limit."""
        return tuple(limit for limit in self.limits if limit.admitted)


def fit_limits(
    judge: JudgeKey,
    fitting: Sequence[EvaluationExample],
    apart: Sequence[EvaluationExample],
    *,
    target: float = RATE_TARGET,
    confidence: float = RATE_CONFIDENCE,
    apart_share: float = 0.3,
    open_share: float = 0.7,
) -> JudgeLimits:
    """The limits fitted on some labels and tested on others, for all kinds of source and for each.

    A limit is the one with the best balanced accuracy of *supported* on `fitting`, half way between
    two scores; among equals the middle one.

    Args:
        judge: Whose scores these are.
        fitting: Labelled items to fit on.
        apart: Labelled items kept apart; none may share a group with `fitting`.
        target: What both lower bounds must reach, above 0 and below 1.
        confidence: Of each bound.
        apart_share: The share of new labels that are kept apart.
        open_share: The share of new labels that are on either side.
    """
    fitting, apart = _tested(fitting), _tested(apart)
    labels = len(fitting) + len(apart)
    if labels < FITTED_FROM:
        needed = ceil((FITTED_FROM - labels) / open_share)
        return JudgeLimits(judge=judge, labels=labels, labels_needed=needed)
    kinds = sorted({_kind(example) for example in fitting} - {""})
    sides = [("", fitting, apart)]
    # of one kind alone the joint limit is that kind's already
    for kind in kinds if len(kinds) > 1 else ():
        own, own_apart = _of_kind(fitting, kind), _of_kind(apart, kind)
        if _enough(own) and _enough(own_apart):
            sides.append((kind, own, own_apart))
    return JudgeLimits(
        judge=judge,
        labels=labels,
        limits=tuple(
            _fit(
                kind, own, own_apart, target, confidence,
                apart_share * (len(own_apart) / len(apart) if kind else 1.0),
            )
            for kind, own, own_apart in sides
        ),
    )  # fmt: skip


def _tested(examples: Sequence[EvaluationExample]) -> list[EvaluationExample]:
    return [example for example in examples if example.human not in UNTESTED]


def _kind(example: EvaluationExample) -> str:
    return dict(example.slices).get("source type", "")


def _of_kind(examples: Sequence[EvaluationExample], kind: str) -> list[EvaluationExample]:
    return [example for example in examples if _kind(example) == kind]


def _enough(examples: Sequence[EvaluationExample]) -> bool:
    supported = sum(example.human == "supported" for example in examples)
    return min(supported, len(examples) - supported) >= KIND_LEAST


def _fit(
    kind: str,
    fitting: Sequence[EvaluationExample],
    apart: Sequence[EvaluationExample],
    target: float,
    confidence: float,
    apart_share: float,
) -> FittedLimit:
    truth = [example.human == "supported" for example in fitting]
    scores = [example.score for example in fitting]
    limit, no_limit = best_limit(scores, truth)
    positive = [example.human == "supported" for example in apart]
    groups = [example.group for example in apart]
    own = [example.judge == "supported" for example in apart]
    decided = own if limit is None else [example.score >= limit for example in apart]
    rates = held_out_rates(decided, positive, groups, confidence)
    shortfall: Shortfall = ""
    needed, missing = None, (0, 0)
    if limit is not None and min(rate.low for rate in rates) < target:
        shortfall, needed, missing = _shortfall(rates, target, confidence, apart_share)
    gain = compare(_said(own), _said(decided), positive, groups).balanced_accuracy
    return FittedLimit(
        kind=kind,
        limit=limit,
        no_limit=no_limit,
        fitted_on=len(fitting),
        fitted_supported=sum(truth),
        target=target,
        confidence=confidence,
        sensitivity=rates[0],
        specificity=rates[1],
        shortfall=shortfall,
        labels_needed=needed,
        missing=missing,
        as_judged=balanced_figure(own, positive, groups),
        with_limit=balanced_figure(decided, positive, groups),
        gain=gain,
    )


def best_limit(scores: Sequence[float], truth: Sequence[bool]) -> tuple[float | None, NoLimit]:
    """The limit with the best balanced accuracy on these labels, or why there is none."""
    limit = best_threshold(scores, truth)
    if limit is None:
        return None, "one_class"
    if len(set(scores)) == 1:
        return None, "equal_scores"
    if (balanced_accuracy([score >= limit for score in scores], truth) or 0.0) <= 0.5:
        return None, "no_better_than_chance"
    return limit, ""


def held_out_rates(
    decided: Sequence[bool],
    truth: Sequence[bool],
    groups: Sequence[str],
    confidence: float = RATE_CONFIDENCE,
) -> tuple[HeldOutRate, HeldOutRate]:
    """Sensitivity and specificity with their lower bounds; see the module."""
    sides: dict[bool, list[tuple[bool, str]]] = {True: [], False: []}
    for said, is_supported, group in zip(decided, truth, groups, strict=True):
        sides[is_supported].append((said == is_supported, group))
    return _rate(sides[True], confidence), _rate(sides[False], confidence)


def _rate(hits: Sequence[tuple[bool, str]], confidence: float) -> HeldOutRate:
    share = share_of([hit for hit, _ in hits], [group for _, group in hits])
    if share is None:
        return HeldOutRate(hits=0, n=0, groups=0, effective_n=0.0, low=0.0)
    effective_hits = share.hits / share.n * share.effective_n
    return HeldOutRate(
        hits=share.hits,
        n=share.n,
        groups=share.groups,
        effective_n=share.effective_n,
        low=lower_bound(effective_hits, share.effective_n, confidence),
    )


def _said(supported: Sequence[bool]) -> PredictionSet:
    return PredictionSet(supported=supported, scores=[float(value) for value in supported])


def _shortfall(
    rates: Sequence[HeldOutRate], target: float, confidence: float, apart_share: float
) -> tuple[Shortfall, int | None, tuple[int, int]]:
    """What is missing, the labels that would bring it, and those of each class kept apart."""
    if any(rate.n and rate.hits / rate.n <= target for rate in rates):
        return "rate", None, (0, 0)
    # with one group nobody knows how far its items hang together
    if any(rate.n > 1 and rate.groups == 1 for rate in rates):
        return "groups", None, (0, 0)
    supported, others = (_items_needed(rate, target, confidence) for rate in rates)
    if supported is None or others is None:
        return "rate", None, (0, 0)
    n = rates[0].n + rates[1].n
    labels = max(
        # classes come as they came so far; of one that has not been seen, as often as the other
        more / (apart_share * (rate.n / n if 0 < rate.n < n else 0.5))
        for more, rate in ((supported, rates[0]), (others, rates[1]))
    )
    return "labels", rounded_up(labels - 1e-9), (supported, others)


def _items_needed(rate: HeldOutRate, target: float, confidence: float) -> int | None:
    """How many more items of a class bring its bound to the target; None where too many would.

    The rate, and how many independent items one is worth, stay as they were seen; without items
    every one is taken to be decided rightly.
    """
    share = rate.hits / rate.n if rate.n else 1.0
    worth = rate.effective_n / rate.n if rate.n else 1.0

    def holds(n: int) -> bool:
        k = share * n * worth
        return incomplete_beta(k, n * worth - k + 1, target) <= 1 - confidence

    if rate.n and rate.low >= target:
        return 0
    high = rate.n + 1
    while not holds(high):
        high *= 2
        if high > MOST_LABELS:
            return None
    low = rate.n
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high - rate.n
