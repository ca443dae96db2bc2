"""The support rate on the Calibrate page: its runs, and queues that would narrow its interval."""

from datetime import date, timedelta

import streamlit as st

from workbench.errors import UsageError
from workbench.interfaces.web import session
from workbench.interfaces.web.components.link_table import render_table
from workbench.presentation.calibration.sections import rates_table
from workbench.presentation.escape import escape_markdown, run_label
from workbench.records.format import format_timestamp
from workbench.services.calibration import RANDOM_NEEDED, CalibrationReport, RunSelection
from workbench.services.calibration.prevalence import (
    queue_of_random_sample,
    queue_of_suggestions,
    suggestions,
)
from workbench.services.calibration.report_data import CachedCalibration
from workbench.services.database import Database

RUNS, SINCE, UNTIL = "calibrate-runs", "calibrate-since", "calibrate-until"
"""Widgets: the runs of the rate, or the days of their checks."""


def chosen_runs() -> RunSelection:
    """The runs of the rate, as chosen on the page; days are in UTC."""
    since, until = st.session_state.get(SINCE), st.session_state.get(UNTIL)
    return run_set(
        [str(run) for run in st.session_state.get(RUNS) or []],
        since if isinstance(since, date) else None,
        until if isinstance(until, date) else None,
    )


def run_set(runs: list[str], since: date | None, until: date | None) -> RunSelection:
    """Some runs, or those of some days, including the last; all if nothing is chosen."""
    if runs:
        return RunSelection(runs=tuple(runs))
    return RunSelection(
        since=f"{since.isoformat()}T00:00:00+00:00" if since else "",
        until=f"{(until + timedelta(days=1)).isoformat()}T00:00:00+00:00" if until else "",
    )


def render_rates(database: Database, cached: CachedCalibration, view: CalibrationReport) -> None:
    """Draw the support rate of the judge's runs, and the queues that would narrow its interval."""
    st.subheader("Support rate of the runs of this judge")
    _choose(cached, view)
    calibration, rates = view.calibration, view.rates
    if rates is None or not rates.items:
        st.caption("These runs contain no verdicts by this judge.")
        return
    st.caption(
        escape_markdown(
            f"Of {rates.of.description}: {rates.items:,} citations, {rates.sample:,} labels."
        )
    )
    render_table(rates_table(rates), "calibrate-rates")
    st.caption(RANDOM_NEEDED)
    number = st.number_input("Citations", 1, 10_000, 100, key="calibrate-many")
    by, of = session.reviewer(), rates.of
    with st.container(horizontal=True):
        random = st.button("Queue a random sample", key="calibrate-random")
        suggested = st.button("Queue suggested examples", key="calibrate-next")
    # below the buttons, so that they do not move
    if random:
        queue = queue_of_random_sample(
            database, calibration.judge, calibration.split.id, of, many=int(number), by=by
        )
        st.success(escape_markdown(f"The queue {queue.name!r} was created."))
    if suggested:
        suggested_items = suggestions(
            database,
            calibration.judge,
            calibration.split.id,
            of,
            many=int(number),
            threshold=calibration.threshold or 0.5,
        )
        try:
            queue = queue_of_suggestions(database, suggested_items, by=by)
        except UsageError as error:
            st.warning(escape_markdown(str(error)))
            return
        st.success(
            escape_markdown(
                f"The queue {queue.name!r} was created: {len(suggested_items):,} items."
            )
        )


def _choose(cached: CachedCalibration, view: CalibrationReport) -> None:
    """Choose runs or days; chosen runs disable the days."""
    options = {
        run.id: f"{run_label(run.name, 60)} · {format_timestamp(run.created_at)}"
        for run in cached.runs(view.calibration.judge)
    }
    chosen = [run for run in st.session_state.get(RUNS) or [] if run in options]
    if chosen != (st.session_state.get(RUNS) or []):
        st.session_state[RUNS] = chosen
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        selected = st.multiselect(
            "Runs", list(options), format_func=lambda run: options[run], key=RUNS,
            placeholder="All runs",
        )  # fmt: skip
        for words, key in (("Checked from", SINCE), ("Checked until", UNTIL)):
            st.date_input(
                words, value=None, key=key, format="YYYY-MM-DD", disabled=bool(selected), width=180
            )
