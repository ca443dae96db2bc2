"""Two judges or prompts side by side: which is better, its cost, and where they differ."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

import streamlit as st

from workbench.interfaces.web.components.link_table import render_table
from workbench.interfaces.web.prompts.parts import choose_parts, render_test_part, split_or_way
from workbench.interfaces.web.prompts.text import title_of
from workbench.interfaces.web.query_params import bind_query_param, select_in_url
from workbench.presentation.calibration.text import FIGURE_TEXT, parts_text
from workbench.presentation.drift_text import points
from workbench.presentation.escape import escape_html, escape_markdown, truncate
from workbench.presentation.tables import Cell, Column, Link, Table, Value, figure_cell
from workbench.presentation.verdicts import ERROR_TEXT, MARKS, Mark
from workbench.records.evaluation import JudgeKey
from workbench.records.format import count_of, duration, usd
from workbench.records.reference_sets import Prediction
from workbench.services.calibration import IntervalEstimate
from workbench.services.comparison import (
    LEFT_OUT,
    ChangedExample,
    ComparedJudge,
    JudgeComparison,
    PairedEvaluation,
    pairing,
)
from workbench.services.database import Database
from workbench.services.labelled_judging import list_judges, why_no_prompt
from workbench.services.prompts import has_examples
from workbench.services.repositories import Splits

Outcome = Literal["better", "worse", "not distinguishable", "unknown"]
KIND_TEXT: Mapping[str, str] = {
    "broken": "Only first correct",
    "fixed": "Only second correct",
    "other": "Same correctness",
}
"""Which judge agrees with people on supported or not, where the two differ."""
LONGEST_REASON = 600
ALL = "all"
SHOWN = 25
"""Items listed on the page; the others are only counted."""
_GLYPHS = {"better": "▲", "worse": "▼", "not distinguishable": "≈", "unknown": "?"}


def render_compare(store: Database) -> None:
    """Draw the comparison of two judges; the URL contains both and the part."""
    split = split_or_way(store)
    if split is None:
        return
    judges = {key_of(judge): judge for judge in list_judges(store)}
    if len(judges) < 2:
        st.info(
            "Comparison needs two judges. So far the labelled examples have been judged by "
            f"{escape_markdown(', '.join(judges)) or 'no judge'}."
            + ("" if why_no_prompt() else " Choose Try to run another judge or prompt.")
        )
        return
    first, second = _choose_two(judges)
    purpose = f"comparing {side_text(first)} and {side_text(second)}"
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        parts = choose_parts(split, purpose, "prompts-compare")
        render_test_part(store, split, parts, purpose, "prompts-compare")
    if first == second:
        st.caption("Both selections are the same; choose a different one.")
        return
    opening = next(iter(Splits(store).openings(split.id)), None) if "test" in parts else None
    evaluation = pairing(store, first, second, split.id, parts, opening)
    contest = evaluation.contest
    result = outcome(contest)
    st.html(
        f'<p class="wb-outcome" role="status" dir="auto"><span aria-hidden="true">{_GLYPHS[result]}'
        f"</span> {escape_html(outcome_text(contest))}</p>"
    )
    if not contest.comparison.n:
        if not why_no_prompt():
            st.caption(
                "Choose Try to run both on these examples; stored results are not run again."
            )
        return
    render_table(figures_table(evaluation), "prompts-figures")
    notes = (mcnemar_text(contest), error_counts_text(contest), excluded_text(contest))
    st.caption(escape_markdown(" ".join(filter(None, notes))))
    if "train" in parts and any(has_examples(store, judge.prompt) for judge in (first, second)):
        st.warning(
            "This prompt's few-shot examples come from train, so results on train are inflated. Compare on dev."
        )
    _flips(contest)


def _choose_two(judges: dict[str, JudgeKey]) -> tuple[JudgeKey, JudgeKey]:
    keys = list(judges)
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        words = {key: truncate(side_text(judge), 70) for key, judge in judges.items()}
        first = select_in_url("First", "a", "prompts-a", words, keys[0])
        second = select_in_url("Second", "b", "prompts-b", words, keys[1])
    return judges[first], judges[second]


def _flips(comparison: JudgeComparison) -> None:
    st.html('<h2 class="wb-h2">Differences</h2>')
    if not comparison.flips:
        st.caption("None: both assign the same label to every example.")
        return
    counts = {kind: sum(flip.kind == kind for flip in comparison.flips) for kind in KIND_TEXT}
    names = [ALL, *(kind for kind, items in counts.items() if items)]
    write_url = bind_query_param("show", "prompts-kind", names, ALL)
    words = {ALL: f"All {len(comparison.flips):,}"}
    words |= {kind: f"{KIND_TEXT[kind]} {items:,}" for kind, items in counts.items()}
    kind = st.segmented_control(
        "Show",
        names,
        format_func=lambda option: words[option],
        key="prompts-kind",
        on_change=write_url,
        required=True,
        label_visibility="collapsed",
    )
    changed = [flip for flip in comparison.flips if kind in (ALL, flip.kind)]
    render_table(transposed_table(comparison, changed[:SHOWN]), "prompts-flips")
    if len(changed) > SHOWN:
        st.caption(
            f"{SHOWN} of {len(changed):,} are shown; `workbench compare … --json` lists all of them."
        )


def key_of(judge: JudgeKey) -> str:
    """A judge with its prompt, as in the URL."""
    return judge.name + (f" · {judge.prompt}" if judge.prompt else "")


def side_text(judge: JudgeKey) -> str:
    """A judge with its prompt, as text."""
    title = title_of(judge.prompt)
    return judge.name + (f" with {title}" if title else "")


def outcome(comparison: JudgeComparison) -> Outcome:
    """The second compared with the first, by the interval of the balanced accuracy's difference."""
    figure = comparison.comparison.balanced_accuracy
    if figure.value is None or figure.low is None or figure.high is None:
        return "unknown"
    if figure.low > 0:
        return "better"
    return "worse" if figure.high < 0 else "not distinguishable"


