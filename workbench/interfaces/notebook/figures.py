"""Calibrations, judge tables, agreement, rates and evaluations as a notebook shows them; pure."""

from collections.abc import Mapping, Sequence

from workbench.calibration import (
    Agreement,
    ClassificationReport,
    IntervalEstimate,
    PrevalenceEstimates,
)
from workbench.calibration.results import Calibration, CalibrationReport
from workbench.experiments import Evaluation
from workbench.interfaces.notebook.html import (
    Cell,
    RichOutput,
    caption,
    frame,
    heading,
    markdown_table,
    table,
)
from workbench.presentation.calibration.markdown import CUT_HEAD, SHOWN, cut_row, markdown
from workbench.presentation.calibration.svg import reliability_svg, sweep_svg
from workbench.presentation.calibration.text import (
    AGAINST_FIGURES,
    AGAINST_HEAD,
    FIGURE_WORDS,
    against_rows,
    against_words,
    basis,
    cautions,
    guarantee_words,
    left_out_words,
    number,
    people_words,
    sentences,
)
from workbench.presentation.escape import escape_html, escape_markdown
from workbench.presentation.verdicts import STYLES
from workbench.records import HUMAN_LABELS, VERDICT_LABELS

_CHART = "fill:currentColor;font-size:12px;display:inline-block;width:min(100%,33rem);"
RATE_WORDS = (
    ("naive", "Judge alone (naive)"),
    ("people", "Labels alone"),
    ("ppi", "Prediction-powered"),
    ("tuned", "Prediction-powered, tuned"),
    ("rogan_gladen", "Rogan–Gladen"),
)
_FIGURE_HEAD = ("", "Value (95 % interval)", "n", "Interval by")
Rows = Sequence[Sequence[Cell]]


def draw_view(view: CalibrationReport) -> RichOutput:
    """The three sentences, the charts, the figures and the thresholds."""
    done = view.calibration
    told = sentences(done, view.rates)
    lines = "".join(
        f'<li dir="auto">{escape_html(one.text)}{"" if one.stands else " <b>Cannot be claimed yet.</b>"}'
        "</li>"
        for one in told
    )
    rates = ""
    if view.rates and view.rates.items:
        rates = heading(f"Support rate of {view.rates.of.words}")
        rates += table(_FIGURE_HEAD, _rate_rows(view.rates.found))
    return RichOutput(
        html=frame(
            heading(f"How far {done.judge.words} can be trusted"),
            f'<ol style="margin:.3em 0;padding-inline-start:1.5em">{lines}</ol>',
            _calibrated(done),
            *(caption(f"Caution: {one}") for one in cautions(view)),
            caption(people_words(view.people)),
            _against(view),
            rates,
        ),
        markdown=markdown(view),
        plain="\n".join(f"{n}. {one.text}" for n, one in enumerate(told, 1)),
    )


def draw_calibration(done: Calibration) -> RichOutput:
    """The same without what stands beside it."""
    said = f"{done.judge.words} against people"
    rows = _figure_rows(done.table)
    return RichOutput(
        html=frame(heading(said), _calibrated(done)),
        markdown=f"**{escape_markdown(said)}**\n\n{markdown_table(_FIGURE_HEAD, rows)}",
        plain=f"{said}: {basis(done)}. {guarantee_words(done.guarantee)}",
    )


def draw_judge_table(found: ClassificationReport) -> RichOutput:
    """The figures of a judge, its confusion table, and how its scores are calibrated."""
    said = f"A judge against people on {found.n:,} items in {found.groups:,} groups"
    rows = _figure_rows(found)
    chart = f'<div style="{_CHART}">{reliability_svg(found.reliability)}</div>'
    return RichOutput(
        html=frame(
            heading(said),
            chart if found.reliability else "",
            table(_FIGURE_HEAD, rows),
            _confusion(found),
        ),
        markdown=f"**{said}**\n\n{markdown_table(_FIGURE_HEAD, rows)}",
        plain=f"{said}: accuracy {found.figure('accuracy').text}",
    )


def draw_agreement(found: Agreement) -> RichOutput:
    """How far people agree, whole, by label and by pair."""
    said = f"{len(found.raters):,} people on {found.items:,} items that two or more rated"
    rows: list[Sequence[Cell]] = [
        _figure_row("Raw agreement", found.raw),
        _figure_row("Krippendorff's α", found.alpha),
        _figure_row("Ordinal α over the support scale", found.ordinal_alpha),
        *(_figure_row(f"α of {_word(one.label)}", one.chance_corrected) for one in found.labels),
        *(_figure_row(f"κ of {one.first} and {one.second}", one.kappa) for one in found.pairs),
        *(
            _figure_row(f"Weighted κ (linear) of {one.first} and {one.second}", one.weighted_kappa)
            for one in found.pairs
        ),
    ]
    return RichOutput(
        html=frame(heading(said), table(_FIGURE_HEAD, rows)),
        markdown=f"**{said}**\n\n{markdown_table(_FIGURE_HEAD, rows)}",
        plain=f"{said}: raw {found.raw.text}, α {found.alpha.text}",
    )


