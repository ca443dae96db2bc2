"""Open work: what is left for the reviewer, each one click away; the figures of all work folded."""

from collections.abc import Sequence
from datetime import UTC, date, datetime

import streamlit as st

from workbench.interfaces.web import session
from workbench.interfaces.web.components.link_table import render_figures, render_table
from workbench.interfaces.web.examples.banner import render_examples_banner
from workbench.interfaces.web.folds import fold
from workbench.interfaces.web.home import tables
from workbench.interfaces.web.links import queue_link
from workbench.interfaces.web.reviewer_identity import render_identity
from workbench.presentation.corrections import corrections_table
from workbench.presentation.escape import run_label, truncate
from workbench.presentation.tables import Cell, Column, Link, Table
from workbench.records.dashboard import DashboardSummary
from workbench.records.format import count_of, format_timestamp, word_for
from workbench.records.open_work import OpenWork, OwnQueueItems
from workbench.records.queue import ItemFilter, QueueSummary
from workbench.services.cached_views import cached_view, file_state
from workbench.services.claim_corrections import correction_counts
from workbench.services.database import Database
from workbench.services.repositories import DashboardQueries, Queues
from workbench.services.review_tasks import open_work

NOTHING = (
    "Nothing is waiting for you. Queues with items left for you, disagreements to adjudicate, "
    "unreviewed runs and comments on your citations appear here."
)
NO_NAME = (
    "You have not entered a name, so this is the open work of the whole team. Enter your name at "
    "the top right to see your own."
)
FIGURES = "Reviewers, verdicts, days, cost and errors"
ACCEPTED_HELP = (
    "Corrections that judges proposed, and what reviewers decided. Accepted: the share of decided "
    "ones that were taken or edited, with the exact 95 % interval."
)


def render_home() -> None:
    """Draw the page."""
    words, who = st.columns([70, 30], vertical_alignment="center")
    words.html('<div class="wb-head"><h1>Open work</h1></div>')
    with who, st.container(horizontal=True, horizontal_alignment="right"):
        render_identity()
    render_examples_banner(figures=False)
    today = datetime.now(UTC).date()
    summary, lines, work = _read(session.database(), session.typed_name() or None, today)
    if not summary.runs and not summary.imported_labels:
        st.info("No runs yet. Paste an answer or open a demo on the Review page.")
        st.page_link("pages/review.py", label="Go to Review")
        return
    _open_work(lines, work)
    render_figures(tables.totals(summary), "totals")
    if summary.imported_labels:
        st.caption(tables.imported_text(summary))
    fold(FIGURES, "home-figures", lambda: _figures(summary, today))


@cached_view(state=file_state)
def _read(
    database: Database, name: str | None, _today: date
) -> tuple[DashboardSummary, list[QueueSummary], OpenWork]:
    """What the page shows of the database on a day; until a write it is read once."""
    lines = Queues(database).list_queues()
    return DashboardQueries(database).summary(), lines, open_work(database, name, lines)


def _open_work(lines: Sequence[QueueSummary], work: OpenWork) -> None:
    """The open work of the reviewer, or of the team if there is no name."""
    name = session.typed_name()
    if not name:
        st.caption(NO_NAME)
    if table := work_table(lines, work, own=bool(name)):
        render_table(table, "home-work")
    else:
        st.caption(NOTHING)
        st.page_link("pages/review.py", label="Check a text")


def _figures(summary: DashboardSummary, today: date) -> None:
    for key, title, table, empty in (
        ("reviewers", "Reviewers", tables.reviewers_table(summary, today), "No labels yet."),
        ("verdicts", "Verdicts", tables.verdicts_table(summary), "No verdicts yet."),
        ("labels", "Labels per day", tables.label_days_table(summary), "None in 30 days."),
        ("cost", "Cost per day", tables.run_days_table(summary), "No runs in 30 days."),
        ("errors", "Unresolved citations by host", tables.errors_table(summary),
         "Every citation has a verdict."),
    ):  # fmt: skip
        st.header(title, anchor=False)
        if table.rows:
            render_table(table, f"home-{key}")
        else:
            st.caption(empty)
    if counts := correction_counts(session.database()):
        st.header("Proposed corrections", anchor=False, help=ACCEPTED_HELP)
        render_table(corrections_table(counts), "home-corrections")


def work_table(lines: Sequence[QueueSummary], work: OpenWork, *, own: bool) -> Table | None:
    """What is left to do, each line with a link to do it; None if nothing is."""
    rows: list[tuple[Cell, Cell | str, str]] = []

    def add(
        words: str, link: Link, left: Cell | str, since: datetime | None, more: str = ""
    ) -> None:
        when = format_timestamp(since) if since else ""
        rows.append((Cell(text=words, link=link, more=more), left, when))

    for line in lines:
        team = OwnQueueItems(decided=line.done, left=line.items - line.done)
        items = work.own_items.get(line.queue.id) if own else team
        if items and items.left:
            total = items.decided + items.left
            add(
                f"{'Continue' if items.decided else 'Start'} queue: {truncate(line.queue.name, 80)}",
                Link(page="queues", query={"queue": line.queue.id}),
                Cell(text=f"{items.left:,} of {total:,}", bar=items.decided / total),
                line.queue.created_at,
                "adjudication" if line.queue.role == "adjudication" else "",
            )
    if number := work.disagreements:
        whose = f", {word_for(number, 'one', 'all')} without a label of yours" if own else ""
        add(
            f"Create an adjudication queue: {count_of(number, 'disagreement')}",
            queue_link(ItemFilter(reviewers_differ=True)),
            f"{number:,}",
            None,
            f"in no adjudication queue yet{whose}",
        )
    for found in work.comments:
        comment = found.comment
        add(
            f"{truncate(comment.author, 40)} commented: "
            + truncate(" ".join(comment.body.split()), 160),
            Link(page="review", query={"run": comment.run_id, "c": comment.citation_id}),
            "",
            comment.created_at,
            truncate(found.claim, 120),
        )
    for run in work.runs:
        left = f"{run.unreviewed:,} of {run.citations:,}"
        link = Link(page="review", query={"run": run.id})
        add(f"Review run: {run_label(run.name, 80)}", link, left, run.created_at)
    columns = (
        "What to do next",
        Column(word="Left", numeric=True, width="8rem"),
        Column(word="Since, UTC", spare=True, width="9.5rem"),
    )
    said = "Your open work" if own else "Open work of the team"
    return Table.of(accessible_label=said, columns=columns, rows=rows) if rows else None
