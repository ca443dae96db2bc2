"""An action on a source: started, followed while citations are judged again, its result shown.

The Sources page and the cards of the Review page and of queues start actions here.
"""

from collections.abc import Callable, Collection, Sequence

import streamlit as st

from workbench.errors import ErrorKind, UsageError
from workbench.interfaces.web import session
from workbench.interfaces.web.fragments import fragment
from workbench.interfaces.web.progress import reread_once
from workbench.interfaces.web.sources import jobs as sources_jobs
from workbench.interfaces.web.sources.data import open_folder
from workbench.interfaces.web.sources.jobs import Act
from workbench.interfaces.web.sources.text import citations
from workbench.presentation.escape import escape_html, escape_markdown
from workbench.presentation.verdicts import ERROR_TEXT, STYLES
from workbench.records.stored_sources import SourceCitation
from workbench.records.verdict import VerdictLabel
from workbench.services import jobs
from workbench.services.sources.actions import ActionResult, SourceActions, Tell
from workbench.services.sources.catalog import SourceRow

FILE_TYPES = ["pdf", "html", "htm", "txt", "md", "json", "xml"]
"""Endings of the files that can be given as a source."""


def start_action(
    row: SourceRow,
    uses: Sequence[SourceCitation],
    what: str,
    work: Callable[[SourceActions], ActionResult],
) -> bool:
    """Whether the action was started; if another one on the source is running, a toast says so.

    Args:
        row: The source.
        uses: The citations to judge again.
        what: What is running, in words.
        work: Performs the action, in a thread of its own.
    """
    store, folder = session.database(), open_folder(session.settings().snapshots)

    def go(tell: Tell) -> ActionResult:
        return work(SourceActions(store, folder, row, uses, tell))

    try:
        sources_jobs.start(store.path, row.id, what, go)
    except UsageError as error:
        st.toast(escape_markdown(str(error)))
        return False
    return True


def uses_to_rejudge(row: SourceRow, runs: Collection[str]) -> list[SourceCitation]:
    """The judged citations of a source in those of the runs that are not in progress."""
    return [
        use
        for use in row.uses
        if use.run_id in runs and use.judged_at and not jobs.find(use.run_id)
    ]


def rejudge_help(uses: Sequence[SourceCitation]) -> str:
    """What will be judged again, and by which judges."""
    if not uses:
        return "No citation uses it; it is stored for later."
    judges = {use.result.judgment.judge for use in uses if use.result.judgment}
    by = (
        f" by {escape_markdown(', '.join(sorted(judges)), 80)}"
        if judges
        else " by the judge of each run"
    )
    return f"{citations(len(uses))} will be re-judged{by}."


def render_outcome(
    row_id: str, *, hidden: bool = False, judged: Callable[[], None] | None = None
) -> bool:
    """Draw the progress of the action on a source, or its result; whether it is running.

    Args:
        row_id: The source.
        hidden: Whether the judge is hidden from the reviewer: then no verdict is shown.
        judged: Called when the action has ended, before the page is redrawn.
    """
    act = sources_jobs.find(session.database().path, row_id)
    running = act is not None and not act.ended.is_set()
    if act is not None and not running:
        reread_once(row_id, act, judged)
    with st.container(key="source-acting"):
        if act is not None:
            fragment(_progress, run_every=0.4 if running else None)(row_id, hidden, judged)
    return running


def outcome_html(outcome: ActionResult, *, hidden: bool = False) -> str:
    """What was done, how many citations were judged again, and which verdicts changed.

    With `hidden`, nothing is told of the verdicts.
    """
    words = outcome.did
    if outcome.judged and hidden:
        words += f" {citations(len(outcome.citing))} re-judged."
    elif outcome.judged:
        changed = len(outcome.changed)
        changes = f"{changed:,} changed" if changed else "none changed"
        words += f" {citations(len(outcome.citing))} re-judged, {changes}."
    transitions: dict[tuple[str, str], int] = {}
    for flip in () if hidden else outcome.changed:
        pair = _sign(flip.before, flip.before_error), _sign(flip.after, flip.after_error)
        transitions[pair] = transitions.get(pair, 0) + 1
    lines = "".join(
        f"<li><b>{number:,}</b>{before}<span>became</span>{after}</li>"
        for (before, after), number in sorted(transitions.items(), key=lambda item: -item[1])
    )
    listed = f'<ul class="ws-became">{lines}</ul>' if lines else ""
    return f'<div role="status">{escape_html(words)}{listed}</div>'


def _sign(verdict: VerdictLabel, error: ErrorKind | None) -> str:
    style = STYLES[verdict]
    words = ERROR_TEXT[error] if error else style.word
    return (
        f'<span class="ws-verdict" style="--verdict:{style.colour}">'
        f'<span aria-hidden="true">{style.glyph}</span> {escape_html(words)}</span>'
    )


def _progress(row_id: str, hidden: bool, judged: Callable[[], None] | None) -> None:
    path = session.database().path
    act = sources_jobs.find(path, row_id)
    if act is None:
        return
    if not act.ended.is_set():
        text = f"{act.what}: {act.done} of {citations(act.of)} judged" if act.of else act.what
        st.progress(act.done / act.of if act.of else 0.0, text=escape_markdown(text))
        return
    reread_once(row_id, act, judged)
    _result(act, row_id, hidden)


def _result(act: Act, row_id: str, hidden: bool) -> None:
    if act.error:
        st.error(escape_markdown(act.error))
    outcome = act.outcome
    if outcome:
        with st.container(border=True, gap="small", key="source-result"):
            st.html(outcome_html(outcome, hidden=hidden))
            for problem in outcome.problems:
                st.warning(escape_markdown(problem))
            _close_result(row_id)
    else:
        _close_result(row_id)


def _close_result(row_id: str) -> None:
    st.button(
        "Dismiss",
        key="source-seen",
        type="tertiary",
        on_click=sources_jobs.dismiss,
        args=(session.database().path, row_id),
    )
