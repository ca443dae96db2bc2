"""The Calibrate page: three sentences, then the figures behind them."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import streamlit as st

from workbench.errors import UsageError
from workbench.interfaces.web import session
from workbench.interfaces.web.calibration import panels, text
from workbench.interfaces.web.calibration.missing import render_missing
from workbench.interfaces.web.calibration.rates import chosen_runs, render_rates
from workbench.interfaces.web.calibration.references import render_references
from workbench.interfaces.web.calibration.tables import OWN_THRESHOLD, confusion_table, web_table
from workbench.interfaces.web.components.link_table import render_table
from workbench.interfaces.web.examples.banner import render_examples_banner
from workbench.interfaces.web.guide.filter import chosen_guides
from workbench.presentation.calibration.html import page
from workbench.presentation.calibration.markdown import markdown
from workbench.presentation.calibration.sections import (
    against_table,
    basis_paragraph,
    figures_table,
)
from workbench.presentation.calibration.text import (
    against_reviewers_text,
    answer,
    cautions,
    reviewers_text,
    sentences,
)
from workbench.presentation.escape import escape_html, escape_markdown, file_stem, truncate
from workbench.records import JudgeKey, Split
from workbench.records.evaluation import ALL_LABELS, LabelFilter
from workbench.services import cached_views
from workbench.services.calibration import (
    CONFIDENCE,
    OPEN_PARTS,
    TARGET,
    Calibration,
    CalibrationReport,
    ThresholdObjective,
)
from workbench.services.calibration.measurement import calibrate
from workbench.services.calibration.report_data import (
    LOCAL,
    CachedCalibration,
    forget_view,
    slices_of,
)
from workbench.services.database import Database
from workbench.services.references.calibration import cached_references
from workbench.services.splits import has_split, test_part_accesses

cached_views.register_cache(forget_view)


def render_calibrate() -> None:
    """Draw the page.

    Raises:
        StoreError: The database cannot be used.
    """
    database = session.database()
    st.html('<div class="wb-head"><h1>How far can the judge be trusted?</h1></div>')
    render_examples_banner()
    _render_judge(database)
    with st.container(key="calibrate-references"):
        render_references(database)


def _render_judge(database: Database) -> None:
    cached = CachedCalibration.of(database)
    try:
        split = cached.split(session.reviewer())
    except UsageError as error:
        if has_split(database):
            raise
        st.info(escape_markdown(str(error)))
        st.caption(
            "Labels come from the Review page and queues, or from a file: `workbench import "
            "FORMAT FILE`, then `workbench calibrate`."
        )
        st.page_link("pages/review.py", label="Go to Review")
        return
    judge, aim = _bar(cached.judges())
    parts = _parts(split, judge)
    opening = next(iter(test_part_accesses(database, split.id)), None) if "test" in parts else None
    labels = replace(
        _labels(cached), guides=chosen_guides(cached.guide_counts(), "calibrate-guide")
    )
    calibration = calibrate(
        database, judge, split, aim=aim, parts=parts, opening=opening, labels=labels
    )
    view = CalibrationReport(
        calibration=calibration,
        reviewer_agreement=cached.people(labels),
        against=cached.against(calibration),
        local=cached.local(calibration),
        rates=cached.rates(judge, split, chosen_runs(), labels),
        references=cached_references(database, aim),
    )
    # first, as figures that leave most labels out are read wrongly
    with st.container(key="calibrate-missing"):
        render_missing(database, cached, calibration)
    with st.container(key="calibrate-head"):
        _head(view)
    if not calibration.table.n:
        return
    threshold, people, rate, data = st.tabs(text.TABS, key="calibrate-tabs")
    with threshold:
        view = replace(view, limits=panels.render_limits(database, calibration))
        panels.render_threshold(database, calibration)
    with people:
        _against_people(view)
        panels.render_slices(database, calibration)
    with rate:
        render_rates(database, cached, view)
    with data:
        panels.render_parts(database, calibration)
        _reports(database, view)


def _reports(database: Database, view: CalibrationReport) -> None:
    """The downloadable report; it is built on demand."""
    st.subheader(text.REPORT)
    stem = f"calibration-{file_stem(view.calibration.judge.description)}"

    def full_report() -> CalibrationReport:
        return replace(view, slices=slices_of(database, view.calibration))

    with st.container(horizontal=True, gap="small"):
        for words, draw, kind, mime in (
            (text.REPORT_HTML, page, "html", "text/html"),
            (text.REPORT_MARKDOWN, markdown, "md", "text/markdown"),
        ):
            st.download_button(
                words,
                data=_written(draw, full_report),
                file_name=f"{stem}.{kind}",
                mime=mime,
                key=f"calibrate-report-{kind}",
                on_click="ignore",
            )


def _written(
    draw: Callable[[CalibrationReport], str], full_report: Callable[[], CalibrationReport]
) -> Callable[[], bytes]:
    return lambda: draw(full_report()).encode()


def _bar(judges: Sequence[JudgeKey]) -> tuple[JudgeKey, ThresholdObjective]:
    """The judge and the threshold's objective; both are in the URL."""
    choices = list(judges) or [LOCAL]
    names = [
        f"{judge.description}{f' · {judge.prompt}' if judge.prompt else ''}" for judge in choices
    ]
    requested = st.query_params.get("judge", "")
    at = next((n for n, name in enumerate(names) if name == requested), 0)
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        chosen = st.selectbox(
            text.JUDGE,
            range(len(choices)),
            index=at,
            format_func=lambda n: truncate(names[n], 60),
            key="calibrate-judge",
        )
        kind = st.selectbox(
            text.THRESHOLD_FOR,
            list(text.AIMS),
            format_func=text.AIMS.__getitem__,
            key="calibrate-aim",
            bind="query-params",
        )
        target = st.number_input(
            text.TARGET, 0.5, 0.999, TARGET, 0.01, format="%.3f", key="calibrate-target",
            bind="query-params", disabled=kind in ("cost", "manual"),
            help="Required precision among accepted examples.",
        )  # fmt: skip
        confidence = st.number_input(
            text.CONFIDENCE, 0.5, 0.999, CONFIDENCE, 0.01, format="%.3f", key="calibrate-confidence",
            bind="query-params",
        )  # fmt: skip
        accept = reject = 1.0
        own_threshold = 0.5
        if kind == "manual":
            own_threshold = st.number_input(
                "Threshold", 0.0, 1.0, own_threshold, 0.01, format="%.3f", key=OWN_THRESHOLD,
                bind="query-params", help="Accept from this score on. Saved as chosen by hand, without a guarantee.",
            )  # fmt: skip
        if kind == "cost":
            accept = st.number_input(
                "Cost of a false positive", 0.0, value=1.0, key="calibrate-accept"
            )
            reject = st.number_input(
                "Cost of a false negative", 0.0, value=1.0, key="calibrate-reject"
            )
    if names[chosen] != requested:
        st.query_params["judge"] = names[chosen]
    return choices[chosen], ThresholdObjective(
        kind=kind,
        target=float(target),
        confidence=float(confidence),
        wrong_accept=accept,
        wrong_reject=reject,
        at=float(own_threshold),
    )


