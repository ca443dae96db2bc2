"""The figures of a claim that may follow from others, with what rounding and words allow of each. Pure."""

import re
from dataclasses import replace
from decimal import Decimal
from typing import Literal

from workbench.language.assertions import Language
from workbench.language.figure_words import (
    ClaimedFigure,
    FigureWords,
    exact,
    figure_words,
    half_units,
    read_dates,
    worded_approximation,
    worded_figures,
)
from workbench.language.quantities import Quantity, find_quantities
from workbench.language.source_figures import (
    is_label,
    kind_of,
    noun_of,
)
from workbench.language.tokenization import is_unspaced
from workbench.language.units import Measure, allowed_range, read_measure

_COUNTS_NOTHING = frozenset(
    "first second third fourth fifth sixth seventh eighth ninth tenth half once one a".split()
)


def _is_clock(text: str, quantity: Quantity) -> bool:
    """Whether a number is part of a time of day: 18:00."""
    before, after = text[max(0, quantity.start - 3) : quantity.start], text[quantity.end :]
    return bool(re.match(r":\d\d(?!\d)", after) or re.search(r"\d:\Z", before))


def claimed_figures(claim: str, language: Language) -> list[ClaimedFigure]:
    """Return the figures of a claim that may be calculated, in text order."""
    words = figure_words(language)
    found: list[ClaimedFigure] = []
    taken: list[tuple[int, int]] = []
    dates = [(day.start, day.end) for day in read_dates(claim, language)]

    def is_free(start: int, end: int) -> bool:
        return not any(a < end and start < b for a, b in (*taken, *dates))

    for amount, unit, start, end in half_units(claim):
        measure = read_measure(" " + unit, 0)
        if measure and is_free(start, end):
            value = amount * exact(measure[0].factor)
            below, above = {
                "over": (Decimal(0), Decimal("0.1")), "nearly": (Decimal("0.1"), Decimal(0)),
                "about": (Decimal("0.06"), Decimal("0.06")),
            }.get(worded_approximation(claim, start, end), (Decimal("0.03"), Decimal("0.03")))  # fmt: skip
            found.append(
                ClaimedFigure(
                    value,
                    "number",
                    start,
                    end,
                    value * (1 - below),
                    value * (1 + above),
                    measure[0].dimension,
                )
            )
            taken.append((start, end))
    if half := re.search(
        r"half a percentage[ -]point|half a point|einen halben Prozentpunkt|un demi-point"
        r"|medio punto(?: porcentual)?|半个百分点",
        claim,
        re.I,
    ):
        tenth = Decimal("0.05")
        found.append(
            ClaimedFigure(
                Decimal("0.5"),
                "points",
                *half.span(),
                Decimal("0.5") - tenth,
                Decimal("0.5") + tenth,
            )
        )
        taken.append(half.span())
    for worded in worded_figures(claim):
        if is_free(worded.start, worded.end):
            found.append(worded)
            taken.append((worded.start, worded.end))
    quantities = find_quantities(claim, language in ("de", "fr", "es"))
    skipped = -1
    for number, quantity in enumerate(quantities):
        if number == skipped or not is_free(quantity.start, quantity.end):
            continue
        text = claim[quantity.start : quantity.end]
        if quantity.is_year and not quantity.measure and not quantity.currency and text.isdigit():
            continue
        if re.match(r"(?:st|nd|rd|th|e|è|ème|º|ª)\b", claim[quantity.end :]) or (
            quantity.weak and quantity.value < 2 and not quantity.measure
        ):
            continue
        if text.lower() in _COUNTS_NOTHING or _is_clock(claim, quantity):
            continue
        before = claim[max(0, quantity.start - 8) : quantity.start]
        if (
            quantity.value <= 12
            and not quantity.measure
            and quantity.unit != "%"
            and not quantity.currency
            and re.search(
                r"(?:\b(?:the|all|these|those|its|their|of|die|der|den|dem|alle|les|des|ses|ces|los|las|sus|estos)\s|[这各全]\s?)\Z",
                before,
                re.I,
            )
        ):
            continue  # all five
        figure = _of_quantity(claim, quantity, words)
        following = quantities[number + 1] if number + 1 < len(quantities) else None
        if is_label(claim, quantity):
            continue
        if following and _is_compound(claim, quantity, following):
            more = _of_quantity(claim, following, words)
            figure = figure._replace(
                value=figure.value + more.value, end=more.end,
                least=figure.value + more.least, most=figure.value + more.most,
            )  # fmt: skip
            skipped = number + 1
        found.append(figure)
    for match in words.rank.finditer(claim):
        rank = _rank(match, words, claim)
        if rank:
            found.append(rank)
    return sorted(found, key=lambda figure: figure.start)


