"""An asking under way: how far it is, what it cost so far, and Cancel; then what came of it."""

from collections.abc import Callable

import streamlit as st

from workbench.experiments import JudgingResult
from workbench.interfaces.web import judging_tasks, session
from workbench.interfaces.web.error_boundary import error_boundary
from workbench.interfaces.web.judging_tasks import AskingJob, outcome_words
from workbench.interfaces.web.progress import reread_once
from workbench.presentation.escape import escape_html, escape_markdown
from workbench.records.format import usd


def draw_asking(name: str) -> bool:
    """Whether an asking of that name goes on; its progress, or what came of it, is drawn.

    It has a container of its own, drawn or not, so that nothing below it moves when it goes.
    """
    with st.container(key=f"asking-place-{name}"):
        return _asking(name)


def _asking(name: str) -> bool:
    store = session.database().path
    job = judging_tasks.find(store, name)
    if job is None:
        return False
    if not job.ended.is_set():
        st.fragment(error_boundary(_progress), run_every=0.5, key=f"asking-{name}")(name)
        return True
    reread_once(name, job)
    words = escape_markdown(outcome_words(job))
    with st.container(key=f"asked-{name}"):
        if job.error:
            st.error(words)
        elif job.outcome and (job.outcome.left or job.outcome.errors):
            st.warning(words)
        else:
            st.success(words)
        st.button("Close", key=f"asked-close-{name}", on_click=_close_result, args=(name,))
    return False


def ask(name: str, what: str, of: int, work: Callable[[AskingJob], JudgingResult]) -> None:
    """Start an asking and draw the page anew with its progress.

    Raises:
        UsageError: Another one of that name goes on.
    """
    judging_tasks.start(session.database().path, name, what, of, work)
    st.rerun()


def progress_html(job: AskingJob) -> str:
    """How far an asking has come, as HTML; names are escaped."""
    return (
        '<div class="wb-stages" role="status">'
        f'<span dir="auto"><b>{escape_html(job.what)}</b></span>'
        f"<span>{job.done:,} of {job.of:,}</span>"
        f'<span class="wb-quiet">{job.elapsed_s:.0f} s · {usd(job.cost_usd)}</span></div>'
    )


def _close_result(name: str) -> None:
    judging_tasks.put_away(session.database().path, name)


def _progress(name: str) -> None:
    job = judging_tasks.find(session.database().path, name)
    if job is None or job.ended.is_set():
        # noted as seen, or the page that is drawn now would be drawn once more
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
