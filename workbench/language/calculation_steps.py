"""Every step from figures of a source to a figure like a claim's: one operation and its operands. Pure.

What is computed here need not be meant: `calculation_fit` says how likely each step is.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import combinations, permutations
from typing import Literal

from workbench.language.claim_cues import ClaimCues
from workbench.language.figure_words import ClaimedFigure, DateRead, exact
from workbench.language.source_figures import SourceFigure, SourceReading

Operation = Literal[
    "share", "rest", "change", "points", "difference", "sum", "average", "times",
    "quotient", "product", "rank", "conversion", "duration",
]  # fmt: skip
MOST_FIGURES, MOST_IN_GROUP = 30, 24
"""Figures beyond this many, those least like the claim, are not combined."""
NOT_COUNTED = ("%", "points")
FAR_OFF = Decimal("1.25")
_DAY = 86_400
YEAR, MONTH = Decimal("365.25") * _DAY, Decimal("365.25") / 12 * _DAY


@dataclass(slots=True)
class CalculationStep:
    """One operation on figures of a source."""

    operation: Operation
    operands: tuple[SourceFigure, ...]
    """What is compared with stands first: the base of a change, the whole of a share last."""
    result: Decimal
    """As the claim's figure has it: a fraction, points, a rank, or in base units; signed."""
    shown: str
    group: Sequence[SourceFigure] = ()
    """The row, column or list that operands were taken from."""
    matches: bool = False
    score: float = 0.0
    features: dict[str, float] = field(default_factory=dict)


def steps_to(
    figure: ClaimedFigure, cues: ClaimCues, source: SourceReading
) -> Iterator[CalculationStep]:
    """Return the steps that lead to a figure of the claim's form."""
    pool = [f for f in source.figures if f.kind != "year" or f.noun]
    if len(pool) > MOST_FIGURES:
        best = sorted(
            pool, key=lambda f: -sum(f.near.get(key, 0) * w for key, w in cues.weights.items())
        )
        chosen = {id(f) for f in best[:MOST_FIGURES]}
        pool = [f for f in pool if id(f) in chosen]
    if figure.form == "rank":
        yield from _ranks(figure, cues, source)
    elif figure.form == "points":
        yield from _compared("points", pool, lambda a, b: b - a, percent=True)
    elif figure.form == "times":
        yield from _compared("times", pool, lambda a, b: b / a)
    elif figure.form == "ratio":
        yield from _shares(pool)
        yield from _compared("change", pool, lambda a, b: b / a - 1)
    else:
        yield from _compared("difference", pool, lambda a, b: b - a, kind=figure.kind)
        yield from _totals(figure, cues, pool)
        yield from _rates(figure, pool)
        yield from _conversions(figure, pool)
        if figure.kind == "time":
            yield from _durations(figure, source.times)


def groups(pool: Sequence[SourceFigure]) -> Iterator[list[SourceFigure]]:
    """Return figures of one kind that stand in one column, row, list, or in sentences that follow."""
    places: dict[tuple[str, int, int], list[SourceFigure]] = {}
    for figure in pool:
        if figure.table >= 0:
            places.setdefault(("column", figure.table, figure.column), []).append(figure)
            places.setdefault(("row", figure.table, figure.line), []).append(figure)
        else:
            places.setdefault(("line", figure.line, 0), []).append(figure)
            for back in (1, 2):
                places.setdefault(("lines", figure.line + back - 2, 0), []).append(figure)
    seen = set()
    for place in places.values():
        by_kind: dict[str, list[SourceFigure]] = {}
        for figure in place:
            is_year = figure.table < 0 and figure.text.isdigit() and "1900" <= figure.text <= "2099"
            if not figure.is_total and not is_year:
                by_kind.setdefault(figure.kind, []).append(figure)
        for members in by_kind.values():
            if len(members) > 2 and members[0].value == sum(m.value for m in members[1:]):
                members = members[1:]  # the first is what they add up to
            key = tuple(m.start for m in members)
            if 1 < len(members) <= MOST_IN_GROUP and key not in seen:
                seen.add(key)
                yield members


