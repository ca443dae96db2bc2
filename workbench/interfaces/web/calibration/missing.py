"""The labelled items without a verdict of a judge, and judging them in the background."""

import streamlit as st

from workbench.errors import UsageError
from workbench.interfaces.web.calibration import text
from workbench.interfaces.web.judging_progress import ask, render_judging_progress
from workbench.presentation.escape import escape_markdown
from workbench.records import CAP_USD, JudgeKey
from workbench.records.format import usd, word_for
from workbench.services.calibration import Calibration
from workbench.services.calibration.report_data import LOCAL, CachedCalibration
from workbench.services.database import Database
from workbench.services.labelled_judging import contender_of, estimate_missing, judge_missing


def render_missing(database: Database, cached: CachedCalibration, calibration: Calibration) -> None:
    """Draw how many labelled items the judge has not judged, with a button to judge them.

    The embedded judge can judge them too, if it is not the judge itself: it is the baseline
    that costs nothing.
    """
    number = cached.missing(calibration.judge)
    # all of them can be judged; the figures are of the chosen labels and parts alone
    left_out = min(number, calibration.judged.unjudged)
    words = "the figures leave them out" if left_out == number else text.NONE_LEFT_OUT
    if 0 < left_out < number:
        words = text.SOME_LEFT_OUT.format(f"{left_out:,}")
    _draw_missing_labels(
        database, calibration.judge, number, text.NOT_JUDGED + words, lacked=left_out > 0
    )
    if calibration.judge != LOCAL:
        _draw_missing_labels(
            database,
            LOCAL,
            cached.missing(LOCAL),
            "not yet judged by the embedded judge (baseline)",
            lacked=False,
        )


def _draw_missing_labels(
    database: Database, judge: JudgeKey, number: int, words: str, *, lacked: bool
) -> None:
    """Draw it, opened where the figures lack such items."""
    with st.container(key=f"calibrate-missing-place-{judge.description}"):
        _ask_missing(database, judge, number, words, lacked=lacked)


def _ask_missing(
    database: Database, judge: JudgeKey, number: int, words: str, *, lacked: bool
) -> None:
    spec = judge.description
    name = f"calibrate-{spec}"
    if render_judging_progress(name) or not number:
        return
    items = word_for(number, "labelled item")
    with st.expander(
        f"{number:,} {items} {words}",
        key=f"calibrate-missing-{spec}",
        expanded=lacked,
        icon=":material/hourglass_empty:",
        on_change="rerun",
    ) as panel:
        if not panel.open:
            return
        try:
            who = contender_of(database, judge)
            estimate = estimate_missing(database, who)
        except UsageError as error:
            st.caption(escape_markdown(str(error)))
            return
        cost = "unknown" if estimate.cost_usd is None else usd(estimate.cost_usd)
        st.caption(
            f"At most {cost}, about {max(1, round(estimate.seconds)):,} s. Continues in the "
            f"background; each result is saved as it arrives."
        )
        with st.container(horizontal=True, vertical_alignment="bottom"):
            cap = CAP_USD
            if estimate.cost_usd != 0:
                cap = st.number_input(
                    text.COST_CAP, 0.0, value=CAP_USD, key=f"calibrate-cap-{spec}"
                )
            pressed = st.button(text.RUN_JUDGE, key=f"calibrate-ask-{spec}")
    if pressed:
        ask(
            name,
            f"{spec} on labelled items",
            number,
            lambda job: judge_missing(
                database,
                who,
                max_cost_usd=float(cap),
                cancel=job.cancel,
                on_progress=job.tell,
            ),
        )
