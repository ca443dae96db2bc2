"""Units of measure and currencies: what each measures, and how it is converted. Pure.

Symbols are read with their case (`MW`, `mW`), words without, in English, German, French, Spanish
and Chinese. Sources: the SI prefixes and the units accepted for use with the SI (BIPM, SI Brochure,
9th edition); the international yard and pound agreement of 1959 for feet, miles and ounces. Units
that mean several things (ton, gallon, pound) are not here: they are words like any other.
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
_DAY = 86_400.0
_OTHER: tuple[tuple[str, float, str], ...] = (
    ("time", 60, "min minute minutes minuten minuto minutos 分钟 分鐘"),
    ("time", 3600, "h hr hrs hour hours stunde stunden heure heures hora horas 小时 小時"),
    ("time", _DAY, "day days tag tage tagen jour jours dia dias 天"),
    ("time", 7 * _DAY, "week weeks woche wochen semaine semaines semana semanas 周 星期"),
    ("time", 365.25 / 12 * _DAY, "month months monat monate monaten mois meses 个月 個月"),
    ("time", 365.25 * _DAY, "year years jahr jahre jahren ans annees anos 年"),
    ("length", 0.3048, "ft foot feet fuß pied pieds pies 英尺"),
    ("length", 0.0254, "inch inches zoll pouces pulgadas 英寸"),
    ("length", 0.9144, "yd yard yards"),
    ("length", 1609.344, "mi mile miles meile meilen milla millas 英里"),
    ("length", 1852, "nmi"),
    ("mass", 453.59237, "lb lbs"),
    ("mass", 28.349523, "oz ounce ounces unzen onces onzas"),
    ("area", 4046.8564, "acre acres"),
    ("speed", 1609.344 / 3600, "mph"),
    ("speed", 1000 / 3600, "kph kmh"),
    ("speed", 1852 / 3600, "knot knots knoten kn"),
    ("mass", 1e3, "kilo kilos"),
    ("bytes", 1e3, "KB"),
    ("temperature", 1, "kelvin"),
)
"""What it measures, how many base units one holds, and its names, folded."""
_DEGREES: dict[str, tuple[float, float]] = {"C": (1.0, 273.15), "F": (5 / 9, 459.67 * 5 / 9)}
_CHINESE = {
    "公里": ("length", 3), "千米": ("length", 3), "厘米": ("length", -2), "毫米": ("length", -3),
    "米": ("length", 0), "公斤": ("mass", 3), "千克": ("mass", 3), "毫克": ("mass", -3),
    "克": ("mass", 0), "吨": ("mass", 6), "毫秒": ("time", -3), "秒": ("time", 0),
    "千瓦时": ("energy in watt hours", 3), "兆瓦": ("power", 6), "千瓦": ("power", 3),
    "瓦": ("power", 0), "毫升": ("volume", -6), "升": ("volume", -3), "公顷": ("area", 4),
}  # fmt: skip
_EXPONENTS = {
    "²": 2, "^2": 2, "2": 2, "³": 3, "^3": 3, "3": 3, "square": 2, "sq": 2, "cubic": 3, "平方": 2,
    "立方": 3, "carres": 2, "cuadrados": 2, "cubes": 3, "cubicos": 3, "quadrat": 2, "kubik": 3,
}  # fmt: skip
_SECOND = r"s\b|sec\b|seconds?\b|Sekunde\b|seconde\b|segundo\b|秒"
_HOUR = r"h\b|hr\b|hours?\b|Stunde\b|heure\b|hora\b|小时"
_EASTERN = sorted(
    {*_CHINESE, *(n for *_, names in _OTHER for n in names.split() if n[0] > "\u2fff")},
    key=len,
    reverse=True,
)
_UNIT = re.compile(
    r"(?:[\s-]?(?P<before>square|sq|cubic|平方|立方)\.?\s?|[\s-]?)"
    rf"(?P<unit>{'|'.join(_EASTERN)}|[A-Za-zµμèéóáíñßü]{{1,22}})"
    r"(?P<exponent>[²³]|\^[23]|(?<=m)[23](?!\d))?"
    r"(?:\s(?P<after>carrés|cuadrados|cubes|cúbicos)\b)?"
    rf"(?:\s?(?:/|每)\s?(?:(?P<s>{_SECOND})|(?P<h>{_HOUR}))"
    rf"|\s(?:per|pro|par|por|a|an)\s(?:(?P<s2>{_SECOND})|(?P<h2>{_HOUR})))?",
)
_TEMPERATURE = re.compile(
    r"\s?(?:(?:°|º|˚)\s?|(?:degrees?|deg|Grad|degrés?|grados?)\s)(?P<name>C|F|Celsius|Fahrenheit)\b"
    r"|\s?(?P<sign>[℃℉])|\s?(?P<east>[摄攝]氏度|[华華]氏度)|\s(?P<word>Celsius|Fahrenheit)\b",
    re.IGNORECASE,
)
_CURRENCIES: dict[str, str] = {
    "$": "$ usd us$ dollar dollars dolar dolares 美元",
    "€": "€ eur euro euros 欧元 歐元",
    "£": "£ gbp sterling pounds-sterling pound-sterling 英镑 英鎊",
    "JPY": "jpy yen 円 日元 日圆",
    "CNY": "cny rmb yuan renminbi 元 人民币",
    "¥": "¥ ￥",
    "CHF": "chf",
    "₹": "₹ inr rs rupee rupees rupien roupies rupias",
    "₽": "₽ rub ruble rubles rubel roubles",
    "₩": "₩ krw won 원",
    "C$": "c$ ca$ cad", "A$": "a$ au$ aud", "HK$": "hk$ hkd",
    "SEK": "sek", "NOK": "nok", "DKK": "dkk", "PLN": "pln zloty",
    "crown": "crown crowns krone kroner kronen kronor couronne couronnes corona coronas",
    "franc": "franc francs franken", "peso": "peso pesos", "BRL": "r$ brl reais", "TRY": "₺ lira",
}  # fmt: skip
_CURRENCY_OF = {name: kind for kind, names in _CURRENCIES.items() for name in names.split()}
_CURRENCY_BEFORE = re.compile(
    r"(?:(?<![A-Za-z])(?:US|CA|C|AU|A|HK|R)?\$|[€£¥￥₹₽₩₺]|(?<![^\W\d_])(?:USD|EUR|GBP|JPY|CNY|RMB|CHF|INR|Rs\.?))"
    r"\s?\Z"
)
_CURRENCY_AFTER = re.compile(
    r"[\s-]?(?:US[\s-]|U\.S\.\s)?(?P<name>(?:US|CA|C|AU|A|HK|R)?\$|[€£¥￥₹₽₩₺]|美元|欧元|歐元|英镑|英鎊|日元|日圆|pounds?\ssterling"
    r"|人民币|元|円|원|[^\W\d_]{2,12}(?![^\W\d_]))"
)


@dataclass(frozen=True, slots=True)
class Measure:
    """What a unit measures, and how many base units one of it holds; `offset` where zero is not zero."""

    dimension: str
    factor: float
    offset: float = 0.0


def read_measure(text: str, at: int) -> tuple[Measure, int] | None:
    """The unit that stands at a place of a text (white space before it), and where it ends.

    None where no unit of the tables stands there. Offsets count code points of the text as given.
    """
    if degrees := _TEMPERATURE.match(text, at):
        named = (
            degrees["name"] or degrees["word"] or {"℃": "C", "℉": "F"}.get(degrees["sign"] or "")
        )
        scale = named[0].upper() if named else "C" if (degrees["east"] or "")[0] in "摄攝" else "F"
        return Measure("temperature", *_DEGREES[scale]), degrees.end()
    match = _UNIT.match(text, at)
    if match is None:
        return None
    unit, exponent = match["unit"], _exponent(match)
    for prefix in ("quadrat", "kubik"):
        if unit.lower().startswith(prefix):
            unit, exponent = unit[len(prefix) :], _EXPONENTS[prefix]
    base = _TABLE.get(unit) or (_TABLE.get(normalize_word(unit)) if len(unit) > 2 else None)
    if base is None or (text[at : at + 1] == "-" and len(unit) < 3):
        return None
    dimension, factor = base
    if exponent > 1:
        if dimension != "length":
            return None
        dimension, factor = {2: "area", 3: "volume"}[exponent], factor**exponent
    seconds = 1 if match["s"] or match["s2"] else 3600 if match["h"] or match["h2"] else 0
    if seconds:
        dimension = "speed" if dimension == "length" else f"{dimension} per second"
        return Measure(dimension, factor / seconds), match.end()
    end = max(match.end(name) for name in ("unit", "exponent", "after"))
    return Measure(dimension, factor), end


def read_currency(text: str, start: int, end: int) -> tuple[str, int]:
    """The currency beside a number, and where its name ends; empty where none is told.

    `start` and `end` are those of the number with its scale: `US$ 5`, `5 million euros`, `5万元`.
    """
    before = _CURRENCY_BEFORE.search(text[max(0, start - 6) : start])
    if before is not None:
        return _CURRENCY_OF[before[0].strip(" .").lower()], end
    after = _CURRENCY_AFTER.match(text, end)
    kind = _CURRENCY_OF.get(normalize_word(after["name"]) or after["name"]) if after else None
    kind = kind or (_CURRENCY_OF.get(after["name"].lower().replace(" ", "-")) if after else None)
    return (kind, after.end()) if kind and after else ("", end)


def _exponent(match: re.Match[str]) -> int:
    word = match["exponent"] or match["before"] or match["after"] or ""
    return _EXPONENTS.get(normalize_word(word) if word.isalpha() else word, 1)


def _entries() -> Iterator[tuple[str, tuple[str, float]]]:
    """Every unit that is read, with what it measures and how many base units it holds."""
    for symbol, (dimension, base, prefixes) in _SYMBOLS.items():
        yield symbol, (dimension, 10.0**base)
        for prefix in prefixes:
            yield prefix + symbol, (dimension, 10.0 ** (base + _POWERS[prefix]))
        for word in _WORDS.get(symbol, "").split():
            yield word, (dimension, 10.0**base)
            for prefix, power in _PREFIX_WORDS.items():
                yield prefix + word, (dimension, 10.0 ** (base + power))
    for dimension, factor, names in _OTHER:
        for name in names.split():
            yield from ((name, (dimension, factor)), (normalize_word(name), (dimension, factor)))
    for name, (dimension, power) in _CHINESE.items():
        yield name, (dimension, 10.0**power)


_TABLE = dict(_entries())
