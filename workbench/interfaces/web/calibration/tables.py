"""The tables of the Calibration page that link to items or thresholds; pure."""

from dataclasses import replace

from workbench.interfaces.web.links import items_link
from workbench.presentation.calibration.sections import confusion_table as report_confusion
from workbench.presentation.calibration.sections import cuts_table, listed_cuts
from workbench.presentation.tables import Cell, Link, Table
from workbench.presentation.verdicts import STYLES
from workbench.records.queue import ItemFilter
from workbench.records.verdict import HUMAN_LABELS, VERDICT_LABELS, HumanLabel, VerdictLabel
from workbench.services.calibration import Calibration


def confusion_table(calibration: Calibration) -> Table:
    """Human labels against the judge's, each number a link to its items."""
    counts = {(human, judge): n for human, judge, n in calibration.table.confusion}
    most = max(counts.values(), default=1) or 1

    def cell(human: HumanLabel, judge: VerdictLabel) -> Cell:
        number = counts[human, judge]
        return Cell(
            text=f"{number:,}",
            link=items_link(cell_filter(calibration, human, judge)) if number else None,
            accessible_label=f"{number:,}: people {STYLES[human].word.lower()}, "
            f"judge {STYLES[judge].word.lower()}",
            tone=number / most * 0.6,
        )

    table = report_confusion(calibration.table)
    return Table.of(
        f"{table.accessible_label}; activate a number to see the items",
        (table.columns[0], *(STYLES[judge].short for judge in VERDICT_LABELS)),
        (
            (Cell(marks=(human,)), *(cell(human, judge) for judge in VERDICT_LABELS))
            for human in HUMAN_LABELS
            if any(counts[human, judge] for judge in VERDICT_LABELS)
        ),
        framed=True,
    )


OWN_THRESHOLD = "calibrate-at"
"""The query parameter, and the widget, of a threshold chosen by hand."""


def threshold_table(calibration: Calibration) -> Table:
    """What each threshold decides, each threshold a link that chooses it by hand."""
    table = cuts_table(calibration)

    def cell(first: Cell, threshold: float) -> Cell:
        query = {"calibrate-aim": "manual", OWN_THRESHOLD: f"{threshold:.4g}"}
        return replace(
            first,
            link=Link(page="calibrate", query=query),
            accessible_label=f"Use this threshold {threshold:.4g}",
        )

    cuts = listed_cuts(calibration.cuts, calibration.chosen)
    return replace(
        table,
        rows=tuple(
            (cell(row[0], cut.threshold), *row[1:])
            for row, cut in zip(table.rows, cuts, strict=True)
        ),
    )


def cell_filter(calibration: Calibration, human: HumanLabel, judge: VerdictLabel) -> ItemFilter:
    """The items of one cell of the confusion table."""
    return ItemFilter(
        gold=(human,),
        verdicts=(judge,),
        judge=calibration.judge.name,
        prompt=calibration.judge.prompt,
        split=calibration.split.id,
        parts=calibration.parts,
    )


def near_filter(calibration: Calibration, threshold: float, band: float = 0.05) -> ItemFilter:
    """The unlabelled items with a score near a threshold."""
    return ItemFilter(
        near=threshold,
        band=band,
        reviewed=False,
        judge=calibration.judge.name,
        prompt=calibration.judge.prompt,
    )
