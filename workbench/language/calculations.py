"""Figures of a claim that follow from figures of a source: the operation, its operands, and the result. Pure.

`find_calculations` takes the figures of a claim that the source does not state, asks the words around
each which operation they call for (`data/calculations/words.toml`), and looks for operands that belong
together: one kind, one list or table or sentence, and beside them the words that the claim has: names,
years, groups. Only the operands that fit the claim best are computed with. Where it is not certain
which those are there is no calculation. Results are decimals, compared within what the rounding and
the words of the claim (*about*, *nearly*, *more than*) allow.
"""

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple

from workbench.language.assertions import language_of
from workbench.language.claimed_figures import claimed_figures
from workbench.language.figure_words import ClaimedFigure, exact
from workbench.language.operand_fit import Candidate, Operation
from workbench.language.operand_rates import RateSearch
from workbench.language.passage_figures import read_source
from workbench.language.quantities import Quantity, find_quantities
from workbench.language.source_figures import SourceFigure, SourceReading

MOST_OPERANDS, MOST_IN_GROUP = 30, 24
"""Figures beyond this many, those least like the claim, are not combined."""
LONGEST_CLAIM, MOST_CLAIMED = 500, 8
"""Code points, and figures that may be calculated, of a claim that is looked at; more is no sentence."""
SMALL_COUNT = 12
"""A bare number up to this is something else's too often: it needs the noun that it counts."""
NEAR_RESULT = Decimal("1.35")
"""A wrong result is at most so many times off: what is further away was calculated from others."""
NEAR_BEST = 0.6
NEAR: dict[Operation, float] = {"rank": 0.05, "duration": 0.4}
SIBLING = 0.2
CLEAR = 0.45
LEAST = 0.9
"""By so much must the best operands be ahead of others for a wrong result to contradict."""
_DAY = 86_400
_TIMES = (
    ("years", 31_557_600),
    ("months", 2_629_800),
    ("days", _DAY),
    ("hours", 3_600),
    ("minutes", 60),
)


class FoundCalculation(NamedTuple):
    """One step from figures of a source to a figure of a claim."""

    operation: Operation
    operands: tuple[SourceFigure, ...]
    expression: str
    """*72 ÷ 120 = 60 %*, with the operands as the source writes them."""
    result: str
    claimed: str
    """The claim's figure in its own words."""
    start: int
    end: int
    """Where those stand in the claim."""
    agrees: bool


def find_calculations(
    claim: str, texts: Iterable[tuple[int, str, str, str]]
) -> list[FoundCalculation]:
    """Return what follows, or does not, for the figures of a claim that the passages do not state.

    Each passage is its place in the source, its text, its heading and its table header; both may be
    empty. Offsets of operands count from the source's start.
    """
    texts = list(texts)
    if not texts or len(claim) > LONGEST_CLAIM:
        return []
    language = language_of(claim + "\n" + "\n".join(text[:500] for _, text, *_ in texts[:3]))
    figures = claimed_figures(claim, language)
    if not 0 < len(figures) <= MOST_CLAIMED:
        return []
    if _are_written(figures, texts):  # most claims: reading the source's figures costs more
        return []
    source = read_source(texts, language)
    whole = {"cent": ("$", "€"), "pence": ("£",)}
    for number, figure in enumerate(figures):
        held = [
            kind
            for kind in whole.get(figure.kind, ())
            if any(f.kind == kind for f in source.figures)
        ]
        if held:
            figures[number] = figure = figure._replace(
                kind=held[0],
                value=figure.value / 100,
                least=figure.least / 100,
                most=figure.most / 100,
            )
        if (
            figure.noun == "point"
            and not figure.kind
            and any(f.kind == "%" for f in source.figures)
        ):
            figures[number] = figure._replace(form="points", noun="")
    found = []
    for figure in figures:
        if figure.form != "rank" and _is_stated(figure, source):
            continue
        calculation = OperandSearch(claim, figure, figures, source, language).run()
        if calculation is not None:
            found.append(calculation)
    return found


