"""Drift on the Trust page: a fixed set of examples, a judge evaluated on it again, what changed."""

from collections.abc import Mapping, Sequence

import streamlit as st

from workbench.errors import UsageError
from workbench.interfaces.web import session
from workbench.interfaces.web.components.link_table import render_table
from workbench.interfaces.web.judging_progress import ask, at_most, render_judging_progress
from workbench.interfaces.web.judging_tasks import JudgingJob
from workbench.interfaces.web.prompts.compare import marks_of, review_link
from workbench.interfaces.web.query_params import select_in_url
from workbench.interfaces.web.trust.charts import drift_chart
from workbench.presentation.calibration.text import share
from workbench.presentation.drift_text import (
    FLIP_TEXT,
    LOOKS_NOTE,
    VERDICT_TEXT,
    flips_sentence,
    judge_text,
    points,
    series_sentence,
    state_notes,
)
from workbench.presentation.escape import escape_html, escape_markdown, truncate
from workbench.presentation.tables import Cell, Column, Table, figure_cell
from workbench.records.format import count_of, format_timestamp, usd
from workbench.records.options import CAP_USD
from workbench.records.providers import JUDGE_SPECS
from workbench.records.reference_sets import ReferenceSet
from workbench.services.calibration import OPEN_PARTS, IntervalEstimate
from workbench.services.database import Database
from workbench.services.drift import (
    IN_RUNS,
    USUAL_SIZE,
    DriftReport,
    Flip,
    claims_of,
    evaluate_reference_set,
    evaluation_cost,
    flips_between,
    freeze_anchors,
)
from workbench.services.judges import open_judge, takes_prompt
from workbench.services.labelled_judging import JudgingResult, list_judge_specs
from workbench.services.prompts import DEFAULT, list_usable_prompts, prompt_for_judge

SHOWN = 25
"""Changes listed on the page; the others are only counted."""
JUDGE_HELP = f"Type another one: {JUDGE_SPECS}."
ALL = ""


def chosen_set(reference_sets: Sequence[ReferenceSet]) -> ReferenceSet | None:
    """The reference set of the URL, else the newest; None where there is none."""
    requested = st.query_params.get("set", "")
    named = (anchors for anchors in reference_sets if anchors.id == requested)
    return next(named, next(iter(reference_sets), None))


def render_drift(
    store: Database, reference_sets: Sequence[ReferenceSet], report: DriftReport | None
) -> None:
    """Draw a reference set, how judges did on it over time, and what changed."""
    if report is None:
        st.info(
            "No reference set yet. A reference set is a fixed copy of labelled examples; "
            "re-evaluating a judge on it over time shows drift."
        )
        _freeze(store)
        return
    _bar(store, reference_sets)
    # a container per part, so that changes in one do not move the next
    with st.container(key="drift-head"):
        _head(report)
    with st.container(key="drift-series"):
        _series(report)
    with st.container(key="drift-asking"):
        _ask(store, report.anchors)
    if report.series:
        _flips(store, report)


def _series(report: DriftReport) -> None:
    if not report.series:
        return
    st.vega_lite_chart(
        spec=drift_chart(report),
        key="drift-chart",
        alt="Agreement with the reference labels at each evaluation; the table has the numbers",
    )
    render_table(evaluations_table(report), "drift-askings")
    if any(len(history.interim_analyses) > 1 for history in report.series):
        st.caption(LOOKS_NOTE)


def _bar(store: Database, reference_sets: Sequence[ReferenceSet]) -> None:
    """The choice of a reference set, which is in the URL."""
    names = {
        anchors.id: truncate(f"{anchors.name} · {anchors.id}", 60) for anchors in reference_sets
    }
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        select_in_url("Reference set", "set", "drift-set", names)
        with st.popover("New reference set"):
            _freeze(store)


def _head(report: DriftReport) -> None:
    lines = "".join(
        f'<li class="{"wb-quiet" if history.last.verdict == "baseline" else ""}" dir="auto">'
        f"{escape_html(series_sentence(history, report.tolerance))}</li>"
        for history in report.series
    )
    if lines:
        st.html(f'<ol class="wb-sentences">{lines}</ol>')
    anchors = report.anchors
    labels = ", ".join(f"{n:,} {name.replace('_', ' ')}" for name, n in anchors.strata.items())
    description = (
        f"{anchors.name}: {anchors.size:,} examples ({labels}) from {' and '.join(anchors.parts)}, "
        f"created on {anchors.created_at:%Y-%m-%d} by {anchors.created_by}. Examples are judged "
        "with the stored texts and labels of the set; nothing is fetched."
    )
    st.caption(escape_markdown(description + (f" {anchors.note}" if anchors.note else "")))
    notes = state_notes(report)
    if notes:
        st.warning(escape_markdown(" ".join(notes)))


