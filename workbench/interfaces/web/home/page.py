"""Home: the state of the work; every number links to its items."""

from collections.abc import Sequence
from datetime import UTC, date, datetime

import streamlit as st

from workbench.interfaces.web import session
from workbench.interfaces.web.components.link_table import render_figures, render_table
from workbench.interfaces.web.examples.banner import render_examples_banner
from workbench.interfaces.web.home.tables import (
    corrections_table,
    cost_by_day,
    errors_table,
    imported_text,
    label_days_table,
    labels_by_day,
    queues_table,
    reviewers_table,
    run_days_table,
    runs_on,
    totals,
    verdict_items,
    verdicts_table,
)
from workbench.interfaces.web.links import items_link, labelled_on, queue_link
from workbench.interfaces.web.reviewer_identity import render_identity
from workbench.presentation import charts
from workbench.presentation.escape import run_label, truncate
from workbench.presentation.tables import Cell, Column, Link, Table
from workbench.records.dashboard import DashboardSummary
from workbench.records.format import count_of, format_timestamp, usd, word_for
from workbench.records.open_work import CommentOnCitation, OpenWork, OwnQueueItems, UnreviewedRun
from workbench.records.queue import ItemFilter, QueueSummary
from workbench.records.verdict import VERDICT_LABELS
from workbench.services.claim_corrections import correction_counts
from workbench.services.repositories import DashboardQueries, Queues
from workbench.services.review_tasks import open_work

UNREVIEWED_RUNS = "Runs with unreviewed citations, newest first"
DAYS = 30


def render_home() -> None:
    """Draw the page."""
    words, who = st.columns([70, 30], vertical_alignment="center")
    words.html('<div class="wb-head"><h1>Open work</h1></div>')
    with who, st.container(horizontal=True, horizontal_alignment="right"):
        render_identity()
    render_examples_banner(figures=False)
    summary = DashboardQueries(session.database()).summary(days=DAYS)
    if not summary.runs and not summary.imported_labels:
        st.info("No runs yet. Paste an answer or open a demo on the Review page.")
        st.page_link("pages/review.py", label="Go to Review")
        return
    lines = Queues(session.database()).list_queues()
    render_open_work(lines)
    render_figures(totals(summary), "totals")
    if summary.imported_labels:
        st.caption(imported_text(summary))
    _queues(summary, lines)
    today = datetime.now(UTC).date()
    with st.container(key="two-home"):
        left, right = st.columns(2, gap="large")
        with left:
            _verdicts(summary)
            _reviewers(summary, today)
        with right:
            _labels(summary, today)
            _cost(summary, today)
    _errors(summary)
    _corrections()


def _corrections() -> None:
    """What reviewers made of the corrections that each judge proposed; nothing without any."""
    counts = correction_counts(session.database())
    if counts:
        st.header(
            "Proposed corrections",
            anchor=False,
            help="Corrections that judges proposed, and what reviewers decided. Accepted: the "
            "share of decided ones that were taken or edited, with the exact 95 % interval.",
        )
        render_table(corrections_table(counts), "home-corrections")


def _queues(summary: DashboardSummary, lines: list[QueueSummary]) -> None:
    st.header("Queues", anchor=False)
    if lines:
        render_table(queues_table(lines, summary.queue_seconds), "home-queues")
    else:
        st.caption("No open queues. Create one from any list of citations.")
    st.page_link("pages/queues.py", label="All queues")


def _verdicts(summary: DashboardSummary) -> None:
    st.altair_chart(
        charts.verdict_chart(
            {mark: summary.verdicts[mark] for mark in VERDICT_LABELS if mark in summary.verdicts}
        ),
        key="home-verdicts",
        on_select=lambda: _to_verdict(summary),
        selection_mode=charts.PICK,
        alt="Number of citations by verdict; the table below lists the numbers",
    )
    _numbers("verdicts", verdicts_table(summary))


def _labels(summary: DashboardSummary, today: date) -> None:
    days = labels_by_day(summary, today, DAYS)
    total = sum(days.values())
    st.altair_chart(
        charts.day_chart(
            days, title="Labels per day", subtitle=f"n = {total:,} labels in {DAYS} days, UTC"
        ),
        key="home-labels",
        on_select=_to_labelled,
        selection_mode=charts.PICK,
        alt="Number of labels by day; the table below lists the numbers",
    )
    if total:
        _numbers("labels", label_days_table(summary))


def _cost(summary: DashboardSummary, today: date) -> None:
    days = cost_by_day(summary, today, DAYS)
    runs = sum(line.runs for line in summary.run_days)
    if not any(days.values()):
        words = f"{count_of(runs, 'run')} at no cost" if runs else "no run"
        st.caption(f"Cost: {words} in the last {DAYS} days.")
        return
    st.altair_chart(
        charts.day_chart(
            days,
            title="Cost per day",
            subtitle=f"{usd(sum(days.values()))} for n = {runs:,} runs in {DAYS} days, UTC",
            number="$.2f",
        ),
        key="home-cost",
        on_select=_to_runs,
        selection_mode=charts.PICK,
        alt="Cost of runs by day; the table below lists the numbers",
    )
    _numbers("cost", run_days_table(summary))


def _reviewers(summary: DashboardSummary, today: date) -> None:
    st.header("Reviewers", anchor=False)
    if summary.reviewers:
        render_table(reviewers_table(summary, today), "home-reviewers")
    else:
        st.caption("No labels yet.")


def _errors(summary: DashboardSummary) -> None:
    st.header("Unresolved citations by host", anchor=False)
    if summary.errors:
        render_table(errors_table(summary), "home-errors")
    else:
        st.caption("Every citation has a verdict.")


