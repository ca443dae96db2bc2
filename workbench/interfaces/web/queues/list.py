"""The list of queues: contents, progress, active reviewers; open, close, reopen."""

import streamlit as st

from workbench.interfaces.web import session
from workbench.interfaces.web.filters import filter_text
from workbench.interfaces.web.links import items_link
from workbench.interfaces.web.queues import text as texts
from workbench.interfaces.web.queues.references import reference_filter_text
from workbench.interfaces.web.queues.sentences import sentence_filter_text
from workbench.interfaces.web.reviewer_identity import with_name
from workbench.presentation.escape import escape_html, truncate
from workbench.records.citation import CITATION_KINDS
from workbench.records.format import format_timestamp
from workbench.records.queue import ItemFilter, Queue, QueueSummary
from workbench.services.examples import example_ids
from workbench.services.repositories import Queues
from workbench.services.runs import run_names


def render_list(reviewer: str) -> None:
    """Draw the list for a reviewer."""
    database = session.database()
    lines = Queues(database).list_queues(closed=True)
    names = run_names(database) if lines else {}
    marked = example_ids(database, "queue")
    opened = [line for line in lines if line.queue.open]
    closed = [line for line in lines if not line.queue.open]
    work = [line for line in opened if not is_finished(line)]
    examples = [line for line in work if line.queue.id in marked]
    if len(examples) == len(work):
        examples = []
    if not opened:
        st.info("No open queues. Choose “New queue”.")
    for line in work:
        if line not in examples:
            _line(line, reviewer, names)
    folded = (
        ("Example queues ({})", "examples", examples),
        (texts.FINISHED, "finished", [line for line in opened if is_finished(line)]),
        ("Closed queues ({})", "away", closed),
    )
    for heading, key, some in folded:
        if some:
            with st.expander(heading.format(len(some)), key=key):
                for line in some:
                    _line(line, reviewer, names)


def is_finished(line: QueueSummary) -> bool:
    """Whether an open queue has all its reviews."""
    return bool(line.items) and line.done >= line.items


def line_html(line: QueueSummary, names: dict[str, str]) -> str:
    """A queue as two lines and a bar, as HTML."""
    queue = line.queue
    facts = [f"{line.done:,} of {line.items:,} items done"]
    if queue.reviews > 1:
        facts.append(f"{line.reviews_given:,} of {line.reviews_needed:,} reviews")
    if left := texts.time_left_text(line):
        facts.append(left)
    if line.at_work:
        facts.append("at work: " + ", ".join(truncate(name, 40) for name in line.at_work))
    if line.last_at:
        facts.append(f"last label {format_timestamp(line.last_at)}")
    return (
        f'<div class="wb-queue"><h2 dir="auto">{escape_html(queue.name)}</h2>'
        f'<p dir="auto">{escape_html(_contents(queue, names))}'
        f' <span class="wb-quiet">· {escape_html(" · ".join(texts.summary_text(line)))}</span></p>'
        f'<p class="wb-quiet">{escape_html(" · ".join(facts))}</p>'
        f'<div class="wb-queue-bar" role="progressbar" aria-label="Reviews given" '
        f'aria-valuemin="0" aria-valuemax="100" aria-valuenow="{round(line.share * 100)}">'
        f'<span style="width:{line.share * 100:.1f}%"></span></div></div>'
    )


def _contents(queue: Queue, names: dict[str, str]) -> str:
    if queue.references is not None:
        return reference_filter_text(queue.references, names)
    if queue.sentences is not None:
        return sentence_filter_text(queue.sentences, names)
    return filter_text(queue.filter, names)


def _line(line: QueueSummary, reviewer: str, names: dict[str, str]) -> None:
    queue = line.queue
    words, acts = st.columns([66, 34], vertical_alignment="center")
    with words:
        st.html(line_html(line, names))
    admitted = not reviewer or queue.admits(reviewer)
    queues = Queues(session.database())
    place = acts.container(
        horizontal=True, horizontal_alignment="right", vertical_alignment="center", gap="small"
    )
    with place:
        if queue.item_kind == "citations":
            link = items_link(ItemFilter(queue=queue.id, kinds=CITATION_KINDS))
            st.page_link(link.file, label="Citations", query_params=dict(link.query))
        if queue.open:
            st.button(
                "Start reviewing",
                key=f"work-{queue.id}",
                type="primary" if admitted and not is_finished(line) else "secondary",
                disabled=not admitted,
                help=None if admitted else "Assigned to other reviewers.",
                on_click=with_name,
                args=(lambda _: _open(queue.id),),
            )
        change, word = (queues.close, "Close") if queue.open else (queues.reopen, "Reopen")
        st.button(
            f"{word} queue",
            key=f"{'away' if queue.open else 'reopen'}-{queue.id}",
            on_click=with_name,
            args=(lambda name: change(queue.id, name),),
        )


def _open(queue_id: str) -> None:
    st.query_params["queue"] = queue_id
