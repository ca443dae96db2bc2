"""A running evaluation: its progress, its cost so far, and Cancel; then its result."""

from collections.abc import Callable

import streamlit as st

from workbench.interfaces.web import judging_tasks, session
from workbench.interfaces.web.fragments import fragment
from workbench.interfaces.web.judging_tasks import JudgingJob, outcome_text
from workbench.interfaces.web.progress import reread_once
from workbench.presentation.escape import escape_html, escape_markdown
from workbench.records.format import usd
from workbench.services.labelled_judging import JudgingResult


def render_judging_progress(name: str) -> bool:
    """Draw the progress or the result of the evaluation of that name; whether it is running.

    It always has a container of its own, so that nothing below it moves when it ends.
    """
    with st.container(key=f"asking-place-{name}"):
        return _asking(name)


def _asking(name: str) -> bool:
    store = session.database().path
    job = judging_tasks.find(store, name)
    if job is None:
        return False
    if not job.ended.is_set():
        fragment(_progress, run_every=0.5, key=f"asking-{name}")(name)
        return True
    reread_once(name, job)
    if not (job.error or st.session_state.get(f"asked-{name}") is job):
        return False  # who started it reads its result; an error concerns everybody
    words = escape_markdown(outcome_text(job))
    with st.container(key=f"asked-{name}"):
        if job.error:
            st.error(words)
        elif job.outcome and (job.outcome.unjudged or job.outcome.errors):
            st.warning(words)
        else:
            st.success(words)
        st.button("Close", key=f"asked-close-{name}", on_click=_close_result, args=(name,))
    return False


def at_most(cost_usd: float | None) -> str:
    """What asking a judge may cost, in words."""
    if cost_usd is None:
        return "at an unknown price"
    return f"at most {usd(cost_usd)}" if cost_usd else "at no cost"


def ask(name: str, what: str, of: int, work: Callable[[JudgingJob], JudgingResult]) -> None:
    """Start an evaluation and redraw the page with its progress.

    Raises:
        UsageError: Another one of that name is running.
    """
    st.session_state[f"asked-{name}"] = judging_tasks.start(
        session.database().path, name, what, of, work
    )
    st.rerun()


def progress_html(job: JudgingJob) -> str:
    """The progress of an evaluation, as HTML; names are escaped."""
    return (
        '<div class="wb-stages" role="status">'
        f'<span dir="auto"><b>{escape_html(job.what)}</b></span>'
        f"<span>{job.done:,} of {job.of:,}</span>"
        f'<span class="wb-quiet">{job.elapsed_s:.0f} s · {usd(job.cost_usd)}</span></div>'
    )


def _close_result(name: str) -> None:
    judging_tasks.dismiss(session.database().path, name)


def _progress(name: str) -> None:
    job = judging_tasks.find(session.database().path, name)
    if job is None or job.ended.is_set():
        # marked as seen, so that this redraw is not followed by another one
        reread_once(name, job)
        st.rerun()
        return
    line, stop = st.columns([86, 14], vertical_alignment="center")
    with line:
        st.html(progress_html(job))
    with stop:
        st.button(
            "Stopping" if job.cancel.is_set() else "Cancel",
            key=f"asking-cancel-{name}",
            on_click=job.cancel.set,
            disabled=job.cancel.is_set(),
            width="stretch",
        )
    st.progress(min(job.done / job.of, 1.0) if job.of else 0.0)