def _freeze(store: Database) -> None:
    with st.form("drift-freeze", border=False):
        name = st.text_input("Name", key="drift-name", max_chars=100)
        number = st.number_input(
            "Examples", 1, 10_000, USUAL_SIZE, key="drift-many",
            help="Maximum size, balanced across labels. 200 examples detect a change of about five points.",
        )  # fmt: skip
        parts = st.multiselect(
            "Splits", list(OPEN_PARTS), default=list(OPEN_PARTS), key="drift-parts",
            help="The test set is excluded. Use dev only for prompts with few-shot examples, which come from train.",
        )  # fmt: skip
        note = st.text_input("Note", key="drift-note", max_chars=200)
        pressed = st.form_submit_button("Create set", key="drift-freeze-now")
    if not pressed:
        return
    try:
        anchors = freeze_anchors(
            store, name, by=session.reviewer(), many=int(number), parts=parts, note=note
        )
    except UsageError as error:
        st.warning(escape_markdown(str(error)))
        return
    st.query_params["set"] = anchors.id
    st.rerun()


def _ask(store: Database, anchors: ReferenceSet) -> None:
    st.header("Run an evaluation", anchor=False)
    name = f"drift-{anchors.id}"
    if render_judging_progress(name):
        return
    specs = list_judge_specs(store, panels=False)
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        spec = st.selectbox(
            "Judge", specs, key="drift-judge", accept_new_options=True, help=JUDGE_HELP
        )
        with st.container(key="drift-prompt-place"):
            prompt = _prompt(store, str(spec or "local"))
        cap = st.number_input("Cost cap, USD", 0.0, value=CAP_USD, key="drift-cap")
        try:
            judge = open_judge(str(spec or "local"), prompt_for_judge(store.path, prompt))
            estimate = evaluation_cost(store, anchors, judge)
        except UsageError as error:
            st.caption(escape_markdown(str(error)))
            return
        pressed = st.button("Run", key="drift-ask", type="primary", disabled=not estimate.items)
    st.caption(
        f"{count_of(estimate.items, 'example')}, {at_most(estimate.cost_usd)}, about "
        f"{max(1, round(estimate.seconds)):,} s. All examples are re-evaluated; an evaluation "
        "interrupted less than a day ago is resumed."
    )
    if not pressed:
        return
    by = session.reviewer()

    def work(job: JudgingJob) -> JudgingResult:
        return evaluate_reference_set(
            store, anchors, judge, by=by, max_cost_usd=float(cap), cancel=job.cancel,
            on_progress=job.tell,
        ).judging  # fmt: skip

    ask(name, f"{judge.spec} on {anchors.name}", estimate.items, work)


def _prompt(store: Database, spec: str) -> str | None:
    """The prompt for a language model; other judges take none."""
    if not takes_prompt(spec):
        return None
    titles = {version.id: version.title for version in list_usable_prompts(store)}
    chosen: str | None = st.selectbox(
        "Prompt",
        list(titles),
        index=list(titles).index(DEFAULT.id) if DEFAULT.id in titles else 0,
        format_func=lambda option: truncate(titles[option], 40),
        key="drift-prompt",
    )
    return chosen


