"""A calibration as Markdown: what the command line prints and a written report holds; pure."""

from collections.abc import Iterable, Sequence

from workbench.calibration import ClassificationReport, IntervalEstimate, OperatingPoint
from workbench.presentation.calibration.text import (
    AGAINST_FIGURES,
    AGAINST_HEAD,
    FIGURE_WORDS,
    against_rows,
    against_words,
    basis,
    cautions,
    forecast_words,
    guarantee_words,
    left_out_words,
    number,
    parts_words,
    people_words,
    percent,
    sentences,
)
from workbench.presentation.verdicts import STYLES
from workbench.records import HUMAN_LABELS, VERDICT_LABELS, replace_surrogates
from workbench.records.format import format_timestamp
from workbench.services.calibration.prevalence import RANDOM_NEEDED
from workbench.services.calibration.report_data import CalibrationReport

SHOWN = (0.3, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.97, 0.99)
"""Thresholds of the short table; the chosen one stands among them."""
_KEPT = str.maketrans({char: "\\" + char for char in "\\`*_[]<>|#"})


def markdown(view: CalibrationReport) -> str:
    """The whole report; names that others wrote are escaped."""
    calibration = view.calibration
    blocks = [
        f"# How far {plain(calibration.judge.words)} can be trusted",
        _sentences(view),
        plain(f"Figures rest on {basis(calibration)}. {_left_out(view)}"),
        *(plain(f"Caution: {one}") for one in cautions(view)),
        *_figures(view),
        *_confusion(calibration.table),
        *_thresholds(view),
        *_rates(view),
        *_slices(view),
        *_parts(view),
    ]
    return "\n\n".join(block for block in blocks if block) + "\n"


def plain(text: str) -> str:
    """Text of others as one line of Markdown that means nothing but itself."""
    return " ".join(replace_surrogates(text).split()).translate(_KEPT)


def _sentences(view: CalibrationReport) -> str:
    told = sentences(view.calibration, view.rates)
    return "\n".join(
        f"{n}. {plain(one.text)}{'' if one.stands else ' *(cannot be claimed yet)*'}"
        for n, one in enumerate(told, 1)
    )


def _left_out(view: CalibrationReport) -> str:
    said = left_out_words(view.calibration)
    return f"Left out: {'; '.join(said)}." if said else ""


def _figures(view: CalibrationReport) -> list[str]:
    calibration = view.calibration
    columns: list[tuple[str, ClassificationReport]] = [(calibration.judge.words, calibration.table)]
    if calibration.at_threshold:
        columns.append((f"at {calibration.threshold:.3f}", calibration.at_threshold))
    columns.append(("always supported", calibration.always))
    if view.local:
        columns.append(("embedded judge", view.local))
    rows = []
    for name, word in FIGURE_WORDS.items():
        found = [table.figure(name) for _, table in columns]
        rows.append([word, *(number(one) for one in found), f"{found[0].n:,}", found[0].method])
    head = ["", *(plain(name) for name, _ in columns), "n", "95 % interval by"]
    return [
        "## Against people",
        _table(head, rows),
        plain(people_words(view.people)),
        *_against(view),
    ]


def _against(view: CalibrationReport) -> list[str]:
    if view.against is None:
        return []
    rows = [
        [plain(name), f"{table.n:,}", *(number(table.figure(one)) for one in AGAINST_FIGURES)]
        for name, table in against_rows(view.against)
    ]
    return [
        "## Against each reviewer and their majority",
        _table(AGAINST_HEAD, rows),
        plain(against_words(view.against)),
    ]


def _confusion(table: ClassificationReport) -> list[str]:
    counts = {(human, judge): n for human, judge, n in table.confusion}
    humans = [one for one in HUMAN_LABELS if any(counts[one, j] for j in VERDICT_LABELS)]
    if not humans:
        return []
    rows = [
        [STYLES[human].word, *(f"{counts[human, judge]:,}" for judge in VERDICT_LABELS)]
        for human in humans
    ]
    head = ["People \\ judge", *(STYLES[judge].word for judge in VERDICT_LABELS)]
    return ["## Confusion table", _table(head, rows)]


