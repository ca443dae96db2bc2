"""The list of runs: find, sort, open, download, compare two; below it the imported data sets."""

from collections.abc import Callable, Sequence

import streamlit as st

from workbench.errors import StoreError
from workbench.interfaces.web import session
from workbench.interfaces.web.components import asset, citations
from workbench.interfaces.web.components.link_table import render_table
from workbench.interfaces.web.downloads import render_downloads
from workbench.interfaces.web.links import HIGHEST_COST, items_link
from workbench.interfaces.web.run_cache import load_review, open_source
from workbench.interfaces.web.run_title import render_rename
from workbench.interfaces.web.runs.comparison import CitationPair, RunComparison, compare
from workbench.presentation import charts
from workbench.presentation.citation_card import card_data
from workbench.presentation.escape import (
    escape_html,
    escape_markdown,
    marker_text,
    run_label,
    truncate,
)
from workbench.presentation.run_totals import figures
from workbench.presentation.run_view import ReviewState, headline
from workbench.presentation.tables import Cell, Column, Link, Table
from workbench.presentation.verdicts import STYLES
from workbench.records.format import format_timestamp
from workbench.records.queue import ItemFilter
from workbench.records.run_listing import RunSummary
from workbench.services import jobs
from workbench.services.runs import list_runs

_ENTER = st.components.v2.component(
    "workbench_grid_enter", html='<span class="enter" hidden></span>', js=asset("grid_enter.js")
)
_REVIEW = "pages/review.py"
_MOST = 5_000
_SORTS: dict[str, tuple[str, Callable[[RunSummary], tuple[float | str, ...]], bool]] = {
    "newest": ("Newest", lambda run: (run.created_at.timestamp(),), True),
    "oldest": ("Oldest", lambda run: (run.created_at.timestamp(),), False),
    "name": ("Name", lambda run: (run.name.casefold(), -run.created_at.timestamp()), False),
    "score": ("Lowest score", lambda run: (_score(run), -run.created_at.timestamp()), False),
    "errors": ("Most errors", lambda run: (run.errors,), True),
    "references": ("Most reference problems", lambda run: (run.reference_problems,), True),
    "cost": (HIGHEST_COST, lambda run: (run.cost_usd,), True),
}


def render_runs() -> None:
    """Draw the list of runs, the chosen ones, and the imported data sets."""
    st.html('<div class="wb-head"><h1>Runs</h1></div>')
    runs = list_runs(session.database(), _MOST)
    made_here = [run for run in runs if not run.data_set]
    if made_here:
        _runs(made_here)
    else:
        st.info("No runs yet. Paste an answer or open a demo on the Review page.")
        st.page_link(_REVIEW, label="Go to Review")
    data_sets = data_sets_table(runs)
    if data_sets.rows:
        st.header("Imported data sets", anchor=False)
        st.caption("A name lists its examples. They are not counted among the runs.")
        render_table(data_sets, "data-sets")


def _runs(runs: Sequence[RunSummary]) -> None:
    listed = _search_and_sort(runs)
    chosen = _table(listed)
    if not chosen:
        st.caption(
            "A name opens its run. Select one run to download or rename it, or two to compare."
        )
    elif len(chosen) == 1:
        _draw_run(chosen[0])
    else:
        _draw_comparison(chosen[0], chosen[1])


def _search_and_sort(runs: Sequence[RunSummary]) -> list[RunSummary]:
    left, right = st.columns([60, 40], vertical_alignment="bottom")
    with left:
        search_text = st.text_input(
            "Find",
            key="find",
            bind="query-params",
            placeholder="Name, judge, day or ID",
            label_visibility="collapsed",
        )
    with right:
        order = st.selectbox(
            "Sort",
            list(_SORTS),
            format_func=lambda name: _SORTS[name][0],
            key="sort",
            bind="query-params",
            label_visibility="collapsed",
        )
    words = (search_text or "").casefold().split()
    matches = [run for run in runs if all(word in _searched(run) for word in words)]
    _, key, reverse = _SORTS[str(order)]
    return sorted(matches, key=key, reverse=reverse)


def _searched(run: RunSummary) -> str:
    return (
        f"{run.name} {' '.join(run.judge)} {run.id} {format_timestamp(run.created_at)}".casefold()
    )


