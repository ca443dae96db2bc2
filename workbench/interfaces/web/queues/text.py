"""Queues in words: what is in them, how far they are, how long the rest takes; pure."""

import statistics
from collections.abc import Sequence

from workbench.presentation.escape import truncate
from workbench.records import (
    Queue,
    QueueOrder,
    QueueProgress,
    QueueSummary,
    Role,
)

ORDER_WORDS: dict[QueueOrder, str] = {
    "uncertain_first": "Uncertain first",
    "random": "Random",
    "document": "By document",
}
ROLE_WORDS: dict[Role, str] = {"review": "Review", "adjudication": "Adjudication"}
LONG_BREAK = 4.0
"""A decision that took so many times the usual was a break: it counts as that much."""
SKIP_REASONS = (
    "Needs an expert",
    "Cannot read the language",
    "The source is not usable",
    "I am not impartial",
    "Later",
)
"""Offered where an item is passed over; any other words do as well."""


def pace(recent_s: Sequence[float]) -> float | None:
    """Seconds a decision takes by the newest ones, breaks cut short; None without any."""
    if not recent_s:
        return None
    usual = max(statistics.median(recent_s), 1.0)
    return statistics.fmean(min(one, LONG_BREAK * usual) for one in recent_s)


def span_words(seconds: float) -> str:
    """A length of time as people say it: `40 s`, `12 min`, `1 h 10 min`."""
    if seconds < 60:
        return f"{max(round(seconds), 1)} s"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} min"
    hours, rest = divmod(5 * round(minutes / 5), 60)
    return f"{hours} h {rest} min" if rest else f"{hours} h"


def remaining_words(progress: QueueProgress) -> str:
    """How long the rest takes at this reviewer's pace; empty without a pace or a rest."""
    each = pace(progress.recent_s)
    if each is None or not progress.left:
        return ""
    whose = "your" if progress.mine else "the usual"
    return f"about {span_words(each * progress.left)} at {whose} pace"


def progress_words(queue: Queue, progress: QueueProgress) -> list[str]:
    """How far a reviewer is, in parts that are read one after another."""
    if queue.reviews > 1 or queue.reviewers:
        whole = min(progress.items, progress.mine + progress.left + progress.skipped)
        parts = [f"{progress.mine} of {whole} by you"]
        if queue.reviews > 1:
            parts.append(f"{progress.given} of {progress.wanted} reviews in all")
        elif progress.done != progress.mine:
            parts.append(f"{progress.done} of {progress.items} in all")
    else:
        parts = [f"{progress.done} of {progress.items}"]
        if 0 < progress.mine < progress.done:
            parts.append(f"{progress.mine} by you")
    if progress.skipped:
        parts.append(f"{progress.skipped} skipped")
    remaining = remaining_words(progress)
    if remaining:
        parts.append(remaining)
    return parts


def summary_words(line: QueueSummary) -> list[str]:
    """How a queue is worked on: order, reviews an item, who may, blind, role."""
    queue = line.queue
    parts = [ORDER_WORDS[queue.order]]
    if queue.role == "adjudication":
        parts.insert(0, ROLE_WORDS[queue.role])
    if queue.blind:
        parts.append("blind")
    if queue.reviews > 1:
        parts.append(f"{queue.reviews} reviews an item")
    people = ", ".join(truncate(name, 40) for name in queue.reviewers)
    parts.append(f"for {people}" if people else "for anybody")
    return parts
