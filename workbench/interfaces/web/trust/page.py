"""The Trust page: how far a judge can be trusted in one answer, its statistics folded below."""

from datetime import UTC, datetime

import streamlit as st
from streamlit.elements.lib.mutable_expander_container import ExpanderContainer

from workbench.interfaces.web import session
from workbench.interfaces.web.error_boundary import error_boundary
from workbench.interfaces.web.examples.banner import render_examples_banner
from workbench.interfaces.web.judging_progress import render_judging_progress
from workbench.interfaces.web.links import queue_link
from workbench.interfaces.web.reviewer_identity import render_identity
from workbench.interfaces.web.trust import summary
from workbench.interfaces.web.trust.agreement import chosen_labels, render_agreement, settle_link
from workbench.interfaces.web.trust.calibration import choose_judge, measure, render_calibration
from workbench.interfaces.web.trust.drift import chosen_set, render_drift
from workbench.interfaces.web.trust.judging import render_judging, task_name
from workbench.interfaces.web.trust.thresholds import render_references
from workbench.presentation.calibration.text import headline
from workbench.presentation.escape import escape_html, escape_markdown
from workbench.presentation.tables import Link
from workbench.records.evaluation import JudgeKey, Threshold
from workbench.records.queue import ItemFilter
from workbench.records.reference_sets import ReferenceSet
from workbench.services.cached_views import cached_view, file_state
from workbench.services.calibration.agreement import LabelSelection, agreement_report
from workbench.services.calibration.report_data import CachedCalibration
from workbench.services.calibration.thresholds import list_thresholds, save_threshold, uses_of
from workbench.services.database import Database
from workbench.services.drift import drift_of
from workbench.services.examples import example_contents
from workbench.services.repositories import (
    CitationQuery,
    LabelledReferenceQueries,
    Queues,
    ReferenceSetRepository,
)

UNLABELLED = ItemFilter(reviewed=False, examples=False)
"""What is left to label."""
CALIBRATION = "accuracy, κ, AUROC, threshold, support rate"


def lead_on(section: str) -> None:
    """Go from an old address to the section of this page, with the parameters of the address."""
    given = {name: st.query_params.get_all(name) for name in st.query_params}
    st.switch_page("pages/trust.py", query_params={**given, section: "true"})


def render_trust() -> None:
    """Draw the page; each section is computed once it is opened."""
    words, person = st.columns([74, 26], vertical_alignment="center")
    with person, st.container(horizontal=True, horizontal_alignment="right"):
        render_identity()
    words.html('<div class="wb-head"><h1>Trust</h1></div>')
    render_examples_banner()
    database = session.database()
    cached = CachedCalibration.of(database)
    judge = choose_judge(cached)
    # filled in once the choices that it follows are drawn
    answer = st.container(key="trust-answer")
    with _section("calibration", "Calibration", CALIBRATION) as measured:
        calibration = measure(database, cached, judge)
    labels = chosen_labels(database)
    agreement = agreement_report(database, labels)
    reference_sets, thresholds, unlabelled, references = _read(database)
    anchors = chosen_set(reference_sets)
    report = drift_of(database, anchors) if anchors else None
    series = report.series if report else ()
    history = next((one for one in series if one.judge.description == judge.description), None)
    threshold = next((one for one in thresholds if one.judge == judge.description), None)
    facts = summary.Facts(
        calibration=calibration,
        missing=cached.missing(judge),
        examples=example_contents(database).counted,
        unlabelled=unlabelled,
        people=agreement,
        first=labels.first,
        history=history,
        threshold=threshold,
        uses=uses_of(database, threshold, session.settings().data_dir) if threshold else [],
        now=datetime.now(UTC),
    )
    with answer:
        _answer(database, judge, facts, labels)
    if measured.open and calibration:
        with measured:
            render_calibration(database, cached, calibration)
    with _section("agreement", "Agreement", summary.agreement_line(facts)) as section:
        if section.open:
            render_agreement(database, agreement, labels)
    with _section("drift", "Drift", summary.drift_line(facts)) as section:
        if section.open:
            render_drift(database, reference_sets, report)
    if references:
        with _section("references", "Checks of references") as section:
            if section.open:
                render_references(database)


@cached_view(state=file_state)
def _read(database: Database) -> tuple[list[ReferenceSet], list[Threshold], int, bool]:
    """Reference sets, judges' thresholds, what is left to label, and whether references were checked."""
    sets, checked = ReferenceSetRepository(database).all(), LabelledReferenceQueries(database)
    thresholds = list_thresholds(database, references=False)
    return sets, thresholds, CitationQuery(database).count(UNLABELLED), checked.any_checked()


def _section(key: str, name: str, line: str = "") -> ExpanderContainer:
    """A folded part of the page; the URL opens it, and so does coming back to it."""
    opened: set[str] = st.session_state.setdefault("trust-opened", set())
    back = key in opened and key not in st.query_params and st.session_state.get(key, True)
    label = f"**{name}**" + (f" · {escape_markdown(line)}" if line else "")
    panel = st.expander(label, bool(back), key=key, bind="query-params")
    (opened.add if panel.open else opened.discard)(key)
    return panel


def _answer(
    database: Database, judge: JudgeKey, facts: summary.Facts, labels: LabelSelection
) -> None:
    """The sentences on top, and the button of the next step."""
    said = (headline(facts.calibration, examples=facts.examples), summary.worth(facts))
    st.html(f'<p class="wb-answer" dir="auto">{"<br>".join(map(escape_html, said))}</p>')
    step = summary.next_step(facts)
    with st.container(key="trust-step"):
        if not render_judging_progress(task_name(judge)):
            if step.kind == "judge":
                render_judging(database, judge, facts.missing, label=step.label, main=True)
            else:
                _step(database, facts, step, labels)
    st.caption(escape_markdown(summary.threshold_line(facts)))


def _step(
    database: Database, facts: summary.Facts, step: summary.Step, labels: LabelSelection
) -> None:
    def act() -> None:
        if step.kind in ("calibration", "drift"):
            st.session_state[step.kind] = True
        elif step.kind == "save" and facts.calibration:
            save_threshold(database, facts.calibration, by=session.reviewer())
        else:
            session.navigate(_link(database, step, labels))

    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(step.label, key="trust-next", type="primary", on_click=error_boundary(act))
        st.caption(step.why, width="content")


def _link(database: Database, step: summary.Step, labels: LabelSelection) -> Link:
    """Where a step leads; the queue that it asks for is made on the way."""
    if step.kind == "label":
        queue = Queues(database).build(
            f"{step.many:,} more labels",
            UNLABELLED,
            created_by=session.reviewer(),
            order="random",
            blind=True,
            limit=step.many,
        )
        return Link(page="queues", query={"queue": queue.id})
    if step.kind == "settle":
        return settle_link(labels)
    if step.kind == "second":
        return queue_link(ItemFilter(reviewed=True, examples=False))
    return Link(page="prompts" if step.kind == "compare" else "review")