def _labels(cached: CachedCalibration) -> LabelFilter:
    """The labels that figures are computed from; the choice is in the URL."""
    scopes = {"": ALL_LABELS, **cached.label_filters()}
    if len(scopes) == 1:
        return ALL_LABELS
    names = {key: scope.name or text.ALL_LABELS for key, scope in scopes.items()}
    requested = st.query_params.get("labels", "")
    # the URL decides by the key of the set: its name may be cut, or be that of another set too
    st.session_state["calibrate-labels"] = requested if requested in scopes else ""
    chosen = st.selectbox(
        text.LABELS_OF,
        list(scopes),
        format_func=lambda key: truncate(names[key][0].upper() + names[key][1:], 80),
        key="calibrate-labels",
        on_change=_choose_labels,
    )
    return scopes[chosen]


def _choose_labels() -> None:
    chosen = st.session_state["calibrate-labels"]
    if chosen:
        st.query_params["labels"] = chosen
    else:
        st.query_params.pop("labels", None)


def _parts(split: Split, judge: JudgeKey) -> Sequence[str]:
    """The parts to evaluate; the test part once it was opened for this judge in this session."""
    opened = st.session_state.get(panels.OPENED) == (split.id, judge.description)
    return ("test",) if opened else OPEN_PARTS


def _head(view: CalibrationReport) -> None:
    lines = "".join(
        f'<li dir="auto">{escape_html(sentence.text)}</li>'
        for sentence in sentences(view.calibration, view.rates)
    )
    st.html(
        f'<p class="wb-answer">{escape_html(answer(view.calibration))}</p>'
        f'<ol class="wb-sentences">{lines}</ol>'
    )
    if "test" in view.calibration.parts:
        st.warning("These figures are from the test set. This access is logged below.")
    st.caption(escape_markdown(basis_paragraph(view.calibration)))
    for caution in cautions(view):
        st.warning(escape_markdown(caution))


def _against_people(view: CalibrationReport) -> None:
    st.subheader("Compared with human labels")
    render_table(web_table(figures_table(view)), "calibrate-figures")
    st.caption(escape_markdown(reviewers_text(view.reviewer_agreement)))
    if view.against:
        st.subheader("Compared with each reviewer and their majority")
        render_table(web_table(against_table(view.against)), "calibrate-against")
        st.caption(escape_markdown(against_reviewers_text(view.against)))
    st.subheader("Confusion table")
    render_table(confusion_table(view.calibration), "calibrate-confusion")
    left, _ = st.columns([58, 42], gap="large")
    with left:
        _reliability(view.calibration)


def _reliability(calibration: Calibration) -> None:
    from workbench.interfaces.web.calibration.charts import reliability_chart

    st.altair_chart(
        reliability_chart(calibration.table.reliability, calibration.table.n),
        key="calibrate-reliability",
        alt="Share of examples that people labelled supported, by the judge's score; the table has the numbers",
    )
    panels.render_reliability_numbers(calibration)
