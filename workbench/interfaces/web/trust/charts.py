"""The chart of drift: agreement with the reference labels at each evaluation."""

from typing import TYPE_CHECKING

from workbench.presentation.charts import register_theme
from workbench.presentation.drift_text import VERDICT_TEXT, judge_text
from workbench.presentation.escape import truncate
from workbench.presentation.verdicts import STYLES
from workbench.records.format import format_timestamp
from workbench.services.drift import DriftReport

if TYPE_CHECKING:
    import altair as alt

DRIFTED = STYLES["not_supported"].colour
PALETTE = [STYLES[mark].colour for mark in (
    "pending", "partially_supported", "supported", "contradicted", "unverifiable"
)]  # fmt: skip
SHAPES = ["circle", "square", "diamond", "triangle-up", "triangle-down"]
Rows = list[dict[str, str | float | bool]]


def drift_rows(report: DriftReport) -> Rows:
    """A point for each evaluation with a figure, oldest first."""
    rows: Rows = [
        {
            "at": asking.created_at.isoformat(),
            "day": format_timestamp(asking.created_at),
            "judge": truncate(judge_text(series), 40),
            "asking": asking.id,
            "share": analysis.agreement.hits / analysis.agreement.n,
            "low": analysis.agreement.low,
            "high": analysis.agreement.high,
            "drift": analysis.verdict == "drift",
            "said": VERDICT_TEXT[analysis.verdict],
            "n": analysis.agreement.n,
        }
        for series in report.series[: len(PALETTE)]
        for analysis, asking in zip(series.interim_analyses, series.evaluations, strict=True)
        if analysis.agreement is not None
    ]
    return sorted(rows, key=lambda row: str(row["at"]))


def drift_chart(report: DriftReport) -> "alt.LayerChart | alt.FacetChart":
    """Agreement with the reference labels in the order of the evaluations; drift is ringed."""
    import altair as alt

    register_theme()
    rows = drift_rows(report)
    names = list(dict.fromkeys(str(row["judge"]) for row in rows))
    legend = alt.Legend(orient="top", title=None) if len(names) > 1 else None
    lowest = min((float(row["low"]) for row in rows), default=0.0)
    share = alt.Y(
        "share:Q",
        scale=alt.Scale(domain=[max(0.0, min(0.5, lowest - 0.05)), 1.0]),
        axis=alt.Axis(labels=True, title=None, format=".0%", domain=True, tickCount=5),
    )
    # by name: a clock would put evaluations of one hour on top of each other
    across = alt.Axis(labels=True, domain=True, title=None, labelOverlap=True, labelAngle=0)
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        x=alt.X("asking:N", sort=alt.EncodingSortField("at", op="min"), axis=across),
        color=alt.Color("judge:N", legend=legend, scale=alt.Scale(domain=names, range=PALETTE)),
        y=share,
    )
    spread = base.mark_rule(strokeWidth=2, opacity=0.5).encode(y="low:Q", y2="high:Q")
    points = base.mark_point(filled=True, size=80, opacity=1).encode(
        shape=alt.Shape("judge:N", legend=legend, scale=alt.Scale(domain=names, range=SHAPES)),
        tooltip=["judge:N", "day:N", "asking:N", "share:Q", "low:Q", "high:Q", "n:Q", "said:N"],
    )
    drifted = base.transform_filter("datum.drift").encode(color=alt.value(DRIFTED))
    most = max((int(row["n"]) for row in rows), default=0)
    return alt.layer(
        base.mark_line(strokeWidth=1.5, opacity=0.6),
        spread,
        points,
        drifted.mark_point(size=320, strokeWidth=2, fill=None, aria=False),
    ).properties(
        height=280,
        title=alt.Title(
            "Agreement with the reference labels",
            subtitle=f"n = {most:,} examples, 95 % intervals; a ring marks drift",
        ),
    )
