"""Charts of a calibration: precision and recall by threshold, and the reliability curve."""

from typing import TYPE_CHECKING

from workbench.presentation.charts import register_theme
from workbench.presentation.verdicts import STYLES
from workbench.services.calibration import OperatingPoint, ReliabilityBin

if TYPE_CHECKING:
    import altair as alt

HEIGHT = 260
PRECISION, RECALL = STYLES["pending"].colour, STYLES["partially_supported"].colour


def sweep_chart(
    cuts: tuple[OperatingPoint, ...], chosen: float | None, n: int
) -> "alt.LayerChart | alt.FacetChart":
    """Precision and recall with their intervals at each threshold; a rule at the chosen one."""
    import altair as alt

    register_theme()
    rows = [
        {"t": cut.threshold, "what": figure, "v": share.hits / share.n, "low": share.low,
         "high": share.high}
        for cut in cuts
        for figure, share in (("Precision", cut.precision), ("Recall", cut.recall))
        if share
    ]  # fmt: skip
    colour = alt.Color(
        "what:N", scale=alt.Scale(domain=["Precision", "Recall"], range=[PRECISION, RECALL])
    )
    base = alt.Chart(alt.InlineData(values=rows)).encode(x=_across("t", "Threshold"), color=colour)
    band = base.mark_area(opacity=0.18).encode(y=_up("low", "Share"), y2="high:Q")
    line = base.mark_line().encode(
        y=_up("v", "Share"),
        strokeDash=alt.StrokeDash("what:N"),
        tooltip=[
            alt.Tooltip("what:N", title=" "),
            alt.Tooltip("t:Q", title="Threshold", format=".3f"),
            alt.Tooltip("v:Q", title="Share", format=".3f"),
            alt.Tooltip("low:Q", title="From", format=".3f"),
            alt.Tooltip("high:Q", title="To", format=".3f"),
        ],
    )
    layers = [band, line]
    if chosen is not None:
        mark = alt.Chart(alt.InlineData(values=[{"t": chosen, "said": f"chosen {chosen:.3f}"}]))
        layers.append(mark.mark_rule(strokeDash=[2, 3], color="currentColor").encode(x="t:Q"))
        layers.append(
            mark.mark_text(align="right", dx=-5, fontSize=12, color="currentColor").encode(
                x="t:Q", y=alt.value(10), text="said:N"
            )
        )
    return alt.layer(*layers).properties(
        height=HEIGHT,
        title=alt.Title(
            "Precision and recall by threshold", subtitle=f"n = {n:,} items, bands are 95 %"
        ),
    )


def reliability_chart(
    bins: tuple[ReliabilityBin, ...], n: int
) -> "alt.LayerChart | alt.FacetChart":
    """How often people say supported at the judge's scores; the dashed line is perfect."""
    import altair as alt

    register_theme()
    rows = [
        {"score": score_bin.mean_score, "share": score_bin.share.hits / score_bin.share.n, "low": score_bin.share.low,
         "high": score_bin.share.high, "n": score_bin.share.n}
        for score_bin in bins
    ]  # fmt: skip
    base = alt.Chart(alt.InlineData(values=rows)).encode(x=_across("score", "Judge's score"))
    spread = base.mark_rule(strokeWidth=2, color=PRECISION, opacity=0.5).encode(
        y=_up("low", "Labelled supported"), y2="high:Q"
    )
    points = base.mark_point(filled=True, size=60, color=PRECISION, opacity=1).encode(
        y=_up("share", "Labelled supported"),
        tooltip=[
            alt.Tooltip("score:Q", title="Mean score", format=".3f"),
            alt.Tooltip("share:Q", title="Supported", format=".3f"),
            alt.Tooltip("n:Q", title="n"),
        ],
    )
    ends = alt.Chart(alt.InlineData(values=[{"score": 0, "share": 0}, {"score": 1, "share": 1}]))
    perfect = ends.mark_line(strokeDash=[3, 3], color="currentColor", opacity=0.6).encode(
        x="score:Q", y="share:Q"
    )
    return alt.layer(perfect, spread, points).properties(
        height=HEIGHT,
        title=alt.Title("Reliability of the score", subtitle=f"n = {n:,} items in equal bins"),
    )


def _across(field: str, title: str) -> "alt.X":
    import altair as alt

    return alt.X(f"{field}:Q", scale=alt.Scale(domain=[0, 1]), axis=_axis(title))


def _up(field: str, title: str) -> "alt.Y":
    import altair as alt

    return alt.Y(f"{field}:Q", scale=alt.Scale(domain=[0, 1]), axis=_axis(title))


def _axis(title: str) -> "alt.Axis":
    import altair as alt

    return alt.Axis(labels=True, title=title, domain=True, tickCount=5, titleColor="currentColor")