def named(members: Sequence[SourceFigure], cues: ClaimCues) -> list[SourceFigure]:
    """Return those of a group whose own words the claim has."""
    keys = cues.weights.keys()
    for words in ([m.label for m in members], [m.head for m in members]):
        if len({*words}) > 1 and any(words):
            shared = frozenset.intersection(*words)
            return [m for m, own in zip(members, words, strict=True) if (own - shared) & keys]
    by_noun = [m for m in members if m.noun in keys]
    if len(by_noun) > 1 and len({m.noun for m in members}) == len(members):
        return by_noun
    return [
        m for m in members
        if any(m.near.get(k, 0) > max((o.near.get(k, 0) for o in members if o is not m), default=0) for k in cues.names)
    ]  # fmt: skip


def _alike(one: SourceFigure, other: SourceFigure) -> bool:
    """Whether two figures may be of one kind, of which one leaves out its unit."""
    if one.kind == other.kind:
        return True
    if one.kind and other.kind or {one.kind, other.kind} & {"%", "points", "year"}:
        return False
    if one.table >= 0 or other.table >= 0:
        return one.table == other.table
    return one.line == other.line and not (other if one.kind else one).noun


def _apart(one: SourceFigure, other: SourceFigure) -> bool:
    """Whether two figures stand in different tables, or in neither a row nor a column."""
    if one.table != other.table:
        return one.table >= 0 and other.table >= 0
    return one.table >= 0 and one.line != other.line and one.column != other.column


def _values(one: SourceFigure, other: SourceFigure) -> tuple[Decimal, Decimal]:
    """The values of two figures of which one may leave out the unit that the other has."""
    values = []
    for bare, full in ((one, other), (other, one)):
        measure = full.quantity.measure if full.quantity else None
        lacks = not bare.kind and full.kind and measure and full.table < 0
        values.append(bare.value * exact(measure.factor) if lacks and measure else bare.value)
    return values[0], values[1]


def _count(figure: SourceFigure) -> Decimal:
    """A figure in its own unit: 12 of *12 days*."""
    return exact(figure.quantity.value) if figure.quantity else figure.value


def _compared(
    operation: Operation,
    pool: Sequence[SourceFigure],
    compute: Callable[[Decimal, Decimal], Decimal],
    *,
    percent: bool = False,
    kind: str = "",
) -> Iterator[CalculationStep]:
    for base, other in permutations(pool, 2):
        if not _alike(base, other) or _apart(base, other) or (percent and base.kind != "%"):
            continue
        if (
            kind
            and kind not in (base.kind, other.kind)
            and (base.kind or other.kind or base.table < 0)
        ):
            continue
        if base.kind == "points" or base.value == 0 or other.value == base.value:
            continue
        signs = {
            "change": f"({other.text} − {base.text}) ÷ {base.text}",
            "times": f"{other.text} ÷ {base.text}",
        }
        shown = signs.get(operation, f"{other.text} − {base.text}")
        yield CalculationStep(operation, (base, other), compute(*_values(base, other)), shown)


