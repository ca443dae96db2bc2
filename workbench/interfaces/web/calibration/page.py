"""The Calibrate page: three sentences, then the figures behind them."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import streamlit as st

from workbench.errors import UsageError
from workbench.interfaces.web import session
from workbench.interfaces.web.calibration import panels
from workbench.interfaces.web.calibration.panels import AIMS, TABS
from workbench.interfaces.web.calibration.rates import chosen_runs, render_rates
from workbench.interfaces.web.calibration.tables import OWN_THRESHOLD, confusion_table
from workbench.interfaces.web.components.link_table import render_table
from workbench.interfaces.web.examples.banner import render_examples_banner
from workbench.interfaces.web.guide.filter import chosen_guides
from workbench.interfaces.web.judging_progress import ask, render_judging_progress
from workbench.presentation.calibration.document import markdown, page
from workbench.presentation.calibration.references import (
    NO_REFERENCE_LABELS,
    RANDOM_REFERENCES,
    REFERENCES_TITLE,
    basis_text,
    people_text,
    reference_confusion_table,
    reference_cuts_table,
    reference_figures_table,
    reference_sentences,
)
from workbench.presentation.calibration.sections import (
    against_table,
    basis_paragraph,
    figures_table,
    reliability_table,
)
from workbench.presentation.calibration.text import (
    against_reviewers_text,
    answer,
    cautions,
    reviewers_text,
    sentences,
)
from workbench.presentation.escape import escape_html, escape_markdown, file_stem, truncate
from workbench.records.evaluation import ALL_LABELS, JudgeKey, LabelFilter, Split
from workbench.records.format import usd, word_for
from workbench.records.options import CAP_USD
from workbench.services import cached_views
from workbench.services.calibration import (
    CONFIDENCE,
    OPEN_PARTS,
    TARGET,
    Calibration,
    CalibrationReport,
    ReferenceCalibration,
    ThresholdObjective,
)
from workbench.services.calibration.measurement import calibrate, has_split
from workbench.services.calibration.report_data import (
    LOCAL,
    CachedCalibration,
    forget_view,
    slices_of,
)
from workbench.services.calibration.thresholds import list_thresholds
from workbench.services.database import Database
from workbench.services.labelled_judging import contender_of, estimate_missing, judge_missing
from workbench.services.references.labels import cached_references, save_reference_threshold
from workbench.services.repositories import LabelledReferenceQueries, Splits

cached_views.register_cache(forget_view)


def render_calibrate() -> None:
    """Draw the page."""
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
    opening = next(iter(Splits(database).openings(split.id)), None) if "test" in parts else None
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
    threshold, people, rate, data = st.tabs(TABS, key="calibrate-tabs")
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
    st.subheader("Report")
    stem = f"calibration-{file_stem(view.calibration.judge.description)}"

    def full_report() -> CalibrationReport:
        return replace(view, slices=slices_of(database, view.calibration))

    with st.container(horizontal=True, gap="small"):
        for words, draw, kind, mime in (
            ("With charts, HTML", page, "html", "text/html"),
            ("Markdown", markdown, "md", "text/markdown"),
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
            "Judge",
            range(len(choices)),
            index=at,
            format_func=lambda n: truncate(names[n], 60),
            key="calibrate-judge",
        )
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
    names = {key: scope.name or "Everything labelled" for key, scope in scopes.items()}
    requested = st.query_params.get("labels", "")
    # the URL decides by the key of the set: its name may be cut, or be that of another set too
    st.session_state["calibrate-labels"] = requested if requested in scopes else ""
    chosen = st.selectbox(
        "Labels of",
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
    render_table(figures_table(view), "calibrate-figures")
    st.caption(escape_markdown(reviewers_text(view.reviewer_agreement)))
    if view.against:
        st.subheader("Compared with each reviewer and their majority")
        render_table(against_table(view.against), "calibrate-against")
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
    with st.expander("As a table", key="calibrate-bins", on_change="rerun") as panel:
        if panel.open:
            render_table(reliability_table(calibration.table), "calibrate-bins-table")


def render_missing(database: Database, cached: CachedCalibration, calibration: Calibration) -> None:
    """Draw how many labelled items the judge has not judged, with a button to judge them.

    The embedded judge can judge them too, if it is not the judge itself: it is the baseline
    that costs nothing.
    """
    number = cached.missing(calibration.judge)
    # all of them can be judged; the figures are of the chosen labels and parts alone
    left_out = min(number, calibration.judged.unjudged)
    words = (
        "the figures leave them out"
        if left_out == number
        else "none of them is among the items of these figures"
    )
    if 0 < left_out < number:
        words = (
            f"the figures leave {left_out:,} of them out; the others, such as the test set, are not "
            "theirs"
        )
    _draw_missing_labels(
        database,
        calibration.judge,
        number,
        f"not yet judged by this judge: {words}",
        lacked=left_out > 0,
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
                    "Cost cap, USD", 0.0, value=CAP_USD, key=f"calibrate-cap-{spec}"
                )
            pressed = st.button("Run the judge", key=f"calibrate-ask-{spec}")
    if pressed:
        ask(
            name,
            f"{spec} on labelled items",
            number,
            lambda job: judge_missing(
                database, who, max_cost_usd=float(cap), cancel=job.cancel, on_progress=job.tell
            ),
        )


def render_references(database: Database) -> None:
    """Draw how far the checks of references can be trusted; nothing where none was made."""
    if not LabelledReferenceQueries(database).any_checked():
        return
    st.header(REFERENCES_TITLE, anchor=False)
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        target = st.number_input(
            "Target", 0.5, 0.999, TARGET, 0.01, format="%.3f", key="references-target",
            help="Required share of fabricated works among those flagged as fabricated.",
        )  # fmt: skip
        confidence = st.number_input(
            "Confidence", 0.5, 0.999, CONFIDENCE, 0.01, format="%.3f",
            key="references-confidence",
        )  # fmt: skip
    aim = ThresholdObjective(target=float(target), confidence=float(confidence))
    calibration = cached_references(database, aim)
    if calibration is None:
        st.info(NO_REFERENCE_LABELS)
        return
    lines = "".join(
        f'<li dir="auto">{escape_html(sentence.text)}</li>'
        for sentence in reference_sentences(calibration)
    )
    st.html(f'<ol class="wb-sentences">{lines}</ol>')
    st.caption(escape_markdown(basis_text(calibration)))
    render_table(reference_figures_table(calibration), "references-figures")
    st.caption(escape_markdown(people_text(calibration.people)))
    render_table(reference_confusion_table(calibration), "references-confusion")
    cuts = reference_cuts_table(calibration)
    if cuts:
        render_table(cuts, "references-cuts")
        st.caption(escape_markdown(RANDOM_REFERENCES))
    _save(database, calibration, aim)


def _save(database: Database, calibration: ReferenceCalibration, aim: ThresholdObjective) -> None:
    note = st.text_input("Note", key="references-note", max_chars=200)
    if st.button(
        "Save this threshold", key="references-save", disabled=calibration.threshold is None
    ):
        try:
            saved = save_reference_threshold(
                database, calibration, aim, by=session.reviewer(), note=note
            )
        except UsageError as error:
            st.error(escape_markdown(str(error)))
        else:
            st.success(f"Saved as {saved.id}.")
    thresholds = list_thresholds(database, references=True)
    if thresholds:
        listed = ", ".join(
            f"{threshold.id} (fabricated from {threshold.accept or 0:.3f})"
            for threshold in thresholds[:5]
        )
        st.caption(escape_markdown(f"Saved: {listed}."))
