"""The tables of the Calibrate page: numbers with intervals, cells that lead to items; pure."""

from collections.abc import Sequence

from workbench.calibration import IntervalEstimate, OperatingPoint
from workbench.interfaces.web.figure_cells import figure_cell, no_interval_note
from workbench.interfaces.web.links import Column, LinkCell, Table, cells, items_link
from workbench.presentation.calibration.markdown import CUT_HEAD, SHOWN, cut_row
from workbench.presentation.calibration.text import (
    AGAINST_FIGURES,
    AGAINST_HEAD,
    FIGURE_WORDS,
    against_rows,
    number,
)
from workbench.presentation.escape import truncate as shorten
from workbench.presentation.verdicts import STYLES
from workbench.records import HUMAN_LABELS, VERDICT_LABELS, HumanLabel, ItemFilter, VerdictLabel
from workbench.records.format import format_timestamp
from workbench.services.calibration.measurement import Calibration
from workbench.services.calibration.prevalence import Rates
from workbench.services.calibration.report_data import CalibrationReport, Slices
from workbench.services.calibration.reviewers import AgainstReviewers

SLICE_FIGURES = ("accuracy", "balanced_accuracy", "auroc")


def figures_table(view: CalibrationReport) -> Table:
    """The judge's figures beside the yardsticks."""
    calibration = view.calibration
    columns = [(shorten(calibration.judge.words, 40), calibration.table)]
    if calibration.at_threshold:
        columns.append((f"At {calibration.threshold:.3f}", calibration.at_threshold))
    columns.append(("Always supported", calibration.always))
    if view.local:
        columns.append(("Embedded judge", view.local))
    return Table(
        said="Figures of the judge and its yardsticks, with 95 % intervals",
        columns=(
            Column(word="Figure"),
            *(Column(word=word, numeric=True) for word, _ in columns),
            Column(word="n", numeric=True, width="5rem"),
            Column(word="Interval by", spare=True, width="16rem"),
        ),
        rows=tuple(
            cells(
                [
                    word,
                    *(_figure(table.figure(name)) for _, table in columns),
                    f"{calibration.table.figure(name).n:,}",
                    calibration.table.figure(name).method,
                ]
            )
            for name, word in FIGURE_WORDS.items()
        ),
        note=no_interval_note(table.figure(name) for _, table in columns for name in FIGURE_WORDS),
    )


def against_table(against: AgainstReviewers) -> Table:
    """The judge against the majority and each single reviewer."""
    return Table(
        said="The judge against each reviewer and their majority, with 95 % intervals",
        columns=(
            Column(word=AGAINST_HEAD[0]),
            *(Column(word=word, numeric=True) for word in AGAINST_HEAD[1:]),
        ),
        rows=tuple(
            cells(
                [
                    shorten(name, 40),
                    f"{table.n:,}",
                    *(_figure(table.figure(one)) for one in AGAINST_FIGURES),
                ]
            )
            for name, table in against_rows(against)
        ),
        note=no_interval_note(
            table.figure(one) for _, table in against_rows(against) for one in AGAINST_FIGURES
        ),
    )


def _figure(figure: IntervalEstimate) -> LinkCell:
    return figure_cell(number(figure))


