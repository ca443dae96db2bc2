"""The published JSON of a calibration: figures, guarantee, people, what was left out.

The charts of a written calibration report as inline SVG; pure.

They need no script and load no address; text takes the page's colour.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from workbench.calibration.classification_report import (
    FIGURES,
    ClassificationReport,
    ReliabilityBin,
)
from workbench.calibration.estimates import ProportionEstimate
from workbench.calibration.references import ReferenceCalibration
from workbench.calibration.results import (
    MAJORITY_RULE,
    AgainstReviewers,
    Calibration,
    CalibrationReport,
    HumanAgreement,
)
from workbench.calibration.thresholds import OperatingPoint
from workbench.errors import UsageError, storage_error
from workbench.presentation.calibration.fitted_limits import limits_document, limits_sections
from workbench.presentation.calibration.references import (
    agreement_document,
    figures_document,
    pair_document,
    reference_sections,
    references_document,
)
from workbench.presentation.calibration.sections import Section, basis_paragraph, report_sections
from workbench.presentation.calibration.text import (
    AGAINST_FIGURES,
    cautions,
    report_title,
    sentences,
)
from workbench.presentation.escape import markup, render
from workbench.presentation.tables import Table
from workbench.presentation.verdicts import STYLES
from workbench.records.guide_versions import guide_name
from workbench.records.text import Json, JsonDict, replace_surrogates

_ESCAPES = str.maketrans({char: "\\" + char for char in "\\`*_[]<>|#"})


def markdown(view: CalibrationReport) -> str:
    """The whole report; foreign names are escaped."""
    calibration = view.calibration
    numbered = (
        f"{n}. {plain(sentence.text)}{'' if sentence.is_supported else ' *(not established yet)*'}"
        for n, sentence in enumerate(sentences(calibration, view.rates), 1)
    )
    blocks = [
        f"# {plain(report_title(calibration))}",
        "\n".join(numbered),
        plain(basis_paragraph(calibration)),
        *(plain(f"Caution: {caution}") for caution in cautions(view)),
        *_blocks(limits_sections(view.limits)),
        *_blocks(report_sections(view)),
        *_blocks(reference_sections(view.references)),
    ]
    return "\n\n".join(blocks) + "\n"


def references_markdown(calibration: ReferenceCalibration) -> str:
    """The report on the checks of references alone; foreign names are escaped."""
    return "\n\n".join(_blocks(reference_sections(calibration))) + "\n"


def _blocks(sections: Sequence[Section]) -> list[str]:
    return [block for section in sections for block in _section(section)]


def plain(text: str) -> str:
    """Foreign text as one escaped line of Markdown."""
    return " ".join(replace_surrogates(text).split()).translate(_ESCAPES)


def _section(section: Section) -> list[str]:
    return [
        f"## {plain(section.title)}",
        *map(plain, section.before),
        *([markdown_table(section.table)] if section.table else []),
        *map(plain, section.after),
    ]


def markdown_table(table: Table) -> str:
    """A table in Markdown."""
    lines = [table.head, ("---",) * len(table.head), *table.lines]
    return "\n".join(
        f"| {' | '.join(line if at == 1 else tuple(map(plain, line)))} |"
        for at, line in enumerate(lines)
    )


WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 560, 300, 46, 40, 14
PRECISION, RECALL = STYLES["pending"].colour, STYLES["partially_supported"].colour
Point = tuple[float, float]


def calibration_charts(calibration: Calibration) -> list[str]:
    """Both charts of a calibration; none without items to choose a threshold on."""
    if not calibration.cuts:
        return []
    return [
        sweep_svg(calibration.cuts, calibration.threshold),
        reliability_svg(calibration.table.reliability),
    ]


def sweep_svg(cuts: Sequence[OperatingPoint], chosen: float | None) -> str:
    """Precision and recall with their intervals by threshold; a rule at the chosen one."""
    parts = []
    for word, colour, dash, shares in (
        ("Precision", PRECISION, "", [(cut.threshold, cut.precision) for cut in cuts]),
        ("Recall", RECALL, "6 4", [(cut.threshold, cut.recall) for cut in cuts]),
    ):
        points = sorted((at, share) for at, share in shares if share)
        if not points:
            continue
        parts.append(_band(points, colour))
        line = [(at, share.hits / share.n) for at, share in points]
        parts.append(_line(line, colour, dash))
        at, value = line[len(line) // 3]
        parts.append(
            f'<text x="{_x(at):.1f}" y="{_y(value) - 6:.1f}" fill="{colour}">{word}</text>'
        )
    if chosen is not None:
        parts.append(_line([(chosen, 0), (chosen, 1)], "currentColor", "2 3"))
        parts.append(
            f'<text x="{_x(chosen) - 4:.1f}" y="{TOP + 10}" text-anchor="end">{chosen:.3f}</text>'
        )
    return _chart("Precision and recall by threshold, bands are 95 %", "Threshold", parts)


def reliability_svg(bins: Sequence[ReliabilityBin]) -> str:
    """How often people say supported at the judge's scores; the dashed line is perfect."""
    parts = [_line([(0, 0), (1, 1)], "currentColor", "3 3")]
    for score_bin in bins:
        share = score_bin.share
        x, at = _x(score_bin.mean_score), share.hits / share.n
        parts.append(
            _line(
                [(score_bin.mean_score, share.low), (score_bin.mean_score, share.high)], PRECISION
            )
        )
        parts.append(f'<circle cx="{x:.1f}" cy="{_y(at):.1f}" r="4" fill="{PRECISION}"/>')
    return _chart(
        "Share that people labelled supported, by the judge's score", "Judge's score", parts
    )


