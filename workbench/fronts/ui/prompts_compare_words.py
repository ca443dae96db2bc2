"""Two judges compared in words and tables: which is better, beyond its interval or not; pure."""

from collections.abc import Mapping
from math import floor, log10
from typing import Literal

from workbench.calibration import Figure, FlipKind
from workbench.fronts.calibrating_words import FIGURE_WORDS, number, parts_words
from workbench.fronts.drifting_words import points
from workbench.fronts.prompting_compare import Pairing, Side
from workbench.fronts.ui.escape import cut
from workbench.fronts.ui.links import Cell, Column, Table
from workbench.fronts.ui.prompts_words import title_of
from workbench.store import JudgeName

Outcome = Literal["better", "worse", "not distinguishable", "unknown"]
KIND_WORDS: Mapping[FlipKind, str] = {
    "broken": "First right",
    "fixed": "Second right",
    "still_wrong": "Both wrong",
    "still_right": "Both right",
}
"""What became of an item whose label differs: who agrees with people on supported or not."""


def key_of(judge: JudgeName) -> str:
    """A judge with its prompt as the address keeps it."""
    return judge.name + (f" · {judge.prompt}" if judge.prompt else "")


def side_words(judge: JudgeName) -> str:
    """A judge with its prompt as people read it."""
    title = title_of(judge.prompt)
    return judge.name + (f" with {title}" if title else "")


def outcome(found: Pairing) -> Outcome:
    """How the second stands to the first, by the interval of the balanced accuracy's difference."""
    figure = found.flips.comparison.balanced_accuracy
    if figure.value is None or figure.low is None or figure.high is None:
        return "unknown"
    if figure.low > 0:
        return "better"
    return "worse" if figure.high < 0 else "not distinguishable"


def outcome_words(found: Pairing) -> str:
    """Better, worse, not distinguishable on these labels, or too few to say: one sentence."""
    first, second = side_words(found.first.judge), side_words(found.second.judge)
    compared = found.flips.comparison
    basis = (
        f"{_items(compared.n)} in {_number(compared.groups, 'question')} "
        f"({parts_words(found.parts)})"
    )
    if not compared.n:
        return f"No labelled item of {parts_words(found.parts)} was judged by both."
    how = outcome(found)
    if how == "unknown":
        return (
            f"Whether {second} is better than {first} cannot be said: {basis} have too few "
            "questions, or labels of one kind only."
        )
    figure = compared.balanced_accuracy
    by = f"balanced accuracy {difference_words(figure)} points, on {basis}"
    if how == "not distinguishable":
        return f"{second} and {first} are not distinguishable on these labels: {by}."
    return f"{second} is {how} than {first} on these labels: {by}."


def difference_words(figure: Figure) -> str:
    """A difference in points with its interval: `+4.2 (+1.1 to +7.3)`."""
    if figure.value is None:
        return "–"
    said = points(figure.value)
    if figure.low is None or figure.high is None:
        return said
    return f"{said} ({points(figure.low)} to {points(figure.high)})"


def mcnemar_words(found: Pairing) -> str:
    """Who alone is right on how many items, and the test of it."""
    compared = found.flips.comparison
    return (
        f"First alone is right on {_items(compared.only_first)}, second alone on "
        f"{_items(compared.only_second)}; McNemar's exact p = {compared.mcnemar_p:.3g}, which "
        "takes items as independent; the intervals go by questions."
    )


def left_out_words(found: Pairing) -> str:
    """Items that only one of them judged; empty where there are none."""
    alone = [(found.first, "first"), (found.second, "second")]
    said = [f"{_items(one.alone)} judged by the {word} alone" for one, word in alone if one.alone]
    return f"Left out: {', '.join(said)}, or without a clear label of people." if said else ""


def figures_table(found: Pairing) -> Table:
    """The figures of both side by side, their paired differences, cost and time."""
    compared = found.flips.comparison
    paired = {
        "accuracy": compared.accuracy,
        "balanced_accuracy": compared.balanced_accuracy,
        "f1": compared.f1,
        "auroc": compared.auroc,
    }
    rows: list[tuple[Cell, ...]] = [
        (
            Cell(text=word),
            _figure(found.first.table.figure(name)),
            _figure(found.second.table.figure(name)),
            _difference(paired[name]) if name in paired else Cell(text="–"),
        )
        for name, word in FIGURE_WORDS.items()
    ]
    rows += [_costs(found.first, found.second), _times(found.first, found.second)]
    return Table(
        said="Figures of both judges with 95 % intervals, and the paired differences in points",
        columns=(
            Column(word="Figure"),
            Column(word=cut(side_words(found.first.judge), 44), numeric=True),
            Column(word=cut(side_words(found.second.judge), 44), numeric=True),
            Column(word="Second − first, points", numeric=True, width="13rem"),
        ),
        rows=tuple(rows),
    )


def _figure(figure: Figure) -> Cell:
    value, _, interval = number(figure).partition(" ")
    return Cell(text=value, more=interval.strip("()"))


def _difference(figure: Figure) -> Cell:
    value, _, interval = difference_words(figure).partition(" ")
    sign = ""
    if figure.low is not None and figure.high is not None:
        sign = "▲ " if figure.low > 0 else "▼ " if figure.high < 0 else ""
    return Cell(text=sign + value, more=interval.strip("()"))


def _costs(first: Side, second: Side) -> tuple[Cell, ...]:
    texts = (_dollars(first.cost_usd), _dollars(second.cost_usd))
    change = "–"
    if first.cost_usd and second.cost_usd is not None:
        change = f"× {second.cost_usd / first.cost_usd:.2g}"
    return _row("Cost per item", *texts, change)


def _times(first: Side, second: Side) -> tuple[Cell, ...]:
    texts = (_span(first.latency_ms), _span(second.latency_ms))
    change = "–"
    if first.latency_ms and second.latency_ms is not None:
        change = f"× {second.latency_ms / first.latency_ms:.2g}"
    return _row("Time per item, median", *texts, change)


def _row(*texts: str) -> tuple[Cell, ...]:
    return tuple(Cell(text=text) for text in texts)


def _dollars(amount: float | None) -> str:
    """Two digits that count, however small the amount."""
    if amount is None:
        return "–"
    if not amount:
        return "$0"
    return f"${amount:.{max(2, 1 - floor(log10(amount)))}f}"


def _span(milliseconds: float | None) -> str:
    if milliseconds is None:
        return "–"
    if milliseconds >= 1000:
        return f"{milliseconds / 1000:.1f} s"
    return f"{milliseconds:.0f} ms" if milliseconds >= 1 else "under 1 ms"


def _items(count: int) -> str:
    return _number(count, "item")


def _number(count: int, word: str) -> str:
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"
