"""A run in progress: its stages in a line, the current step, the cost so far, and Cancel."""

from collections.abc import Callable

import streamlit as st

from workbench.interfaces.web.fragments import fragment
from workbench.presentation.escape import escape_html, truncate
from workbench.services import jobs
from workbench.services.jobs import Job


def render_progress(run_id: str) -> None:
    """Draw the progress of a run until it ends, then redraw the page once."""
    fragment(_progress, run_every=0.5, key="progress")(run_id)


def reread_once(name: str, ended: object, before: Callable[[], None] | None = None) -> None:
    """Redraw the page the first time that a session sees a task ended.

    The page may have read the store before the task wrote its result.

    Args:
        name: The name of the task's container on the page.
        ended: The task.
        before: Called before the redraw, by pages that hold what they read from the store.
    """
    state_key = f"reread-{name}"
    if st.session_state.get(state_key) != id(ended):
        st.session_state[state_key] = id(ended)
        if before:
            before()
        st.rerun()


def stage_line(job: Job) -> str:
    """The stages with their counts as HTML; sources' names are escaped."""
    progress = job.progress
    if progress is None:
        return '<div class="wb-stages"><b>Finding the citations</b></div>'
    checked, listed = job.references_checked
    stages = [
        ("found", progress.found, progress.found),
        ("linked", progress.linked, progress.found),
        ("fetched", progress.fetched, progress.sources),
        ("read", progress.read, progress.sources),
        ("judged", progress.judged, progress.found),
    ]
    if job.looks_up and listed:
        stages.append(("references checked", checked, listed))
    missing = f"<i>, {progress.missing:,} missing</i>" if progress.missing else ""
    steps = "".join(
        f'<li class="{"done" if of and done >= of else ""}"><b>{word}</b> {done:,}'
        + (f"<i>/{of:,}</i>" if word != "found" else "")
        + (missing if word == "fetched" else "")
        + "</li>"
        for word, done, of in stages
    )
    facts = f"{job.elapsed_s:.1f} s · {progress.cost_text}"
    current = escape_html(progress.waiting or truncate(progress.current, 90))
    return (
        f'<div class="wb-stages" role="status"><ol>{steps}</ol>'
        f'<span class="wb-quiet">{facts}</span>'
        f'<span class="wb-quiet" dir="auto">{current}</span></div>'
    )


def _progress(run_id: str) -> None:
    job = jobs.find(run_id)
    if job is None:
        st.rerun()
        return
    progress = job.progress
    line, stop = st.columns([86, 14], vertical_alignment="center")
    with line:
        st.html(stage_line(job))
    with stop:
        st.button(
            "Stopping" if job.cancel.is_set() else "Cancel",
            key="cancel",
            on_click=job.cancel.set,
            disabled=job.cancel.is_set(),
            width="stretch",
        )
    st.progress(progress.judged / progress.found if progress and progress.found else 0.0)
