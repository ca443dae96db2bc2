"""The review of one run, from its header to its figures."""

import streamlit as st

from workbench.interfaces.web import session
from workbench.interfaces.web.downloads import render_downloads
from workbench.interfaces.web.folds import fold
from workbench.interfaces.web.progress import render_progress
from workbench.interfaces.web.review.handoff import render_handoff_button
from workbench.interfaces.web.review.matrix import render_matrix
from workbench.interfaces.web.review.reference_checking import is_checking
from workbench.interfaces.web.review.reference_text import KEYS as REFERENCE_KEYS
from workbench.interfaces.web.review.references import render_references
from workbench.interfaces.web.review.sentences import render_uncited, render_uncited_button
from workbench.interfaces.web.review.workspace import render_workspace
from workbench.interfaces.web.reviewer_identity import render_identity
from workbench.interfaces.web.run_cache import load_entries, load_review
from workbench.interfaces.web.run_title import render_rename
from workbench.interfaces.web.shortcuts import KEYS, show_keys
from workbench.presentation import charts
from workbench.presentation.corrections import counts_text
from workbench.presentation.escape import escape_html, escape_markdown
from workbench.presentation.reference_list import kinds_text, view_label
from workbench.presentation.run_totals import figures, legend, origin, state_of
from workbench.presentation.run_view import ReviewState, headline
from workbench.presentation.verdicts import STYLES
from workbench.services import jobs
from workbench.services.claim_corrections import correction_counts


def render_review(run_id: str) -> None:
    """Draw the review of a run.

    Raises:
        StoreError: No run has that id, or the database cannot be used.
    """
    live = jobs.find(run_id) is not None
    review = load_review(session.database(), run_id)
    _head(review, live)
    # one container for all optional elements, so that the citations below keep their identity
    with st.container(key="state"):
        _state(review, live)
    if session.view() == "references":
        render_references(run_id, live or is_checking(run_id))
        return
    if session.view() == "matrix":
        render_matrix(review, live)
        return
    render_uncited(review.run)
    render_workspace(run_id, live)
    if not live:
        _figures(review)


def _views(review: ReviewState) -> None:
    """The switch between the run's citations, references and matrix, the first with counts."""
    citations = len(review.order()) or len(review.results)
    words = {
        "citations": f"Citations {citations:,}",
        "references": view_label(load_entries(session.database(), review.run.id)),
        "matrix": "Matrix",
    }

    def choose() -> None:
        session.show_view(st.session_state["view"])

    # the URL decides, so that a link and a reload agree
    st.session_state["view"] = session.view()
    st.segmented_control(
        "View",
        list(words),
        format_func=words.__getitem__,
        key="view",
        on_change=choose,
        required=True,
        label_visibility="collapsed",
    )


def _state(review: ReviewState, live: bool) -> None:
    run_id = review.run.id
    if live:
        render_progress(run_id)
    failed = jobs.error_of(run_id)
    if failed:
        st.error(escape_markdown(failed))
    state = state_of(review, live)
    if state:
        st.warning(escape_markdown(state))
    if review.pending and not live:
        st.button("Continue the run", key="continue", on_click=_continue, args=(run_id,))


def _head(review: ReviewState, live: bool) -> None:
    with st.container(key="run-head", horizontal=True, gap="xsmall", vertical_alignment="center"):
        title = f'<h1 dir="auto">{escape_html(headline(review))}</h1>'
        st.html(f'<div class="wb-head">{title}{_quiet(origin(review.run)) if live else ""}</div>')
        _views(review)
        render_identity()
        with st.popover("Export"):
            render_downloads(review.run.id, headline(review), "review")
        if st.button("Keys", key="keys", shortcut="h"):
            show_keys(REFERENCE_KEYS if session.view() == "references" else KEYS)
        with st.popover("More", key="run-more"):
            st.button("New check", key="new", on_click=session.leave_run, width="stretch")
            if not live and session.view() == "citations":
                render_handoff_button(review.run)
                render_uncited_button(review.run)
            if not live:
                render_rename(review.run.id, "review")


def _figures(review: ReviewState) -> None:
    st.divider()
    # drawing a chart takes the browser half a second, in which the card would not answer
    fold("Charts: verdicts and errors", "run-charts", lambda: _charts(review))
    counts = correction_counts(session.database(), review.run.id)
    words = ["Proposed corrections", *map(counts_text, counts)] if counts else []
    corrections = "".join(map(_quiet, words))
    totals = figures(review, people=False) + legend() + _quiet(kinds_text(review))
    st.html(totals + corrections + _quiet(origin(review.run)))


def _charts(review: ReviewState) -> None:
    left, right = st.columns(2, gap="large")
    left.vega_lite_chart(
        spec=charts.verdict_chart(review.counts()),
        key="verdict-chart",
        on_select=_filter_by_chart,
        selection_mode=charts.PICK,
        alt="Number of citations by verdict",
    )
    if review.run.errors:
        right.vega_lite_chart(
            spec=charts.error_chart(review.run.errors),
            key="error-chart",
            alt="Number of citations without a verdict, by reason",
        )


def _quiet(words: str) -> str:
    return f'<p class="wb-quiet" dir="auto">{escape_html(words)}</p>'


def _continue(run_id: str) -> None:
    job = jobs.resume(
        run_id,
        session.database(),
        session.settings().snapshots,
        session.settings().reach,
        session.settings(),
    )
    # the redrawn page must find the run, or it would still look stopped
    job.known.wait(30)


def _filter_by_chart() -> None:
    """Filter by the clicked bar; a click next to the bars shows all."""
    picked = st.session_state["verdict-chart"].selection.get(charts.PICK) or []
    session.show([row["mark"] for row in picked if row.get("mark") in STYLES])
