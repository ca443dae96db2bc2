"""The chart of drift: agreement with the reference labels at each evaluation."""

from collections.abc import Sequence

from workbench.presentation.charts import chart_of, field, number
from workbench.presentation.drift_text import VERDICT_TEXT, judge_text
from workbench.presentation.escape import truncate
from workbench.presentation.verdicts import STYLES
from workbench.records.format import format_timestamp
from workbench.records.text import Json, JsonDict
from workbench.services.drift import DriftReport

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


def drift_chart(report: DriftReport) -> JsonDict:
    """Agreement with the reference labels in the order of the evaluations; drift is ringed."""
    rows = drift_rows(report)
    names = list(dict.fromkeys(str(row["judge"]) for row in rows))
    legend: Json = {"orient": "top", "title": None} if len(names) > 1 else None
    lowest = min((float(row["low"]) for row in rows), default=0.0)
    most = max((int(row["n"]) for row in rows), default=0)
    axis: JsonDict = {"labels": True, "title": None, "domain": True}
    # by name: a clock would put evaluations of one hour on top of each other
    across: JsonDict = {**axis, "labelOverlap": True, "labelAngle": 0}
    share = number(
        "share",
        scale={"domain": [max(0.0, min(0.5, lowest - 0.05)), 1.0]},
        axis={**axis, "format": ".0%", "tickCount": 5},
    )

    def by_judge(values: Sequence[str]) -> JsonDict:
        return field("judge", legend=legend, scale={"domain": [*names], "range": [*values]})

    words, numbers = ("judge", "day", "asking"), ("share", "low", "high", "n")
    tooltip: list[Json] = [*map(field, words), *map(number, numbers), field("said")]
    shown: JsonDict = {"shape": by_judge(SHAPES), "tooltip": tooltip}
    interval: JsonDict = {"y": number("low"), "y2": {"field": "high"}}
    layers: tuple[tuple[JsonDict, JsonDict], ...] = (
        ({"type": "line", "strokeWidth": 1.5, "opacity": 0.6}, {}),
        ({"type": "rule", "strokeWidth": 2, "opacity": 0.5}, interval),
        ({"type": "point", "filled": True, "size": 80, "opacity": 1}, shown),
    )
    ring: JsonDict = {
        "transform": [{"filter": "datum.drift"}],
        "mark": {"type": "point", "size": 320, "strokeWidth": 2, "fill": None, "aria": False},
        "encoding": {"color": {"value": DRIFTED}},
    }
    at = field("asking", sort={"field": "at", "op": "min"}, axis=across)
    return chart_of(
        rows,
        title="Agreement with the reference labels",
        subtitle=f"n = {most:,} examples, 95 % intervals; a ring marks drift",
        height=280,
        encoding={"x": at, "y": share, "color": by_judge(PALETTE)},
        layer=[*({"mark": mark, "encoding": encoding} for mark, encoding in layers), ring],
    )