def _x(value: float) -> float:
    return LEFT + value * (WIDTH - LEFT - 10)


def _y(value: float) -> float:
    return HEIGHT - BOTTOM - value * (HEIGHT - BOTTOM - TOP)


def _points(points: Sequence[Point]) -> str:
    return " ".join(f"{_x(x):.1f},{_y(y):.1f}" for x, y in points)


def _line(points: Sequence[Point], colour: str, dash: str = "") -> str:
    broken = f' stroke-dasharray="{dash}"' if dash else ""
    return (
        f'<polyline points="{_points(points)}" fill="none" stroke="{colour}" stroke-width="2"'
        f"{broken}/>"
    )


def _band(points: Sequence[tuple[float, ProportionEstimate]], colour: str) -> str:
    upper = [(at, share.high) for at, share in points]
    lower = [(at, share.low) for at, share in reversed(points)]
    return f'<polygon points="{_points([*upper, *lower])}" fill="{colour}" opacity="0.18"/>'


def _chart(title: str, axis_title: str, parts: Sequence[str]) -> str:
    ticks = []
    for step in range(6):
        value = step / 5
        ticks.append(
            f'<text x="{_x(value):.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">'
            f"{value:.1f}</text>"
            f'<text x="{LEFT - 8}" y="{_y(value) + 4:.1f}" text-anchor="end">{value:.1f}</text>'
        )
    ticks.append(
        f'<text x="{_x(0.5):.1f}" y="{HEIGHT - 6}" text-anchor="middle">{axis_title}</text>'
        + _line([(0, 0), (1, 0)], "currentColor")
    )
    return (
        f'<figure><figcaption>{title}</figcaption><svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="{title}">{"".join([*ticks, *parts])}</svg></figure>'
    )


def write_report(view: CalibrationReport, path: Path) -> None:
    """Write a report; the file's ending decides its format.

    Raises:
        UsageError: The ending is neither `.md` nor `.html`, or the file cannot be written.
    """
    check_report_path(path)
    text = markdown(view) if path.suffix.lower() == ".md" else page(view)
    try:
        path.write_text(text, "utf-8")
    except OSError as error:
        raise storage_error(error, path) or UsageError(
            f"The report {path} cannot be written: {error.strerror}."
        ) from None


def check_report_path(path: Path) -> None:
    """Check that a report can have this name.

    Raises:
        UsageError: The ending is neither `.md` nor `.html`.
    """
    if path.suffix.lower() not in (".md", ".html"):
        raise UsageError(f"A report is written to a .md or .html file, not to {path.name}.")


