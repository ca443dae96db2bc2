"""How far people agree on the evidence: overlap of the spans that they chose by hand.

Measured in characters, not corrected for chance: by chance two short spans in a long source hardly
ever meet.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from workbench.calibration.estimates import ClusterBootstrap, IntervalEstimate
from workbench.records.review import Rating
from workbench.records.text import Span


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceAgreement:
    """How far the spans of different people cover the same characters of the same text."""

    items: int
    """Where two people or more chose evidence in the same text."""
    one_sided: int
    """Where people gave the same label, and only some of them chose evidence."""
    f1: IntervalEstimate
    """Twice the shared characters over all chosen by either; averaged over pairs, then items."""
    jaccard: IntervalEstimate
    """The shared characters over those chosen by either, each counted once."""
    touching: IntervalEstimate
    """The share of pairs whose spans have a character in common."""


def merged(spans: Iterable[Span]) -> tuple[Span, ...]:
    """The same characters in spans that neither touch nor overlap, in order; empty ones gone."""
    merged_spans: list[Span] = []
    for span in sorted(span for span in spans if span.start < span.end):
        if merged_spans and span.start <= merged_spans[-1].end:
            merged_spans[-1] = Span(merged_spans[-1].start, max(merged_spans[-1].end, span.end))
        else:
            merged_spans.append(span)
    return tuple(merged_spans)


def covered(spans: Iterable[Span]) -> int:
    """How many characters the spans cover, each counted once."""
    return sum(span.end - span.start for span in merged(spans))


def shared(first: Sequence[Span], second: Sequence[Span]) -> int:
    """How many characters both sets of spans cover."""
    return covered(first) + covered(second) - covered([*first, *second])


def span_f1(first: Sequence[Span], second: Sequence[Span]) -> float | None:
    """Twice the shared characters over the sum of both; None where both are empty."""
    chosen = covered(first) + covered(second)
    return 2 * shared(first, second) / chosen if chosen else None


def span_jaccard(first: Sequence[Span], second: Sequence[Span]) -> float | None:
    """The shared characters over those of either; None where both are empty."""
    either = covered([*first, *second])
    return shared(first, second) / either if either else None


def evidence_agreement(
    ratings: Sequence[Rating], *, rounds: int = 1000, seed: int = 0
) -> EvidenceAgreement:
    """How far people chose the same evidence; only choices in the same text are compared.

    Figures are None without such items. Intervals are bootstrap over groups.
    """
    import numpy as np

    items: dict[str, dict[str, Rating]] = {}
    for rating in ratings:
        items.setdefault(rating.item, {})[rating.rater] = rating
    groups: list[str] = []
    rows: list[list[float]] = []
    one_sided = 0
    for item, unit in items.items():
        pairs = list(combinations(unit.values(), 2))
        one_sided += any(
            first.label == second.label and bool(first.evidence) != bool(second.evidence)
            for first, second in pairs
        )
        values = [
            (
                span_f1(first.evidence, second.evidence) or 0.0,
                span_jaccard(first.evidence, second.evidence) or 0.0,
                float(shared(first.evidence, second.evidence) > 0),
            )
            for first, second in pairs
            if first.evidence and second.evidence and first.text == second.text
        ]
        if values:
            rows.append([*(sum(column) / len(values) for column in zip(*values, strict=True)), 1.0])
            groups.append(next(iter(unit.values())).group or item)
    sums = ClusterBootstrap(groups, np.asarray(rows).reshape(-1, 4), rounds=rounds, seed=seed)

    def mean(column: int) -> IntervalEstimate:
        return sums.figure(lambda drawn: drawn[:, column] / drawn[:, 3], surest=1.0, spread=1.0)

    return EvidenceAgreement(
        items=len(rows), one_sided=one_sided, f1=mean(0), jaccard=mean(1), touching=mean(2)
    )
