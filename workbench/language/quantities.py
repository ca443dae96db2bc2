"""Numbers of a text with sign, value, scale, unit and currency, in figures or in words. Pure.

`find_quantities` reads them with their places, `compare_quantities` says of two whether they are the
same, differ, or cannot be compared. Digits of every script are read.
"""

import math
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from workbench.language.tokenization import STOPWORDS, is_unspaced
from workbench.language.units import (
    CHINESE_DIGITS,
    CHINESE_SCALES,
    CONFUSED,
    FOREIGN,
    POUNDS,
    SCALE,
    SHARE,
    SMALL,
    Approximation,
    Measure,
    allowed_range,
    approximation_of,
    read_currency,
    read_measure,
)
from workbench.records.text import Span

LONGEST = 24
"""A longer row of digits is a code, not a number."""

_TENS = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
_UNITS = "one|two|three|four|five|six|seven|eight|nine"
_ENGLISH_FIGURE = (
    r"\d{1,3}(?:\.\d{3}){2,}(?!\d)|\d+(?:[,\u00a0\u202f]\d{3})+(?:\.\d+)?"
    r"|\d+,\d{1,2}(?=\s?(?:[%€°]|(?:Prozent|Mio|Mrd)\b))|\d+(?:\.\d+)?"
)
_CONTINENTAL_FIGURE = (
    r"\d{1,3}(?:[.\u00a0\u202f '’]\d{3})+(?!\d)(?:,\d+)?|\d+,\d{1,2}(?!\d)"
    r"|" + _ENGLISH_FIGURE
)
"""German, French and Spanish set a comma before the decimals, and a dot or a space in thousands."""
_LENGTH_FOLLOWS = r"[a-z/²³^]|\s(?:wide|long|tall|high|deep|thick|above|below|away|in\b)"
_SCALE_WORDS = (
    r"hundred|thousand|millionen|million|millón|millone|billionen|billone|billion|trillion"
    r"|milhão|milhõe|bilhão|bilhõe|lakh|crore"
    r"|mio(?=\b)|milliarden?|milliard|mrd(?=\b)|bn|mn|tn|k(?![^\W\d_])"
    rf"|(?:(?<=\d)|(?<=[€$£¥]\d\s)|(?<=[€$£¥]\d\d\s)|(?<=\.\d\s))m(?!{_LENGTH_FOLLOWS})"
    r"|十万|百万|千万|万亿|十亿|百亿|千亿|[万亿千百萬億兆만억조]|тыс(?=\b)|млн(?=\b)|млрд(?=\b)"
    r"|трлн(?=\b)|مليون|مليار|लाख|करोड़"
)
_WORD_SCALES = (
    r"million|billion|millionen|milliarden?|billionen|milliard|millón|millone|tausend|mille|mil"
)
_CONTINENTAL_SCALES = r"mil\smillone|tausend(?=\b)|mille(?=\b)|mil(?=\b)|"


_NOTE_MARK = r"\s?\[\d[\d,;–\-\s]{0,10}\]"
"""The mark of a note between a number and its scale or unit."""


def _number_pattern(figure: str, scales: str, words: Iterable[str]) -> re.Pattern[str]:
    return re.compile(
        rf"(?<![A-Za-z0-9_.])(?P<figure>{figure})(?:{_NOTE_MARK})?"
        rf"(?:[\s-]?(?P<scale>(?:{scales})s?\b\.?(?=\s?[€$£¥%A-Za-z])|(?:{scales})s?))?"
        r"(?:st|nd|rd|th)?"
        r"(?:\s?(?P<unit>%|percent\b|per\s?cent\b|Prozent\b|pour\s?cent\b|por\s?ciento\b|[％٪]"
        r"|[A-Za-z\u00b0€£$]{1,12}))?"
        rf"|\b(?P<word>(?:{_TENS})[- ](?:{_UNITS})|{'|'.join(sorted(words, key=len)[::-1])})\b"
        rf"(?:[ -](?P<wscale>(?:hundred|thousand|lakh|crore|trillion|{_WORD_SCALES})s?)\b)?"
        r"(?:\s(?P<wunit>percent\b|per\s?cent\b|[a-z]{3,12}))?",
        re.IGNORECASE,
    )