def _writes_the_same(other: SourceFigure, claimed: Quantity) -> bool:
    """Whether a source writes a number as a claim does, whatever it may be of: it needs no calculation.

    A small whole number is written of too many things.
    """
    given = other.quantity
    return given is not None and given.value == claimed.value and _is_telling(claimed)


def _is_telling(claimed: Quantity) -> bool:
    """Whether a number is hardly written by chance."""
    return claimed.value > SMALL_COUNT or claimed.value % 1 != 0


def _are_written(
    figures: Sequence[ClaimedFigure], texts: Sequence[tuple[int, str, str, str]]
) -> bool:
    """Whether passages write all numbers of a claim as it does, so that none needs a calculation."""
    claimed = [
        figure.quantity.value
        for figure in figures
        if figure.form == "number" and figure.noun != "point"
        if figure.quantity and _is_telling(figure.quantity)
    ]
    if len(claimed) < len(figures):
        return False
    written = {quantity.value for _, text, *_ in texts for quantity in find_quantities(text)}
    return written.issuperset(claimed)


def _is_stated(figure: ClaimedFigure, source: SourceReading) -> bool:
    """Whether a source gives a figure as such."""
    if figure.form in ("times",):
        return False
    for other in source.figures:
        if figure.form == "ratio":
            if other.kind == "%" and other.value == figure.value * 100:
                return True
        elif figure.form == "points":
            if other.kind == "points" and other.value == figure.value:
                return True
        elif figure.quantity and _writes_the_same(other, figure.quantity):
            return True
        elif other.value == figure.value and other.kind == figure.kind:
            same = (
                other.quantity
                and figure.quantity
                and other.quantity.measure == figure.quantity.measure
                and other.quantity.scale == figure.quantity.scale
            )
            if same and (not figure.noun or not other.noun or figure.noun == other.noun):
                return True
    return False


