"""The list of queues: contents, progress, active reviewers; open, close, reopen."""

from collections.abc import Sequence

import streamlit as st

from workbench.interfaces.web import session
from workbench.interfaces.web.filters import filter_text
from workbench.interfaces.web.queues import text as texts
from workbench.interfaces.web.queues.references import reference_filter_text
from workbench.interfaces.web.reviewer_identity import name_field
from workbench.presentation.escape import escape_html, truncate
from workbench.records.format import format_timestamp
from workbench.records.queue import Queue, QueueSummary
from workbench.services.repositories import Queues
from workbench.services.runs import run_names


def render_list(reviewer: str) -> None:
    """Draw the list for a reviewer."""
    lines = Queues(session.database()).list_queues(closed=True)
    names = _run_names(lines)
    opened = [line for line in lines if line.queue.open]
    closed = [line for line in lines if not line.queue.open]
    finished = [line for line in opened if is_finished(line)]
    if not opened:
        st.info("No open queues. Create one below.")
    for line in opened:
        if not is_finished(line):
            _line(line, reviewer, names)
    if finished:
        with st.expander(texts.finished_text(len(finished)), key="finished"):
            for line in finished:
                _line(line, reviewer, names)
    if closed:
        with st.expander(f"Closed queues ({len(closed)})", key="away"):
            for line in closed:
                _line(line, reviewer, names)


def render_overview() -> None:
    """Draw the open queues for somebody without a name yet: what there is, nothing to press."""
    lines = Queues(session.database()).list_queues()
    names = run_names(session.database()) if lines else {}
    for line in lines:
        st.html(line_html(line, names))


def is_finished(line: QueueSummary) -> bool:
    """Whether an open queue has all its reviews."""
    return bool(line.items) and line.done >= line.items


def line_html(line: QueueSummary, names: dict[str, str]) -> str:
    """A queue as two lines and a bar, as HTML."""
    queue = line.queue
    facts = [f"{line.done:,} of {line.items:,} items done"]
    if queue.reviews > 1:
        facts.append(f"{line.reviews_given:,} of {line.reviews_needed:,} reviews")
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
    return filter_text(queue.filter, names)


def _line(line: QueueSummary, reviewer: str, names: dict[str, str]) -> None:
    queue = line.queue
    words, acts = st.columns([74, 26], vertical_alignment="center")
    with words:
        st.html(line_html(line, names))
    admitted = queue.admits(reviewer)
    with acts, st.container(horizontal=True, horizontal_alignment="right", gap="small"):
        if queue.open:
            st.button(
                "Start reviewing",
                key=f"work-{queue.id}",
                type="primary" if admitted and not is_finished(line) else "secondary",
                disabled=not admitted,
                help=None if admitted else "Assigned to other reviewers.",
                on_click=_work,
                args=(queue.id,),
            )
            st.button("Close queue", key=f"away-{queue.id}", on_click=_close, args=(queue.id,))
        else:
            st.button("Reopen queue", key=f"reopen-{queue.id}", on_click=_reopen, args=(queue.id,))


def _work(queue_id: str) -> None:
    st.query_params["queue"] = queue_id


def _close(queue_id: str) -> None:
    Queues(session.database()).close(queue_id, session.reviewer())


def _reopen(queue_id: str) -> None:
    Queues(session.database()).reopen(queue_id, session.reviewer())


def _run_names(lines: Sequence[QueueSummary]) -> dict[str, str]:
    needed = any(
        (line.queue.filter.runs if line.queue.references is None else line.queue.references.runs)
        or line.queue.filter.runs
        for line in lines
    )
    return run_names(session.database()) if needed else {}


def named() -> str:
    """The reviewer's name; empty if there is none yet."""
    name = session.reviewer()
    return "" if name == session.REVIEWER else name


def ask_name() -> None:
    """Draw the field for the name, if there is none yet."""
    name_field(width=420)
    st.caption("Enter your name so your labels can be attributed to you.")
