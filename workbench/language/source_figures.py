"""A figure of a source, with what stands beside it: words, row and column headings, years. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import NamedTuple

from workbench.language.figure_words import DateRead, FigureWords, exact
from workbench.language.quantities import Quantity
from workbench.language.tokenization import STOPWORDS, find_words, is_unspaced, stem
from workbench.language.units import FOREIGN, SMALL

_NAME_BEFORE = re.compile(
    r"(?:[A-Za-z]-|[^\W\d]\.|(?<!\w)[A-Z]|\b(?:p|n|P)\s?[<>=]\s?|(?<!\w)(?:table|figure|fig\.?|section|chapter|step|no\.|nr\.|page|pp?\.|eq\.|version|type|phase|grade|article|act|room|route"
    r"|highway|item|question|appendix|day|week|top|tabelle|abbildung|abb\.|kapitel|seite|artikel|tableau|chapitre|tabla|capítulo|página|artículo|level|part|volume|covid)\s?#?)\Z|[表图第]\Z",
    re.I,
)


@dataclass(slots=True)
class SourceFigure:
    """A figure at a place of a source."""

    value: Decimal
    """In base units of what it measures."""
    kind: str
    """`%`, `points`, its currency or dimension, `year`; empty where it is not said."""
    noun: str
    quantity: Quantity | None
    text: str
    start: int
    end: int
    line: int
    """The sentence or row that it stands in."""
    table: int = -1
    column: int = -1
    near: dict[str, float] = field(default_factory=dict)
    """How near words stand, 0 to 1."""
    label: frozenset[str] = frozenset()
    """The words of its row heading."""
    head: frozenset[str] = frozenset()
    year: str = ""
    when: float | None = None
    """Its year, or 10,000 and less for what is dated from today."""
    before: str = ""
    after: str = ""
    is_total: bool = False
    is_whole: bool = False
    """Whether it stands behind its part: 120 in *41 of the 120*."""
    listed: bool = False
    """Whether it stands in a row of figures of one kind: 412, 388 and 275."""
    date: DateRead | None = None

    @property
    def written_unit(self) -> str:
        """The unit behind it as the source writes it, with the space before it."""
        quantity = self.quantity
        known = quantity and (quantity.measure or quantity.currency)
        if quantity is None or not known or quantity.unit_end <= quantity.end:
            return ""
        return self.after[: quantity.unit_end - quantity.end]

    @property
    def unit(self) -> str:
        """What its value is told in: the unit as the source writes it, a currency, or a noun."""
        quantity = self.quantity
        if self.kind in ("%", "date", "year"):
            return "" if self.kind == "year" else self.kind
        if quantity and quantity.currency:
            return quantity.currency
        return self.written_unit.strip(" -") or (quantity.unit if quantity and self.noun else "")


class SourceReading(NamedTuple):
    """The figures of a source in text order, and its dates and years."""

    figures: list[SourceFigure]
    times: list[SourceFigure]
    words: frozenset[str]
    """All words of the source."""


def key_of(stem: str) -> str:
    """Return what two words are compared by: their beginnings."""
    return stem if len(stem) <= 5 or stem[0].isdigit() else stem[:5]


def keys_of(text: str, words: FigureWords) -> list[tuple[str, int, int, bool]]:
    """Return the words of a text that may tell one figure from another, as (key, start, end, name)."""
    return [
        (key_of(word.stem), word.start, word.end, word.name)
        for word in find_words(text)
        if not word.stop
        and text[word.start : word.end].lower() not in words.common
        and (
            word.end - word.start > 1
            or text[word.start].isdigit()
            or is_unspaced(text[word.start])
            or text[word.start].isupper()
        )
    ]


def is_label(text: str, quantity: Quantity) -> bool:
    """Whether a number is part of a name or a mark, not a count: COVID-19, Table 5, 07, the 3 of a list."""
    written = text[quantity.start : quantity.end]
    line = text[max(0, quantity.start - 24) : quantity.start].rpartition("\n")
    after = text[quantity.end : quantity.end + 8]
    if (
        written[:1] == "0"
        and written.isdigit()
        and len(written) > 1
        or _NAME_BEFORE.search(line[2])
    ):
        return True
    begins = not line[2].strip(" *-#") and (line[1] == "\n" or quantity.start < 4)
    return bool(begins and re.match(r"[.)]\s", after) or re.match(r"%?\s?CI\b|-year-old", after))


def kind_of(quantity: Quantity) -> tuple[str, Decimal]:
    """Return what a number counts, and its value in base units of that."""
    value = exact(quantity.value)
    if quantity.unit == "%":
        return "%", value
    if quantity.kind == "percentage points":
        return "points", exact(quantity.base_value)
    if quantity.currency:
        return quantity.currency, value
    if quantity.measure is None:
        return "", value
    if quantity.measure.offset:
        return f"temperature {quantity.measure.factor:.2f}", value
    return quantity.measure.dimension, exact(quantity.value) * exact(quantity.measure.factor)


def noun_of(quantity: Quantity, words: FigureWords) -> str:
    """Return the noun behind a number; empty where none stands there."""
    unit = quantity.unit
    if (
        not unit
        or unit == "%"
        or unit in STOPWORDS
        or unit in words.common
        or quantity.measure
        or quantity.currency
        or not unit.isalpha()
    ):
        return ""
    return "" if unit in SMALL or unit in FOREIGN else key_of(stem(unit))


RELATIVE_TIMES: tuple[tuple[float, re.Pattern[str]], ...] = (
    (
        -2,
        re.compile(
            r"(?<![^\W\u3400-\u9fff])(?:前年|two years (?:ago|earlier|before)|zwei jahre zuvor"
            r"|vor zwei jahren|il y a deux ans|deux ans plus tôt|hace dos años"
            r"|dos años antes)(?![^\W\u3400-\u9fff])",
            re.I,
        ),
    ),
    (
        -1,
        re.compile(
            r"(?<![^\W\u3400-\u9fff])(?:(?:the|a|one|in the) (?:previous |preceding "
            r"|prior )?year (?:before|earlier|ago)|(?:the|in the|for the) (?:previous"
            r"|preceding|prior|year-earlier) (?:year|season|month|quarter|week|decade|election"
            r"|vote)|last year(?! )|year-ago|im (?:vor)?jahr (?:davor|zuvor)|im vorjahr"
            r"|ein jahr (?:zuvor|davor)|vorjahr|jahr zuvor|vorsaison|l['’]année (?:précédente"
            r"|d['’]avant)|l['’]an dernier|un an (?:plus tôt|auparavant|avant)|(?:el"
            r"|del) (?:año|ejercicio|curso) (?:anterior|previo|pasado)|un año antes|上年|去年"
            r"|一年前|此前|同期|年前|上一)(?![^\W\u3400-\u9fff])",
            re.I,
        ),
    ),
    (
        -3,
        re.compile(
            r"(?<![^\W\u3400-\u9fff])(?:\b(?:three|four|five|six|seven|eight|nine|ten"
            r"|\d+) years (?:ago|earlier|before)|vor \w+ jahren|\w+ jahre zuvor|il y a \w+ ans"
            r"|\w+ ans plus tôt|hace \w+ años|\w+ años antes|[三四五六七八九十]年前"
            r"|when it opened|at the start|originally|in the past|früher|earlier|formerly"
            r"|before the|autrefois|antes|zuvor|previously)(?![^\W\u3400-\u9fff])",
            re.I,
        ),
    ),
    (
        0,
        re.compile(
            r"(?<![^\W\u3400-\u9fff])(?:\b(?:now|today|this (?:year|season|spring|summer"
            r"|autumn|winter|month)|currently|at present|heute|inzwischen|mittlerweile|jetzt"
            r"|derzeit|in diesem jahr|dieses jahr|aujourd['’]hui|désormais|cette année|hoy"
            r"|ahora|actualmente|este año)\b|今年|现在|如今|目前|本年)(?![^\W\u3400-\u9fff])",
            re.I,
        ),
    ),
)
"""How words date a figure against today, or against the year beside it."""


def is_year(key: str) -> bool:
    """Whether a word is a year."""
    return len(key) == 4 and key.isdigit() and "1000" <= key <= "2100"


def apart_by(low: int, at: int, cuts: Sequence[int], places: Sequence[int]) -> float:
    """How far two places of a sentence are apart, and what parts them."""
    first, last = sorted((low, at))
    return (
        last - first
        + 40 * sum(first < cut < last for cut in cuts)
        + 30 * sum(first < place < last for place in places if place not in (low, at))
        + (5 if at < low else 0)
    )  # fmt: skip


def belongs_to(low: int, at: int, cuts: Sequence[int], places: Sequence[int]) -> bool:
    """Whether what stands at a place dates a figure: it leads the sentence, or no other is nearer to it."""
    others = [place for place in places if place != at]
    if not others or at < min(others):
        return True
    return (
        apart_by(low, at, cuts, places)
        <= 1.4 * min(apart_by(place, at, cuts, places) for place in others) + 6
    )
