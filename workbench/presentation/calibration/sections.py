"""The calibration report as data: its sections and tables, which every interface renders; pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from workbench.calibration.classification_report import ClassificationReport
from workbench.calibration.estimates import IntervalEstimate
from workbench.calibration.prevalence import PrevalenceEstimates
from workbench.calibration.results import (
    RANDOM_NEEDED,
    AgainstReviewers,
    Calibration,
    CalibrationReport,
    Rates,
    Slices,
)
from workbench.calibration.thresholds import OperatingPoint
from workbench.presentation.calibration.text import (
    AGAINST_FIGURES,
    FIGURE_TEXT,
    against_reviewers_text,
    alone_text,
    band_text,
    basis,
    excluded_text,
    forecast_text,
    guarantee_text,
    number,
    parts_text,
    reviewers_text,
    split_text,
)
from workbench.presentation.verdicts import STYLES
from workbench.records.format import format_timestamp
from workbench.records.verdict import HUMAN_LABELS, VERDICT_LABELS

THRESHOLDS = (0.3, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.97, 0.99)
"""Thresholds of the short table; the chosen one is added."""
RATE_TEXT = (
    ("naive", "Judge alone (naive)"),
    ("people", "Labels alone"),
    ("ppi", "Prediction-powered"),
    ("tuned", "Prediction-powered, tuned"),
    ("rogan_gladen", "Rogan–Gladen"),
)
SLICE_FIGURES = ("accuracy", "balanced_accuracy", "auroc")
NEVER_UNLOCKED = "The test set has never been unlocked."


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportTable:
    """A table whose first columns hold words and whose others hold numbers."""

    caption: str
    """What the table is, for screen readers."""
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    words: tuple[int, ...] = (0,)
    """Columns that hold words."""
    spare: tuple[int, ...] = ()
    """Columns that are hidden on narrow screens."""
    figures: tuple[IntervalEstimate, ...] = ()
    """Figures shown; narrow tables give the reason for a missing interval below."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A section of the report: paragraphs, a table, and notes on it."""

    title: str
    before: tuple[str, ...] = ()
    table: ReportTable | None = None
    after: tuple[str, ...] = ()


def report_sections(view: CalibrationReport) -> tuple[Section, ...]:
    """The whole report below its sentences; empty sections are left out."""
    return tuple(section for section in _sections(view) if section)


def _sections(view: CalibrationReport) -> Iterable[Section | None]:
    calibration = view.calibration
    yield Section(
        title="Compared with human labels",
        table=figures_table(view),
        after=(reviewers_text(view.reviewer_agreement),),
    )
    if view.against:
        yield Section(
            title="Compared with each reviewer and their majority",
            table=against_table(view.against),
            after=(against_reviewers_text(view.against),),
        )
    confusion = confusion_table(calibration.table)
    yield Section(title="Confusion table", table=confusion) if confusion.rows else None
    yield _threshold(calibration)
    if view.rates and view.rates.items:
        yield Section(
            title=f"Support rate of {view.rates.of.description}",
            table=rates_table(view.rates),
            after=(RANDOM_NEEDED,),
        )
    if view.slices and any(view.slices.values()):
        yield Section(title="By slice", table=slices_table(view.slices))
    yield Section(title="Data split", table=parts_table(calibration), after=split_text(calibration))
    openings = openings_table(calibration)
    yield Section(
        title="Access to the test set",
        table=openings if openings.rows else None,
        before=() if openings.rows else (NEVER_UNLOCKED,),
        after=(f"Labels on which the threshold is based: sha256 {calibration.labels_sha256}.",),
    )


def _threshold(calibration: Calibration) -> Section:
    guarantee = guarantee_text(calibration.guarantee)
    if not calibration.cuts:
        return Section(title="Threshold", before=(guarantee,))
    chosen = "none serves it" if not calibration.chosen else f"{calibration.chosen.threshold:.3f}"
    return Section(
        title="Threshold",
        before=(
            f"Chosen for {calibration.aim.description}, on {parts_text(calibration.chosen_on)}: "
            f"{chosen}.",
            guarantee,
        ),
        table=cuts_table(calibration),
        after=(
            band_text(calibration),
            *(edge.sentence for edge in calibration.band),
            *filter(None, [alone_text(calibration)]),
            forecast_text(calibration),
        ),
    )


