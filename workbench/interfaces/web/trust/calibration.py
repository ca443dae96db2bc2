"""The calibration of a judge on the Trust page: what it depends on, its figures, its support rate."""

from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta

import streamlit as st

from workbench.errors import UsageError
from workbench.interfaces.web import session
from workbench.interfaces.web.components.link_table import render_table
from workbench.interfaces.web.folds import fold
from workbench.interfaces.web.guide.filter import chosen_guides
from workbench.interfaces.web.judging_progress import render_judging_progress
from workbench.interfaces.web.prompts.parts import is_opened, render_test_part, split_or_way
from workbench.interfaces.web.query_params import select_in_url
from workbench.interfaces.web.trust import thresholds
from workbench.interfaces.web.trust.judging import offer_judging, task_name
from workbench.interfaces.web.trust.thresholds import OWN_THRESHOLD, confusion_table
from workbench.presentation.calibration import sections, text
from workbench.presentation.calibration.document import markdown, page, reliability_svg
from workbench.presentation.escape import (
    escape_html,
    escape_markdown,
    file_stem,
    run_label,
    truncate,
)
from workbench.records.evaluation import ALL_LABELS, JudgeKey, LabelFilter
from workbench.records.format import format_timestamp
from workbench.services import cached_views
from workbench.services.calibration import (
    CONFIDENCE,
    OPEN_PARTS,
    RANDOM_NEEDED,
    TARGET,
    Calibration,
    CalibrationReport,
    RunSelection,
    ThresholdObjective,
)
from workbench.services.calibration.measurement import calibrate
from workbench.services.calibration.prevalence import (
    queue_of_random_sample,
    queue_of_suggestions,
    suggestions,
)
from workbench.services.calibration.report_data import (
    LOCAL,
    CachedCalibration,
    forget_view,
    slices_of,
)
from workbench.services.database import Database
from workbench.services.references.labels import cached_references
from workbench.services.repositories import Splits

cached_views.register_cache(forget_view)

AIMS = {
    "guarantee": "Guaranteed precision",
    "precision": "Precision on these items",
    "recall": "Recall on these items",
    "cost": "Minimum cost",
    "manual": "A threshold of my own",
}
TABS = ("Threshold", "Compared with people", "Support rate", "Data and report")


def choose_judge(cached: CachedCalibration) -> JudgeKey:
    """Draw the choice of the judge, which is in the URL; the one with most verdicts first."""
    judges = {
        f"{judge.description}{f' · {judge.prompt}' if judge.prompt else ''}": judge
        for judge in cached.judges() or (LOCAL,)
    }
    words = {name: truncate(name, 60) for name in judges}
    return judges[select_in_url("Judge", "judge", "calibrate-judge", words, width=400)]


def measure(database: Database, cached: CachedCalibration, judge: JudgeKey) -> Calibration | None:
    """Draw what figures depend on; the calibration of these choices, None without labels."""
    split = split_or_way(database)
    if split is None:
        return None
    aim = _aim()
    labels = replace(
        _labels(cached), guides=chosen_guides(cached.guide_counts(), "calibrate-guide")
    )
    opened = is_opened(split, _purpose(judge))
    opening = next(iter(Splits(database).openings(split.id)), None) if opened else None
    parts = ("test",) if opened else OPEN_PARTS
    return calibrate(database, judge, split, aim=aim, parts=parts, opening=opening, labels=labels)