def outcome_text(comparison: JudgeComparison) -> str:
    """Better, worse, not distinguishable on these labels, or too few labels: one sentence."""
    first, second = side_text(comparison.first.judge), side_text(comparison.second.judge)
    compared = comparison.comparison
    basis = (
        f"{count_of(compared.n, 'example')} in {count_of(compared.groups, 'question')} "
        f"({parts_text(comparison.parts)})"
    )
    if not compared.n:
        return f"No labelled example of {parts_text(comparison.parts)} was judged by both."
    result = outcome(comparison)
    if result == "unknown":
        return (
            f"Whether {second} is better than {first} cannot be determined: {basis} have too few "
            "questions, or labels of one kind only."
        )
    figure = compared.balanced_accuracy
    by = f"balanced accuracy {difference_text(figure)} points, on {basis}"
    if result == "not distinguishable":
        return f"{second} and {first} are not distinguishable on these labels: {by}."
    return f"{second} is {result} than {first} on these labels: {by}."


def difference_text(figure: IntervalEstimate) -> str:
    """A difference in points with its interval: `+4.2 (+1.1 to +7.3)`."""
    if figure.value is None:
        return "–"
    difference = points(figure.value)
    if figure.low is None or figure.high is None:
        return f"{difference} (no interval: {figure.no_interval})"
    return f"{difference} ({points(figure.low)} to {points(figure.high)})"


def mcnemar_text(comparison: JudgeComparison) -> str:
    """On how many items only one judge is right, and McNemar's test."""
    compared = comparison.comparison
    return (
        f"Only the first is correct on {count_of(compared.only_first, 'example')}, only the "
        f"second on {count_of(compared.only_second, 'example')}; McNemar's exact test by "
        f"questions: p = {compared.mcnemar_p:.3g}."
    )


def excluded_text(comparison: JudgeComparison) -> str:
    """Items that are not compared, and why; empty if there are none."""
    reasons = [
        f"{count_of(count, 'example')}: {LEFT_OUT[why]}"
        for why, count in comparison.excluded.items()
        if count
    ]
    return f"Left out: {'; '.join(reasons)}." if reasons else ""


def error_counts_text(comparison: JudgeComparison) -> str:
    """Items without a usable verdict, which count against the judge; empty if there are none."""
    sides = (("first", comparison.first), ("second", comparison.second))
    counts = [
        f"{count_of(sum(judge.errors.values()), 'example')} by the {word}"
        for word, judge in sides
        if judge.errors
    ]
    return (
        f"Without a usable verdict, which counts as wrong: {', '.join(counts)}." if counts else ""
    )