_NUMBER = _number_pattern(_ENGLISH_FIGURE, _SCALE_WORDS, SMALL)
_CONTINENTAL_NUMBER = _number_pattern(
    _CONTINENTAL_FIGURE, _CONTINENTAL_SCALES + _SCALE_WORDS, [*SMALL, *FOREIGN]
)
_CHINESE_NUMBER = re.compile(
    r"(?P<percent>百分之)?(?P<words>[一二三四五六七八九两十][零〇一二三四五六七八九两十百千万亿]*)"
    r"(?P<decimals>点[零〇一二三四五六七八九]+)?"
)
_RATE_BEFORE = re.compile(r"每(秒|小时)\s?$")
_SIGN = re.compile(
    r"(?:(?<![^\W为為是约約达達至到在于於有从從低])(?<![)\]%°.,])[-−–﹣－]"
    r"|(?<![^\W\d_])(?:minus|negative|moins|menos|meno|мінус|минус)\s"
    r"|低于海平面|海平面以下|零下|[负負]|マイナス|氷点下|영하\s?)"
    r"(?P<money>(?:US|C|A)?[$€£¥]?)\Z",
    re.IGNORECASE,
)
_BELOW_ZERO = re.compile(
    r"\s?(?:(?:degrees?|grad|degrés?|grados?|градус\w*)\s)?"
    r"(?:below (?:zero|freezing|(?:mean )?sea level)"
    r"|unter (?:null|dem gefrierpunkt|(?:dem )?(?:meeresspiegel|normalnull))"
    r"|(?:sous|en dessous de) (?:le )?(?:zéro|niveau de la mer)|bajo (?:cero|el nivel del mar)"
    r"|ниже (?:нуля|уровня моря)|(?<=grad )minus(?!\s?\d))\b",
    re.IGNORECASE,
)
_FALLING = re.compile(
    r"\b(?:f[ae]ll\w*|declin\w+|decreas\w+|drop\w*|reduc\w+|los[ts]\w*|loss\w*|deficit|down|shr[aiu]nk\w*"
    r"|sank|gesunken|sinkt|sank\w*|rückgang|verlust\w*|defizit|baiss\w+|recul\w*|perte\w*|déficit|chut\w+"
    r"|cay\w+|caíd\w+|descen\w+|pérdida\w*|disminu\w+|contract\w+|minus|below)\b|下降|减少|減少|亏损|虧損|下跌|跌",
    re.IGNORECASE,
)
_REACH_OF_FALL = 40
_POWER_OF_TEN = re.compile(
    r"(?P<times>\s?[×x·⋅*]\s?10)?(?:\^\(?(?P<plain>[-−–+]?\d{1,2})\)?|(?P<raised>[⁻⁺]?[⁰¹²³⁴-⁹]{1,2}))"
)
_LOWERED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺−–", "0123456789-+--")
_MARK = re.compile(_NOTE_MARK)
_NOUN = re.compile(r"\s?([A-Za-z]{1,12})")
_RANGE = re.compile(r"\s?(?:[-–—−~～]|to|and|bis|und|à|et|a|y|至|到)\s?")
_PERCENT = re.compile(r"[%％٪]|per\s?cent|prozent|po[u]?r\s?c(?:ent|iento)", re.IGNORECASE)
_CONTINENTAL_WORDS = re.compile(
    r"\b(?:der|die|das|und|ist|nicht|mit|von|rund|etwa|knapp|sich|le|les|des|est|une|dans|et|du|à|"
    r"il|elle|ne|aux|moins|wurden?|waren|haben|eine[nrms]?|auf|für|fue|más|menos|"
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
    currency: str = ""
    scale: float = 1.0
    """What the word behind its figure stands for: a million, a dozen."""
    falls: bool = False
    """Whether words before it make it a loss, a decrease, a deficit."""

    @property
    def is_year(self) -> bool:
        """Whether the figure reads as a year."""
        return 1500 <= self.value <= 2100 and self.value == int(self.value) and self.unit != "%"

    @property
    def base_value(self) -> float:
        """The number in base units of what it measures."""
        if self.measure is None:
            return self.value
        return self.value * self.measure.factor + self.measure.offset


Verdict = Literal["same", "different", "cannot compare"]


def find_quantities(text: str, continental: bool | None = None) -> list[Quantity]:
    """Every number of a text in text order; offsets cover the sign, the figure or word and its scale.

    With `continental` a comma stands before decimals; not given, the text's words tell.
    """
    return list(_quantities(text, continental))


@lru_cache(maxsize=2048)
def _quantities(text: str, continental: bool | None) -> tuple[Quantity, ...]:
    plain = _plain_digits(text)
    if continental is None:
        continental = len(_CONTINENTAL_WORDS.findall(plain)) > len(_ENGLISH_WORDS.findall(plain))
    found: list[Quantity] = []
    after = 0
    for match in (_CONTINENTAL_NUMBER if continental else _NUMBER).finditer(plain):
        quantity = _read(plain, match, continental) if match.start() >= after else None
        if quantity is not None:
            found.append(_complete(plain, quantity, match.end()))
            after = found[-1].end
    found += (_complete(plain, *number) for number in _chinese_numbers(plain))
    return tuple(_joined_ranges(plain, sorted(found, key=lambda quantity: quantity.start)))


def _joined_ranges(text: str, found: list[Quantity]) -> list[Quantity]:
    """The numbers, those of a range with one scale, unit and currency: $3–4 million."""
    for at, (first, second) in enumerate(zip(found, found[1:], strict=False)):
        if not _RANGE.fullmatch(text, first.end, second.start) or "year" in (
            first.kind,
            second.kind,
        ):
            continue
        if not first.kind or (first.currency and not second.kind):
            grown = second.scale if first.scale == 1 and abs(first.value) < second.value else 1.0
            found[at] = replace(
                first, value=first.value * grown, step=first.step * grown,
                unit=second.unit, measure=second.measure,
                kind=first.kind or second.kind, currency=first.currency or second.currency,
            )  # fmt: skip
        if first.currency and not second.kind:
            found[at + 1] = replace(second, kind=first.kind, currency=first.currency)
    return found


def _plain_digits(text: str) -> str:
    """The text with the digits of every script as ASCII ones, one for one."""
    if text.isascii():
        return text
    others = {char for char in text if char.isdecimal() and not char.isascii()}
    table = {ord(char): str(unicodedata.decimal(char)) for char in others}
    table |= {ord("٫"): ".", ord("٬"): ",", ord("．"): "."}
    if others:  # a full-width comma between digits parts thousands, elsewhere clauses
        text = re.sub(r"(?<=\d)，(?=\d{3}(?!\d))", ",", text)
    return text.translate(table)


def _read(text: str, match: re.Match[str], continental: bool) -> Quantity | None:
    """A number with its scale and sign, before what it counts is known; None for a code."""
    decimals = 0
    if match["figure"]:
        is_mark = text[match.start() - 1 : match.start()] == "[" and text.startswith(
            "]", match.end()
        )
        if len(match["figure"]) > LONGEST or is_mark:
            return None
        digits, decimals = _plain_figure(match["figure"], continental)
        value = float(digits)
        scale, unit, weak = match["scale"], match["unit"], False
        end = match.end("scale") if scale else match.end("figure")
    else:
        word = match["word"].lower()
        parts = [word] if word in FOREIGN else re.split(r"[- ]", word)
        value = float(sum(SMALL.get(part, FOREIGN.get(part, 0)) for part in parts))
        scale, unit = match["wscale"], match["wunit"]
        end = match.end("wscale") if scale else match.end("word")
        weak = not scale and (value <= 2 or word in ("third", "second", "half") or word in FOREIGN)
    factor = _scale(scale, continental) if scale else 1.0
    return Quantity(
        value * factor, _unit(unit), match.start(), end, weak, _step(value, decimals) * factor,
        scale=factor,
    )  # fmt: skip


def _raised_to(text: str, number: Quantity) -> Quantity:
    """The number with the power of ten that is written behind it: 10^6, 3.2 × 10⁴."""
    power = _POWER_OF_TEN.match(text, number.end)
    if power is None or not (power["times"] or number.value == 10):
        return number
    written = (power["plain"] or power["raised"]).translate(_LOWERED)
    exponent = int(written) - (0 if power["times"] else 1)
    if abs(exponent) > 30:
        return number
    factor = 10.0**exponent
    noun = _NOUN.match(text, power.end())
    return replace(
        number, value=number.value * factor, step=number.step * factor, end=power.end(),
        unit=_unit(noun[1] if noun else None), weak=False,
    )  # fmt: skip


def _scale(words: str, continental: bool) -> float:
    name = " ".join(words.lower().strip("-. ").split())
    if continental and name.rstrip("s") == "billion":  # a million millions
        return 1e12
    return SCALE[name if name in SCALE else name.rstrip("s")]


def _complete(text: str, bare: Quantity, match_end: int) -> Quantity:
    """A number with its power of ten, its sign and what it counts."""
    bare = _raised_to(text, bare)
    mark = _MARK.match(text, bare.end)  # a note between a number and its unit
    after = mark.end() if mark else bare.end
    sign = _SIGN.search(text[max(0, bare.start - 14) : bare.start])
    if sign is not None and re.search(r"\d\s*$", text[: bare.start - len(sign[0])][-4:]):
        sign = None  # the second number of a range
    currency, money_end = read_currency(text, bare.start, after)
    measured = None if currency or bare.unit == "%" else read_measure(text, after)
    if measured and _is_date(text, bare, measured):
        measured = None
    measure = measured[0] if measured else None
    if measure and (rate := _RATE_BEFORE.search(text[max(0, bare.start - 6) : bare.start])):
        dimension = "speed" if measure.dimension == "length" else f"{measure.dimension} per second"
        measure = Measure(dimension, measure.factor / (1 if rate[1] == "秒" else 3600))
    kind = _kind(text, bare, measure, currency)
    unit_end = measured[1] if measured else _unit_end(text, bare, kind, match_end)
    unit_end = max(unit_end, money_end) if currency else unit_end
    below = _BELOW_ZERO.match(text, unit_end) or _BELOW_ZERO.match(text, after)
    is_unit = measure is not None or bool(currency)
    start = bare.start - (len(sign[0]) if sign else 0)
    approximation, opening, closing = approximation_of(text, start, unit_end)
    return replace(
        bare,
        value=-bare.value if sign or below else bare.value,
        start=start,
        kind=kind,
        weak=bare.weak
        and not (is_unit and bare.value > 2 and text[bare.start : bare.end].lower() in FOREIGN),
        measure=measure,
        unit_end=below.end() if below else unit_end,
        approximation=approximation,
        words=Span(opening, closing),
        currency=currency,
        falls=_FALLING.search(_clause_before(text, start)) is not None,
    )


def _is_date(text: str, number: Quantity, measured: tuple[Measure, int]) -> bool:
    """Whether what reads as years or days is a date: 2019年."""
    return number.is_year and text[number.end : measured[1]].strip() in ("年", "an")


def _clause_before(text: str, start: int) -> str:
    before = text[max(0, start - _REACH_OF_FALL) : start]
    return re.split(r"[.;:。；!?]\s|\n", before)[-1]


def _chinese_numbers(text: str) -> Iterable[tuple[Quantity, int]]:
    """The numbers written in Chinese characters: 三千五百万, 百分之十二; not every 一."""
    for match in _CHINESE_NUMBER.finditer(text) if not text.isascii() else ():
        words = match["words"]
        before, after = text[match.start() - 1 : match.start()], text[match.end() : match.end() + 1]
        telling = match["percent"] or any(scale in words[1:] for scale in "十百千万亿")
        if not telling and (words[0] == "十" or words in tuple("三四五六七八九")):
            telling = before != "第" and read_measure(text, match.end()) is not None
        if not telling or before.isdigit() or before in ("几", "数", "數") or after == "分":
            continue
        value, section, digit = 0.0, 0.0, 0.0
        for char in words:
            if char in CHINESE_DIGITS:
                digit = CHINESE_DIGITS[char]
            elif char in CHINESE_SCALES:
                section += (digit or 1) * CHINESE_SCALES[char]
                digit = 0
            else:
                value = (value + section + digit) * (1e4 if char == "万" else 1e8)
                section = digit = 0
        value += section + digit
        for place, char in enumerate((match["decimals"] or "")[1:], 1):
            value += CHINESE_DIGITS[char] * 10.0**-place
        unit = "%" if match["percent"] else ""
        decimals = max(len(match["decimals"] or "") - 1, 0)
        step = _step(value, decimals)
        yield Quantity(value, unit, match.start(), match.end(), False, step), match.end()


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
    elif re.fullmatch(r"\d+,\d{1,2}", plain) or (
        continental and re.fullmatch(r"\d+,\d{4,}", plain)
    ):
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


def clashes(missing: Iterable[Quantity], evidence: str) -> list[Verdict]:
    """How numbers of a claim compare whose figure the evidence gives with another sign, unit or currency.

    25 °C beside −25 °C, 40 hours beside 40 minutes, $5 million beside €5 million: such a number is
    never borne out by that evidence. What counts another thing altogether does not clash.
    """
    others = find_quantities(evidence)
    verdicts: list[Verdict] = []
    for number in missing:
        for other in others:
            if abs(number.value) != abs(other.value) or number.weak:
                continue
            verdict = compare_quantities(number, other)
            same_thing = bool(number.kind) and number.kind == other.kind
            if verdict != "same" and (same_thing or _is_confused(number, other)):
                verdicts.append(verdict)
                break
    return verdicts


def matches(quantity: Quantity, others: Iterable[Quantity]) -> bool:
    """Whether a number stands among others: equal, equal once rounded, or within its approximation.

    Units of one kind are converted; what an approximation allows is `allowed_range`.
    """
    return any(same_number(quantity, other) for other in others)


def is_loosely_matched(quantity: Quantity, other: Quantity) -> bool:
    """Whether a number of the same kind holds only by the words around it, or in another unit.

    *About 300,000 km/s* and 299,792 km/s; 3 km and 3,000 m; not 300,000 and 300,000.
    """
    if not quantity.kind or quantity.kind != other.kind or not same_number(quantity, other):
        return False
    if math.isclose(quantity.base_value, other.base_value):
        return quantity.measure != other.measure
    if quantity.value * other.value < 0:
        return False
    return quantity.approximation != "exact"


def compare_quantities(claimed: Quantity, given: Quantity) -> Verdict:
    """Whether a number of a claim is the one that a source gives.

    Comparable units are converted. Two numbers are the same where one is the other rounded to its
    last written digit, or where the words around the claimed one allow it (`allowed_range`). Sign,
    unit and currency belong to the number: what is given in another currency, or counts another
    thing, cannot be compared.

    >>> claim, source = find_quantities("1,200 feet"), find_quantities("1,200 metres")
    >>> compare_quantities(claim[0], source[0])
    'different'
    """
    one, other = claimed.measure, given.measure
    if (
        (claimed.unit == "%") != (given.unit == "%")
        and (claimed.unit or one)
        and (given.unit or other)
    ):
        return "cannot compare"
    if claimed.currency and given.currency and not same_money(claimed.currency, given.currency):
        return "cannot compare"
    if one and other and one.dimension != other.dimension:
        return "cannot compare"
    money = {claimed.currency, given.currency} - {""}
    if (one or other) and money and not ("£" in money and POUNDS in (claimed.kind, given.kind)):
        return "cannot compare"
    is_converted = one is not None and other is not None and one != other
    value, compared = claimed.value, given.value
    step, other_step = claimed.step, given.step
    if is_converted and one and other:
        value, compared = claimed.base_value, given.base_value
        step, other_step = step * one.factor, other_step * other.factor
    if value * compared < 0 and (claimed if value > 0 else given).falls:
        value, compared = abs(value), abs(compared)  # fell by 3 %, growth of -3 %
    if value * compared < 0:
        return "different"
    if math.isclose(value, compared, rel_tol=1e-9):
        return "same"
    same_kind = bool(claimed.kind) and claimed.kind == given.kind
    apart = bool(one and other) or "year" in (claimed.kind, given.kind)
    if claimed.approximation != "exact" and (same_kind or not apart):
        is_year = claimed.kind == "year"
        least, most = allowed_range(claimed.approximation, value, step, is_year=is_year)
        allowed = least <= compared <= most and (
            same_kind or abs(value - compared) <= SHARE * abs(value)
        )
        return "same" if allowed else "different"
    years = (claimed.is_year and not one) or (given.is_year and not other)
    if not years and _is_rounded(value, compared, step, other_step, is_converted):
        return "same"
    if not same_kind and (claimed.kind and given.kind or "year" in (claimed.kind, given.kind)):
        return "cannot compare"
    return "different"


def same_number(quantity: Quantity, other: Quantity) -> bool:
    """Whether two numbers are the same, as `compare_quantities` says."""
    return compare_quantities(quantity, other) == "same"


def same_money(one: str, other: str) -> bool:
    """Whether two currencies are the same; ¥ is the sign of two."""
    return one == other or "¥" in (one, other) and {one, other} <= {"¥", "JPY", "CNY"}


def _is_rounded(
    value: float, compared: float, step: float, other_step: float, is_converted: bool
) -> bool:
    """Whether one number is the other, rounded to the last digit that is written.

    Nobody knows how many zeros at the end of a number were meant: there it is one part in a hundred.
    """
    if not is_converted and math.isclose(step, other_step) and not step >= 10:
        return False
    coarse = value if step >= other_step else compared
    step = max(step, other_step)
    ends_in_zeros = step >= 10 and math.isclose(coarse % 10, 0.0, abs_tol=1e-9)
    most = 0.01 if ends_in_zeros else 0.05
    return abs(value - compared) <= min(step / 2 * (1 + 1e-9), most * abs(coarse))


def _agree(claimed: Quantity, other: Quantity) -> bool:
    """Whether numbers agree, whichever of the two is the rounder one."""
    return same_number(claimed, other) or (
        claimed.approximation == "exact" and same_number(other, claimed)
    )


def _is_confused(number: Quantity, other: Quantity) -> bool:
    """Whether one may have been written for the other, though they cannot be compared."""
    return bool(number.currency and other.currency) or {number.kind, other.kind} in CONFUSED


def _rivals(number: Quantity, other: Quantity) -> bool:
    if abs(number.value) == abs(other.value) and _is_confused(number, other):
        return True  # five million, of another currency
    if not number.kind or number.kind != other.kind:
        return False
    if number.measure is None or other.measure is None:
        return True
    if number.measure == other.measure or abs(number.value) == abs(other.value):
        return True
    low, high = sorted((abs(number.base_value), abs(other.base_value)))
    return high <= 2 * low


def _kind(text: str, quantity: Quantity, measure: Measure | None, currency: str) -> str:
    """What a number counts: a year, its currency, what it measures, or its unit."""
    if currency:
        return currency
    if measure is not None:
        return measure.dimension
    if quantity.is_year and (not quantity.unit or quantity.unit in STOPWORDS):
        return "year"
    after = text[quantity.end : quantity.end + 1]
    if not quantity.unit and is_unspaced(after):
        return after
    return "" if quantity.unit in STOPWORDS else quantity.unit


def _unit(raw: str | None) -> str:
    if not raw:
        return ""
    return "%" if _PERCENT.fullmatch(raw) else raw.lower().rstrip("s")
