"""Calibrations, judge tables, agreement, rates and evaluations as a notebook shows them; pure."""

from collections.abc import Mapping

from workbench.interfaces.notebook.html import (
    RichOutput,
    caption,
    chart,
    frame,
    heading,
    sentence_list,
    table,
)
from workbench.presentation.calibration.document import (
    calibration_charts,
    markdown,
    markdown_table,
    reliability_svg,
)
from workbench.presentation.calibration.fitted_limits import limits_sections
from workbench.presentation.calibration.sections import (
    against_table,
    basis_paragraph,
    confusion_table,
    cuts_table,
    figures_in_rows,
    judge_figures_table,
    rates_table,
)
from workbench.presentation.calibration.text import (
    FIGURE_TEXT,
    against_reviewers_text,
    basis,
    cautions,
    guarantee_text,
    report_title,
    reviewers_text,
    sentences,
)
from workbench.presentation.escape import escape_markdown
from workbench.presentation.tables import Table
from workbench.presentation.verdicts import STYLES
from workbench.services.calibration import (
    Agreement,
    Calibration,
    CalibrationReport,
    ClassificationReport,
    PrevalenceEstimates,
)
from workbench.services.labelled_judging import Evaluation


def render_view(view: CalibrationReport) -> RichOutput:
    """The three sentences, the charts, the figures and the thresholds."""
    calibration = view.calibration
    conclusions = sentences(calibration, view.rates)
    rates = against = ""
    if view.rates and view.rates.items:
        rates = heading(f"Support rate of {view.rates.of.description}") + _table(
            rates_table(view.rates)
        )
    if view.against:
        against = _table(against_table(view.against)) + caption(
            against_reviewers_text(view.against)
        )
    return RichOutput(
        html=frame(
            heading(report_title(calibration)),
            sentence_list(conclusions),
            _fitted(view),
            _calibrated(calibration),
            *(caption(f"Caution: {caution}") for caution in cautions(view)),
            caption(reviewers_text(view.reviewer_agreement)),
            against,
            rates,
        ),
        markdown=markdown(view),
        plain="\n".join(f"{n}. {sentence.text}" for n, sentence in enumerate(conclusions, 1)),
    )


def render_calibration(calibration: Calibration) -> RichOutput:
    """The calibration alone, without agreement, baselines and rates."""
    title = f"{calibration.judge.description} against people"
    figures = markdown_table(judge_figures_table(calibration.table))
    return RichOutput(
        html=frame(heading(title), _calibrated(calibration)),
        markdown=f"**{escape_markdown(title)}**\n\n{figures}",
        plain=f"{title}: {basis(calibration)}. {guarantee_text(calibration.guarantee)}",
    )


def render_judge_table(report: ClassificationReport) -> RichOutput:
    """The figures of a judge, its confusion table, and how its scores are calibrated."""
    title = f"A judge against people on {report.n:,} items in {report.groups:,} groups"
    figures = judge_figures_table(report)
    return RichOutput(
        html=frame(
            heading(title),
            chart(reliability_svg(report.reliability)) if report.reliability else "",
            _table(figures),
            _confusion(report),
        ),
        markdown=f"**{title}**\n\n{markdown_table(figures)}",
        plain=f"{title}: accuracy {report.figure('accuracy').text}",
    )


def render_agreement(agreement: Agreement) -> RichOutput:
    """Agreement between people: overall, by label and by pair."""
    title = f"{len(agreement.raters):,} people on {agreement.items:,} items that two or more rated"
    return _titled(
        title,
        figures_in_rows(
            title,
            [
                ("Raw agreement", agreement.raw),
                ("Krippendorff's α", agreement.alpha),
                ("Ordinal α over the support scale", agreement.ordinal_alpha),
                *((f"α of {_word(one.label)}", one.chance_corrected) for one in agreement.labels),
                *((f"κ of {pair.first} and {pair.second}", pair.kappa) for pair in agreement.pairs),
                *(
                    (f"Weighted κ (linear) of {pair.first} and {pair.second}", pair.weighted_kappa)
                    for pair in agreement.pairs
                ),
            ],
        ),
        f"raw {agreement.raw.text}, α {agreement.alpha.text}",
    )


def render_rates(estimates: PrevalenceEstimates) -> RichOutput:
    """The support rate by each estimator."""
    return _titled("Support rate", rates_table(estimates), estimates.tuned.text)


def render_evaluation(evaluation: Evaluation) -> RichOutput:
    """A judge against labelled pairs."""
    title = f"{evaluation.n:,} labelled pairs, {evaluation.positives:,} supported"
    values: Mapping[str, float | None] = {
        "auroc": evaluation.auroc,
        "average_precision": evaluation.average_precision,
        "balanced_accuracy": evaluation.balanced_accuracy,
        "f1": evaluation.f1,
    }
    rows = [
        (
            FIGURE_TEXT[name],
            _between(value, evaluation.ci95.get(name), evaluation.ci95_missing.get(name, "")),
        )
        for name, value in values.items()
    ]
    auroc = rows[0][1]
    if evaluation.threshold is not None:
        rows.append(("Threshold", f"{evaluation.threshold:.3f}"))
    return _titled(title, Table.of(title, ("", "Value (95 % interval)"), rows), f"AUROC {auroc}")


def _titled(title: str, table: Table, plain: str) -> RichOutput:
    """A table under its title."""
    return RichOutput(
        html=frame(heading(title), _table(table)),
        markdown=f"**{title}**\n\n{markdown_table(table)}",
        plain=f"{title}: {plain}",
    )


def _fitted(view: CalibrationReport) -> str:
    """The limits that labels give the judges."""
    return "".join(
        heading(section.title)
        + "".join(caption(words) for words in (*section.before, *section.after))
        + (_table(section.table) if section.table else "")
        for section in limits_sections(view.limits)
    )


def _calibrated(calibration: Calibration) -> str:
    if not calibration.table.n:
        return caption("No labelled item of these parts has a verdict of this judge.")
    cuts = cuts_table(calibration)
    return "".join(
        (
            caption(basis_paragraph(calibration)),
            *map(chart, calibration_charts(calibration)),
            _table(judge_figures_table(calibration.table)),
            _confusion(calibration.table),
            heading("Thresholds"),
            caption(guarantee_text(calibration.guarantee)),
            _table(cuts, right=len(cuts.columns) - 1) if cuts.rows else "",
        )
    )


def _table(report: Table, right: int = 0) -> str:
    return table(report.head, report.lines, right=right)


def _confusion(report: ClassificationReport) -> str:
    confusion = confusion_table(report)
    return _table(confusion, right=len(confusion.columns) - 1) if confusion.rows else ""


def _word(label: str) -> str:
    style = STYLES.get(label)
    return f"{style.glyph} {style.word}" if style else label


def _between(
    value: float | None, interval: tuple[float, float] | None, no_interval: str = ""
) -> str:
    if value is None:
        return "–"
    bounds = f"{interval[0]:.3f}–{interval[1]:.3f}" if interval else f"no interval: {no_interval}"
    return f"{value:.3f} ({bounds})"