def basis_paragraph(calibration: Calibration) -> str:
    """What the figures are based on, and what was left out."""
    left_out = excluded_text(calibration)
    return f"Figures are based on {basis(calibration)}." + (
        f" Left out: {'; '.join(left_out)}." if left_out else ""
    )


def figures_table(view: CalibrationReport) -> ReportTable:
    """The judge's figures beside the baselines."""
    calibration = view.calibration
    columns: list[tuple[str, ClassificationReport]] = [
        (calibration.judge.description, calibration.table)
    ]
    if calibration.at_threshold:
        columns.append((f"At {calibration.threshold:.3f}", calibration.at_threshold))
    columns.append(("Always supported", calibration.always))
    if view.local:
        columns.append(("Embedded judge", view.local))
    rows = []
    for name, words in FIGURE_TEXT.items():
        first = calibration.table.figure(name)
        figures = (number(table.figure(name)) for _, table in columns)
        rows.append((words, *figures, f"{first.n:,}", first.method))
    last = len(columns) + 2
    return ReportTable(
        caption="Figures of the judge and its baselines, with 95 % intervals",
        head=("Figure", *(words for words, _ in columns), "n", "Interval method"),
        rows=tuple(rows),
        words=(0, last),
        spare=(last,),
        figures=tuple(table.figure(name) for _, table in columns for name in FIGURE_TEXT),
    )


def judge_figures_table(table: ClassificationReport) -> ReportTable:
    """The figures of one judge alone."""
    return _figures_in_rows(
        "Figures of the judge, with 95 % intervals",
        "Figure",
        [(words, table.figure(name)) for name, words in FIGURE_TEXT.items()],
    )


def rates_table(rates: Rates | PrevalenceEstimates) -> ReportTable:
    """The support rate by each estimator."""
    estimates = rates.estimates if isinstance(rates, Rates) else rates
    figures = {
        "naive": estimates.naive,
        "people": estimates.people,
        "ppi": estimates.ppi,
        "tuned": estimates.tuned,
        "rogan_gladen": estimates.rogan_gladen,
    }
    return _figures_in_rows(
        "The support rate by each estimator",
        "Estimator",
        [(words, figures[name]) for name, words in RATE_TEXT],
        value="Rate",
    )


def _figures_in_rows(
    caption: str,
    first: str,
    figures: Sequence[tuple[str, IntervalEstimate]],
    value: str = "Value (95 % interval)",
) -> ReportTable:
    return ReportTable(
        caption=caption,
        head=(first, value, "n", "Interval method"),
        rows=tuple(
            (words, number(figure), f"{figure.n:,}", figure.method) for words, figure in figures
        ),
        words=(0, 3),
        spare=(3,),
        figures=tuple(figure for _, figure in figures),
    )


def against_table(against: AgainstReviewers) -> ReportTable:
    """The judge against the majority and each single reviewer."""
    tables = [("the majority of reviewers", against.majority), *against.reviewers]
    return ReportTable(
        caption="The judge compared with each reviewer and their majority, with 95 % intervals",
        head=("Compared with", "n", *(FIGURE_TEXT[name] for name in AGAINST_FIGURES)),
        rows=tuple(
            (name, f"{table.n:,}", *(number(table.figure(figure)) for figure in AGAINST_FIGURES))
            for name, table in tables
        ),
        figures=tuple(table.figure(name) for _, table in tables for name in AGAINST_FIGURES),
    )


