"""Numbers of a text with their value and unit, written in figures or in words. Pure."""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from workbench.judging.approximations import (
    SHARE,
    Approximation,
    allowed_range,
    approximation_of,
)
from workbench.judging.tokenization import STOPWORDS, is_unspaced
from workbench.judging.units import Measure, read_measure
from workbench.records import Span

LONGEST = 24
"""A longer row of digits is a code, not a number."""

_SMALL = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14,
    "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20,
    "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7,
    "eighth": 8, "ninth": 9, "tenth": 10, "once": 1, "twice": 2, "dozen": 12, "half": 0.5,
}  # fmt: skip
_SCALE = {
    "hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12,
    "k": 1e3, "m": 1e6, "bn": 1e9, "tn": 1e12, "mn": 1e6, "万": 1e4, "亿": 1e8,
    "千": 1e3, "百": 1e2, "十万": 1e5, "百万": 1e6, "千万": 1e7, "十亿": 1e9, "百亿": 1e10,
    "千亿": 1e11, "万亿": 1e12, "millionen": 1e6, "mio": 1e6, "milliarde": 1e9,
    "milliarden": 1e9, "mrd": 1e9, "billionen": 1e12, "milliard": 1e9, "millón": 1e6,
    "millone": 1e6, "mil millone": 1e9, "billone": 1e12, "tausend": 1e3, "mille": 1e3, "mil": 1e3,
}  # fmt: skip
_TENS = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
_UNITS = "one|two|three|four|five|six|seven|eight|nine"
_ENGLISH_FIGURE = (
    r"\d{1,3}(?:\.\d{3}){2,}(?!\d)|\d+(?:[,\u00a0\u202f]\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
)
_CONTINENTAL_FIGURE = (
    r"\d{1,3}(?:[.\u00a0\u202f '’]\d{3})+(?!\d)(?:,\d+)?|\d+,\d{1,2}(?!\d)"
    r"|" + _ENGLISH_FIGURE
)
"""German, French and Spanish set a comma before the decimals, and a dot or a space in thousands."""
_LENGTH_FOLLOWS = r"[a-z/²³^]|\s(?:wide|long|tall|high|deep|thick|above|below|away|in\b)"
_SCALE_WORDS = (
    r"hundred|thousand|millionen|million|millón|millone|billionen|billone|billion|trillion"
    r"|mio(?=\b)|milliarden?|milliard|mrd(?=\b)|bn|mn|tn|k(?![a-z])"
    rf"|(?:(?<=\d)|(?<=[€$£¥]\d\s)|(?<=[€$£¥]\d\d\s)|(?<=\.\d\s))m(?!{_LENGTH_FOLLOWS})"
    r"|十万|百万|千万|万亿|十亿|百亿|千亿|[万亿千百]"
)
_CONTINENTAL_SCALES = r"mil\smillone|tausend(?=\b)|mille(?=\b)|mil(?=\b)|"


def _number_pattern(figure: str, scales: str) -> re.Pattern[str]:
    return re.compile(
        rf"(?<![A-Za-z0-9_.])(?P<figure>{figure})"
        rf"(?:\s?(?P<scale>(?:{scales})s?))?"
        r"(?:st|nd|rd|th)?"
        r"(?:\s?(?P<unit>%|percent\b|per\s?cent\b|Prozent\b|pour\s?cent\b|por\s?ciento\b|％"
        r"|[A-Za-z\u00b0€£$]{1,12}))?"
        rf"|\b(?P<word>(?:{_TENS})[- ](?:{_UNITS})|{'|'.join(sorted(_SMALL, key=len)[::-1])})\b"
        r"(?:[ -](?P<wscale>hundred|thousand|million|billion|trillion)\b)?"
        r"(?:\s(?P<wunit>percent\b|per\s?cent\b|[a-z]{3,12}))?",
        re.IGNORECASE,
    )


