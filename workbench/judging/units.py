"""Units that powers of ten convert: what each measures, and how many base units it holds. Pure.

Symbols are read with their case (`MW`, `mW`), words without, in English, German, French, Spanish
and Chinese. Sources: the SI prefixes and the units accepted for use with the SI (BIPM, SI Brochure,
9th edition). Units that no power of ten converts (miles, hours into seconds) are not here: two
numbers in such units are compared as they stand.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from workbench.judging.tokenization import normalize_word

_POWERS = {"n": -9, "µ": -6, "μ": -6, "m": -3, "c": -2, "d": -1, "h": 2, "k": 3, "M": 6, "G": 9,
           "T": 12}  # fmt: skip
_SYMBOLS = {
    "m": ("length", 0, "nµμmcdk"),
    "g": ("mass", 0, "µμmk"),
    "t": ("mass", 6, "kM"),
    "s": ("time", 0, "nµμm"),
    "W": ("power", 0, "mkMGT"),
    "Wh": ("energy in watt hours", 0, "kMGT"),
    "J": ("energy in joules", 0, "kMGT"),
    "eV": ("energy in electronvolts", 0, "kMGT"),
    "Hz": ("frequency", 0, "kMGT"),
    "B": ("bytes", 0, "kMGT"),
    "V": ("voltage", 0, "mkM"),
    "A": ("current", 0, "mk"),
    "Pa": ("pressure", 0, "hkMG"),
    "l": ("volume", -3, "mcdh"),
    "L": ("volume", -3, "mcdh"),
    "ha": ("area", 4, ""),
}
"""By symbol: what it measures, the power of ten of its base unit, and the prefixes it takes."""
_WORDS = {
    "m": "metre metres meter meters metern metro metros",
    "g": "gram grams gramm gramme grammes gramo gramos",
    "t": "tonne tonnes tonnen tonelada toneladas",
    "s": "second seconds sekunde sekunden seconde secondes segundo segundos",
    "W": "watt watts vatio vatios",
    "Wh": "watthour watthours wattstunde wattstunden",
    "Hz": "hertz hercio hercios",
    "B": "byte bytes",
    "l": "litre litres liter liters litern litro litros",
    "V": "volt volts voltio voltios",
    "ha": "hectare hectares hektar hectarea hectareas",
}
_PREFIX_WORDS = {
    "nano": -9, "mikro": -6, "micro": -6, "milli": -3, "mili": -3, "zenti": -2, "centi": -2,
    "kilo": 3, "mega": 6, "giga": 9, "tera": 12,
}  # fmt: skip
_CHINESE = {
    "公里": ("length", 3), "千米": ("length", 3), "厘米": ("length", -2), "毫米": ("length", -3),
    "米": ("length", 0), "公斤": ("mass", 3), "千克": ("mass", 3), "毫克": ("mass", -3),
    "克": ("mass", 0), "吨": ("mass", 6), "毫秒": ("time", -3), "秒": ("time", 0),
    "千瓦时": ("energy in watt hours", 3), "兆瓦": ("power", 6), "千瓦": ("power", 3),
    "瓦": ("power", 0), "毫升": ("volume", -6), "升": ("volume", -3), "公顷": ("area", 4),
}  # fmt: skip
_EXPONENTS = {
    "²": 2, "^2": 2, "2": 2, "³": 3, "^3": 3, "3": 3, "square": 2, "cubic": 3, "平方": 2,
    "立方": 3, "carres": 2, "cuadrados": 2, "cubes": 3, "cubicos": 3, "quadrat": 2, "kubik": 3,
}  # fmt: skip
_SECOND = r"s\b|sec\b|seconds?\b|Sekunde\b|seconde\b|segundo\b|秒"
_HOUR = r"h\b|hr\b|hours?\b|Stunde\b|heure\b|hora\b|小时"
_UNIT = re.compile(
    r"(?:[\s-]?(?P<before>square|cubic|平方|立方)\s?|\s?)"
    rf"(?P<unit>{'|'.join(sorted(_CHINESE, key=len)[::-1])}|[A-Za-zµμèéóá]{{1,22}})"
    r"(?P<exponent>[²³]|\^[23]|(?<=m)[23](?!\d))?"
    r"(?:\s(?P<after>carrés|cuadrados|cubes|cúbicos)\b)?"
    rf"(?:\s?(?:/|每)\s?(?:(?P<s>{_SECOND})|(?P<h>{_HOUR}))"
    rf"|\s(?:per|pro|par|por|a|an)\s(?:(?P<s2>{_SECOND})|(?P<h2>{_HOUR})))?",
)


@dataclass(frozen=True, slots=True)
class Measure:
    """What a unit measures, and how many base units one of it holds."""

    dimension: str
    factor: float


def read_measure(text: str, at: int) -> tuple[Measure, int] | None:
    """The unit that stands at a place of a text (white space before it), and where it ends.

    None where no unit of the tables stands there. Offsets count code points of the text as given.
    """
    match = _UNIT.match(text, at)
    if match is None:
        return None
    unit, exponent = match["unit"], _exponent(match)
    for prefix in ("quadrat", "kubik"):
        if unit.lower().startswith(prefix):
            unit, exponent = unit[len(prefix) :], _EXPONENTS[prefix]
    base = _TABLE.get(unit) or _TABLE.get(normalize_word(unit))
    if base is None:
        return None
    dimension, power = base
    if exponent > 1:
        if dimension != "length":
            return None
        dimension, power = {2: "area", 3: "volume"}[exponent], power * exponent
    end = match.end() if match["s"] or match["h"] or match["s2"] or match["h2"] else 0
    if match["s"] or match["s2"]:
        dimension += " per second"
    elif match["h"] or match["h2"]:
        dimension += " per hour"
    end = end or max(match.end(name) for name in ("unit", "exponent", "after"))
    return Measure(dimension, 10.0**power), end


def _exponent(match: re.Match[str]) -> int:
    word = match["exponent"] or match["before"] or match["after"] or ""
    return _EXPONENTS.get(normalize_word(word) if word.isalpha() else word, 1)


def _entries() -> Iterator[tuple[str, tuple[str, int]]]:
    """Every unit that is read, with what it measures and its power of ten."""
    for symbol, (dimension, base, prefixes) in _SYMBOLS.items():
        yield symbol, (dimension, base)
        for prefix in prefixes:
            yield prefix + symbol, (dimension, base + _POWERS[prefix])
        for word in _WORDS.get(symbol, "").split():
            yield word, (dimension, base)
            for prefix, power in _PREFIX_WORDS.items():
                yield prefix + word, (dimension, base + power)
    yield from (("kph", ("length per hour", 3)), ("kmh", ("length per hour", 3)))
    yield from (("kilo", ("mass", 3)), ("kilos", ("mass", 3)), ("KB", ("bytes", 3)))
    yield from _CHINESE.items()


_TABLE = dict(_entries())
