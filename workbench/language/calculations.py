"""Figures that follow from others: shares, changes, sums, differences, multiples, means, durations.

`read_results` reads the figures of a sentence that may be calculated, fractions and multiples in
words among them, in English, German, French, Spanish and Chinese; `find_calculation` looks for one
step that leads to such a figure from given ones, within what its rounding and the words around it
allow. Decimals are exact to twelve places.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Literal, NamedTuple

from workbench.language.quantities import Quantity, find_quantities
from workbench.language.units import (
    CHINESE_DIGITS,
    FOREIGN,
    SMALL,
    Approximation,
    allowed_range,
    approximation_of,
)

Form = Literal["ratio", "points", "number"]
Operation = Literal[
    "share", "rest", "change", "times", "difference", "sum", "average", "product", "per"
]
MOST_OPERANDS = 24
"""Figures beyond this many are not combined: two of many figures give nearly any third."""
_LONGEST_SUM = 8
_WORD_SLACK = 0.02
"""What a fraction in words allows of itself; *almost* and *more than* allow up to `_LOOSE`."""
_LOOSE = 0.1

_ONE = ("a", "an", "ein", "eine", "einem", "einer", "un", "une", "una")
_NUMBER_WORDS = {**FOREIGN, **SMALL, **dict.fromkeys(_ONE, 1)}
_COUNT = "|".join(sorted((re.escape(word) for word in _NUMBER_WORDS), key=len, reverse=True))
_PARTS = {
    2: "half halves hälfte halbes halbe moitié mitad demi",
    3: "third thirds drittel tiers tercio tercios tercera",
    4: "quarter quarters viertel quart quarts cuarto cuartos cuarta",
    5: "fifth fifths fünftel cinquième cinquièmes quinto quintos quinta",
    6: "sixth sixths sechstel sixième sixièmes sexto sextos",
    7: "seventh sevenths siebtel septième septièmes séptimo séptimos",
    8: "eighth eighths achtel huitième huitièmes octavo octavos",
    9: "ninth ninths neuntel neuvième neuvièmes noveno novenos",
    10: "tenth tenths zehntel dixième dixièmes décimo décimos décima",
}
_PART_OF = {name: part for part, names in _PARTS.items() for name in names.split()}
_PART = "|".join(sorted(_PART_OF, key=len, reverse=True))
_FRACTION = re.compile(
    rf"\b(?:(?P<count>{_COUNT}|\d{{1,2}})[\s-])?(?P<part>{_PART})\b(?!-final)", re.IGNORECASE
)
_IN = re.compile(
    rf"\b(?P<count>{_COUNT}|\d{{1,3}})\s(?:\w+\s){{0,2}}?(?:in|out of|of every|von|von je|auf|sur|de cada)\s"
    rf"(?P<of>{_COUNT}|\d{{1,4}})\b",
    re.IGNORECASE,
)
_TIMES_WORDS = {
    2: r"twice|doubl(?:e[ds]?|ing)|twofold|(?:ver)?doppel\w*|zweimal|zweifach\w*|doubl\w+|duplic\w+"
    r"|el doble|翻了?一番",
    3: r"tripl(?:e[ds]?|ing)|threefold|thrice|verdreifach\w*|dreimal|dreifach\w*|tripl\w+|el triple",
    4: r"quadrupl\w+|fourfold|vervierfach\w*|viermal|vierfach\w*|cuadruplic\w+",
    5: r"quintupl\w+|fivefold|verfünffach\w*|fünfmal|fünffach\w*",
    0.5: r"halv(?:e[ds]?|ing)|halbier\w*|減半|减半",
}
_TIMES = re.compile(
    "|".join(
        f"(?P<times_{str(value).replace('.', '_')}>{words})"
        for value, words in _TIMES_WORDS.items()
    )
    + rf"|\b(?P<count>{_COUNT}|\d{{1,3}}(?:[.,]\d{{1,2}})?)[\s-]?(?:times\b|[- ]?mal\b|fois\b|veces\b)"
    rf"|(?P<east>[\d.]{{1,5}}|[{''.join(CHINESE_DIGITS)}十])\s?倍",
    re.IGNORECASE,
)
_EASTERN_SHARE = re.compile(
    rf"(?P<of>[\d{''.join(CHINESE_DIGITS)}十]{{1,3}})分之(?P<count>[\d{''.join(CHINESE_DIGITS)}十]{{1,3}})"
    rf"|(?P<tenths>[{''.join(CHINESE_DIGITS)}])成(?P<half>半)?|(?P<middle>一半|半数)"
)
_GOOD = re.compile(
    r"\b(?:gut|just over|a little (?:more|over)|slightly (?:more|over)|un peu plus)\b[\w\s]{0,12}\Z"
)


class CalculatedFigure(NamedTuple):
    """A figure of a sentence that may follow from others, at `text[start:end]`."""

    value: float
    """A fraction or a multiple for `ratio` (0.25 for 25 %), percentage points, or in ones."""
    form: Form
    start: int
    end: int
    least: float
    """The least and the greatest that its rounding and the words around it allow."""
    most: float
    kind: str = ""
    """What a `number` counts; empty where it is not said."""


class Calculation(NamedTuple):
    """One step from figures to another: `operands` by their place in what was given."""

    operation: Operation
    operands: tuple[int, ...]
    result: float


def read_results(text: str) -> list[CalculatedFigure]:
    """Return the figures of a text that may be calculated, in text order; offsets count its code points."""
    found = [*_worded(text)]
    taken = [(figure.start, figure.end) for figure in found]
    for quantity in find_quantities(text):
        if quantity.is_year and not quantity.measure and quantity.kind in ("", "year"):
            continue
        if any(start < quantity.end and quantity.start < end for start, end in taken):
            continue
        if quantity.weak and quantity.value < 2:
            continue
        found.append(_of_quantity(quantity))
    return sorted(found, key=lambda figure: figure.start)


def find_calculation(figure: CalculatedFigure, given: Sequence[Quantity]) -> Calculation | None:
    """Return one step that leads to a figure from given ones; None where none does.

    Shares and changes need two figures of one kind; sums and means a run of figures of one kind.
    """
    if len(given) > MOST_OPERANDS:
        given = given[-MOST_OPERANDS:]
    for calculation in _steps(figure, given):
        if figure.least - 1e-9 <= calculation.result <= figure.most + 1e-9:
            return calculation
    return None


def _steps(figure: CalculatedFigure, given: Sequence[Quantity]) -> Iterator[Calculation]:
    pairs = [
        (first, second)
        for first, second in combinations(range(len(given)), 2)
        if given[first].value > 0 and given[second].value > 0
    ]
    if figure.form == "points":
        for one, other in pairs:
            if given[one].unit == given[other].unit == "%":
                yield Calculation(
                    "difference", (one, other), abs(_base(given[one]) - _base(given[other]))
                )
        return
    alike = [(one, other) for one, other in pairs if _alike(given[one], given[other])]
    if figure.form == "ratio":
        for one, other in alike:
            low, high = sorted((one, other), key=lambda at: _base(given[at]))
            small, large = _base(given[low]), _base(given[high])
            if figure.value < 1:
                yield Calculation("share", (low, high), small / large)
            yield Calculation(
                "change", (one, other), abs(_base(given[other]) / _base(given[one]) - 1)
            )
            if figure.value > 1:
                yield Calculation("times", (low, high), large / small)
            elif figure.value < 1:
                yield Calculation("rest", (low, high), 1 - small / large)
        return
    for one, other in alike:
        if _fits(figure, given[one]):
            yield Calculation(
                "difference", (one, other), abs(_base(given[one]) - _base(given[other]))
            )
    for first in range(len(given)):
        total = _base(given[first])
        for last in range(first + 1, min(first + _LONGEST_SUM, len(given))):
            if not _alike(given[first], given[last]):
                break
            total += _base(given[last])
            members = tuple(range(first, last + 1))
            if _fits(figure, given[first]):
                yield Calculation("sum", members, total)
                yield Calculation("average", members, total / len(members))
    for one, other in pairs:
        if _alike(given[one], given[other]) and given[one].kind:
            continue
        yield Calculation("product", (one, other), _base(given[one]) * _base(given[other]))
        yield Calculation("per", (one, other), _base(given[one]) / _base(given[other]))
        yield Calculation("per", (other, one), _base(given[other]) / _base(given[one]))


def _base(quantity: Quantity) -> float:
    return abs(quantity.base_value)


def _alike(one: Quantity, other: Quantity) -> bool:
    """Whether two figures may count the same thing."""
    if "year" in (one.kind, other.kind) or (one.unit == "%") != (other.unit == "%"):
        return False
    if one.measure and other.measure:
        return one.measure.dimension == other.measure.dimension
    if one.measure or other.measure:
        return False
    return one.currency == other.currency or not (one.currency and other.currency)


def _fits(figure: CalculatedFigure, quantity: Quantity) -> bool:
    """Whether a figure may be the sum or the difference of such a one."""
    measured = quantity.measure.dimension if quantity.measure else quantity.currency
    return not figure.kind or not measured or figure.kind == measured


def _of_quantity(quantity: Quantity) -> CalculatedFigure:
    """A figure as it is written, with what its last digit and the words around it allow."""
    scale = quantity.measure.factor if quantity.measure else 1.0
    value = _base(quantity)
    least, most = allowed_range(quantity.approximation, value, quantity.step * scale, is_year=False)
    if quantity.approximation == "exact":
        slack = min(quantity.step * scale / 2, 0.01 * value)
        least, most = value - slack, value + slack
    elif quantity.approximation in ("over", "under"):
        least, most = max(least, value * (1 - _LOOSE)), min(most, value * (1 + _LOOSE))
    form: Form = "number"
    if quantity.kind == "percentage points":
        form = "points"
    elif quantity.unit == "%":
        form, value, least, most = "ratio", value / 100, least / 100, most / 100
    measured = quantity.measure.dimension if quantity.measure else quantity.currency
    return CalculatedFigure(
        value, form, quantity.start, quantity.end, least, most,
        measured if form == "number" else "",
    )  # fmt: skip


def _worded(text: str) -> Iterator[CalculatedFigure]:
    """Fractions and multiples in words."""
    taken = 0
    matches = [
        *_IN.finditer(text), *_FRACTION.finditer(text), *_TIMES.finditer(text),
        *_EASTERN_SHARE.finditer(text),
    ]  # fmt: skip
    for match in sorted(matches, key=lambda match: (match.start(), -match.end())):
        value = _value(match) if match.start() >= taken else None
        if value:
            taken = match.end()
            yield _loosened(text, value, match.start(), match.end())


def _value(match: re.Match[str]) -> float | None:
    groups = {name: words for name, words in match.groupdict().items() if words}
    times = next((name for name in groups if name.startswith("times_")), None)
    if times:
        return float(times.removeprefix("times_").replace("_", "."))
    if "middle" in groups:
        return 0.5
    if "tenths" in groups:
        return _count(groups["tenths"]) / 10 + (0.05 if "half" in groups else 0)
    if "east" in groups:
        return _count(groups["east"])
    count = _count(groups.get("count", "1"))
    if "of" in groups:
        whole = _count(groups["of"])
        return count / whole if 0 < count < whole else None
    if "part" in groups:
        part = _PART_OF[groups["part"].lower()]
        return count / part if count < part else None
    return count if count > 1 else None


def _count(words: str) -> float:
    folded = words.lower()
    if folded in _NUMBER_WORDS:
        return float(_NUMBER_WORDS[folded])
    if folded[:1] in CHINESE_DIGITS or folded[:1] == "十":
        return float(10 if folded == "十" else CHINESE_DIGITS.get(folded, 0))
    try:
        return float(folded.replace(",", "."))
    except ValueError:
        return 0.0


def _loosened(text: str, value: float, start: int, end: int) -> CalculatedFigure:
    approximation: Approximation = approximation_of(text, start, end)[0]
    if approximation == "exact" and _GOOD.search(text[max(0, start - 30) : start]):
        approximation = "over"
    below = above = _WORD_SLACK * value
    if approximation in ("about", "nearly"):
        below = _LOOSE * value / 2
    if approximation in ("about",):
        above = below
    elif approximation == "nearly":
        below, above = _LOOSE * value, 0.0
    elif approximation == "over":
        below, above = 0.0, _LOOSE * 2 * value
    elif approximation == "under":
        below, above = _LOOSE * 2 * value, 0.0
    return CalculatedFigure(value, "ratio", start, end, value - below, value + above)
