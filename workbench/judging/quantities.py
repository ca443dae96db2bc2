"""Numbers of a text with their value and unit, written in figures or in words. Pure."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from workbench.judging.tokenization import STOPWORDS, is_unspaced

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
    "千": 1e3, "百": 1e2,
}  # fmt: skip
_TENS = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
_UNITS = "one|two|three|four|five|six|seven|eight|nine"
_NUMBER = re.compile(
    r"(?<![A-Za-z0-9_.])(?P<figure>\d+(?:[,\u00a0\u202f]\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)"
    r"(?:\s?(?P<scale>hundred|thousand|million|billion|trillion|bn|mn|tn|[km](?![a-z])|[万亿千百])s?)?"
    r"(?:st|nd|rd|th)?"
    r"(?:\s?(?P<unit>%|percent\b|per\s?cent\b|％|[A-Za-z\u00b0€£$]{1,12}))?"
    rf"|\b(?P<word>(?:{_TENS})[- ](?:{_UNITS})|{'|'.join(sorted(_SMALL, key=len)[::-1])})\b"
    r"(?:[ -](?P<wscale>hundred|thousand|million|billion|trillion)\b)?"
    r"(?:\s(?P<wunit>percent\b|per\s?cent\b|[a-z]{3,12}))?",
    re.IGNORECASE,
)
_PERCENT = re.compile(r"%|％|per\s?cent", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number in a text: `value` in ones, `unit` folded (`%`, `km`, the noun that follows)."""

    value: float
    unit: str
    start: int
    end: int
    weak: bool
    """True for small numbers written as a word (one, first, second), which often count nothing."""

    @property
    def is_year(self) -> bool:
        """Whether the figure reads as a year."""
        return 1500 <= self.value <= 2100 and self.value == int(self.value) and self.unit != "%"


def find_quantities(text: str) -> list[Quantity]:
    """Every number of a text in text order; offsets cover the figure or word with its scale."""
    quantities = []
    for match in _NUMBER.finditer(text):
        if match["figure"]:
            if len(match["figure"]) > LONGEST:
                continue
            value = float(re.sub(r"[,\u00a0\u202f]", "", match["figure"]))
            scale, unit, weak = match["scale"], match["unit"], False
            end = match.end("scale") if scale else match.end("figure")
        else:
            word = match["word"].lower()
            parts = re.split(r"[- ]", word)
            value = float(sum(_SMALL[part] for part in parts))
            scale, unit = match["wscale"], match["wunit"]
            end = match.end("wscale") if scale else match.end("word")
            weak = not scale and (value <= 2 or word in ("third", "second", "half"))
        value *= _SCALE[scale.lower()] if scale else 1.0
        quantities.append(Quantity(value, _unit(unit), match.start(), end, weak))
    return quantities


def rivals(
    claim: str, missing: Iterable[Quantity], evidence: str
) -> list[tuple[Quantity, Quantity]]:
    """Numbers of a claim that a text gives otherwise: same unit, currency or both years.

    Each missing number comes with the first number of the text that the claim does not hold and
    that counts the same thing.
    """
    evidence_numbers, claim_numbers = find_quantities(evidence), find_quantities(claim)
    spare = [q for q in evidence_numbers if not matches(q, claim_numbers)]
    pairs = []
    for number in missing:
        kind = _kind(claim, number)
        rival = next((q for q in spare if kind and _kind(evidence, q) == kind), None)
        if rival is not None:
            pairs.append((number, rival))
    return pairs


def _kind(text: str, quantity: Quantity) -> str:
    """What a number counts: a year, its currency or its unit; empty where that is not said."""
    if quantity.is_year and (not quantity.unit or quantity.unit in STOPWORDS):
        return "year"
    before = text[max(0, quantity.start - 2) : quantity.start].strip()[-1:]
    if before and before in "€$£¥":
        return before
    after = text[quantity.end : quantity.end + 1]
    if not quantity.unit and is_unspaced(after):
        return after
    return "" if quantity.unit in STOPWORDS else quantity.unit


def matches(quantity: Quantity, others: Iterable[Quantity]) -> bool:
    """Whether a number stands among others: equal, or equal once rounded as the asker rounded."""
    return any(_same(quantity, other) for other in others)


def _same(quantity: Quantity, other: Quantity) -> bool:
    if (quantity.unit == "%") != (other.unit == "%") and quantity.unit and other.unit:
        return False
    if quantity.value == other.value:
        return True
    if (
        quantity.is_year
        or other.is_year
        or not quantity.value
        or quantity.value == int(quantity.value) < 20
    ):
        return False
    return abs(quantity.value - other.value) <= 0.01 * abs(quantity.value)


def _unit(raw: str | None) -> str:
    if not raw:
        return ""
    return "%" if _PERCENT.fullmatch(raw) else raw.lower().rstrip("s")
