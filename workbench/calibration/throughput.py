"""How fast people label, and how long the rest will take."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import median

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

    @property
    def per_hour(self) -> float:
        """Labels an hour at this pace; instantaneous ones count as a tenth of a second."""
        return 3600 / max(self.mean_s, 0.1)


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


def time_at_work(moments: Sequence[datetime], idle_s: float = IDLE_S) -> float:
    """Seconds between decisions, pauses longer than `idle_s` left out; for labels without times."""
    ordered = sorted(moments)
    gaps = (
        (later - earlier).total_seconds()
        for earlier, later in zip(ordered, ordered[1:], strict=False)
    )
    return sum(gap for gap in gaps if gap <= idle_s)
