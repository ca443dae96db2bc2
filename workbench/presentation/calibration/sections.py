"""The calibration report as data: its sections and tables, which every interface renders; pure."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from workbench.calibration.classification_report import ClassificationReport
from workbench.calibration.estimates import IntervalEstimate, ProportionEstimate
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
    parts_text,
    reviewers_text,
    split_text,
)
from workbench.presentation.tables import Cell, Column, Table, Value
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
METHOD = Column(word="Interval method", spare=True)
NEVER_UNLOCKED = "The test set has never been unlocked."


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A section of the report: paragraphs, a table, and notes on it."""

    title: str
    before: tuple[str, ...] = ()
    table: Table | None = None
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


def figures_table(view: CalibrationReport) -> Table:
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
    rows: list[tuple[Value, ...]] = []
    for name, words in FIGURE_TEXT.items():
        first, *_ = figures = [table.figure(name) for _, table in columns]
        rows.append((words, *figures, f"{first.n:,}", first.method))
    return Table.of(
        "Figures of the judge and its baselines, with 95 % intervals",
        ("Figure", *(words for words, _ in columns), "n", METHOD),
        rows,
    )


def judge_figures_table(table: ClassificationReport) -> Table:
    """The figures of one judge alone."""
    return figures_in_rows(
        "Figures of the judge, with 95 % intervals",
        [(words, table.figure(name)) for name, words in FIGURE_TEXT.items()],
    )


def rates_table(rates: Rates | PrevalenceEstimates) -> Table:
    """The support rate by each estimator."""
    estimates = rates.estimates if isinstance(rates, Rates) else rates
    return figures_in_rows(
        "The support rate by each estimator",
        [(words, getattr(estimates, name)) for name, words in RATE_TEXT],
        head=("Estimator", "Rate"),
    )


def figures_in_rows(
    label: str,
    figures: Sequence[tuple[str, IntervalEstimate]],
    head: tuple[str, str] = ("Figure", "Value (95 % interval)"),
) -> Table:
    """A table with a figure in each row."""
    rows = ((words, figure, f"{figure.n:,}", figure.method) for words, figure in figures)
    return Table.of(label, (*head, "n", METHOD), rows)


def against_table(against: AgainstReviewers) -> Table:
    """The judge against the majority and each single reviewer."""
    tables = [("the majority of reviewers", against.majority), *against.reviewers]
    return Table.of(
        "The judge compared with each reviewer and their majority, with 95 % intervals",
        ("Compared with", "n", *(FIGURE_TEXT[name] for name in AGAINST_FIGURES)),
        ((name, f"{table.n:,}", *map(table.figure, AGAINST_FIGURES)) for name, table in tables),
    )


def confusion_table(table: ClassificationReport) -> Table:
    """Human labels against the judge's; labels that do not occur are left out."""
    counts = {(human, judge): n for human, judge, n in table.confusion}
    return Table.of(
        "Human labels against verdicts of the judge",
        ("Human label \\ judge", *(STYLES[judge].word for judge in VERDICT_LABELS)),
        (
            (Cell(marks=(human,)), *(f"{counts[human, judge]:,}" for judge in VERDICT_LABELS))
            for human in HUMAN_LABELS
            if any(counts[human, judge] for judge in VERDICT_LABELS)
        ),
    )


def listed_cuts(
    cuts: Sequence[OperatingPoint], chosen: OperatingPoint | None
) -> list[OperatingPoint]:
    """Some thresholds of the sweep, the chosen one among them, lowest first."""
    thresholds = {*THRESHOLDS, *([chosen.threshold] if chosen else [])}
    return [
        cut
        for cut in reversed(cuts)
        if any(abs(cut.threshold - threshold) < 1e-9 for threshold in thresholds)
    ]


def cuts_table(calibration: Calibration) -> Table:
    """What the listed thresholds decide."""
    return Table.of(
        "Decisions on the labelled items at each threshold",
        ("Threshold", "Accepted", "Precision", "Recall", "Negative predictive value", "Accuracy",
         Column(word="Cost", numeric=True, spare=True)),
        (
            (
                f"{cut.threshold:.4g}{' (chosen)' if cut is calibration.chosen else ''}",
                f"{cut.accepted:,}",
                *share_values(cut.precision, cut.recall, cut.rejection),
                f"{cut.accuracy:.3f}",
                f"{cut.cost:.3f}",
            )
            for cut in listed_cuts(calibration.cuts, calibration.chosen)
        ),
    )  # fmt: skip


def share_values(*shares: ProportionEstimate | None) -> Iterator[IntervalEstimate | str]:
    """The figures of shares in a table, a dash for none."""
    return (share.figure if share else "–" for share in shares)


def reliability_table(table: ClassificationReport) -> Table:
    """The points of the reliability curve."""
    return Table.of(
        "Scores and the share that people labelled supported",
        ("Scores", "Mean score", "Labelled supported", "n"),
        (
            (
                f"{point.low:.3f}–{point.high:.3f}",
                f"{point.mean_score:.3f}",
                point.share.figure,
                f"{point.share.n:,}",
            )
            for point in table.reliability
        ),
    )


def slices_table(slices: Slices) -> Table:
    """The figures of each slice."""
    return Table.of(
        "Figures by slice, largest first",
        ("Slice", Column(word="Value"), "n", *(FIGURE_TEXT[name] for name in SLICE_FIGURES)),
        (
            (name, value, f"{table.n:,}", *map(table.figure, SLICE_FIGURES))
            for name, values in slices.items()
            for value, table in values
        ),
    )


def parts_table(calibration: Calibration) -> Table:
    """The size of each part of the split."""
    return Table.of(
        "The parts of the data split",
        ("Part", "Items", "Questions", "People", Column(word="Included here")),
        (
            (
                size.part or "unassigned",
                f"{size.items:,}",
                f"{size.groups:,}",
                f"{size.humans:,}",
                "yes" if size.part in calibration.parts else "no",
            )
            for size in calibration.sizes
        ),
    )


def openings_table(calibration: Calibration) -> Table:
    """Every access to the test set, newest first."""
    return Table.of(
        "Accesses to the test set, newest first",
        ("When, UTC", Column(word="Who"), Column(word="Reason"),
         Column(word="Figures", spare=True)),
        (
            (format_timestamp(access.created_at), access.reviewer, access.reason, access.figures)
            for access in calibration.openings
        ),
    )  # fmt: skip
