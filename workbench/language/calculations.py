"""Figures of a claim that follow from figures of a source: the operation, its operands, and the result. Pure.

`find_calculations` takes the figures of a claim that the source does not write, computes every step that
leads to one of the same form (`calculation_steps`), and weighs each by the words around its operands
(`calculation_fit`). Where it is not likely enough which step is meant there is no calculation. Results
are decimals, compared within what the rounding and the words of the claim (*about*, *nearly*, *more
than*) allow.
"""

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import NamedTuple

from workbench.language.assertions import language_of
from workbench.language.calculation_fit import likelihood, score_steps
from workbench.language.calculation_steps import MONTH, YEAR, CalculationStep, Operation, steps_to
from workbench.language.claim_cues import ClaimCues, claim_cues
from workbench.language.claimed_figures import claimed_figures
from workbench.language.figure_words import ClaimedFigure, exact
from workbench.language.passage_figures import read_source
from workbench.language.quantities import find_quantities
from workbench.language.source_figures import SourceFigure, SourceReading

LONGEST_CLAIM, MOST_CLAIMED = 500, 8
"""Code points, and figures that may be calculated, of a claim that is looked at; more is no sentence."""
SMALL_COUNT = 12
"""A bare number up to this is written of too many things to say that a source gives a claim's figure."""
NEAR_RESULT, LEAST_WORDS = Decimal("1.25"), 0.3
"""A wrong result is at most so many times off, and of operands with so many of the claim's words: what is
further away was calculated from others, or is no calculation."""
LIKELY, CLEAR = 0.65, 1.0
"""So likely a step that matches must be to verify a figure, and by so much one that does not match must
be ahead of all others, in log-odds, to contradict it: measured by `tests/bench/bench_calculations.py`."""
_TIMES = (("years", YEAR), ("months", MONTH), ("days", 86_400), ("hours", 3_600), ("minutes", 60))
_WHOLE_CURRENCIES = {"cent": ("$", "€"), "pence": ("£",)}


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


class FigureSteps(NamedTuple):
    """A figure of a claim with every step that leads to one of its form, each scored."""

    figure: ClaimedFigure
    cues: ClaimCues
    steps: list[CalculationStep]


def find_calculations(
    claim: str, texts: Iterable[tuple[int, str, str, str]]
) -> list[FoundCalculation]:
    """Return what follows, or does not, for the figures of a claim that the passages do not state.

    Each passage is its place in the source, its text, its heading and its table header; both may be
    empty. Offsets of operands count from the source's start.
    """
    found = (_decided(claim, steps) for steps in scored_steps(claim, texts))
    return [calculation for calculation in found if calculation is not None]


def scored_steps(claim: str, texts: Iterable[tuple[int, str, str, str]]) -> list[FigureSteps]:
    """Return the steps to each figure of a claim that the passages do not state, scored."""
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
    figures = [_in_source_units(figure, source) for figure in figures]
    found = []
    for figure in figures:
        if figure.form != "rank" and _is_stated(figure, source):
            continue
        cues = claim_cues(claim, figure, figures, source, language)
        steps = list(steps_to(figure, cues, source))
        for step in steps:
            step.result = _in_base(step, figure)
            step.matches = _matches(step, figure, cues)
        score_steps(steps, figure, cues, language)
        found.append(FigureSteps(figure, cues, steps))
    return found


def _decided(claim: str, found: FigureSteps) -> FoundCalculation | None:
    """Return the likeliest step; None where it is not certain which is meant."""
    figure, steps = found.figure, sorted(found.steps, key=lambda step: -step.score)
    matching = next((step for step in steps if step.matches), None)
    if matching and likelihood(matching, steps, figure) >= LIKELY:
        return _told(claim, figure, matching)
    if not steps or steps[0].matches or not _may_be_meant(steps[0], figure):
        return None
    operands = {id(o) for o in steps[0].operands}
    rival = next((s for s in steps if s.matches or {id(o) for o in s.operands} != operands), None)
    if rival is not None and rival.score > steps[0].score - CLEAR:
        return None
    return _told(claim, figure, steps[0])


def _is_telling(value: float) -> bool:
    """Whether a number is hardly written by chance."""
    return value > SMALL_COUNT or value % 1 != 0


def _are_written(
    figures: Sequence[ClaimedFigure], texts: Sequence[tuple[int, str, str, str]]
) -> bool:
    """Whether passages write all numbers of a claim as it does, so that none needs a calculation."""
    claimed = [
        figure.quantity.value
        for figure in figures
        if figure.form == "number" and figure.noun != "point"
        if figure.quantity and _is_telling(figure.quantity.value)
    ]
    if len(claimed) < len(figures):
        return False
    written = {quantity.value for _, text, *_ in texts for quantity in find_quantities(text)}
    return written.issuperset(claimed)


