"""By how much a number of the evidence is another than the claim's, in words. Pure."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from workbench.judging.quantities import (
    Quantity,
    find_quantities,
    rivals,
    same_money,
    same_number,
)


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
            other = min(near, key=lambda q: (q.measure != number.measure, _distance(number, q)))
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


def _distance(number: Quantity, other: Quantity) -> float:
    return abs(number.base_value - other.base_value)


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