def _table(runs: Sequence[RunSummary]) -> list[RunSummary]:
    """The chosen runs, in the order of choosing."""
    import pandas as pd

    ids = [run.id for run in runs]
    requested = [st.query_params.get("a"), st.query_params.get("b")]
    rows = [ids.index(name) for name in requested if name in ids]
    frame = pd.DataFrame(
        {
            "Output": [_button_label(run_label(run.name)) for run in runs],
            "Date": [format_timestamp(run.created_at) for run in runs],
            "Judge": [truncate(" + ".join(run.judge), 60) for run in runs],
            "Citations": [run.found for run in runs],
            "Resolved": [run.resolved for run in runs],
            "Judge: supported": [run.supported for run in runs],
            "Judge: score": [
                run.supported / run.resolved if run.resolved else None for run in runs
            ],
            "No verdict": [run.errors for run in runs],
            "References": [run.references or None for run in runs],
            "Ref. problems": [run.reference_problems if run.references else None for run in runs],
            "Reviewed": [run.labelled for run in runs],
            "Cost": [run.cost_usd for run in runs],
            "State": [_state(run) for run in runs],
        }
    )

    def choose() -> None:
        picked = [ids[row] for row in st.session_state["runs"].selection.rows if row < len(ids)]
        still_picked = [name for name in requested if name in picked]
        chosen = [*still_picked, *(name for name in picked if name not in still_picked)][-2:]
        for key, name in zip(("a", "b"), [*chosen, None, None], strict=False):
            if name:
                st.query_params[key] = name
            elif key in st.query_params:
                del st.query_params[key]

    def open_run() -> None:
        row = st.session_state["open-run"].row
        if row < len(ids):
            session.navigate(Link(page="review", query={"run": ids[row]}))

    if not runs:
        st.info("No run matches by name, judge, day or ID.")
        return []
    # the URL decides what is chosen: rows move when the list is sorted, searched or grows
    st.session_state["runs"] = {"selection": {"rows": rows, "columns": [], "cells": []}}
    number = st.column_config.NumberColumn
    st.dataframe(
        frame,
        key="runs",
        hide_index=True,
        height=min(38 + 35 * len(runs), 460),
        on_select=choose,
        selection_mode="multi-row",
        column_config={
            "Output": st.column_config.ButtonColumn(
                width=350,
                pinned=True,
                alignment="left",
                type="tertiary",
                help="Opens the run.",
                on_click=open_run,
                key="open-run",
            ),
            "Judge: score": number(format="%.2f"),
            "Cost": number(format="$%.4f"),
        },
        alt="Runs, newest first unless sorted otherwise",
    )
    # Enter presses the button of the focused cell; the column of boxes for choosing counts as 0
    _ENTER(data={"place": "runs", "column": 1}, key="runs-enter")
    by_id = {run.id: run for run in runs}
    return [by_id[name] for name in requested if name in by_id]


def data_sets_table(runs: Sequence[RunSummary]) -> Table:
    """The imported data sets whose examples are kept in some of these runs, newest first."""
    kept_in: dict[str, list[RunSummary]] = {}
    for run in runs:
        if run.data_set:
            kept_in.setdefault(run.data_set, []).append(run)
    return Table.of(
        accessible_label="Imported data sets",
        columns=(
            "Data set",
            Column(word="Imported, UTC", width="11rem", spare=True),
            "Examples",
            "Labelled",
            "Without a verdict",
        ),
        rows=(
            (
                Cell(
                    text=truncate(name, 120),
                    link=items_link(ItemFilter(runs=tuple(part.id for part in parts))),
                ),
                format_timestamp(parts[0].created_at),
                f"{sum(part.found for part in parts):,}",
                f"{sum(part.labelled for part in parts):,}",
                f"{sum(part.found - part.resolved for part in parts):,}",
            )
            for name, parts in kept_in.items()
        ),
    )


def _button_label(name: str) -> str:
    """A run's name as a button has it: as text, where `:material/` would draw an icon."""
    return truncate(name, 120).replace(":material/", ":\u200bmaterial/")