def page(view: CalibrationReport) -> str:
    """The report as a complete HTML document with inline charts."""
    calibration = view.calibration
    return render(
        "calibration.html.jinja",
        title=report_title(calibration),
        sentences=sentences(calibration, view.rates),
        paragraphs=[basis_paragraph(calibration), *(f"Caution: {c}" for c in cautions(view))],
        charts=[markup(chart) for chart in calibration_charts(calibration)],
        sections=(
            *limits_sections(view.limits),
            *report_sections(view),
            *reference_sections(view.references),
        ),
    )


def document(view: CalibrationReport, seconds: float | None = None) -> JsonDict:
    """The published JSON of `workbench calibrate`, with further details."""
    calibration, rates = view.calibration, view.rates
    table = calibration.table
    parts: dict[str, Json] = {size.part or "none": size.to_dict() for size in calibration.sizes}
    guarantee = calibration.guarantee
    accept, reject = calibration.band
    return {
        "n": table.n,
        "splits": {
            **calibration.split.to_dict(),
            "parts": parts,
            "used": list(calibration.parts),
            "threshold_chosen_on": list(calibration.chosen_on),
            "test_openings": [opening.to_dict() for opening in calibration.openings],
        },
        **figures_document(FIGURES, dict(table.figures)),
        "threshold": calibration.threshold,
        "guarantee": guarantee.to_dict(),
        "human_agreement": _people(view.reviewer_agreement),
        "judge": list(calibration.judge.specs),
        "prompt": calibration.judge.prompt or None,
        "sentences": [sentence.text for sentence in sentences(calibration, rates)],
        "humans": calibration.judged.humans,
        "items_labelled_by_data_sets": calibration.judged.from_data_sets,
        "groups": table.groups,
        "guide_versions": {
            "chosen": [guide_name(guide) for guide in calibration.labels.guides] or None,
            "labels": _guides(calibration.guide_counts),
        },
        "labels_of": calibration.labels.name or None,
        "warnings": list(cautions(view)),
        "judge_against": _against(view.against),
        "left_out": {
            "no_gold_label": calibration.judged.no_gold_label,
            "unjudged": calibration.judged.unjudged,
            "unread": calibration.judged.unread,
            "untested": table.excluded,
            "in_no_part": calibration.judged.in_no_part,
        },
        "table": table.to_dict(),
        "at_threshold": calibration.at_threshold.to_dict() if calibration.at_threshold else None,
        "abstain_band": {"accept": accept.to_dict(), "reject": reject.to_dict()},
        "fitted_limits": [*limits_document(view.limits)],
        "always_supported": metrics(calibration.always),
        "embedded_judge": metrics(view.local) if view.local else None,
        "corrected_rates": rates.estimates.to_dict() if rates else None,
        "references": references_document(view.references) if view.references else None,
        "labels_sha256": calibration.labels_sha256,
        **({} if seconds is None else {"seconds": round(seconds, 3)}),
    }


def metrics(table: ClassificationReport) -> JsonDict:
    """The figures of a baseline."""
    return {name: figure.to_dict() for name, figure in table.figures}


def _people(people: HumanAgreement | None) -> JsonDict | None:
    if people is None:
        return None
    return {
        **agreement_document(people.labels),
        "ordinal_alpha": people.labels.ordinal_alpha.to_dict(),
        "off_scale": people.labels.off_scale,
        "pairs": [
            {
                **pair_document(pair),
                "weighted_kappa": pair.weighted_kappa.to_dict(),
                "weights": "linear",
            }
            for pair in people.labels.pairs
        ],
        "supported_or_not": people.supported.raw.to_dict(),
        "guide_versions": _guides(people.guides),
    }


def _guides(counts: Mapping[int, int]) -> JsonDict:
    return {guide_name(version): number for version, number in counts.items()}


def _against(against: AgainstReviewers | None) -> JsonDict | None:
    """Figures against each reviewer and their majority; those by gold label are in `metrics`."""
    if against is None:
        return None

    def figures(table: ClassificationReport) -> JsonDict:
        return {"n": table.n, **{name: table.figure(name).to_dict() for name in AGAINST_FIGURES}}

    return {
        "reviewers": [{"reviewer": name, **figures(table)} for name, table in against.reviewers],
        "more_reviewers": against.more_reviewers,
        "majority": {
            "rule": MAJORITY_RULE,
            **figures(against.majority),
            "ties": against.ties,
            "single_reviewer": against.single,
        },
    }
