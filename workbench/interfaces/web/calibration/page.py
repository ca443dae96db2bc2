"""The Calibrate page: three sentences, then what they rest on."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import streamlit as st

from workbench.errors import UsageError
from workbench.interfaces.web import run_cache as opening
from workbench.interfaces.web import session
from workbench.interfaces.web.calibration import panels
from workbench.interfaces.web.calibration.missing import draw_missing
from workbench.interfaces.web.calibration.rates import chosen_runs, draw_rates
from workbench.interfaces.web.calibration.tables import (
    against_table,
    confusion_table,
    figures_table,
)
from workbench.interfaces.web.components.link_table import draw_table
from workbench.interfaces.web.guide.filter import chosen_guides
from workbench.presentation.calibration.html import page
from workbench.presentation.calibration.markdown import markdown
from workbench.presentation.calibration.text import (
    against_words,
    basis,
    cautions,
    left_out_words,
    people_words,
    sentences,
)
from workbench.presentation.escape import escape_html, escape_markdown, file_stem, truncate
from workbench.records import JudgeKey, Split
from workbench.services.calibration.measurement import (
    CONFIDENCE,
    OPEN_PARTS,
    TARGET,
    Calibration,
    ThresholdObjective,
    calibrate,
)
from workbench.services.calibration.report_data import (
    LOCAL,
    CachedCalibration,
    CalibrationReport,
    forget_view,
    slices_of,
)
from workbench.store import Splits, Store

opening.register_cache(forget_view)
AIMS = {
    "guarantee": "A guaranteed precision",
    "precision": "Precision on these items",
    "recall": "Recall on these items",
    "cost": "The least cost",
}


def draw_calibrate() -> None:
    """Draw the page.

    Raises:
        StoreError: The database cannot be used.
    """
    store = session.database()
    st.html('<div class="wb-head"><h1>How far can the judge be trusted?</h1></div>')
    kept = CachedCalibration.of(store)
    try:
        split = kept.split(session.reviewer())
    except UsageError as error:
        if Splits(store).all():
            raise
        st.info(escape_markdown(str(error)))
        st.caption(
            "Labels come from the Review page and queues, or from a file: "
            "`workbench import FORMAT FILE`, then `workbench calibrate`."
        )
        st.page_link("pages/review.py", label="Go to Review")
        return
    judge, aim = _bar(kept.judges())
    parts = _parts(split, judge)
    opening = next(iter(Splits(store).openings(split.id)), None) if "test" in parts else None
    guides = chosen_guides(kept.guide_counts(), "calibrate-guide")
    done = calibrate(store, judge, split, aim=aim, parts=parts, opening=opening, guides=guides)
    view = CalibrationReport(
        calibration=done,
        people=kept.people(guides),
        against=kept.against(done),
        local=kept.local(done),
        rates=kept.rates(judge, split, chosen_runs(), guides),
    )
    with st.container(key="calibrate-head"):
        _head(view)
    if not done.table.n:
        draw_missing(store, kept, done)
        return
    # each part has its container: what comes and goes in one moves nothing in the next
    with st.container(key="calibrate-people"):
        _against_people(view)
    with st.container(key="calibrate-missing"):
        draw_missing(store, kept, done)
    with st.container(key="calibrate-threshold"):
        panels.draw_threshold(store, done)
    with st.container(key="calibrate-rate"):
        draw_rates(store, kept, view)
    with st.container(key="calibrate-slicing"):
        panels.draw_slices(store, done)
    with st.container(key="calibrate-split"):
        panels.draw_parts(store, done)
    _reports(store, view)


def _reports(store: Store, view: CalibrationReport) -> None:
    """The written report to keep; it is put together when it is asked for."""
    st.subheader("Report")
    stem = f"calibration-{file_stem(view.calibration.judge.words)}"

    def whole() -> CalibrationReport:
        return replace(view, slices=slices_of(store, view.calibration))

    with st.container(horizontal=True, gap="small"):
        for words, draw, kind, mime in (
            ("With charts, HTML", page, "html", "text/html"),
            ("Markdown", markdown, "md", "text/markdown"),
        ):
            st.download_button(
                words,
                data=_written(draw, whole),
                file_name=f"{stem}.{kind}",
                mime=mime,
                key=f"calibrate-report-{kind}",
                on_click="ignore",
            )


def _written(
    draw: Callable[[CalibrationReport], str], whole: Callable[[], CalibrationReport]
) -> Callable[[], bytes]:
    return lambda: draw(whole()).encode()


def _bar(judges: Sequence[JudgeKey]) -> tuple[JudgeKey, ThresholdObjective]:
    """Whose verdicts, and what a threshold is chosen for; the address keeps both."""
    known = list(judges) or [LOCAL]
    words = [f"{one.words}{f' · {one.prompt}' if one.prompt else ''}" for one in known]
    asked = st.query_params.get("judge", "")
    at = next((n for n, one in enumerate(words) if one == asked), 0)
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        chosen = st.selectbox(
            "Judge",
            range(len(known)),
            index=at,
            format_func=lambda n: truncate(words[n], 60),
            key="calibrate-judge",
        )
        kind = st.selectbox(
            "Threshold for",
            list(AIMS),
            format_func=lambda one: AIMS[one],
            key="calibrate-aim",
            bind="query-params",
        )
        target = st.number_input(
            "Target", 0.5, 0.999, TARGET, 0.01, format="%.3f", key="calibrate-target",
            bind="query-params", disabled=kind == "cost",
            help="The share of what is accepted that must be rightly so.",
        )  # fmt: skip
        confidence = st.number_input(
            "Confidence", 0.5, 0.999, CONFIDENCE, 0.01, format="%.3f", key="calibrate-confidence",
            bind="query-params",
        )  # fmt: skip
        accept = reject = 1.0
        if kind == "cost":
            accept = st.number_input("A wrong accept costs", 0.0, value=1.0, key="calibrate-accept")
            reject = st.number_input("A wrong reject costs", 0.0, value=1.0, key="calibrate-reject")
    if words[chosen] != asked:
        st.query_params["judge"] = words[chosen]
    return known[chosen], ThresholdObjective(
        kind=kind,
        target=float(target),
        confidence=float(confidence),
        wrong_accept=accept,
        wrong_reject=reject,
    )


def _parts(split: Split, judge: JudgeKey) -> Sequence[str]:
    """The parts to look at; the test part after it was opened for this judge in this session."""
    opened = st.session_state.get(panels.OPENED) == (split.id, judge.words)
    return ("test",) if opened else OPEN_PARTS


def _head(view: CalibrationReport) -> None:
    lines = "".join(
        f'<li class="{"" if one.stands else "wb-quiet"}" dir="auto">{escape_html(one.text)}'
        f"{'' if one.stands else ' <b>Cannot be claimed yet.</b>'}</li>"
        for one in sentences(view.calibration, view.rates)
    )
    st.html(f'<ol class="wb-sentences">{lines}</ol>')
    if "test" in view.calibration.parts:
        st.warning("These are figures of the test part. The look is recorded below.")
    said = [f"Figures rest on {basis(view.calibration)}."]
    said += [f"Left out: {one}." for one in left_out_words(view.calibration)]
    st.caption(escape_markdown(" ".join(said)))
    for caution in cautions(view):
        st.warning(escape_markdown(caution))


def _against_people(view: CalibrationReport) -> None:
    st.subheader("Against people")
    draw_table(figures_table(view), "calibrate-figures")
    st.caption(escape_markdown(people_words(view.people)))
    if view.against:
        st.subheader("Against each reviewer and their majority")
        draw_table(against_table(view.against), "calibrate-against")
        st.caption(escape_markdown(against_words(view.against)))
    st.subheader("Confusion table")
    draw_table(confusion_table(view.calibration), "calibrate-confusion")
    left, _ = st.columns([58, 42], gap="large")
    with left:
        _reliability(view.calibration)


def _reliability(done: Calibration) -> None:
    from workbench.interfaces.web.calibration.charts import reliability_chart

    st.altair_chart(
        reliability_chart(done.table.reliability, done.table.n),
        key="calibrate-reliability",
        alt="How often people say supported at the scores the judge gives; the table has numbers",
    )
    panels.draw_reliability_numbers(done)
