"""Words for numbers and their scales in many languages, and words that loosen a number. Pure.

What a loosened number of a claim allows:

- *about*: 2 %, or what rounding to the claim's last written digit allows where that is more: half
  of that digit's worth, up to 10 % of the number; up to 5 % where the number ends in zeros, since
  nobody knows how many of them were meant. *About 300,000* is 299,792 and 310,000, not 340,000.
- *nearly*, *almost*: the same, from below alone.
- *more than*, *at least*: the number and what is above it, up to twice as much.
- *less than*, *at most*: the number and what is below it, down to half.
- a year: two years to each side, five where it ends in zero.
"""

import math
import re
from collections.abc import Iterator
from typing import Literal

SMALL: dict[str, float] = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14,
    "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20,
    "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7,
    "eighth": 8, "ninth": 9, "tenth": 10, "once": 1, "twice": 2, "dozen": 12, "half": 0.5,
}  # fmt: skip
SCALE = {
    "hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12,
    "k": 1e3, "m": 1e6, "bn": 1e9, "tn": 1e12, "mn": 1e6, "万": 1e4, "亿": 1e8,
    "千": 1e3, "百": 1e2, "十万": 1e5, "百万": 1e6, "千万": 1e7, "十亿": 1e9, "百亿": 1e10,
    "千亿": 1e11, "万亿": 1e12, "millionen": 1e6, "mio": 1e6, "milliarde": 1e9,
    "milliarden": 1e9, "mrd": 1e9, "billionen": 1e12, "milliard": 1e9, "millón": 1e6,
    "millone": 1e6, "mil millone": 1e9, "billone": 1e12, "tausend": 1e3, "mille": 1e3, "mil": 1e3,
    "milhão": 1e6, "milhõe": 1e6, "bilhão": 1e9, "bilhõe": 1e9, "lakh": 1e5, "crore": 1e7,
    "萬": 1e4, "億": 1e8, "億円": 1e8, "兆": 1e12, "만": 1e4, "억": 1e8, "조": 1e12, "тыс": 1e3,
    "млн": 1e6, "млрд": 1e9, "трлн": 1e12, "مليون": 1e6, "مليار": 1e9, "लाख": 1e5, "करोड़": 1e7,
}  # fmt: skip
FOREIGN: dict[str, float] = {
    "zwei": 2, "drei": 3, "vier": 4, "fünf": 5, "sechs": 6, "sieben": 7, "acht": 8, "neun": 9,
    "zehn": 10, "elf": 11, "zwölf": 12, "zwanzig": 20, "dreißig": 30, "vierzig": 40, "fünfzig": 50,
    "deux": 2, "trois": 3, "quatre": 4, "cinq": 5, "sept": 7, "huit": 8, "neuf": 9, "dix": 10,
    "douze": 12, "quinze": 15, "vingt": 20, "trente": 30, "quarante": 40, "cinquante": 50,
    "dos": 2, "tres": 3, "cuatro": 4, "cinco": 5, "seis": 6, "siete": 7, "ocho": 8, "nueve": 9,
    "diez": 10, "doce": 12, "quince": 15, "veinte": 20, "treinta": 30, "cuarenta": 40,
    "cincuenta": 50, "sesenta": 60, "setenta": 70, "ochenta": 80, "noventa": 90, "soixante": 60,
    "sechzig": 60, "siebzig": 70, "achtzig": 80, "neunzig": 90, "hundert": 100, "cien": 100,
}  # fmt: skip
"""Read in front of a scale or a unit only: *neuf* is new, and *dos* a back."""


def _compounds() -> Iterator[tuple[str, float]]:
    """German, French and Spanish numbers of several words, or written as one."""
    ones = "ein zwei drei vier fünf sechs sieben acht neun".split()
    teens = "drei vier fünf sech sieb acht neun".split()
    yield from ((f"{one}zehn", value) for value, one in enumerate(teens, 13))
    for at, ten in enumerate(
        "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig".split(), 2
    ):
        yield from ((f"{one}und{ten}", at * 10 + value) for value, one in enumerate(ones, 1))
    yield from ((f"{one}hundert", 100 * value) for value, one in enumerate(ones, 1))
    yield from (("elfhundert", 1100), ("zwölfhundert", 1200))
    ones = "un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize".split()
    for ten, start in (("vingt", 20), ("trente", 30), ("quarante", 40), ("cinquante", 50),
                       ("soixante", 60), ("quatre-vingt", 80)):  # fmt: skip
        last = 16 if start >= 60 else 9
        yield from ((f"{ten}-{one}", start + value) for value, one in enumerate(ones[:last], 1))
        yield from ((f"{ten} et un", start + 1), (f"{ten}s", start))
    ones = "uno dos tres cuatro cinco seis siete ocho nueve".split()
    yield from ((f"veinti{one}", 20 + value) for value, one in enumerate(ones, 1))
    for at, ten in enumerate(
        "treinta cuarenta cincuenta sesenta setenta ochenta noventa".split(), 3
    ):
        yield from ((f"{ten} y {one}", at * 10 + value) for value, one in enumerate(ones, 1))


FOREIGN |= dict(_compounds())
CHINESE_DIGITS = {char: value for value, char in enumerate("零一二三四五六七八九")} | {
    "〇": 0,
    "两": 2,
}
CHINESE_SCALES = {"十": 10, "百": 100, "千": 1000}


Approximation = Literal["exact", "about", "nearly", "over", "under"]