class OperandSearch(RateSearch):
    """The search for the operands of one figure of a claim."""

    def run(self) -> FoundCalculation | None:
        """Return the calculation; None where it is not certain what the operands are."""
        self._read_claim()
        self._weigh()
        candidates = list(self._candidates())
        for candidate in candidates:
            candidate.matches = self._matches(candidate)
        if not candidates:
            return None
        candidates = self._one_order(candidates)
        best = max(candidate.fit for candidate in candidates)
        good = [
            c
            for c in candidates
            if c.matches and c.fit >= best - NEAR.get(c.operation, NEAR_BEST) and c.fit >= LEAST
        ]
        good = [c for c in good if self._counts_alike(c) and not self._outdone(c, candidates)]
        if good:
            return self._told(max(good, key=lambda c: c.fit), agrees=True)
        if any(c.matches and c.fit >= best - 2 * CLEAR for c in candidates):
            return None
        top = max(candidates, key=lambda c: (c.fit, c.certain))
        rivals = [
            c for c in candidates
            if c.fit > top.fit - CLEAR and {id(o) for o in c.operands} != {id(o) for o in top.operands}
        ]  # fmt: skip
        if rivals or not top.certain or top.fit < LEAST + 0.8 or not self._may_be_meant(top):
            return None
        return self._told(top, agrees=False)

    def _counts_alike(self, candidate: Candidate) -> bool:
        """Whether a small bare number counts what its operands do, as far as their nouns tell."""
        figure = self.figure
        if (
            figure.form != "number"
            or figure.kind
            or figure.value > SMALL_COUNT
            or self._is_comparative()
        ):
            return True
        return bool(figure.noun) and any(
            o.noun == figure.noun or o.near.get(figure.noun, 0) > 0.6 for o in candidate.operands
        )

    def _may_be_meant(self, candidate: Candidate) -> bool:
        """Whether a claim's figure is a slip of one who had the result, its direction or its unit."""
        covered = sum(
            weight
            for key, weight in self.weight.items()
            if any(self.fits(o, key) > 0.6 for o in candidate.operands)
        )
        if covered < self.said / 2:
            return False
        if candidate.operation == "rank":
            return abs(abs(candidate.result) - abs(self.figure.value)) <= 2
        result, claimed = abs(candidate.result), self.figure.value
        if (
            self.figure.form == "ratio"
            and candidate.operation == "change"
            and candidate.operands[0].kind == "%"
        ):
            base, other = (o.value for o in candidate.operands)
            if self.figure.least <= abs(other - base) / 100 <= self.figure.most:
                return True
        return claimed / NEAR_RESULT <= result <= claimed * NEAR_RESULT

    def _outdone(self, candidate: Candidate, candidates: Sequence[Candidate]) -> bool:
        """Whether the same calculation with another figure in one place fits the claim better.

        One whose figure stands by the claim's subject, where the candidate's do not, always does.
        """
        own = {id(o) for o in candidate.operands}
        subject = next((key for key in self.keys if key in self.weight), "")
        apart = subject and max(self.fits(o, subject) for o in candidate.operands) < 0.6
        for c in candidates:
            if c.operation != candidate.operation or len(c.operands) != len(own) or c.matches:
                continue
            mine = [o for o in candidate.operands if all(o is not x for x in c.operands)]
            others = [x for x in c.operands if id(x) not in own]
            if len(others) != 1 or len(own) < 2 or others[0].kind != mine[0].kind:
                continue
            nearer = apart and self.fits(others[0], subject) > 0.9
            if c.fit > candidate.fit + (0.0 if nearer else SIBLING):
                return True
        return False

    def _one_order(self, candidates: list[Candidate]) -> list[Candidate]:
        """Leave out what has the same operands in a less likely order, where the claim has a direction."""
        if not self._signed():
            return candidates
        best: dict[tuple[str, frozenset[int]], float] = {}
        for c in candidates:
            if (
                c.operation in ("change", "points", "difference")
                or c.operation == "ratio"
                and self.figure.form == "times"
            ):
                key = (c.operation, frozenset(map(id, c.operands)))
                best[key] = max(best.get(key, -9.0), c.fit)
        return [
            c
            for c in candidates
            if c.fit >= best.get((c.operation, frozenset(map(id, c.operands))), -9.0)
        ]

    def _candidates(self) -> Iterator[Candidate]:
        figure = self.figure
        pool = [f for f in self.source.figures if f.kind != "year" or f.noun]
        if len(pool) > MOST_OPERANDS:
            best = sorted(pool, key=lambda f: -self.anchor((f,)))[:MOST_OPERANDS]
            chosen = {id(f) for f in best}
            pool = [f for f in pool if id(f) in chosen]
        self.pool = pool
        if figure.form == "rank":
            yield from self._ranks()
        elif figure.form == "points":
            yield from self._pairs("points", "%", lambda a, b: b - a)
        elif figure.form == "times":
            yield from self._times()
        elif figure.form == "ratio":
            yield from self._ratios()
        else:
            yield from self._numbers()

    def _matches(self, candidate: Candidate) -> bool:
        figure = self.figure
        result = candidate.result = self._in_base(candidate)
        if candidate.operation == "rank":
            return result == figure.value
        if candidate.operation in ("change", "points", "difference") and self._signed():
            result = result * self.direction
        else:
            result = abs(result)
        tolerance = Decimal("1e-9") * (1 + abs(figure.most))
        return figure.least - tolerance <= result <= figure.most + tolerance

    def _in_base(self, candidate: Candidate) -> Decimal:
        """The result in base units of the claim's, where the operands have no unit."""
        figure, quantity = self.figure, self.figure.quantity
        if (
            figure.form != "number"
            or candidate.operation in ("duration", "conversion")
            or not figure.kind
        ):
            return candidate.result
        if any(o.kind == figure.kind for o in candidate.operands):
            return candidate.result
        return candidate.result * (
            exact(quantity.measure.factor) if quantity and quantity.measure else 1
        )

    def _ratios(self) -> Iterator[Candidate]:
        changes = self.near in ("rise", "fall") and not self.is_level
        compares = self.near in ("more", "fewer") and self._is_comparative()
        if changes or compares:
            yield from self._pairs("change", None, lambda a, b: b / a - 1 if a else None)
            if compares and not changes:
                yield from self._shares(0.6)
            return
        yield from self._shares(0.0)
        if "average" in self.cues:
            yield from self._sets("average", "%")
        if "sum" in self.wide or "rest" in self.wide or "negation" in self.wide:
            yield from self._sets("sum", "%")

    def _numbers(self) -> Iterator[Candidate]:
        figure = self.figure
        changes = self.near in ("rise", "fall") and not self.is_level
        compares = self._is_comparative()
        averages = "average" in self.wide
        per = "per" in self.cues or averages
        sums = "sum" in self.wide
        rest = "rest" in self.wide or "negation" in self.wide
        gap = "gap" in self.wide
        if figure.kind == "time":
            yield from self._durations()
        if averages:
            yield from self._sets(
                "average",
                None,
                0.5
                if "per" in self.cues and self._per_keys() & {f.noun for f in self.pool}
                else 0.0,
            )
        if per:
            yield from self._divisions()
        yield from self._conversions(0.8 if per or sums or averages or compares or changes else 0.0)
        if compares or changes or gap or rest:
            yield from self._pairs(
                "difference",
                None,
                lambda a, b: b - a,
                0.0 if compares or changes or "gap" in self.cues else 0.4,
            )
        if rest:
            yield from self._remainders()
        if sums or not (compares or changes or averages):
            yield from self._sets("sum", None, 0.8 if averages else 0.0 if sums else 0.5)
        if not (compares or averages):
            yield from self._products(0.0)

    def _told(self, candidate: Candidate, *, agrees: bool) -> FoundCalculation:
        result = self._result(candidate)
        claimed = " ".join(self.claim[self.figure.start : self.figure.end].split())
        expression = f"{candidate.shown} = {result}"
        if candidate.shown == result:  # the same in other words: *71 % ≈ seven in ten*
            expression = f"{result} ≈ {claimed}" if agrees else result
        return FoundCalculation(
            candidate.operation, candidate.operands, expression, result, claimed,
            self.figure.start, self.figure.end, agrees,
        )  # fmt: skip

    def _result(self, candidate: Candidate) -> str:
        value = candidate.result
        if candidate.operation == "rank":
            place = abs(int(value))
            return f"place {place} of {len(candidate.operands)}"
        if candidate.operation == "change" or self.figure.form == "ratio":
            sign = "+" if candidate.operation == "change" and value > 0 else ""
            return f"{sign}{_short(value * 100)} %"
        if self.figure.form == "points":
            return f"{_short(value)} percentage points"
        quantity = self.figure.quantity
        if self.figure.kind and quantity and quantity.measure and not quantity.measure.offset:
            unit = self.claim[quantity.end : quantity.unit_end].strip(" -")
            return f"{_short(value / exact(quantity.measure.factor))} {unit}".strip()
        if self.figure.kind == "time" and quantity is None:
            name, worth = next((n, w) for n, w in _TIMES if value >= w or w == 60)
            return f"{_short(value / worth)} {name}"
        unit = self.figure.kind if quantity and quantity.currency else ""
        return f"{_short(value)} {unit}".strip()


def _short(value: Decimal) -> str:
    """Return a number with as many decimals as a reader needs."""
    size = abs(value)
    decimals = 0 if value == value.to_integral_value() else 1 if size >= 10 else 2
    text = f"{value:,.{decimals}f}"
    return (text.rstrip("0").rstrip(".") if "." in text else text).replace("-", "−")
