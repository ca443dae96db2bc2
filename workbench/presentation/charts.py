"""Charts of runs: one theme registered once, the verdicts' own colours, direct labels; no pages.

Every chart is small and aggregated; text and axes take the page's colours, so that light and dark
both read well.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

from workbench.presentation.verdicts import ERROR_TEXT, MARKS, STYLES, Mark

if TYPE_CHECKING:
    import altair as alt

BAR = 26
"""Height of a bar with its gap, in pixels."""
TITLE = 56
"""Height of title and subtitle, in pixels, which is part of a chart's height."""
PICK = "picked"
"""Name of the selection a chart reports."""


@cache
def register_theme() -> None:
    """Register our theme with altair; does nothing the second time."""
    import altair as alt

    @alt.theme.register("workbench", enable=True)
    def theme() -> alt.theme.ThemeConfig:
        return {
            "config": {
                "view": {"stroke": None},
                "axis": {
                    "grid": False,
                    "domain": False,
                    "ticks": False,
                    "labelPadding": 6,
                    "labelColor": "currentColor",
                },
                "axisX": {"labels": False, "title": None},
                "axisY": {"title": None, "labelFontSize": 13, "labelLimit": 260},
                "title": {
                    "anchor": "start",
                    "fontSize": 15,
                    "subtitleFontSize": 13,
                    "subtitleColor": "currentColor",
                    "offset": 10,
                },
                # drawn as SVG, so that text takes the page's colour in light and dark
                "text": {"color": "currentColor"},
                "legend": {"title": None, "orient": "top"},
                "bar": {"cornerRadiusEnd": 2},
            }
        }


def verdict_chart(counts: Mapping[Mark, int]) -> "alt.LayerChart | alt.FacetChart":
    """Bars of the verdicts in their order and colours; a click on one reports its mark."""
    marks = [mark for mark in MARKS if counts.get(mark)]
    rows: list[dict[str, str | int]] = [
        {"mark": mark, "name": f"{STYLES[mark].glyph}  {STYLES[mark].word}", "n": counts[mark]}
        for mark in marks
    ]
    return _bars(
        rows,
        title="Verdicts",
        subtitle=f"n = {sum(counts.values()):,} citations",
        names=[str(row["name"]) for row in rows],
        colours={
            str(row["name"]): STYLES[mark].colour for row, mark in zip(rows, marks, strict=True)
        },
        field="mark",
    )


def error_chart(errors: Mapping[str, int]) -> "alt.LayerChart | alt.FacetChart":
    """Bars of the reasons why citations have no verdict, most frequent first."""
    words: Mapping[str, str] = {str(kind): word for kind, word in ERROR_TEXT.items()}
    rows: list[dict[str, str | int]] = [
        {"kind": kind, "name": words.get(kind, kind), "n": number}
        for kind, number in sorted(errors.items(), key=lambda item: (-item[1], item[0]))
    ]
    colour = STYLES["unverifiable"].colour
    return _bars(
        rows,
        title="Without a verdict",
        subtitle=f"n = {sum(errors.values()):,} citations, by reason",
        names=[str(row["name"]) for row in rows],
        colours={str(row["name"]): colour for row in rows},
        field="kind",
    )


def compared_chart(first: Mapping[Mark, int], second: Mapping[Mark, int]) -> "alt.Chart":
    """The verdicts of two runs as two stacked bars, in the verdicts' order and colours."""
    import altair as alt

    register_theme()
    rows = [
        {"run": name, "verdict": STYLES[mark].word, "n": counts[mark], "order": MARKS.index(mark)}
        for name, counts in (("A", first), ("B", second))
        for mark in MARKS
        if counts.get(mark)
    ]
    used = [mark for mark in MARKS if first.get(mark) or second.get(mark)]
    chart: alt.Chart = (
        alt.Chart(alt.InlineData(values=rows))
        .mark_bar(height=18)
        .encode(
            y=alt.Y("run:N", sort=["A", "B"]),
            x=alt.X("n:Q", stack="zero"),
            color=alt.Color(
                "verdict:N",
                sort=[STYLES[mark].word for mark in used],
                scale=alt.Scale(
                    domain=[STYLES[mark].word for mark in used],
                    range=[STYLES[mark].colour for mark in used],
                ),
            ),
            order=alt.Order("order:Q"),
            tooltip=[alt.Tooltip("verdict:N", title="Verdict"), alt.Tooltip("n:Q", title="n")],
        )
        .properties(height=2 * BAR + 2 * TITLE, title=alt.Title("Verdicts of both runs"))
    )
    return chart


def _bars(
    rows: Sequence[Mapping[str, str | int]],
    *,
    title: str,
    subtitle: str,
    names: Sequence[str],
    colours: Mapping[str, str],
    field: str,
) -> "alt.LayerChart | alt.FacetChart":
    import altair as alt

    register_theme()
    pick = alt.selection_point(name=PICK, fields=[field])
    base = alt.Chart(alt.InlineData(values=[dict(row) for row in rows])).encode(
        y=alt.Y("name:N", sort=list(names)), x=alt.X("n:Q", scale=alt.Scale(domainMin=0))
    )
    bars = (
        base.mark_bar(height=BAR - 8, cursor="pointer")
        .encode(
            color=alt.Color(
                "name:N",
                legend=None,
                scale=alt.Scale(domain=list(colours), range=list(colours.values())),
            ),
            opacity=alt.condition(pick, alt.value(1), alt.value(0.35)),
            tooltip=[alt.Tooltip("name:N", title=" "), alt.Tooltip("n:Q", title="n")],
        )
        .add_params(pick)
    )
    numbers = base.mark_text(align="left", dx=5, fontSize=13, color="currentColor").encode(
        text=alt.Text("n:Q", format=",d")
    )
    return alt.layer(bars, numbers).properties(
        height=max(len(rows), 1) * BAR + TITLE, title=alt.Title(title, subtitle=subtitle)
    )