def confusion_table(calibration: Calibration) -> Table:
    """People's labels against the judge's, each cell a way to its items."""
    counts = {(human, judge): n for human, judge, n in calibration.table.confusion}
    most = max(counts.values(), default=1) or 1
    humans = [one for one in HUMAN_LABELS if any(counts[one, j] for j in VERDICT_LABELS)]
    return Table(
        said="Labels of people against verdicts of the judge; activate a number to see the items",
        framed=True,
        columns=(
            Column(word="People \\ judge"),
            *(Column(word=STYLES[judge].short, numeric=True) for judge in VERDICT_LABELS),
        ),
        rows=tuple(
            (
                LinkCell(marks=(human,)),
                *(
                    LinkCell(
                        text=f"{counts[human, judge]:,}",
                        link=items_link(cell_filter(calibration, human, judge))
                        if counts[human, judge]
                        else None,
                        said=f"{counts[human, judge]:,}: people {STYLES[human].word.lower()}, "
                        f"judge {STYLES[judge].word.lower()}",
                        tone=counts[human, judge] / most * 0.6,
                    )
                    for judge in VERDICT_LABELS
                ),
            )
            for human in humans
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
    """The unlabelled items whose score lies near a threshold."""
    return ItemFilter(
        near=threshold,
        band=band,
        reviewed=False,
        judge=calibration.judge.name,
        prompt=calibration.judge.prompt,
    )


def cuts_table(calibration: Calibration) -> Table:
    """Some thresholds of the sweep, the chosen one among them."""
    chosen = calibration.chosen
    wanted = {*SHOWN, *([chosen.threshold] if chosen else [])}
    found: Sequence[OperatingPoint] = [
        one
        for one in reversed(calibration.cuts)
        if any(abs(one.threshold - value) < 1e-9 for value in wanted)
    ]
    return Table(
        said="What each threshold decides of the labelled items",
        columns=(
            Column(word=CUT_HEAD[0]),
            *(Column(word=word, numeric=True, spare=word == "Cost") for word in CUT_HEAD[1:]),
        ),
        rows=tuple(
            cells([figure_cell(text) for text in cut_row(one, one is chosen)]) for one in found
        ),
        note=no_interval_note(
            measured.figure
            for one in found
            for measured in (one.precision, one.recall, one.rejection)
            if measured
        ),
    )


def reliability_table(calibration: Calibration) -> Table:
    """The points of the reliability curve."""
    return Table(
        said="Scores against how often people say supported",
        columns=(
            Column(word="Scores"),
            Column(word="Mean score", numeric=True),
            Column(word="Supported by people", numeric=True),
            Column(word="n", numeric=True),
        ),
        rows=tuple(
            cells(
                [
                    f"{one.low:.3f}–{one.high:.3f}",
                    f"{one.mean_score:.3f}",
                    _figure(one.share.figure),
                    f"{one.share.n:,}",
                ]
            )
            for one in calibration.table.reliability
        ),
    )


def rates_table(rates: Rates) -> Table:
    """The support rate, found in five ways."""
    found = rates.found
    rows = (
        ("Judge alone (naive)", found.naive),
        ("Labels alone", found.people),
        ("Prediction-powered", found.ppi),
        ("Prediction-powered, tuned", found.tuned),
        ("Rogan–Gladen", found.rogan_gladen),
    )
    return Table(
        said="The support rate, found in five ways",
        columns=(
            Column(word="Way"),
            Column(word="Rate", numeric=True),
            Column(word="n", numeric=True),
            Column(word="Interval by", spare=True, width="24rem"),
        ),
        rows=tuple(
            cells([word, _figure(figure), f"{figure.n:,}", figure.method]) for word, figure in rows
        ),
        note=no_interval_note(figure for _, figure in rows),
    )


def slices_table(slices: Slices) -> Table:
    """The figures of each slice."""
    return Table(
        said="Figures by slice, largest first",
        columns=(
            Column(word="Slice"),
            Column(word="Value"),
            Column(word="n", numeric=True),
            Column(word="Accuracy", numeric=True),
            Column(word="Balanced accuracy", numeric=True),
            Column(word="AUROC", numeric=True),
        ),
        rows=tuple(
            cells(
                [
                    name,
                    shorten(value, 60),
                    f"{table.n:,}",
                    *(_figure(table.figure(one)) for one in SLICE_FIGURES),
                ]
            )
            for name, values in slices.items()
            for value, table in values
        ),
        note=no_interval_note(
            table.figure(one)
            for values in slices.values()
            for _, table in values
            for one in SLICE_FIGURES
        ),
    )


def parts_table(calibration: Calibration) -> Table:
    """How much stands in each part."""
    return Table(
        said="The parts of the split",
        columns=(
            Column(word="Part"),
            Column(word="Items", numeric=True),
            Column(word="Questions", numeric=True),
            Column(word="People", numeric=True),
            Column(word="In these figures"),
        ),
        rows=tuple(
            cells(
                [
                    one.part or "in no part",
                    f"{one.items:,}",
                    f"{one.groups:,}",
                    f"{one.humans:,}",
                    "yes" if one.part in calibration.parts else "no",
                ]
            )
            for one in calibration.sizes
        ),
    )


def openings_table(calibration: Calibration) -> Table:
    """Every look at the test part."""
    return Table(
        said="Looks at the test part, newest first",
        columns=(
            Column(word="When, UTC", width="10rem"),
            Column(word="Who", width="10rem"),
            Column(word="Why"),
            Column(word="Figures", spare=True),
        ),
        rows=tuple(
            cells(
                [
                    format_timestamp(one.created_at),
                    shorten(one.reviewer, 40),
                    shorten(one.reason, 300),
                    shorten(one.figures, 120),
                ]
            )
            for one in calibration.openings
        ),
    )