def _aim() -> ThresholdObjective:
    """What a threshold is chosen for; the choice is in the URL."""
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        kind = st.selectbox(
            "Threshold for",
            list(AIMS),
            format_func=AIMS.__getitem__,
            key="calibrate-aim",
            bind="query-params",
        )
        target = st.number_input(
            "Target", 0.5, 0.999, TARGET, 0.01, format="%.3f", key="calibrate-target",
            bind="query-params", disabled=kind in ("cost", "manual"),
            help="Required precision among accepted examples.",
        )  # fmt: skip
        confidence = st.number_input(
            "Confidence", 0.5, 0.999, CONFIDENCE, 0.01, format="%.3f", key="calibrate-confidence",
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
    return ThresholdObjective(
        kind=kind,
        target=float(target),
        confidence=float(confidence),
        wrong_accept=accept,
        wrong_reject=reject,
        at=float(own_threshold),
    )


def _labels(cached: CachedCalibration) -> LabelFilter:
    """The labels that figures are computed from; the choice is in the URL."""
    # by the key of the set: its name may be cut, or be that of another set too
    scopes = {"": ALL_LABELS, **cached.label_filters()}
    if len(scopes) == 1:
        return ALL_LABELS
    names = {key: scope.name or "Everything labelled" for key, scope in scopes.items()}
    words = {key: truncate(name[0].upper() + name[1:], 80) for key, name in names.items()}
    return scopes[select_in_url("Labels of", "labels", "calibrate-labels", words)]


def render_calibration(
    database: Database, cached: CachedCalibration, calibration: Calibration
) -> None:
    """Draw the figures of a judge, its thresholds, and the labels that they rest on."""
    labels = calibration.labels
    view = CalibrationReport(
        calibration=calibration,
        reviewer_agreement=cached.people(labels),
        against=cached.against(calibration),
        local=cached.local(calibration),
        rates=cached.rates(calibration.judge, calibration.split, chosen_runs(), labels),
        references=cached_references(database, calibration.aim),
    )
    with st.container(key="calibrate-head"):
        _head(view)
    with st.container(key="calibrate-missing"):
        render_missing(database, cached, calibration)
    if not calibration.table.n:
        return
    threshold, people, rate, data = st.tabs(TABS, key="calibrate-tabs")
    with threshold:
        view = replace(view, limits=thresholds.render_limits(database, calibration))
        thresholds.render_threshold(database, calibration)
    with people:
        _against_people(view)
        fold("By slice", "calibrate-slices", lambda: _slices(database, calibration))
    with rate:
        render_rates(database, cached, view)
    with data:
        _parts(database, calibration)
        _reports(database, view)


def _slices(database: Database, calibration: Calibration) -> None:
    table = sections.slices_table(slices_of(database, calibration))
    render_table(table, "calibrate-slices-table")


def _head(view: CalibrationReport) -> None:
    lines = "".join(
        f'<li dir="auto">{escape_html(sentence.text)}</li>'
        for sentence in text.sentences(view.calibration, view.rates)
    )
    st.html(f'<ol class="wb-sentences">{lines}</ol>')
    if "test" in view.calibration.parts:
        st.warning("These figures are from the test set.")
    st.caption(escape_markdown(sections.basis_paragraph(view.calibration)))
    for caution in text.cautions(view):
        st.warning(escape_markdown(caution))


def render_missing(database: Database, cached: CachedCalibration, calibration: Calibration) -> None:
    """Draw what a judge has not judged, where the figures above lack none of it, and the baseline.

    The baseline is the embedded judge, which costs nothing; what the figures lack stands at the top
    of the page.
    """
    judge = calibration.judge
    number = cached.missing(judge)
    if number and not calibration.judged.unjudged:
        where = "none of them is among the items of these figures"
        offer_judging(database, judge, number, f"not yet judged by this judge: {where}")
    if judge != LOCAL and not render_judging_progress(task_name(LOCAL)):
        missing = cached.missing(LOCAL)
        offer_judging(database, LOCAL, missing, "not yet judged by the embedded judge (baseline)")


def _against_people(view: CalibrationReport) -> None:
    st.header("Compared with human labels", anchor=False)
    render_table(sections.figures_table(view), "calibrate-figures")
    st.caption(escape_markdown(text.reviewers_text(view.reviewer_agreement)))
    if view.against:
        st.header("Compared with each reviewer and their majority", anchor=False)
        render_table(sections.against_table(view.against), "calibrate-against")
        st.caption(escape_markdown(text.against_reviewers_text(view.against)))
    st.header("Confusion table", anchor=False)
    render_table(confusion_table(view.calibration), "calibrate-confusion")
    left, _ = st.columns([58, 42], gap="large")
    left.markdown(
        reliability_svg(view.calibration.table.reliability),
        unsafe_allow_html=True,  # numbers alone
    )
    bins = sections.reliability_table(view.calibration.table)
    fold("As a table", "calibrate-bins", lambda: render_table(bins, "calibrate-bins-table"))


def _parts(database: Database, calibration: Calibration) -> None:
    """The split, the lock on its test part, and who opened it."""
    st.header("Data split", anchor=False)
    render_table(sections.parts_table(calibration), "calibrate-parts")
    st.caption(text.ties_text(calibration))
    if calibration.openings:
        render_table(sections.openings_table(calibration), "calibrate-openings")
    else:
        st.caption(sections.NEVER_UNLOCKED)
    purpose = _purpose(calibration.judge)
    render_test_part(database, calibration.split, calibration.parts, purpose, "calibrate")


def _purpose(judge: JudgeKey) -> str:
    return f"all figures of {judge.description}"


def _reports(database: Database, view: CalibrationReport) -> None:
    """The downloadable report; it is built on demand."""
    st.header("Report", anchor=False)
    stem = f"calibration-{file_stem(view.calibration.judge.description)}"

    def written(draw: Callable[[CalibrationReport], str]) -> Callable[[], bytes]:
        return lambda: draw(replace(view, slices=slices_of(database, view.calibration))).encode()

    with st.container(horizontal=True, gap="small"):
        for words, draw, kind, mime in (
            ("With charts, HTML", page, "html", "text/html"),
            ("Markdown", markdown, "md", "text/markdown"),
        ):
            st.download_button(
                words,
                data=written(draw),
                file_name=f"{stem}.{kind}",
                mime=mime,
                key=f"calibrate-report-{kind}",
                on_click="ignore",
            )


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
    st.header("Support rate of the runs of this judge", anchor=False)
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
    render_table(sections.rates_table(rates), "calibrate-rates")
    st.caption(RANDOM_NEEDED)
    number = st.number_input("Citations", 1, 10_000, 100, key="calibrate-many")
    by, of = session.reviewer(), rates.of
    with st.container(horizontal=True):
        random = st.button("Queue a random sample", key="calibrate-random")
        suggested = st.button("Queue suggested examples", key="calibrate-next")
    # below the buttons, so that they do not move
    judge, split = calibration.judge, calibration.split.id
    try:
        if random:
            queue = queue_of_random_sample(database, judge, split, of, many=int(number), by=by)
        elif suggested:
            at = calibration.threshold or 0.5
            next_items = suggestions(database, judge, split, of, many=int(number), threshold=at)
            queue = queue_of_suggestions(database, next_items, by=by)
        else:
            return
    except UsageError as error:
        st.warning(escape_markdown(str(error)))
        return
    st.success(escape_markdown(f"The queue {queue.name!r} was created."))


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