def _draw_run(run: RunSummary) -> None:
    st.divider()
    words, acts = st.columns([64, 36], gap="large")
    review = _load(run)
    if review is None:
        return
    with words:
        st.html(
            f'<div class="wb-head"><h2 dir="auto">{escape_html(headline(review))}</h2></div>'
            f"{figures(review)}"
        )
        st.page_link(
            _REVIEW,
            label="Open in Review",
            icon=":material/rate_review:",
            query_params={"run": run.id},
        )
        st.vega_lite_chart(
            spec=charts.verdict_chart(review.counts()),
            key="run-chart",
            alt="Citations of each verdict",
        )
    with acts:
        if jobs.find(run.id) is None:
            render_rename(run.id, "runs")
        render_downloads(run.id, headline(review), "runs")
        st.page_link("pages/keep.py", label="Delete the output", query_params={"erase": run.id})


def _draw_comparison(first: RunSummary, second: RunSummary) -> None:
    first_review, second_review = _load(first), _load(second)
    if first_review is None or second_review is None:
        return
    comparison = compare(first_review, second_review)
    st.divider()
    st.header("Comparison", anchor=False)
    left, right = st.columns(2, gap="large")
    for letter, place, run, review in (
        ("A", left, first, first_review),
        ("B", right, second, second_review),
    ):
        with place:
            st.html(
                f'<p class="wb-side"><b>{letter}</b> <span dir="auto">'
                f"{escape_html(headline(review))}</span>"
                f'<br><span class="wb-quiet">{escape_html(" + ".join(run.judge))}, '
                f"{format_timestamp(run.created_at)}</span></p>{figures(review)}"
            )
            st.page_link(_REVIEW, label=f"Open {letter} in Review", query_params={"run": run.id})
    st.vega_lite_chart(
        spec=charts.compared_chart(first_review.counts(), second_review.counts()),
        key="compared",
        alt="Verdicts of both runs as stacked bars",
    )
    st.text(_comparison_text(comparison))
    if comparison.changed:
        _changed(comparison.changed, first_review, second_review)


def _changed(
    pairs: Sequence[CitationPair], first_review: ReviewState, second_review: ReviewState
) -> None:
    import pandas as pd

    frame = pd.DataFrame(
        {
            "Citation": [marker_text(pair.citation.raw, 60) for pair in pairs],
            "Claim": [
                truncate(pair.citation.claim.text, 300) if pair.citation.claim else ""
                for pair in pairs
            ],
            "A": [f"{STYLES[pair.before].glyph} {STYLES[pair.before].word}" for pair in pairs],
            "B": [f"{STYLES[pair.after].glyph} {STYLES[pair.after].word}" for pair in pairs],
        }
    )
    event = st.dataframe(
        frame,
        key="changed",
        hide_index=True,
        height=min(38 + 35 * len(pairs), 360),
        on_select="rerun",
        selection_mode="single-row-required",
        column_config={"Claim": st.column_config.TextColumn(width="large")},
        alt="Citations whose verdict differs between the two runs",
    )
    rows = event["selection"]["rows"]
    pair = pairs[rows[0] if rows and rows[0] < len(pairs) else 0]
    left, right = st.columns(2, gap="large")
    for letter, place, review, name in (
        ("A", left, first_review, pair.first),
        ("B", right, second_review, pair.second),
    ):
        with place:
            source = open_source(session.database(), review, name)
            citations.card(card_data(review, name, source), f"card-{letter}")
            st.page_link(
                _REVIEW, label=f"Review in {letter}", query_params={"run": review.run.id, "c": name}
            )


def _load(run: RunSummary) -> ReviewState | None:
    try:
        return load_review(session.database(), run.id)
    except StoreError as error:
        st.error(escape_markdown(str(error)))
        return None


def _comparison_text(comparison: RunComparison) -> str:
    if not comparison.pairs:
        return "The runs have no citation in common."
    sentence = (
        f"{len(comparison.changed):,} of {len(comparison.pairs):,} citations in both have a different "
        f"verdict."
    )
    unmatched = [
        f"{number} only in {letter}"
        for letter, number in (("A", comparison.only_first), ("B", comparison.only_second))
        if number
    ]
    if unmatched:
        sentence += f" {', '.join(unmatched)}."
    if not comparison.same_text:
        sentence += " The texts differ; citations are matched by claim and target."
    return sentence


def _state(run: RunSummary) -> str:
    if jobs.find(run.id):
        return f"Running, {run.done} of {run.found}"
    if run.ended_at is None:
        return f"Interrupted, {run.done} of {run.found}"
    return "Done" if run.finished else "Stopped"


def _score(run: RunSummary) -> float:
    return run.supported / run.resolved if run.resolved else 2.0
