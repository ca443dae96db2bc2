"""The parts of the Calibrate page below its figures: threshold, rates, slices, the split."""

from collections.abc import Mapping

import streamlit as st

from workbench.interfaces.web import session
from workbench.interfaces.web.calibration.charts import sweep_chart
from workbench.interfaces.web.calibration.tables import OWN_THRESHOLD, near_filter, threshold_table
from workbench.interfaces.web.components.link_table import render_table
from workbench.interfaces.web.links import items_link
from workbench.presentation.calibration.fitted_limits import (
    METHOD,
    TITLE,
    limits_table,
    limits_text,
)
from workbench.presentation.calibration.sections import (
    NEVER_UNLOCKED,
    openings_table,
    parts_table,
    slices_table,
)
from workbench.presentation.calibration.text import (
    alone_text,
    band_text,
    forecast_text,
    guarantee_text,
    ties_text,
)
from workbench.presentation.escape import escape_markdown
from workbench.presentation.tables import Link
from workbench.services.calibration import RATE_TARGET, Calibration, JudgeLimits, thresholds
from workbench.services.calibration.report_data import slices_of
from workbench.services.database import Database
from workbench.services.repositories import Splits

AIMS = {
    "guarantee": "Guaranteed precision",
    "precision": "Precision on these items",
    "recall": "Recall on these items",
    "cost": "Minimum cost",
    "manual": "A threshold of my own",
}
TABS = ("Threshold", "Compared with people", "Support rate", "Data and report")
USED_BY = (
    "A saved threshold changes no verdict. A run that names it (`workbench verify --threshold ID`, "
    "`threshold` in a program) says which citations it accepts, which it rejects and which are left "
    "to a person; Policies shows what it would hold back."
)
OPENED = "calibrate-opened"
"""Session: the split and judge whose test part was opened."""


def render_limits(database: Database, calibration: Calibration) -> tuple[JudgeLimits, ...]:
    """Draw what one's own labels make of each judge's limit, and save it where it is admitted.

    Returns the limits, which reports hold too.
    """
    st.subheader(TITLE)
    said = st.container()
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        target = float(
            st.number_input(
                "Target of a fitted limit", 0.5, 0.99, RATE_TARGET, 0.01, key="calibrate-rate-target",
                bind="query-params", help="What the 90 % lower bounds of sensitivity and "
                                          "specificity must hold on the labels kept apart.", width=280,
            )
        )  # fmt: skip
        limits = thresholds.limits_of_judges(
            database, calibration.judge, calibration.split, target=target, labels=calibration.labels
        )
        pressed = bool(limits[0].admitted) and st.button(
            "Save the fitted limit", key="calibrate-save-fitted"
        )
    for sentence in limits_text(limits[0]):
        said.markdown(escape_markdown(sentence))
    if pressed:
        threshold = thresholds.save_limits(
            database,
            calibration.judge,
            calibration.split,
            by=session.reviewer(),
            target=target,
            labels=calibration.labels,
        )
        st.success(f"Saved as {threshold.id}. {USED_BY}")
    table = limits_table(limits)
    if table:
        render_table(table, "calibrate-limits")
        st.caption(METHOD)
    return limits


def render_threshold(database: Database, calibration: Calibration) -> None:
    """Draw the sweep, the guarantee, the abstain band and the saved threshold."""
    st.subheader("Threshold")
    if not calibration.cuts:
        st.caption(guarantee_text(calibration.guarantee))
        return
    left, right = st.columns([58, 42], gap="large")
    with left:
        st.altair_chart(
            sweep_chart(calibration.cuts, calibration.threshold, calibration.guarantee.n),
            key="calibrate-sweep",
            alt="Precision and recall at each threshold with intervals; the table has the numbers",
        )
    with right:
        with st.container(key="calibrate-guarantee"):
            _guarantee(calibration)
        _save(database, calibration)
    render_table(threshold_table(calibration), "calibrate-cuts", on_pick=_use_threshold)
    if alone_text(calibration):
        st.caption(alone_text(calibration))


def _use_threshold(link: Link) -> None:
    """Choose the threshold of a row by hand."""
    st.session_state["calibrate-aim"] = "manual"
    st.session_state[OWN_THRESHOLD] = float(link.query[OWN_THRESHOLD])


def _guarantee(calibration: Calibration) -> None:
    if calibration.aim.kind == "manual":
        st.warning("Chosen by hand: nothing guarantees its precision on other citations.")
    st.markdown(f"**Abstain band.** {escape_markdown(band_text(calibration))}")
    for edge in calibration.band:
        if edge.holds:
            st.caption(escape_markdown(edge.sentence))
    st.caption(escape_markdown(forecast_text(calibration)))


def _save(database: Database, calibration: Calibration) -> None:
    problems = {band: thresholds.refusal(calibration, band=band) for band in (False, True)}
    for problem in dict.fromkeys(filter(None, problems.values())):
        st.caption(escape_markdown(problem))
    if not all(problems.values()):
        _save_form(database, calibration, problems)
    saved = thresholds.list_thresholds(database, references=False)
    if saved:
        listed = ", ".join(
            f"{threshold.id} ({threshold.judge}, accept from "
            f"{'never' if threshold.accept is None else f'{threshold.accept:.3f}'})"
            for threshold in saved[:5]
        )
        st.caption(f"{escape_markdown(f'Saved: {listed}.')} {USED_BY}")


def _save_form(database: Database, calibration: Calibration, problems: Mapping[bool, str]) -> None:
    note = st.text_input("Note", key="calibrate-note", max_chars=200)
    pressed: list[bool] = []
    with st.container(horizontal=True):
        for band, words, key in (
            (False, "Save this threshold", "calibrate-save"),
            (True, "Save this band", "calibrate-save-band"),
        ):
            if st.button(words, key=key, disabled=bool(problems[band])):
                pressed.append(band)
        if calibration.threshold is not None:
            link = items_link(near_filter(calibration, calibration.threshold))
            st.page_link(
                link.file,
                label="Unlabelled items near this threshold",
                query_params=dict(link.query),
            )
    for band in pressed:
        threshold = thresholds.save_threshold(
            database, calibration, by=session.reviewer(), note=note, band=band
        )
        st.success(f"Saved as {threshold.id}. {USED_BY}")


def render_slices(database: Database, calibration: Calibration) -> None:
    """Draw the figures of each slice on demand."""
    with st.expander("By slice", key="calibrate-slices", on_change="rerun") as panel:
        if panel.open:
            render_table(slices_table(slices_of(database, calibration)), "calibrate-slices-table")


def render_parts(database: Database, calibration: Calibration) -> None:
    """Draw the split, the lock on its test part, and who opened it."""
    st.subheader("Data split")
    render_table(parts_table(calibration), "calibrate-parts")
    st.caption(ties_text(calibration))
    if calibration.openings:
        render_table(openings_table(calibration), "calibrate-openings")
    else:
        st.caption(NEVER_UNLOCKED)
    if "test" in calibration.parts:
        if st.button("Lock the test set", key="calibrate-close"):
            st.session_state.pop(OPENED, None)
            st.rerun()
        return
    with st.popover("Unlock the test set"):
        st.caption("Every access is logged. Choose the threshold before unlocking, not after.")
        reason = st.text_input("Reason", key="calibrate-why", max_chars=300)
        if st.button("Unlock test set", key="calibrate-open", disabled=not reason.strip()):
            Splits(database).open_test(
                calibration.split.id,
                by=session.reviewer(),
                reason=reason,
                figures=f"all figures of {calibration.judge.description}",
            )
            st.session_state[OPENED] = (calibration.split.id, calibration.judge.description)
            st.rerun()
