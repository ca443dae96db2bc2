"""Rates, products, conversions and the time between two dates. Pure."""

import re
from collections.abc import Iterator
from decimal import Decimal
from itertools import combinations

from workbench.language.figure_words import (
    exact,
    figure_words,
)
from workbench.language.operand_fit import Candidate
from workbench.language.operand_pairs import PairSearch
from workbench.language.source_figures import (
    SourceFigure,
    key_of,
)
from workbench.language.tokenization import stem
from workbench.language.units import read_measure

_DAY = 86_400
_PEOPLE = frozenset(
    "perso peopl inhab resid citiz head capit popul einwo kopf mensc burge habit perso pobla"
    " 居民 人 人口 每人 市民".split()
)
"""Who lives somewhere, by the beginnings of the words."""


class RateSearch(PairSearch):
    """The search for figures of different kinds."""

    def _remainders(self) -> Iterator[Candidate]:
        for part, whole in self._two(
            lambda a, b: self._alike(a, b) and a.value < b.value and a.kind not in ("%", "points")
        ):
            bond = self._bond(part, whole)
            if self.figure.kind not in (part.kind, whole.kind) and part.table < 0:
                continue
            if bond > 0:
                fit = bond + 0.2 + self._of(part, whole) + self.anchor((part, whole))
                yield Candidate(
                    "rest",
                    (part, whole),
                    whole.value - part.value,
                    fit,
                    f"{whole.text} − {part.text}",
                    certain=False,
                )

    def _divisions(self) -> Iterator[Candidate]:
        for one, other in self._two(
            lambda a, b: (
                b.value > 1
                and a.value > 0
                and a.kind not in ("%", "points")
                and b.kind not in ("%", "points")
            )
        ):
            if (
                self.figure.kind
                and one.kind
                and self.figure.kind != one.kind
                or one.kind
                and one.kind == other.kind
            ):
                continue
            bond = self._bond(one, other) if one.table < 0 or one.line == other.line else -1
            if bond <= 0:
                continue
            fit = bond + self.anchor((one, other))
            noun = other.noun or (
                key_of(stem(other.quantity.unit)) if other.quantity and other.quantity.unit else ""
            )
            keys, kinds = self._per_keys(), self._per_kinds()
            if noun and (noun in keys or noun in _PEOPLE and keys & _PEOPLE):
                fit += 0.6
            elif other.kind and other.kind in kinds:
                fit += 0.8
            elif any(other.near.get(key, 0) > 0.6 for key in keys):
                fit += 0.4
            else:
                fit -= 0.9 if keys else 0.4
            if self.figure.noun and one.noun:
                fit += 0.4 if one.noun == self.figure.noun else -0.4
            if one.listed:
                fit -= 0.8
            if figure_words(self.language).cues["per"].match(
                one.after[len(one.noun) :][:14].strip()
            ) or self._rate_unit(one):
                fit -= 0.8
            yield Candidate(
                "ratio",
                (one, other),
                one.value / self._count(other),
                fit,
                f"{one.text} ÷ {other.text}",
                certain=False,
            )

    def _products(self, less: float) -> Iterator[Candidate]:
        words = figure_words(self.language)
        for one, other in self._two(
            lambda a, b: (
                self._count(a) > 1
                and self._count(b) > 1
                and a.kind not in ("points",)
                and b.kind not in ("points",)
            )
        ):
            if one.table >= 0 and other.table >= 0 and one.line != other.line:
                continue
            percent = one.kind == "%"
            if other.kind == "%" or (percent and one.value > 100):
                continue
            if one.kind and one.kind == other.kind:
                continue
            if one.kind not in (self.figure.kind, "%") or other.kind not in (
                "",
                "time",
                *(["%"] if not percent else [self.figure.kind]),
            ):
                continue
            rate = words.cues["per"].search(
                re.split(r"\d|[.;。；]\s", one.after[:28])[0]
            ) or words.cues["per"].search(
                one.before[-12:] if self.language != "zh" else one.before[-20:].rpartition("。")[2]
            )
            if not rate and not percent and one.start > other.start:
                continue
            bond = self._bond(one, other)
            if bond <= 0:
                continue
            left = (
                self._count(one)
                if not self.figure.kind or one.kind != self.figure.kind
                else one.value
            )
            right = (
                self._count(other)
                if not self.figure.kind or other.kind != self.figure.kind
                else other.value
            )
            if (
                rate
                and other.kind == "time"
                and (unit := self._rate_unit(one))
                and other.quantity
                and other.quantity.measure
            ):
                right = other.value / unit
            fit = (
                bond
                + self.anchor((one, other))
                - less
                + (0.4 if rate else -0.2 if percent else -0.8)
            )
            if percent:
                yield Candidate(
                    "product",
                    (one, other),
                    left * right / 100,
                    fit,
                    f"{one.text} % × {other.text}",
                    certain=False,
                )
            else:
                yield Candidate(
                    "product",
                    (one, other),
                    left * right,
                    fit,
                    f"{one.text} × {other.text}",
                    certain=False,
                )

    def _rate_unit(self, figure: SourceFigure) -> Decimal | None:
        """The time that a rate is told for, in seconds; None where it is for something else."""
        rate = figure_words(self.language).cues["per"].search(figure.after[:28])
        if rate is None:
            return None
        word = rate[0].lower()
        if named := {
            "daily": _DAY,
            "weekly": 7 * _DAY,
            "hourly": 3600,
            "täglich": _DAY,
            "diarios": _DAY,
            "al día": _DAY,
            "am tag": _DAY,
        }.get(word):
            return Decimal(named)
        measured = read_measure(figure.after, rate.end()) or read_measure(
            " " + figure.after[rate.end() :], 0
        )
        return exact(measured[0].factor) if measured and measured[0].dimension == "time" else None

    def _conversions(self, less: float) -> Iterator[Candidate]:
        own = self.figure.quantity.measure if self.figure.quantity else None
        for one in self.pool:
            if one.kind != self.figure.kind:
                continue
            measure = one.quantity.measure if one.quantity else None
            scaled = bool(
                one.quantity
                and self.figure.quantity
                and one.quantity.scale != self.figure.quantity.scale
            )
            if (
                measure == own
                and not scaled
                or not self.figure.kind
                and not self.figure.least <= one.value <= self.figure.most
            ):
                continue
            yield Candidate(
                "conversion",
                (one,),
                one.value,
                1.4 + self.anchor((one,)) - less,
                one.text + one.written_unit,
                certain=bool(measure)
                and measure != own
                and sum(f.kind == one.kind for f in self.pool) == 1,
            )
        times = [f for f in self.pool if f.kind == "time"]
        for one, other in zip(times, times[1:], strict=False):
            if (
                one.line == other.line
                and 0 <= other.start - one.end < 14
                and one.value > other.value
            ):
                yield Candidate(
                    "conversion",
                    (one, other),
                    one.value + other.value,
                    1.6 + self.anchor((one, other)),
                    f"{one.text}{one.written_unit} {other.text}{other.written_unit}",
                )

    def _durations(self) -> Iterator[Candidate]:
        unit = (
            self.figure.quantity.measure.factor
            if self.figure.quantity and self.figure.quantity.measure
            else 0
        )
        times = self.source.times
        for one, other in combinations(times, 2):
            if one.date is None or other.date is None:
                continue
            early, late = sorted(
                (one, other),
                key=lambda t: (t.date.year, t.date.month, t.date.day) if t.date else (0, 0, 0),
            )
            span = _span(early, late, unit)
            if span is None:
                continue
            bond = 1.0 - min(abs(one.line - other.line), 3) * 0.3
            fit = bond + self.anchor((one, other), both=0.3)
            low, high = span
            figure = self.figure
            value = low if not figure.least <= high <= figure.most else high
            if (
                not figure.least <= value <= figure.most
                and figure.least <= (low + high) / 2 <= figure.most
            ):
                value = (low + high) / 2
            yield Candidate(
                "duration", (early, late), value, fit, f"{early.text} to {late.text}", certain=False
            )


def _span(early: SourceFigure, late: SourceFigure, unit: float) -> tuple[Decimal, Decimal] | None:
    """The least and the greatest time between two dates, in seconds; None where that is not told."""
    a, b = early.date, late.date
    if a is None or b is None or (not a.year) != (not b.year):
        return None
    if not a.year:  # two dates of one year
        a, b = a._replace(year=2001), b._replace(year=2001)
    year, month = Decimal(str(365.25 * _DAY)), Decimal(str(365.25 / 12 * _DAY))
    if not a.month or not b.month:
        years = b.year - a.year
        return (Decimal(years) * year, Decimal(years) * year) if years > 0 else None
    first, last = a.first, b.first
    if first is None or last is None:
        return None
    if not a.day or not b.day or unit > 28 * _DAY:
        months = (b.year - a.year) * 12 + b.month - a.month
        if a.day and b.day and b.day < a.day:
            months -= 1
        if months <= 0:
            return None
        return Decimal(months) * month, Decimal(months) * month
    days = (last - first).days
    return (Decimal(days * _DAY), Decimal((days + 1) * _DAY)) if days > 0 else None
