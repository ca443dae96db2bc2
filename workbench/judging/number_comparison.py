"""Numbers of a claim beside those of its evidence: read alike where they hold, compared where not. Pure.

*About 300,000 km/s* holds for 299,792 km/s, and 3 km for 3,000 m. Features that compare words and
their order know nothing of it, so the evidence is read with the claim's number in place of its own,
and the words that loosen the claim's number are not asked for. Offsets of the claim stay as they
are; a sentence of the evidence keeps its span in the source.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from workbench.judging.quantities import (
    Quantity,
    find_quantities,
    is_loosely_matched,
    matches,
    rivals,
    same_money,
    same_number,
)
from workbench.records.source import Passage
from workbench.records.text import Span

_MISREAD = str.maketrans("OoIl|SBZ", "00111582")
_RECOGNIZED = re.compile(
    r"(?<!\w)(?=[OoIl|]{0,2}\d)(?=\d*[OoIl|SBZ])[\dOoIl|SBZ]{2,24}(?=(?:[kcm]?m|[km]?g|t|ha|ft)?(?!\w))"
)
"""A figure in which text recognition left letters: 12O, l987."""
ILLEGIBLE = "__"
"""The beginning of what stands for such a figure where it may not be the claim's."""


def read_recognized(claim: str, passages: Sequence[Passage]) -> list[Passage]:
    """The passages of a scan as they may be meant; as long as they are, so spans hold.

    A figure with letters in it is read as the claim's figure where it may be that one, and
    elsewhere not at all: a misread letter is no evidence against a number.

    >>> passage = Passage(span=Span(0, 22), text="It is 12O m and l5 km.")
    >>> read_recognized("It is 120 m.", [passage])[0].text
    'It is 120 m and __ km.'
    """
    claimed = set(re.findall(r"\d+", claim))

    def read(match: re.Match[str]) -> str:
        digits = match[0].translate(_MISREAD)
        return digits if digits in claimed else ILLEGIBLE[0] * len(digits)

    return [replace(p, text=_RECOGNIZED.sub(read, p.text)) for p in passages]


@dataclass(frozen=True, slots=True)
class NumberAlignment:
    """The numbers of a claim that may hold for another number of the evidence."""

    claim: str
    numbers: tuple[Quantity, ...]
    silent: tuple[Span, ...]
    """In the claim: words such as *about*, where the number holds by them."""

    def reword(self, sentence: str) -> str:
        """A sentence of the evidence with the claim's numbers where they hold."""
        for other in reversed(find_quantities(sentence)):
            number = next((q for q in self.numbers if is_loosely_matched(q, other)), None)
            if number is not None:
                written = self.claim[number.start : number.unit_end]
                sentence = sentence[: other.start] + written + sentence[other.unit_end :]
        return sentence


def align_numbers(claim: str, passages: Sequence[Passage]) -> NumberAlignment | None:
    """The claim's numbers that hold loosely in the passages; None where there are none."""
    loose = [
        q
        for q in find_quantities(claim)
        if not q.weak and (q.approximation != "exact" or q.measure is not None)
    ]
    if not loose:
        return None
    others = [q for passage in passages for q in find_quantities(passage.text)]
    held = tuple(q for q in loose if any(is_loosely_matched(q, other) for other in others))
    silent = tuple(
        q.words for q in loose if q.approximation in ("about", "nearly") and matches(q, others)
    )
    return NumberAlignment(claim, held, silent) if held or silent else None


@dataclass(frozen=True, slots=True)
class NumberDifference:
    """A number of a claim and the number that the evidence gives for it."""

    claimed: str
    """With its unit, and the words that loosen it where it holds by them."""
    given: str
    """With its unit."""
    distance: str
    """By how much the evidence's is more or less; empty for years."""
    holds: bool
    """Whether the claim's words (about, nearly, …) allow it."""


def number_differences(
    claim: str, numbers: Sequence[Quantity], evidence: str, missing: Sequence[Quantity]
) -> list[NumberDifference]:
    """Where the evidence gives another number than the claim for the same thing, and by how much.

    Numbers that are equal, in whatever unit, are left out, and so is what has no counterpart.
    """
    others = find_quantities(evidence)
    rival_of = {pair[0]: pair[1] for pair in rivals(claim, missing, evidence)}
    differences = []
    for number in numbers:
        near = [q for q in others if q.kind and q.kind == number.kind and same_number(number, q)]
        other = rival_of.get(number)
        if other is None and near:
            # the same unit is easier to compare than one that has to be converted
            value = number.base_value
            other = min(
                near, key=lambda q: (q.measure != number.measure, abs(q.base_value - value))
            )
        exact = any(math.isclose(q.base_value, number.base_value) for q in near)
        if other is None or exact:
            continue
        holds = number.approximation != "exact" and number not in missing
        start = number.words.start if holds and number.words.start < number.start else number.start
        differences.append(
            NumberDifference(
                claimed=claim[start : max(number.unit_end, number.words.end if holds else 0)],
                given=evidence[other.start : other.unit_end],
                distance=_more_or_less(number, other),
                holds=holds,
            )
        )
    return differences


def _more_or_less(number: Quantity, other: Quantity) -> str:
    """By how much a number of the evidence is more or less than the claim's; empty for years."""
    if number.kind == "year" or not number.base_value:
        return ""
    if number.currency and other.currency and not same_money(number.currency, other.currency):
        return "another currency, which cannot be compared"
    if number.value * other.value < 0:
        return "of the other sign"
    if number.kind != other.kind:
        return "another unit, which cannot be compared"
    word = "more" if other.base_value > number.base_value else "less"
    if number.kind == "%":
        return f"{_short(abs(other.value - number.value))} percentage points {word}"
    if number.kind == "temperature" and number.measure == other.measure:
        return f"{_short(abs(other.value - number.value))} degrees {word}"
    share = 100 * abs(other.base_value / number.base_value - 1)
    if share >= 300:
        return f"{_short(other.base_value / number.base_value)} times as much"
    return f"{_short(share)} % {word}"


def _short(value: float) -> str:
    """Two decimals below 1, one below 10, none above; never 0 for what is more."""
    decimals = 2 if value < 1 else 1 if value < 10 else 0
    rounded = f"{value:,.{decimals}f}"
    shown = rounded.rstrip("0").rstrip(".") if "." in rounded else rounded
    return shown if shown != "0" else f"{value:.1g}"
