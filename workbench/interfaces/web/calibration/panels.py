"""The parts of the Calibrate page below its figures: threshold, rates, slices, the split."""

import streamlit as st

from workbench.calibration.results import Calibration, CalibrationReport
from workbench.interfaces.web import session
from workbench.interfaces.web.calibration.charts import sweep_chart
from workbench.interfaces.web.calibration.tables import (
    cuts_table,
    near_filter,
    openings_table,
    parts_table,
    reliability_table,
    slices_table,
)
from workbench.interfaces.web.components.link_table import draw_table
from workbench.interfaces.web.links import items_link
from workbench.presentation.calibration.markdown import band_words
from workbench.presentation.calibration.text import forecast_words, guarantee_words
from workbench.presentation.escape import escape_markdown
from workbench.services.calibration.report_data import slices_of
from workbench.services.calibration.thresholds import list_thresholds, refusal, save_threshold
from workbench.services.database import Database
from workbench.services.splits import unlock_test_part

OPENED = "calibrate-opened"
"""Session: the split and judge whose test part was opened."""


def draw_threshold(database: Database, done: Calibration) -> None:
    """Draw the sweep, the guarantee, the abstain band and what was saved."""
    st.subheader("Threshold")
    if not done.cuts:
        st.caption(guarantee_words(done.guarantee))
        return
    left, right = st.columns([58, 42], gap="large")
    with left:
        st.altair_chart(
            sweep_chart(done.cuts, done.threshold, done.guarantee.n),
            key="calibrate-sweep",
            alt="Precision and recall at each threshold with intervals; the table has the numbers",
        )
    with right:
        with st.container(key="calibrate-guarantee"):
            _guarantee(done)
        _save(database, done)
    draw_table(cuts_table(done), "calibrate-cuts")


def _guarantee(done: Calibration) -> None:
    st.markdown(escape_markdown(guarantee_words(done.guarantee)))
    accept, reject = done.band
    st.markdown(
        f"**Abstain band.** {escape_markdown(band_words(CalibrationReport(calibration=done)))}"
    )
    for one in (accept, reject):
        if one.holds:
            st.caption(escape_markdown(one.sentence))
    st.caption(escape_markdown(forecast_words(done)))


def _save(database: Database, done: Calibration) -> None:
    problems = {band: refusal(done, band=band) for band in (False, True)}
    note = st.text_input("Note", key="calibrate-note", max_chars=200)
    pressed: list[bool] = []
    with st.container(horizontal=True):
        for band, words, key in (
            (False, "Save this threshold", "calibrate-save"),
            (True, "Save the band", "calibrate-save-band"),
        ):
            if st.button(words, key=key, disabled=bool(problems[band])):
                pressed.append(band)
        if done.threshold is not None:
            way = items_link(near_filter(done, done.threshold))
            st.page_link(way.file, label="Unlabelled items near it", query_params=dict(way.query))
    for band in pressed:
        kept = save_threshold(database, done, by=session.reviewer(), note=note, band=band)
        st.success(f"Saved as {kept.id}.")
    for problem in dict.fromkeys(filter(None, problems.values())):
        st.caption(escape_markdown(problem))
    saved = list_thresholds(database)
    if saved:
        said = ", ".join(
            f"{one.id} ({one.judge}, accept from "
            f"{'never' if one.accept is None else f'{one.accept:.3f}'})"
            for one in saved[:5]
        )
        st.caption(escape_markdown(f"Saved: {said}."))


def draw_slices(database: Database, done: Calibration) -> None:
    """Draw the figures of each slice once they are asked for."""
    with st.expander("By slice", key="calibrate-slices", on_change="rerun") as panel:
        if panel.open:
            draw_table(slices_table(slices_of(database, done)), "calibrate-slices-table")


def draw_reliability_numbers(done: Calibration) -> None:
    """Draw the points of the reliability curve once they are asked for."""
    with st.expander("As a table", key="calibrate-bins", on_change="rerun") as panel:
        if panel.open:
            draw_table(reliability_table(done), "calibrate-bins-table")


def draw_parts(database: Database, done: Calibration) -> None:
    """Draw the split, the lock on its test part, and who opened it."""
    st.subheader("Parts")
    draw_table(parts_table(done), "calibrate-parts")
    ties = " or a ".join(done.split.ties)
    said = f"Items that share a {ties} stand in one part."
    if done.ties_left:
        said += f" They may share a {' or a '.join(done.ties_left)} across parts."
    st.caption(said)
    if done.openings:
        draw_table(openings_table(done), "calibrate-openings")
    else:
        st.caption("The test part was never opened.")
    if "test" in done.parts:
        if st.button("Close the test part", key="calibrate-close"):
            st.session_state.pop(OPENED, None)
            st.rerun()
        return
    with st.popover("Open the test part"):
        st.caption("Each look is recorded and shown. Choose the threshold before, not after.")
        why = st.text_input("Why", key="calibrate-why", max_chars=300)
        if st.button("Open it", key="calibrate-open", disabled=not why.strip()):
            unlock_test_part(
                database,
                done.split.id,
                by=session.reviewer(),
                reason=why,
                purpose=f"all figures of {done.judge.words}",
            )
            st.session_state[OPENED] = (done.split.id, done.judge.words)
            st.rerun()