def confusion_table(table: ClassificationReport) -> ReportTable:
    """Human labels against the judge's; labels that do not occur are left out."""
    counts = {(human, judge): n for human, judge, n in table.confusion}
    humans = [label for label in HUMAN_LABELS if any(counts[label, j] for j in VERDICT_LABELS)]
    return ReportTable(
        caption="Human labels against verdicts of the judge",
        head=("Human label \\ judge", *(STYLES[judge].word for judge in VERDICT_LABELS)),
        rows=tuple(
            (STYLES[human].word, *(f"{counts[human, judge]:,}" for judge in VERDICT_LABELS))
            for human in humans
        ),
    )


def listed_cuts(calibration: Calibration) -> list[OperatingPoint]:
    """Some thresholds of the sweep, the chosen one among them, lowest first."""
    chosen = calibration.chosen
    thresholds = {*THRESHOLDS, *([chosen.threshold] if chosen else [])}
    return [
        cut
        for cut in reversed(calibration.cuts)
        if any(abs(cut.threshold - threshold) < 1e-9 for threshold in thresholds)
    ]


def cuts_table(calibration: Calibration) -> ReportTable:
    """What the listed thresholds decide."""
    chosen = calibration.chosen
    cuts = listed_cuts(calibration)
    return ReportTable(
        caption="Decisions on the labelled items at each threshold",
        head=(
            "Threshold",
            "Accepted",
            "Precision",
            "Recall",
            "Negative predictive value",
            "Accuracy",
            "Cost",
        ),
        rows=tuple(_cut_row(cut, cut is chosen) for cut in cuts),
        spare=(6,),
        figures=tuple(
            share.figure
            for cut in cuts
            for share in (cut.precision, cut.recall, cut.rejection)
            if share
        ),
    )


def _cut_row(cut: OperatingPoint, chosen: bool) -> tuple[str, ...]:
    shares = (
        number(share.figure) if share else "–"
        for share in (cut.precision, cut.recall, cut.rejection)
    )
    return (
        f"{cut.threshold:.4g}{' (chosen)' if chosen else ''}",
        f"{cut.accepted:,}",
        *shares,
        f"{cut.accuracy:.3f}",
        f"{cut.cost:.3f}",
    )


def reliability_table(table: ClassificationReport) -> ReportTable:
    """The points of the reliability curve."""
    return ReportTable(
        caption="Scores and the share that people labelled supported",
        head=("Scores", "Mean score", "Labelled supported", "n"),
        rows=tuple(
            (
                f"{point.low:.3f}–{point.high:.3f}",
                f"{point.mean_score:.3f}",
                number(point.share.figure),
                f"{point.share.n:,}",
            )
            for point in table.reliability
        ),
    )


def slices_table(slices: Slices) -> ReportTable:
    """The figures of each slice."""
    rows = [(name, value, table) for name, values in slices.items() for value, table in values]
    return ReportTable(
        caption="Figures by slice, largest first",
        head=("Slice", "Value", "n", *(FIGURE_TEXT[name] for name in SLICE_FIGURES)),
        rows=tuple(
            (name, value, f"{table.n:,}", *(number(table.figure(f)) for f in SLICE_FIGURES))
            for name, value, table in rows
        ),
        words=(0, 1),
        figures=tuple(table.figure(name) for *_, table in rows for name in SLICE_FIGURES),
    )


def parts_table(calibration: Calibration) -> ReportTable:
    """The size of each part of the split."""
    return ReportTable(
        caption="The parts of the data split",
        head=("Part", "Items", "Questions", "People", "Included here"),
        rows=tuple(
            (
                size.part or "unassigned",
                f"{size.items:,}",
                f"{size.groups:,}",
                f"{size.humans:,}",
                "yes" if size.part in calibration.parts else "no",
            )
            for size in calibration.sizes
        ),
        words=(0, 4),
    )


def openings_table(calibration: Calibration) -> ReportTable:
    """Every access to the test set, newest first."""
    return ReportTable(
        caption="Accesses to the test set, newest first",
        head=("When, UTC", "Who", "Reason", "Figures"),
        rows=tuple(
            (format_timestamp(access.created_at), access.reviewer, access.reason, access.figures)
            for access in calibration.openings
        ),
        words=(0, 1, 2, 3),
        spare=(3,),
    )
