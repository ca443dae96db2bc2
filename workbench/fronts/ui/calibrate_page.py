"""The Calibrate page: three sentences, then what they rest on."""

from collections.abc import Sequence

import streamlit as st

from workbench.errors import UsageError
from workbench.fronts.calibrating import (
    CONFIDENCE,
    OPEN_PARTS,
    TARGET,
    Aim,
    Calibration,
    calibrate,
    ensure_split,
    people,
)
from workbench.fronts.calibrating_rates import rates_of
from workbench.fronts.calibrating_view import local_table
from workbench.fronts.calibrating_words import (
    View,
    basis,
    left_out_words,
    number,
    sentences,
)
from workbench.fronts.calibration_report import markdown
from workbench.fronts.ui import calibrate_panels, session
from workbench.fronts.ui.calibrate_tables import confusion_table, figures_table
from workbench.fronts.ui.escape import cut, file_stem, markup, plain
from workbench.fronts.ui.link_components import draw_table
from workbench.records import Split
from workbench.store import JudgedBook, JudgeName, Splits, Store

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
    store = session.store()
    st.html('<div class="wb-head"><h1>How far can the judge be trusted?</h1></div>')
    try:
        split = ensure_split(store, session.reviewer())
    except UsageError as error:
        if Splits(store).all():
            raise
        st.info(plain(str(error)))
        st.caption(
            "Labels come from the Review page and queues, or from a file: "
            "`workbench import FORMAT FILE`, then `workbench calibrate`."
        )
        st.page_link("pages/review.py", label="Go to Review")
        return
    judge, aim = _bar(store)
    parts = _parts(split, judge)
    opening = next(iter(Splits(store).openings(split.id)), None) if "test" in parts else None
    done = calibrate(store, judge, split, aim=aim, parts=parts, opening=opening)
    view = View(
        calibration=done,
        people=people(store, split, parts),
        local=local_table(store, done),
        rates=rates_of(store, judge, split.id),
    )
    _head(view)
    if not done.table.n:
        calibrate_panels.draw_missing(store, done)
        return
    _against_people(view)
    calibrate_panels.draw_missing(store, done)
    calibrate_panels.draw_threshold(store, done)
    calibrate_panels.draw_rates(store, view)
    calibrate_panels.draw_slices(store, done)
    calibrate_panels.draw_parts(store, done)
    st.download_button(
        "Report, Markdown",
        data=lambda: markdown(view).encode(),
        file_name=f"calibration-{file_stem(judge.words)}.md",
        mime="text/markdown",
        key="calibrate-report",
        on_click="ignore",
    )


def _bar(store: Store) -> tuple[JudgeName, Aim]:
    """Whose verdicts, and what a threshold is chosen for; the address keeps both."""
    known = [judge for judge, _ in JudgedBook(store).judges()]
    if not known:
        known = [JudgeName(specs=("local",))]
    words = [f"{one.words}{f' · {one.prompt}' if one.prompt else ''}" for one in known]
    asked = st.query_params.get("judge", "")
    at = next((n for n, one in enumerate(words) if one == asked), 0)
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        chosen = st.selectbox(
            "Judge",
            range(len(known)),
            index=at,
            format_func=lambda n: cut(words[n], 60),
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
    return known[chosen], Aim(
        kind=kind,
        target=float(target),
        confidence=float(confidence),
        wrong_accept=accept,
        wrong_reject=reject,
    )


def _parts(split: Split, judge: JudgeName) -> Sequence[str]:
    """The parts to look at; the test part after it was opened for this judge in this session."""
    opened = st.session_state.get(calibrate_panels.OPENED) == (split.id, judge.words)
    return ("test",) if opened else OPEN_PARTS


def _head(view: View) -> None:
    lines = "".join(
        f'<li class="{"" if one.stands else "wb-quiet"}" dir="auto">{markup(one.text)}'
        f"{'' if one.stands else ' <b>Cannot be claimed yet.</b>'}</li>"
        for one in sentences(view.calibration, view.rates)
    )
    st.html(f'<ol class="wb-sentences">{lines}</ol>')
    if "test" in view.calibration.parts:
        st.warning("These are figures of the test part. The look is recorded below.")
    said = [f"Figures rest on {basis(view.calibration)}."]
    said += [f"Left out: {one}." for one in left_out_words(view.calibration)]
    st.caption(plain(" ".join(said)))


def _against_people(view: View) -> None:
    st.subheader("Against people")
    draw_table(figures_table(view), "calibrate-figures")
    if view.people is None:
        st.caption("People against people: nobody labelled an item twice, so this is not known.")
    else:
        found = view.people
        st.caption(
            plain(
                f"People against people on {found.labels.items:,} items with two labels or more: "
                f"the same on supported or not in {number(found.supported.raw)}, the same label in "
                f"{number(found.labels.raw)}, Krippendorff's α {number(found.labels.alpha)}."
            )
        )
    st.subheader("Confusion table")
    draw_table(confusion_table(view.calibration), "calibrate-confusion")
    left, _ = st.columns([58, 42], gap="large")
    with left:
        _reliability(view.calibration)


def _reliability(done: Calibration) -> None:
    from workbench.fronts.ui.calibrate_charts import reliability_chart

    st.altair_chart(
        reliability_chart(done.table.reliability, done.table.n),
        key="calibrate-reliability",
        alt="How often people say supported at the scores the judge gives; the table has numbers",
    )
    calibrate_panels.draw_reliability_numbers(done)