def figures_table(evaluation: PairedEvaluation) -> Table:
    """The figures of both side by side, their paired differences, cost and time."""
    contest = evaluation.contest
    compared = contest.comparison
    paired = {
        "accuracy": compared.accuracy,
        "balanced_accuracy": compared.balanced_accuracy,
        "f1": compared.f1,
        "auroc": compared.auroc,
    }
    rows: list[tuple[Value, ...]] = [
        (
            word,
            evaluation.first.figure(name),
            evaluation.second.figure(name),
            _difference(paired[name]) if name in paired else "–",
        )
        for name, word in FIGURE_TEXT.items()
    ]
    rows += [_costs(contest.first, contest.second), _times(contest.first, contest.second)]
    return Table.of(
        "Figures of both judges with 95 % intervals, and the paired differences in points",
        (
            "Figure",
            truncate(side_text(contest.first.judge), 44),
            truncate(side_text(contest.second.judge), 44),
            Column(word="Second − first, points", numeric=True, width="13rem"),
        ),
        rows,
    )


def _difference(figure: IntervalEstimate) -> Cell:
    cell = figure_cell(difference_text(figure), figure)
    sign = ""
    if figure.low is not None and figure.high is not None:
        sign = "▲ " if figure.low > 0 else "▼ " if figure.high < 0 else ""
    return replace(cell, text=sign + cell.text)


def transposed_table(comparison: JudgeComparison, examples: Sequence[ChangedExample]) -> Table:
    """Items with people's label and both verdicts with their reasons."""
    return Table.of(
        accessible_label="Examples on which the two differ; the claim links to the citation",
        prose=True,
        columns=(
            Column(word="Claim", width="24%"),
            Column(word="Right", width="7rem"),
            Column(word="Label", width="9rem"),
            Column(word=truncate(side_text(comparison.first.judge), 34), width="25%"),
            Column(word=truncate(side_text(comparison.second.judge), 34), width="25%"),
        ),
        rows=(
            (
                Cell(
                    text=truncate(example.claim or example.second.item, 160),
                    link=review_link(example.second.item),
                ),
                Cell(text=KIND_TEXT[example.kind], more=example.part),
                Cell(marks=marks_of(example.second.human)),
                _verdict(example.first),
                _verdict(example.second),
            )
            for example in examples
        ),
    )


def _verdict(prediction: Prediction) -> Cell:
    if prediction.error:
        words = {str(kind): word for kind, word in ERROR_TEXT.items()}
        return Cell(text="No usable verdict", more=words.get(prediction.error, prediction.error))
    return Cell(
        marks=marks_of(prediction.label), more=truncate(prediction.rationale, LONGEST_REASON)
    )


def marks_of(label: str) -> tuple[Mark, ...]:
    """The mark of a label; none where it is none."""
    return tuple(mark for mark in MARKS if mark == label)


def review_link(item: str) -> Link:
    """The page of an example, given as `run/citation`."""
    run_id, _, citation_id = item.partition("/")
    return Link(page="review", query={"run": run_id, "c": citation_id})


def _costs(first: ComparedJudge, second: ComparedJudge) -> tuple[Value, ...]:
    texts = tuple(
        "–" if judge.cost_usd is None else usd(judge.cost_usd) for judge in (first, second)
    )
    change = "–"
    if first.cost_usd and second.cost_usd is not None:
        change = f"× {second.cost_usd / first.cost_usd:.2g}"
    return ("Cost per example", *texts, change)


def _times(first: ComparedJudge, second: ComparedJudge) -> tuple[Value, ...]:
    change = "–"
    if first.latency_ms and second.latency_ms is not None:
        change = f"× {second.latency_ms / first.latency_ms:.2g}"
    middle = [
        Cell(
            text=_latency(judge.latency_ms),
            more=f"95 % within {_latency(judge.latency_p95_ms)}" if judge.latency_p95_ms else "",
        )
        for judge in (first, second)
    ]
    return ("Time per example, median", *middle, change)


def _latency(milliseconds: float | None) -> str:
    return "–" if milliseconds is None else duration(milliseconds / 1000)