def _is_compound(text: str, first: Quantity, second: Quantity) -> bool:
    """Whether two numbers are one duration: 2 hours 30 minutes."""
    return bool(
        first.measure and second.measure and first.measure.dimension == second.measure.dimension == "time"
        and first.measure.factor > second.measure.factor
        and re.fullmatch(r"\s?(?:and|und|et|y|,)?\s?", text[first.unit_end : second.start])
    )  # fmt: skip


def _rank(match: re.Match[str], words: FigureWords, claim: str) -> ClaimedFigure | None:
    groups = match.groupdict()
    raw = (
        groups.get("ordinal")
        or groups.get("of")
        or groups.get("place")
        or groups.get("after")
        or groups.get("number")
        or ""
    )
    digits = re.sub(r"\D", "", raw)
    place = int(digits) if digits else words.ordinals.get(raw.lower(), 1 if not raw else 0)
    if not place:
        return None
    written = match[0].strip(" ，。的")
    if not raw and (
        written.lower() in words.vague or re.search(r"\bat\s\Z", claim[: match.start()])
    ):
        return None
    value = Decimal(-place if groups.get("least") else place)
    return ClaimedFigure(value, "rank", match.start(), match.end(), value, value)


def _of_quantity(text: str, quantity: Quantity, words: FigureWords) -> ClaimedFigure:
    """A figure as it is written, with what its last digit and the words around it allow."""
    kind, value = kind_of(quantity)
    if (
        quantity.scale == 1e6
        and re.search(r"\sm\.?\Z", text[quantity.start : quantity.end])
        and not quantity.currency
    ):
        quantity = replace(
            quantity,
            value=quantity.value / 1e6,
            scale=1.0,
            step=quantity.step / 1e6,
            measure=Measure("length", 1.0),
            kind="length",
            unit_end=quantity.end,
        )
        kind, value = kind_of(quantity)
    scale = abs(value / exact(quantity.value)) if quantity.value else Decimal(1)
    value = abs(value)
    written = text[quantity.start : quantity.end]
    last = _last_digit(written, quantity) * scale
    approximation = quantity.approximation
    if re.search(r"\b(?:add\w*|sum\w*|amount\w*)\s+up\s+to\s+\Z", text[: quantity.start], re.I):
        approximation = "exact"
    elif approximation == "exact":
        approximation = worded_approximation(
            text, quantity.start, quantity.unit_end or quantity.end
        )
    step = exact(quantity.step) * scale
    low, high = allowed_range(approximation, float(value), float(step), is_year=False)
    least, most = exact(low), exact(high)
    half = last / 2
    if approximation == "exact":
        slack = half
        if kind not in ("%", "points") and last < 10 and quantity.scale == 1:
            slack = min(half, Decimal("0.06") * value)
        least, most = value - slack, value + slack
    elif approximation == "over":
        least, most = (
            value,
            max(value * Decimal("1.2"), value + last)
            if value < 20
            else value * (Decimal("1.08") if kind == "%" else Decimal("1.15")),
        )
        least += Decimal("1e-6") * value
    elif approximation == "under":
        least, most = value * Decimal("0.85"), value * Decimal("0.999999")
    elif approximation == "nearly":
        least, most = min(value * Decimal("0.94"), value - last), value
    else:
        least, most = min(least, value - half), max(most, value + half)
    form: Literal["points", "ratio", "number"] = "number"
    if kind == "points":
        form, kind = "points", ""
    elif kind == "%":
        form, kind = "ratio", ""
        value, least, most = value / 100, least / 100, most / 100
    return ClaimedFigure(
        value, form, quantity.start, max(quantity.end, quantity.unit_end if kind or form != "number" else 0),
        least, most, kind, noun_of(quantity, words)
        or ("" if not is_unspaced(text[quantity.end : quantity.end + 1]) else text[quantity.end]),
        quantity, approximation,
    )  # fmt: skip


def _last_digit(written: str, quantity: Quantity) -> Decimal:
    """The worth of the last digit that is written: 0.1 for 3.5, 1 for 300, 100,000 for 1.2 million."""
    scale = exact(quantity.scale) or Decimal(1)
    step = exact(quantity.step) or Decimal(1)
    bare = re.search(r"\d[\d.,\s]*", written)
    if not bare or step < scale:
        return min(step, scale)
    return scale