_NUMBER = _number_pattern(_ENGLISH_FIGURE, _SCALE_WORDS)
_CONTINENTAL_NUMBER = _number_pattern(_CONTINENTAL_FIGURE, _CONTINENTAL_SCALES + _SCALE_WORDS)
_RATE_BEFORE = re.compile(r"每(秒|小时)\s?$")
_PERCENT = re.compile(r"%|％|per\s?cent|prozent|po[u]?r\s?c(?:ent|iento)", re.IGNORECASE)
_CONTINENTAL_WORDS = re.compile(
    r"\b(?:der|die|das|und|ist|nicht|mit|von|rund|etwa|knapp|sich|le|les|des|est|une|dans|et|du|à|"
    r"environ|près|la|el|los|las|una|unos|del|por|con|que|es|de)\b", re.IGNORECASE
)  # fmt: skip
_ENGLISH_WORDS = re.compile(
    r"\b(?:the|of|and|is|was|were|in|at|to|with|for|by|from|an|has|that)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number in a text: `value` in ones, `unit` folded (`%`, `km`, the noun that follows)."""

    value: float
    unit: str
    start: int
    end: int
    weak: bool
    """True for small numbers written as a word (one, first, second), which often count nothing."""
    step: float = 0.0
    """The worth of its last digit that is not zero."""
    kind: str = ""
    """What it counts: a year, its currency, what it measures, or its unit; empty if not said."""
    measure: Measure | None = None
    """Its unit, where powers of ten convert it."""
    unit_end: int = 0
    """Where its unit ends."""
    approximation: Approximation = "exact"
    words: Span = Span(0, 0)
    """The words that loosen it; empty for none."""

    @property
    def is_year(self) -> bool:
        """Whether the figure reads as a year."""
        return 1500 <= self.value <= 2100 and self.value == int(self.value) and self.unit != "%"

    @property
    def base_value(self) -> float:
        """The number in base units of what it measures."""
        return self.value * (self.measure.factor if self.measure else 1.0)


def find_quantities(text: str) -> list[Quantity]:
    """Every number of a text in text order; offsets cover the figure or word with its scale."""
    quantities = []
    continental = len(_CONTINENTAL_WORDS.findall(text)) > len(_ENGLISH_WORDS.findall(text))
    for match in (_CONTINENTAL_NUMBER if continental else _NUMBER).finditer(text):
        decimals = 0
        if match["figure"]:
            if len(match["figure"]) > LONGEST:
                continue
            digits, decimals = _plain_figure(match["figure"], continental)
            value = float(digits)
            scale, unit, weak = match["scale"], match["unit"], False
            end = match.end("scale") if scale else match.end("figure")
        else:
            word = match["word"].lower()
            parts = re.split(r"[- ]", word)
            value = float(sum(_SMALL[part] for part in parts))
            scale, unit = match["wscale"], match["wunit"]
            end = match.end("wscale") if scale else match.end("word")
            weak = not scale and (value <= 2 or word in ("third", "second", "half"))
        factor = _SCALE[" ".join(scale.lower().split()).rstrip("s")] if scale else 1.0
        bare = Quantity(value * factor, _unit(unit), match.start(), end, weak)
        measured = read_measure(text, end)
        kind = _kind(text, bare, measured[0] if measured else None)
        unit_end = measured[1] if measured else _unit_end(text, bare, kind, match.end())
        approximation, opening, closing = approximation_of(text, match.start(), unit_end)
        quantities.append(
            replace(
                bare,
                step=_step(value, decimals) * factor,
                kind=kind,
                measure=measured[0] if measured else None,
                unit_end=unit_end,
                approximation=approximation,
                words=Span(opening, closing),
            )
        )
    return quantities


def _unit_end(text: str, quantity: Quantity, kind: str, end: int) -> int:
    """Where the unit of a number ends that no table knows."""
    if kind and len(kind) == 1 and text.startswith(kind, quantity.end) and is_unspaced(kind):
        return quantity.end + 1
    return end if quantity.unit and quantity.unit not in STOPWORDS else quantity.end


def _plain_figure(figure: str, continental: bool) -> tuple[str, int]:
    """A figure as Python reads it, and how many decimals it has."""
    plain = re.sub(r"[\u00a0\u202f '’]", "", figure)
    if plain.count(".") > 1 or (
        continental and re.fullmatch(r"\d{1,3}(?:\.\d{3})+(?:,\d+)?", plain)
    ):
        plain = plain.replace(".", "")
        plain = plain.replace(",", ".")
    elif continental and re.fullmatch(r"\d+,(?:\d{1,2}|\d{4,})", plain):
        plain = plain.replace(",", ".")
    else:
        plain = plain.replace(",", "")
    return plain, len(plain.partition(".")[2])


def _step(value: float, decimals: int) -> float:
    """The worth of the last digit that is not zero."""
    digits = f"{value:.{decimals}f}".replace(".", "")
    zeros = len(digits) - len(digits.rstrip("0"))
    return 10.0 ** (zeros - decimals) if digits.strip("0") else 0.0


def rivals(
    claim: str, missing: Iterable[Quantity], evidence: str
) -> list[tuple[Quantity, Quantity]]:
    """Numbers of a claim that a text gives otherwise: same unit, currency or both years.

    Each missing number comes with the first number of the text that the claim does not hold and
    that counts the same thing; in another unit of the same kind (m/s for km/s) only where the two
    are at most twice apart.
    """
    evidence_numbers, claim_numbers = find_quantities(evidence), find_quantities(claim)
    spare = [q for q in evidence_numbers if not any(_agree(c, q) for c in claim_numbers)]
    pairs = []
    for number in missing:
        rival = next((q for q in spare if _rivals(number, q)), None)
        if rival is not None:
            pairs.append((number, rival))
    return pairs


def matches(quantity: Quantity, others: Iterable[Quantity]) -> bool:
    """Whether a number stands among others: equal, equal once rounded, or within its approximation.

    Units of one kind are converted; what an approximation allows is `approximations.allowed_range`.
    """
    return any(_same(quantity, other) for other in others)


def is_loosely_matched(quantity: Quantity, other: Quantity) -> bool:
    """Whether a number of the same kind holds only by the words around it, or in another unit.

    *About 300,000 km/s* and 299,792 km/s; 3 km and 3,000 m; not 300,000 and 300,000.
    """
    if not quantity.kind or quantity.kind != other.kind or not _same(quantity, other):
        return False
    if math.isclose(quantity.base_value, other.base_value):
        return quantity.measure != other.measure
    return quantity.approximation != "exact"


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
        near = [q for q in others if q.kind and q.kind == number.kind and _same(number, q)]
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
    word = "more" if other.base_value > number.base_value else "less"
    if number.kind == "%":
        return f"{_short(abs(other.value - number.value))} percentage points {word}"
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


def _same(quantity: Quantity, other: Quantity) -> bool:
    if (quantity.unit == "%") != (other.unit == "%") and quantity.unit and other.unit:
        return False
    value, compared, step = quantity.value, other.value, quantity.step
    if (
        quantity.measure and other.measure
        and quantity.kind == other.kind
        and quantity.measure.factor != other.measure.factor
    ):  # fmt: skip
        value, compared = quantity.base_value, other.base_value
        step *= quantity.measure.factor
    if math.isclose(value, compared, rel_tol=1e-9):
        return True
    same_kind = bool(quantity.kind) and quantity.kind == other.kind
    if quantity.approximation != "exact" and (same_kind or not _counts_otherwise(quantity, other)):
        is_year = quantity.kind == "year"
        least, most = allowed_range(quantity.approximation, value, step, is_year=is_year)
        if same_kind:
            return least <= compared <= most
        return least <= compared <= most and abs(value - compared) <= SHARE * abs(value)
    if quantity.is_year or other.is_year or not value or quantity.value == int(quantity.value) < 20:
        return False
    return abs(value - compared) <= 0.01 * abs(value)


def _counts_otherwise(quantity: Quantity, other: Quantity) -> bool:
    """Whether two numbers plainly measure different things."""
    return bool(quantity.measure and other.measure) or "year" in (quantity.kind, other.kind)


def _agree(claimed: Quantity, other: Quantity) -> bool:
    """Whether numbers agree, whichever of the two is the rounder one."""
    return _same(claimed, other) or (claimed.approximation == "exact" and _same(other, claimed))


def _rivals(number: Quantity, other: Quantity) -> bool:
    if not number.kind or number.kind != other.kind:
        return False
    if number.measure is None or other.measure is None:
        return True
    if number.measure.factor == other.measure.factor:
        return True
    low, high = sorted((abs(number.base_value), abs(other.base_value)))
    return high <= 2 * low


def _kind(text: str, quantity: Quantity, measure: Measure | None) -> str:
    """What a number counts: a year, its currency, what it measures, or its unit."""
    if measure is not None:
        if (rate := _RATE_BEFORE.search(text[max(0, quantity.start - 6) : quantity.start])) is None:
            return measure.dimension
        return f"{measure.dimension} per {'second' if rate[1] == '秒' else 'hour'}"
    if quantity.is_year and (not quantity.unit or quantity.unit in STOPWORDS):
        return "year"
    before = text[max(0, quantity.start - 2) : quantity.start].strip()[-1:]
    if before and before in "€$£¥":
        return before
    after = text[quantity.end : quantity.end + 1]
    if not quantity.unit and is_unspaced(after):
        return after
    return "" if quantity.unit in STOPWORDS else quantity.unit


def _unit(raw: str | None) -> str:
    if not raw:
        return ""
    return "%" if _PERCENT.fullmatch(raw) else raw.lower().rstrip("s")
