"""The tables of the Calibration page: those of the report, with links to items; pure."""

from collections.abc import Sequence
from dataclasses import replace

from workbench.interfaces.web.figure_cells import figure_cell, no_interval_note
from workbench.interfaces.web.links import Column, Link, LinkCell, Table, items_link
from workbench.presentation.calibration.sections import ReportTable, cuts_table, listed_cuts
from workbench.presentation.calibration.sections import confusion_table as report_confusion
from workbench.presentation.escape import truncate
from workbench.presentation.verdicts import STYLES
from workbench.records.queue import ItemFilter
from workbench.records.verdict import HUMAN_LABELS, VERDICT_LABELS, HumanLabel, VerdictLabel
from workbench.services.calibration import Calibration

LONGEST_CELL, LONGEST_HEAD = 300, 40


def web_table(table: ReportTable) -> Table:
    """A table of the report; text in brackets after a number is in small print."""
    return Table(
        accessible_label=table.caption,
        columns=tuple(
            Column(
                word=truncate(word, LONGEST_HEAD),
                numeric=at not in table.words,
                spare=at in table.spare,
            )
            for at, word in enumerate(table.head)
        ),
        rows=tuple(
            tuple(
                LinkCell(text=truncate(text, LONGEST_CELL))
                if at in table.words
                else figure_cell(text)
                for at, text in enumerate(row)
            )
            for row in table.rows
        ),
        note=no_interval_note(table.figures),
    )


def confusion_table(calibration: Calibration) -> Table:
    """Human labels against the judge's, each number a link to its items."""
    counts = {(human, judge): n for human, judge, n in calibration.table.confusion}
    most = max(counts.values(), default=1) or 1
    humans = [label for label in HUMAN_LABELS if any(counts[label, j] for j in VERDICT_LABELS)]

    def cell(human: HumanLabel, judge: VerdictLabel) -> LinkCell:
        number = counts[human, judge]
        return LinkCell(
            text=f"{number:,}",
            link=items_link(cell_filter(calibration, human, judge)) if number else None,
            accessible_label=f"{number:,}: people {STYLES[human].word.lower()}, "
            f"judge {STYLES[judge].word.lower()}",
            tone=number / most * 0.6,
        )

    table = web_table(report_confusion(calibration.table))
    return replace(
        table,
        accessible_label=f"{table.accessible_label}; activate a number to see the items",
        framed=True,
        columns=(
            table.columns[0],
            *(Column(word=STYLES[judge].short, numeric=True) for judge in VERDICT_LABELS),
        ),
        rows=tuple(
            (LinkCell(marks=(human,)), *(cell(human, judge) for judge in VERDICT_LABELS))
            for human in humans
        ),
    )


OWN_THRESHOLD = "calibrate-at"
"""The query parameter, and the widget, of a threshold chosen by hand."""


def threshold_table(calibration: Calibration) -> Table:
    """What each threshold decides, each threshold a link that chooses it by hand."""
    report = cuts_table(calibration)
    table = web_table(report)

    def cell(row: Sequence[LinkCell], threshold: float) -> LinkCell:
        query = {"calibrate-aim": "manual", OWN_THRESHOLD: f"{threshold:.4g}"}
        return replace(
            row[0],
            link=Link(page="calibrate", query=query),
            accessible_label=f"Use this threshold {threshold:.4g}",
        )

    thresholds = [cut.threshold for cut in listed_cuts(calibration)]
    return replace(
        table,
        rows=tuple(
            (cell(row, threshold), *row[1:])
            for row, threshold in zip(table.rows, thresholds, strict=True)
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