SHARE = 0.02
"""What *about* allows of any number."""
ROUNDED, ROUND = 0.10, 0.05
"""The most that rounding may account for, of a number with and without a last digit of its own."""
MOST = 2.0
"""*More than* a number is at most so many times the number."""
REACH = 30
"""Code points before a number in which the word stands."""

_BETWEEN = r"(?:\s*(?:a\s+total\s+of|the|the\s+year|einem?|US|[为有是]?\s*每(?:秒|小时)|[为有是])?\s*[€$£¥]?\s*)$"
_BEFORE: tuple[tuple[Approximation, str], ...] = (
    ("under", r"(?:no|not|nicht|pas|no\s+m[aá]s|never)\s+(?:more|mehr|plus)\s+(?:than|als|de|que)"),
    ("over", r"(?:no|not)\s+(?:less|fewer)\s+than|nicht\s+weniger\s+als|pas\s+moins\s+de|no\s+menos\s+de"),
    ("nearly", r"nearly|almost|close\s+to|just\s+(?:under|below|short\s+of)|approaching|knapp(?:\s+unter)?"
               r"|beinahe|nahezu|presque|casi|juste\s+sous|将近|接近|(?<![最附])近"),
    ("over", r"more\s+than|over|above|at\s+least|upwards?\s+of|in\s+excess\s+of|exceed(?:s|ing|ed)?"
             r"|mehr\s+als|über|mindestens|plus\s+de|au\s+moins|más\s+de|al\s+menos|por\s+lo\s+menos"
             r"|超过|多于|至少|逾|高于|>|≥"),
    ("under", r"less\s+than|fewer\s+than|under|below|at\s+most|up\s+to|weniger\s+als|unter|höchstens"
              r"|bis\s+zu|moins\s+de|au\s+plus|jusqu['’]à|menos\s+de|como\s+máximo|hasta"
              r"|不到|少于|低于|不足|至多|不超过|<|≤"),
    ("about", r"about|around|approximately|approx\.?|roughly|some|circa|ca\.|c\.|in\s+the\s+region\s+of"
              r"|of\s+the\s+order\s+of|rund|etwa|ungefähr|zirka|an\s+die|environ|près\s+d[e']|quelque"
              r"|autour\s+de|à\s+peu\s+près|alrededor\s+de|un[oa]s|cerca\s+de|aproximadamente"
              r"|más\s+o\s+menos|大约|大概|约|[~∼≈≃～]"),
)  # fmt: skip
_AFTER: tuple[tuple[Approximation, str], ...] = (
    ("about", r"左右|上下|or\s+so\b|or\s+thereabouts\b|environ\b|más\s+o\s+menos\b|oder\s+so\b"),
    ("over", r"or\s+more\b|or\s+above\b|oder\s+mehr\b|ou\s+plus\b|o\s+más\b|以上|\+(?!\d)"),
    ("under", r"or\s+(?:less|fewer)\b|oder\s+weniger\b|ou\s+moins\b|o\s+menos\b|以下|以内"),
)
_WORD_START = r"(?<![^\W\d_\u3400-\u9fff])"


def _alternatives(groups: tuple[tuple[Approximation, str], ...], form: str) -> re.Pattern[str]:
    """All words in one expression, each group by its own number."""
    named = (f"(?P<{name}_{i}>{words})" for i, (name, words) in enumerate(groups))
    return re.compile(form.replace("WORDS", "|".join(named)), re.IGNORECASE)


_WORDS_BEFORE = _alternatives(_BEFORE, f"{_WORD_START}(?:WORDS){_BETWEEN}")
_WORDS_AFTER = _alternatives(_AFTER, r"\s?(?:WORDS)")
_CJK_AFTER = re.compile(r"[\u3400-\u9fff]{1,2}(?=左右|上下|以上|以下|以内)")


def approximation_of(text: str, start: int, end: int) -> tuple[Approximation, int, int]:
    """How a number is loosened by the words around it, and where those words stand.

    `start` and `end` are those of the number with its unit; offsets count code points of the text
    as given. `("exact", start, start)` where nothing loosens it.
    """
    opening = max(0, start - REACH)
    before = _WORDS_BEFORE.search(text[opening:start])
    if before is not None:
        name = before.lastgroup or ""
        return _named(name), opening + before.start(name), opening + before.end(name)
    counted = _CJK_AFTER.match(text, end)
    after = _WORDS_AFTER.match(text, counted.end() if counted else end)
    if after is not None:
        name = after.lastgroup or ""
        return _named(name), after.start(name), after.end(name)
    return "exact", start, start


def allowed_range(
    approximation: Approximation, value: float, step: float, *, is_year: bool
) -> tuple[float, float]:
    """The least and the greatest number that a loosened one allows; itself for an exact one.

    `step` is the worth of its last digit that is not zero: 100,000 for 300,000, and 0.1 for 3.5.
    """
    size = abs(value)
    if is_year:
        slack = 5.0 if value % 10 == 0 else 2.0
    else:
        ends_in_zeros = step > 1 and math.isclose(size % 10, 0.0)
        slack = max(SHARE * size, min(step / 2, (ROUND if ends_in_zeros else ROUNDED) * size))
    match approximation:
        case "about":
            return value - slack, value + slack
        case "nearly":
            return value - slack, value
        case "over":
            return value, value + (slack if is_year else (MOST - 1) * size)
        case "under":
            return value - (slack if is_year else size / MOST), value
    return value, value


def _named(group: str) -> Approximation:
    names: dict[str, Approximation] = {
        "about": "about", "nearly": "nearly", "over": "over", "under": "under",
    }  # fmt: skip
    return names[group.partition("_")[0]]