def _numbers(name: str, table: Table) -> None:
    with st.expander("Show as a table", key=f"home-{name}-numbers", on_change="rerun") as panel:
        if panel.open:
            render_table(table, f"home-{name}-table")


def _clicked_value(chart: str, field: str) -> str | None:
    rows = st.session_state[chart].selection.get(charts.PICK) or []
    return str(rows[0][field]) if rows and field in rows[0] else None


def _to_verdict(summary: DashboardSummary) -> None:
    mark = _clicked_value("home-verdicts", "mark")
    if mark:
        session.navigate(items_link(verdict_items(summary, mark)))


def _to_labelled() -> None:
    day = _clicked_value("home-labels", "day")
    if day:
        session.navigate(items_link(labelled_on(date.fromisoformat(day))))


def _to_runs() -> None:
    day = _clicked_value("home-cost", "day")
    if day:
        session.navigate(runs_on(date.fromisoformat(day)))


def render_open_work(lines: Sequence[QueueSummary]) -> None:
    """Draw the open work of the reviewer, or of the team if there is no name."""
    name = session.typed_name()
    work = open_work(session.database(), name or None, lines)
    st.header("Your open work" if name else "Open work of the team", anchor=False)
    if not name:
        st.caption(
            "You have not entered a name, so this is the open work of the whole team. Enter your "
            "name at the top right to see your own."
        )
    waiting = waiting_queues(lines, work, own=bool(name))
    if not (waiting or work.disagreements or work.runs or work.comments):
        st.caption(
            "Nothing is waiting for you. Queues with items left for you, disagreements to "
            "adjudicate, unreviewed runs and comments on your citations appear here."
        )
        st.page_link("pages/review.py", label="Check a text")
        return
    if waiting:
        render_table(waiting_table(waiting, own=bool(name)), "home-work-queues")
    if work.disagreements:
        with st.container(horizontal=True, vertical_alignment="center", key="home-work-settle"):
            st.text(disagreements_text(work.disagreements, own=bool(name)), width="content")
            link = queue_link(ItemFilter(reviewers_differ=True))
            st.page_link(
                link.file,
                label="Create adjudication queue",
                icon=":material/gavel:",
                query_params=dict(link.query),
                width="content",
            )
    if work.runs:
        render_table(unreviewed_runs_table(work.runs), "home-work-runs")
    if work.comments:
        render_table(comments_table(work.comments, own=bool(name)), "home-work-comments")


def waiting_queues(
    lines: Sequence[QueueSummary], work: OpenWork, *, own: bool
) -> list[tuple[QueueSummary, OwnQueueItems]]:
    """The queues with items left, each with the numbers of decided items and of those left."""
    if own:
        own_items = [(line, work.own_items.get(line.queue.id)) for line in lines]
        return [(line, items) for line, items in own_items if items and items.left]
    return [
        (line, OwnQueueItems(decided=line.done, left=line.items - line.done))
        for line in lines
        if line.done < line.items
    ]


def waiting_table(waiting: Sequence[tuple[QueueSummary, OwnQueueItems]], *, own: bool) -> Table:
    """Queues with items left, each with a link to continue."""
    rows = []
    for line, items in waiting:
        total = items.decided + items.left
        name = truncate(line.queue.name, 80)
        word = "Continue" if items.decided else "Start"
        link = Link(page="queues", query={"queue": line.queue.id})
        rows.append(
            (
                Cell(text=name, more="adjudication" if line.queue.role == "adjudication" else ""),
                Cell(
                    text=f"{items.decided:,} of {total:,}",
                    bar=items.decided / total if total else 0.0,
                ),
                Cell(text=word, link=link, accessible_label=f"{word}: {name}"),
            )
        )
    return Table.of(
        accessible_label="Queues with items left",
        columns=(
            "Queues with items left",
            Column(word="Decided by you" if own else "Decided", numeric=True, width="9rem"),
            Column(word="Next step", width="7rem"),
        ),
        rows=rows,
    )


def disagreements_text(number: int, *, own: bool) -> str:
    """The number of disagreements without an adjudication."""
    sentence = f"{count_of(number, 'disagreement')} in no adjudication queue yet"
    if own:
        sentence += f", {word_for(number, 'one', 'all')} without a label of yours"
    return f"{sentence}."


def unreviewed_runs_table(runs: Sequence[UnreviewedRun]) -> Table:
    """Runs with citations that nobody has reviewed; each leads to its review."""
    return Table.of(
        accessible_label=UNREVIEWED_RUNS,
        columns=(
            UNREVIEWED_RUNS,
            Column(word="Not reviewed", numeric=True, width="9rem"),
            Column(word="Started, UTC", spare=True, width="9.5rem"),
        ),
        rows=(
            (
                Cell(text=run_label(run.name, 80), link=Link(page="review", query={"run": run.id})),
                f"{run.unreviewed:,} of {run.citations:,}",
                format_timestamp(run.created_at),
            )
            for run in runs
        ),
    )


def comments_table(comments: Sequence[CommentOnCitation], *, own: bool) -> Table:
    """Comments; each leads to its citation."""
    title = (
        "Comments by others on your citations, newest first" if own else "Comments, newest first"
    )
    return Table.of(
        accessible_label=title,
        columns=(
            title,
            Column(word="By", width="9rem"),
            Column(word="When, UTC", spare=True, width="9.5rem"),
        ),
        rows=(
            (
                Cell(
                    text=truncate(" ".join(line.comment.body.split()), 160),
                    link=Link(
                        page="review",
                        query={"run": line.comment.run_id, "c": line.comment.citation_id},
                    ),
                    more=truncate(line.claim, 120),
                ),
                truncate(line.comment.author, 40),
                format_timestamp(line.comment.created_at),
            )
            for line in comments
        ),
    )
