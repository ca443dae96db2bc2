"""Figures that a claim may have calculated, the words around them, and dates; read from a text. Pure.

Fractions, multiples, durations and ranks in words are read in English, German, French, Spanish and
Chinese. The words that say which operation leads to a figure stand in `data/calculations/words.toml`.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator
from datetime import date
from decimal import Decimal
from functools import cache
from typing import Literal, NamedTuple

from workbench.language.assertions import Language
from workbench.language.quantities import Quantity
from workbench.language.units import (
    CHINESE_DIGITS,
    FOREIGN,
    SMALL,
    Approximation,
    approximation_of,
)
from workbench.shipped import SHIPPED_DATA

Form = Literal["ratio", "times", "points", "number", "rank"]
_LISTS = ("common", "ordinals", "months", "vague")


class FigureWords(NamedTuple):
    """The words of one language that say how a figure follows from others."""

    cues: dict[str, re.Pattern[str]]
    common: frozenset[str]
    """Words that belong to no figure more than to another."""
    ordinals: dict[str, int]
    ordinal: str
    """Any of them, as an expression."""
    rank: re.Pattern[str]
    vague: frozenset[str]
    """Superlatives that rank nothing by themselves: first, top, at least."""
    months: dict[str, int]
    dates: re.Pattern[str]


@cache
def figure_words(language: Language) -> FigureWords:
    """Return the words of a language; they are read once."""
    lists = tomllib.loads((SHIPPED_DATA / "calculations" / "words.toml").read_text("utf-8"))
    words = {name: by_language[language] for name, by_language in lists.items()}
    edge = ("", "") if language == "zh" else (r"(?<!\w)", r"(?!\w)")
    cues = {
        name: re.compile(f"{edge[0]}(?:{expression}){edge[1]}", re.IGNORECASE)
        for name, expression in words.items()
        if name not in _LISTS
    }
    pairs = words["ordinals"].split()
    ordinals = dict(zip(pairs[::2], map(int, pairs[1::2]), strict=True))
    ordinal = "|".join(sorted(ordinals, key=len, reverse=True))
    pairs = words["months"].split()
    months = dict(zip(pairs[::2], map(int, pairs[1::2]), strict=True))
    month = "|".join(sorted(months, key=len, reverse=True)) or "(?!)"
    numbered = r"|(?P<digits>\d{1,2})(?:st|nd|rd|th|\.|e|è|ème|º|ª|\.º)"
    extremes = f"(?P<most>{words['most']})|(?P<least>{words['least']})"
    if language == "zh":
        form = (
            rf"(?:(?P<ordinal>{ordinal})(?:名|位)?)?(?:{extremes})(?:的|[^。，]{{0,2}}的|$|[，。])"
            rf"|(?:排名|排在?|名列|位居|位列|居)(?P<place>{ordinal})"
        )
    else:
        form = (
            rf"(?<!\w)(?:(?P<ordinal>{ordinal}{numbered})[\s-]?(?:de (?:los|las) )?)?(?:{extremes})(?!\w)"
            rf"|(?<!\w)(?P<place>{ordinal}|\d{{1,2}}(?:st|nd|rd|th|\.|e|è|ème|º|ª))[\s-]"
            r"(?:place|position|spot|platz|rang|stelle|rang|lugar|puesto|in|of|on|among|behind|with)(?!\w)"
            rf"|(?<!\w)(?P<of>{ordinal})\s(?:of|der|des|de (?:los|las)|sur|unter|von)\s"
            r"|(?<!\w)(?:rank\w*|platz|rang|came|finish\w*|plac\w+|puesto|lugar|place)\s"
            rf"(?:(?P<after>{ordinal})|(?P<number>\d{{1,2}}))(?!\w)"
        )
    dates = re.compile(
        rf"(?<!\w)(?P<d1>\d{{1,2}})(?:st|nd|rd|th|er|\.)?\s(?:of\s|de\s|del\s)?(?P<m1>{month})\.?"
        rf"(?:,?\s(?:de\s|del\s)?(?P<y1>\d{{4}}))?(?!\w)"
        rf"|(?<!\w)(?P<m2>{month if language == 'en' else '(?!)'})\.?\s(?P<d2>\d{{1,2}})(?:st"
        rf"|nd|rd|th)?(?!\d)(?:,?\s(?P<y2>\d{{4}}))?(?!\w)"
        rf"|(?<!\w)(?P<m3>{month})(?:,?\s(?:of\s|de\s|del\s)?(?P<y3>\d{{4}}))?(?!\w)"
        r"|(?P<y4>\d{4})年(?:(?P<m4>\d{1,2})月(?:(?P<d4>\d{1,2})日)?)?"
        r"|(?<!\d)(?P<m6>\d{1,2})月(?:(?P<d6>\d{1,2})日)?"
        r"|(?<![\d.])(?P<d7>\d{1,2})\.(?P<m7>\d{1,2})\.(?P<y7>\d{4})(?!\d)"
        r"|(?<![\d-])(?P<y8>\d{4})-(?P<m8>\d\d)-(?P<d8>\d\d)(?!\d)"
        r"|(?<![\d/])(?P<d9>\d{1,2})/(?P<m9>\d{1,2})/(?P<y9>\d{4})(?!\d)",
        re.IGNORECASE,
    )
    return FigureWords(
        cues, frozenset(words["common"].split()), ordinals, ordinal,
        re.compile(form, re.IGNORECASE), frozenset(words["vague"].split()), months, dates,
    )  # fmt: skip


class DateRead(NamedTuple):
    """A date of a text; a month or a day is 0 where it is not given."""

    year: int
    month: int
    day: int
    start: int
    end: int

    @property
    def first(self) -> date | None:
        """The first day that it may be; None where it is no date, or its year is not told."""
        try:
            return date(self.year, self.month or 1, self.day or 1)
        except ValueError:
            return None


def read_dates(text: str, language: Language) -> list[DateRead]:
    """Return the dates of a text with a month; one without a year takes that of its neighbor."""
    words = figure_words(language)
    found: list[DateRead] = []
    for match in words.dates.finditer(text):
        groups = {name[0]: value for name, value in match.groupdict().items() if value}
        raw = groups.get("m", "0")
        month = words.months.get(raw.lower(), 0) if not raw.isdigit() else int(raw)
        if not month and "m" in groups:
            continue
        if (
            not raw.isdigit()
            and len(groups) == 1
            and (len(raw) < 4 or raw == raw.lower() and language in ("en", "de"))
        ):
            continue  # *may* and *march* alone
        found.append(
            DateRead(
                int(groups.get("y", 0)), month, int(groups.get("d", 0)), match.start(), match.end()
            )
        )
    known = [number for number, day in enumerate(found) if day.year]
    for number, day in enumerate(found):
        if not day.year and known:
            near = min(known, key=lambda at: abs(found[at].start - day.start))
            if abs(found[near].start - day.start) < 300:
                found[number] = day._replace(year=found[near].year)
    return found


_ONE = ("a", "an", "one", "ein", "eine", "einem", "einer", "einen", "un", "une", "una", "uno")
_NOT_COUNTS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth half once twice".split()
)
_NUMBER_WORDS = {
    **FOREIGN,
    **{name: n for name, n in SMALL.items() if name not in _NOT_COUNTS},
    **dict.fromkeys(_ONE, 1),
}


def _any_of(words: Iterable[str]) -> str:
    """Return an expression for words, the longest first, by their letters: trying word by word is slow."""
    rests: dict[str, list[str]] = {}
    for word in words:
        rests.setdefault(word[:1], []).append(word[1:])
    may_end = rests.pop("", None) is not None
    ways = [re.escape(letter) + _any_of(rest) for letter, rest in rests.items()]
    return f"(?:{'|'.join(ways)}){'?' * may_end}" if ways else ""


_COUNT = _any_of(_NUMBER_WORDS)
_PARTS = {
    2: "half halves hälfte halbes halbe moitié mitad demi",
    3: "third thirds drittel tiers tercio tercios tercera terceras",
    4: "quarter quarters viertel quart quarts cuarto cuartos cuarta cuartas",
    5: "fifth fifths fünftel cinquième cinquièmes quinto quintos quinta quintas",
    6: "sixth sixths sechstel sixième sixièmes sexto sextos sexta",
    7: "seventh sevenths siebtel septième septièmes séptimo séptimos séptima",
    8: "eighth eighths achtel huitième huitièmes octavo octavos octava octavas",
    9: "ninth ninths neuntel neuvième neuvièmes noveno novenos novena",
    10: "tenth tenths zehntel dixième dixièmes décimo décimos décima décimas",
}
_PART_OF = {name: part for part, names in _PARTS.items() for name in names.split()}
_PART = _any_of(_PART_OF)
_FRACTION = re.compile(
    rf"(?<!\w)(?:(?P<count>{_COUNT}|\d{{1,2}})[\s-])?(?P<part>{_PART})\b(?!-final)", re.IGNORECASE
)
_PARTITIVE = re.compile(r"(?:tercera|cuarta|quinta|sexta|séptima|octava|novena|décima)s?$", re.I)
_TIME_AFTER = re.compile(
    r"\s(?:hours?|an hour|of the year|year|stunde|jahrhundert|century|day|heure|hora)\b|jahr|finale?s?\b",
    re.I,
)
_WHICH = re.compile(
    r"(?:\b(?:top|bottom|upper|lower|other|first|second|third|fourth|last|this|next|final|erste[nrsm]?|zweite[nrsm]?|dritte[nrsm]?|vierte[nrsm]?"
    r"|letzte[nrsm]?|premi\w+|deuxième|second|troisième|quatrième|dernier|primer\w?|segund[oa]|tercer\w?|último)\s|\d\.\s)\Z",
    re.IGNORECASE,
)
_IN = re.compile(
    rf"(?<![\w.,])(?P<count>{_COUNT}|\d{{1,3}})\s(?:[^\W\d]+\s){{0,2}}?(?:in(?: every)?"
    rf"|out of(?: every)?|of every|von|von je|auf|sur|de cada)\s"
    rf"(?P<of>{_COUNT}|\d{{1,4}})(?![\w%]|[.,]\d)(?!\s?(?:%|percent))",
    re.IGNORECASE,
)
_TIMES_WORDS = {
    2: r"twice|doubl(?:e[ds]?|ing)|two-?fold|(?:ver)?doppel\w*|zweimal|zweifach\w*|doubl\w+|duplic\w+"
    r"|el doble|翻了?一番|一倍",
    3: (
        r"tripl(?:e[ds]?|ing)|trebl(?:e[ds]?|ing)|three-?fold|thrice|verdreifach\w*|dreimal"
        r"|dreifach\w*|tripl\w+|el triple|翻两番"
    ),
    4: r"quadrupl\w+|four-?fold|vervierfach\w*|viermal|vierfach\w*|cuadruplic\w+|el cuádruple",
    5: r"quintupl\w+|five-?fold|verfünffach\w*|fünfmal|fünffach\w*",
    10: r"ten-?fold|verzehnfach\w*|zehnmal|zehnfach\w*|décupl\w+",
    0.5: r"halv(?:e[ds]?|ing)|halbier\w*|減半|减半|réduit\w* de moitié",
}
_TIMES = re.compile(
    "|".join(
        rf"(?P<times_{str(value).replace('.', '_')}>(?<![^\W\u3400-\u9fff])(?:{words})(?![^\W\u3400-\u9fff]))"
        for value, words in _TIMES_WORDS.items()
    )
    + rf"|(?<![\w.,])(?P<count>{_COUNT}|\d{{1,3}}(?:[.,]\d{{1,2}})?)[\s-]?(?P<half>and a half "
    r"|et demie? |y media |einhalb)?"
    r"(?:times\b|[- ]?mal\b|fois\b|veces\b|-?fold\b)"
    rf"|(?P<east>[\d.]{{1,5}}|[{''.join(CHINESE_DIGITS)}十](?:点[{''.join(CHINESE_DIGITS)}])?)\s?倍",
    re.IGNORECASE,
)
_COMPARED = re.compile(
    r"\W{0,2}(?:as|more|the|higher|larger|greater|bigger|that|what|longer|heavier|taller|its|their|his|her|faster|older|so|mehr|größer|höher|länger|schwerer"
    r"|wie|des|der|die|plus|la|le|l['’]|celle|celui|moins|más|mayor|el|lo|superior|tan|tanto|supérieur\w*|less|fewer|lower|over)(?!\w)|\W{0,2}(?:\.|,|$)",
    re.IGNORECASE,
)
_EASTERN_SHARE = re.compile(
    rf"(?P<of>[\d{''.join(CHINESE_DIGITS)}十]{{1,3}})分之(?P<count>[\d{''.join(CHINESE_DIGITS)}十]{{1,3}})"
    rf"|(?P<tenths>[{''.join(CHINESE_DIGITS)}])成(?P<half>半)?|(?P<middle>一半|半数)"
)
_GOOD = re.compile(
    r"(?:^|\W)(?:gut|just over|a little (?:more|over)|slightly (?:more|over|above)|well over"
    r"|un peu plus d[e'’]?|algo más de|略高于|多一点|逾)\s?"
    r"(?:the|the number|die|das|der|den|la|le|el)?\s?\Z",
    re.IGNORECASE,
)
_UNDER = re.compile(
    r"(?:^|\W)(?:just under|just below|a little (?:less|under)|slightly (?:less|under|below)"
    r"|un peu moins d[e'’]?|algo menos de|略低于)\s?"
    r"(?:the|die|das|der|den|la|le|el)?\s?\Z",
    re.IGNORECASE,
)
_NEAR = re.compile(
    r"(?:^|\W)(?:almost|nearly|fast|beinahe|knapp|presque|près d[eu']|casi|about|around"
    r"|roughly|some|rund|etwa|ungefähr|environ|cerca de"
    r"|alrededor de|aproximadamente|quasi|circa|约|大约|近|将近|不到|unos?|unas?|approximately"
    r"|an estimated)\s?(?:the|die|das|der|den|la|le|les|el|dem|du|l['’])?\s?\Z",
    re.IGNORECASE,
)
_HALVES = re.compile(
    rf"(?<![\w.,])(?:(?P<count>{_COUNT}|\d{{1,3}})(?:\s(?P<u1>hours?|years?|days?|weeks?|months?|minutes?|heures?|horas?|ans|años?|mois|meses)"
    r"\s(?:and a half|et demie?|y medi[ao])|\sand a half\s(?P<u2>hours?|years?|days?|weeks?|months?|minutes?)"
    r"|einhalb\s(?P<u3>stunden|jahre|tage|wochen|monate|minuten)[n]?)"
    r"|(?P<one>half an?|une demi-|eine halbe|ein halbes|einem halben|media|medio|anderthalb"
    r"|eineinhalb)\s?(?P<u4>hour|year|day|heure|stunden?|hora|jahre?n?|año|monate?))(?!\w)"
    rf"|(?P<east>[{''.join(CHINESE_DIGITS)}十\d]+)个半(?P<u5>小时|月)|(?P<eone>半)(?P<u6>小时|年|个月)",
    re.IGNORECASE,
)
WORD_SLACK, LOOSE = Decimal("0.02"), Decimal("0.06")
"""What a fraction in words allows of itself, exact and with *about*."""


class ClaimedFigure(NamedTuple):
    """A figure of a claim that may follow from others, at `claim[start:end]`."""

    value: Decimal
    """A fraction or a multiple (0.25 for 25 %), points, a rank (negative from the least), or in base units."""
    form: Form
    start: int
    end: int
    least: Decimal
    """The least and the greatest that its rounding and the words around it allow."""
    most: Decimal
    kind: str = ""
    """What a number counts: its currency or dimension; empty where it is not said."""
    noun: str = ""
    quantity: Quantity | None = None
    approximation: Approximation = "exact"
    worded: bool = False


def exact(value: float) -> Decimal:
    """Return the decimal number that a float was read from."""
    return Decimal(f"{value:.12g}")


def worded_figures(text: str) -> Iterator[ClaimedFigure]:
    """Return fractions and multiples in words, in text order."""
    taken = 0
    matches = [
        *_IN.finditer(text), *_FRACTION.finditer(text), *_TIMES.finditer(text),
        *_EASTERN_SHARE.finditer(text),
    ]  # fmt: skip
    for match in sorted(matches, key=lambda match: (match.start(), -match.end())):
        if match.start() < taken:
            continue
        read = _value(text, match)
        if read is not None:
            taken = match.end()
            yield _loosened(text, *read, match.start(), match.end())


_QUARTERS = re.compile(
    rf"(?<![\w.,])(?P<count>{_COUNT}|\d{{1,3}})\s(?:(?P<u1>hours?|heures?|horas?)\s(?:and|et"
    rf"|y)\s(?P<n1>a quarter|three quarters|trois quarts|quart|cuarto|tres cuartos)"
    r"|and (?P<n2>a quarter|three quarters)\s(?P<u2>hours?))(?!\w)"
    r"|(?<!\w)(?P<n3>three quarters of an|a quarter of an|trois quarts d['’]|un quart d['’]"
    r"|tres cuartos de|un cuarto de)\s?(?P<u3>hour|heure|hora)(?!\w)"
    r"|(?<!\w)(?P<n4>eine? dreiviertel|dreiviertel|eine? viertel|zweieinviertel|eineinviertel"
    r"|eindreiviertel|zweidreiviertel)[\s-]?(?P<u4>stunden?)(?!\w)",
    re.IGNORECASE,
)


def half_units(text: str) -> Iterator[tuple[Decimal, str, int, int]]:
    """Return durations with a half in words, as (number, unit, start, end)."""
    for match in _QUARTERS.finditer(text):
        unit = next(value for name, value in match.groupdict().items() if name[0] == "u" and value)
        name = next(
            value for name, value in match.groupdict().items() if name[0] == "n" and value
        ).lower()
        whole = (
            count_of(match["count"])
            if match["count"]
            else Decimal(
                {"zwei": 2, "eine": 1, "eind": 1}.get(
                    name[:4]
                    if name[:4] in ("eind",) or name.startswith("einein")
                    else name[:4]
                    if name.startswith("zwei")
                    else "",
                    0,
                )
            )
        )
        part = Decimal("0.75") if re.match(r"three|trois|tres|.*drei", name) else Decimal("0.25")
        yield whole + part, unit, match.start(), match.end()
    for match in _HALVES.finditer(text):
        unit = next(value for name, value in match.groupdict().items() if name[0] == "u" and value)
        if match["one"] or match["eone"]:
            more = (match["one"] or "").lower() in ("anderthalb", "eineinhalb")
            whole = Decimal(more)
        else:
            whole = count_of(match["count"] or match["east"])
        yield whole + Decimal("0.5"), unit, match.start(), match.end()


def _value(text: str, match: re.Match[str]) -> tuple[Decimal, Form] | None:
    groups = {name: words for name, words in match.groupdict().items() if words}
    times = next((name for name in groups if name.startswith("times_")), None)
    if times and re.match(
        r"\s(?:an?|per|daily|weekly|monthly|yearly|every|each|more)\b", text[match.end() :], re.I
    ):
        return None  # twice a day
    if times:
        return Decimal(times.removeprefix("times_").replace("_", ".")), "times"
    if "middle" in groups:
        return Decimal("0.5"), "ratio"
    if "tenths" in groups:
        return (count_of(groups["tenths"]) + ("half" in groups) * Decimal("0.5")) / 10, "ratio"
    if "east" in groups:
        return count_of(groups["east"]), "times"
    count = count_of(groups.get("count", "1"))
    if "of" in groups and _FRACTION.search(match[0]):
        return None  # a fifth in six months
    if "of" in groups:
        whole = count_of(groups["of"])
        small = whole <= 12 and count < 10 or whole in (20, 25, 50, 100, 1000)
        return (count / whole, "ratio") if 0 < count < whole and small else None
    if "part" in groups:
        name = groups["part"].lower()
        part = _PART_OF[name]
        before, after = text[max(0, match.start() - 16) : match.start()], text[match.end() :]
        if _TIME_AFTER.match(after) or ("count" not in groups and _WHICH.search(before)):
            return None
        if _PARTITIVE.fullmatch(name) and not re.match(r"\spartes?\b", after):
            return None
        ordinal = (
            name.endswith(("th", "ird", "quarter", "quarters", "viertel", "quart", "drittel"))
            and not re.search(r"\b(?:le|du|au)\s\Z", before)
            or name in ("cuarto", "quinto", "sexto")
            or name.endswith("ième")
        )
        if ordinal and "count" not in groups:
            return None  # the third
        if name == "half" and re.search(r"(?:and a|a half-)\s?\Z", before):
            return None
        return (count / part, "ratio") if count < part else None
    if not _COMPARED.match(text[match.end() :]) and "half" not in groups:
        return None  # rescued 28 times a month
    return (
        (count + ("half" in groups) * Decimal("0.5"), "times")
        if count > 1 or "half" in groups
        else None
    )


def count_of(words: str) -> Decimal:
    """Return a small number in figures or words; 0 for others."""
    folded = words.lower()
    if folded in _NUMBER_WORDS:
        return exact(float(_NUMBER_WORDS[folded]))
    if folded[:1] in CHINESE_DIGITS or folded[:1] == "十":
        whole, _, decimals = folded.partition("点")
        tens, ten, ones = whole.rpartition("十")
        value = CHINESE_DIGITS.get(ones, 0) + (10 * CHINESE_DIGITS.get(tens, 1) if ten else 0)
        return Decimal(value) + (Decimal(CHINESE_DIGITS[decimals[0]]) / 10 if decimals else 0)
    try:
        return Decimal(folded.replace(",", "."))
    except ArithmeticError:
        return Decimal(0)


def worded_approximation(text: str, start: int, end: int) -> Approximation:
    """Return how a figure is loosened by the words around it, those of fractions included."""
    before = text[max(0, start - 40) : start]
    if _GOOD.search(before):
        return "over"
    if _UNDER.search(before):
        return "nearly"
    found = approximation_of(text, start, end)[0]
    if found == "exact" and (near := _NEAR.search(before)):
        return (
            "nearly"
            if re.search(
                r"almost|nearly|fast|beinahe|knapp|presque|près|casi|近|不到", near[0], re.I
            )
            else "about"
        )
    return found


def _loosened(text: str, value: Decimal, form: Form, start: int, end: int) -> ClaimedFigure:
    approximation = worded_approximation(text, start, end)
    below = above = WORD_SLACK * value
    if form == "times" and value == value.to_integral_value() and approximation == "exact":
        below = above = Decimal("0.03") * value
    match approximation:
        case "about":
            below = above = LOOSE * value
        case "nearly":
            below, above = Decimal("0.09") * value, Decimal(0)
        case "over":
            below, above = (
                Decimal(0),
                (Decimal("0.2") * value if form == "ratio" else Decimal("0.99")),
            )
        case "under":
            below, above = Decimal("0.2") * value, Decimal(0)
    return ClaimedFigure(
        value, form, start, end, value - below, value + above,
        approximation=approximation, worded=True,
    )  # fmt: skip
