"""Charts of drift: agreement with the reference labels at each evaluation, and its change."""

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from workbench.presentation.charts import register_theme
from workbench.presentation.drift_text import VERDICT_TEXT, judge_text
from workbench.presentation.escape import truncate
from workbench.presentation.verdicts import STYLES
from workbench.records.format import format_timestamp
from workbench.services.drift import DriftReport

if TYPE_CHECKING:
    import altair as alt

HEIGHT = 280
DRIFTED = STYLES["not_supported"].colour
PALETTE = [STYLES[mark].colour for mark in (
    "pending", "partially_supported", "supported", "contradicted", "unverifiable"
)]  # fmt: skip
SHAPES = ["circle", "square", "diamond", "triangle-up", "triangle-down"]
Rows = list[dict[str, str | float | bool]]


def drift_rows(report: DriftReport) -> Rows:
    """A point for each evaluation with a figure, oldest first."""
    rows: Rows = []
    for series in report.series[: len(PALETTE)]:
        name = truncate(judge_text(series), 40)
        for analysis, asking in zip(series.interim_analyses, series.evaluations, strict=True):
            if analysis.agreement is None:
                continue
            rows.append(
                {
                    "at": asking.created_at.isoformat(),
                    "day": format_timestamp(asking.created_at),
                    "judge": name,
                    "asking": asking.id,
                    "share": analysis.agreement.hits / analysis.agreement.n,
                    "low": analysis.agreement.low,
                    "high": analysis.agreement.high,
                    "drift": analysis.verdict == "drift",
                    "said": VERDICT_TEXT[analysis.verdict],
                    "n": analysis.agreement.n,
                }
            )
    return rows


def _time_axis(rows: Rows) -> "alt.X":
    """When each evaluation was; its name where all are of one hour, which a clock would not tell."""
    import altair as alt

    axis = alt.Axis(
        labels=True, domain=True, title=None, tickCount=6, labelOverlap=True, grid=False,
        labelAngle=0,
    )  # fmt: skip
    moments = [datetime.fromisoformat(str(row["at"])) for row in rows]
    if moments and max(moments) - min(moments) < timedelta(hours=1):
        return alt.X("asking:N", sort=alt.EncodingSortField("at", op="min"), axis=axis)
    return alt.X("at:T", axis=axis, scale=alt.Scale(padding=24))


def drift_chart(report: DriftReport) -> "alt.LayerChart | alt.FacetChart":
    """Agreement with the reference labels over time with intervals; drift is ringed."""
    import altair as alt

    register_theme()
    rows = drift_rows(report)
    names = list(dict.fromkeys(str(row["judge"]) for row in rows))
    legend = alt.Legend(orient="top", title=None) if len(names) > 1 else None
    lowest = min((float(row["low"]) for row in rows), default=0.0)
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        x=_time_axis(rows),
        color=alt.Color("judge:N", legend=legend, scale=alt.Scale(domain=names, range=PALETTE)),
    )
    up = alt.Scale(domain=[max(0.0, min(0.5, lowest - 0.05)), 1.0])
    axis = alt.Axis(
        labels=True, title="Agreement with labels", format=".0%", domain=True, tickCount=5,
        titleColor="currentColor",
    )  # fmt: skip
    share = alt.Y("share:Q", scale=up, axis=axis)
    line = base.mark_line(strokeWidth=1.5, opacity=0.6).encode(y=share)
    spread = base.mark_rule(strokeWidth=2, opacity=0.5).encode(
        y=alt.Y("low:Q", scale=up, axis=axis), y2="high:Q"
    )
    points = base.mark_point(filled=True, size=80, opacity=1).encode(
        y=share,
        shape=alt.Shape("judge:N", legend=legend, scale=alt.Scale(domain=names, range=SHAPES)),
        tooltip=[
            alt.Tooltip("judge:N", title="Judge"),
            alt.Tooltip("day:N", title="Evaluated"),
            alt.Tooltip("asking:N", title="Evaluation"),
            alt.Tooltip("share:Q", title="Agreement", format=".1%"),
            alt.Tooltip("low:Q", title="From", format=".1%"),
            alt.Tooltip("high:Q", title="To", format=".1%"),
            alt.Tooltip("n:Q", title="n"),
            alt.Tooltip("said:N", title="Result"),
        ],
    )
    drifted = base.transform_filter("datum.drift")
    ring = drifted.mark_point(size=320, strokeWidth=2, color=DRIFTED, fill=None).encode(
        y=share, color=alt.value(DRIFTED)
    )
    word = drifted.mark_text(dy=-18, fontSize=12).encode(
        y=share, text=alt.value("drift"), color=alt.value("currentColor")
    )
    analyses = (analysis for history in report.series for analysis in history.interim_analyses)
    most_examples = max(
        (analysis.agreement.n for analysis in analyses if analysis.agreement), default=0
    )
    return alt.layer(line, spread, points, ring, word).properties(
        height=HEIGHT,
        title=alt.Title(
            "Agreement with the reference labels",
            subtitle=f"n = {most_examples:,} examples, 95 % intervals; a ring marks drift",
        ),
    )
