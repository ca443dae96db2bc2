"""The reviewer's open work at the top of Overview: queues, disagreements, runs and comments."""

from collections.abc import Sequence

import streamlit as st

from workbench.interfaces.web import session
from workbench.interfaces.web.components.link_table import render_table
from workbench.interfaces.web.home import text as texts
from workbench.interfaces.web.links import Column, Link, LinkCell, Table, cells, queue_link
from workbench.presentation.escape import run_label, truncate
from workbench.records import ItemFilter, QueueSummary
from workbench.records.format import count_of, format_timestamp, word_for
from workbench.records.open_work import CommentOnCitation, OpenWork, OwnQueueItems, UnreviewedRun
from workbench.services.open_work import open_work


def render_open_work(lines: Sequence[QueueSummary]) -> None:
    """Draw the open work of the reviewer, or of the team if there is no name.

    Raises:
        StoreError: The database cannot be used.
    """
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
            cells(
                [
                    LinkCell(
                        text=name,
                        more="adjudication" if line.queue.role == "adjudication" else "",
                    ),
                    LinkCell(
                        text=f"{items.decided:,} of {total:,}",
                        bar=items.decided / total if total else 0.0,
                    ),
                    LinkCell(text=word, link=link, accessible_label=f"{word}: {name}"),
                ]
            )
        )
    return Table(
        accessible_label=texts.YOUR_QUEUES,
        columns=(
            Column(word=texts.YOUR_QUEUES),
            Column(word="Decided by you" if own else "Decided", numeric=True, width="9rem"),
            Column(word="Next step", width="7rem"),
        ),
        rows=tuple(rows),
    )


def disagreements_text(number: int, *, own: bool) -> str:
    """The number of disagreements without an adjudication."""
    sentence = f"{count_of(number, 'disagreement')} in no adjudication queue yet"
    if own:
        sentence += f", {word_for(number, 'one', 'all')} without a label of yours"
    return f"{sentence}."


def unreviewed_runs_table(runs: Sequence[UnreviewedRun]) -> Table:
    """Runs with citations that nobody has reviewed; each leads to its review."""
    return Table(
        accessible_label=texts.UNREVIEWED_RUNS,
        columns=(
            Column(word=texts.UNREVIEWED_RUNS),
            Column(word="Not reviewed", numeric=True, width="9rem"),
            Column(word="Started, UTC", spare=True, width="9.5rem"),
        ),
        rows=tuple(
            cells(
                [
                    LinkCell(
                        text=run_label(run.name, 80),
                        link=Link(page="review", query={"run": run.id}),
                    ),
                    f"{run.unreviewed:,} of {run.citations:,}",
                    format_timestamp(run.created_at),
                ]
            )
            for run in runs
        ),
    )


def comments_table(comments: Sequence[CommentOnCitation], *, own: bool) -> Table:
    """Comments; each leads to its citation."""
    title = "Comments by others on your citations, newest first" if own else texts.TEAM_COMMENTS
    return Table(
        accessible_label=title,
        columns=(
            Column(word=title),
            Column(word="By", width="9rem"),
            Column(word="When, UTC", spare=True, width="9.5rem"),
        ),
        rows=tuple(
            cells(
                [
                    LinkCell(
                        text=truncate(" ".join(line.comment.body.split()), 160),
                        link=Link(
                            page="review",
                            query={"run": line.comment.run_id, "c": line.comment.citation_id},
                        ),
                        more=truncate(line.claim, 120),
                    ),
                    truncate(line.comment.author, 40),
                    format_timestamp(line.comment.created_at),
                ]
            )
            for line in comments
        ),
    )