def _shares(pool: Sequence[SourceFigure]) -> Iterator[CalculationStep]:
    for part, whole in permutations(pool, 2):
        if not _alike(part, whole) or _apart(part, whole) or part.kind in NOT_COUNTED:
            continue
        a, b = _values(part, whole)
        if 0 < a < b:
            told = f"{part.text} ÷ {whole.text}"
            yield CalculationStep("share", (part, whole), a / b, told)
            yield CalculationStep("rest", (part, whole), 1 - a / b, f"1 − {told}")
    for members in groups(pool):
        if members[0].kind == "%":
            yield from _percents(members)
        elif members[0].table >= 0 or len(members) <= 6:
            total = sum((m.value for m in members), Decimal(0))
            texts = " + ".join(m.text for m in members)
            for part in members if total > 0 else ():
                others = tuple(m for m in members if m is not part)
                yield CalculationStep(
                    "share",
                    (part, *others),
                    part.value / total,
                    f"{part.text} ÷ ({texts})",
                    members,
                )
    for one in pool:
        if one.kind == "%" and 0 < one.value < 100:
            sign = "" if "%" in one.text or not one.text[-1:].isdigit() else " %"
            yield CalculationStep("conversion", (one,), one.value / 100, f"{one.text}{sign}")
            yield CalculationStep("rest", (one,), 1 - one.value / 100, f"100 % − {one.text}{sign}")


def _percents(members: Sequence[SourceFigure]) -> Iterator[CalculationStep]:
    for a, b in combinations(range(len(members) + 1), 2):
        some = tuple(members[a:b])
        total = sum((m.value for m in some), Decimal(0)) / 100
        if not 1 < len(some) < 6:
            continue
        texts = [f"{m.text} %" for m in some]
        if total < 1:
            yield CalculationStep("sum", some, total, " + ".join(texts), members)
            yield CalculationStep("rest", some, 1 - total, f"100 % − {' − '.join(texts)}", members)
        yield CalculationStep(
            "average", some, total / len(some), f"({' + '.join(texts)}) ÷ {len(some)}", members
        )


def _totals(
    figure: ClaimedFigure, cues: ClaimCues, pool: Sequence[SourceFigure]
) -> Iterator[CalculationStep]:
    for members in groups(pool):
        kind = members[0].kind
        if kind in NOT_COUNTED or (figure.kind and kind and figure.kind != kind):
            continue
        choices = {tuple(m.start for m in some): some for some in _choices(members, cues)}
        for some in choices.values():
            total = sum((m.value for m in some), Decimal(0))
            texts = " + ".join(m.text for m in some)
            yield CalculationStep("sum", tuple(some), total, texts, members)
            yield CalculationStep(
                "average", tuple(some), total / len(some), f"({texts}) ÷ {len(some)}", members
            )


def _choices(members: Sequence[SourceFigure], cues: ClaimCues) -> Iterator[Sequence[SourceFigure]]:
    """All of a group, those that the claim names, and neighbors."""
    yield members
    called = named(members, cues)
    if len(called) > 1:
        yield called
    for a, b in combinations(range(len(members) + 1), 2) if len(members) <= 9 else ():
        if b - a > 1:
            yield members[a:b]


def _rates(figure: ClaimedFigure, pool: Sequence[SourceFigure]) -> Iterator[CalculationStep]:
    for one, other in permutations(pool, 2):
        if _apart(one, other) or (
            one.table >= 0 and one.table == other.table and one.line != other.line
        ):
            continue
        if one.kind == "points" or other.kind in NOT_COUNTED:
            continue
        if one.kind == "%":
            if other.kind == figure.kind or not other.kind:
                yield CalculationStep(
                    "product",
                    (one, other),
                    one.value * other.value / 100,
                    f"{one.text} % × {other.text}",
                )
            continue
        if (
            one.kind
            and one.kind == other.kind
            or (figure.kind and one.kind not in ("", figure.kind))
        ):
            continue
        left, right = one.value if one.kind == figure.kind else _count(one), _count(other)
        if right <= 1:
            continue
        if not other.kind or (left > 0 and other.kind != figure.kind):
            yield CalculationStep(
                "quotient", (one, other), left / right, f"{one.text} ÷ {other.text}"
            )
        is_rate = other.kind == "time" or not other.kind and (one.kind or one.start < other.start)
        if is_rate and one.kind == figure.kind and left > 0 and not _alike_in_list(one, other):
            yield CalculationStep(
                "product", (one, other), left * right, f"{one.text} × {other.text}"
            )


