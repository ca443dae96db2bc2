"""How reviewers work: how far the judge pulls them, how fast they label, how long the rest takes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from workbench.calibration.estimates import ClusterBootstrap, IntervalEstimate
from workbench.records.review import BlindDecision

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Rows = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class AutomationBias:
    """What seeing the judge did to blind decisions."""

    shown: int
    """Decisions after which the judge was shown and that stand in some form."""
    unshown: int
    """Blind decisions after which it was not; they are not counted below."""
    before: IntervalEstimate
    """The share that agreed with the judge before it was shown."""
    after: IntervalEstimate
    """The share that agrees with it now."""
    shift: IntervalEstimate
    """`after` less `before`: above 0, people were drawn to the judge."""
    taken_over: IntervalEstimate
    """Of those who disagreed at first, the share that took over the judge's label."""
    turned_away: IntervalEstimate
    """Of those who agreed at first, the share that left the judge's label."""


def automation_bias(
    decisions: Sequence[BlindDecision], *, rounds: int = 1000, seed: int = 0
) -> AutomationBias:
    """What seeing the judge did to people's decisions.

    A decision that changed after the judge was shown need not have changed because of it: a second
    look alone changes some. Compare `taken_over` with `turned_away`. Figures are None where nothing
    was shown. Intervals are bootstrap over groups, the decisions of one group together.
    """
    import numpy as np

    seen_decisions = [decision for decision in decisions if decision.after is not None]
    rows = np.array(
        [
            [
                decision.first == decision.judge,
                decision.after == decision.judge,
                decision.first != decision.judge and decision.after == decision.judge,
                decision.first == decision.judge and decision.after != decision.judge,
                1,
            ]
            for decision in seen_decisions
        ],
        dtype=np.float64,
    ).reshape(-1, 5)
    sums = ClusterBootstrap(
        [decision.group or decision.item for decision in seen_decisions],
        rows,
        rounds=rounds,
        seed=seed,
    )
    agreed = int(rows[:, 0].sum())

    def figure(
        statistic: "Callable[[Rows], Rows]", n: int, difference: bool = False
    ) -> IntervalEstimate:
        def defined(drawn: "Rows") -> "Rows":
            with np.errstate(invalid="ignore", divide="ignore"):
                return statistic(drawn)

        return sums.figure(defined, n=n, difference=difference)

    number = len(seen_decisions)
    return AutomationBias(
        shown=number,
        unshown=len(decisions) - number,
        before=figure(lambda drawn: drawn[:, 0] / drawn[:, 4], number),
        after=figure(lambda drawn: drawn[:, 1] / drawn[:, 4], number),
        shift=figure(lambda drawn: (drawn[:, 1] - drawn[:, 0]) / drawn[:, 4], number, True),
        taken_over=figure(lambda drawn: drawn[:, 2] / (drawn[:, 4] - drawn[:, 0]), number - agreed),
        turned_away=figure(lambda drawn: drawn[:, 3] / drawn[:, 0], agreed),
    )


IDLE_S = 300.0
"""Longer than this on one item, somebody was not at work on it."""
LONG_BREAK = 4.0
"""A decision that took this many times the median was a break: it counts as that much."""
Z95 = 1.959964


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """What a decision takes."""

    mean_s: float
    deviation_s: float
    """Of single decisions; 0 for one decision."""
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Remaining:
    """How long the rest will take at the measured pace."""

    seconds: float
    low: float
    high: float
    """The 95 % prediction interval."""
    n: int
    """Decisions that the pace was measured on."""


def labelling_rate(seconds: Sequence[float], idle_s: float = IDLE_S) -> Pace | None:
    """The mean and spread of what decisions took, breaks cut short; None for none.

    Each counts for at most `idle_s`, and for at most `LONG_BREAK` times the median (of 1 s at
    least).
    """
    if not seconds:
        return None
    longest = min(idle_s, LONG_BREAK * max(median(seconds), 1.0))
    cut = [min(max(duration, 0.0), longest) for duration in seconds]
    mean = sum(cut) / len(cut)
    squares = sum((duration - mean) ** 2 for duration in cut)
    deviation = (squares / (len(cut) - 1)) ** 0.5 if len(cut) > 1 else 0.0
    return Pace(mean_s=mean, deviation_s=deviation, n=len(cut))


def remaining(left: int, seconds: Sequence[float], idle_s: float = IDLE_S) -> Remaining | None:
    """How long `left` items will take; None without a measured decision.

    The interval is the normal one for the sum of `left` further decisions like the `n` measured:
    left (mean ± 1.96 deviation √(1/n + 1/left)), not below 0. It knows nothing of breaks.
    """
    measured = labelling_rate(seconds, idle_s)
    if measured is None:
        return None
    if left <= 0:
        return Remaining(seconds=0.0, low=0.0, high=0.0, n=measured.n)
    error = Z95 * measured.deviation_s * (1 / measured.n + 1 / left) ** 0.5
    return Remaining(
        seconds=left * measured.mean_s,
        low=max(0.0, left * (measured.mean_s - error)),
        high=left * (measured.mean_s + error),
        n=measured.n,
    )