def _flips(store: Database, report: DriftReport) -> None:
    st.header("Changes", anchor=False)
    askings = {asking.id: asking for series in report.series for asking in series.evaluations}
    newest = report.series[0].evaluations
    names = [IN_RUNS, *askings]
    if len(newest) == 1 and len(report.series) > 1:
        before, after = newest[0].id, report.series[1].evaluations[-1].id
    else:
        before, after = newest[-2].id if len(newest) > 1 else IN_RUNS, newest[-1].id
    # keys by the newest evaluation, so that a new one resets the widgets to it

    def words(name: str) -> str:
        if name == IN_RUNS:
            return "Verdicts of the runs when the set was created"
        evaluation = askings[name]
        return f"{name} · {truncate(evaluation.judge, 30)} · {evaluation.created_at:%Y-%m-%d}"

    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        first = st.selectbox(
            "First", names, index=names.index(before), format_func=words,
            key=f"drift-first-{newest[-1].id}",
        )  # fmt: skip
        second = st.selectbox(
            "Second", list(askings), index=list(askings).index(after), format_func=words,
            key=f"drift-second-{newest[-1].id}",
        )  # fmt: skip
    try:
        flips = flips_between(store, report.anchors, first, second)
    except UsageError as error:
        st.caption(escape_markdown(str(error)))
        return
    st.markdown(escape_markdown(flips_sentence(flips)))
    if not flips.changed:
        return
    counts = {kind: sum(flip.kind == kind for flip in flips.changed) for kind in FLIP_TEXT}
    kind = st.segmented_control(
        "Show",
        [ALL, *(name for name, number in counts.items() if number)],
        format_func=lambda option: (
            f"All {len(flips.changed):,}"
            if option == ALL
            else f"{FLIP_TEXT[option].partition(':')[0]} {counts[option]:,}"
        ),
        default=ALL,
        required=True,
        key="drift-kind",
        label_visibility="collapsed",
    )
    flips_of_kind = [flip for flip in flips.changed if kind in (None, ALL, flip.kind)]
    listed = flips_of_kind[:SHOWN]
    render_table(flips_table(listed, claims_of(store, listed)), "drift-flips")
    if len(flips_of_kind) > len(listed):
        st.caption(
            f"{len(listed)} of {len(flips_of_kind):,} are shown; `workbench drift report "
            f"{report.anchors.id} --flips {first} {second} --json` lists all."
        )


def evaluations_table(report: DriftReport) -> Table:
    """Every evaluation of each judge with its result, newest first."""
    rows = []
    for series in report.series:
        for analysis, asking in reversed(
            list(zip(series.interim_analyses, series.evaluations, strict=True))
        ):
            since, last = analysis.since_baseline, analysis.since_last
            rows.append(
                (
                    asking.id,
                    Cell(
                        text=format_timestamp(asking.created_at),
                        more=truncate(judge_text(series), 60),
                    ),
                    _share(analysis.agreement.figure) if analysis.agreement else "–",
                    Cell(
                        text=f"{points(since.value)}",
                        more=f"{points(since.low)} to {points(since.high)} "
                        f"at {since.confidence * 100:.4g} %",
                    )
                    if since
                    else "–",
                    _share(last.same.figure) if last else "–",
                    VERDICT_TEXT[analysis.verdict],
                    f"{analysis.unanswered:,}",
                    usd(asking.cost_usd),
                )
            )
    return Table.of(
        accessible_label="Evaluations, newest first; changes are in points of agreement, at the stated "
        "confidence",
        columns=(
            Column(word="Evaluation", width="5rem"),
            Column(word="When (UTC), judge"),
            "Agreement with labels",
            "Since the baseline",
            Column(word="Same as previous", numeric=True, spare=True),
            Column(word="Result", width="11rem"),
            Column(word="No verdict", numeric=True, spare=True, width="6rem"),
            Column(word="Cost", numeric=True, spare=True, width="5rem"),
        ),
        rows=rows,
    )


def _share(figure: IntervalEstimate) -> Cell:
    return figure_cell(share(figure), figure)


def flips_table(flips: Sequence[Flip], claims: Mapping[str, str]) -> Table:
    """Items with people's label, the first and the second verdict with their reasons."""
    return Table.of(
        accessible_label="Examples whose label changed; the claim links to the citation",
        prose=True,
        columns=(
            "Claim",
            Column(word="Change", width="6rem"),
            Column(word="Label", width="9rem"),
            Column(word="First", width="26%"),
            Column(word="Second", width="26%"),
        ),
        rows=(
            (
                Cell(
                    text=truncate(claims.get(flip.item, flip.item), 160),
                    link=review_link(flip.item),
                ),
                FLIP_TEXT[flip.kind].partition(":")[0],
                Cell(marks=marks_of(flip.second.human)),
                Cell(marks=marks_of(flip.first.label), more=truncate(flip.first.rationale, 240)),
                Cell(marks=marks_of(flip.second.label), more=truncate(flip.second.rationale, 240)),
            )
            for flip in flips
        ),
    )