def _alike_in_list(one: SourceFigure, other: SourceFigure) -> bool:
    """Whether a figure leaves out the unit of one beside it: 2.01 million of *1.92 million euros and 2.01 million*."""
    scaled = other.quantity is not None and other.quantity.scale > 1
    return (
        bool(one.kind) and not other.kind and not other.noun and scaled and one.line == other.line
    )


def _conversions(figure: ClaimedFigure, pool: Sequence[SourceFigure]) -> Iterator[CalculationStep]:
    """Return figures in other units; one that is far off is no attempt at the claim's."""
    own = figure.quantity.measure if figure.quantity else None
    for one in pool:
        measure = one.quantity.measure if one.quantity else None
        scaled = one.quantity and figure.quantity and one.quantity.scale != figure.quantity.scale
        near = figure.least / FAR_OFF <= one.value <= figure.most * FAR_OFF
        if one.kind == figure.kind and (measure != own or scaled) and near:
            yield CalculationStep("conversion", (one,), one.value, one.text + one.written_unit)
    times = [f for f in pool if f.kind == "time"]
    for one, other in zip(times, times[1:], strict=False):
        if one.line == other.line and 0 <= other.start - one.end < 14 and one.value > other.value:
            shown = f"{one.text}{one.written_unit} {other.text}{other.written_unit}"
            yield CalculationStep("conversion", (one, other), one.value + other.value, shown)


def _durations(figure: ClaimedFigure, times: Sequence[SourceFigure]) -> Iterator[CalculationStep]:
    measure = figure.quantity.measure if figure.quantity else None
    for pair in combinations([t for t in times if t.date], 2):
        early, late = sorted(pair, key=lambda t: t.date[:3] if t.date else ())
        if early.date is None or late.date is None:
            continue
        spans = time_between(
            early.date, late.date, by_month=bool(measure and measure.factor > 28 * _DAY)
        )
        if spans:
            middle = figure.value
            nearest = min((*spans, (spans[0] + spans[1]) / 2), key=lambda s: abs(s - middle))
            yield CalculationStep(
                "duration", (early, late), nearest, f"{early.text} to {late.text}"
            )


def time_between(a: DateRead, b: DateRead, *, by_month: bool) -> tuple[Decimal, Decimal] | None:
    """Return the least and the greatest time between two dates, in seconds; None where that is not told."""
    if (not a.year) != (not b.year):
        return None
    if not a.year:  # two dates of one year
        a, b = a._replace(year=2001), b._replace(year=2001)
    if not a.month or not b.month:
        years = (b.year - a.year) * YEAR
        return (years, years) if years > 0 else None
    if not a.day or not b.day or by_month:
        months = (b.year - a.year) * 12 + b.month - a.month
        if a.day and b.day and b.day < a.day:
            months -= 1
        return (months * MONTH, months * MONTH) if months > 0 else None
    first, last = a.first, b.first
    days = (last - first).days if first and last else 0
    return (Decimal(days * _DAY), Decimal((days + 1) * _DAY)) if days > 0 else None


def _ranks(
    figure: ClaimedFigure, cues: ClaimCues, source: SourceReading
) -> Iterator[CalculationStep]:
    falls = figure.value > 0
    if cues.by_age:  # the oldest has the earliest year
        falls = not falls
        figures = [f for f in source.figures if f.kind == "year" and f.table >= 0]
    else:
        figures = [f for f in source.figures if f.kind != "year"]
    for members in groups(figures):
        if len(members) < 3:
            continue
        ordered = sorted(members, key=lambda m: m.value, reverse=falls)
        values = sorted({m.value for m in members}, reverse=falls)
        shown = f" {'>' if falls else '<'} ".join(m.text for m in ordered[:6])
        for one in named(members, cues):
            place = values.index(one.value) + 1
            operands = (one, *(m for m in ordered if m is not one))
            yield CalculationStep(
                "rank", operands, Decimal(place if figure.value > 0 else -place), shown, members
            )
