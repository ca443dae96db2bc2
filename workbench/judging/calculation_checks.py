"""What figures of a source say of a claim, beside any judge: computed, with offsets of each operand. Pure."""

from collections.abc import Sequence
from dataclasses import replace

from workbench.language.calculations import FoundCalculation, find_calculations
from workbench.language.source_figures import SourceFigure
from workbench.language.tokenization import without_markers
from workbench.records.source import Passage
from workbench.records.text import Span
from workbench.records.verdict import Calculation, Judgment, Note, Operand


def calculations_of(claim: str, passages: Sequence[Passage]) -> list[FoundCalculation]:
    """Return what the passages let follow, or not, for figures of a claim that they do not state."""
    texts = [(p.start, p.text, p.heading or "", p.table_header or "") for p in passages]
    return find_calculations(without_markers(claim), texts)


def calculation_of(found: Sequence[FoundCalculation]) -> Calculation | None:
    """Return the one to show: the first that the claim has otherwise, else the first."""
    if not found:
        return None
    shown = next((calculation for calculation in found if not calculation.agrees), found[0])
    return Calculation(
        expression=shown.expression,
        operands=tuple(map(_operand, shown.operands)),
        result=shown.result,
        claimed=shown.claimed,
        agrees=shown.agrees,
    )


def with_calculation(judgment: Judgment, claim: str, passages: Sequence[Passage]) -> Judgment:
    """Return a judgment with the calculation that checks it; the judge's label stays."""
    calculation = calculation_of(calculations_of(claim, passages))
    return replace(judgment, calculation=calculation) if calculation else judgment


def note_of(judgment: Judgment) -> Note | None:
    """Return what a reviewer should see where the judge says otherwise than the calculation."""
    calculation = judgment.calculation
    if calculation is None:
        return None
    if calculation.agrees and judgment.label == "contradicted":
        message = f"By the source's figures the claim's {calculation.claimed} is right: {calculation.expression}."
    elif not calculation.agrees and judgment.label in ("supported", "partially_supported"):
        message = f"By the source's figures the claim's {calculation.claimed} is not right: {calculation.expression}."
    else:
        return None
    return Note(kind="calculation", message=message)


def _operand(figure: SourceFigure) -> Operand:
    return Operand(
        text=figure.text,
        value=float(figure.quantity.value if figure.quantity else figure.value),
        unit=figure.unit,
        span=Span(figure.start, figure.end),
    )
