"""Home: the state of the work; every number links to its items."""

from datetime import UTC, date, datetime

import streamlit as st

from workbench.interfaces.web import session
from workbench.interfaces.web.components.link_table import render_figures, render_table
from workbench.interfaces.web.examples.banner import render_examples_banner
from workbench.interfaces.web.home import text as texts
from workbench.interfaces.web.home.open_work import render_open_work
from workbench.interfaces.web.home.tables import (
    corrections_table,
    cost_by_day,
    errors_table,
    imported_text,
    label_days_table,
    labelled_on,
    labels_by_day,
    queues_table,
    reviewers_table,
    run_days_table,
    runs_on,
    totals,
    verdict_items,
    verdicts_table,
)
from workbench.interfaces.web.links import Table, items_link
from workbench.interfaces.web.reviewer_identity import render_identity
from workbench.presentation import charts
from workbench.records import VERDICT_LABELS, DashboardSummary, QueueSummary
from workbench.records.format import count_of, usd
from workbench.services.dashboard import dashboard
from workbench.services.proposed_corrections import correction_counts
from workbench.services.queues import list_queues

DAYS = 30


def render_home() -> None:
    """Draw the page.

    Raises:
        StoreError: The database cannot be used.
    """
    words, who = st.columns([70, 30], vertical_alignment="center")
    words.html('<div class="wb-head"><h1>Overview</h1></div>')
    with who, st.container(horizontal=True, horizontal_alignment="right"):
        render_identity()
    render_examples_banner(figures=False)
    summary = dashboard(session.database(), days=DAYS)
    if not summary.runs and not summary.imported_labels:
        st.info("No runs yet. Paste an answer or open a demo on the Review page.")
        st.page_link("pages/review.py", label="Go to Review")
        return
    lines = list_queues(session.database())
    render_open_work(lines)
    render_figures(totals(summary), "totals")
    if summary.imported_labels:
        st.caption(imported_text(summary))
    _queues(summary, lines)
    today = datetime.now(UTC).date()
    with st.container(key="two-home"):
        left, right = st.columns(2, gap="large")
        with left:
            _verdicts(summary)
            _reviewers(summary, today)
        with right:
            _labels(summary, today)
            _cost(summary, today)
    _errors(summary)
    _corrections()


def _corrections() -> None:
    """What reviewers made of the corrections that each judge proposed; nothing without any."""
    counts = correction_counts(session.database())
    if counts:
        st.header(texts.CORRECTIONS, anchor=False, help=texts.CORRECTIONS_HELP)
        render_table(corrections_table(counts), "home-corrections")


def _queues(summary: DashboardSummary, lines: list[QueueSummary]) -> None:
    st.header("Queues", anchor=False)
    if lines:
        render_table(queues_table(lines, summary.queue_seconds), "home-queues")
    else:
        st.caption("No open queues. Create one from any list of citations.")
    st.page_link("pages/queues.py", label="All queues")


def _verdicts(summary: DashboardSummary) -> None:
    st.altair_chart(
        charts.verdict_chart(
            {mark: summary.verdicts[mark] for mark in VERDICT_LABELS if mark in summary.verdicts}
        ),
        key="home-verdicts",
        on_select=lambda: _to_verdict(summary),
        selection_mode=charts.PICK,
        alt="Number of citations by verdict; the table below lists the numbers",
    )
    _numbers("verdicts", verdicts_table(summary))


def _labels(summary: DashboardSummary, today: date) -> None:
    days = labels_by_day(summary, today, DAYS)
    total = sum(days.values())
    st.altair_chart(
        charts.day_chart(
            days, title="Labels per day", subtitle=f"n = {total:,} labels in {DAYS} days, UTC"
        ),
        key="home-labels",
        on_select=_to_labelled,
        selection_mode=charts.PICK,
        alt="Number of labels by day; the table below lists the numbers",
    )
    if total:
        _numbers("labels", label_days_table(summary))


def _cost(summary: DashboardSummary, today: date) -> None:
    days = cost_by_day(summary, today, DAYS)
    runs = sum(line.runs for line in summary.run_days)
    if not any(days.values()):
        words = f"{count_of(runs, 'run')} at no cost" if runs else "no run"
        st.caption(f"Cost: {words} in the last {DAYS} days.")
        return
    st.altair_chart(
        charts.day_chart(
            days,
            title="Cost per day",
            subtitle=f"{usd(sum(days.values()))} for n = {runs:,} runs in {DAYS} days, UTC",
            number="$.2f",
        ),
        key="home-cost",
        on_select=_to_runs,
        selection_mode=charts.PICK,
        alt="Cost of runs by day; the table below lists the numbers",
    )
    _numbers("cost", run_days_table(summary))


def _reviewers(summary: DashboardSummary, today: date) -> None:
    st.header("Reviewers", anchor=False)
    if summary.reviewers:
        render_table(reviewers_table(summary, today), "home-reviewers")
    else:
        st.caption("No labels yet.")


def _errors(summary: DashboardSummary) -> None:
    st.header("Unresolved citations by host", anchor=False)
    if summary.errors:
        render_table(errors_table(summary), "home-errors")
    else:
        st.caption("Every citation has a verdict.")


def _numbers(name: str, table: Table) -> None:
    with st.expander("Show as a table", key=f"home-{name}-numbers", on_change="rerun") as panel:
        if panel.open:
            render_table(table, f"home-{name}-table")


def _clicked_value(chart: str, field: str) -> str | None:
    rows = st.session_state[chart].selection.get(charts.PICK) or []
    return str(rows[0][field]) if rows and field in rows[0] else None


def _to_verdict(summary: DashboardSummary) -> None:
    mark = _clicked_value("home-verdicts", "mark")
    if mark:
        session.navigate(items_link(verdict_items(summary, mark)))


def _to_labelled() -> None:
    day = _clicked_value("home-labels", "day")
    if day:
        session.navigate(items_link(labelled_on(date.fromisoformat(day))))


def _to_runs() -> None:
    day = _clicked_value("home-cost", "day")
    if day:
        session.navigate(runs_on(date.fromisoformat(day)))
