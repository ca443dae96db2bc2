"""Home: where work stands; every number leads to the items behind it."""

from datetime import UTC, date, datetime

import streamlit as st

from workbench.interfaces.web import session
from workbench.interfaces.web.components.link_table import draw_figures, draw_table
from workbench.interfaces.web.home.tables import (
    cost_by_day,
    errors_table,
    label_days_table,
    labelled_on,
    labels_by_day,
    pluralize,
    queues_table,
    reviewers_table,
    run_days_table,
    runs_on,
    totals,
    verdicts_table,
)
from workbench.interfaces.web.links import Table, items_link
from workbench.interfaces.web.reviewer_identity import draw_identity
from workbench.presentation import charts
from workbench.presentation.run_totals import dollars
from workbench.records import VERDICT_LABELS, DashboardSummary, ItemFilter
from workbench.services.dashboard import dashboard
from workbench.services.queues import list_queues

DAYS = 30


def draw_home() -> None:
    """Draw the page.

    Raises:
        StoreError: The database cannot be used.
    """
    words, who = st.columns([70, 30], vertical_alignment="center")
    words.html('<div class="wb-head"><h1>Where work stands</h1></div>')
    with who, st.container(horizontal=True, horizontal_alignment="right"):
        draw_identity()
    glance = dashboard(session.database(), days=DAYS)
    if not glance.runs:
        st.info("Nothing was checked yet. Paste an answer or open a demo on the Review page.")
        st.page_link("pages/review.py", label="Go to Review")
        return
    draw_figures(totals(glance), "totals")
    _queues(glance)
    today = datetime.now(UTC).date()
    with st.container(key="two-home"):
        left, right = st.columns(2, gap="large")
        with left:
            _verdicts(glance)
            _reviewers(glance, today)
        with right:
            _labels(glance, today)
            _cost(glance, today)
    _errors(glance)


def _queues(glance: DashboardSummary) -> None:
    st.header("Queues", anchor=False)
    lines = list_queues(session.database())
    if lines:
        draw_table(queues_table(lines, glance.queue_seconds), "home-queues")
    else:
        st.caption("There is no open queue. Draw one up from any filter of citations.")
    st.page_link("pages/queues.py", label="All queues")


def _verdicts(glance: DashboardSummary) -> None:
    st.altair_chart(
        charts.verdict_chart(
            {mark: glance.verdicts[mark] for mark in VERDICT_LABELS if mark in glance.verdicts}
        ),
        key="home-verdicts",
        on_select=_to_verdict,
        selection_mode=charts.PICK,
        alt="Number of citations of each verdict; the table below has the numbers",
    )
    _numbers("verdicts", verdicts_table(glance))


def _labels(glance: DashboardSummary, today: date) -> None:
    days = labels_by_day(glance, today, DAYS)
    given = sum(days.values())
    st.altair_chart(
        charts.day_chart(
            days, title="Labels a day", subtitle=f"n = {given:,} labels in {DAYS} days, UTC"
        ),
        key="home-labels",
        on_select=_to_labelled,
        selection_mode=charts.PICK,
        alt="Number of labels given on each of the last days; the table below has the numbers",
    )
    if given:
        _numbers("labels", label_days_table(glance))


def _cost(glance: DashboardSummary, today: date) -> None:
    days = cost_by_day(glance, today, DAYS)
    runs = sum(line.runs for line in glance.run_days)
    if not any(days.values()):
        said = f"{pluralize(runs, 'run')} at no cost" if runs else "no run"
        st.caption(f"Cost: {said} in the last {DAYS} days.")
        return
    st.altair_chart(
        charts.day_chart(
            days,
            title="Cost a day",
            subtitle=f"{dollars(sum(days.values()))} for n = {runs:,} runs in {DAYS} days, UTC",
            number="$.2f",
        ),
        key="home-cost",
        on_select=_to_runs,
        selection_mode=charts.PICK,
        alt="Cost of the runs of each of the last days; the table below has the numbers",
    )
    _numbers("cost", run_days_table(glance))


def _reviewers(glance: DashboardSummary, today: date) -> None:
    st.header("Reviewers", anchor=False)
    if glance.reviewers:
        draw_table(reviewers_table(glance, today), "home-reviewers")
    else:
        st.caption("Nobody has labelled anything yet.")


def _errors(glance: DashboardSummary) -> None:
    st.header("Without a verdict, by host", anchor=False)
    if glance.errors:
        draw_table(errors_table(glance), "home-errors")
    else:
        st.caption("Every citation has a verdict.")


def _numbers(name: str, table: Table) -> None:
    with st.expander("As a table", key=f"home-{name}-numbers", on_change="rerun") as panel:
        if panel.open:
            draw_table(table, f"home-{name}-table")


def _picked(chart: str, field: str) -> str | None:
    rows = st.session_state[chart].selection.get(charts.PICK) or []
    return str(rows[0][field]) if rows and field in rows[0] else None


def _to_verdict() -> None:
    mark = _picked("home-verdicts", "mark")
    if mark:
        session.navigate(items_link(ItemFilter(verdicts=(mark,))))  # type: ignore[arg-type]


def _to_labelled() -> None:
    day = _picked("home-labels", "day")
    if day:
        session.navigate(items_link(labelled_on(date.fromisoformat(day))))


def _to_runs() -> None:
    day = _picked("home-cost", "day")
    if day:
        session.navigate(runs_on(date.fromisoformat(day)))
