"""Which items to label next, and how many labels an interval still needs."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, log2

from workbench.calibration.estimates import IntervalEstimate
from workbench.errors import UsageError

REASONS = ("uncertain", "judges differ", "slice with few labels")


@dataclass(frozen=True, slots=True, kw_only=True)
class UnlabelledExample:
    """An item without a label."""

    item: str
    score: float
    """The judge's P(supported), 0 to 1."""
    verdicts: tuple[str, ...] = ()
    """Of the judges that looked at it."""
    slices: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LabellingSuggestion:
    """An item worth a label, and why."""

    item: str
    worth: float
    """0 to 3: the sum of the three reasons, 0 to 1 each."""
    reason: str
    """The one that weighs most."""


def select_for_labelling(
    candidates: Sequence[UnlabelledExample],
    labelled: Sequence[Sequence[tuple[str, str]]],
    many: int = 50,
    threshold: float = 0.5,
) -> list[LabellingSuggestion]:
    """The items whose labels would teach most, best first; ties in the order given.

    Worth is the binary entropy of the score moved so that the threshold lies at one half, plus the
    share of judges that are in the minority, times two, plus how far the item's rarest slice is
    behind in labels: 1 - labels share / items share. What is picked counts as labelled from then
    on, so that one slice does not fill the list. A list made this way is not a random sample: rates
    and guarantees need one.

    Args:
        candidates: Items without a label.
        labelled: The slices of each item that has one.
        many: The most to return.
        threshold: On the score, above 0 and below 1.
    """
    if not 0 < threshold < 1:
        raise UsageError(f"The threshold must be between 0 and 1, not {threshold}.")
    items = Counter(item_slice for candidate in candidates for item_slice in candidate.slices)
    items.update(item_slice for slices in labelled for item_slice in slices)
    labels = Counter(item_slice for slices in labelled for item_slice in slices)
    total, labelled_count = len(candidates) + len(labelled), len(labelled)
    base = [
        (_entropy(_recentered(candidate.score, threshold)), _minority(candidate.verdicts))
        for candidate in candidates
    ]
    # an item's worth changes through its slices alone: candidates of the same slices keep their
    # order among each other, so only the head of each line is looked at
    lines: dict[tuple[tuple[str, str], ...], list[int]] = {}
    for number in sorted(range(len(candidates)), key=lambda i: -sum(base[i])):
        lines.setdefault(candidates[number].slices, []).append(number)
    heads = dict.fromkeys(lines, 0)
    suggestions: list[LabellingSuggestion] = []
    while heads and len(suggestions) < many:
        shortfalls = {
            slices: max(
                (
                    _shortfall(labels[item_slice], labelled_count, items[item_slice], total)
                    for item_slice in slices
                ),
                default=0.0,
            )
            for slices in heads
        }
        best = max(
            heads, key=lambda slices: sum(base[lines[slices][heads[slices]]]) + shortfalls[slices]
        )
        number = lines[best][heads[best]]
        parts = (*base[number], shortfalls[best])
        suggestions.append(
            LabellingSuggestion(
                item=candidates[number].item,
                worth=sum(parts),
                reason=REASONS[parts.index(max(parts))],
            )
        )
        labels.update(best)
        labelled_count += 1
        heads[best] += 1
        if heads[best] == len(lines[best]):
            del heads[best]
    return suggestions


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """What more labels would do to an interval."""

    more: int
    """Labels beyond those there are."""
    half_width: float
    """Half the interval's width then."""


def forecast(
    figure: IntervalEstimate, factors: Sequence[float] = (0.75, 0.5, 0.25)
) -> list[Forecast]:
    """How many more labels bring the interval to these shares of its width.

    Widths shrink with the square root of the number of labels, if new items come in groups of the
    same size and the rates stay as seen. Empty where the figure has no interval.
    """
    if figure.low is None or figure.high is None or not figure.n:
        return []
    half, n = (figure.high - figure.low) / 2, figure.n
    # rounded first, or a hair above a whole number would ask for one more
    needed = [round(n * (factor**-2 - 1), 6) for factor in factors]
    return [
        Forecast(more=max(0, rounded_up(more)), half_width=half * factor)
        for more, factor in zip(needed, factors, strict=True)
    ]


def rounded_up(needed: float) -> int:
    """A number of labels that are still needed: no more than two of its digits are known.

    >>> rounded_up(7.2), rounded_up(64), rounded_up(1071)
    (8, 64, 1100)
    """
    step: int = 10 ** max(0, len(str(ceil(needed))) - 2)
    return ceil(needed / step) * step


def _recentered(score: float, threshold: float) -> float:
    """The score with the threshold drawn to one half, both sides stretched evenly."""
    if score < threshold:
        return score / threshold / 2
    return 0.5 + (score - threshold) / (1 - threshold) / 2


def _entropy(p: float) -> float:
    return 0.0 if p <= 0 or p >= 1 else -p * log2(p) - (1 - p) * log2(1 - p)


def _minority(verdicts: Sequence[str]) -> float:
    if len(verdicts) < 2:
        return 0.0
    return min(1.0, 2 * (1 - max(Counter(verdicts).values()) / len(verdicts)))


def _shortfall(labels: int, labelled_count: int, items: int, total: int) -> float:
    """1 for a slice without labels, 0 for one that has its share of them or more."""
    if not labelled_count:
        return 1.0
    return max(0.0, 1 - (labels / labelled_count) / (items / total))
