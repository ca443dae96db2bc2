"""A judge asked about the same frozen items again and again: has it changed?

Agreement with people is compared with a baseline, item by item. Looking often finds a change
sooner or later where there is none, so the looks share one error rate: look number i takes
0.05 / (i (i + 1)) of it, which adds up to 0.05 however many looks follow. What was said at a look
therefore never changes with later ones, and in a series in which nothing changes, the chance that
any look reports drift is at most 5 %.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import copysign, inf, sqrt
from typing import Literal, get_args

from workbench.calibration.classification_report import UNTESTED
from workbench.calibration.compare import Comparison, PredictionSet, compare, grouped_mcnemar
from workbench.calibration.estimates import (
    ProportionEstimate,
    cluster_variance,
    group_indices,
    normal_quantile,
    share_of,
    t_quantile,
)
from workbench.errors import UsageError
from workbench.records.evaluation import JudgeKey
from workbench.records.reference_sets import (
    Prediction,
    ReferenceEvaluation,
    ReferenceExampleStatus,
    ReferenceSet,
)
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


FlipKind = Literal["broken", "fixed", "still_wrong", "still_right"]
FLIP_KINDS: tuple[FlipKind, ...] = get_args(FlipKind)
"""Right and wrong are against people's label, on supported or not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Flip:
    """An item that was judged twice."""

    first: Prediction
    second: Prediction

    @property
    def item(self) -> str:
        """Its name in statistics."""
        return self.second.item

    @property
    def kind(self) -> FlipKind:
        """What changed."""
        if self.first.right:
            return "still_right" if self.second.right else "broken"
        return "fixed" if self.second.right else "still_wrong"

    @property
    def changed(self) -> bool:
        """Whether the label changed; it may have, and still be as right or as wrong."""
        return self.first.label != self.second.label

    def to_dict(self) -> JsonDict:
        """The flip as reports hold it."""
        run_id, _, citation_id = self.item.partition("/")
        return {
            "run_id": run_id,
            "citation_id": citation_id,
            "kind": self.kind,
            "human": self.second.human,
            "first": _prediction_dict(self.first),
            "second": _prediction_dict(self.second),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Flips:
    """Two judgments of each of the same items."""

    comparison: Comparison
    """The second against the first."""
    change: AgreementChange | None
    """Of agreement with people, at 95 %; None without items."""
    items: tuple[Flip, ...]
    """All of them: broken, fixed, still wrong, still right; the surest second thoughts first."""

    @property
    def counts(self) -> dict[FlipKind, int]:
        """How many of each kind."""
        counted = Counter(flip.kind for flip in self.items)
        return {kind: counted[kind] for kind in FLIP_KINDS}

    @property
    def changed(self) -> tuple[Flip, ...]:
        """Those whose label is another one than before."""
        return tuple(flip for flip in self.items if flip.changed)

    def to_dict(self) -> JsonDict:
        """As reports hold it; items whose label did not change are counted, not listed."""
        return {
            **{str(kind): number for kind, number in self.counts.items()},
            "changed": len(self.changed),
            "comparison": self.comparison.to_dict(),
            "change": self.change.to_dict() if self.change else None,
            "flips": [flip.to_dict() for flip in self.changed],
        }


def flips(
    first: Sequence[Prediction], second: Sequence[Prediction], *, rounds: int = 1000
) -> Flips:
    """What the second time changed, over the items that were judged both times.

    An item whose human label is `unverifiable` or `cannot_tell` tests no judge and is left out, as
    is one to which the judge gave no verdict in either time. The human label is that of the second
    time, so that both are compared with the same one.
    """
    before = {prediction.item: prediction for prediction in first if not prediction.error}
    pairs = [
        Flip(first=before[prediction.item], second=prediction)
        for prediction in second
        if prediction.item in before and not prediction.error and prediction.human not in UNTESTED
    ]
    pairs.sort(
        key=lambda flip: (
            FLIP_KINDS.index(flip.kind),
            -abs(flip.second.score - flip.first.score),
            flip.item,
        )
    )
    return Flips(
        comparison=compare(
            _prediction_set([flip.first for flip in pairs]),
            _prediction_set([flip.second for flip in pairs]),
            [flip.second.human == "supported" for flip in pairs],
            [flip.second.group for flip in pairs],
            rounds=rounds,
        ),
        change=change([flip.first for flip in pairs], [flip.second for flip in pairs], ERROR_RATE),
        items=tuple(pairs),
    )


def _prediction_set(predictions: Sequence[Prediction]) -> PredictionSet:
    return PredictionSet(
        supported=[prediction.label == "supported" for prediction in predictions],
        scores=[prediction.score for prediction in predictions],
    )


def _prediction_dict(prediction: Prediction) -> JsonDict:
    return {"label": prediction.label, "score": prediction.score, "rationale": prediction.rationale}


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeHistory:
    """One judge with one prompt, asked about an anchor set again and again."""

    judge: JudgeKey
    evaluations: tuple[ReferenceEvaluation, ...]
    """Oldest first; those without an answer are left out."""
    interim_analyses: tuple[InterimAnalysis, ...]
    """One for each."""

    @property
    def last(self) -> InterimAnalysis:
        """The newest look."""
        return self.interim_analyses[-1]


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftReport:
    """An anchor set, its state today, and the series of each judge."""

    anchors: ReferenceSet
    states: tuple[ReferenceExampleStatus, ...]
    series: tuple[JudgeHistory, ...]
    """Most askings first."""
    tolerance: float

    @property
    def drifted(self) -> bool:
        """Whether the newest look of any series reports drift."""
        return any(series.last.verdict == "drift" for series in self.series)

    @property
    def erased(self) -> int:
        """Items that are gone with their outputs."""
        return self.anchors.size - len(self.states)

    @property
    def relabelled(self) -> tuple[ReferenceExampleStatus, ...]:
        """Items whose label today is another one than the frozen one, which still counts."""
        return tuple(state for state in self.states if state.label != state.anchor.gold)

    @property
    def moved(self) -> int:
        """Items with a corrected claim or another source text today; judges still get the frozen version."""
        return sum(state.moved for state in self.states)

    @property
    def unreadable(self) -> int:
        """Items whose frozen text is gone: they cannot be judged."""
        return sum(not state.readable for state in self.states)

    @property
    def locked(self) -> int:
        """Items that stand in the locked test set of the current split."""
        return sum(state.part == "test" for state in self.states)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnchorCandidate:
    """A labelled item with a readable source."""

    item: str
    label: str
    question: str
    domain: str


def choose_anchors(
    candidates: Sequence[AnchorCandidate], many: int, *, seed: int = 0
) -> list[AnchorCandidate]:
    """At most `many` of the candidates; the same candidates and seed give the same choice.

    Every label gets as many places as the others, as far as it has items: an anchor set watches a
    judge, and a rare label that is judged worse than before must show. Within a label the next item
    comes from the question that was drawn least, then from the domain that was, then by a hash of
    its name with the seed. The order of the candidates does not matter.

    Raises:
        UsageError: Fewer than one item is asked for.
    """
    if many < 1:
        raise UsageError(f"A reference set needs at least one example, not {many}.")
    strata: dict[str, list[AnchorCandidate]] = defaultdict(list)
    for candidate in candidates:
        strata[candidate.label].append(candidate)
    places = _even({label: len(items) for label, items in strata.items()}, many)
    return [
        anchor for label in sorted(strata) for anchor in _spread(strata[label], places[label], seed)
    ]


def _even(sizes: dict[str, int], many: int) -> dict[str, int]:
    """How many places each label gets: what small ones leave over is shared by the larger ones."""
    places: dict[str, int] = {}
    remaining = min(many, sum(sizes.values()))
    for number, label in enumerate(sorted(sizes, key=lambda name: (sizes[name], name))):
        # the smallest first: what it cannot fill goes to those that come
        places[label] = min(sizes[label], remaining // (len(sizes) - number))
        remaining -= places[label]
    return places


def _spread(items: Sequence[AnchorCandidate], many: int, seed: int) -> list[AnchorCandidate]:
    ordered = sorted(items, key=lambda candidate: _draw(seed, candidate.item))
    in_question: dict[str, int] = defaultdict(int)
    ranked: list[tuple[int, AnchorCandidate]] = []
    for candidate in ordered:
        ranked.append((in_question[candidate.question], candidate))
        in_question[candidate.question] += 1
    in_domain: dict[tuple[int, str], int] = defaultdict(int)
    placed: list[tuple[int, int, int, AnchorCandidate]] = []
    for number, (turn, candidate) in enumerate(ranked):
        placed.append((turn, in_domain[turn, candidate.domain], number, candidate))
        in_domain[turn, candidate.domain] += 1
    placed.sort(key=lambda place: place[:3])
    return [candidate for *_, candidate in placed[:many]]


def _draw(seed: int, item: str) -> str:
    name = f"{seed} {item}".encode("utf-8", "surrogatepass")
    return hashlib.sha256(name).hexdigest()