def draw_rates(found: PrevalenceEstimates) -> RichOutput:
    """The support rate, found in five ways."""
    rows = _rate_rows(found)
    return RichOutput(
        html=frame(heading("Support rate"), table(_FIGURE_HEAD, rows)),
        markdown=f"**Support rate**\n\n{markdown_table(_FIGURE_HEAD, rows)}",
        plain=f"Support rate {found.tuned.text}",
    )


def draw_evaluation(found: Evaluation) -> RichOutput:
    """A judge against labelled pairs."""
    said = f"{found.n:,} labelled pairs, {found.positives:,} supported"
    values: Mapping[str, float | None] = {
        "AUROC": found.auroc,
        "Average precision": found.average_precision,
        "Balanced accuracy": found.balanced_accuracy,
        "F1": found.f1,
    }
    names = ("auroc", "average_precision", "balanced_accuracy", "f1")
    rows: list[Sequence[Cell]] = [
        (word, _between(value, found.ci95.get(name), found.ci95_missing.get(name, "")))
        for (word, value), name in zip(values.items(), names, strict=True)
    ]
    if found.threshold is not None:
        rows.append(("Threshold", f"{found.threshold:.3f}"))
    head = ("", "Value (95 % interval)")
    return RichOutput(
        html=frame(heading(said), table(head, rows)),
        markdown=f"**{said}**\n\n{markdown_table(head, rows)}",
        plain=f"{said}: AUROC {rows[0][1]}",
    )


def _calibrated(done: Calibration) -> str:
    if not done.table.n:
        return caption("No labelled item of these parts has a verdict of this judge.")
    charts = ""
    if done.cuts:
        charts = (
            f'<div style="{_CHART}">{sweep_svg(done.cuts, done.threshold)}</div>'
            f'<div style="{_CHART}">{reliability_svg(done.table.reliability)}</div>'
        )
    left_out = left_out_words(done)
    chosen = done.chosen
    wanted = {*SHOWN, *([chosen.threshold] if chosen else [])}
    cuts = [
        cut_row(cut, cut is chosen)
        for cut in reversed(done.cuts)
        if any(abs(cut.threshold - one) < 1e-9 for one in wanted)
    ]
    return "".join(
        (
            caption(f"Figures rest on {basis(done)}."),
            caption(f"Left out: {'; '.join(left_out)}.") if left_out else "",
            charts,
            table(_FIGURE_HEAD, _figure_rows(done.table)),
            _confusion(done.table),
            heading("Thresholds"),
            caption(guarantee_words(done.guarantee)),
            table(CUT_HEAD, cuts, right=len(CUT_HEAD) - 1) if cuts else "",
        )
    )


def _against(view: CalibrationReport) -> str:
    if view.against is None:
        return ""
    rows: list[Sequence[Cell]] = [
        (name, f"{one.n:,}", *(number(one.figure(figure)) for figure in AGAINST_FIGURES))
        for name, one in against_rows(view.against)
    ]
    return table(AGAINST_HEAD, rows) + caption(against_words(view.against))


def _figure_rows(found: ClassificationReport) -> Rows:
    return [_figure_row(word, found.figure(name)) for name, word in FIGURE_WORDS.items()]


def _rate_rows(found: PrevalenceEstimates) -> Rows:
    figures = {
        "naive": found.naive,
        "people": found.people,
        "ppi": found.ppi,
        "tuned": found.tuned,
        "rogan_gladen": found.rogan_gladen,
    }
    return [_figure_row(word, figures[name]) for name, word in RATE_WORDS]


def _figure_row(word: str, figure: IntervalEstimate) -> Sequence[Cell]:
    return (word, number(figure), f"{figure.n:,}", figure.method)


def _confusion(found: ClassificationReport) -> str:
    counts = {(human, judge): n for human, judge, n in found.confusion}
    humans = [one for one in HUMAN_LABELS if any(counts[one, judge] for judge in VERDICT_LABELS)]
    if not humans:
        return ""
    rows = [
        [_word(human), *(f"{counts[human, judge]:,}" for judge in VERDICT_LABELS)]
        for human in humans
    ]
    head = ["People \\ judge", *(_word(judge) for judge in VERDICT_LABELS)]
    return table(head, rows, right=len(VERDICT_LABELS))


def _word(label: str) -> str:
    style = STYLES.get(label)
    return f"{style.glyph} {style.word}" if style else label


def _between(
    value: float | None, interval: tuple[float, float] | None, no_interval: str = ""
) -> str:
    if value is None:
        return "–"
    inside = f"{interval[0]:.3f}–{interval[1]:.3f}" if interval else f"no interval: {no_interval}"
    return f"{value:.3f} ({inside})"