def _is_stated(figure: ClaimedFigure, source: SourceReading) -> bool:
    """Whether a source gives a figure as such, or writes its number of whatever it may be."""
    claimed = figure.quantity
    for other in source.figures:
        if figure.form in ("ratio", "points"):
            kind, value = (
                ("%", figure.value * 100) if figure.form == "ratio" else ("points", figure.value)
            )
            if other.kind == kind and other.value == value:
                return True
        elif claimed and other.quantity:
            if other.quantity.value == claimed.value and _is_telling(claimed.value):
                return True
            same_unit = (other.quantity.measure, other.quantity.scale) == (
                claimed.measure,
                claimed.scale,
            )
            same_noun = not figure.noun or not other.noun or figure.noun == other.noun
            if (other.value, other.kind) == (figure.value, figure.kind) and same_unit and same_noun:
                return True
    return False


def _in_source_units(figure: ClaimedFigure, source: SourceReading) -> ClaimedFigure:
    """A figure in cents as one in euros, and points as percentage points, where the source has those."""
    kinds = {other.kind for other in source.figures}
    whole = next((kind for kind in _WHOLE_CURRENCIES.get(figure.kind, ()) if kind in kinds), "")
    if whole:
        return figure._replace(
            kind=whole, value=figure.value / 100, least=figure.least / 100, most=figure.most / 100
        )
    if figure.noun == "point" and not figure.kind and "%" in kinds:
        return figure._replace(form="points", noun="")
    return figure


def _in_base(step: CalculationStep, figure: ClaimedFigure) -> Decimal:
    """A result in base units of the claim's, where the operands have no unit."""
    measure = figure.quantity.measure if figure.quantity else None
    if step.operation in ("duration", "conversion") or figure.form != "number" or measure is None:
        return step.result
    if any(o.kind == figure.kind for o in step.operands):
        return step.result
    return step.result * exact(measure.factor)


def _matches(step: CalculationStep, figure: ClaimedFigure, cues: ClaimCues) -> bool:
    result = step.result
    if step.operation == "rank":
        return result == figure.value
    if step.operation in ("change", "points", "difference"):
        result = result * cues.direction if cues.direction else abs(result)
    tolerance = Decimal("1e-9") * (1 + abs(figure.most))
    return figure.least - tolerance <= result <= figure.most + tolerance


def _may_be_meant(step: CalculationStep, figure: ClaimedFigure) -> bool:
    """Whether a claim's figure is a slip of one who had the result, its direction or its unit."""
    if step.features["words"] - step.features["words missed"] < LEAST_WORDS:
        return False
    if step.operation not in ("share", "change", "points", "difference", "rank", "sum", "times"):
        return False
    if step.operation == "rank":
        return abs(abs(step.result) - abs(figure.value)) <= 2
    if step.operation == "change" and step.operands[0].kind == "%":
        base, other = (o.value for o in step.operands)
        if figure.least <= abs(other - base) / 100 <= figure.most:  # points told as percent
            return True
    return figure.value / NEAR_RESULT <= abs(step.result) <= figure.value * NEAR_RESULT


def _told(claim: str, figure: ClaimedFigure, step: CalculationStep) -> FoundCalculation:
    claimed = " ".join(claim[figure.start : figure.end].split())
    result = _result(claim, figure, step)
    expression = f"{step.shown} = {result}"
    if step.shown == result:  # the same in other words: *71 % ≈ seven in ten*
        expression = f"{result} ≈ {claimed}" if step.matches else result
    return FoundCalculation(
        step.operation, step.operands, expression, result, claimed, figure.start, figure.end,
        agrees=step.matches,
    )  # fmt: skip


def _result(claim: str, figure: ClaimedFigure, step: CalculationStep) -> str:
    value, quantity = step.result, figure.quantity
    if step.operation == "rank":
        return f"place {abs(int(value))} of {len(step.operands)}"
    if figure.form == "ratio":
        sign = "+" if step.operation == "change" and value > 0 else ""
        return f"{sign}{_short(value * 100)} %"
    if figure.form == "points":
        return f"{_short(value)} percentage points"
    if figure.kind and quantity and quantity.measure and not quantity.measure.offset:
        unit = claim[quantity.end : quantity.unit_end].strip(" -")
        return f"{_short(value / exact(quantity.measure.factor))} {unit}".strip()
    if figure.kind == "time" and quantity is None:
        name, worth = next((n, w) for n, w in _TIMES if abs(value) >= w or w == 60)
        return f"{_short(value / worth)} {name}"
    return f"{_short(value)} {figure.kind if quantity and quantity.currency else ''}".strip()


def _short(value: Decimal) -> str:
    """Return a number with as many decimals as a reader needs."""
    size = abs(value)
    decimals = 0 if value == value.to_integral_value() else 1 if size >= 10 else 2
    text = f"{value:,.{decimals}f}"
    return (text.rstrip("0").rstrip(".") if "." in text else text).replace("-", "−")
