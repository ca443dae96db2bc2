"""Words for numbers and their scales, in English, German, French, Spanish, Chinese and other scripts."""

from collections.abc import Iterator

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