def _thresholds(view: CalibrationReport) -> list[str]:
    calibration = view.calibration
    if not calibration.cuts:
        return ["## Threshold", guarantee_words(calibration.guarantee)]
    chosen = calibration.chosen
    wanted = {*SHOWN, *([chosen.threshold] if chosen else [])}
    rows = [
        cut_row(cut, cut is chosen)
        for cut in reversed(calibration.cuts)
        if any(abs(cut.threshold - one) < 1e-9 for one in wanted)
    ]
    accept, reject = calibration.band
    said = f"Chosen for {calibration.aim.words}, on {parts_words(calibration.chosen_on)}: " + (
        f"{chosen.threshold:.3f}." if chosen else "none serves it."
    )
    return [
        "## Threshold",
        said,
        guarantee_words(calibration.guarantee),
        _table(CUT_HEAD, rows),
        band_words(view),
        *(one.sentence for one in (accept, reject)),
        forecast_words(calibration),
    ]


CUT_HEAD = ("Threshold", "Accepted", "Precision", "Recall", "Right below it", "Accuracy", "Cost")


def cut_row(cut: OperatingPoint, chosen: bool = False) -> list[str]:
    """One threshold as a row of `CUT_HEAD`."""

    def said(figure: IntervalEstimate | None) -> str:
        return number(figure) if figure else "–"

    return [
        f"{cut.threshold:.4g}{' (chosen)' if chosen else ''}",
        f"{cut.accepted:,}",
        said(cut.precision.figure if cut.precision else None),
        said(cut.recall.figure if cut.recall else None),
        said(cut.rejection.figure if cut.rejection else None),
        f"{cut.accuracy:.3f}",
        f"{cut.cost:.3f}",
    ]


def band_words(view: CalibrationReport) -> str:
    """The shares that are accepted, asked about and rejected."""
    accept, reject = view.calibration.band
    up = accept.coverage if accept.holds else 0.0
    down = reject.coverage if reject.holds else 0.0
    crossed = accept.holds and reject.holds and (accept.threshold or 0) < (reject.threshold or 0)
    asked = 0.0 if crossed else max(0.0, 1 - up - down)
    return (
        f"Of all items {percent(up)} would be accepted without a person, {percent(down)} rejected, "
        f"and a person is asked about {percent(asked)}; both hold together with "
        f"{accept.confidence:.0%} confidence."
    )


def _rates(view: CalibrationReport) -> list[str]:
    if view.rates is None or not view.rates.items:
        return []
    found = view.rates.found
    rows = [
        [word, number(figure), f"{figure.n:,}", figure.method]
        for word, figure in (
            ("Judge alone (naive)", found.naive),
            ("Labels alone", found.people),
            ("Prediction-powered", found.ppi),
            ("Prediction-powered, tuned", found.tuned),
            ("Rogan–Gladen", found.rogan_gladen),
        )
    ]
    return [
        f"## Support rate of {plain(view.rates.of.words)}",
        _table(["", "Rate", "n", "95 % interval by"], rows),
        RANDOM_NEEDED,
    ]


def _slices(view: CalibrationReport) -> list[str]:
    if not view.slices:
        return []
    rows = [
        [
            name,
            plain(value),
            f"{table.n:,}",
            number(table.figure("accuracy")),
            number(table.figure("balanced_accuracy")),
            number(table.figure("auroc")),
        ]
        for name, values in view.slices.items()
        for value, table in values
    ]
    head = ["Slice", "", "n", "Accuracy", "Balanced accuracy", "AUROC"]
    return ["## By slice", _table(head, rows)] if rows else []


def _parts(view: CalibrationReport) -> list[str]:
    calibration = view.calibration
    rows = [
        [
            one.part or "in no part",
            f"{one.items:,}",
            f"{one.groups:,}",
            f"{one.humans:,}",
            "yes" if one.part in calibration.parts else "no",
        ]
        for one in calibration.sizes
    ]
    split = calibration.split
    said = (
        f"Split {plain(split.name)} (seed {split.seed}), made by {plain(split.created_by)} on "
        f"{format_timestamp(split.created_at)}; items that share a {' or a '.join(split.ties)} stand in one "
        "part."
    )
    if calibration.ties_left:
        said += (
            f" They may share a {' or a '.join(calibration.ties_left)} across parts: tying by it "
            "would have left one group."
        )
    looks = [
        f"- {format_timestamp(one.created_at)}, {plain(one.reviewer)}: {plain(one.reason)} "
        f"({plain(one.figures)})"
        for one in calibration.openings
    ]
    seen = (
        "\n".join(["The test part was opened:", "", *looks])
        if looks
        else ("The test part was never opened.")
    )
    labels = f"Labels that the threshold rests on: sha256 {calibration.labels_sha256}."
    return [
        "## Parts",
        _table(["Part", "Items", "Questions", "People", "In these figures"], rows),
        said,
        seen,
        labels,
    ]


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines)
