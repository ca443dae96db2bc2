"""Units of measure and currencies: what each measures, and how it is converted. Pure.

Symbols are read with their case (`MW`, `mW`), words without, in English, German, French, Spanish
and Chinese. Sources: the SI prefixes and the units accepted for use with the SI (BIPM, SI Brochure,
9th edition); the international yard and pound agreement of 1959 for feet, miles and ounces. Units
that mean several things (ton, gallon, pound) are not here: they are words like any other.

Words for numbers and their scales in many languages, and words that loosen a number. Pure.

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
from dataclasses import dataclass
from typing import Literal

from workbench.language.tokenization import normalize_word

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
    "m": "metre metres meter meters metern metro metros metri метр метра метров متر مترا मीटर",
    "g": "gram grams gramm gramme grammes gramo gramos grammi грамм грамма граммов غرام जी",
    "t": "tonne tonnes tonnen tonelada toneladas tonnellate тонна тонны тонн طن टन",
    "s": "second seconds sekunde sekunden seconde secondes segundo segundos",
    "W": "watt watts vatio vatios",
    "Wh": "watthour watthours wattstunde wattstunden",
    "Hz": "hertz hercio hercios",
    "B": "byte bytes",
    "l": "litre litres liter liters litern litro litros litri литр литра литров لتر लीटर",
    "V": "volt volts voltio voltios",
    "ha": "hectare hectares hektar hectarea hectareas",
}
_PREFIX_WORDS = {
    "nano": -9, "hecto": 2, "hekto": 2, "hectó": 2,
    "mikro": -6, "micro": -6, "milli": -3, "mili": -3, "zenti": -2, "centi": -2,
    "kilo": 3, "mega": 6, "giga": 9, "tera": 12, "кило": 3, "санти": -2, "милли": -3, "мега": 6,
    "كيلو": 3, "chilo": 3, "quilo": 3, "किलो": 3, "سنتي": -2,
}  # fmt: skip
_DAY = 86_400.0
POUNDS = "pounds"
"""A weight or a currency: compared with neither, but with itself and with £. So are gallons and
other units of several sizes."""
_OTHER: tuple[tuple[str, float, str], ...] = (
    ("time", 60, "min minute minutes minuten minuto minutos minuti минута минуты минут دقيقة मिनट 分钟 分鐘"
        " 分間 분간"),
    ("time", 3600, "h hr hrs hour hours stunde stunden heure heures hora horas ore uur час часа часов"
        " ساعة घंटे 小时 小時 个小时 個小時 時間 시간"),
    ("time", _DAY, "day days tag tage tagen jour jours dia dias giorni dagen день дня дней يوم दिन 天 日間"
        " 일간"),
    ("time", 7 * _DAY, "week weeks woche wochen semaine semaines semana semanas settimane weken неделя"
        " недели недель أسابيع सप्ताह 周 星期 个星期 個星期 週 週間 주간"),
    ("time", 365.25 / 12 * _DAY, "month months monat monate monaten mois meses mesi maanden месяц месяца"
        " месяцев महीने 个月 個月 か月 ヶ月 カ月 개월"),
    ("time", 365.25 * _DAY, "year years jahr jahre jahren ans annees anos anni jaar года лет साल 年 年間 년간"),
    ("length", 0.3048, "ft foot feet fuß fuss pied pieds pies piedi voet фут фута футов قدم फीट 英尺 呎 フィート"
        " 피트"),
    ("length", 0.0254, "inch inches zoll pouces pulgadas pollici дюйм дюйма дюймов 英寸 吋 インチ 인치"),
    ("length", 0.9144, "yd yard yards"),
    ("length", 1609.344, "mi mile miles meile meilen milla millas miglia mijl миля мили миль ميل मील 英里 哩"
        " マイル 마일"),
    ("length", 1852, "nmi seemeile seemeilen 海里 浬"),
    ("mass", 453.59237, "lb lbs 磅"),
    ("mass", 6350.29318, "stone"),
    ("mass", 28.349523, "oz ounce ounces unzen onces onzas 盎司"),
    ("area", 4046.8564, "acre acres 英亩 英畝"),
    ("area", 2000 / 3, "亩 畝"),
    ("speed", 1609.344 / 3600, "mph"),
    ("speed", 1000 / 3600, "kph kmh stundenkilometer stundenkilometern"),
    ("speed", 1852 / 3600, "knot knots knoten kn"),
    ("mass", 1e3, "kilo kilos"),
    ("bytes", 1e3, "KB"),
    *(("bytes", 1024.0**power, f"{prefix}iB") for power, prefix in enumerate("KMGT", 1)),
    ("temperature", 1, "kelvin"),
    *(("length", factor, name) for factor, name in ((1, "м"), (1e3, "км"), (0.01, "см"))),
    ("mass", 1e3, "кг"),
    (POUNDS, 1, "pound pounds pfund livres libras"),
    ("gallons", 1, "gallon gallons gallonen galones 加仑"),
    ("barrels", 1, "barrel barrels bbl barils barriles 桶"),
    ("pints", 1, "pint pints"),
)  # fmt: skip
"""What it measures, how many base units one holds, and its names, folded."""
_DEGREES: dict[str, tuple[float, float]] = {"C": (1.0, 273.15), "F": (5 / 9, 459.67 * 5 / 9)}
_CHINESE = {
    "公里": ("length", 3), "千米": ("length", 3), "厘米": ("length", -2), "毫米": ("length", -3),
    "米": ("length", 0), "公斤": ("mass", 3), "千克": ("mass", 3), "毫克": ("mass", -3),
    "克": ("mass", 0), "吨": ("mass", 6), "毫秒": ("time", -3), "秒": ("time", 0),
    "公尺": ("length", 0), "公分": ("length", -2), "公吨": ("mass", 6), "公噸": ("mass", 6),
    "メートル": ("length", 0), "キロメートル": ("length", 3), "センチメートル": ("length", -2),
    "グラム": ("mass", 0), "キログラム": ("mass", 3), "トン": ("mass", 6), "リットル": ("volume", -3),
    "미터": ("length", 0), "킬로미터": ("length", 3), "킬로그램": ("mass", 3), "톤": ("mass", 6),
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
    r"(?:[\s-]?(?P<before>square|sq|cubic|nautical|平方|立方)\.?\s?|[\s-]?)"
    rf"(?P<unit>{'|'.join(_EASTERN)}|[A-Za-zµμ\u00c0-\u024f\u0400-\u04ff\u0620-\u06ff\u0900-\u097f]{{1,22}})"
    r"(?P<exponent>[²³]|\^[23]|(?<=m)[23](?!\d))?"
    r"(?:\s(?P<after>carrés|cuadrados|cubes|cúbicos)\b)?"
    rf"(?:\s?(?:/|每)\s?(?:(?P<s>{_SECOND})|(?P<h>{_HOUR}))"
    rf"|(?:\s(?:per|pro|par|por|a|an)\s|\sà\sl['’])(?:(?P<s2>{_SECOND})|(?P<h2>{_HOUR})))?"
)
_TEMPERATURE = re.compile(
    r"\s?(?:(?:°|º|˚)\s?|(?:degrees?|deg|Grad|degrés?|grados?)\s)(?P<name>C|F|Celsius|Fahrenheit)\b"
    r"|\s?(?P<sign>[℃℉])|\s?(?P<east>[摄攝]氏度|[华華]氏度)|\s(?P<word>Celsius|Fahrenheit)\b",
    re.IGNORECASE,
)
_POINTS = re.compile(
    r"[\s-]?(?:(?P<basis>basis[\s-]points?|bps|Basispunkten?|points? de base|puntos básicos|个?基点)"
    r"|percentage[\s-]points?|Prozentpunkten?|points? de pourcentage|puntos? porcentual(?:es)?"
    r"|punti percentuali|процентн\w+ пункт\w*|[个個]?百分[点點])(?![A-Za-z])",
    re.IGNORECASE,
)
_WATT_HOURS = re.compile(r"[-\s](?:hours?|heures?|horas?)\b", re.IGNORECASE)
_CURRENCIES: dict[str, str] = {
    "$": "$ usd us$ dollar dollars dolar dolares 美元",
    "€": "€ eur euro euros 欧元 歐元",
    "£": "£ gbp sterling pounds-sterling pound-sterling 英镑 英鎊",
    "JPY": "jpy yen 円 日元 日圆",
    "CNY": "cny rmb yuan renminbi 元 人民币",
    "¥": "¥ ￥",
    "CHF": "chf 瑞士法郎",
    "₹": "₹ inr rs rupee rupees rupien roupies rupias",
    "₽": "₽ rub ruble rubles rubel roubles",
    "₩": "₩ krw won 원",
    "C$": "c$ ca$ cad 加元", "A$": "a$ au$ aud 澳元", "HK$": "hk$ hkd 港元 港币",
    "SEK": "sek", "NOK": "nok", "DKK": "dkk", "PLN": "pln zloty",
    "MXN": "mxn", "NZ$": "nz$ nzd", "S$": "s$ sgd", "ZAR": "zar rand", "CZK": "czk", "HUF": "huf forint",
    "cent": "cents ¢ centimes centavos", "pence": "pence",
    "crown": "crown crowns krone kroner kronen kronor couronne couronnes corona coronas",
    "franc": "franc francs franken", "peso": "peso pesos", "BRL": "r$ brl reais", "TRY": "₺ lira",
}  # fmt: skip
_NATIONS = {
    "canad": "C$", "kanad": "C$", "austral": "A$", "hong kong": "HK$", "swiss": "CHF", "schweiz": "CHF",
    "suis": "CHF", "suiz": "CHF", "swed": "SEK", "schwed": "SEK", "suéd": "SEK", "suec": "SEK",
    "norw": "NOK", "norv": "NOK", "norueg": "NOK", "dan": "DKK", "dän": "DKK", "mexi": "MXN",
    "czech": "CZK", "tschech": "CZK", "new zealand": "NZ$", "singap": "S$", "american": "$",
    "chile": "CLP", "argent": "ARS", "colomb": "COP", "brit": "£", "island": "ISK", "iceland": "ISK",
}  # fmt: skip
"""Whose money it is, by the beginning of the word beside its name."""
_NATION = rf"(?:{'|'.join(_NATIONS)})[^\W\d_]{{0,9}}"
_CURRENCY_OF = {name: kind for kind, names in _CURRENCIES.items() for name in names.split()}
_CURRENCY_BEFORE = re.compile(
    r"(?:(?<![A-Za-z])(?:US|CA|C|AU|A|HK|R)?\$|[€£¥￥₹₽₩₺]|(?<![^\W\d_])(?:USD|EUR|GBP|JPY|CNY|RMB|CHF|INR|CAD|AUD|NZD|SGD|HKD|SEK|NOK|DKK|PLN|CZK|HUF|RUB|KRW|BRL"
    r"|MXN|ZAR|Rs\.?))"
    r"\s?\Z"
)
_CURRENCY_AFTER = re.compile(
    rf"(?:\s(?:de\s|d['’])|[\s-]?)(?:US[\s-]|U\.S\.\s|(?i:(?P<nation>{_NATION}))\s)?"
    r"(?P<name>(?:US|CA|C|AU|A|HK|R)?\$|[€£¥￥₹₽₩₺]|美元|欧元|歐元|英镑|英鎊|日元|日圆|加元|澳元|港元|港币|瑞士法郎"
    r"|pounds?\ssterling|人民币|元|円|원|[^\W\d_]{2,12}(?![^\W\d_]))"
    rf"(?:\s(?i:(?P<behind>{_NATION})))?"
)


CONFUSED: tuple[frozenset[str], ...] = (
    *(frozenset(pair) for pair in (
        (POUNDS, "mass"), (POUNDS, "£"), ("gallons", "volume"), ("barrels", "volume"),
        ("pints", "volume"), ("gallons", "barrels"), ("%", "percentage points"),
        ("power", "energy in watt hours"),
    )),
    *(frozenset((name, "temperature")) for name in ("degree", "grad", "degré", "grado", "度", "도")),
)  # fmt: skip
"""Kinds of which one is easily written for the other, and which are not converted."""


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
    if points := _POINTS.match(text, at):
        return Measure("percentage points", 0.01 if points["basis"] else 1.0), points.end()
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
    if match["before"] == "nautical":
        unit = {"mile": "nmi"}.get(unit.rstrip("s"), "")
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
    if dimension == "power" and (hours := _WATT_HOURS.match(text, end)):
        return Measure("energy in watt hours", factor), hours.end()
    return Measure(dimension, factor), end


def read_currency(text: str, start: int, end: int) -> tuple[str, int]:
    """The currency beside a number, and where its name ends; empty where none is told.

    `start` and `end` are those of the number with its scale: `US$ 5`, `5 million euros`, `5万元`.
    """
    before = _CURRENCY_BEFORE.search(text[max(0, start - 6) : start])
    if before is not None:
        return _CURRENCY_OF[before[0].rstrip().rstrip(".").lower()], end
    after = _CURRENCY_AFTER.match(text, end)
    kind = _CURRENCY_OF.get(normalize_word(after["name"]) or after["name"]) if after else None
    kind = kind or (_CURRENCY_OF.get(after["name"].lower().replace(" ", "-")) if after else None)
    if not kind or not after:
        return "", end
    nation = (after["nation"] or after["behind"] or "").lower()
    of_nation = next((named for stem, named in _NATIONS.items() if nation.startswith(stem)), kind)
    return of_nation if nation else kind, after.end()


def _exponent(match: re.Match[str]) -> int:
    word = match["exponent"] or match["before"] or match["after"] or ""
    return _EXPONENTS.get(normalize_word(word) if word.isalpha() else word, 1)


def _entries() -> Iterator[tuple[str, tuple[str, float]]]:
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
