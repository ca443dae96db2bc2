"""The charts of a written calibration report as inline SVG; pure.

They need no script and load no address; text takes the page's colour.
"""

from collections.abc import Sequence

from workbench.calibration.classification_report import ReliabilityBin
from workbench.calibration.estimates import ProportionEstimate
from workbench.calibration.results import Calibration
from workbench.calibration.thresholds import OperatingPoint
from workbench.presentation.verdicts import STYLES

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
