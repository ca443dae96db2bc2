"""Charts of runs as Vega-Lite, with one set of rules, the verdicts' own colours, and direct labels.

Every chart is small and aggregated; text and axes take the page's colours, so that light and dark
both read well.
"""

from collections.abc import Mapping, Sequence

from workbench.presentation.verdicts import ERROR_TEXT, MARKS, STYLES, Mark
from workbench.records.text import Json, JsonDict

BAR = 26
"""Height of a bar with its gap, in pixels."""
TITLE = 56
"""Height of title and subtitle, in pixels, which is part of a chart's height."""
PICK = "picked"
"""Name of the selection a chart reports."""
TEXT_COLOUR = "currentColor"
"""Charts are drawn as SVG, so that text takes the page's colour in light and dark."""
CONFIG: JsonDict = {
    "view": {"stroke": None},
    "axis": {
        "grid": False,
        "domain": False,
        "ticks": False,
        "labelPadding": 6,
        "labelColor": TEXT_COLOUR,
    },
    "axisX": {"labels": False, "title": None},
    "axisY": {"title": None, "labelFontSize": 13, "labelLimit": 260},
    "title": {
        "anchor": "start",
        "fontSize": 15,
        "subtitleFontSize": 13,
        "subtitleColor": TEXT_COLOUR,
        "offset": 10,
    },
    "text": {"color": TEXT_COLOUR},
    "legend": {"title": None, "orient": "top"},
    "bar": {"cornerRadiusEnd": 2},
}


def chart_of(
    rows: Sequence[Mapping[str, Json]],
    *,
    title: str,
    subtitle: str = "",
    height: int,
    **parts: Json,
) -> JsonDict:
    """A chart of rows; `parts` are marks and encodings, as Vega-Lite names them."""
    words: JsonDict = {"text": title, **({"subtitle": subtitle} if subtitle else {})}
    values: list[Json] = [dict(row) for row in rows]
    frame: JsonDict = {"config": CONFIG, "data": {"values": values}, "height": height}
    return {**frame, "title": words, **parts}


def field(name: str, kind: str = "nominal", **more: Json) -> JsonDict:
    """A field of the rows in an encoding, by its kind of values."""
    return {"field": name, "type": kind, **more}


def number(name: str, **more: Json) -> JsonDict:
    """A field of the rows that is a number."""
    return field(name, "quantitative", **more)


def verdict_chart(counts: Mapping[Mark, int]) -> JsonDict:
    """Bars of the verdicts in their order and colours; a click on one reports its mark."""
    marks = [mark for mark in MARKS if counts.get(mark)]
    return _bars(
        [
            {"mark": mark, "name": f"{STYLES[mark].glyph}  {STYLES[mark].word}", "n": counts[mark]}
            for mark in marks
        ],
        title="Verdicts",
        subtitle=f"n = {sum(counts.values()):,} citations",
        colours=[STYLES[mark].colour for mark in marks],
        picks="mark",
    )


def error_chart(errors: Mapping[str, int]) -> JsonDict:
    """Bars of the reasons why citations have no verdict, most frequent first."""
    words: Mapping[str, str] = {str(kind): word for kind, word in ERROR_TEXT.items()}
    return _bars(
        [
            {"kind": kind, "name": words.get(kind, kind), "n": count}
            for kind, count in sorted(errors.items(), key=lambda item: (-item[1], item[0]))
        ],
        title="Without a verdict",
        subtitle=f"n = {sum(errors.values()):,} citations, by reason",
        colours=[STYLES["unverifiable"].colour] * len(errors),
        picks="kind",
    )


def compared_chart(first: Mapping[Mark, int], second: Mapping[Mark, int]) -> JsonDict:
    """The verdicts of two runs as two stacked bars, in the verdicts' order and colours."""
    used = [mark for mark in MARKS if first.get(mark) or second.get(mark)]
    words: list[Json] = [STYLES[mark].word for mark in used]
    scale: JsonDict = {"domain": words, "range": [STYLES[mark].colour for mark in used]}
    return chart_of(
        [
            {"run": name, "verdict": STYLES[mark].word, "n": counts[mark], "order": place}
            for name, counts in (("A", first), ("B", second))
            for place, mark in enumerate(MARKS)
            if counts.get(mark)
        ],
        title="Verdicts of both runs",
        height=2 * BAR + 2 * TITLE,
        mark={"type": "bar", "height": 18},
        encoding={
            "y": field("run", sort=["A", "B"]),
            "x": number("n", stack="zero"),
            "color": field("verdict", sort=words, scale=scale),
            "order": number("order"),
            "tooltip": [field("verdict", title="Verdict"), number("n", title="n")],
        },
    )


def _bars(
    rows: Sequence[JsonDict], *, title: str, subtitle: str, colours: Sequence[str], picks: str
) -> JsonDict:
    names: list[Json] = [row["name"] for row in rows]
    scale: JsonDict = {"domain": names, "range": list(colours)}
    bars: JsonDict = {
        "name": "bars",
        "mark": {"type": "bar", "height": BAR - 8, "cursor": "pointer"},
        "encoding": {
            "color": field("name", legend=None, scale=scale),
            "opacity": {"condition": {"param": PICK, "value": 1}, "value": 0.35},
            "tooltip": [field("name", title=" "), number("n", title="n")],
        },
    }
    numbers: JsonDict = {
        "mark": {"type": "text", "align": "left", "dx": 5, "fontSize": 13, "color": TEXT_COLOUR},
        "encoding": {"text": number("n", format=",d")},
    }
    pick: JsonDict = {
        "name": PICK,
        "select": {"type": "point", "fields": [picks]},
        "views": ["bars"],
    }
    return chart_of(
        rows,
        title=title,
        subtitle=subtitle,
        height=max(len(rows), 1) * BAR + TITLE,
        encoding={"y": field("name", sort=names), "x": number("n", scale={"domainMin": 0})},
        layer=[bars, numbers],
        params=[pick],
    )
